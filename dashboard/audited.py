"""What an audit found: the verdict, the rates, where they differ, and what is wrong with the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from dashboard import comparison_cells as cells
from dashboard import downloads, words
from dashboard.charts import frame
from dashboard.table import Cell, Column, Dumbbell, Row, evidence_table
from engine.audit.audit import Audit
from engine.export.audit import audit_table, audited_samples, printed_audit
from engine.problems import Problem, Severity
from engine.statistics.proportions import FEWEST_SAMPLES
from engine.statistics.summary import Comparison
from engine.store.connection import Snapshot

_PROBLEMS_SHOWN = 20
_COLUMNS = (
    cells.DUMBBELL_COLUMN,
    cells.BEFORE_COLUMN,
    Column(
        "contaminated", "Contaminated", "Share of the contaminated samples resolved.", align="end", whole=True
    ),
    Column(
        "after",
        "Clean",
        "Share of the clean samples resolved, with its 95% interval.",
        align="end",
        whole=True,
    ),
    cells.CHANGE_COLUMN,
    cells.VERDICT_COLUMN,
)


def show_verdict(found: Audit) -> None:
    """Show the verdict and what it rests on."""
    whole, asked = found.overall, found.asked
    st.header(
        f"Contaminated samples score higher: {cells.verdict_title(whole.judgement.verdict).lower()}",
        anchor=False,
    )
    models = f" of {', '.join(map(words.markdown, asked.titles))}" if asked.titles else ""
    st.markdown(
        f"**{words.markdown(found.file.submission)}** on {words.markdown(found.benchmark_title)}, "
        f"training cutoff **{asked.exposure.cutoff}** ({asked.basis}){models}."
    )
    rates = (
        ("Contaminated samples", whole.contaminated, whole.contaminated_interval),
        ("Clean samples", whole.clean, whole.clean_interval),
        ("All samples", whole.before, whole.before_interval),
    )
    with st.container(horizontal=True):
        for title, share, bounds in rates:
            counted = (
                f"{words.share_of(share.k, share.n)} {words.interval(bounds)}" if share.n else "no sample"
            )
            st.metric(
                title, words.percent(share.rate), counted, delta_color="off", delta_arrow="off", border=True
            )
    if whole.difference is not None:
        st.markdown(
            f"Clean minus contaminated: **{words.signed_points(whole.difference)} points** "
            f"{words.points_interval(whole.difference_interval)}."
        )
    st.markdown("".join(f"- {words.markdown(sentence)}\n" for sentence in whole.judgement.sentences))
    if whole.unknown.n:
        with st.expander(
            f"{words.count(whole.unknown.n, 'sample is', 'samples are')} unknown and count as neither"
        ):
            st.markdown("".join(f"- {words.markdown(why)}: {n}\n" for why, n in found.unknown_reasons))


def show_problems(problems: Sequence[Problem], file: str) -> None:
    """Show what is wrong with a file, if anything is."""
    if not problems:
        return
    rows = [
        Row(
            str(place),
            {
                "line": Cell(words.DASH if problem.line is None else str(problem.line)),
                "what": Cell(
                    f"{problem.subject}: {problem.message}" if problem.subject else problem.message,
                    detail="left out" if problem.severity is Severity.ERROR else "used all the same",
                ),
                "remedy": Cell(problem.remedy),
            },
        )
        for place, problem in enumerate(problems[:_PROBLEMS_SHOWN])
    ]
    st.header("What is wrong with the file", anchor=False)
    columns = (
        Column("line", "Line", "Where the format has lines.", align="end", whole=True),
        Column("what", "What", heading=True),
        Column("remedy", "What to do"),
    )
    evidence_table("problems", f"What is wrong with {file}", columns, rows)
    if len(problems) > _PROBLEMS_SHOWN:
        st.markdown(f"… and {len(problems) - _PROBLEMS_SHOWN} more.")


def offer_files(database: Snapshot, found: Audit) -> None:
    """Say how the figures were made, and offer them as files."""
    frame.say(
        f"n = {found.overall.before.n} samples · {words.markdown(found.benchmark_title)} · "
        f"cutoff {found.asked.exposure.cutoff} · detector {words.markdown(found.detector)}, "
        f"threshold {found.threshold:g} · data {frame.data_hash(database)}"
    )
    named = found.file.submission
    downloads.offer(f"{named}-audit", lambda: audit_table(found), lambda: printed_audit(found))
    with st.expander("Every sample with its label, as a file"):
        downloads.offer(f"{named}-samples", lambda: audited_samples(found))


def show_groups(found: Audit) -> None:
    """Show the rates by difficulty, repository and detector."""
    st.header("By difficulty", anchor=False)
    cells.show_legend()
    levels = {found.level_titles.get(key, key): each for key, each in found.summary.levels.items()}
    _table("levels", "Difficulty", {"All samples": found.overall} | levels)
    st.header("By repository", anchor=False)
    _table("repositories", "Repository", found.repositories)
    if found.opinions:
        st.header("Would another detector say the same?", anchor=False)
        opinions = {
            f"{each.title}, threshold {each.threshold:g}": each.overall for each in found.opinions.values()
        }
        _table("opinions", "Detector", opinions)
    st.markdown(
        f"Groups with fewer than {FEWEST_SAMPLES} clean or contaminated samples say nothing by themselves. "
        "Clean samples are those whose code was rewritten since, and they differ in difficulty too: a change "
        "alone is no proof. Another cutoff, detector or threshold moves samples between the two sides. Here "
        "a submission is judged alone; the leaderboard allows for all that it shows."
    )


def _table(key: str, title: str, groups: Mapping[str, Comparison]) -> None:
    rows = [_row(name, comparison) for name, comparison in groups.items()]
    columns = (Column("group", title, heading=True, width="18%"), *_COLUMNS)
    evidence_table(key, f"The score by {title.casefold()}", columns, rows)


def _row(name: str, found: Comparison) -> Row:
    content: dict[str, Cell | Dumbbell] = {
        "group": Cell(name, detail=words.count(found.before.n, "sample")),
        "scores": cells.dumbbell(found, known=True),
        "before": cells.rate_cell(found.before, found.before_interval),
        "contaminated": cells.rate_cell(found.contaminated, found.contaminated_interval),
        "after": cells.rate_cell(found.clean, found.clean_interval),
        "change": cells.change_cell(found),
        "verdict": cells.verdict_cell(found),
    }
    return Row(name, content, muted=found.too_small)
