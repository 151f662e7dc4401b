"""The dashboard's speed in a real browser: cold start, a filter's change, memory with many sessions.

A server and a database of its own: the facts in `data/`, or their submissions and samples several times over
(`--times`). Cold start is from starting the server to the overview's first number and chart. A change is
from choosing an option on the leaderboard to a page at rest: what it brings is computed once, and remembered.

Run it when the machine is quiet. It needs Chromium, and Linux for the memory.
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from dashboard.database import DATABASE_VARIABLE
from engine.paths import DATA_DIR, PROJECT_ROOT
from engine.store.build import build_database

PATIENCE_MS = 300_000
NUMBERS_APART = 1_000_000
OF_SAMPLES = ("sample", "membership", "sample_feature", "landing", "presence", "block_presence")
OF_SUBMISSIONS = ("submission", "submission_model")
COMPUTED, REMEMBERED = "computed", "remembered"
AT_REST = """() => {
    const app = document.querySelector('[data-testid="stApp"]');
    return app && app.dataset.testScriptState === 'notRunning';
}"""


def main() -> None:
    """Make the data, start a server for each measurement, print what was found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=1, help="submissions and samples of data/ [1]")
    parser.add_argument("--starts", type=int, default=3, help="cold starts to measure [3]")
    parser.add_argument("--changes", type=int, default=40, help="changes of a filter to measure [40]")
    parser.add_argument("--sessions", type=int, default=20, help="sessions open at once [20]")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        data = multiplied(Path(folder) / "data", arguments.times) if arguments.times > 1 else DATA_DIR
        built = build_database(data, Path(folder) / "facts.duckdb")
        size = built.database.stat().st_size / 2**20
        print(f"{arguments.times} times the facts: a database of {size:.0f} MB", flush=True)
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("BENCHCHECKER_CHROMIUM") or shutil.which("chromium"),
            args=["--headless", "--no-sandbox", "--disable-gpu"],
        )
        starts = [cold_start(browser, built.database) for _ in range(arguments.starts)]
        for place, name in enumerate(("server answers", "first number", "first chart")):
            seconds = ", ".join(f"{start[place]:.2f}" for start in starts)
            print(f"cold start, {name}: {seconds} s", flush=True)
        with served(built.database) as (address, server):
            for kind, values in changes(browser, address, arguments.changes).items():
                print(f"change, {kind}: {describe(values)}", flush=True)
            print(f"memory: {memory(browser, address, server, arguments.sessions)}", flush=True)


def multiplied(folder: Path, times: int) -> Path:
    """Write the project's facts with each submission and each sample `times` times."""
    shutil.copytree(DATA_DIR, folder)
    # As in the ids of samples, owner__name-number, the number tells copies apart.
    sample = (
        "regexp_replace(sample, '[0-9]+$', '') || "
        f"(CAST(regexp_extract(sample, '[0-9]+$') AS BIGINT) + copy.k * {NUMBERS_APART})"
    )
    submission = "submission || CASE WHEN of_submission.k > 0 THEN '-' || of_submission.k ELSE '' END"
    copies = f"(SELECT unnest(range({times})) AS k)"
    for name in OF_SAMPLES:
        number = f", CAST(number AS BIGINT) + copy.k * {NUMBERS_APART} AS number" if name == "sample" else ""
        changed = f"SELECT facts.* REPLACE ({sample} AS sample{number}) FROM facts, {copies} AS copy"
        rewrite(folder, name, changed)
    for name in OF_SUBMISSIONS:
        rewrite(
            folder,
            name,
            f"SELECT facts.* REPLACE ({submission} AS submission) FROM facts, {copies} AS of_submission",
        )
    rewrite(
        folder,
        "result",
        f"SELECT facts.* REPLACE ({sample} AS sample, {submission} AS submission) "
        f"FROM facts, {copies} AS copy, {copies} AS of_submission",
    )
    catalogue = folder / "benchmark.toml"
    lines = catalogue.read_text(encoding="utf-8").splitlines()
    sizes = [f"size = {int(line[7:]) * times}" if line.startswith("size = ") else line for line in lines]
    catalogue.write_text("\n".join(sizes) + "\n", encoding="utf-8")
    return folder


def rewrite(folder: Path, name: str, query: str) -> None:
    """Replace a fact file by a query over it."""
    path = next(file for file in folder.glob(f"{name}.*") if file.suffix in (".csv", ".parquet"))
    changed = path.with_suffix(".new")
    source, form = f"read_csv('{path}', all_varchar=true)", "CSV, HEADER"
    if path.suffix == ".parquet":
        source, form = f"read_parquet('{path}')", "PARQUET"
    with duckdb.connect() as connection:
        connection.execute(f"COPY (WITH facts AS (FROM {source}) {query}) TO '{changed}' (FORMAT {form})")
    changed.replace(path)


