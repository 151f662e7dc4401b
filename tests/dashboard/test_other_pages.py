"""The pages of a submission, of a sample, and of methods, in a real browser."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from playwright.sync_api import expect
from reader import Reading

from dashboard import words
from engine.leaderboard.board import leaderboard
from engine.store.connection import Snapshot

pytestmark = pytest.mark.browser
SUBMISSION = "submission?submission=s007&benchmark=tiny-verified&detector=paper"


def test_a_reader_drills_from_the_ranking_to_a_sample_and_back(tab: Reading) -> None:
    tab.open("leaderboard?detector=paper")
    tab.cell("leaderboard", "s007", "submission").get_by_role("link").click()
    expect(tab.page.locator("h1")).to_have_text("mini-agent + Alpha 2 #7")
    tab.cell("samples", "acme__widgets-110", "sample").get_by_role("link").click()
    expect(tab.page.locator("h1")).to_have_text("Was the fix in the repository?")
    # At the submission's own cutoff: at another the label may be another.
    labelled = {"sample": ["acme__widgets-110"], "detector": ["paper"], "threshold": ["0.7"]}
    assert tab.state() == {**labelled, "cutoff": ["2024-04-30"]}
    tab.page.go_back()
    expect(tab.page.locator("h1")).to_have_text("mini-agent + Alpha 2 #7")
    tab.page.go_back()
    expect(tab.page.locator("h1")).to_have_text("How much of each score survives on clean samples?")
    assert tab.state() == {"detector": ["paper"]}


def test_a_submission_shows_each_level_of_difficulty(
    look_at: Callable[[str], Reading], facts: Snapshot
) -> None:
    tab = look_at(SUBMISSION)
    row = next(
        row
        for row in leaderboard(facts, "tiny-verified", "paper").rows
        if row.submission.submission == "s007"
    )
    assert row.overall is not None
    for key, comparison in {"all": row.overall, **row.levels}.items():
        for column, share in (
            ("before", comparison.before),
            ("contaminated", comparison.contaminated),
            ("after", comparison.clean),
        ):
            expect(tab.cell("levels", key, column)).to_contain_text(words.percent(share.rate))
            expect(tab.cell("levels", key, column)).to_contain_text(f"{share.k}/{share.n}")
    for sentence in row.overall.judgement.sentences:
        expect(tab.page.get_by_text(sentence).first).to_be_visible()


def test_a_submission_s_samples_are_filtered_by_label_and_downloaded(tab: Reading, facts: Snapshot) -> None:
    tab.open(SUBMISSION)
    tab.choose("Label", "Unknown")
    tab.wait_for_state(lambda state: state.get("label") == ["unknown"])
    expected = [
        row["sample"]
        for row in facts.rows(
            """
            SELECT sample FROM label_at('paper', DATE '2024-04-30', model_keys := ['alpha-2'])
            JOIN membership USING (sample) JOIN difficulty USING (benchmark, difficulty)
            WHERE benchmark = 'tiny-verified' AND label = 'unknown' ORDER BY rank, sample
            """
        )
    ]
    assert expected
    tab.wait_for_ids("samples", expected)
    tab.page.get_by_text(f"Why {len(expected)} samples are unknown").click()
    expect(tab.page.get_by_text("no judgement of this sample reaches the cutoff: ")).to_be_visible()
    with tab.page.expect_download() as started:
        tab.page.get_by_role("button", name="Download CSV").last.click()
    rows = list(csv.DictReader(io.StringIO(Path(started.value.path()).read_text(encoding="utf-8"))))
    assert [row["sample"] for row in rows] == expected


def test_a_submission_without_a_known_model_is_listed_with_its_reason(tab: Reading) -> None:
    tab.open("submission?submission=s005&benchmark=tiny-verified")
    expect(tab.page.get_by_text("no figure after:")).to_contain_text("unknown model")
    expect(tab.cell("models", "delta", "cutoff")).to_contain_text("not known")
    expect(tab.cell("levels", "all", "before")).to_contain_text("53/68")
    expect(tab.cell("levels", "all", "after")).to_have_count(0)


def test_a_link_to_a_submission_that_is_gone_says_so(tab: Reading) -> None:
    tab.open("submission?submission=<i>gone</i>&benchmark=tiny-verified")
    expect(tab.page.get_by_text("There is no submission <i>gone</i> in this database")).to_be_visible()
    tab.page.get_by_role("link", name="Open the leaderboard").click()
    expect(tab.page.locator("h1")).to_have_text("How much of each score survives on clean samples?")


def test_a_sample_is_found_by_a_part_of_its_id(tab: Reading) -> None:
    tab.open("sample")
    search = tab.page.get_by_role("combobox", name="Sample")
    search.fill("widgets-119")
    tab.page.get_by_role("option", name="acme__widgets-119").click()
    tab.wait_for_state(lambda state: state.get("sample") == ["acme__widgets-119"])
    expect(tab.page.get_by_role("heading", name="Fix rounding in step 119")).to_be_visible()


def test_the_verdict_on_a_sample_moves_with_the_cutoff(tab: Reading, facts: Snapshot) -> None:
    tab.open("sample?sample=acme__widgets-119&detector=paper&cutoff=2022-03-15")
    present, absent = (
        facts.rows("SELECT * FROM presence_at('paper', ?) WHERE sample = 'acme__widgets-119'", [day])[0]
        for day in (date(2022, 3, 15), date(2025, 3, 31))
    )
    assert (present["score"], absent["score"]) == (1.0, 0.45)
    expect(tab.page.get_by_text("At the cutoff 2022-03-15 the fix was in the repository")).to_be_visible()
    tab.choose("Training cutoff", "2025-03-31 · Beta 400B")
    expect(tab.page.get_by_text("At the cutoff 2025-03-31 the fix was not in the repository")).to_be_visible()
    expect(tab.cell("blocks", "0", "score")).to_have_text("0.45")


def test_evidence_links_to_the_lines_on_github(look_at: Callable[[str], Reading]) -> None:
    tab = look_at("sample?sample=acme__widgets-119&detector=paper")
    commit = f"{119 + 9:040x}"
    place = tab.cell("blocks", "0", "place").get_by_role("link")
    expect(place).to_have_attribute(
        "href", f"https://github.com/acme/widgets/blob/{commit}/src/m%C3%B3dulo%200/core.py#L40-L44"
    )
    expect(place).to_have_attribute("rel", "noopener noreferrer")
    expect(tab.page.get_by_role("link", name="Pull request")).to_have_attribute(
        "href", "https://github.com/acme/widgets/pull/119"
    )


def test_the_life_of_a_sample_is_drawn_and_told(look_at: Callable[[str], Reading]) -> None:
    tab = look_at("sample?sample=acme__widgets-119&detector=paper")
    told = tab.page.get_by_label("The fix landed on").first.get_attribute("aria-label") or ""
    assert "As published:" in told
    assert "absent, score 0.45" in told
    expect(tab.page.locator(".js-plotly-plot .subplot")).to_have_count(3)


def test_who_resolved_a_sample_with_labels_at_their_own_cutoffs(
    look_at: Callable[[str], Reading], facts: Snapshot
) -> None:
    tab = look_at("sample?sample=acme__widgets-119&detector=paper")
    outcomes = facts.rows(
        "SELECT submission, outcome FROM result JOIN submission USING (benchmark, submission) "
        "WHERE sample = 'acme__widgets-119' AND use_results"
    )
    assert set(tab.ids("who")) == {f"tiny-verified/{row['submission']}" for row in outcomes}
    resolved = sum(row["outcome"] == "resolved" for row in outcomes)
    said = tab.page.get_by_text("Of all submissions")
    expect(said).to_contain_text(f"Of all submissions {resolved}/{len(outcomes)} resolved it")
    expect(tab.cell("who", "tiny-verified/s003", "label")).to_have_text("○Clean")
    expect(tab.cell("who", "tiny-verified/s005", "label")).to_contain_text("no known cutoff")


def test_a_sample_that_is_not_there_says_so(tab: Reading) -> None:
    tab.open("sample?sample=gone__gone-1")
    expect(tab.page.get_by_text("There is no sample gone__gone-1 in this database")).to_be_visible()


def test_methods_come_from_the_database(tab: Reading, facts: Snapshot) -> None:
    tab.open("methods")
    expect(tab.cell("detectors", "traced", "threshold")).to_have_text("0.80")
    expect(tab.page.get_by_text(facts.meta.data_sha256)).to_be_visible()
    tab.page.get_by_text("The registry of 6 models").click()
    expect(tab.cell("models", "gamma", "title")).to_contain_text("Gamma <b>bold</b>")
    tab.page.get_by_text("1 run that made the facts").click()
    expect(tab.cell("runs", "0123456789abcdef", "command")).to_contain_text("benchchecker label")


def test_without_code_at_hand_the_sample_says_how_to_get_it(tab: Reading) -> None:
    tab.open("sample?sample=acme__widgets-119&detector=paper&cutoff=2025-03-31")
    command = tab.page.locator("code", has_text="benchchecker explain")
    expect(command).to_contain_text("benchchecker explain acme__widgets-119 --cutoff 2025-03-31")
    expect(command).to_contain_text("--samples tiny-verified=DATASET.jsonl --repos CLONES")


def test_an_assumed_collection_moves_a_sample_between_the_categories(tab: Reading) -> None:
    # The fix was in the code in 2022 and gone by 2025: clean at the cutoff.
    page = "sample?sample=acme__widgets-119&detector=paper&cutoff=2025-03-31"
    tab.open(f"{page}&collected_from=2022-01-01")
    expect(tab.page.get_by_text("labelled clean although the collection may have read it")).to_be_visible()
    tab.open(f"{page}&collected_from=2025-03-01")
    expect(tab.page.get_by_text("clean is the right label")).to_be_visible()
    tab.open(f"{page}&collected_from=2025-03-01&collected_to=2024-01-01")
    expect(tab.page.get_by_text("A collection runs forwards")).to_be_visible()
