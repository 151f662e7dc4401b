"""Everything a leaderboard row needs, from outcomes and labels.

`summarise_many` computes the submissions of a view together, column by column; `summarise` does one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from engine.statistics.arrays import Bounds, Counts, Floats, number, ratio
from engine.statistics.cells import CLEAN, CONTAMINATED, UNKNOWN, count_cells
from engine.statistics.clustered import clustered_differences, clustered_rates
from engine.statistics.exact import benjamini_hochberg, fisher_p_values
from engine.statistics.intervals import newcombe_bounds, wilson_bounds
from engine.statistics.proportions import FEWEST_SAMPLES, Interval, Proportion
from engine.statistics.stratified import Stratified, StratifiedColumns, mantel_haenszel_columns
from engine.statistics.verdict import Criteria, Evidence, Judgement, VerdictColumns, judge


@dataclass(frozen=True, slots=True)
class Comparison:
    """One submission, overall or at one level of difficulty. None where something is undefined.

    Attributes:
        before: Resolved of all samples, as reported.
        clean: Resolved of the clean samples: the rate after.
        contaminated: Resolved of the contaminated samples.
        unknown: Resolved of the samples that are neither.
        before_interval: Wilson.
        clean_interval: Wilson.
        contaminated_interval: Wilson.
        before_clustered: Interval of the rate before, clustered by repository.
        clean_clustered: Interval of the clean rate, clustered by repository.
        relative_change: Clean rate / rate before - 1.
        difference: Clean minus contaminated rate.
        difference_interval: Newcombe.
        difference_clustered: The same, clustered by repository.
        p_value: Fisher's exact test of clean against contaminated, two-sided.
        q_value: The same after Benjamini-Hochberg over the submissions summarised together.
        stratified: Mantel-Haenszel over difficulty; None at one level.
        judgement: The two-condition test.
    """

    before: Proportion
    clean: Proportion
    contaminated: Proportion
    unknown: Proportion
    before_interval: Interval | None
    clean_interval: Interval | None
    contaminated_interval: Interval | None
    before_clustered: Interval | None
    clean_clustered: Interval | None
    relative_change: float | None
    difference: float | None
    difference_interval: Interval | None
    difference_clustered: Interval | None
    p_value: float | None
    q_value: float | None
    stratified: Stratified | None
    judgement: Judgement

    @property
    def too_small(self) -> bool:
        """Whether a side has too few samples to say anything."""
        return min(self.clean.n, self.contaminated.n) < FEWEST_SAMPLES


@dataclass(frozen=True, slots=True)
class ComparisonColumns:
    """`Comparison` for many submissions, a column each of shape (submissions,); NaN for None."""

    before: Counts
    clean: Counts
    contaminated: Counts
    unknown: Counts
    before_bounds: Bounds
    clean_bounds: Bounds
    contaminated_bounds: Bounds
    before_clustered: Bounds
    clean_clustered: Bounds
    relative_change: Floats
    difference: Floats
    difference_bounds: Bounds
    difference_clustered: Bounds
    p_value: Floats
    q_value: Floats
    stratified: StratifiedColumns | None
    judgement: VerdictColumns

    def at(self, index: int) -> Comparison:
        """Return one submission."""
        return Comparison(
            before=self.before.at(index),
            clean=self.clean.at(index),
            contaminated=self.contaminated.at(index),
            unknown=self.unknown.at(index),
            before_interval=self.before_bounds.at(index),
            clean_interval=self.clean_bounds.at(index),
            contaminated_interval=self.contaminated_bounds.at(index),
            before_clustered=self.before_clustered.at(index),
            clean_clustered=self.clean_clustered.at(index),
            relative_change=number(self.relative_change[index]),
            difference=number(self.difference[index]),
            difference_interval=self.difference_bounds.at(index),
            difference_clustered=self.difference_clustered.at(index),
            p_value=number(self.p_value[index]),
            q_value=number(self.q_value[index]),
            stratified=self.stratified.at(index) if self.stratified else None,
            judgement=self.judgement.at(index),
        )


@dataclass(frozen=True, slots=True)
class Summary:
    """One submission, overall and per level of difficulty."""

    overall: Comparison
    levels: Mapping[str, Comparison]


@dataclass(frozen=True, slots=True)
class SummaryColumns:
    """Many submissions, overall and per level of difficulty, in the order they were given."""

    overall: ComparisonColumns
    levels: Mapping[str, ComparisonColumns]

    def at(self, index: int) -> Summary:
        """Return one submission."""
        return Summary(self.overall.at(index), {name: level.at(index) for name, level in self.levels.items()})


def summarise(
    resolved: ArrayLike,
    labels: ArrayLike,
    *,
    difficulty: Sequence[str | None] | None = None,
    levels: Sequence[str] | None = None,
    repository: Sequence[str] | None = None,
    criteria: Criteria | None = None,
) -> Summary:
    """Summarise one submission; the arguments are those of `summarise_many`, of shape (samples,)."""
    flags, codes = np.asarray(resolved, dtype=np.bool_)[None], np.asarray(labels)[None]
    return summarise_many(
        flags, codes, difficulty=difficulty, levels=levels, repository=repository, criteria=criteria
    ).at(0)


def summarise_many(
    resolved: ArrayLike,
    labels: ArrayLike,
    *,
    difficulty: Sequence[str | None] | None = None,
    levels: Sequence[str] | None = None,
    repository: Sequence[str] | None = None,
    criteria: Criteria | None = None,
) -> SummaryColumns:
    """Summarise submissions that share a benchmark's samples.

    The submissions given together are one family for false-discovery control: a filter that leaves fewer of
    them can change an adjusted value and the verdict that rests on it.

    Args:
        resolved: Booleans of shape (submissions, samples); everything but resolved is False.
        labels: Codes from `cells.label_codes`, shape (submissions, samples) or (samples,).
        difficulty: Level of each sample, None where it has none (such samples count overall and form a
            stratum of their own).
        levels: Levels in the order wanted, also those without samples; by default as they occur.
        repository: Repository of each sample; without it there are no clustered intervals.
        criteria: Confidence and margin.

    Raises:
        ValueError: If shapes do not fit, or a level or label is not known.
    """
    asked = criteria or Criteria()
    cells = count_cells(resolved, labels, difficulty, levels, repository)
    groups = {code: cells.label(code) for code in (CLEAN, CONTAMINATED, UNKNOWN)}
    per_level = {
        name: _compare({code: _take(counts, level) for code, counts in groups.items()}, asked)
        for level, name in enumerate(cells.levels)
        if name is not None
    }
    return SummaryColumns(_compare(groups, asked), per_level)


def _take(counts: Counts, level: int) -> Counts:
    return Counts(counts.k[:, level : level + 1], counts.n[:, level : level + 1])


def _over(counts: Counts, *axes: int) -> Counts:
    return Counts(counts.k.sum(axis=axes), counts.n.sum(axis=axes))


def _compare(groups: Mapping[int, Counts], criteria: Criteria) -> ComparisonColumns:
    """Compare counts of shape (submissions, levels, repositories) by label."""
    clean, contaminated, unknown = groups[CLEAN], groups[CONTAMINATED], groups[UNKNOWN]
    everything = clean + contaminated + unknown
    confidence = criteria.confidence
    stratified = (
        mantel_haenszel_columns(_over(clean, 2), _over(contaminated, 2), confidence)
        if clean.k.shape[1] > 1
        else None
    )
    left_out = _evidence(clean, contaminated, stratified, confidence)
    treatments = [left_out]
    # Without unknown samples the other treatments are the same one again.
    if np.any(unknown.n):
        for first, second in ((clean + unknown, contaminated), (clean, contaminated + unknown)):
            strata = (
                mantel_haenszel_columns(_over(first, 2), _over(second, 2), confidence) if stratified else None
            )
            treatments.append(_evidence(first, second, strata, confidence))
    before = _over(everything, 1, 2)

    def wilson(counts: Counts) -> Bounds:
        return Bounds(*wilson_bounds(counts.k, counts.n, confidence))

    return ComparisonColumns(
        before=before,
        clean=left_out.clean,
        contaminated=left_out.contaminated,
        unknown=_over(unknown, 1, 2),
        before_bounds=wilson(before),
        clean_bounds=wilson(left_out.clean),
        contaminated_bounds=wilson(left_out.contaminated),
        before_clustered=clustered_rates(_over(everything, 1), confidence),
        clean_clustered=clustered_rates(_over(clean, 1), confidence),
        relative_change=ratio(left_out.clean.rate, before.rate) - 1,
        difference=left_out.difference,
        difference_bounds=left_out.bounds,
        difference_clustered=left_out.clustered,
        p_value=left_out.p_value,
        q_value=benjamini_hochberg(left_out.p_value),
        stratified=stratified,
        judgement=judge(treatments, _over(unknown, 1, 2), criteria),
    )


def _evidence(
    clean: Counts, contaminated: Counts, stratified: StratifiedColumns | None, confidence: float
) -> Evidence:
    first, second = _over(clean, 1, 2), _over(contaminated, 1, 2)
    no_strata = np.full(first.k.shape, np.nan)
    return Evidence(
        clean=first,
        contaminated=second,
        bounds=Bounds(*newcombe_bounds(first.k, first.n, second.k, second.n, confidence)),
        clustered=clustered_differences(_over(clean, 1), _over(contaminated, 1), confidence),
        p_value=fisher_p_values(first.k, first.n, second.k, second.n),
        stratified=stratified.risk_difference if stratified else no_strata,
        stratified_p_value=stratified.p_value if stratified else no_strata,
    )
