"""Checks of the effect within samples: what happens around the day of a change, and at wrong cutoffs."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
import streamlit as st

from dashboard import downloads, effect_words, legend, theme, words
from dashboard.charts import frame, steps
from dashboard.filters import Scope
from dashboard.table import Cell, Column, Dumbbell, Row, evidence_table
from dashboard.theme import Palette
from engine.export.contamination import placebo_table, profile_table
from engine.leaderboard.contamination_checks import Profiles
from engine.statistics.effects.contamination import ContaminationEffect, Effect, Placebo
from engine.statistics.effects.event_study import Bin, EventStudy
from engine.store.connection import Snapshot

_LEVEL = 0.05
_AMONG = {"clean": "clean", "contaminated": "contaminated"}
_PLACEBO_COLUMNS = (
    Column("shift", "Cutoffs shifted by", heading=True, whole=True),
    *(
        column
        for among, title in _AMONG.items()
        for column in (
            Column(among, f"Effect if {title}", "In logits, with its 95% interval.", align="end", whole=True),
            Column(f"{among}-rests", "Rests on", "Samples whose label changes with the shift."),
        )
    ),
)


def show_profiles(database: Snapshot, scope: Scope, notes: dict[str, str], found: Profiles) -> None:
    """Show how the chance of a fix changes around its vanishing and its landing."""
    st.header("Does the chance change on the day the label does?", anchor=False)
    st.markdown(
        "Days from the event to a model's cutoff. A model's age moves with them, so any straight line fits "
        "as well as none: two steps before the event are set to 0 (hollow), and the others show departures "
        "from the trend through them. Contamination would show as a step at day 0, down where a fix vanishes "
        "and up where it lands; a slope that began before is something else."
    )
    vanished = f"{words.count(found.vanishing_samples, 'sample')} whose fix vanished for good"
    early = f"{words.count(found.landing_submissions, 'submission')} with a cutoff before a landing"
    with st.grid(2, min_column_width=320):
        with st.container():
            st.subheader("Since the fix vanished", anchor=False)
            _profile(database, scope, notes, found, found.vanishing, ("vanishing", "vanished", vanished))
        with st.container():
            st.subheader("Since the fix landed", anchor=False)
            _profile(database, scope, notes, found, found.landing, ("landing", "landed", early))


def _profile(
    database: Snapshot,
    scope: Scope,
    notes: dict[str, str],
    found: Profiles,
    study: EventStudy,
    event: tuple[str, str, str],
) -> None:
    key, verb, about = event
    if not any(part.effect is not None for part in study.bins):
        st.markdown(
            f"Nothing can be told here: there are {about}, and each step {effect_words.TOO_FEW}. The counts "
            "are in the download."
        )
        downloads.offer(f"profile-{key}-{notes['benchmark']}", lambda: profile_table(found, notes))
        return
    colours = theme.palette()
    frame.show(
        f"profile-{key}",
        _profile_chart(study, colours),
        told=f"Departure from the trend before, in logits, by days since the fix {verb}",
        caption=frame.caption(f"n = {about}", scope, database),
        table=lambda: profile_table(found, notes),
        entries=(
            legend.Entry("hollow", colours.before, "set to 0"),
            legend.Entry("filled", colours.contaminated, "departure, in its 95% interval"),
        ),
    )


def _profile_chart(study: EventStudy, colours: Palette) -> go.Figure:
    titles = [_span(part) for part in study.bins]
    references = [
        steps.Step(place, None, f"{titles[place]} days: reference, {part.cells:,} outcomes")
        for place, part in enumerate(study.bins)
        if part.reference
    ]
    departures = [
        steps.Step(place, part.effect, f"{titles[place]} days: {part.cells:,} outcomes")
        for place, part in enumerate(study.bins)
        if part.effect is not None
    ]
    return steps.steps(
        titles,
        "Days to the cutoff",
        (
            steps.Series(references, colours.before, filled=False),
            steps.Series(departures, colours.contaminated, filled=True),
        ),
        colours,
    )


def _span(part: Bin) -> str:
    low = None if part.low is None else f"{part.low:.0f}".replace("-", words.MINUS)
    high = None if part.high is None else f"{part.high:.0f}".replace("-", words.MINUS)
    if low is None:
        return f"< {high}"
    return f"≥ {low}" if high is None else f"{low} to {high}"


def show_placebos(
    database: Snapshot,
    scope: Scope,
    notes: dict[str, str],
    main: ContaminationEffect,
    found: Sequence[Placebo],
) -> None:
    """Show the effect of labels at cutoffs that are not the submissions' own."""
    st.header("Do wrong cutoffs give an effect too?", anchor=False)
    st.markdown(
        "Among samples that are all clean for a model (or all contaminated), the label at a cutoff months "
        "away is no property of that model, and should do nothing. Where it does, something other than "
        "contamination changes with it, and the estimate above may be that as well. " + _verdict(found)
    )
    if any(placebo.effect is not None for placebo in found):
        _placebo_chart(database, scope, notes, main, found)
    rows = [
        _row(shift, [placebo for placebo in found if placebo.shift == shift])
        for shift in dict.fromkeys(placebo.shift for placebo in found)
    ]
    evidence_table("placebos", "Effects at shifted cutoffs", _PLACEBO_COLUMNS, rows)
    downloads.offer(f"placebo-{notes['benchmark']}-{notes['detector']}", lambda: placebo_table(found, notes))


