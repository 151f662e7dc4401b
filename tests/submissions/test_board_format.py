"""The leaderboard site's data."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from engine.problems import Loaded, Severity
from engine.submissions.metadata import parse_flag
from engine.submissions.outcomes import Place
from engine.submissions.submission import Submission

Reader = Callable[..., Loaded[Submission]]
PLACE = Place("board.json", "x")


def board(path: Path, **tables: list[Any]) -> Path:
    value = {"leaderboards": [{"name": name, "results": entries} for name, entries in tables.items()]}
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def entry(**fields: Any) -> dict[str, Any]:
    return {
        "name": "Agent + Model",
        "folder": "20250101_agent_model",
        "date": "2025-01-02",
        "resolved": 50.0,
        "os_model": True,
        "os_system": False,
        "checked": None,
        "tags": [
            "Model: model-1",
            "Org: Somebody",
            "Model: model-2",
            "Model: model-1",
            "System: Attempts - 1",
        ],
        **fields,
    }


def test_an_entry(tmp_path: Path, read: Reader):
    (found,) = read(board(tmp_path / "b.json", Verified=[entry()]), source="site@abc").rows
    assert found == Submission(
        submission="20250101_agent_model",
        source="site@abc",
        title="Agent + Model",
        submitted_on=date(2025, 1, 2),
        open_weights=True,
        open_system=False,
        reported_rate=0.5,
        model_tags=("model-1", "model-2"),
    )


def test_rates_keep_their_digits(tmp_path: Path, read: Reader):
    for percent, rate in ((64.93, 0.6493), (21.04, 0.2104), (0.2, 0.002), (70, 0.7)):
        (found,) = read(board(tmp_path / "b.json", Verified=[entry(resolved=percent)])).rows
        assert found.reported_rate == rate


def test_the_first_board_is_believed_and_the_second_adds(tmp_path: Path, read: Reader):
    details = {"a__x-1": {"resolved": True}, "a__x-2": {"resolved": False}}
    bash = entry(name="Model", per_instance_details=details)
    alone = entry(name="Model 2", folder="20250102_mini_model")
    loaded = read(
        board(tmp_path / "b.json", **{"bash-only": [bash, alone], "Verified": [entry()], "Lite": []})
    )
    both, second = loaded.rows
    assert both.title == "Agent + Model"
    assert both.framework == "mini-SWE-agent"
    assert both.results is not None
    assert both.results.resolved == {"a__x-1"}
    assert (second.title, second.framework) == ("Model 2", "mini-SWE-agent")
    assert "boards of other benchmarks were not read: Lite" in [
        problem.message for problem in loaded.problems
    ]


@pytest.mark.parametrize(
    ("value", "flag", "doubts"),
    [
        (True, True, 0),
        (False, False, 0),
        (None, None, 0),
        ("false (See README.md for info on how to get your results verified)", False, 0),
        ("True", True, 0),
        (" FALSE ", False, 0),
        ("falsehood", None, 1),
        ("", None, 1),
        (1, None, 1),
        ([], None, 1),
    ],
)
def test_checked_is_a_boolean_a_text_or_nothing(value: Any, flag: bool | None, doubts: int):
    found, problems = parse_flag(value, "checked", PLACE)
    assert found is flag
    assert [problem.severity for problem in problems] == [Severity.WARNING] * doubts


def test_names_keep_markup_and_formulas_and_lose_control_characters(tmp_path: Path, read: Reader):
    name = '=HYPERLINK("http://x")<script>alert(1)</script>\x00\x1b[2J\n' + "y" * 1000
    (found,) = read(board(tmp_path / "b.json", Verified=[entry(name=name)])).rows
    assert found.title is not None
    assert found.title.startswith('=HYPERLINK("http://x")<script>alert(1)</script>\ufffd\ufffd[2J yyy')
    assert len(found.title) == 300


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"folder": "../x"}, "folder cannot be a folder's name"),
        ({"folder": None}, "folder: "),
        ({"resolved": 120}, "resolved: "),
        ({"tags": "Model: x"}, "tags: "),
        ({"name": None}, "name: "),
    ],
)
def test_a_broken_entry_is_named_and_the_others_are_read(
    tmp_path: Path, read: Reader, fields: dict[str, Any], message: str
):
    loaded = read(board(tmp_path / "b.json", Verified=[entry(**fields), entry(folder="20250103_ok"), 7]))
    assert [found.submission for found in loaded.rows] == ["20250103_ok"]
    assert message in loaded.errors[0].message
    assert len(loaded.errors) == 2


def test_a_date_that_is_none(tmp_path: Path, read: Reader):
    loaded = read(board(tmp_path / "b.json", Verified=[entry(date="soon")]))
    assert loaded.rows[0].submitted_on is None
    assert "'soon' is not YYYY-MM-DD" in loaded.problems[0].message


def test_a_warning_of_the_board_is_kept(tmp_path: Path, read: Reader):
    (found,) = read(board(tmp_path / "b.json", Verified=[entry(warning="withdrawn")])).rows
    assert found.notes == ("the leaderboard warns: withdrawn",)


def test_a_site_without_the_benchmarks_boards(tmp_path: Path, read: Reader):
    path = board(tmp_path / "b.json", Lite=[entry()])
    path.write_text(json.dumps({"leaderboards": [{"name": "Lite", "results": []}, "junk"]}), encoding="utf-8")
    messages = [problem.message for problem in read(path).errors]
    assert messages == ["a board without `name` and `results` was left out", "no board of small has an entry"]
