from __future__ import annotations

import multiprocessing
import subprocess
from pathlib import Path

import pytest
from scratch_repository import Scratch, new_scratch

from engine.history.clones import (
    RepositorySource,
    ensure_clone,
    is_repository_name,
    locate,
    read_sources,
)
from engine.history.errors import CloneFailed, HistoryUnavailable
from engine.history.repository import RepositoryHistory


@pytest.fixture
def origin(scratch: Scratch) -> Scratch:
    scratch.chain(("2020-01-01", {"a.py": b"1\n"}), ("2020-01-02", {"a.py": b"2\n"}))
    scratch.commit("release", "2020-01-03", {"a.py": b"3\n"}, parents=["c0"], branch="release")
    scratch.git("update-ref", "refs/pull/7/head", scratch.names["c0"])
    return scratch


def _names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.rglob("*") if entry.name.startswith((".", "o", "O")))


def test_a_clone_holds_branches_and_is_made_once(origin: Scratch, tmp_path: Path) -> None:
    repos = tmp_path / "repos"
    path = ensure_clone("o/n", "Fork/N", repos, url=str(origin.path))
    assert path == repos / "Fork__N.git"
    assert RepositoryHistory.open(path, branch="release").chain.head.sha == origin.names["release"]
    refs = subprocess.run(["git", f"--git-dir={path}", "for-each-ref"], capture_output=True, check=True)
    assert b"refs/pull" not in refs.stdout
    assert not (path / "hooks").exists()
    assert locate(repos, "o/n", {"o/n": "Fork/N"}) == path

    origin.commit("later", "2020-01-04", {"a.py": b"4\n"}, parents=["c1"])
    assert ensure_clone("o/n", "Fork/N", repos, url=str(origin.path)) == path
    assert RepositoryHistory.open(path).chain.head.sha == origin.names["c1"]


def test_what_a_killed_clone_left_is_replaced(origin: Scratch, tmp_path: Path) -> None:
    repos = tmp_path / "repos"
    leftover = repos / ".cloning" / "o__n" / "repo"
    (leftover / "objects").mkdir(parents=True)
    (leftover / "HEAD").write_text("ref: refs/heads/main\n")
    assert locate(repos, "o/n") is None
    path = ensure_clone("o/n", "o/n", repos, url=f"file://{origin.path}")
    assert RepositoryHistory.open(path).chain.head.sha == origin.names["c1"]
    assert not leftover.exists()


def test_two_processes_that_want_the_same_clone_get_one(origin: Scratch, tmp_path: Path) -> None:
    arguments = ("o/n", "o/n", tmp_path / "repos", str(origin.path))
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        paths = pool.starmap(ensure_clone, [arguments] * 4)
    assert set(paths) == {tmp_path / "repos" / "o__n.git"}
    assert RepositoryHistory.open(paths[0]).chain.head.sha == origin.names["c1"]


@pytest.mark.parametrize(
    "url",
    [
        "ext::sh -c true",
        "http://example.org/r.git",
        "ssh://example.org/r.git",
        "git@example.org:r.git",
        "git://example.org/r.git",
        "--upload-pack=true",
        "no such folder",
        "",
    ],
)
def test_other_addresses_are_refused(url: str, tmp_path: Path) -> None:
    with pytest.raises(CloneFailed, match="only https, file and existing folders"):
        ensure_clone("o/n", "o/n", tmp_path / "repos", url=url)
    assert not (tmp_path / "repos").exists()


@pytest.mark.parametrize("name", ["n", "../n", "o/..", "o/n/m", "o/", "/n", "o\\n/x", "-o/n --x", "o/n\n"])
def test_other_names_are_refused(name: str, tmp_path: Path) -> None:
    assert not is_repository_name(name)
    with pytest.raises(CloneFailed, match="not a repository name"):
        ensure_clone("o/n", name, tmp_path)
    assert locate(tmp_path, name) is None


def test_a_clone_that_cannot_be_used_is_not_kept(origin: Scratch, tmp_path: Path) -> None:
    repos = tmp_path / "repos"
    with pytest.raises(CloneFailed, match="cannot clone"):
        ensure_clone("o/n", "o/n", repos, url=f"file://{tmp_path}/nowhere")
    empty = new_scratch(tmp_path / "empty.git")
    with pytest.raises(HistoryUnavailable, match="no commits"):
        ensure_clone("o/n", "o/n", repos, url=str(empty.path))
    shallow = tmp_path / "shallow.git"
    command = ["git", "clone", "-q", "--bare", "--depth", "1", f"file://{origin.path}", str(shallow)]
    subprocess.run(command, check=True)
    with pytest.raises(HistoryUnavailable, match="shallow"):
        ensure_clone("o/n", "o/n", repos, url=str(shallow))
    assert locate(repos, "o/n") is None
    assert ensure_clone("o/n", "o/n", repos, url=str(origin.path)) == repos / "o__n.git"


@pytest.mark.parametrize(
    "layout",
    ["o+n/repo", "o+n", "o+n.git", "o__n.git", "o__n", "o/n.git", "o/n", "O+N/repo", "O__N.git", "O/N.git"],
)
def test_layouts_that_are_found(layout: str, tmp_path: Path) -> None:
    path = tmp_path / layout
    path.parent.mkdir(parents=True, exist_ok=True)
    new_scratch(path)
    (tmp_path / "o+other").mkdir()
    assert locate(tmp_path, "o/n") == path
    assert locate(tmp_path, "o/other") is None
    assert locate(tmp_path / "missing", "o/n") is None


def test_a_source_goes_before_the_repository_itself(tmp_path: Path) -> None:
    own = new_scratch(tmp_path / "o__n.git").path
    assert locate(tmp_path, "o/n", {"o/n": "fork/n"}) == own
    fork = new_scratch(tmp_path / "fork__n.git").path
    assert locate(tmp_path, "o/n", {"o/n": "fork/n"}) == fork
    assert locate(tmp_path, "o/n") == own


def test_a_mapping_is_read_with_its_problems(tmp_path: Path) -> None:
    path = tmp_path / "repos.tsv"
    path.write_text(
        "# canonical\tsource\tnote\n"
        "Django/Django\tfork/Django\t2026\tx\n"
        "\n"
        "o/n\n"
        "o/m\t../etc\n"
        "o/k\to/K\n"
        "django/django\tother/django\n",
        encoding="utf-8",
    )
    loaded = read_sources(path)
    assert loaded.rows == (
        RepositorySource("django/django", "fork/Django"),
        RepositorySource("o/k", "o/K"),
    )
    assert [(problem.line, problem.subject) for problem in loaded.problems] == [
        (4, "o/n"),
        (5, "o/m"),
        (7, "django/django"),
    ]
    assert "already mapped to fork/Django" in loaded.problems[2].message


def test_a_mapping_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(HistoryUnavailable, match="cannot be read"):
        read_sources(tmp_path / "missing.tsv")
    (tmp_path / "latin.tsv").write_bytes(b"o/n\t\xe9/n\n")
    with pytest.raises(HistoryUnavailable, match="cannot be read"):
        read_sources(tmp_path / "latin.tsv")
