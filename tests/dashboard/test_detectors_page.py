"""Two detectors side by side, driven in a browser and held to what the database says."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from playwright.sync_api import expect
from reader import Reading

from engine.store.connection import Snapshot

pytestmark = pytest.mark.browser
PAGE = "detectors?benchmark=tiny-verified&detector=paper&cutoff=2024-04-30"
PAIRS = """
    SELECT sample, one.label, two.label AS other
    FROM label_at('paper', DATE '2024-04-30') AS one JOIN label_at('traced', DATE '2024-04-30') AS two
    USING (sample) JOIN membership USING (sample) JOIN difficulty USING (benchmark, difficulty)
    WHERE benchmark = 'tiny-verified' ORDER BY rank, sample
"""


def labels(facts: Snapshot) -> list[tuple[str, str, str]]:
    return [(row["sample"], row["label"], row["other"]) for row in facts.rows(PAIRS)]


def test_the_samples_on_which_two_detectors_disagree_are_counted_listed_and_downloaded(
    tab: Reading, facts: Snapshot
) -> None:
    pairs = labels(facts)
    judged = [pair for pair in pairs if "unknown" not in pair[1:]]
    differ = [sample for sample, one, two in judged if one != two]
    assert 0 < len(differ) < len(judged) < len(pairs)
    tab.open(PAGE)
    tab.wait_for_ids("pairs", differ)
    expect(tab.page.get_by_text(f"disagree on {len(differ)} of {len(judged)} samples")).to_be_visible()
    with tab.page.expect_download() as started:
        tab.page.get_by_role("button", name="Download CSV").first.click()
    rows = list(csv.DictReader(io.StringIO(Path(started.value.path()).read_text(encoding="utf-8"))))
    assert [row["sample"] for row in rows] == differ
    assert {(row["label"], row["other_label"]) for row in rows} <= {
        ("clean", "contaminated"),
        ("contaminated", "clean"),
    }


def test_unknown_samples_are_no_disagreement_and_can_be_shown(tab: Reading, facts: Snapshot) -> None:
    unknown = [sample for sample, *both in labels(facts) if "unknown" in both]
    tab.open(PAGE)
    tab.choose("Samples", "Unknown to either")
    tab.wait_for_state(lambda state: state.get("show") == ["unknown"])
    tab.wait_for_ids("pairs", unknown)


def test_the_leaderboard_says_how_often_the_other_detector_differs_and_leads_there(
    tab: Reading, facts: Snapshot
) -> None:
    tab.open("leaderboard?benchmark=tiny-verified&detector=paper&model=alpha-2")
    shown = {
        row["cutoff"]
        for row in facts.rows(
            """
            SELECT DISTINCT cutoff FROM submission_cutoff JOIN submission_model USING (benchmark, submission)
            WHERE benchmark = 'tiny-verified' AND model = 'alpha-2' AND cutoff IS NOT NULL
            """
        )
    }
    counts = {}
    for cutoff in shown:
        rows = facts.rows(PAIRS.replace("DATE '2024-04-30'", f"DATE '{cutoff}'"))
        known = [row for row in rows if "unknown" not in (row["label"], row["other"])]
        counts[cutoff] = sum(row["label"] != row["other"] for row in known)
    tab.page.get_by_role("link", name="Which, and why").click()
    expect(tab.page.locator("h1")).to_have_text("Where do the detectors disagree?")
    most = max(counts.values())
    assert most > 0
    expect(tab.page.get_by_text(f"disagree on {most} of")).to_be_visible()
    for cutoff, count in counts.items():
        expect(tab.cell("agreement", cutoff.isoformat(), "differ")).to_contain_text(f"{count}/")


def test_an_empty_choice_says_why_and_leads_back(tab: Reading, facts: Snapshot) -> None:
    # No fix had landed on this day: both call everything clean that they can judge.
    tab.open(PAGE.replace("2024-04-30", "2001-01-01"))
    expect(tab.page.get_by_text("No sample of")).to_be_visible()
    tab.page.get_by_role("button", name="Show all samples").click()
    tab.wait_for_state(lambda state: state.get("show") == ["all"])
    expect(tab.table("pairs")).to_be_visible()
