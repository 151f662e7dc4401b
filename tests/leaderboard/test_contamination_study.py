"""Contamination or difficulty, from facts to figures: what was planted comes back, and only that."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from planted_world import write_planted

from engine.leaderboard.contamination import (
    effect_variants,
    identification,
    label_changes,
    with_cutoff,
    within_sample_effect,
)
from engine.leaderboard.contamination_checks import SHIFTS, matches, placebos, profiles
from engine.leaderboard.covariates import read_covariates
from engine.leaderboard.matrix import read_matrix
from engine.store.build import build_database
from engine.store.connection import Reader, Snapshot
from engine.store.facts import column_types, read_facts, table, write_facts


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> dict[float, Snapshot]:
    """Databases by the effect that is in them."""
    found = {}
    for effect in (0.0, 1.0):
        folder = tmp_path_factory.mktemp("planted")
        built = build_database(write_planted(folder / "data", effect), folder / "facts.duckdb")
        found[effect] = Reader(built.database).snapshot()
    return found


@pytest.mark.parametrize("effect", [0.0, 1.0])
def test_what_was_planted_is_found_within_samples(planted: dict[float, Snapshot], effect: float) -> None:
    result = within_sample_effect(read_matrix(planted[effect], "planted"))
    assert result.effect is not None
    assert effect in result.effect.interval
    assert result.effect.estimate == pytest.approx(effect, abs=0.35)
    assert (result.effect.p_value < 0.01) is (effect > 0)
    assert result.submissions == 48


def test_the_plain_gap_misleads_where_nothing_was_planted(planted: dict[float, Snapshot]) -> None:
    matrix = with_cutoff(read_matrix(planted[0.0], "planted"))
    found = {match.key: match.found for match in matches(matrix, read_covariates(planted[0.0], matrix))}
    assert found["plain"].interval is not None
    assert found["plain"].interval.high < 0
    assert found["plain"].difference == pytest.approx(found["plain"].crude)
    # Size goes with the life of a fix, and with its difficulty: alike in both, most of the gap is gone.
    assert found["size"].difference is not None
    assert found["plain"].difference is not None
    assert abs(found["size"].difference) < 0.6 * abs(found["plain"].difference)


@pytest.mark.parametrize("effect", [0.0, 1.0])
def test_every_variant_finds_it(planted: dict[float, Snapshot], effect: float) -> None:
    database = planted[effect]
    known = with_cutoff(read_matrix(database, "planted"))
    covariates = read_covariates(database, known)
    variants = {
        variant.key: variant.effect
        for variant in effect_variants(known, covariates, label_changes(database, known, covariates))
    }
    assert variants["within"] == within_sample_effect(known)
    # Two repositories are fewer clusters than an interval needs.
    assert variants.pop("repository").effect is None
    for key, found in variants.items():
        assert found.effect is not None, key
        assert effect in found.effect.interval, key
    assert variants["published"].submissions == 24
    assert variants["vanished"].cells < variants["within"].cells
    assert variants["landed"].cells < variants["within"].cells


def test_each_clean_cell_has_one_reason(planted: dict[float, Snapshot]) -> None:
    matrix = read_matrix(planted[1.0], "planted")
    covariates = read_covariates(planted[1.0], matrix)
    changes = label_changes(planted[1.0], matrix, covariates)
    reasons = np.stack([changes.early, changes.unseen, changes.gone])
    assert np.array_equal(reasons.sum(axis=0), matrix.clean)
    assert not changes.unseen.any()
    days = np.array([entry.cutoff.toordinal() for entry in matrix.submissions if entry.cutoff is not None])
    assert np.array_equal(changes.early, days[:, None] < covariates.landed[None, :])
    assert np.array_equal(changes.gone, days[:, None] >= covariates.vanished[None, :])
    counts = identification(matrix, matrix, changes)
    assert counts.samples == 120
    assert counts.always_contaminated + counts.always_clean + counts.changing == 120
    assert counts.changing == matrix.panel.varying
    assert max(counts.by_landing, counts.by_vanishing) <= counts.changing
    assert 0 < counts.early_submissions < counts.submissions == 48


def test_a_looser_threshold_sees_no_fix_vanish(planted: dict[float, Snapshot]) -> None:
    matrix = read_matrix(planted[1.0], "planted", "loose")
    covariates = read_covariates(planted[1.0], matrix)
    assert np.isnan(covariates.vanished).all()
    changes = label_changes(planted[1.0], matrix, covariates)
    assert not changes.gone.any()
    assert identification(matrix, matrix, changes).by_vanishing == 0


def test_a_repository_that_was_not_seen_is_a_reason_of_its_own(tmp_path: Path) -> None:
    folder = write_planted(tmp_path / "data", 0.0, samples=20, submissions=6)
    unseen = dict.fromkeys(column_types(table("repository_presence"))) | {
        "model": "m5",
        "repository": "made/up",
        "basis": "published",
        "verdict": "not shown",
    }
    write_facts(folder, "repository_presence", [unseen])
    database = Reader(build_database(folder, tmp_path / "facts.duckdb").database).snapshot()
    matrix = read_matrix(database, "planted")
    changes = label_changes(database, matrix, read_covariates(database, matrix))
    assert changes.unseen.any(axis=1).tolist() == [False] * 5 + [True]
    assert set(np.array(matrix.samples.repository)[changes.unseen[5]]) == {"made/up"}
    assert identification(matrix, matrix, changes).by_repository > 0


def test_submissions_without_a_cutoff_are_left_out_and_counted(tmp_path: Path) -> None:
    folder = write_planted(tmp_path / "data", 0.0, samples=20, submissions=6)
    tags = [
        row | {"model": None} if row["submission"] == "s002" else row
        for row in read_facts(folder, "submission_model")
    ]
    entries = [row | {"use_results": row["submission"] != "s004"} for row in read_facts(folder, "submission")]
    write_facts(folder, "submission_model", tags)
    write_facts(folder, "submission", entries)
    database = Reader(build_database(folder, tmp_path / "facts.duckdb").database).snapshot()
    matrix = read_matrix(database, "planted")
    known = with_cutoff(matrix)
    changes = label_changes(database, known, read_covariates(database, known))
    counts = identification(matrix, known, changes)
    assert (counts.submissions, counts.without_cutoff, counts.unusable) == (4, 1, 1)


def test_the_placebo_is_quiet_and_says_what_it_rests_on(planted: dict[float, Snapshot]) -> None:
    known = with_cutoff(read_matrix(planted[1.0], "planted"))
    found = placebos(planted[1.0], known)
    assert [placebo.shift for placebo in found] == [shift for shift in SHIFTS for _ in range(2)]
    said = [placebo.effect for placebo in found if placebo.effect is not None]
    assert len(said) > 6
    assert sum(effect.p_value < 0.05 for effect in said) <= 2
    assert all(placebo.varying > 0 for placebo in found if placebo.effect is not None)


def test_a_step_is_seen_where_fixes_vanish(planted: dict[float, Snapshot]) -> None:
    steps = {}
    for effect, database in planted.items():
        known = with_cutoff(read_matrix(database, "planted"))
        found = profiles(known, read_covariates(database, known))
        assert found.vanishing.trend_identified
        after = [bin.effect for bin in found.vanishing.bins if bin.low is not None and bin.low >= 0]
        steps[effect] = [point.estimate for point in after if point is not None]
        assert found.vanishing_samples > 20
    assert max(steps[1.0]) < min(steps[0.0])


def test_no_submission_with_a_cutoff_shows_nothing(planted: dict[float, Snapshot]) -> None:
    nobody = read_matrix(planted[0.0], "planted").take([])
    result = within_sample_effect(nobody)
    assert result.effect is None
    assert result.submissions == 0
    covariates = read_covariates(planted[0.0], nobody)
    changes = label_changes(planted[0.0], nobody, covariates)
    assert all(variant.effect.effect is None for variant in effect_variants(nobody, covariates, changes))
    assert all(placebo.effect is None for placebo in placebos(planted[0.0], nobody))
    assert all(match.found.difference is None for match in matches(nobody, covariates))
    assert profiles(nobody, covariates).landing_submissions == 0


def test_outcomes_decide_and_labels_alone_do_not(planted: dict[float, Snapshot]) -> None:
    known = with_cutoff(read_matrix(planted[1.0], "planted"))
    turned = replace(known, resolved=~known.resolved)
    result, other = within_sample_effect(known), within_sample_effect(turned)
    assert result.effect is not None
    assert other.effect is not None
    assert other.effect.estimate == pytest.approx(-result.effect.estimate, abs=1e-6)