@contextmanager
def served(database: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Serve the dashboard on a port of its own, and end it."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    options = [f"--server.port={port}", "--server.headless=true"]
    server = subprocess.Popen(
        [sys.executable, "-m", "dashboard.serve", *options],
        cwd=PROJECT_ROOT,
        env={**os.environ, DATABASE_VARIABLE: str(database)},
        stdout=subprocess.DEVNULL,
    )
    try:
        address = f"http://localhost:{port}"
        while not answers(address):
            if server.poll() is not None:
                raise SystemExit(f"the dashboard ended with {server.returncode}")
            time.sleep(0.02)
        yield address, server
    finally:
        server.terminate()
        server.wait()


def answers(address: str) -> bool:
    """Whether the server is there."""
    try:
        with urllib.request.urlopen(f"{address}/_stcore/health") as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, ConnectionError):
        return False


def cold_start(browser: Browser, database: Path) -> tuple[float, float, float]:
    """Return seconds from starting the server to its first answer, the first number and the first chart."""
    start = time.perf_counter()
    with served(database) as (address, _):
        answered = time.perf_counter() - start
        with browser.new_context() as context:
            page = patient(context)
            page.goto(address)
            page.locator('[data-testid="stMarkdownContainer"] strong').first.wait_for(timeout=PATIENCE_MS)
            read = time.perf_counter() - start
            page.locator(".js-plotly-plot .main-svg").first.wait_for(timeout=PATIENCE_MS)
            return answered, read, time.perf_counter() - start


def changes(browser: Browser, address: str, number: int) -> dict[str, list[float]]:
    """Return seconds from a choice to a page at rest: the first time each option is chosen, and later."""
    found: dict[str, list[float]] = {COMPUTED: [], REMEMBERED: []}
    with browser.new_context(viewport={"width": 1440, "height": 900}) as context:
        page = patient(context)
        page.goto(f"{address}/leaderboard")
        rest(page)
        seen: set[str] = set()
        for turn in range(number):
            label = ("Difficulty", "Detector")[turn // 8 % 2]
            page.get_by_role("combobox", name=label).click()
            options = page.get_by_role("option")
            options.first.wait_for()
            # What is chosen already would change nothing.
            choice = options.nth((turn + 1) % options.count())
            if choice.get_attribute("aria-selected") == "true":
                choice = options.nth((turn + 2) % options.count())
            before, start = page.url, time.perf_counter()
            choice.click()
            page.wait_for_url(_other_than(before), timeout=PATIENCE_MS)
            rest(page)
            found[REMEMBERED if page.url in seen else COMPUTED].append(time.perf_counter() - start)
            seen.add(page.url)
    return found


def _other_than(address: str) -> Callable[[str], bool]:
    return lambda url: url != address


def patient(context: BrowserContext) -> Page:
    """Open a tab that waits as long as a slow machine needs."""
    context.set_default_timeout(PATIENCE_MS)
    return context.new_page()


def rest(page: Page) -> None:
    """Wait until the page has a title and runs no script."""
    expect(page.locator("h1")).to_be_visible(timeout=PATIENCE_MS)
    page.wait_for_function(AT_REST, polling="raf", timeout=PATIENCE_MS)


def memory(browser: Browser, address: str, server: subprocess.Popen[bytes], sessions: int) -> str:
    """Return the server's memory before and with `sessions` pages open at once."""
    before = resident(server.pid)
    contexts = []
    for _ in range(sessions):
        contexts.append(browser.new_context())
        page = patient(contexts[-1])
        page.goto(f"{address}/leaderboard")
        rest(page)
    after = resident(server.pid)
    for context in contexts:
        context.close()
    each = (after - before) / max(1, sessions)
    return f"{before:.0f} MB, with {sessions} sessions more {after:.0f} MB ({each:.1f} MB each)"


def resident(process: int) -> float:
    """Return a process's resident memory in MB."""
    for line in Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return float("nan")


def describe(values: Sequence[float]) -> str:
    """Return median and 95th percentile in milliseconds."""
    if not values:
        return "none"
    ordered = sorted(values)
    high = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    middle = ordered[len(ordered) // 2]
    return f"median {1000 * middle:.0f} ms, 95th percentile {1000 * high:.0f} ms, n = {len(values)}"


if __name__ == "__main__":
    main()
