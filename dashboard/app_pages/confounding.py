"""Is it contamination or difficulty? Samples compared with their like, and with themselves."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dashboard import downloads, effect_words, estimates, filters, queries, states, theme, words
from dashboard.address import Address
from dashboard.charts import forest, frame
from dashboard.confounding_checks import show_placebos, show_profiles
from dashboard.database import snapshot
from dashboard.filters import ALL, Scope
from dashboard.records import Catalogue
from dashboard.table import Cell, Column, Row, evidence_table
from engine.export.contamination import estimate_table, identification_table
from engine.leaderboard.contamination import Identification, Variant
from engine.leaderboard.contamination_checks import Match
from engine.statistics.effects.contamination import ContaminationEffect, Points
from engine.store.connection import Snapshot

_COLUMNS = (
    Column("estimate", "Estimate", heading=True, width="30%"),
    Column(
        "points",
        "Contaminated minus clean",
        "In percentage points, with its 95% interval. Above 0, contaminated samples are resolved more often.",
        align="end",
        whole=True,
    ),
    Column("odds", "Odds ratio", "Odds of resolving it contaminated against clean.", align="end", whole=True),
    Column("n", "Submissions", "Samples below.", align="end", whole=True),
    Column("rests", "Rests on", "The part of the data that says anything."),
)


def show() -> None:
    """Show the page."""
    database, address = snapshot(), Address()
    catalogue = queries.catalogue(database)
    st.title("Is it contamination or difficulty?", anchor=False)
    if not catalogue.benchmarks or not catalogue.detectors:
        states.nothing_imported()
        return
    scope, difficulty = _read(address, catalogue)
    address.notice()
    states.not_judged(scope.detector)
    labelling = scope.benchmark.benchmark, scope.detector.detector, scope.threshold, difficulty
    found = estimates.compared(database, *labelling)
    if not found.known.submissions:
        states.no_adjusted(scope.benchmark.title)
        return
    with st.spinner("Comparing samples with their like and with themselves …"):
        matches = estimates.matched(database, *labelling)
        variants = estimates.within(database, *labelling)
    notes = scope.notes(database) | {"difficulty": difficulty or ALL}
    _answer(matches, variants)
    _identification(found.counts, variants[0].effect, notes)
    _estimates(database, scope, notes, matches, variants)
    with st.spinner("Following the chance of a fix from day to day …"):
        profiles = estimates.over_days(database, *labelling)
    show_profiles(database, scope, notes, profiles)
    with st.spinner("Trying cutoffs that are not the models' own …"):
        placebos = estimates.at_wrong_cutoffs(database, *labelling)
    show_placebos(database, scope, notes, variants[0].effect, placebos)


def _read(address: Address, catalogue: Catalogue) -> tuple[Scope, str | None]:
    with st.grid(4, min_column_width=160):
        scope = filters.choose_scope(address, catalogue)
        levels = {ALL: "All"} | scope.level_titles
        difficulty = filters.choose(address, "difficulty", "Difficulty", levels, default=ALL)
    return scope, None if difficulty == ALL else difficulty


def _answer(matches: Sequence[Match], variants: Sequence[Variant]) -> None:
    plain = matches[0].found.points
    said = ""
    if plain is not None:
        said = (
            "As they stand, contaminated samples differ from clean ones by "
            f"**{words.signed_points(plain.estimate)} points** {words.points_interval(plain.interval)} in "
            "how often they are resolved. But samples are clean because their code was rewritten since, and "
            "differ in size, age and difficulty too: this is contamination and difficulty in one. "
        )
    st.markdown(said + effect_words.reading(variants[0].effect))
    st.markdown(
        "Another detector or threshold, and models with cutoffs on both sides of the day on which a fix "
        "vanished, would change this answer."
    )


def _identification(counts: Identification, main: ContaminationEffect, notes: dict[str, str]) -> None:
    st.header("What can these data show at all?", anchor=False)
    left_out = counts.without_cutoff + counts.unusable
    st.markdown(
        f"**{counts.submissions} of {words.count(counts.submissions + left_out, 'submission')}** take part; "
        f"left out are {counts.without_cutoff} without a known cutoff and {counts.unusable} without usable "
        f"results. Only a sample that is contaminated for one of them and clean for another can be compared "
        f"with itself: **{counts.changing} of {counts.samples}**. The others say nothing on contamination, "
        f"however many submissions answered them, and neither do those that all of them resolved "
        f"({main.always}) or none ({main.never}). A label can change for two reasons: such a sample is in "
        "two rows below."
    )
    columns = (
        Column("kind", "Samples whose label …", heading=True),
        Column("number", "Samples", align="end", whole=True),
        Column("says", "What that can show"),
    )
    evidence_table("identification", "What the comparison can rest on", columns, _kinds(counts))
    downloads.offer(
        f"identification-{notes['benchmark']}-{notes['detector']}",
        lambda: identification_table(counts, notes),
    )


def _kinds(counts: Identification) -> list[Row]:
    early = words.count(counts.early_submissions, "submission")
    kinds = (
        (
            "landing",
            "… changes because the fix landed",
            counts.by_landing,
            f"Only {early} had a cutoff before a landing: what else sets those models apart cannot be told "
            "from contamination.",
        ),
        (
            "vanishing",
            "… changes because the fix vanished",
            counts.by_vanishing,
            "The effect, if nothing else made these samples easier or harder for later models.",
        ),
        (
            "repository",
            "… changes because the repository was not seen",
            counts.by_repository,
            "The effect, as far as the test of Stage I is right.",
        ),
        ("contaminated", "… is contaminated throughout", counts.always_contaminated, "Nothing."),
        ("clean", "… is clean throughout", counts.always_clean, "Nothing."),
        ("unknown", "… is never known", counts.unknown, "Nothing."),
    )
    return [
        Row(
            key,
            {
                "kind": Cell(title),
                "number": Cell(words.share_of(number, counts.samples)),
                "says": Cell(meaning if number else words.DASH),
            },
            muted=not number,
        )
        for key, title, number, meaning in kinds
    ]


def _estimates(
    database: Snapshot,
    scope: Scope,
    notes: dict[str, str],
    matches: Sequence[Match],
    variants: Sequence[Variant],
) -> None:
    st.header("What is left of the difference?", anchor=False)
    st.markdown(
        "Rate on contaminated minus rate on clean samples: right of 0, contaminated ones are resolved more "
        "often. From the top, ever more of what else sets them apart is taken out."
    )
    colours, main = theme.palette(), variants[0].effect
    every = [_matched_line(match) for match in matches] + [_within_line(variant) for variant in variants]
    # What cannot be told is in the table, with the reason.
    lines = [line for line in every if line.points is not None]
    counted = f"n = {main.submissions} submissions, {main.samples} samples with different outcomes"
    if lines:
        frame.show(
            "estimates",
            forest.forest(lines, colours),
            told="Contaminated minus clean rate, compared in ever stricter ways, with 95% intervals",
            caption=frame.caption(counted, scope, database),
            table=lambda: estimate_table(variants, matches, notes),
            entries=forest.entries(colours),
        )
    else:
        st.markdown("No submission has both clean and contaminated samples, so there is nothing to draw.")
    rows = [_matched_row(match) for match in matches] + [_within_row(variant) for variant in variants]
    evidence_table("estimates-table", "Estimates of what contamination does", _COLUMNS, rows)
    st.markdown(
        "Intervals of matched samples come from drawing the samples anew. Those within samples are clustered "
        "by sample and by cutoff, and as wide as the few samples that really carry the estimate make them."
    )
    downloads.offer(
        f"contamination-or-difficulty-{notes['benchmark']}-{notes['detector']}",
        lambda: estimate_table(variants, matches, notes),
    )


def _matched_line(match: Match) -> forest.Line:
    points = match.found.points
    return forest.Line(match.title, points, False, _hover(match.title, points))


def _within_line(variant: Variant) -> forest.Line:
    points = variant.effect.points
    return forest.Line(variant.title, points, True, _hover(variant.title, points))


def _hover(title: str, points: Points | None) -> str:
    if points is None:
        return words.hover(title)
    estimate = f"{words.signed_points(points.estimate)} points {words.points_interval(points.interval)}"
    return f"{words.hover(title)}<br>{words.hover(estimate)}"


def _points_cell(points: Points | None) -> Cell:
    if points is None:
        return Cell("cannot be told", tone="unknown")
    return Cell(words.signed_points(points.estimate), detail=words.points_interval(points.interval))


def _matched_row(match: Match) -> Row:
    found = match.found
    rests = f"{words.percent(found.clean_matched)} of clean outcomes have a counterpart"
    return Row(
        match.key,
        {
            "estimate": Cell(match.title, detail=match.meaning),
            "points": _points_cell(found.points),
            "odds": Cell(words.DASH),
            "n": Cell(str(found.submissions)),
            "rests": Cell(rests, detail=words.count(found.strata, "group")),
        },
    )


def _within_row(variant: Variant) -> Row:
    found, effect = variant.effect, variant.effect.effect
    odds = Cell(words.DASH)
    if effect is not None:
        bounds = effect.odds_ratio_interval
        odds = Cell(
            effect_words.plain(effect.odds_ratio),
            detail=f"[{effect_words.plain(bounds.low)} to {effect_words.plain(bounds.high)}]",
            hint=words.p_value(effect.p_value),
        )
    carried = f"as good as {found.clusters:.1f} independent samples or cutoffs"
    return Row(
        variant.key,
        {
            "estimate": Cell(variant.title, detail=variant.meaning),
            "points": _points_cell(found.points),
            "odds": odds,
            "n": Cell(str(found.submissions), detail=words.count(found.samples, "sample")),
            "rests": Cell(f"{words.count(found.varying, 'sample')} whose label changes", detail=carried),
        },
    )
