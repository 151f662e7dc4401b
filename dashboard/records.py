"""What the queries return: immutable, so that sessions can share it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime


@dataclass(frozen=True, slots=True)
class Level:
    """A level of difficulty."""

    difficulty: str
    title: str


@dataclass(frozen=True, slots=True)
class BenchmarkChoice:
    """A benchmark and what its submissions can be filtered by; models as pairs of key and title."""

    benchmark: str
    title: str
    size: int
    levels: tuple[Level, ...]
    frameworks: tuple[str, ...]
    models: tuple[tuple[str, str], ...]
    first_submitted: date | None
    last_submitted: date | None


@dataclass(frozen=True, slots=True)
class DetectorChoice:
    """A detector, its threshold being the default of the filter."""

    detector: str
    title: str
    description: str
    embedder: str
    version: int
    threshold: float
    is_default: bool
    judged_samples: int


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What can be chosen."""

    benchmarks: tuple[BenchmarkChoice, ...]
    detectors: tuple[DetectorChoice, ...]

    def benchmark(self, key: str) -> BenchmarkChoice:
        """Return the benchmark with this key."""
        return next(choice for choice in self.benchmarks if choice.benchmark == key)

    def detector(self, key: str) -> DetectorChoice:
        """Return the detector with this key."""
        return next(choice for choice in self.detectors if choice.detector == key)


@dataclass(frozen=True, slots=True)
class ModelUse:
    """A model as a submission names it; all but `tag` and `evidence` None where it is not in the registry."""

    tag: str
    evidence: str
    role: str | None
    model: str | None
    title: str | None
    vendor: str | None
    released: date | None
    cutoff: date | None
    basis: str | None
    source: str | None


@dataclass(frozen=True, slots=True)
class SubmissionRecord:
    """A submission as it was reported."""

    benchmark: str
    submission: str
    title: str
    framework: str | None
    submitted_on: date | None
    open_weights: bool | None
    checked: bool | None
    reported_rate: float | None
    reported_total: int | None
    source: str
    quality: str | None
    use_results: bool
    models: tuple[ModelUse, ...]
    outside: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SampleResult:
    """One sample of a submission: what was reported, and its label at the submission's cutoff.

    `label` and what follows are None where the submission has no known cutoff.
    """

    sample: str
    repository: str
    difficulty: str | None
    outcome: str
    landed_at: datetime | None
    label: str | None
    score: float | None
    method: str | None
    reason: str | None
    repository_verdict: str | None
    repository_basis: str | None


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """What two detectors say about one sample at a cutoff, the repository being taken as seen.

    `label` and what follows are the first detector's, `other_label` and what follows the second's.
    """

    sample: str
    repository: str
    difficulty: str | None
    label: str
    score: float | None
    method: str
    reason: str
    other_label: str
    other_score: float | None
    other_method: str
    other_reason: str

    @property
    def differ(self) -> bool:
        """Whether one detector finds the fix and the other does not; unknown is no disagreement."""
        return {self.label, self.other_label} == {"contaminated", "clean"}


@dataclass(frozen=True, slots=True)
class Agreement:
    """How two detectors label the samples of a benchmark at a cutoff of its submissions.

    Attributes:
        cutoff: The cutoff.
        submissions: How many submissions have it.
        both_judge: Samples that neither calls unknown.
        clean: Of those, clean by the first detector.
        other_clean: Of those, clean by the second.
        differ: Of those, clean by one only.
    """

    cutoff: date
    submissions: int
    both_judge: int
    clean: int
    other_clean: int
    differ: int


@dataclass(frozen=True, slots=True)
class SampleRecord:
    """A sample and the landing of its fix; `benchmarks` are titles of benchmarks and levels."""

    sample: str
    repository: str
    number: int
    title: str | None
    created_at: datetime | None
    base_commit: str | None
    files: int | None
    added_lines: int | None
    removed_lines: int | None
    duplicate_group: str | None
    gold_fails_own_tests: bool | None
    landed_commit: str | None
    landed_at: datetime | None
    landing_state: str | None
    landing_evidence: str | None
    head_day: date | None
    benchmarks: tuple[tuple[str, str | None], ...]
    benchmark_keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PresenceInterval:
    """A span of days over which a detector's evidence does not change."""

    detector: str
    valid_from: date
    valid_to: date
    state: str
    score: float | None
    method: str
    reason: str


@dataclass(frozen=True, slots=True)
class CutoffChoice:
    """A training cutoff and the models that have it."""

    cutoff: date
    models: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BlockEvidence:
    """Where a block of the fix was found, and how well its lines match."""

    block: int
    scope: str
    score: float
    method: str
    path: str | None
    line_start: int | None
    line_end: int | None
    line_scores: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """Presence of one sample at one cutoff, and the blocks it rests on."""

    state: str
    score: float | None
    method: str
    reason: str
    commit: str | None
    path: str | None
    line: int | None
    valid_from: date | None
    valid_to: date | None
    blocks: tuple[BlockEvidence, ...]


@dataclass(frozen=True, slots=True)
class SubmissionOutcome:
    """What one submission reported for a sample, and the sample's label at that submission's cutoff."""

    submission: str
    benchmark: str
    title: str
    framework: str | None
    models: tuple[str, ...]
    cutoff: date | None
    basis: str | None
    outcome: str
    label: str | None


@dataclass(frozen=True, slots=True)
class Landing:
    """A sample, the UTC day on which its fix landed, and its label at the latest cutoff."""

    sample: str
    difficulty: str | None
    landed_on: date | None
    label: str


@dataclass(frozen=True, slots=True)
class RepositoryPresence:
    """What is known of a model and a repository; every figure None where nothing was measured."""

    model: str
    title: str
    cutoff: date | None
    basis: str
    verdict: str
    hits: int | None
    queries: int | None
    unanswered: int | None
    weighted_hits: float | None
    p0: float | None
    p0_basis: str | None
    p_value: float | None
    weighted_p_value: float | None
    q_value: float | None
    design_effect: float | None
    detectable: float | None
    source: str | None


@dataclass(frozen=True, slots=True)
class RepositoryFix:
    """When a detector finds the fix of a sample in its repository; days None where it never does."""

    sample: str
    landed_at: datetime | None
    first_seen: date | None
    last_seen: date | None
    judged_to: date | None
