"""A sample as the evaluation handles it: its blocks, its landing, and a detector to be tried on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from engine.benchmarks.sample import Sample
from engine.evaluation.judgement import Case
from engine.history.errors import HistoryError
from engine.patches.blocks import Block
from engine.presence.detector import Detector
from engine.presence.landing import Landing, LandingUnknown, find_landing
from engine.presence.snapshot import SourceCache
from engine.presence.workers import sample_blocks


@dataclass(frozen=True)
class Subject:
    """A sample with the detector under evaluation.

    Attributes:
        benchmark: Key of the sample's benchmark.
        sample: The sample.
        cache: Parsed files of its repository.
        detector_key: Name of the detector.
        new_detector: Makes a detector; a fresh one serves each sequence of trees.
    """

    benchmark: str
    sample: Sample
    cache: SourceCache
    detector_key: str
    new_detector: Callable[[], Detector]

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks of the gold patch.

        Raises:
            PatchError, HistoryError: As `sample_blocks`.
        """
        return sample_blocks(self.sample, self.cache.history)

    @cached_property
    def landing(self) -> Landing | str:
        """Where the fix landed, or why that is not known."""
        sample = self.sample
        assert sample.base_commit is not None
        try:
            return find_landing(
                self.blocks, sample.base_commit, sample.created_at, sample.landed_commit, self.cache
            )
        except (LandingUnknown, HistoryError) as error:
            return str(error)

    def case(self, part: str, name: str, present: bool, why: str, *, counted: bool = True) -> Case:
        """Return a case of this sample."""
        return Case(part, self.benchmark, self.sample.sample, name, present, why, counted)
