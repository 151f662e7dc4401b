"""The page that audits a results file, in a real browser."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from reader import Reading

from dashboard import words
from engine.audit.audit import Audit, audit_file
from engine.store.connection import Snapshot

pytestmark = pytest.mark.browser
HOSTILE_NAME = "<img src=x onerror=window.hacked=1> **b** [x](y) $x$.json"
HOSTILE_ID = '<script>window.hacked=1</script>"=1+1'
ALPHA = "alpha-2"


def resolved(facts: Snapshot, submission: str = "s007") -> list[str]:
    rows = facts.rows(
        "SELECT sample FROM result "
        "WHERE benchmark = 'tiny-verified' AND submission = ? AND outcome = 'resolved'",
        [submission],
    )
    return [row["sample"] for row in rows]


def written(folder: Path, content: Any, name: str = "my-agent.json") -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1), encoding="utf-8")
    return path


def drop(tab: Reading, path: Path) -> None:
    tab.page.locator("input[type=file]").set_input_files(path)


def expected(facts: Snapshot, path: Path, **asked: Any) -> Audit:
    return audit_file(facts, path, models=(ALPHA,), detector="paper", **asked)


def test_a_dropped_file_gives_the_verdict_the_two_numbers_and_a_download(
    tab: Reading, facts: Snapshot, tmp_path: Path
) -> None:
    path = written(tmp_path, {"resolved": resolved(facts)})
    tab.open("audit?detector=paper")
    expect(tab.page.get_by_text("It stays on the machine that serves this page")).to_be_visible()
    drop(tab, path)
    expect(tab.page.get_by_text("Now choose the")).to_be_visible()
    tab.choose("Model", "Alpha 2 · 2024-04-30")
    tab.wait_for_state(lambda state: state.get("model") == [ALPHA])
    whole = expected(facts, path).overall
    expect(tab.page.get_by_role("heading", name="Contaminated samples score higher:")).to_be_visible()
    for share in (whole.contaminated, whole.clean):
        assert share.n > 0
        metric = tab.page.locator('[data-testid="stMetric"]', has_text=f"{share.k}/{share.n}")
        expect(metric).to_contain_text(words.percent(share.rate))
    with tab.page.expect_download() as started:
        tab.page.get_by_role("button", name="Download CSV").first.click()
    rows = list(csv.DictReader(io.StringIO(Path(started.value.path()).read_text(encoding="utf-8"))))
    assert (rows[0]["clean_resolved"], rows[0]["clean_total"]) == (str(whole.clean.k), str(whole.clean.n))


def test_a_cutoff_outweighs_the_model_and_the_address_holds_both(
    tab: Reading, facts: Snapshot, tmp_path: Path
) -> None:
    path = written(tmp_path, {"resolved": resolved(facts)})
    tab.open(f"audit?detector=paper&model={ALPHA}&cutoff=2016-01-01")
    drop(tab, path)
    expect(tab.page.get_by_text("training cutoff 2016-01-01 (given)")).to_be_visible()
    expect(tab.page.get_by_text("no sample is known to be contaminated")).to_be_visible()


def test_hostile_names_and_ids_are_shown_as_typed(tab: Reading, facts: Snapshot, tmp_path: Path) -> None:
    path = written(tmp_path, {"resolved": [*resolved(facts), HOSTILE_ID]}, HOSTILE_NAME)
    tab.open(f"audit?detector=paper&model={ALPHA}")
    drop(tab, path)
    expect(tab.table("problems")).to_contain_text(HOSTILE_ID)
    line = path.read_text().splitlines().index("  " + json.dumps(HOSTILE_ID)) + 1
    expect(tab.cell("problems", "1", "line")).to_have_text(str(line))
    expect(tab.page.get_by_text(HOSTILE_NAME.removesuffix(".json"), exact=True).first).to_be_visible()
    assert tab.page.locator("img[src='x']").count() == 0


@pytest.mark.parametrize(
    ("name", "content", "line", "told", "remedy"),
    [
        ("a.json", '{"resolved":\n [oops]}', "2", "not valid JSON", "correct the file"),
        ("notes.txt", "hello", "1", "not valid JSON", "correct the file"),
        ("logs.zip", "PK", "–", "is an archive", "unpack it first"),
        ("b.json", '{"resolved": ["q__q-1"]}', "1", "none of its 1 resolved ids", "check its spelling"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_line_and_remedy(
    tab: Reading, tmp_path: Path, name: str, content: str, line: str, told: str, remedy: str
) -> None:
    tab.open(f"audit?detector=paper&model={ALPHA}")
    drop(tab, written(tmp_path, content, name))
    expect(tab.page.get_by_text("cannot be audited")).to_be_visible()
    expect(tab.cell("problems", "0", "line")).to_have_text(line)
    expect(tab.cell("problems", "0", "what")).to_contain_text(told)
    expect(tab.cell("problems", "0", "remedy")).to_contain_text(remedy)


def test_of_a_matrix_the_reader_chooses_a_submission(tab: Reading, facts: Snapshot, tmp_path: Path) -> None:
    lines = [
        {"subject_id": name, "responses": dict.fromkeys(resolved(facts, name), 1)}
        for name in ("s003", "s007")
    ]
    path = written(tmp_path, "".join(json.dumps(line) + "\n" for line in lines), "matrix.jsonl")
    tab.open(f"audit?detector=paper&model={ALPHA}")
    drop(tab, path)
    expect(tab.page.get_by_text("holds 2 submissions")).to_be_visible()
    tab.choose("Submission", "s007")
    whole = expected(facts, path, submission="s007").overall
    expect(tab.page.locator('[data-testid="stMetric"]').last).to_contain_text(f"{whole.before.k}/68")
