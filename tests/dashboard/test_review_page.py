"""The review queue as reviewers meet it: two browsers, a keyboard, and a command line beside them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from conftest import Served
from plausible_scan import HOSTILE, ITEMS
from playwright.sync_api import expect
from reader import Reading

from engine.overlap.queue import Choice
from engine.overlap.result import ScanResult
from engine.overlap.review import Verdict
from engine.overlap.scan import load_scan, rebuild

pytestmark = pytest.mark.browser


@pytest.fixture
def result(served: Served) -> Iterator[ScanResult]:
    """The scan that the dashboard shows, without verdicts before and after."""
    result = ScanResult(served.scan)
    yield result
    result.reviews.path.unlink(missing_ok=True)


def signed(tab: Reading, name: str) -> None:
    tab.settle()
    tab.page.get_by_role("textbox", name="Your name").fill(name)
    tab.page.get_by_role("textbox", name="Your name").press("Enter")
    expect(tab.page.get_by_text(f"Your verdicts are stored as {name}.")).to_be_visible()


def test_the_queue_hides_boilerplate_until_asked_and_marks_what_is_shared(
    tab: Reading, result: ScanResult
) -> None:
    tab.open("review")
    tab.wait_for_ids("queue", [item.item for item in result.queue_items(Choice(likely="leak"))])
    assert "licensed" not in tab.ids("queue")
    expect(tab.page.get_by_text("share enough with a document")).to_contain_text("4 of 4 items")
    tab.open("review?item=edited")
    marks = tab.page.locator(".bc-text").first.locator("mark")
    expect(marks).to_have_text([" ".join(f"beta{number}" for number in range(40))])
    expect(tab.page.get_by_text("% of the item's n-grams")).to_contain_text("66.7% of its tokens")
    tab.choose("Which", "Likely boilerplate")
    tab.wait_for_state(lambda state: state.get("likely") == ["boilerplate"])
    tab.wait_for_ids("queue", ["licensed"])


def test_a_verdict_by_keyboard_is_stored_undone_and_taken_again(tab: Reading, result: ScanResult) -> None:
    tab.open("review?item=edited")
    tab.page.keyboard.press("1")
    expect(tab.page.get_by_text("a verdict needs the name of its reviewer")).to_be_visible()
    signed(tab, "Ada")
    tab.page.get_by_role("textbox", name="Note").fill("last third is gone 1")
    tab.page.get_by_role("textbox", name="Note").press("Enter")
    tab.page.locator("h1").click()
    tab.page.keyboard.press("2")
    expect(tab.page.get_by_text("No flagged pair is left")).to_be_visible()
    [decision] = result.reviews.current().values()
    assert (decision.verdict, decision.reviewer, decision.note) == (
        Verdict.NEAR_DUPLICATE,
        "Ada",
        "last third is gone 1",
    )
    tab.page.get_by_role("button", name="Undo").click()
    expect(tab.page.get_by_text("Taken back: near-duplicate")).to_be_visible()
    assert result.reviews.current() == {}
    assert len(result.reviews.history()) == 1


def test_all_documents_of_an_item_can_be_decided_at_once(tab: Reading, result: ScanResult) -> None:
    tab.open("review?item=copied")
    expect(tab.page.get_by_text("Pair 1 of 2")).to_be_visible()
    signed(tab, "Ada")
    tab.page.get_by_text("Also for the item's 1 other open document").click()
    tab.settle()
    tab.page.get_by_role("button", name="Copy").click()
    expect(tab.page.get_by_text("and 1 other document")).to_be_visible()
    assert [one.verdict for one in result.reviews.current().values()] == [Verdict.COPY] * 2


def test_two_reviewers_at_once_lose_no_verdict(open_tab: Callable[..., Reading], result: ScanResult) -> None:
    first, second = open_tab(), open_tab()
    for tab, name in ((first, "Ada"), (second, "Grace")):
        tab.open("review?item=edited")
        signed(tab, name)
    first.page.get_by_role("button", name="Near-duplicate").click()
    expect(first.page.get_by_text("No flagged pair is left")).to_be_visible()
    second.page.get_by_role("button", name="Unrelated").click()
    expect(second.page.get_by_text("near-duplicate by Ada")).to_be_visible()
    assert [one.reviewer for one in result.reviews.history()] == ["Ada"]
    second.open("review?item=edited&state=all")
    signed(second, "Grace")
    second.page.get_by_role("button", name="Unrelated").click()
    expect(second.page.get_by_text("Called unrelated by Grace")).to_be_visible()
    assert [one.reviewer for one in result.reviews.history()] == ["Ada", "Grace"]


def test_verdicts_are_carried_to_another_place_and_survive_a_rescan(
    tab: Reading, result: ScanResult, served: Served, tmp_path: Path
) -> None:
    pair = result.queue(Choice(item="edited"))[0].pair
    result.reviews.decide(pair, Verdict.TEMPLATE, "Ada", "same form")
    tab.open("review?state=decided")
    with tab.page.expect_download() as started:
        tab.page.get_by_role("button", name="Download verdicts").click()
    exported = tmp_path / "verdicts.jsonl"
    exported.write_bytes(Path(started.value.path()).read_bytes())
    assert json.loads(exported.read_text())["note"] == "same form"
    result.reviews.path.unlink()
    rebuild(*load_scan(served.scan, 0.6))
    tab.open("review?state=decided")
    expect(tab.page.get_by_text("No flagged pair is left")).to_be_visible()
    broken = tmp_path / "broken.jsonl"
    broken.write_text("no verdict\n")
    upload = tab.page.locator('input[type="file"]')
    upload.set_input_files(broken)
    expect(tab.page.get_by_text("broken.jsonl:1: no verdict")).to_be_visible()
    upload.set_input_files(exported)
    expect(tab.page.get_by_text("1 verdict imported")).to_be_visible()
    expect(tab.page.get_by_text("Called template by Ada")).to_contain_text("same form")


def test_texts_meant_to_do_harm_are_shown_as_typed(tab: Reading, result: ScanResult) -> None:
    assert result.queue(Choice(item="<b>bold</b>"))
    tab.open(f"review?item={quote('<b>bold</b>')}&state=all&likely=both")
    for panel in tab.page.locator(".bc-text pre").all():
        expect(panel).to_contain_text(HOSTILE)
        expect(panel).to_contain_text("\N{REPLACEMENT CHARACTER}right to left\N{REPLACEMENT CHARACTER}")
        expect(panel.locator("script, img, a")).to_have_count(0)
    expect(tab.page.locator(".bc-name").first).to_have_text("Item <b>bold</b>")
    assert "\u202e" in ITEMS["<b>bold</b>"]
