"""What pages show when there is little or nothing to show. No browser is needed for these."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from plausible_facts import write_folder
from streamlit.testing.v1 import AppTest

from dashboard.database import DATABASE_VARIABLE
from engine.paths import PROJECT_ROOT
from engine.store.build import build_database
from engine.store.facts import read_facts, write_facts

PAGES = (
    "overview",
    "leaderboard",
    "over_time",
    "strata",
    "compare",
    "patterns",
    "confounding",
    "fragility",
    "repository",
    "sample",
    "submission",
    "review",
    "audit",
    "methods",
)


def script(name: str) -> None:
    import streamlit

    from dashboard import navigation

    streamlit.navigation(list(navigation.pages().values()), position="hidden")
    navigation._show(name)


def shown(name: str, **query: str) -> AppTest:
    """Run one page and hold it to have raised nothing."""
    app = AppTest.from_function(script, args=(name,), default_timeout=60)
    for key, value in query.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception
    return app


def titles(app: AppTest) -> list[str]:
    return [title.value for title in app.title]


def texts(app: AppTest) -> str:
    elements = [*app.markdown, *app.caption, *app.code, *app.warning, *app.info]
    return "\n".join(str(element.value) for element in elements)


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of facts that the dashboard will read once it is built."""
    monkeypatch.setenv(DATABASE_VARIABLE, str(tmp_path / "facts.duckdb"))
    return write_folder(tmp_path / "data")


@pytest.fixture
def full(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The dashboard reads the database that all tests share."""
    monkeypatch.setenv(DATABASE_VARIABLE, str(database))


def built(folder: Path) -> None:
    build_database(folder, folder.parent / "facts.duckdb")


def app() -> AppTest:
    run = AppTest.from_file(str(PROJECT_ROOT / "dashboard" / "app.py"), default_timeout=60).run()
    assert not run.exception
    return run


def test_without_a_database_the_command_to_make_one_is_shown(build: Path) -> None:
    run = app()
    assert titles(run) == ["There is no database yet"]
    assert "benchchecker build" in texts(run)


def test_a_database_of_another_version_is_told_apart_from_none(build: Path) -> None:
    with duckdb.connect(build.parent / "facts.duckdb") as other:
        other.execute("CREATE TABLE meta (schema_version INTEGER)")
    run = app()
    assert titles(run) == ["This database belongs to another version of BenchChecker"]
    assert "benchchecker build" in texts(run)


@pytest.mark.parametrize("page", PAGES)
def test_an_empty_database_breaks_no_page(build: Path, page: str) -> None:
    for file in build.iterdir():
        if file.name != "benchmark.toml":
            file.unlink()
    built(build)
    run = shown(page, sample="a__b-1", submission="x")
    assert titles(run)


@pytest.mark.parametrize("page", PAGES)
def test_a_benchmark_without_submissions_or_labels_breaks_no_page(build: Path, page: str) -> None:
    for name in ("presence", "block_presence", "result", "outside_result", "submission_model", "submission"):
        for suffix in ("csv", "parquet"):
            (build / f"{name}.{suffix}").unlink(missing_ok=True)
    built(build)
    run = shown(page, sample="acme__widgets-119")
    assert titles(run)
    if page == "leaderboard":
        assert "no submission to Tiny Java yet" in texts(run)


def test_what_the_engine_finds_wrong_with_the_facts_is_passed_on(build: Path) -> None:
    catalogue = build / "benchmark.toml"
    catalogue.write_text(
        catalogue.read_text(encoding="utf-8").replace("size = 68", "size = 69"), encoding="utf-8"
    )
    built(build)
    run = app()
    assert "tiny\\-verified has 69 samples\\, the facts hold 68" in run.error[0].value
    assert titles(run)[0].startswith("How contaminated are the benchmarks")


def test_submissions_without_any_label_keep_their_figure_before(build: Path) -> None:
    for name in ("presence.parquet", "block_presence.parquet"):
        (build / name).unlink()
    built(build)
    run = shown("submission", submission="s007", benchmark="tiny-verified")
    assert "42.6%** of 68 samples before" in texts(run)
    assert "no sample is known to be contaminated" in texts(run)


def test_a_detector_that_has_not_run_is_offered_last_and_says_so(build: Path) -> None:
    presence = [row for row in read_facts(build, "presence") if row["detector"] == "paper"]
    blocks = [row for row in read_facts(build, "block_presence") if row["detector"] == "paper"]
    write_facts(build, "presence", presence)
    write_facts(build, "block_presence", blocks)
    built(build)
    run = shown("leaderboard")
    assert run.selectbox(key="filter-detector").options == ["As published", "Traced (not run yet)"]
    assert not run.warning
    assert "has judged no sample yet" in shown("leaderboard", detector="traced").warning[0].value


@pytest.mark.parametrize("page", PAGES)
def test_a_full_database_shows_every_page(full: None, page: str) -> None:
    run = shown(page, submission="s003", sample="acme__widgets-119", detector="paper", cutoff="2024-05-15")
    assert not run.warning


@pytest.mark.parametrize(
    "query",
    [
        {"benchmark": "gone"},
        {"detector": "gone"},
        {"threshold": "nan"},
        {"threshold": "1e9"},
        {"since": "2025-02-30"},
        {"framework": "gone"},
        {"sort": "gone"},
        {"difficulty": "easy"},
    ],
)
def test_what_the_address_gets_wrong_is_said_and_left_out(full: None, query: dict[str, str]) -> None:
    run = shown("leaderboard", **query)
    assert "asks for something the database does not have" in run.warning[0].value


@pytest.mark.parametrize("page", ["0", "-1", "99", "1.5", "x"])
def test_any_page_number_shows_some_page(full: None, page: str) -> None:
    shown("submission", submission="s007", benchmark="tiny-verified", page=page)
