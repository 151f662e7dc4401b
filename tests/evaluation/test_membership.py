"""The membership experiment on made-up repositories, with a model that trains in seconds."""

from __future__ import annotations

import csv
import json
import math
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.evaluation.membership.baselines import TokenScores, baseline_scores, lowest_mean, token_scores
from engine.evaluation.membership.cases import STAGE_ONE, Case, cases
from engine.evaluation.membership.experiment import (
    Asked,
    Laboratory,
    Scored,
    read_asked,
    read_scored,
    read_transferred,
)
from engine.evaluation.membership.facts import P0_TRIED, write_facts
from engine.evaluation.membership.plan import Plan, Training
from engine.evaluation.membership.tables import auc_interval, mean_auc, tables
from engine.evaluation.membership.texts import Split, share_of, split
from engine.probing.causal import load_causal
from engine.probing.mining import NO_REFERENCE
from engine.statistics.proportions import Proportion

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


def test_a_share_is_whole_python_files_of_a_size() -> None:
    texts = {f"{n}.py": "x = 1\n" * 100 for n in range(20)} | {"a.java": "class A {}" * 90, "s.py": "x"}
    chosen = share_of(texts, 3_000, lambda word: True)
    assert len(chosen) == 5
    assert sum(map(len, chosen.values())) == 3_000
    assert share_of(dict(reversed(texts.items())), 3_000, lambda word: True) == chosen


def test_files_that_share_distinctive_words_are_chosen_together() -> None:
    filler = "value = other + 1\n" * 30
    texts = {f"lone{n}.py": f"lonely_word_{n} = common\n" + filler for n in range(8)}
    texts |= {f"pair{n}.py": "quixotic_umbra = zanzibar\n" + filler for n in range(3)}
    chosen = share_of(texts, 1_750, lambda word: word != "common")
    assert set(chosen) == {"pair0.py", "pair1.py", "pair2.py"}
    # Were the shared word common, nothing would hold these together.
    other = share_of(texts, 1_750, lambda word: word not in ("quixotic_umbra", "zanzibar"))
    assert set(other) != set(chosen)


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
        Asked("scratch", seed, 1, 1.0, "full", repository, f"k{n}", f"g{n}", 2.0, 1, n < hits)
        for n in range(queries)
    ]


def test_the_table_calibrates_on_the_unseen_and_measures_the_others() -> None:
    dealt = {1: Split(1, ("a", "b"), ("c", "d"), ("u",))}
    rows = asked("a", 1, 15) + asked("b", 1, 12) + asked("c", 1, 1) + asked("d", 1, 0) + asked("u", 1, 1)
    (full, independent) = tables(cases(rows, [], dealt))
    assert (full.method, full.auc, full.members.k, full.others.k) == (STAGE_ONE, 1.0, 2, 0)
    assert independent.auc == 1.0
    # With every query expected to hit, nothing is evidence.
    (lost, _) = tables(cases(rows, [], dealt, p0=1.0))
    assert (lost.auc, lost.members.k) == (0.5, 0)


def case(seed: int, repository: str, member: bool, score: float, called: bool = False) -> Case:
    return Case(seed, repository, member, score, called)


def test_scores_of_two_models_are_never_compared() -> None:
    # The second model's scores lie a hundred higher; each model ranks its own perfectly.
    rows = [
        case(1, "a", True, 2.0),
        case(1, "b", False, 1.0),
        case(2, "b", True, 102.0),
        case(2, "a", False, 101.0),
    ]
    assert mean_auc(rows) == 1.0
    assert mean_auc(rows, {"a": 1, "b": 0}) is None
    assert mean_auc([case(1, "a", True, 1.0), case(1, "b", False, 1.0)]) == 0.5


def test_repeating_a_repository_under_other_seeds_narrows_no_interval_of_its_rate() -> None:
    once = [case(1, name, True, 1.0, called=name < "c") for name in "abcd"]
    thrice = [case(seed, row.repository, True, 1.0, row.called) for seed in (1, 2, 3) for row in once]
    (one,) = tables({("scratch", 1, "m"): once})
    (three,) = tables({("scratch", 1, "m"): thrice})
    assert (one.members.k, three.members.k) == (2, 6)
    assert one.members_interval == three.members_interval == Proportion(2, 4).wilson()
    assert one.others_interval is None


@pytest.mark.parametrize(("score", "auc"), [(1.0, 1.0), (-1.0, 0.0), (0.0, 0.5)])
def test_an_auc_that_no_resample_changes_still_has_an_interval(score: float, auc: float) -> None:
    rows = [case(1, f"m{n}", True, score) for n in range(6)] + [
        case(1, f"o{n}", False, 0.0) for n in range(6)
    ]
    interval = auc_interval(rows)
    assert interval is not None
    assert auc in interval
    assert 0.1 < interval.high - interval.low < 0.9


def test_a_baseline_gets_its_best_threshold_under_each_model() -> None:
    dealt = {seed: Split(seed, ("a", "b"), ("c", "d"), ("u",)) for seed in (1, 2)}
    scores = {1: {"a": 5, "b": 4, "c": 3, "d": 1}, 2: {"a": 0.5, "b": 0.2, "c": 0.3, "d": 0.1}}
    scored = [
        Scored("scratch", seed, 1, name, "loss", value)
        for seed, found in scores.items()
        for name, value in found.items()
    ]
    (row,) = tables(cases([], scored, dealt))
    assert (row.members.k, row.others.k) in {(3, 0), (4, 1)}
    assert row.auc == pytest.approx((1.0 + 0.75) / 2)


def test_the_facts_hold_every_method_p0_and_temperature(tmp_path: Path) -> None:
    dealt = {1: Split(1, ("a", "b"), ("c", "d"), ("u",))}
    rows = asked("a", 1, 15) + asked("b", 1, 12) + asked("c", 1, 1) + asked("d", 1, 0) + asked("u", 1, 1)
    warm = [replace(row, temperature=1.5, hit=False) for row in rows]
    scored = [Scored("scratch", 1, 1, name, "loss", 0.0) for name in "abcdu"]
    methods, repositories = (
        list(csv.DictReader(path.open())) for path in write_facts(tmp_path, rows + warm, scored, dealt)
    )
    full = {(row["p0"], row["temperature"]): row for row in methods if row["method"] == STAGE_ONE}
    assert full["calibrated", "1"]["true_positives"] == "2"
    assert full["calibrated", "1.5"]["true_positives"] == "0"
    assert {float(p0) for p0, _ in full if p0 != "calibrated"} == set(P0_TRIED)
    assert sum(row["method"] == "loss" for row in methods) == 1
    (first,) = [
        row
        for row in repositories
        if (row["repository"], row["method"], row["temperature"]) == ("a", STAGE_ONE, "1")
    ]
    assert (first["member"], first["called"], first["hits"], first["queries"]) == ("1", "1", "15", "20")


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
    methods = {row.method for row in tables(cases(rows, scored, {1: split(list(texts), TINY, 1)}))}
    assert {STAGE_ONE, "loss", "zlib", "min_k", "min_k_plus", "reference"} <= methods
    lines = read_transferred(tmp_path)
    assert {(row.dose, row.repository) for row in lines} == {
        (dose, name) for dose in (1, 2) for name in texts
    }
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
