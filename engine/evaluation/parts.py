"""The parts of the evaluation that have cases, under one roof."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from engine.benchmarks.sample import Sample
from engine.evaluation import certain, handread, rewriting
from engine.evaluation.gold import GoldVerdict
from engine.evaluation.judgement import Case, Judgement
from engine.evaluation.subject import Subject


@dataclass(frozen=True, slots=True)
class Item:
    """A sample to be judged.

    Attributes:
        benchmark: Key of its benchmark.
        sample: The sample.
        gold: Its hand-read verdicts.
    """

    benchmark: str
    sample: Sample
    gold: tuple[GoldVerdict, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """One part.

    Attributes:
        judge: Judges the cases of a sample; raises PatchError or HistoryError where it cannot.
        unknown: Returns its cases as far as they are known without looking; none means nothing is wanted.
    """

    judge: Callable[[Subject, Item], list[Judgement]]
    unknown: Callable[[Item], list[Case]]


PARTS: Mapping[str, Part] = {
    certain.PART: Part(
        lambda subject, _: certain.judge_certain(subject),
        lambda item: certain.unknown_cases(item.benchmark, item.sample.sample),
    ),
    handread.PART: Part(
        lambda subject, item: handread.judge_handread(subject, item.gold),
        lambda item: [handread.handread_case(item.benchmark, gold) for gold in item.gold],
    ),
    rewriting.PART: Part(
        lambda subject, _: rewriting.judge_rewrites(subject),
        lambda item: [rewriting.unchanged_case(item.benchmark, item.sample.sample)],
    ),
}
