"""Does the effect of contamination within samples change with something about the submission?"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from engine.statistics.effects.contamination import Effect, term_effect
from engine.statistics.effects.panel import Panel
from engine.statistics.effects.two_way import fit_two_way
from engine.statistics.proportions import CONFIDENCE


def effect_modifier(
    panel: Panel,
    modifier: ArrayLike,
    *,
    submission_clusters: ArrayLike | None = None,
    confidence: float = CONFIDENCE,
) -> Effect | None:
    """Return by how many logits the effect of contamination grows with one unit of `modifier`.

    Every sample and every submission has an effect of its own, so that neither difficulty nor strength alone
    can make the interaction.

    Args:
        panel: Outcomes and labels.
        modifier: Such as the year of release, shape (submissions,).
        submission_clusters: Cluster of each submission.
        confidence: Coverage.

    Returns:
        None where the interaction cannot be told from the effects or rests on too little.

    Raises:
        ValueError: If shapes do not fit.
    """
    values = np.asarray(modifier, dtype=np.float64)
    if values.shape != panel.resolved.shape[:1]:
        raise ValueError(f"a modifier for each of {len(panel.resolved)} submissions, got {values.shape}")
    label = panel.contaminated.astype(np.float64)
    # Centred, so that the effect itself and its change can be told apart well.
    terms = np.stack([label, label * (values - values.mean())[:, None]], axis=2)
    fit = fit_two_way(panel.resolved, terms, panel.known, None, submission_clusters)
    return term_effect(fit, 1, confidence)
