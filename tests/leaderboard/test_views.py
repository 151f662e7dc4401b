"""What pages over the leaderboard are made from: matrices, shares by cutoff, trends, frameworks, patterns."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from engine.leaderboard.board import leaderboard
from engine.leaderboard.exposures import exposure_shares
from engine.leaderboard.filters import Filters
from engine.leaderboard.frameworks import across_frameworks
from engine.leaderboard.matrix import read_matrix
from engine.leaderboard.patterns import FLAGS, beside_the_paper, study_patterns
from engine.leaderboard.trends import FEWEST_SUBMISSIONS, by_release, change_over_time
from engine.paper.printed import read_findings, read_statistics
from engine.problems import BenchCheckerError
from engine.statistics.effects.patterns import Pattern
from engine.statistics.proportions import Proportion
from engine.store.connection import Reader


def test_the_best_come_first_and_need_a_cutoff(tiny_reader: Reader) -> None:
    matrix = read_matrix(tiny_reader.snapshot(), "tiny", "paper")
    assert [entry.submission for entry in matrix.submissions] == ["sub-a", "sub-b", "sub-c", "sub-e"]
    assert [entry.submission for entry in matrix.unusable] == ["sub-d"]
    best = matrix.best(2)
    assert [entry.submission for entry in best.submissions] == ["sub-b", "sub-a"]
    assert best.resolved.sum(axis=1).tolist() == [5, 3]
    assert best.clean.sum(axis=1).tolist() == [2, 2]
    assert [entry.submission for entry in matrix.best(9).submissions] == ["sub-b", "sub-a", "sub-e"]


def test_a_filtered_matrix_keeps_its_samples(tiny_reader: Reader) -> None:
    matrix = read_matrix(tiny_reader.snapshot(), "tiny", "paper")
    old = matrix.meeting(Filters(models=("old",)))
    assert {name for entry in old.submissions for name in entry.models} >= {"old"}
    assert 0 < len(old.submissions) < len(matrix.submissions)
    assert old.samples == matrix.samples
    nobody = matrix.meeting(Filters(models=("gone",)))
    assert nobody.resolved.shape == (0, len(matrix.samples.samples))


def test_shares_by_cutoff_are_those_of_the_labels(tiny_reader: Reader) -> None:
    database = tiny_reader.snapshot()
    cutoff = date(2023, 12, 31)
    (share,) = [s for s in exposure_shares(database, "paper", None, [cutoff]) if s.benchmark == "tiny"]
    labels = database.rows(
        "SELECT label FROM label_at('paper', ?) JOIN membership USING (sample) WHERE benchmark = 'tiny'",
        [cutoff],
    )
    words = [row["label"] for row in labels]
    contaminated, clean = words.count("contaminated"), words.count("clean")
    assert share.contaminated == Proportion(contaminated, contaminated + clean)
    assert share.unknown == words.count("unknown")
    assert 0 <= share.removed <= clean
    strict = exposure_shares(database, "paper", 1.0, [cutoff])
    assert next(s for s in strict if s.benchmark == "tiny").contaminated.k <= contaminated


def test_removed_fixes_were_there_before(tiny_reader: Reader) -> None:
    database = tiny_reader.snapshot()
    days = [date(2019, 1, 1), date(2023, 12, 31), date(2025, 3, 31)]
    shares = [share for share in exposure_shares(database, "paper", None, days) if share.benchmark == "tiny"]
    assert [share.cutoff for share in shares] == days
    for share in shares:
        present = database.rows(
            """
            SELECT count(DISTINCT sample) AS before FROM presence JOIN membership USING (sample)
            JOIN label_at('paper', $day) AS now USING (sample)
            WHERE benchmark = 'tiny' AND detector = 'paper' AND presence.score >= 0.7
              AND presence.valid_from <= $day AND label = 'clean'
            """,
            {"day": share.cutoff},
        )
        assert share.removed == present[0]["before"]


def test_few_submissions_make_no_trend(tiny_reader: Reader) -> None:
    rows = by_release(leaderboard(tiny_reader.snapshot(), "tiny", "paper").rows, one_a_model=False)
    days = [row.submission.released for row in rows]
    assert days == sorted(day for day in days if day is not None)
    assert 0 < len(rows) < FEWEST_SUBMISSIONS
    assert change_over_time(rows) is None
    one = by_release(leaderboard(tiny_reader.snapshot(), "tiny", "paper").rows, one_a_model=True)
    assert len({row.submission.models for row in one}) == len(one)


def test_a_model_is_compared_only_across_frameworks(tiny_reader: Reader) -> None:
    rows = leaderboard(tiny_reader.snapshot(), "tiny", "paper").rows
    for group in across_frameworks(rows):
        assert len({row.submission.framework for row in group.rows}) == len(group.rows) > 1
        assert len({row.submission.models for row in group.rows}) == 1
        assert group.greatest_drop <= group.least_drop
        assert group.spread == pytest.approx(group.least_drop - group.greatest_drop)


def test_flags_are_unknown_where_the_facts_do_not_say(tiny_reader: Reader) -> None:
    database = tiny_reader.snapshot()
    study = study_patterns(database, read_matrix(database, "tiny", "paper").best(2))
    assert set(study.flags) == {flag.key for flag in FLAGS}
    # The tiny facts hold no features of issues.
    assert set(study.flags["traceback"]) == {None}
    placed = sum(len(study.samples_of(pattern)) for pattern in Pattern)
    assert placed == sum(pattern is not None for pattern in study.patterns) > 0


def test_the_paper_s_counts_stand_beside_ours(tiny_reader: Reader) -> None:
    database = tiny_reader.snapshot()
    study = study_patterns(database, read_matrix(database, "tiny", "paper").best(2))
    beside = beside_the_paper(study, read_findings())
    printed = [(row.figure.value, row.figure.of) for row in beside]
    assert printed == [(49, 61), (35, 61), (21, 61), (25, 25), (15, 25)]


def test_table_1_is_read_by_benchmark() -> None:
    found = read_statistics()
    assert found["SWE-bench Verified"]["patches_present_pct"] == 78.9
    assert found["Multi-SWE-bench"]["repositories"] == 9


def test_a_broken_figure_is_named_by_its_line(tmp_path: Path) -> None:
    folder = tmp_path / "paper"
    folder.mkdir()
    (folder / "table1.csv").write_text("benchmark,measure,value\nA,samples,many\n", encoding="utf-8")
    with pytest.raises(BenchCheckerError, match=r"table1\.csv:2: 'many' is no number"):
        read_statistics(tmp_path)
    with pytest.raises(BenchCheckerError, match="the paper's figures are not here"):
        read_findings(tmp_path)
