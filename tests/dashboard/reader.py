"""What a reader does on a page, in the words of the tests."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Locator, Page, TimeoutError, expect

PATIENCE_S = 60
_PATIENCE_MS = 1000 * PATIENCE_S
expect.set_options(timeout=_PATIENCE_MS)


@dataclass(slots=True)
class Reading:
    """A browser tab on the dashboard.

    Attributes:
        page: The tab.
        address: Where the dashboard is.
        errors: Errors of scripts, which no test should cause.
    """

    page: Page
    address: str
    errors: list[str] = field(default_factory=list)

    def open(self, path: str) -> None:
        """Open a page and wait until it has drawn itself."""
        self.page.goto(f"{self.address}/{path}")
        self.settle()

    def settle(self) -> None:
        """Wait until the page has a title and runs no script."""
        expect(self.page.locator("h1")).to_be_visible()
        running = self.page.locator('[data-testid="stApp"][data-test-script-state="running"]')
        expect(running).to_have_count(0)

    def close(self) -> None:
        """Leave the page, and hold it to have run no script that failed or that came from a name."""
        assert self.errors == []
        assert self.page.evaluate("window.hacked") is None
        self.page.close()

    def table(self, key: str) -> Locator:
        """Return one table of the page."""
        return self.page.locator(f".st-key-{key} table")

    def ids(self, key: str) -> list[str]:
        """Return the ids of a table's rows, from the top, as soon as there are any."""
        expect(self.table(key).locator("tbody tr").first).to_be_visible()
        found = self.table(key).locator("tbody tr").evaluate_all("rows => rows.map(row => row.dataset.id)")
        return [str(identifier) for identifier in found]

    def row(self, key: str, identifier: str) -> Locator:
        """Return one row of a table."""
        return self.table(key).locator(f'tbody tr[data-id="{identifier}"]')

    def cell(self, key: str, identifier: str, column: str) -> Locator:
        """Return one cell of a table."""
        return self.row(key, identifier).locator(f'[data-key="{column}"]')

    def choose(self, label: str, option: str) -> None:
        """Choose an option of a filter; a page that redraws may close a list under the reader's hand."""
        offered = self.page.get_by_role("option", name=option, exact=True)
        for _ in range(3):
            self.page.get_by_role("combobox", name=label).click()
            with suppress(TimeoutError):
                offered.click(timeout=5000)
                return
        raise AssertionError(f"{label} never offered {option}")

    def state(self) -> dict[str, list[str]]:
        """Return the query string of the address."""
        return parse_qs(urlsplit(self.page.url).query)

    def wait_for_state(self, holds: Callable[[dict[str, list[str]]], bool]) -> None:
        """Wait until the address says something."""
        self.page.wait_for_url(lambda url: holds(parse_qs(urlsplit(url).query)), timeout=_PATIENCE_MS)

    def wait_for_ids(self, key: str, expected: list[str]) -> None:
        """Wait until a table has exactly these rows in this order."""
        rows = self.table(key).locator("tbody tr")
        expect(rows).to_have_count(len(expected))
        for position, identifier in enumerate(expected):
            expect(rows.nth(position)).to_have_attribute("data-id", identifier)
