"""The effect of contamination within samples and within submissions, and its placebo.

The comparison of clean with contaminated rates mixes contamination with difficulty: samples that a detector
calls clean are those whose code was rewritten since, and these are larger. Here each sample is compared with
itself, contaminated at one submission's cutoff and clean at another's, net of what other samples did over the
same submissions.

What the estimate cannot show: an effect on samples whose label never changes, and an effect that grows with
time exactly as submissions improve on those samples for another reason. The placebo looks for the latter, and
controls (such as size times cutoff) take out the reasons one can name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit
from scipy.stats import t as student

from engine.statistics.arrays import Bools, Floats
from engine.statistics.effects.panel import Panel
from engine.statistics.effects.two_way import TwoWayFit, fit_two_way
from engine.statistics.proportions import CONFIDENCE, Interval

FEWEST_CLUSTERS = 3.0
"""An estimate that rests on fewer effective clusters is one sample's or one cutoff's: no interval helps."""


@dataclass(frozen=True, slots=True)
class Effect:
    """An effect on the logit scale: positive when contaminated samples are resolved more often.

    Attributes:
        estimate: Logits.
        interval: Clustered confidence interval, in logits.
        p_value: Two-sided, Student's t with one degree of freedom less than there are effective clusters.
        clusters: Effective clusters that it rests on, of samples or of submissions, whichever are fewer.
    """

    estimate: float
    interval: Interval
    p_value: float
    clusters: float

    @property
    def odds_ratio(self) -> float:
        """Odds of resolving a contaminated sample over those of the same sample clean."""
        return exp(self.estimate)

    @property
    def odds_ratio_interval(self) -> Interval:
        """The interval as odds ratios."""
        return Interval(exp(self.interval.low), exp(self.interval.high))


@dataclass(frozen=True, slots=True)
class Points:
    """What an effect amounts to, as a difference of rates: contaminated minus clean.

    Attributes:
        estimate: Of a fit, the mean rate of the contaminated cells minus their mean rate were they clean.
        interval: The same at the ends of the effect's interval, the fitted rates held fixed.
    """

    estimate: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class ContaminationEffect:
    """The effect of contamination and what it rests on.

    Attributes:
        effect: None when no sample changes its label, the change rests on fewer than `FEWEST_CLUSTERS`
            effective clusters, nothing is left to compare or the fit did not converge.
        points: The effect in rates; None likewise.
        submissions: Submissions in the fit.
        samples: Samples in the fit: those that some submission resolved and another did not.
        varying: Samples in the fit that are clean for one submission and contaminated for another.
        clusters: Effective clusters that the estimate rests on, of samples or of submissions.
        cells: Outcomes in the fit.
        always: Samples left out because every submission resolved them.
        never: Samples left out because none did.
        converged: Whether the fit came to rest; if not there is no effect.
    """

    effect: Effect | None
    points: Points | None
    submissions: int
    samples: int
    varying: int
    clusters: float
    cells: int
    always: int
    never: int
    converged: bool


def contamination_effect(
    panel: Panel,
    *,
    controls: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    submission_clusters: ArrayLike | None = None,
    confidence: float = CONFIDENCE,
) -> ContaminationEffect:
    """Estimate the effect of contamination with an effect for each submission and each sample.

    Args:
        panel: Outcomes and labels. Leave out submissions without a cutoff.
        controls: Further terms that vary within samples and within submissions, shape (submissions, samples,
            controls); those that do not are of no use and do no harm.
        clusters: Cluster of each sample for the interval; by default each sample is its own. Repositories
            give the more cautious interval.
        submission_clusters: Cluster of each submission, likewise; its cutoff decides its labels.
        confidence: Coverage.

    Raises:
        ValueError: If shapes do not fit.
    """
    label = panel.contaminated[..., None].astype(np.float64)
    terms = label if controls is None else np.concatenate([label, np.asarray(controls, np.float64)], axis=2)
    fit = fit_two_way(panel.resolved, terms, panel.known, clusters, submission_clusters)
    observed = panel.known.any(axis=0)
    effect = term_effect(fit, 0, confidence)
    return ContaminationEffect(
        effect=effect,
        points=_points(panel, fit, effect) if effect else None,
        submissions=int(fit.used.any(axis=1).sum()),
        samples=int(fit.used.any(axis=0).sum()),
        varying=panel.only(fit.used).varying,
        clusters=effective_clusters(fit, 0),
        cells=int(fit.used.sum()),
        always=int(np.sum(observed & ~(panel.known & ~panel.resolved).any(axis=0))),
        never=int(np.sum(observed & ~(panel.known & panel.resolved).any(axis=0))),
        converged=fit.converged,
    )


def term_effect(fit: TwoWayFit, term: int, confidence: float) -> Effect | None:
    """Return the effect of one term; None unless it is identified, rests on enough clusters and converged."""
    estimate, error = float(fit.coefficients[term]), float(fit.uncertainty.error[term])
    clusters = effective_clusters(fit, term)
    if not fit.converged or np.isnan(estimate) or not 0 < error < np.inf or clusters < FEWEST_CLUSTERS:
        return None
    half = float(student.ppf((1 + confidence) / 2, clusters - 1)) * error
    p_value = float(2 * student.sf(abs(estimate) / error, clusters - 1))
    return Effect(estimate, Interval(estimate - half, estimate + half), p_value, clusters)


def effective_clusters(fit: TwoWayFit, term: int) -> float:
    """Return how many clusters a term rests on, of samples or of submissions, whichever are fewer."""
    return float(min(fit.uncertainty.samples[term], fit.uncertainty.submissions[term]))


def _points(panel: Panel, fit: TwoWayFit, effect: Effect) -> Points | None:
    seen = panel.known & panel.contaminated
    if not seen.any():
        return None
    # Cells left out of the fit belong to samples that everybody or nobody resolves: no change there.
    logits = fit.linear[fit.used & seen]

    def gain(size: float) -> float:
        return float((expit(logits) - expit(logits - size)).sum() / seen.sum())

    return Points(gain(effect.estimate), Interval(gain(effect.interval.low), gain(effect.interval.high)))


@dataclass(frozen=True, slots=True)
class Placebo:
    """The effect of a label that is not the submission's own, where there should be none.

    Attributes:
        shift: Days by which the cutoffs were shifted, negative for earlier ones.
        among: Cells looked at, by their true label: `clean` or `contaminated`.
        cells: Outcomes in the fit.
        varying: Samples in the fit whose shifted label changes between submissions.
        clusters: Effective clusters that the estimate rests on.
        effect: None when these are fewer than `FEWEST_CLUSTERS`, or the fit did not converge.
    """

    shift: int
    among: str
    cells: int
    varying: int
    clusters: float
    effect: Effect | None


def placebo_effects(
    panel: Panel,
    shifted: Mapping[int, tuple[ArrayLike, ArrayLike]],
    *,
    clusters: ArrayLike | None = None,
    submission_clusters: ArrayLike | None = None,
    confidence: float = CONFIDENCE,
) -> tuple[Placebo, ...]:
    """Estimate the effect of the label at shifted cutoffs among cells whose true label is the same.

    Within cells that are truly clean (or truly contaminated), the label at a cutoff months away is no
    property of the model. An effect there means that samples which are about to change, or have just changed,
    are solved more or less often for another reason, and that the true effect may be due to it as well.

    Args:
        panel: Outcomes and labels at the true cutoffs.
        shifted: By days of shift: whether each cell is contaminated at the shifted cutoff, and whether that
            is known, both of shape (submissions, samples).
        clusters: Cluster of each sample.
        submission_clusters: Cluster of each submission.
        confidence: Coverage.
    """
    found = []
    for shift, (contaminated, known) in sorted(shifted.items()):
        label = np.asarray(contaminated, dtype=np.bool_)
        for among, cells in (("clean", ~panel.contaminated), ("contaminated", panel.contaminated)):
            observed: Bools = panel.known & cells & np.asarray(known, dtype=np.bool_)
            terms: Floats = label[..., None].astype(np.float64)
            fit = fit_two_way(panel.resolved, terms, observed, clusters, submission_clusters)
            found.append(
                Placebo(
                    shift=shift,
                    among=among,
                    cells=int(fit.used.sum()),
                    varying=Panel(panel.resolved, label, fit.used).varying,
                    clusters=effective_clusters(fit, 0),
                    effect=term_effect(fit, 0, confidence),
                )
            )
    return tuple(found)
