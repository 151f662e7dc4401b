"""The two-condition test as a verdict with reasons.

Llama 2's contamination appendix asks two things: do the clean samples score below the whole, and the
contaminated ones above it? When every sample is one or the other, both say no more than "clean is below
contaminated", which half of all submissions without any contamination would show. So the order alone decides
nothing here.

`holds`: contaminated is above clean, and this stays so with every treatment of the unknown samples (left out,
all clean, all contaminated), by the exact test and within levels of difficulty, both after false-discovery
control over the submissions judged together, and by the interval clustered by repository where there is one.
The p-value of the conjunction is the largest of its parts (intersection-union test).

`does not hold`: under every treatment of the unknown samples, the intervals rule out that contaminated is
above clean by the margin or more, though the overall rate would allow it.

`insufficient evidence`: everything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntFlag, StrEnum

import numpy as np
from numpy.typing import NDArray

from engine.statistics.arrays import Bools, Bounds, Counts, Floats, Ints, number, ratio
from engine.statistics.exact import benjamini_hochberg
from engine.statistics.proportions import CONFIDENCE


class Verdict(StrEnum):
    """What the two-condition test says about one submission."""

    HOLDS = "holds"
    DOES_NOT_HOLD = "does not hold"
    INSUFFICIENT = "insufficient evidence"


class Reason(IntFlag):
    """Why a verdict was given; `REASON_TEXT` has the words."""

    CLEAN_EMPTY = 1
    CONTAMINATED_EMPTY = 2
    CLEAN_NOT_BELOW = 4
    CONTAMINATED_NOT_ABOVE = 8
    NOT_SIGNIFICANT = 16
    NOT_AFTER_ADJUSTMENT = 32
    NOT_WITHIN_DIFFICULTY = 64
    NOT_ACROSS_REPOSITORIES = 128
    UNKNOWN_DECIDES = 256
    UNKNOWN_SPLIT = 512
    MARGIN_RULED_OUT = 1024
    MARGIN_POSSIBLE = 2048
    SUPPORTED = 4096
    OUT_OF_REACH = 8192


REASON_TEXT: dict[Reason, str] = {
    Reason.CLEAN_EMPTY: "no sample is known to be clean",
    Reason.CONTAMINATED_EMPTY: "no sample is known to be contaminated",
    Reason.CLEAN_NOT_BELOW: "the clean rate is not below the overall rate",
    Reason.CONTAMINATED_NOT_ABOVE: "the contaminated rate is not above the overall rate",
    Reason.NOT_SIGNIFICANT: "the difference is within chance (exact test)",
    Reason.NOT_AFTER_ADJUSTMENT: "the difference is within chance once all submissions shown are allowed for",
    Reason.NOT_WITHIN_DIFFICULTY: "within levels of difficulty the difference is within chance or reversed",
    Reason.NOT_ACROSS_REPOSITORIES: "the interval clustered by repository includes no difference",
    Reason.UNKNOWN_DECIDES: "the answer depends on whether the unknown samples are clean or contaminated",
    Reason.UNKNOWN_SPLIT: "an unfavourable split of the unknown samples could reverse the difference",
    Reason.MARGIN_RULED_OUT: "the intervals rule out a contaminated rate higher by the margin or more",
    Reason.MARGIN_POSSIBLE: "a contaminated rate higher by the margin or more is still possible",
    Reason.OUT_OF_REACH: "so few or so many are resolved that the rates could not differ by the margin",
    Reason.SUPPORTED: "contaminated is above clean by every test and with every treatment of unknown samples",
}


@dataclass(frozen=True, slots=True)
class Criteria:
    """What the verdict asks for.

    Attributes:
        confidence: Coverage of intervals; 1 minus it is the level of the tests.
        margin: Smallest excess of the contaminated over the clean rate worth the name, as a fraction.
    """

    confidence: float = CONFIDENCE
    margin: float = 0.05

    def __post_init__(self) -> None:
        if not 0 < self.confidence < 1 or not 0 < self.margin < 1:
            raise ValueError("confidence and margin must lie between 0 and 1")

    @property
    def level(self) -> float:
        """Significance level."""
        return 1 - self.confidence


@dataclass(frozen=True, slots=True)
class Evidence:
    """Clean against contaminated under one treatment of the unknown samples, one element per submission.

    Attributes:
        clean: Counts of the clean group.
        contaminated: Counts of the contaminated group.
        bounds: Interval of clean minus contaminated (Newcombe).
        clustered: The same clustered by repository; NaN where there is none.
        p_value: Fisher's exact test, two-sided.
        stratified: Risk difference within difficulty; NaN where there are no strata.
        stratified_p_value: Its test; NaN where there are no strata.
    """

    clean: Counts
    contaminated: Counts
    bounds: Bounds
    clustered: Bounds
    p_value: Floats
    stratified: Floats
    stratified_p_value: Floats

    @property
    def difference(self) -> Floats:
        """Clean minus contaminated rate."""
        return self.clean.rate - self.contaminated.rate

    def within_difficulty(self, level: float) -> Bools:
        """Whether strata, where there are any, confirm that contaminated is above clean."""
        no_strata = np.isnan(self.stratified_p_value)
        return no_strata | ((self.stratified < 0) & (self.stratified_p_value <= level))

    def across_repositories(self) -> Bools:
        """Whether the clustered interval, where there is one, lies below no difference."""
        return np.isnan(self.clustered.high) | (self.clustered.high < 0)

    def conjunction_p_value(self) -> Floats:
        """Largest p-value of the exact and the stratified test; 1 when either points the other way."""
        agree = (self.difference < 0) & ~(self.stratified >= 0)
        return np.where(agree, np.fmax(self.p_value, self.stratified_p_value), 1.0)

    def margin_ruled_out(self, margin: float) -> Bools:
        """Whether both intervals exclude an excess of `margin` of contaminated over clean."""
        return (self.bounds.low > -margin) & ~(self.clustered.low <= -margin)


@dataclass(frozen=True, slots=True)
class VerdictColumns:
    """Verdicts, one element per submission.

    Attributes:
        verdict: Values of `Verdict`.
        reasons: `Reason` flags as integers.
        q_value: p-value of the conjunction that `holds` needs, adjusted over the submissions.
    """

    verdict: NDArray[np.str_]
    reasons: Ints
    q_value: Floats

    def at(self, index: int) -> Judgement:
        """Return one element."""
        verdict, reasons = Verdict(str(self.verdict[index])), Reason(int(self.reasons[index]))
        return Judgement(verdict, tuple(reasons), number(self.q_value[index]))


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on one submission.

    Attributes:
        verdict: What the test says.
        reasons: Why.
        q_value: Adjusted p-value of the conjunction; None when a group is empty.
    """

    verdict: Verdict
    reasons: tuple[Reason, ...]
    q_value: float | None

    @property
    def sentences(self) -> tuple[str, ...]:
        """The reasons in words."""
        return tuple(REASON_TEXT[reason] for reason in self.reasons)


