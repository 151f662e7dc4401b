"""The findings as the paper reads them, off rates before and after, with our labels and with intervals."""

from __future__ import annotations

from collections.abc import Sequence

from engine.export.paper_comparison import ComparedCell
from engine.export.printed import percent, signed, with_interval
from engine.leaderboard.patterns import beside_the_paper
from engine.leaderboard.trends import by_release, change_over_time, reported_against_change
from engine.paper.printed import PrintedFigure
from engine.report.reading import Answer, Reading, by_sign
from engine.report.view import BY_RELEASE, TOP_TEN, TOP_TEN_JAVA, View, change_of, changes, pooled
from engine.statistics.contrast import contrast
from engine.statistics.effects.matching import matched_comparison
from engine.statistics.effects.patterns import FlagRate, Pattern
from engine.statistics.effects.spread import change_spread
from engine.statistics.proportions import FEWEST_SAMPLES
from engine.statistics.strata import Stratum, compare_strata

_DASH = "\N{EN DASH}"


def premise(view: View) -> Reading:
    """Are contaminated samples resolved more often than clean ones?"""
    stratum = pooled(view.every)
    found = matched_comparison(view.every.panel, ())
    if stratum.too_small or found.points is None:
        return Reading("", Answer.OPEN, _few(stratum))
    figure = (
        f"contaminated minus clean {with_interval(found.points.estimate, found.points.interval, scale=100)} "
        f"points, mean over {found.submissions} submissions"
    )
    return by_sign(figure, found.points.interval, claimed=1, what="the difference")


def by_difficulty(view: View, hard: str, easy: str, middle: str) -> Reading:
    """Is the drop larger on harder samples (Finding 1)?"""
    figure = "; ".join(_range(view, level) for level in (hard, middle, easy))
    found = compare_strata(view.ten.panel, view.ten.samples.difficulty, [hard, easy])
    return _against(figure, found, (view.titles[hard], view.titles[easy]), "the difference of both gaps")


def by_benchmark(view: View) -> Reading:
    """Is the drop larger on the second benchmark (Finding 2)?"""
    java = view.cells(TOP_TEN_JAVA)
    figures = []
    for name, cells in (("Java", java), ("Python", view.cells(TOP_TEN))):
        found = changes(cells)
        at_hand = "" if len(found) == len(cells) else f" ({len(found)} of {len(cells)} submissions at hand)"
        figures.append(f"{name}: lowest change {percent(min(found, default=None))}{at_hand}")
    found_strata = (pooled(view.java), pooled(view.ten))
    return _against("; ".join(figures), found_strata, ("Java", "Python"), "the difference of both gaps")


def by_framework(view: View, family: str) -> Reading:
    """Is the drop alike for one model under several frameworks (Finding 3)?"""
    named = {cell.submission for cell in view.cells(TOP_TEN) if family in cell.cell.row}
    places = [place for place, entry in enumerate(view.ten.submissions) if entry.submission in named]
    matrix = view.ten.take(places)
    found = change_spread(matrix.resolved, matrix.clean, matrix.samples.difficulty)
    if found is None:
        return Reading("", Answer.OPEN, "no two of its submissions have clean samples")
    figure = f"{len(places)} {family} submissions: {percent(found.least)} to {percent(found.greatest)}"
    reason = (
        f"a spread of {100 * found.distance:.1f} points, where labels without meaning give "
        f"{100 * found.expected.low:.1f}{_DASH}{100 * found.expected.high:.1f}"
    )
    return Reading(figure, Answer.NO if found.p_value <= 0.05 else Answer.COMPATIBLE, reason)


def by_age(view: View, level: str) -> Reading:
    """Is the drop smaller for newer models (Finding 4)?"""
    first, last = _ends(view)
    figure = "; ".join(
        f"{title}: {percent(change_of(_row(cells, first)))} to {percent(change_of(_row(cells, last)))}"
        for title, cells in (
            ("all", view.cells(BY_RELEASE)),
            (view.titles[level], view.cells(BY_RELEASE, level)),
        )
    )
    trend = change_over_time(by_release(view.board.rows, one_a_model=True))
    if trend is None:
        return Reading(figure, Answer.OPEN, "too few models with clean samples for a trend")
    slope = with_interval(trend.line.slope, trend.line.interval, scale=100)
    figure += f"; {slope} points a year over {trend.line.n} models"
    return by_sign(figure, trend.line.interval, claimed=1, what="the trend")


