"""Contamination or difficulty as tables: estimates, what they rest on, profiles and placebos."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.export.table import Column, Table, from_records
from engine.leaderboard.contamination import Identification, Variant
from engine.leaderboard.contamination_checks import Match, Profiles
from engine.statistics.effects.contamination import Effect, Placebo

_ESTIMATES = (
    Column("estimate", title="Estimate"),
    Column("points", "real", "Contaminated minus clean"),
    Column("points_low", "real", "Low"),
    Column("points_high", "real", "High"),
    Column("logits", "real", "Logits"),
    Column("logits_low", "real", "Low"),
    Column("logits_high", "real", "High"),
    Column("p_value", "real", "p"),
    Column("clusters", "real", "Effective clusters", 1),
    Column("submissions", "integer", "Submissions"),
    Column("samples", "integer", "Samples"),
    Column("changing", "integer", "Changing samples"),
    Column("clean_matched", "real", "Clean matched"),
    Column("contaminated_matched", "real", "Contaminated matched"),
)
_PROFILES = (
    Column("event", title="Event"),
    Column("low", "integer", "From day"),
    Column("high", "integer", "To before day"),
    Column("cells", "integer", "Outcomes"),
    Column("reference", "boolean", "Reference"),
    Column("clusters", "real", "Effective clusters", 1),
    Column("logits", "real", "Logits"),
    Column("logits_low", "real", "Low"),
    Column("logits_high", "real", "High"),
)
_PLACEBOS = (
    Column("shift", "integer", "Shift in days"),
    Column("among", title="Among"),
    Column("cells", "integer", "Outcomes"),
    Column("changing", "integer", "Changing samples"),
    Column("clusters", "real", "Effective clusters", 1),
    Column("logits", "real", "Logits"),
    Column("logits_low", "real", "Low"),
    Column("logits_high", "real", "High"),
    Column("p_value", "real", "p"),
)
_IDENTIFICATION = (Column("quantity", title="Quantity"), Column("number", "integer", "Number"))


def estimate_table(variants: Sequence[Variant], matches: Sequence[Match], notes: Mapping[str, str]) -> Table:
    """Return matched and within-sample estimates; points are fractions, intervals 95%.

    All are contaminated minus clean: above 0, contaminated samples are resolved more often.
    """
    records = [_matched(match) for match in matches] + [_within(variant) for variant in variants]
    return from_records(_ESTIMATES, records, tuple(notes.items()))


def identification_table(counts: Identification, notes: Mapping[str, str]) -> Table:
    """Return what a within-sample comparison can rest on."""
    rows = tuple(
        (name.replace("_", " "), int(getattr(counts, name))) for name in Identification.__dataclass_fields__
    )
    return Table(_IDENTIFICATION, rows, tuple(notes.items()))


def profile_table(found: Profiles, notes: Mapping[str, str]) -> Table:
    """Return profiles over days since an event; effects are departures in logits from the trend before."""
    records = [
        {
            "event": event,
            "low": None if part.low is None else int(part.low),
            "high": None if part.high is None else int(part.high),
            "cells": part.cells,
            "reference": part.reference,
            "clusters": part.clusters,
            **_logits(part.effect),
        }
        for event, study in (("vanishing", found.vanishing), ("landing", found.landing))
        for part in study.bins
    ]
    return from_records(_PROFILES, records, tuple(notes.items()))


def placebo_table(found: Sequence[Placebo], notes: Mapping[str, str]) -> Table:
    """Return placebos: effects in logits of labels at shifted cutoffs."""
    records = [
        {
            "shift": placebo.shift,
            "among": placebo.among,
            "cells": placebo.cells,
            "changing": placebo.varying,
            "clusters": placebo.clusters,
            "p_value": None if placebo.effect is None else placebo.effect.p_value,
            **_logits(placebo.effect),
        }
        for placebo in found
    ]
    return from_records(_PLACEBOS, records, tuple(notes.items()))


def _matched(match: Match) -> dict[str, object]:
    found, missing = match.found, dict.fromkeys(column.name for column in _ESTIMATES)
    points = found.points
    return missing | {
        "estimate": match.title,
        "points": points and points.estimate,
        "points_low": points and points.interval.low,
        "points_high": points and points.interval.high,
        "submissions": found.submissions,
        "clean_matched": found.clean_matched,
        "contaminated_matched": found.contaminated_matched,
    }


def _within(variant: Variant) -> dict[str, object]:
    found, missing = variant.effect, dict.fromkeys(column.name for column in _ESTIMATES)
    points = found.points
    return missing | {
        "estimate": variant.title,
        "points": None if points is None else points.estimate,
        "points_low": None if points is None else points.interval.low,
        "points_high": None if points is None else points.interval.high,
        "p_value": None if found.effect is None else found.effect.p_value,
        "clusters": found.clusters,
        "submissions": found.submissions,
        "samples": found.samples,
        "changing": found.varying,
        **_logits(found.effect),
    }


def _logits(effect: Effect | None) -> dict[str, float | None]:
    return {
        "logits": None if effect is None else effect.estimate,
        "logits_low": None if effect is None else effect.interval.low,
        "logits_high": None if effect is None else effect.interval.high,
    }
