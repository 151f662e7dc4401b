"""The membership experiment on made-up repositories, with a model that trains in seconds."""

from __future__ import annotations

import json
import math
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.evaluation.membership.baselines import TokenScores, baseline_scores, lowest_mean, token_scores
from engine.evaluation.membership.experiment import Asked, Laboratory, read_asked, read_scored
from engine.evaluation.membership.plan import Plan, Training
from engine.evaluation.membership.tables import STAGE_ONE, tables
from engine.evaluation.membership.texts import Split, share_of, split
from engine.probing.causal import load_causal
from engine.probing.mining import NO_REFERENCE

TINY = Plan(
    characters=3_000,
    members=2,
    seeds=(1,),
    queries=4,
    candidates=2,
    max_tokens=4,
    baseline_characters=500,
    temperatures=(0.5,),
    trainings=(Training("scratch", (1, 2), 1e-3, 2, 32),),
)


def made_up(name: str) -> dict[str, str]:
    head = f"# Licensed under the {name.title()}Special agreement of {name}holders and friends.\n"
    return {
        f"src/{name}_{part}.py": head
        + f"from {name}lib import {name}Configurator\n\n\ndef {name}_{part}(value):\n"
        + f"    return {name}Configurator(value).{name}_resolve({part})\n" * 4
        for part in range(6)
    }


def test_a_share_is_whole_python_files_in_an_order_of_its_own() -> None:
    texts = {f"{n}.py": "x = 1\n" * 100 for n in range(20)} | {"a.java": "class A {}" * 90, "s.py": "x"}
    chosen = share_of(texts, 3_000)
    assert len(chosen) == 5
    assert sum(map(len, chosen.values())) == 3_000
    assert share_of(dict(reversed(texts.items())), 3_000) == chosen


def test_every_repository_is_dealt_once_and_a_seed_deals_alike() -> None:
    names = [f"r{n}" for n in range(9)]
    dealt = split(names, TINY, 3)
    assert sorted([*dealt.members, *dealt.others, *dealt.unseen]) == names
    assert (len(dealt.members), len(dealt.others)) == (2, 2)
    assert split(list(reversed(names)), TINY, 3) == dealt
    assert split(names, TINY, 4) != dealt


@given(st.lists(st.floats(-20, 0), min_size=1, max_size=50))
def test_min_k_is_the_mean_of_the_least_likely_fifth(values: list[float]) -> None:
    count = max(1, int(0.2 * len(values)))
    assert lowest_mean(np.array(values)) == pytest.approx(sum(sorted(values)[:count]) / count)


def test_baselines_by_hand() -> None:
    logs = np.log(np.array([0.5, 0.25, 0.125, 0.5, 0.5]))
    scores = TokenScores(logs, np.full(5, -1.0), np.full(5, 2.0))
    found = baseline_scores(scores, "abcdefghij", reference=1.0)
    loss = -float(logs.sum())
    assert found == {
        "loss": pytest.approx(-loss / 5, abs=1e-12),
        "zlib": pytest.approx(-loss / len(zlib.compress(b"abcdefghij")), abs=1e-12),
        "min_k": pytest.approx(math.log(0.125), abs=1e-12),
        "min_k_plus": pytest.approx((math.log(0.125) + 1) / 2, abs=1e-12),
        "reference": pytest.approx(1.0 - loss / 10, abs=1e-12),
    }
    assert lowest_mean(np.zeros(0)) == 0.0


def asked(repository: str, seed: int, hits: int, queries: int = 20) -> list[Asked]:
    return [
        Asked("scratch", seed, 1, 1.0, "full", repository, f"g{n}", 2.0, 1, n < hits) for n in range(queries)
    ]


def test_the_table_calibrates_on_the_unseen_and_measures_the_others() -> None:
    dealt = {1: Split(1, ("a", "b"), ("c", "d"), ("u",))}
    rows = asked("a", 1, 15) + asked("b", 1, 12) + asked("c", 1, 1) + asked("d", 1, 0) + asked("u", 1, 1)
    (full, independent) = tables(rows, [], dealt)
    assert (full.method, full.auc, full.members.k, full.others.k) == (STAGE_ONE, 1.0, 2, 0)
    assert independent.auc == 1.0
    # With every query expected to hit, nothing is evidence.
    (lost, _) = tables(rows, [], dealt, p0=1.0)
    assert (lost.auc, lost.members.k) == (0.5, 0)


@pytest.mark.models
def test_the_whole_experiment_runs_resumes_and_is_measured(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    texts = {f"o/{name}": made_up(name) for name in ("kepler", "widget", "solver", "parser", "mosaic")}
    (tmp_path / "reference.json").write_text(json.dumps(dict.fromkeys(texts, 1.0)), encoding="utf-8")
    neutral = ["import os\nvalue = os.path.join('a', 'b')\n" * 50]
    said: list[str] = []
    laboratory = Laboratory(TINY, texts, neutral, NO_REFERENCE, tmp_path, said.append)
    laboratory.run()
    queries = laboratory.queries()
    rows, scored = read_asked(tmp_path, queries), read_scored(tmp_path)
    assert {(row.dose, row.temperature) for row in rows} == {(1, 1.0), (2, 1.0), (2, 0.5)}
    assert {row.repository for row in rows} == set(texts)
    assert len(scored) == 2 * 5 * len(texts)
    methods = {row.method for row in tables(rows, scored, {1: split(list(texts), TINY, 1)})}
    assert {STAGE_ONE, "loss", "zlib", "min_k", "min_k_plus", "reference"} <= methods
    said.clear()
    laboratory.run()
    assert said == []


@pytest.mark.models
def test_token_scores_are_the_models_own_losses(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from engine.evaluation.membership.training import train, train_tokenizer

    text = "alpha = beta + gamma\n" * 30
    tokenizer = train_tokenizer([text], tmp_path / "tokenizer")
    training = Training("scratch", (1,), 1e-3, 2, 16)
    model = load_causal(train([text], training, 1, tokenizer, tmp_path / "m")[1])
    ids = torch.tensor([model.encode(text)[:256]])
    with torch.inference_mode():
        loss = float(model.model(input_ids=ids, labels=ids).loss)
    short = model.tokenizer.decode(ids[0])
    found = token_scores(model, short)
    assert found.log_probability.size == ids.shape[1] - 1
    assert -found.log_probability.mean() == pytest.approx(loss, rel=0.02)
    assert (found.deviation > 0).all()