def _verdict(found: Sequence[Placebo]) -> str:
    told = [placebo.effect for placebo in found if placebo.effect is not None]
    if not told:
        return "**None can be told here**: hardly any label changes with the shift."
    loud = sum(effect.p_value < _LEVEL for effect in told)
    said = (
        f"**{loud} of {len(told)}** differ from no effect (p < {_LEVEL:g}); chance alone gives about "
        f"{_LEVEL * len(told):.1f}."
    )
    silent = len(found) - len(told)
    return f"{said} {silent} more cannot be told: hardly any label changes there." if silent else said


def _row(shift: int, found: Sequence[Placebo]) -> Row:
    content: dict[str, Cell | Dumbbell] = {"shift": Cell(_days(shift))}
    for placebo in found:
        content[placebo.among] = _effect_cell(placebo.effect)
        content[f"{placebo.among}-rests"] = Cell(
            words.count(placebo.varying, "sample"),
            detail=f"as good as {placebo.clusters:.1f} independent ones; {placebo.cells:,} outcomes",
        )
    return Row(str(shift), content)


def _effect_cell(effect: Effect | None) -> Cell:
    if effect is None:
        return Cell("cannot be told", tone="unknown")
    bounds = effect_words.signed_interval(effect.interval)
    return Cell(effect_words.signed(effect.estimate), detail=f"{bounds}, {words.p_value(effect.p_value)}")


def _days(shift: int) -> str:
    return f"{shift:+d} days".replace("-", words.MINUS)


def _placebo_chart(
    database: Snapshot,
    scope: Scope,
    notes: dict[str, str],
    main: ContaminationEffect,
    found: Sequence[Placebo],
) -> None:
    colours = theme.palette()
    tones = {"clean": colours.clean, "contaminated": colours.before}
    # The models' own cutoff stands among the wrong ones, so that sizes can be compared.
    places = sorted({placebo.shift for placebo in found} | {0})
    series = [
        steps.Series(
            [
                steps.Step(
                    places.index(placebo.shift),
                    placebo.effect,
                    f"{_days(placebo.shift)}, {title} at their own cutoff",
                )
                for placebo in found
                if placebo.among == among and placebo.effect is not None
            ],
            tones[among],
            filled=False,
            side=side,
        )
        for side, (among, title) in zip((-1, 1), _AMONG.items(), strict=True)
    ]
    if main.effect is not None:
        own = steps.Step(places.index(0), main.effect, "the models' own cutoffs")
        series.append(steps.Series([own], colours.contaminated, filled=True))
    titles = ["own" if shift == 0 else f"{shift:+d}".replace("-", words.MINUS) for shift in places]
    frame.show(
        "placebo",
        steps.steps(titles, "Cutoffs shifted by, days", series, colours),
        told="Effect in logits of the label at shifted cutoffs, beside that at the models' own",
        caption=frame.caption(f"n = {main.submissions} submissions", scope, database),
        table=lambda: placebo_table(found, notes),
        entries=(
            legend.Entry("filled", colours.contaminated, "the models' own cutoffs"),
            *(
                legend.Entry("hollow", tones[among], f"samples {title} at their own cutoff")
                for among, title in _AMONG.items()
            ),
        ),
    )
