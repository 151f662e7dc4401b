from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from tiny_facts import SAMPLES, row

from engine.leaderboard.board import Leaderboard, LeaderboardRow, leaderboard
from engine.leaderboard.filters import Filters
from engine.problems import BenchCheckerError
from engine.statistics.proportions import Proportion, relative_change
from engine.store.build import build_database
from engine.store.connection import Reader
from engine.store.facts import read_facts, write_facts


def board(reader: Reader, **options: object) -> Leaderboard:
    return leaderboard(reader.snapshot(), "tiny", "paper", **options)  # type: ignore[arg-type]


def by_key(made: Leaderboard) -> dict[str, LeaderboardRow]:
    return {entry.submission.submission: entry for entry in made.rows}


def test_before_and_after_of_every_submission(tiny_reader: Reader) -> None:
    rows = by_key(board(tiny_reader))
    # The labels behind these counts are in tests/store/test_labels.py.
    assert {key: (entry.before, entry.after) for key, entry in rows.items()} == {
        "sub-a": (Proportion(3, 6), Proportion(1, 2)),
        "sub-b": (Proportion(5, 6), Proportion(2, 2)),
        "sub-c": (Proportion(1, 6), None),
        "sub-d": (None, None),
        "sub-e": (Proportion(2, 6), Proportion(1, 2)),
    }
    first = rows["sub-b"].overall
    assert first is not None
    assert (first.contaminated, first.unknown) == (Proportion(2, 2), Proportion(1, 2))
    assert first.relative_change == pytest.approx(relative_change(Proportion(5, 6), Proportion(2, 2)))


def test_levels_of_difficulty_add_up(tiny_reader: Reader) -> None:
    rows = by_key(board(tiny_reader))
    easy, hard = rows["sub-a"].levels["easy"], rows["sub-a"].levels["hard"]
    assert (easy.before, easy.clean) == (Proportion(3, 4), Proportion(1, 1))
    assert (hard.before, hard.clean) == (Proportion(0, 2), Proportion(0, 1))
    for entry in rows.values():
        for group in ("before", "clean", "contaminated", "unknown"):
            parts = [getattr(level, group) for level in entry.levels.values()]
            whole = getattr(entry.overall, group) if entry.overall else Proportion(0, 0)
            assert (sum(part.k for part in parts), sum(part.n for part in parts)) == (whole.k, whole.n)


def test_rows_are_ordered_by_the_rate_before_and_the_unusable_come_last(tiny_reader: Reader) -> None:
    assert list(by_key(board(tiny_reader))) == ["sub-b", "sub-a", "sub-e", "sub-c", "sub-d"]


def test_rows_without_adjusted_figures_say_why(tiny_reader: Reader) -> None:
    rows = by_key(board(tiny_reader))
    assert rows["sub-c"].reason == "unknown model"
    assert rows["sub-c"].submission.cutoff is None
    assert rows["sub-c"].submission.models == ("mystery",)
    assert rows["sub-d"].reason == "results not used: per-sample data do not match the board"
    assert rows["sub-d"].levels == {}
    assert rows["sub-a"].reason is None


def test_several_models_take_the_latest_cutoff_and_the_weaker_basis(tiny_reader: Reader) -> None:
    rows = by_key(board(tiny_reader))
    both = rows["sub-e"].submission
    assert (both.cutoff, both.basis, both.models) == (date(2025, 3, 31), "estimated", ("new", "old"))
    assert both.model_titles == ("New", "Old")
    assert rows["sub-b"].submission.basis == "published"


def test_ranks_are_among_the_rows_with_both_figures(tiny_reader: Reader) -> None:
    rows = by_key(board(tiny_reader))
    places = {
        key: (entry.rank_before and entry.rank_before.rank, entry.rank_after and entry.rank_after.rank)
        for key, entry in rows.items()
    }
    assert places == {
        "sub-a": (2, 2),
        "sub-b": (1, 1),
        "sub-c": (None, None),
        "sub-d": (None, None),
        "sub-e": (3, 2),
    }
    for entry in rows.values():
        for place in (entry.rank_before, entry.rank_after):
            assert place is None or 1 <= place.low <= place.rank <= place.high <= 3


def test_a_threshold_moves_samples_between_the_groups(tiny_reader: Reader) -> None:
    row_b = by_key(board(tiny_reader, threshold=0.6))["sub-b"]
    assert row_b.after == Proportion(1, 1)
    assert row_b.before == Proportion(5, 6)
    assert board(tiny_reader).threshold == 0.7


