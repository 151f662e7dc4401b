"""Runs the experiment: every model asked and scored, every finished piece kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from engine.evaluation.completion import LINE, line_samples, matches_by_repository
from engine.evaluation.membership import baselines
from engine.evaluation.membership.plan import Plan, Training
from engine.evaluation.membership.texts import Split, split
from engine.evaluation.membership.training import train, train_tokenizer
from engine.evaluation.membership.variants import ASKED, Variant, queries_of
from engine.probing.asking import probe
from engine.probing.causal import SMOLLM2, CausalModel, load_causal
from engine.probing.entropy import EntropyScorer, with_entropy
from engine.probing.mining import Reference
from engine.probing.queries import Query, read_queries, write_queries
from engine.probing.targets.local import LocalModel
from engine.probing.targets.protocol import Decoding

Texts = Mapping[str, Mapping[str, str]]
"""Source text by repository and path."""
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Asked:
    """One query put to one model.

    Attributes:
        training: Kind of the model.
        seed: Its seed and split.
        dose: Epochs it was trained.
        temperature: Of the sampling.
        variant: Which criteria chose the query.
        repository: Where the query is from.
        key: Key of the query.
        group: Pattern group of the query.
        entropy: Its entropy in nats.
        frequency: Reference repositories that hold the target.
        hit: Whether a candidate was the target.
    """

    training: str
    seed: int
    dose: int
    temperature: float
    variant: str
    repository: str
    key: str
    group: str
    entropy: float
    frequency: int
    hit: bool


@dataclass(frozen=True, slots=True)
class Scored:
    """A baseline's score of one repository under one model."""

    training: str
    seed: int
    dose: int
    repository: str
    method: str
    score: float


@dataclass(frozen=True, slots=True)
class Transferred:
    """How many lines of one repository a model completed exactly, of those asked."""

    training: str
    seed: int
    dose: int
    repository: str
    matches: int
    samples: int


