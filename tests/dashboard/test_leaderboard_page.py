"""The leaderboard in a real browser: figures, filters, order, links and the way into a submission."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect
from reader import Reading

from dashboard import words
from engine.leaderboard.board import Leaderboard, leaderboard
from engine.leaderboard.filters import Filters
from engine.store.connection import Snapshot

pytestmark = pytest.mark.browser
BENCHMARK = "tiny-verified"


def board(
    facts: Snapshot, detector: str = "traced", difficulty: str | None = None, **filters: object
) -> Leaderboard:
    return leaderboard(facts, BENCHMARK, detector, difficulty=difficulty, filters=Filters(**filters))  # type: ignore[arg-type]


def by_rank_after(shown: Leaderboard) -> list[str]:
    ranked = [row for row in shown.rows if row.rank_after is not None]
    ranked.sort(key=lambda row: row.rank_after.rank)  # type: ignore[union-attr]
    return [row.submission.submission for row in ranked] + [
        row.submission.submission for row in shown.rows if row.rank_after is None
    ]


def test_every_submission_is_listed_by_its_rank_on_clean_samples(
    look_at: Callable[[str], Reading], facts: Snapshot
) -> None:
    tab = look_at("leaderboard")
    assert tab.ids("leaderboard") == by_rank_after(board(facts))


def test_figures_are_the_engine_s_with_n_and_interval(
    look_at: Callable[[str], Reading], facts: Snapshot
) -> None:
    tab = look_at("leaderboard")
    row = next(row for row in board(facts).rows if row.after is not None and row.after.n > 5)
    comparison, key = row.overall, row.submission.submission
    assert comparison is not None
    for column, share, bounds in (
        ("before", comparison.before, comparison.before_interval),
        ("after", comparison.clean, comparison.clean_interval),
    ):
        cell = tab.cell("leaderboard", key, column)
        expect(cell).to_contain_text(words.percent(share.rate))
        expect(cell).to_contain_text(f"{share.k}/{share.n} {words.interval(bounds)}")
    expect(tab.cell("leaderboard", key, "change")).to_contain_text(
        words.signed_percent(comparison.relative_change)
    )
    assert row.rank_before is not None
    assert row.rank_after is not None
    expect(tab.cell("leaderboard", key, "rank")).to_contain_text(
        f"{row.rank_before.rank} → {row.rank_after.rank}"
    )


def test_a_submission_without_a_cutoff_says_why_it_has_no_figure_after(
    look_at: Callable[[str], Reading],
) -> None:
    tab = look_at("leaderboard")
    expect(tab.cell("leaderboard", "s005", "verdict")).to_contain_text("unknown model")
    expect(tab.cell("leaderboard", "s008", "verdict")).to_contain_text("do not match the reported figure")
    expect(tab.cell("leaderboard", "s005", "after")).to_have_text("–")
    assert tab.row("leaderboard", "s005").locator("circle.after").count() == 0
    assert tab.row("leaderboard", "s001").locator("circle.after").count() == 1


def test_the_basis_of_labels_is_shown(look_at: Callable[[str], Reading]) -> None:
    tab = look_at("leaderboard")
    expect(tab.cell("leaderboard", "s000", "cutoff")).to_contain_text("published")
    expect(tab.cell("leaderboard", "s000", "bases")).to_have_text("published")
    expect(tab.cell("leaderboard", "s001", "bases")).to_have_text("assumed 46, probed 22")


def test_a_filter_goes_into_the_address_and_back_undoes_it(tab: Reading, facts: Snapshot) -> None:
    tab.open("leaderboard")
    everything = tab.ids("leaderboard")
    tab.choose("Difficulty", "1 – 4 h")
    tab.wait_for_state(lambda state: state.get("difficulty") == ["1h_4h"])
    level = next(row for row in board(facts, difficulty="1h_4h").rows if row.before is not None)
    assert level.before is not None
    expect(tab.cell("leaderboard", level.submission.submission, "before")).to_contain_text(
        f"{level.before.k}/{level.before.n} "
    )
    tab.page.go_back()
    tab.wait_for_state(lambda state: "difficulty" not in state)
    tab.wait_for_ids("leaderboard", everything)


@pytest.mark.parametrize(
    ("query", "filters"),
    [
        ("weights=open", {"open_weights": True}),
        ("framework=OpenFix&framework=mini-agent", {"frameworks": ("OpenFix", "mini-agent")}),
        ("model=alpha-2", {"models": ("alpha-2",)}),
    ],
)
def test_a_link_reproduces_the_view(
    tab: Reading, facts: Snapshot, query: str, filters: dict[str, object]
) -> None:
    tab.open(f"leaderboard?{query}")
    expected = by_rank_after(board(facts, **filters))
    assert expected
    assert tab.ids("leaderboard") == expected


def test_sorting_is_in_the_address_and_reverses(tab: Reading) -> None:
    tab.open("leaderboard")
    button = tab.table("leaderboard").get_by_role("link", name="Before")
    button.click()
    tab.wait_for_state(lambda state: state.get("sort") == ["-before"])
    heading = tab.table("leaderboard").get_by_role("columnheader", name="Before")
    expect(heading).to_have_attribute("aria-sort", "descending")
    falling = [_percent(text) for text in _texts(tab, "before")]
    assert falling == sorted(falling, reverse=True)
    button.click()
    tab.wait_for_state(lambda state: state.get("sort") == ["before"])
    expect(heading).to_have_attribute("aria-sort", "ascending")
    rising = [_percent(text) for text in _texts(tab, "before")]
    assert rising == sorted(rising)
    address = tab.page.url
    again = tab.ids("leaderboard")
    tab.page.goto(address)
    tab.settle()
    assert tab.ids("leaderboard") == again


def test_a_row_opens_its_own_submission_after_a_filter_moved_it(tab: Reading) -> None:
    # A selection kept by position would open whatever stands there now.
    tab.open("leaderboard")
    place = tab.ids("leaderboard").index("s007")
    tab.page.get_by_text("Which submissions?").click()
    tab.choose("Model", "Alpha 2")
    tab.wait_for_state(lambda state: state.get("model") == ["alpha-2"])
    tab.page.keyboard.press("Escape")
    expect(tab.table("leaderboard").locator("tbody tr")).to_have_count(3)
    assert tab.ids("leaderboard").index("s007") != place
    tab.cell("leaderboard", "s007", "submission").get_by_role("link").click()
    expect(tab.page.locator("h1")).to_have_text("mini-agent + Alpha 2 #7")
    assert tab.state()["submission"] == ["s007"]


def test_a_row_s_link_works_in_another_tab(tab: Reading) -> None:
    tab.open("leaderboard?detector=paper")
    target = tab.cell("leaderboard", "s007", "submission").get_by_role("link").get_attribute("href")
    assert target is not None
    tab.open(target)
    expect(tab.page.locator("h1")).to_have_text("mini-agent + Alpha 2 #7")
    assert tab.state()["detector"] == ["paper"]


def test_no_row_says_why_and_offers_the_way_back(tab: Reading, facts: Snapshot) -> None:
    tab.open("leaderboard?since=2031-01-01")
    expect(tab.page.get_by_text("meets this filter: submitted from 2031-01-01.")).to_be_visible()
    tab.page.get_by_role("button", name="Clear these filters").click()
    tab.wait_for_ids("leaderboard", by_rank_after(board(facts)))
    assert "since" not in tab.state()


def test_an_address_from_another_database_says_what_it_left_out(tab: Reading, facts: Snapshot) -> None:
    tab.open("leaderboard?detector=gone&difficulty=<b>&threshold=7")
    notice = tab.page.get_by_text("asks for something the database does not have")
    expect(notice).to_contain_text("detector=gone, difficulty=<b>, threshold=7")
    assert tab.ids("leaderboard") == by_rank_after(board(facts))


def test_downloads_hold_what_is_shown(tab: Reading) -> None:
    tab.open("leaderboard?detector=paper&model=alpha-1")
    rows = list(csv.DictReader(io.StringIO(_download(tab, "CSV"))))
    assert [row["submission"] for row in rows] == tab.ids("leaderboard")
    assert {row["cutoff"] for row in rows} == {"2023-04-30", "2025-03-31"}
    latex = _download(tab, "LaTeX")
    assert latex.count(r"\\") == len(rows) + 1
    assert r"\toprule" in latex
    assert "<script>" not in latex


def test_sorting_and_opening_need_no_mouse(tab: Reading) -> None:
    tab.open("leaderboard")
    button = tab.table("leaderboard").get_by_role("link", name="After")
    button.focus()
    tab.page.keyboard.press("Enter")
    tab.wait_for_state(lambda state: state.get("sort") == ["-after"])
    expect(tab.table("leaderboard").get_by_role("link", name="After")).to_be_focused()
    first = tab.ids("leaderboard")[0]
    tab.cell("leaderboard", first, "submission").get_by_role("link").focus()
    tab.page.keyboard.press("Enter")
    tab.wait_for_state(lambda state: state.get("submission") == [first])


def _texts(tab: Reading, column: str) -> list[str]:
    tab.settle()
    cells = tab.table("leaderboard").locator(f'tbody [data-key="{column}"] .main')
    return [text for text in cells.all_inner_texts() if text != words.DASH]


def _percent(text: str) -> float:
    return float(text.removesuffix("%"))


def _download(tab: Reading, form: str) -> str:
    with tab.page.expect_download() as started:
        tab.page.get_by_role("button", name=f"Download {form}").first.click()
    path = started.value.path()
    return Path(path).read_text(encoding="utf-8")