def test_a_level_restricts_every_figure(tiny_reader: Reader) -> None:
    made = board(tiny_reader, difficulty="hard")
    rows = by_key(made)
    assert (rows["sub-b"].before, rows["sub-b"].after) == (Proportion(1, 2), Proportion(0, 0))
    assert made.difficulty == "hard"
    assert rows["sub-b"].levels == {}
    assert rows["sub-b"].rank_after is None


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(), {"sub-a", "sub-b", "sub-c", "sub-d", "sub-e"}),
        (Filters(frameworks=("Agent & Co_1",)), {"sub-a"}),
        (Filters(frameworks=("nobody",)), set()),
        (Filters(models=("old",)), {"sub-a", "sub-d", "sub-e"}),
        (Filters(open_weights=True), {"sub-b"}),
        (Filters(submitted_from=date(2026, 4, 1)), {"sub-d", "sub-e"}),
        (Filters(submitted_to=date(2026, 2, 1)), {"sub-a", "sub-b"}),
        (Filters(submitted_from=date(2026, 2, 1), submitted_to=date(2026, 3, 1)), {"sub-b", "sub-c"}),
        (Filters(models=("old",), submitted_to=date(2026, 1, 1)), {"sub-a"}),
    ],
)
def test_filters_choose_rows(tiny_reader: Reader, filters: Filters, expected: set[str]) -> None:
    assert set(by_key(board(tiny_reader, filters=filters))) == expected


def test_a_submission_without_a_date_meets_no_condition_on_dates(tiny_data: Path, tmp_path: Path) -> None:
    rows = read_facts(tiny_data, "submission")
    write_facts(tiny_data, "submission", [entry | {"submitted_on": None} for entry in rows])
    reader = Reader(build_database(tiny_data, tmp_path / "b.duckdb").database)
    assert board(reader, filters=Filters(submitted_from=date(1970, 1, 1))).rows == ()
    assert len(board(reader).rows) == 5


def test_the_default_detector_is_the_one_marked_so(tiny_reader: Reader) -> None:
    made = leaderboard(tiny_reader.snapshot(), "tiny")
    assert (made.detector, made.threshold) == ("traced", 0.5)
    # `traced` judged nothing, so that only what landed after the cutoff is known.
    assert by_key(made)["sub-a"].after == Proportion(0, 1)
    assert by_key(made)["sub-b"].after == Proportion(0, 0)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"benchmark": "huge"}, "use one of tiny"),
        ({"benchmark": "tiny", "detector": "best"}, "use one of paper, traced"),
        ({"benchmark": "tiny", "difficulty": "medium"}, "use one of easy, hard"),
        ({"benchmark": "tiny", "threshold": 1.5}, "between 0 and 1"),
    ],
)
def test_a_strange_key_lists_those_there_are(
    tiny_reader: Reader, arguments: dict[str, object], expected: str
) -> None:
    with pytest.raises(BenchCheckerError, match=expected):
        leaderboard(tiny_reader.snapshot(), **arguments)  # type: ignore[arg-type]


def test_a_benchmark_with_samples_missing_has_no_denominator(tiny_data: Path, tmp_path: Path) -> None:
    last = SAMPLES[-1]
    for name in ("membership", "result"):
        write_facts(
            tiny_data, name, [entry for entry in read_facts(tiny_data, name) if entry["sample"] != last]
        )
    reader = Reader(build_database(tiny_data, tmp_path / "b.duckdb").database)
    with pytest.raises(BenchCheckerError, match="6 samples, the facts hold 5"):
        board(reader)


def test_unreported_samples_count_as_unresolved(tiny_data: Path, tmp_path: Path) -> None:
    kept = [
        entry
        for entry in read_facts(tiny_data, "result")
        if entry["submission"] != "sub-a" or entry["outcome"] == "resolved"
    ]
    write_facts(tiny_data, "result", kept)
    write_facts(
        tiny_data,
        "outside_result",
        [row("outside_result", benchmark="tiny", submission="sub-a", reported_id="z__z-1")],
    )
    reader = Reader(build_database(tiny_data, tmp_path / "b.duckdb").database)
    assert by_key(board(reader))["sub-a"].before == Proportion(3, 6)


def test_other_benchmarks_do_not_mix_in(tiny_data: Path, tmp_path: Path) -> None:
    text = (tiny_data / "benchmark.toml").read_text(encoding="utf-8")
    twin = text.replace('"tiny"', '"twin"').replace("size = 6", "size = 1")
    (tiny_data / "benchmark.toml").write_text(text + twin, encoding="utf-8")
    add = [row("membership", benchmark="twin", sample="b__two-3", difficulty="easy")]
    write_facts(tiny_data, "membership", [*read_facts(tiny_data, "membership"), *add])
    other = [
        entry | {"benchmark": "twin"}
        for entry in read_facts(tiny_data, "submission")
        if entry["submission"] == "sub-a"
    ]
    write_facts(tiny_data, "submission", [*read_facts(tiny_data, "submission"), *other])
    solved = [
        row("result", benchmark="twin", submission="sub-a", sample="b__two-3", outcome="resolved"),
    ]
    write_facts(tiny_data, "result", [*read_facts(tiny_data, "result"), *solved])
    reader = Reader(build_database(tiny_data, tmp_path / "b.duckdb").database)
    assert by_key(board(reader))["sub-a"].before == Proportion(3, 6)
    twin_rows = by_key(leaderboard(reader.snapshot(), "twin", "paper"))
    assert set(twin_rows) == {"sub-a"}
    assert twin_rows["sub-a"].before == Proportion(1, 1)