def by_rate(view: View) -> Reading:
    """Is the drop smaller for better submissions (Finding 5)?"""
    found = reported_against_change(view.every)
    if found.association is None or found.expected is None:
        return Reading("", Answer.OPEN, "too few submissions with clean samples")
    rho, expected = found.association, found.expected
    figure = (
        f"Spearman's ρ {with_interval(rho.rho, rho.interval, 2)}; labels without meaning give "
        f"{signed(expected.low, 2)} to {signed(expected.high, 2)}"
    )
    if rho.rho in expected:
        return Reading(figure, Answer.OPEN, "labels without meaning do the same")
    holds = rho.rho > expected.high
    return Reading(figure, Answer.YES if holds else Answer.NO, "it is beyond what labels without meaning do")


def seen_unsolved(view: View) -> Reading:
    """Why do models fail on fixes they have seen (Finding 6)?"""
    number = len(view.patterns.samples_of(Pattern.SEEN_UNSOLVED))
    named = view.patterns.rates["names_file"][Pattern.SEEN_UNSOLVED]
    figure = f"{number} seen and solved by none; the issue names a changed file in {_share(named)}"
    return Reading(figure, Answer.OPEN, "where a model looked is in its patches, which are not at hand")


def unseen(
    view: View, figures: Sequence[PrintedFigure], flags: Sequence[str], pattern: Pattern, *, claimed: int
) -> Reading:
    """What have unseen samples in common that all solve, or none (Findings 7 and 8)?

    Args:
        view: The facts by a detector.
        figures: The paper's figures.
        flags: Keys of the flags that the finding names.
        pattern: The samples that it is about.
        claimed: 1 if the flags should be more frequent in them than in the others, else -1.
    """
    beside = beside_the_paper(view.patterns, figures)
    figure = "; ".join(f"{each.rule} {each.ours.k}/{each.ours.n}" for each in beside)
    sides = {flag: claimed * _side(view.patterns.rates[flag][pattern]) for flag in flags}
    if all(side > 0 for side in sides.values()):
        return Reading(figure, Answer.YES, "each differs from the other samples beyond chance")
    if any(side < 0 for side in sides.values()):
        return Reading(figure, Answer.NO, "some differ from the other samples the other way, beyond chance")
    alike = ", ".join(flag.replace("_", " ") for flag, side in sides.items() if side == 0)
    return Reading(figure, Answer.OPEN, f"as in other samples, within chance: {alike}")


def _side(rate: FlagRate) -> int:
    if not rate.beyond_chance or rate.inside.rate is None or rate.outside.rate is None:
        return 0
    return 1 if rate.inside.rate > rate.outside.rate else -1


def _share(rate: FlagRate) -> str:
    return f"{rate.inside.k}/{rate.inside.n}, elsewhere in {rate.outside.k}/{rate.outside.n}"


def _range(view: View, level: str) -> str:
    cells = view.cells(TOP_TEN, level)
    clean = max((cell.clean_total or 0 for cell in cells), default=0)
    if clean < FEWEST_SAMPLES:
        return f"{view.titles[level]}: {clean} clean samples"
    found = changes(cells)
    return f"{view.titles[level]}: {percent(min(found))} to {percent(max(found))}"


def _against(figure: str, strata: Sequence[Stratum], names: tuple[str, str], what: str) -> Reading:
    for stratum, name in zip(strata, names, strict=True):
        if stratum.too_small or stratum.difference is None or stratum.difference_interval is None:
            return Reading(figure, Answer.OPEN, f"{name}: {_few(stratum)}")
    gaps = [
        (stratum.difference, stratum.difference_interval)
        for stratum in strata
        if stratum.difference is not None and stratum.difference_interval is not None
    ]
    found = contrast(*gaps[0], *gaps[1])
    said = f"{what}, {with_interval(found.estimate, found.interval, scale=100)} points,"
    return by_sign(figure, found.interval, claimed=-1, what=said)


def _few(stratum: Stratum) -> str:
    counts = f"{stratum.clean_samples} clean and {stratum.contaminated_samples} contaminated samples"
    return f"{counts} say too little"


def _ends(view: View) -> tuple[str, str]:
    """Rows of the paper's Table 8 with the largest drop of its first year and the smallest of its last."""
    cells = view.cells(BY_RELEASE)
    years = sorted({cell.cell.row[:4] for cell in cells})
    first = [cell for cell in cells if cell.cell.row.startswith(years[0])]
    last = [cell for cell in cells if cell.cell.row.startswith(years[-1])]
    return (
        min(first, key=lambda cell: cell.cell.relative_change_pct).cell.row,
        max(last, key=lambda cell: cell.cell.relative_change_pct).cell.row,
    )


def _row(cells: Sequence[ComparedCell], name: str) -> ComparedCell:
    return next(cell for cell in cells if cell.cell.row == name)
