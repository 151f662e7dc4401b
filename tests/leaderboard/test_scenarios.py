"""How fragile a ranking is: every way to make it, and what all of them agree on."""

from __future__ import annotations

from datetime import date
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from planted_world import THRESHOLDS, write_planted

from engine.leaderboard.board import leaderboard
from engine.leaderboard.contamination import with_cutoff
from engine.leaderboard.fragility import Standing, pair_survival, standing
from engine.leaderboard.matrix import read_matrix
from engine.leaderboard.scenarios import (
    ASPECTS,
    Basis,
    ModelDates,
    Policy,
    read_model_dates,
    scenario_cutoff,
    scenarios,
)
from engine.statistics.pair_order import order_shares
from engine.statistics.proportions import FEWEST_SAMPLES
from engine.statistics.ranking import bootstrap_ranks
from engine.store.build import build_database
from engine.store.connection import Reader, Snapshot

LABELLINGS = tuple(THRESHOLDS.items())
OLD = ModelDates(date(2023, 4, 30), "published", date(2023, 11, 6))
NEW = ModelDates(date(2024, 6, 30), "estimated", date(2024, 9, 30))


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    folder = tmp_path_factory.mktemp("planted")
    built = build_database(write_planted(folder / "data", 0.5, submissions=20), folder / "facts.duckdb")
    return Reader(built.database).snapshot()


@pytest.fixture(scope="module")
def ranked(database: Snapshot) -> Standing:
    matrix = read_matrix(database, "planted")
    return standing(matrix, scenarios(database, matrix, LABELLINGS), range(len(matrix.submissions)))


@pytest.mark.parametrize(
    ("models", "basis", "policy", "expected"),
    [
        ((OLD, NEW), Basis.REGISTRY, Policy.LATEST, NEW.cutoff),
        ((OLD, NEW), Basis.REGISTRY, Policy.EARLIEST, OLD.cutoff),
        ((OLD, NEW), Basis.REGISTRY, Policy.SINGLE, None),
        ((OLD, OLD), Basis.REGISTRY, Policy.SINGLE, OLD.cutoff),
        ((OLD, NEW), Basis.PUBLISHED, Policy.EARLIEST, None),
        ((OLD,), Basis.PUBLISHED, Policy.LATEST, OLD.cutoff),
        ((OLD,), Basis.RULE, Policy.LATEST, date(2023, 8, 6)),
        ((), Basis.REGISTRY, Policy.LATEST, None),
    ],
)
def test_a_cutoff_follows_from_the_choices(
    models: tuple[ModelDates, ...], basis: Basis, policy: Policy, expected: date | None
) -> None:
    assert scenario_cutoff(models, basis, policy) == expected


def test_the_choices_of_the_leaderboard_give_its_counts(database: Snapshot) -> None:
    board = leaderboard(database, "planted", "strict")
    clean = {row.submission.submission: row.after for row in board.rows}
    matrix = read_matrix(database, "planted")
    first = scenarios(database, matrix, LABELLINGS)[0]
    assert first.choices == {
        "detector": "strict",
        "threshold": "own",
        "basis": "as registered",
        "policy": "latest",
    }
    small = 0
    for place, entry in enumerate(matrix.submissions):
        found, after = first.counts.at(place), clean[entry.submission]
        assert after is not None
        small += after.n < FEWEST_SAMPLES
        assert found == after if after.n >= FEWEST_SAMPLES else found.n == 0


def test_there_is_one_scenario_for_every_choice(database: Snapshot) -> None:
    matrix = read_matrix(database, "planted")
    ways = scenarios(database, matrix, [*LABELLINGS, ("strict", 0.9)])
    chosen = [tuple(way.choices[aspect] for aspect in ASPECTS) for way in ways]
    assert sorted(chosen) == sorted(
        (detector, threshold, basis.value, policy.value)
        for (detector, threshold), basis, policy in product(
            (("strict", "own"), ("loose", "own"), ("strict", "0.9")), Basis, Policy
        )
    )
    published = next(way for way in ways if way.choices["basis"] == "published only")
    assert int(np.sum(published.counts.n > 0)) <= 10


