"""Syntactic alignment of two pieces of code, in GumTree's manner (Section 4.2, patch localisation)."""

from engine.presence.alignment.matching import Alignment, align
from engine.presence.alignment.tree import SyntaxTree

__all__ = ["Alignment", "SyntaxTree", "align"]
