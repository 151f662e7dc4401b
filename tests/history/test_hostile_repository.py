"""A repository whose configuration names programs: opening and reading it must run none of them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from scratch_repository import Scratch, text

from engine.history.clones import ensure_clone
from engine.history.errors import MissingBlob
from engine.history.repository import RepositoryHistory

_HOOKS = ("post-checkout", "reference-transaction", "pre-auto-gc", "post-index-change", "fsmonitor-watchman")


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A program that leaves a mark beside itself when it runs."""
    program = tmp_path / "trap"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >> {tmp_path}/mark\ncat >/dev/null 2>&1 </dev/null\n')
    program.chmod(0o755)
    return program


@pytest.fixture
def hostile(scratch: Scratch, trap: Path) -> Scratch:
    scratch.chain(
        ("2020-01-01", {"a.py": text("1"), "lost.bin": b"l" * 100}),
        ("2020-01-02", {"a.py": None, "b.py": text("2"), "lost.bin": None, "new.bin": b"l" * 99 + b"n"}),
    )
    hooks = scratch.path / "evil-hooks"
    hooks.mkdir()
    for hook in _HOOKS:
        for folder in (hooks, scratch.path / "hooks"):
            (folder / hook).unlink(missing_ok=True)
            (folder / hook).symlink_to(trap)
    (scratch.path / "info" / "attributes").write_text("* diff=evil filter=evil\n")
    settings = {
        "alias.log": f"!{trap}",
        "alias.rev-parse": f"!{trap}",
        "core.alternateRefsCommand": str(trap),
        "core.askPass": str(trap),
        "core.fsmonitor": str(trap),
        "core.gitProxy": str(trap),
        "core.hooksPath": str(hooks),
        "core.pager": str(trap),
        "core.sshCommand": str(trap),
        "credential.helper": f"!{trap}",
        "diff.evil.command": str(trap),
        "diff.evil.textconv": str(trap),
        "diff.external": str(trap),
        "extensions.partialClone": "evil",
        "filter.evil.smudge": str(trap),
        "gpg.program": str(trap),
        "log.showSignature": "true",
        "pager.log": "true",
        "protocol.allow": "always",
        "protocol.ext.allow": "always",
        "remote.evil.promisor": "true",
        "remote.evil.uploadpack": str(trap),
        "remote.evil.url": f"ext::{trap} %S",
        "uploadpack.packObjectsHook": str(trap),
    }
    lost = scratch.blob("c0", "lost.bin")
    scratch.git("config", "core.repositoryFormatVersion", "1")
    scratch.lose(lost)
    scratch.names["lost"] = lost
    for key, value in settings.items():
        scratch.git("config", key, value)
    return scratch


def _marks(trap: Path) -> str:
    mark = trap.with_name("mark")
    return mark.read_text() if mark.exists() else ""


@pytest.mark.parametrize(
    "command",
    [
        lambda scratch: scratch.git("diff", scratch.names["c0"], scratch.names["c1"], check=False),
        lambda scratch: scratch.git("log", "-p", "--textconv", "--no-ext-diff", "main", check=False),
        lambda scratch: scratch.git("cat-file", "-p", scratch.names["lost"], check=False),
        lambda scratch: scratch.git("update-ref", "refs/heads/x", scratch.names["c0"], check=False),
    ],
    ids=["external diff", "textconv", "lazy fetch", "hook"],
)
def test_plain_git_falls_into_the_trap(
    hostile: Scratch, trap: Path, command: Callable[[Scratch], str]
) -> None:
    trap.with_name("mark").unlink(missing_ok=True)
    command(hostile)
    assert _marks(trap)


def test_nothing_a_repository_names_is_run(hostile: Scratch, trap: Path, tmp_path: Path) -> None:
    trap.with_name("mark").unlink(missing_ok=True)
    history = RepositoryHistory.open(hostile.path, cache_dir=tmp_path / "cache")
    assert [version.path for version in history.file_versions("a.py", 0)] == ["a.py", "b.py"]
    assert set(history.tree(1)) == {"b.py", "new.bin"}
    assert history.read(hostile.blob("c1", "b.py")) == text("2")
    with pytest.raises(MissingBlob):
        history.read(hostile.names["lost"])
    assert history.commit_tree_blob(hostile.names["c0"], "lost.bin") in {None, hostile.names["lost"]}
    assert history.fork_position("f" * 40) is None
    assert history.first_parent_entry(hostile.names["c1"]) == 1
    history.close()
    assert _marks(trap) == ""


def test_nothing_is_run_by_a_clone(
    hostile: Scratch, trap: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(f"[core]\n\thooksPath = {hostile.path}/evil-hooks\n")
    monkeypatch.setenv("HOME", str(home))
    trap.with_name("mark").unlink(missing_ok=True)
    path = ensure_clone("o/n", "o/n", tmp_path / "repos", url=str(hostile.path))
    assert RepositoryHistory.open(path).chain.head.sha == hostile.names["c1"]
    assert _marks(trap) == ""


def test_a_users_own_configuration_does_not_change_what_is_read(
    hostile: Scratch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(
        "[log]\n\tshowRoot = false\n\tdate = relative\n[diff]\n\trenames = false\n"
    )
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'diff.renames=false'")
    history = RepositoryHistory.open(hostile.path)
    assert history.blob_at(0, "a.py") == hostile.blob("c0", "a.py")
    assert [version.path for version in history.file_versions("a.py", 0)] == ["a.py", "b.py"]


def test_replaced_objects_are_read_as_they_are(scratch: Scratch) -> None:
    scratch.chain(("2020-01-01", {"a.py": b"true\n", "b.py": b"false\n"}))
    scratch.git("replace", scratch.blob("c0", "a.py"), scratch.blob("c0", "b.py"))
    history = RepositoryHistory.open(scratch.path)
    assert history.read(history.tree(0)["a.py"]) == b"true\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser can give a folder away")
def test_a_repository_of_another_owner_is_read(scratch: Scratch, tmp_path: Path) -> None:
    scratch.chain(("2020-01-01", {"a.py": b"1\n"}))
    for place in [scratch.path, *scratch.path.rglob("*")]:
        os.chown(place, 12345, 12345)
    refused = subprocess.run(["git", "-C", str(scratch.path), "log"], capture_output=True, check=False)
    assert b"dubious ownership" in refused.stderr
    head = scratch.names["c0"]
    assert RepositoryHistory.open(scratch.path).chain.head.sha == head
    clone = ensure_clone("o/n", "o/n", tmp_path / "repos", url=str(scratch.path))
    assert RepositoryHistory.open(clone).chain.head.sha == head
