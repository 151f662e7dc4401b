"""The findings are read by the same rule everywhere, and their figures are those of plain counting."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from engine.cli.app import build_app
from engine.export.findings import findings_table, printed_findings
from engine.paths import DATA_DIR, PROJECT_ROOT
from engine.problems import BenchCheckerError
from engine.report.findings import STATEMENTS, Findings
from engine.report.reading import Answer, by_sign
from engine.report.readme import END, START, readme_part, write_readme
from engine.statistics.proportions import Interval
from engine.store.connection import Snapshot


@pytest.mark.parametrize(
    ("low", "high", "claimed", "answer"),
    [
        (0.1, 0.5, 1, Answer.YES),
        (0.1, 0.5, -1, Answer.NO),
        (-0.5, -0.1, -1, Answer.YES),
        (-0.5, -0.1, 1, Answer.NO),
        (-0.1, 0.5, 1, Answer.OPEN),
        (0.0, 0.5, 1, Answer.OPEN),
    ],
)
def test_a_finding_holds_by_where_the_interval_lies(
    low: float, high: float, claimed: int, answer: Answer
) -> None:
    reading = by_sign("x", Interval(low, high), claimed=claimed, what="it")
    assert reading.answer is answer
    assert reading.reason.startswith("it ")


def test_every_finding_is_read_by_every_detector(own_findings: Findings) -> None:
    assert [row.number for row in own_findings.rows] == list(range(len(STATEMENTS)))
    assert set(own_findings.detectors) == {"paper", "traced"}
    assert own_findings.default == "traced"
    for row in own_findings.rows:
        assert row.paper
        assert set(row.ours) == set(row.within) == set(own_findings.detectors)
        assert all(reading.reason for reading in (*row.ours.values(), *row.within.values()))


def change_by_hand(facts: Snapshot, submission: str, detector: str) -> float:
    """Count one change of Table 6 with plain SQL, at the detector's own threshold."""
    (row,) = facts.rows(
        """
        WITH own AS (SELECT * FROM submission_cutoff WHERE submission = $submission)
        SELECT avg(CAST(outcome = 'resolved' AS INTEGER)) AS before,
               avg(CAST(outcome = 'resolved' AS INTEGER)) FILTER (WHERE label = 'clean') AS after
        FROM result JOIN own USING (benchmark, submission) JOIN label_at(
            $detector, (SELECT cutoff FROM own), model_keys := (SELECT models FROM own)
        ) USING (sample)
        """,
        {"submission": submission, "detector": detector},
    )
    return float(row["after"] / row["before"] - 1)


@pytest.mark.parametrize("detector", ["paper", "traced"])
def test_the_ends_of_findings_3_and_4_are_those_of_plain_counting(
    own_facts: Snapshot, own_findings: Findings, detector: str
) -> None:
    with (DATA_DIR / "paper" / "row.csv").open(encoding="utf-8") as stream:
        rows = {(row["table"], row["row"]): row["submission"] for row in csv.DictReader(stream)}
    family = [name for (table, row), name in rows.items() if table == "6" and "Claude-4" in row]
    assert len(family) == 7
    changes = [change_by_hand(own_facts, name, detector) for name in family]
    ends = [f"{100 * end:+.1f}%".replace("-", "−") for end in (min(changes), max(changes))]
    assert f"{ends[0]} to {ends[1]}" in own_findings.rows[3].ours[detector].figure
    oldest = change_by_hand(own_facts, rows["8", "2023-03 GPT-4"], detector)
    assert f"all: {100 * oldest:+.1f}%".replace("-", "−") in own_findings.rows[4].ours[detector].figure


def test_the_readme_is_what_the_command_makes_of_the_facts(own_findings: Findings) -> None:
    readme = (PROJECT_ROOT / "README.md").read_text(encoding="utf-8")
    assert readme_part(own_findings) in readme, (
        "data/ has changed: run `benchchecker build && benchchecker findings --readme README.md`"
    )


def test_the_readme_is_written_between_the_markers_only(own_findings: Findings, tmp_path: Path) -> None:
    path = tmp_path / "README.md"
    path.write_text(f"before\n\n{START}\nyesterday\n{END}\n\nafter\n", encoding="utf-8")
    assert write_readme(path, own_findings)
    text = path.read_text(encoding="utf-8")
    assert text.startswith(f"before\n\n{START}\n| Finding |")
    assert text.endswith(f"{END}\n\nafter\n")
    assert "yesterday" not in text
    assert not write_readme(path, own_findings)
    path.write_text("no markers", encoding="utf-8")
    with pytest.raises(BenchCheckerError, match="add the lines"):
        write_readme(path, own_findings)
    with pytest.raises(BenchCheckerError, match="cannot be read"):
        write_readme(tmp_path / "gone.md", own_findings)


def test_the_command_writes_every_format(own_database: Path, own_findings: Findings, tmp_path: Path) -> None:
    def run(*words: str) -> Any:
        done = CliRunner().invoke(build_app(), ["findings", "--database", str(own_database), *words])
        assert done.exit_code == 0, done.output
        return done

    rows = list(csv.DictReader(io.StringIO(run("--format", "csv").stdout)))
    assert len(rows) == len(findings_table(own_findings).rows) == len(STATEMENTS) * 2
    assert {row["holds"] for row in rows} <= {answer.value for answer in Answer}
    assert len(printed_findings(own_findings).rows) == len(STATEMENTS)
    copy = tmp_path / "README.md"
    copy.write_text(f"{START}\n{END}\n", encoding="utf-8")
    assert "written anew" in run("--readme", str(copy)).stdout
    assert "up to date" in run("--readme", str(copy)).stdout
