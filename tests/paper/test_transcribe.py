from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from engine.cli.app import build_app
from engine.paper.cells import read_cells
from engine.paper.transcribe import read_table, transcribe, transcribe_ablation, transcribe_cells
from engine.problems import BenchCheckerError
from engine.store.provenance import read_runs

SHORT = """
Text before, with Table 6: in the middle of a line.

Table 1: Something counted.

| Benchmark | One | Two |
| --- | --- | --- |
| Number of Repositories | 12 | 9 |
| Number of Bug-Fixing Samples | 500 | 128 |
| Ratio of Repositories Present in The Stack v2 | 100.0% | 97.8% |
| Ratio of Patches Present in The Stack v2 | 78.9% (3.2%) | 62.4% (10.8%) |

Table 5: Something left out.

| Stage I: First Test | AUC | TPR | FPR |
| --- | --- | --- | --- |
| All | 1.000 | 0.900 | 0.000 |
| Stage II: Second Test | AUC | TPR | FPR |
| All | 0.938 | 0.979 | 0.103 |

Table 6: By framework.

| Framework | Model | Overall | &lt; 15 min | &gt; 4 h |
| --- | --- | --- | --- | --- |
| Agent | Model-1 | 3/10 to 1/5 -33.3 | 2/6 to 1/2 +50.0 | 0/4 to 0/3 -0.0 |

Table 7: Java.

| Framework | Model | Overall | Easy | Medium | Hard |
| --- | --- | --- | --- | --- | --- |
| Agent | Model-1 | 1/2 to 0/1 -100.0 | 1/2 to 0/1 -100.0 | 0/0 to 0/0 -0.0 | 0/0 to 0/0 -0.0 |

Table 8: By date.

| Release Date | Model | Overall | 15 – 60 min | 1 – 4 h |
| --- | --- | --- | --- | --- |
| 2023-03 | Model-0 | 1/2 to 0/1 -100.0 | 1/1 to 0/1 -100.0 | 0/1 to 0/0 -0.0 |
Table 6 and Table 8 are discussed here.

Table 9: By date, Java.

| Release Date | Model | Overall | Easy |
| --- | --- | --- | --- |
| 2024-05 | Model-2 | 1/2 to 0/1 -100.0 | 1/2 to 0/1 -100.0 |
"""

# Cells as the paper's text has them: 3/10 $\rightarrow$ 1/5$\downarrow$ 33.3%
ARROWS = {"-": "down", "+": "up"}
PAPER = re.sub(
    r"(\d+/\d+) to (\d+/\d+) ([-+])([\d.]+)",
    lambda m: rf"{m[1]} $\rightarrow$ {m[2]}$\{ARROWS[m[3]]}arrow$ {m[4]}%",
    SHORT,
)


def test_cells_are_read_with_their_signs_and_levels() -> None:
    overall, quick, slow = transcribe_cells(PAPER, 6)
    assert (overall.row, overall.framework, overall.model, overall.release_month, overall.level) == (
        "Agent Model-1",
        "Agent",
        "Model-1",
        "",
        "overall",
    )
    assert (overall.before_resolved, overall.before_total) == (3, 10)
    assert (overall.after_resolved, overall.after_total) == (1, 5)
    assert (overall.relative_change_pct, quick.relative_change_pct) == (-33.3, 50.0)
    assert str(slow.relative_change_pct) == "0.0"
    assert (quick.level, slow.level) == ("lt15m", "gt4h")


def test_a_table_by_date_has_months_and_no_framework() -> None:
    cells = transcribe_cells(PAPER, 8)
    assert {(cell.row, cell.framework, cell.release_month) for cell in cells} == {
        ("2023-03 Model-0", "", "2023-03")
    }
    assert [cell.level for cell in cells] == ["overall", "15m_1h", "1h_4h"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Table 6: By", "Table X: By", "Table 6: 0 captions"),
        ("Table 5: Some", "Table 6: Some", "Table 6: 2 captions"),
        ("&lt; 15 min", "&lt; 20 min", r"columns \['< 20 min'\]"),
        ("2/6 $", "2 of 6 $", "Agent Model-1, < 15 min: cannot read '2 of 6"),
        (
            "| Framework | Model | Overall | &lt;",
            "prose\n| Framework | Model | Overall | &lt;",
            "no table follows",
        ),
    ],
)
def test_what_does_not_look_as_expected_is_refused(old: str, new: str, message: str) -> None:
    assert old in PAPER
    with pytest.raises(BenchCheckerError, match=message):
        transcribe_cells(PAPER.replace(old, new, 1), 6)


def test_the_ablation_knows_its_stages() -> None:
    assert transcribe_ablation(PAPER) == [
        ["I", "All", "1.000", "0.900", "0.000"],
        ["II", "All", "0.938", "0.979", "0.103"],
    ]


def test_all_tables_are_written_and_read_back(tmp_path: Path) -> None:
    paper = tmp_path / "paper.md"
    paper.write_text(PAPER, encoding="utf-8")
    written = list(transcribe(paper, tmp_path / "data"))
    assert [path.stem for path in written] == ["table1", "table5", "table6", "table7", "table8", "table9"]
    assert read_cells(7, tmp_path / "data") == transcribe_cells(PAPER, 7)
    statistics = written[0].read_text(encoding="utf-8").splitlines()
    assert statistics[0] == "benchmark,measure,value"
    assert "Two,patches_removed_earlier_pct,10.8" in statistics
    assert len(statistics) == 1 + 2 * 5


def test_the_command_records_its_run(tmp_path: Path) -> None:
    paper, data = tmp_path / "paper.md", tmp_path / "data"
    paper.write_text(PAPER, encoding="utf-8")
    result = CliRunner().invoke(build_app(), ["paper", "transcribe", str(paper), "--data", str(data)])
    assert result.exit_code == 0
    assert "paper/table9.csv" in result.stdout
    (run,) = read_runs(data)
    assert run["command"] == "paper transcribe paper.md"
    assert set(run["outputs"]) == {f"paper/table{number}.csv" for number in (1, 5, 6, 7, 8, 9)}


def test_a_paper_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(BenchCheckerError, match=r"absent\.md"):
        list(transcribe(tmp_path / "absent.md", tmp_path))
    (tmp_path / "latin.md").write_bytes(b"\xe9")
    with pytest.raises(BenchCheckerError, match="UTF-8"):
        list(transcribe(tmp_path / "latin.md", tmp_path))


@given(
    st.lists(
        st.lists(st.text(alphabet="abc 0123/%&<>–", max_size=8), min_size=2, max_size=2),
        min_size=1,
        max_size=4,
    )
)
def test_a_table_gives_the_cells_that_were_written(rows: list[list[str]]) -> None:
    def escaped(cell: str) -> str:
        return cell.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

    lines = ["| " + " | ".join(escaped(cell) for cell in row) + " |" for row in [["a", "b"], *rows]]
    text = "\n".join(["Table 3: x.", "", lines[0], "| --- | --- |", *lines[1:], "", "After."])
    expected = [["a", "b"]] + [[cell.strip() for cell in row] for row in rows]
    assert read_table(text, 3) == expected
