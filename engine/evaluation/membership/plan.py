"""The settings of the experiment, in one place; results name them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Training:
    """How a model is made.

    Attributes:
        kind: `scratch` for a small model of its own, `finetuned` for SmolLM2-135M trained further.
        doses: Epochs after which the model is kept, ascending: from faint to strong memorisation.
        rate: Highest learning rate.
        batch: Windows a step.
        window: Tokens of a window.
        whole: Whether it is also asked less each criterion (Table 5) and at other temperatures (Figure 7);
            asking the larger model takes far longer.
    """

    kind: str
    doses: tuple[int, ...]
    rate: float
    batch: int
    window: int
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Plan:
    """The experiment.

    Attributes:
        characters: Source text of each repository.
        members: Members, and as many others beside them; what is left calibrates P0.
        seeds: One split and one training each.
        queries: Most queries of a repository.
        least_queries: A repository whose share gives fewer is left out before anything is dealt: the test
            could only say that these are too few.
        candidates: Continuations of a query.
        max_tokens: Longest continuation.
        baseline_characters: Characters of each repository that the logit baselines see.
        lines: Next lines that are asked for, of each repository.
        temperatures: Further temperatures at which the strongest dose is asked (Figure 7).
        trainings: How models are made.
    """

    characters: int = 20_000
    members: int = 8
    seeds: tuple[int, ...] = (1, 2, 3)
    queries: int = 20
    least_queries: int = 8
    candidates: int = 10
    max_tokens: int = 10
    baseline_characters: int = 20_000
    lines: int = 10
    temperatures: tuple[float, ...] = (0.5, 1.5)
    trainings: tuple[Training, ...] = (
        Training("scratch", (5, 15, 40), 2e-3, 8, 256),
        Training("finetuned", (2, 5), 2e-4, 4, 256, whole=False),
    )
