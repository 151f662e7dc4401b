"""One repository: which models saw it, how that is known, and what was asked and answered."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from playwright.sync_api import expect
from reader import Reading
from streamlit.testing.v1 import AppTest

from dashboard.database import DATABASE_VARIABLE
from dashboard.hits import ANSWERS_VARIABLE, QUERIES_VARIABLE
from engine.probing.asking import answer_file, request_key
from engine.probing.queries import PatternKind, Query, write_queries
from engine.probing.stored import queries_of, stored_probes
from engine.probing.targets.protocol import Answer, AnswerState, Decoding
from engine.probing.targets.replay import Replay
from engine.store.connection import Snapshot

REPOSITORY = "quiet/solver"
PAGE = "repository?repository=quiet/solver&detector=paper"
HOSTILE = "<b onclick=alert(1)>$x$ **y** [z](javascript:alert(1))"


def query(prefix: str, target: str) -> Query:
    return Query(REPOSITORY, PatternKind.CLONE, "g1", prefix, target, 3, 2, 200, entropy=8.0)


def answered(folder: Path) -> tuple[Path, Path]:
    """One hit, one miss, one refusal, one query never asked, and a strange file beside the answers."""
    queries = [
        query(f"{HOSTILE} return ", "quixotic"),
        query("import ", "zanzibar"),
        query("class ", "Umbra"),
        query("never ", "asked"),
    ]
    write_queries(folder / "queries.jsonl", queries)
    said = [(" quixotic(", " other"), (" zanzi", " zanzi"), ()]
    stored = answer_file(folder / "answers", Replay("alpha", {}), Decoding(1.0, 2, 12))
    for asked, texts in zip(queries, said, strict=False):
        state = AnswerState.ANSWERED if texts else AnswerState.REFUSED
        stored.add(Answer(request_key(asked.prompt), state, texts))
    stored.close()
    (folder / "answers" / "strange.jsonl").write_bytes(b"\xff\n[]\n")
    return folder / "queries.jsonl", folder / "answers"


def test_stored_answers_are_judged_again_and_what_was_not_asked_is_left_out(tmp_path: Path) -> None:
    queries, answers = answered(tmp_path)
    assert queries_of([queries], "acme/other") == []
    (found,) = stored_probes(queries_of([queries], REPOSITORY), answers)
    assert [(one.query.target, one.hit) for one in found.outcomes] == [
        ("quixotic", True),
        ("zanzibar", False),
        ("Umbra", None),
    ]


def opened(database: Path) -> AppTest:
    def page() -> None:
        import streamlit

        from dashboard import navigation

        streamlit.navigation(list(navigation.pages().values()), position="hidden")
        navigation._show("repository")

    script = AppTest.from_function(page, default_timeout=60)
    script.query_params.update({"repository": REPOSITORY, "detector": "paper"})
    return script


def test_hits_and_misses_are_counted_where_their_text_is_at_hand(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queries, answers = answered(tmp_path)
    monkeypatch.setenv(DATABASE_VARIABLE, str(database))
    monkeypatch.setenv(QUERIES_VARIABLE, str(queries))
    monkeypatch.setenv(ANSWERS_VARIABLE, str(answers))
    script = opened(database).run()
    assert not script.exception
    said = " ".join(element.value for element in script.markdown)
    assert "**1** of 2 answered queries hit; 1 without an answer" in said
    assert "3 of 3 shown" in said
    script.query_params["show"] = "miss"
    script.run()
    assert "1 of 1 shown" in " ".join(element.value for element in script.markdown)


def test_a_query_set_that_is_gone_is_named(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DATABASE_VARIABLE, str(database))
    monkeypatch.setenv(QUERIES_VARIABLE, str(tmp_path / "gone.jsonl"))
    script = opened(database).run()
    assert not script.exception
    assert "cannot be read" in script.warning[0].value


@pytest.mark.browser
def test_each_model_says_whether_it_saw_the_repository_and_what_says_so(tab: Reading) -> None:
    tab.open(PAGE)
    assert tab.ids("presence")[0] == "alpha-2"
    expect(tab.cell("presence", "alpha-2", "verdict")).to_contain_text("not shown")
    expect(tab.cell("presence", "alpha-2", "verdict")).to_contain_text("probed")
    # Wilson interval of 9 of 40
    expect(tab.cell("presence", "alpha-2", "hits")).to_contain_text("9/40")
    expect(tab.cell("presence", "alpha-2", "hits")).to_contain_text("22.5% [12.3–37.5]")
    expect(tab.cell("presence", "alpha-1", "verdict")).to_contain_text("published")
    expect(tab.page.get_by_text("benchchecker probe QUERIES.jsonl")).to_be_visible()
    few = len(tab.ids("presence"))
    tab.open(f"{PAGE}&models=all")
    everyone = tab.ids("presence")
    assert 0 < few < len(everyone)
    expect(tab.cell("presence", everyone[-1], "verdict")).to_contain_text("assumed")


@pytest.mark.browser
def test_fixes_are_listed_with_the_days_on_which_they_are_found(tab: Reading, facts: Snapshot) -> None:
    rows = facts.rows(
        """
        SELECT sample, min(valid_from) AS first FROM presence JOIN sample USING (sample)
        WHERE detector = 'paper' AND repository = ? AND state = 'judged' AND score > 0
          AND score >= (SELECT threshold FROM detector WHERE detector = 'paper') GROUP BY sample
        """,
        [REPOSITORY],
    )
    known = {row["sample"]: row["first"].isoformat() for row in rows}
    assert known
    tab.open(PAGE)
    with tab.page.expect_download() as started:
        tab.page.get_by_role("button", name="Download CSV").last.click()
    listed = csv.DictReader(io.StringIO(Path(started.value.path()).read_text(encoding="utf-8")))
    assert {row["sample"]: row["first_seen"] for row in listed if row["first_seen"]} == known


@pytest.mark.browser
@pytest.mark.parametrize(("width", "theme"), [(1440, "light"), (390, "dark")])
def test_the_page_fits(open_tab: object, width: int, theme: str) -> None:
    tab = open_tab(width, theme)  # type: ignore[operator]
    tab.open(PAGE)
    main = tab.page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth")
    assert main <= width


@pytest.mark.browser
def test_the_basis_of_a_label_leads_here(tab: Reading) -> None:
    tab.open("submission?submission=s001&benchmark=tiny-verified&detector=paper")
    tab.table("samples").locator('[data-key="reason"] a').first.click()
    expect(tab.page.locator("h1")).to_have_text("Which models saw the repository?")
    assert tab.state()["repository"]
