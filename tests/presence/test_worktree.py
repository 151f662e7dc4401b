"""Trees written out of a repository, and diffs applied to them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scratch_repository import Scratch, new_scratch

from engine.history.errors import HistoryUnavailable
from engine.presence.verification.diffs import file_diff
from engine.presence.verification.worktree import DiffDoesNotApply, apply_diff, write_tree


@pytest.fixture
def scratch(tmp_path: Path) -> Scratch:
    return new_scratch(tmp_path / "scratch.git")


def test_the_files_of_a_commit_are_written_as_they_are(scratch: Scratch, tmp_path: Path) -> None:
    commit = scratch.commit(
        "c",
        "2024-01-01",
        {"a/b.py": b"x = '\xff'\r\n", "run.sh": ("100755", "#!/bin/sh\n"), "link": ("120000", "a/b.py")},
    )
    folder = tmp_path / "tree"
    assert write_tree(scratch.path, commit, folder) == []
    assert (folder / "a/b.py").read_bytes() == b"x = '\xff'\r\n"
    assert (folder / "run.sh").stat().st_mode & 0o111
    assert (folder / "link").readlink() == Path("a/b.py")


def test_what_could_lead_out_is_left_out_and_told(scratch: Scratch, tmp_path: Path) -> None:
    commit = scratch.commit(
        "c",
        "2024-01-01",
        {
            "up": ("120000", "../../outside"),
            "absolute": ("120000", "/etc/passwd"),
            "module": ("160000", "1" * 40),
            "kept.py": b"",
        },
    )
    folder = tmp_path / "tree"
    assert sorted(write_tree(scratch.path, commit, folder)) == ["absolute", "module", "up"]
    assert [path.name for path in folder.iterdir()] == ["kept.py"]


def test_export_ignored_files_are_there(scratch: Scratch, tmp_path: Path) -> None:
    commit = scratch.commit("c", "2024-01-01", {".gitattributes": b"t.py export-ignore\n", "t.py": b"x\n"})
    write_tree(scratch.path, commit, tmp_path / "tree")
    assert (tmp_path / "tree/t.py").exists()


def test_a_commit_that_is_not_there_is_an_error(scratch: Scratch, tmp_path: Path) -> None:
    scratch.commit("c", "2024-01-01", {"a": b""})
    with pytest.raises(HistoryUnavailable):
        write_tree(scratch.path, "0" * 40, tmp_path / "tree")
    with pytest.raises(ValueError, match="full commit id"):
        write_tree(scratch.path, "--help", tmp_path / "tree")


def test_a_diff_applies_even_inside_another_work_tree(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    new_scratch(tmp_path / ".git")
    folder = tmp_path / "inner"
    folder.mkdir()
    (folder / "a.py").write_text("x = 1\n")
    apply_diff(folder, file_diff("a.py", "x = 1\n", "a.py", "x = 2\n"))
    assert (folder / "a.py").read_text() == "x = 2\n"


@pytest.mark.parametrize(
    "diff",
    [
        file_diff("a.py", "y = 1\n", "a.py", "y = 2\n"),
        file_diff("missing.py", "y = 1\n", "missing.py", "y = 2\n"),
        "no diff at all",
        "--- a/../x\n+++ b/../x\n@@ -0,0 +1 @@\n+x\n",
        "--- /dev/null\n+++ b/link/x\n@@ -0,0 +1 @@\n+x\n",
    ],
)
def test_a_diff_that_does_not_fit_says_so(tmp_path: Path, diff: str) -> None:
    folder = tmp_path / "tree"
    folder.mkdir()
    (folder / "a.py").write_text("x = 1\n")
    (folder / "link").symlink_to(tmp_path)
    with pytest.raises(DiffDoesNotApply):
        apply_diff(folder, diff)
    assert not (tmp_path / "x").exists()


texts = st.text(st.sampled_from("ab\r\t \f\N{LATIN SMALL LETTER E WITH ACUTE}\n"), max_size=30)


@settings(deadline=None, max_examples=40)
@given(old=texts, new=texts, name=st.sampled_from(["a.py", "a b.py", "é.py", 'q"\\.py', "d/e.py"]))
def test_every_diff_written_here_applies(
    tmp_path_factory: pytest.TempPathFactory, old: str, new: str, name: str
) -> None:
    folder = tmp_path_factory.mktemp("tree")
    file = folder / name
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(old.encode())
    apply_diff(folder, file_diff(name, old, name, new))
    assert file.read_bytes() == new.encode()


def test_files_come_go_and_change_their_name(tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text("x = 1\n")
    (tmp_path / "gone.py").write_text("x = 1")
    apply_diff(
        tmp_path,
        file_diff("old.py", "x = 1\n", "new.py", "x = 2\n")
        + file_diff("gone.py", "x = 1", None, "")
        + file_diff(None, "", "made.py", "y"),
    )
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "new.py": "x = 2\n",
        "made.py": "y",
    }