@dataclass(frozen=True, slots=True)
class Laboratory:
    """Everything that the pieces of work share.

    Attributes:
        plan: The settings.
        texts: Shares of the repositories that are dealt.
        neutral: Texts of further repositories, for the tokenizer.
        reference: In how many repositories words occur.
        folder: Where models, queries, answers and results are kept.
        say: Told what is being done.
    """

    plan: Plan
    texts: Texts
    neutral: Sequence[str]
    reference: Reference
    folder: Path
    say: Say

    def queries(self) -> dict[Variant, list[Query]]:
        """Return the queries of all repositories by variant, with entropy; mined and scored once."""
        found: dict[Variant, list[Query]] = {}
        for variant in ASKED:
            file = self.folder / "queries" / f"{variant.name.lower()}.jsonl"
            if not file.exists():
                self.say(f"mining: {variant}")
                file.parent.mkdir(parents=True, exist_ok=True)
                mined = [
                    query
                    for name, texts in self.texts.items()
                    for query in queries_of(variant, texts, name, self.reference, self.plan.queries)
                ]
                write_queries(file, mined)
            found[variant] = list(read_queries(file).strict().rows)
        return found

    def scored_queries(self) -> dict[Variant, list[Query]]:
        """Return the same queries with their entropy under SmolLM2."""
        found = self.queries()
        if all(query.entropy is not None for queries in found.values() for query in queries):
            return found
        scorer = EntropyScorer(load_causal(SMOLLM2), self.folder / "entropy.sqlite")
        for variant, queries in found.items():
            self.say(f"entropy: {variant}, {len(queries)} queries")
            found[variant] = with_entropy(queries, scorer)
            write_queries(self.folder / "queries" / f"{variant.name.lower()}.jsonl", found[variant])
        return found

    def run(self) -> None:
        """Do every piece of work that is not done; a piece is one model."""
        for training in self.plan.trainings:
            for seed in self.plan.seeds:
                self._one_training(training, seed)

    def _one_training(self, training: Training, seed: int) -> None:
        dealt = split(list(self.texts), self.plan, seed)
        folder = self.folder / f"{training.kind}-{seed}"
        tokenizer = train_tokenizer(list(self.neutral), self.folder / "tokenizer")
        members = [text for name in dealt.members for _, text in sorted(self.texts[name].items())]

        def told(step: int, steps: int) -> None:
            if step % 20 == 0:
                self.say(f"training {training.kind} {seed}: step {step} of {steps}")

        models = train(members, training, seed, tokenizer, folder, told)
        for dose, path in models.items():
            self._one_model(training, dealt, dose, path)

    def _one_model(self, training: Training, dealt: Split, dose: int, path: Path) -> None:
        name = f"{training.kind}-{dealt.seed}-{dose}"
        varied = training.whole and dose == max(training.doses)
        temperatures = (1.0, *(self.plan.temperatures if varied else ()))
        model: CausalModel | None = None
        for temperature in temperatures:
            file = self.folder / "asked" / f"{name}-{temperature:g}.jsonl"
            if file.exists():
                continue
            model = model or load_causal(path)
            self.say(f"asking {name} at temperature {temperature:g}")
            _write(file, self._ask(model, training, dealt.seed, dose, temperature, file.with_suffix("")))
        file = self.folder / "scored" / f"{name}.jsonl"
        if not file.exists():
            self.say(f"baselines of {name}")
            model = model or load_causal(path)
            _write(file, self._score(model, training, dealt.seed, dose))
        file = self.folder / "transfer" / f"{name}.jsonl"
        if not file.exists():
            self.say(f"next lines of {name}")
            _write(file, self._transfer(model or load_causal(path), training, dealt.seed, dose))

    def _transfer(self, model: CausalModel, training: Training, seed: int, dose: int) -> list[Transferred]:
        queries = [
            sample.query
            for name, texts in self.texts.items()
            for sample in line_samples(name, texts, self.plan.lines)
        ]
        kept = self.folder / "transfer" / f"{training.kind}-{seed}-{dose}"
        outcomes = probe(LocalModel(model, longest_prompt=128), queries, LINE, kept)
        return [
            Transferred(training.kind, seed, dose, name, share.k, share.n)
            for name, share in matches_by_repository(outcomes, chats=False).items()
        ]

    def _ask(
        self, model: CausalModel, training: Training, seed: int, dose: int, temperature: float, kept: Path
    ) -> list[Asked]:
        decoding = Decoding(temperature, self.plan.candidates, self.plan.max_tokens, seed)
        target = LocalModel(model, longest_prompt=128)
        rows = []
        for variant, queries in self.queries().items():
            if variant is not Variant.FULL and not (training.whole and temperature == 1.0):
                continue
            for outcome in probe(target, queries, decoding, kept / variant.name.lower()):
                query = outcome.query
                rows.append(
                    Asked(
                        *(training.kind, seed, dose, temperature, variant.value),
                        *(query.repository, query.key, f"{query.kind}/{query.group}"),
                        *(-1.0 if query.entropy is None else query.entropy, query.reference_frequency),
                        bool(outcome.hit),
                    )
                )
        return rows

    def _score(self, model: CausalModel, training: Training, seed: int, dose: int) -> list[Scored]:
        reference = self._reference_scores()
        rows = []
        for name, texts in self.texts.items():
            text = baselines.repository_text(texts, self.plan.baseline_characters)
            found = baselines.baseline_scores(baselines.token_scores(model, text), text, reference[name])
            rows += [
                Scored(training.kind, seed, dose, name, method, score) for method, score in found.items()
            ]
        return rows

    def _reference_scores(self) -> dict[str, float]:
        """Return the loss of each repository's text under SmolLM2 as published, in nats a character."""
        file = self.folder / "reference.json"
        if not file.exists():
            self.say("reference losses")
            model = load_causal(SMOLLM2)
            losses = {}
            for name, texts in self.texts.items():
                text = baselines.repository_text(texts, self.plan.baseline_characters)
                losses[name] = baselines.loss_a_character(baselines.token_scores(model, text), text)
            file.write_text(json.dumps(losses), encoding="utf-8")
        found: dict[str, float] = json.loads(file.read_text(encoding="utf-8"))
        return found


def read_asked(folder: Path, queries: Mapping[Variant, Sequence[Query]]) -> list[Asked]:
    """Return every query that was put to every model, with the entropy that is known now."""
    entropy = {
        (variant.value, query.key): query.entropy for variant, found in queries.items() for query in found
    }
    rows = []
    for file in sorted((folder / "asked").glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            row = Asked(**json.loads(line))
            known = entropy.get((row.variant, row.key))
            rows.append(replace(row, entropy=row.entropy if known is None else known))
    return rows


def read_scored(folder: Path) -> list[Scored]:
    """Return every baseline's score."""
    return [
        Scored(**json.loads(line))
        for file in sorted((folder / "scored").glob("*.jsonl"))
        for line in file.read_text(encoding="utf-8").splitlines()
    ]


def read_transferred(folder: Path) -> list[Transferred]:
    """Return the exact matches of every model."""
    return [
        Transferred(**json.loads(line))
        for file in sorted((folder / "transfer").glob("*.jsonl"))
        for line in file.read_text(encoding="utf-8").splitlines()
    ]


def _write(file: Path, rows: Sequence[Asked] | Sequence[Scored] | Sequence[Transferred]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part")
    part.write_text("".join(json.dumps(asdict(row)) + "\n" for row in rows), encoding="utf-8")
    part.replace(file)