def judge(treatments: Sequence[Evidence], unknown: Counts, criteria: Criteria) -> VerdictColumns:
    """Judge submissions together.

    Args:
        treatments: Evidence with the unknown samples left out, first; then with other treatments of them.
        unknown: Counts of the unknown samples.
        criteria: Levels and margin.
    """
    level, base = criteria.level, treatments[0]
    empty = (base.clean.n == 0) | (base.contaminated.n == 0)
    overall = (base.clean + base.contaminated + unknown).rate
    below, above = base.clean.rate < overall, base.contaminated.rate > overall
    p_value = np.max([evidence.conjunction_p_value() for evidence in treatments], axis=0)
    q_value = benjamini_hochberg(np.where(empty, np.nan, p_value))
    across = np.all([evidence.across_repositories() for evidence in treatments], axis=0)
    holds = ~empty & below & above & across & (q_value <= level)
    ruled_out = np.array([evidence.margin_ruled_out(criteria.margin) for evidence in treatments])
    out_of_reach = _out_of_reach(base, overall, criteria.margin)
    absent = ~empty & ruled_out.all(axis=0) & ~holds & ~out_of_reach

    without_unknown = (base.conjunction_p_value() <= level) & base.across_repositories()
    depends = (without_unknown & ~((p_value <= level) & across)) | (ruled_out[0] & ~ruled_out.all(axis=0))
    found: dict[Reason, Bools] = {
        Reason.CLEAN_EMPTY: base.clean.n == 0,
        Reason.CONTAMINATED_EMPTY: base.contaminated.n == 0,
        Reason.CLEAN_NOT_BELOW: ~empty & ~below,
        Reason.CONTAMINATED_NOT_ABOVE: ~empty & ~above,
        Reason.NOT_SIGNIFICANT: ~empty & (base.p_value > level),
        Reason.NOT_AFTER_ADJUSTMENT: ~empty & (p_value <= level) & (q_value > level),
        Reason.NOT_WITHIN_DIFFICULTY: ~empty & ~base.within_difficulty(level),
        Reason.NOT_ACROSS_REPOSITORIES: ~empty & ~base.across_repositories(),
        Reason.UNKNOWN_DECIDES: ~empty & depends,
        Reason.UNKNOWN_SPLIT: ~empty & (base.difference < 0) & (_least_favourable(base, unknown) >= 0),
        Reason.MARGIN_RULED_OUT: ~empty & ruled_out.all(axis=0),
        Reason.MARGIN_POSSIBLE: ~empty & ~holds & ~ruled_out.all(axis=0),
        Reason.OUT_OF_REACH: ~empty & out_of_reach,
        Reason.SUPPORTED: holds,
    }
    reasons = np.zeros(holds.shape, dtype=np.int64)
    for reason, applies in found.items():
        reasons |= np.where(applies, int(reason), 0)
    verdict = np.select(
        [holds, absent], [Verdict.HOLDS.value, Verdict.DOES_NOT_HOLD.value], Verdict.INSUFFICIENT.value
    )
    return VerdictColumns(verdict, reasons, q_value)


def _out_of_reach(base: Evidence, overall: Floats, margin: float) -> Bools:
    """Whether the overall rate alone keeps contaminated from lying above clean by the margin.

    Contaminated at the margin and clean at 0 is the least that would do, or contaminated at 1 and clean at 1
    less the margin the most: beyond both, what is ruled out was never possible, memory or not.
    """
    share = ratio(base.contaminated.n, base.clean.n + base.contaminated.n)
    return (overall < margin * share) | (overall > 1 - margin * (1 - share))


def _least_favourable(base: Evidence, unknown: Counts) -> Floats:
    """Clean minus contaminated if every unknown sample that was resolved were clean, the others not.

    The sharp upper bound of the difference over all ways to split the unknown samples.
    """
    clean = ratio(base.clean.k + unknown.k, base.clean.n + unknown.k)
    return clean - ratio(base.contaminated.k, base.contaminated.n + unknown.n - unknown.k)
