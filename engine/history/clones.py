"""Finds the local copy of a repository's history, and makes one where that is asked for."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.history.errors import CloneFailed, HistoryUnavailable
from engine.history.git_command import environment, error_line
from engine.history.repository import RepositoryHistory
from engine.problems import Loaded, Problem
from engine.store.locking import exclusive

_NAME = re.compile(r"(?!\.{1,2}(/|$))[A-Za-z0-9_.-]{1,100}/(?!\.{1,2}$)[A-Za-z0-9_.-]{1,100}", re.ASCII)
_STAGING = ".cloning"


@dataclass(frozen=True, slots=True)
class RepositorySource:
    """Where the history of a repository is read.

    Attributes:
        repository: Canonical name, `owner/name` in lower case, as samples have it.
        source: GitHub repository that is cloned, `owner/name`: itself, or a fork with the same history.
    """

    repository: str
    source: str


def read_sources(path: Path) -> Loaded[RepositorySource]:
    """Read a mapping file: tab-separated, canonical repository and source in the first two columns.

    Further columns, empty lines and lines that start with `#` are ignored.

    Raises:
        HistoryUnavailable: If the file cannot be read as UTF-8 text.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise HistoryUnavailable(f"the mapping {path} cannot be read: {error}") from error
    rows: dict[str, RepositorySource] = {}
    problems = []
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        repository, source = ([*line.split("\t"), ""])[:2]
        row = RepositorySource(repository.strip().lower(), source.strip())
        if not (is_repository_name(row.repository) and is_repository_name(row.source)):
            message, remedy = "not two names", "write owner/name, a tab, owner/name"
            problems.append(Problem(str(path), number, row.repository, message, remedy))
        elif rows.setdefault(row.repository, row) != row:
            message, remedy = f"already mapped to {rows[row.repository].source}", "keep one of the two lines"
            problems.append(Problem(str(path), number, row.repository, message, remedy))
    return Loaded(tuple(rows.values()), tuple(problems))


def is_repository_name(text: str) -> bool:
    """Whether `text` is `owner/name` and nothing that could leave a folder."""
    return _NAME.fullmatch(text) is not None


def locate(repos_dir: Path, repository: str, sources: Mapping[str, str] | None = None) -> Path | None:
    """Return the git directory of a repository under `repos_dir`, or None.

    Looked for under the name of its source, then under its own, whatever the case, as `<owner>+<name>/repo`,
    `<owner>+<name>`, `<owner>__<name>` and `<owner>/<name>`, the last three with or without `.git`.

    Args:
        repos_dir: Folder of bare repositories.
        repository: Canonical name.
        sources: Source of each canonical name that is read elsewhere.
    """
    names = [(sources or {}).get(repository, repository), repository]
    for owner, name in (item.split("/") for item in names if is_repository_name(item)):
        for layout in (
            (f"{owner}+{name}", "repo"),
            (f"{owner}+{name}",),
            (f"{owner}+{name}.git",),
            (f"{owner}__{name}.git",),
            (f"{owner}__{name}",),
            (owner, f"{name}.git"),
            (owner, name),
        ):
            found = _descend(repos_dir, layout)
            if found is not None:
                return found
    return None


def ensure_clone(repository: str, source: str, repos_dir: Path, url: str | None = None) -> Path:
    """Return the local copy of a repository, cloned first if there is none.

    The clone is bare and holds branches and tags, not the refs of pull requests, which can outweigh them. It
    is made under another name and renamed when it is whole and usable: a killed run leaves only what the next
    one removes. Two processes that want the same repository wait for each other.

    Args:
        repository: Canonical name.
        source: GitHub repository to read it from, also the name of the copy.
        repos_dir: Folder of bare repositories.
        url: Address to clone instead of GitHub's: `https://…`, `file://…` or a local path.

    Raises:
        CloneFailed: If the name or address is not allowed, or git fails.
        HistoryUnavailable: If what was cloned is empty or shallow.
    """
    if not is_repository_name(source):
        raise CloneFailed(f"not a repository name: {source!r}")
    address = _allowed_address(url if url is not None else f"https://github.com/{source}.git")
    name = source.replace("/", "__")
    staging = repos_dir / _STAGING / name
    with exclusive(staging):
        found = locate(repos_dir, repository, {repository: source})
        if found is None:
            found = repos_dir / f"{name}.git"
            _clone(address, staging / "repo", found)
    shutil.rmtree(staging, ignore_errors=True)
    return found


def _descend(folder: Path, names: Iterable[str]) -> Path | None:
    """Return the repository below `folder` along `names`, preferring exact case; None if there is none."""
    place = folder
    for name in names:
        if not (place / name).is_dir():
            try:
                entries = sorted(entry.name for entry in place.iterdir())
            except OSError:
                return None
            alike = [entry for entry in entries if entry.lower() == name.lower()]
            if not alike:
                return None
            name = alike[0]
        place = place / name
    return place if (place / "HEAD").is_file() or (place / ".git" / "HEAD").is_file() else None


def _allowed_address(url: str) -> str:
    """Return an address git may be given: `https`, `file`, or an existing folder as an absolute path."""
    if url.startswith(("https://", "file://")):
        return url
    path = Path(url)
    if url and "::" not in url and path.is_dir():
        return str(path.resolve())
    raise CloneFailed(f"cannot clone {url!r}: only https, file and existing folders are allowed")


def _clone(address: str, temporary: Path, target: Path) -> None:
    from git.exc import GitError
    from git.repo import Repo

    if temporary.exists():
        shutil.rmtree(temporary)
    with tempfile.NamedTemporaryFile("w", suffix=".gitconfig") as configuration:
        # Git serves a local folder through a second process, which refuses one that somebody else owns and
        # listens to nothing but a configuration file. It runs with the same restrictions.
        configuration.write("[safe]\n\tdirectory = *\n")
        configuration.flush()
        variables = environment("https:file", configuration.name) | {"GIT_TEMPLATE_DIR": ""}
        try:
            Repo.clone_from(address, temporary, env=variables, bare=True).close()
        except GitError as error:
            detail = error_line(str(getattr(error, "stderr", error)))
            raise CloneFailed(f"cannot clone {address}: {detail}") from error
    RepositoryHistory.open(temporary).close()
    temporary.rename(target)