def test_only_models_that_write_patches_and_are_known_have_dates(tmp_path: Path, tiny_reader: Reader) -> None:
    found = read_model_dates(tiny_reader.snapshot(), "tiny")
    assert set(found) == {"sub-a", "sub-b", "sub-d", "sub-e"}
    assert [model.cutoff for model in found["sub-e"]] == [date(2025, 3, 31), date(2023, 12, 31)]


def test_a_standing_is_best_first_and_says_what_survives(ranked: Standing) -> None:
    rates = ranked.scenarios[0].counts.rate
    assert np.all(np.diff(rates) <= 0)
    assert ranked.ranks.rank[0] == 1
    # Nothing that is sure can contradict the ranking shown, and it takes both kinds of evidence.
    assert np.all(ranked.ordered[ranked.sure])
    assert 0 < ranked.sure.sum() < ranked.ordered.sum()
    assert np.all(ranked.shares[ranked.sure] >= 0.975)
    for first, second in np.argwhere(ranked.sure)[:5]:
        whole = ranked.pair(int(first), int(second)).whole
        assert whole.above == whole.rated > 0


def test_intervals_are_the_wider_of_two_ways_to_draw(ranked: Standing) -> None:
    matrix = ranked.matrix
    for clusters in (None, matrix.samples.repository):
        drawn = bootstrap_ranks(matrix.resolved, matrix.clean, clusters=clusters)
        assert np.all(ranked.ranks.low <= drawn.low)
        assert np.all(ranked.ranks.high >= drawn.high)
        assert np.all(ranked.shares <= order_shares(matrix.resolved, matrix.clean, clusters=clusters))


def test_each_choice_is_looked_at_by_itself(ranked: Standing) -> None:
    changes = ranked.single_changes()
    assert [(change.aspect, change.choice) for change in changes] == [
        ("detector", "loose"),
        ("basis", "published only"),
        ("basis", "release − 3 months"),
        ("policy", "earliest"),
        ("policy", "one model only"),
    ]
    # Every submission has one model, and its cutoff is three months before its release or published.
    for change in changes[3:]:
        assert (change.kept, change.agreement) == (change.ordered, pytest.approx(1))
    assert changes[1].rated <= 10 < len(ranked.matrix.submissions)
    assert changes[1].kept == changes[1].ordered < int(ranked.ordered.sum())


def test_a_pair_is_counted_by_choice(ranked: Standing) -> None:
    survival = ranked.pair(0, 1)
    turned = pair_survival(ranked.scenarios, 1, 0)
    assert (survival.whole.above, survival.whole.below) == (turned.whole.below, turned.whole.above)
    for aspect in ASPECTS:
        parts = [tally for (name, _), tally in survival.parts.items() if name == aspect]
        assert sum(tally.rated for tally in parts) == survival.whole.rated
        assert sum(tally.above for tally in parts) == survival.whole.above


def test_submissions_without_a_rate_are_left_out_and_counted(database: Snapshot, ranked: Standing) -> None:
    matrix = read_matrix(database, "planted")
    assert ranked.left_out + len(ranked.matrix.submissions) == len(matrix.submissions)
    nobody = standing(matrix, scenarios(database, matrix, LABELLINGS), [])
    assert nobody.matrix.submissions == ()
    assert nobody.fragility.surviving is None


def test_every_matrix_can_be_ranked(tiny_reader: Reader) -> None:
    database = tiny_reader.snapshot()
    matrix = with_cutoff(read_matrix(database, "tiny", "paper"))
    found = standing(matrix, scenarios(database, matrix, [("paper", 0.7)]), range(3))
    # Two clean samples each are too few.
    assert (found.left_out, len(found.matrix.submissions)) == (3, 0)
