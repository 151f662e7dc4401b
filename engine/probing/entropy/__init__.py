"""Context independence: how much of a target its prefix does not give away (paper, Algorithm 3)."""

from engine.probing.entropy.scoring import EntropyScorer, with_entropy

__all__ = ["EntropyScorer", "with_entropy"]
