"""Links: to other pages of the dashboard, and to GitHub."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlencode

_REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9_.-]+")
_COMMIT = re.compile(r"[0-9a-f]{7,64}")


@dataclass(frozen=True, slots=True)
class Target:
    """A page of the dashboard and the state it opens in.

    Attributes:
        page: Name of the page, as in `app.PAGES`.
        parameters: Its query string.
    """

    page: str
    parameters: Mapping[str, str]

    @property
    def href(self) -> str:
        """The address, relative to any page of the dashboard."""
        return f"{self.page}?{urlencode(self.parameters)}"


def _github(repository: str, *parts: str) -> str | None:
    # Ids come from files: anything that is not owner/name gets no link rather than a link elsewhere.
    if _REPOSITORY.fullmatch(repository) is None:
        return None
    return "https://github.com/" + "/".join([repository, *(quote(part) for part in parts)])


def pull_request(repository: str, number: int) -> str | None:
    """Return the address of the pull request, None for a repository that is not `owner/name`."""
    return _github(repository, "pull", str(number))


def commit(repository: str, sha: str | None) -> str | None:
    """Return the address of a commit, None where there is none."""
    if sha is None or _COMMIT.fullmatch(sha) is None:
        return None
    return _github(repository, "commit", sha)


def place(
    repository: str, sha: str | None, path: str | None, first: int | None, last: int | None
) -> str | None:
    """Return the address of lines `first` to `last` of a file at a commit, None where any part is missing."""
    if sha is None or path is None or _COMMIT.fullmatch(sha) is None:
        return None
    if any(part in ("", ".", "..") for part in path.split("/")):
        return None
    address = _github(repository, "blob", sha, path)
    if address is None or first is None:
        return address
    return f"{address}#L{first}" if last is None or last == first else f"{address}#L{first}-L{last}"
