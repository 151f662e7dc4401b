from __future__ import annotations

import pickle
import subprocess
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from scratch_repository import Scratch, new_scratch, text

from engine.history.errors import BlobTooLarge, HistoryError, HistoryUnavailable, MissingBlob
from engine.history.git_command import GitCommand
from engine.history.objects import ObjectReader
from engine.history.repository import RepositoryHistory


@pytest.fixture
def branched(scratch: Scratch) -> Scratch:
    """A feature branch from 2015 merged in 2019, and a release branch that is never merged."""
    scratch.commit("root", "2015-01-01", {"a.py": b"root\n"})
    scratch.commit("fork", "2015-02-01", {"a.py": b"fork\n"}, parents=["root"])
    scratch.commit("side1", "2015-03-01", {"f.py": b"1\n"}, parents=["fork"], branch="side")
    scratch.commit("main1", "2016-01-01", {"a.py": b"main\n"}, parents=["fork"])
    scratch.commit("side2", "2018-05-01", {"f.py": b"2\n"}, parents=["side1"], branch="side")
    scratch.commit("main2", "2018-01-01", {"b.py": b"b\n"}, parents=["main1"])
    scratch.commit("merge", "2019-06-01", {"f.py": b"2\n"}, parents=["main2", "side2"])
    scratch.commit("release", "2019-07-01", {"a.py": b"fix\n"}, parents=["main1"], branch="release")
    scratch.commit("release2", "2019-08-01", {"a.py": b"fixed\n"}, parents=["release"], branch="release")
    return scratch


def test_the_chain_is_first_parent_oldest_first(branched: Scratch) -> None:
    history = RepositoryHistory.open(branched.path)
    names = ["root", "fork", "main1", "main2", "merge"]
    assert [history.chain[position].sha for position in range(5)] == [branched.names[name] for name in names]
    assert len(history.chain) == 5
    assert history.chain[1].committed_at == datetime(2015, 2, 1, tzinfo=UTC)
    assert history.position_of(branched.names["side1"]) is None
    assert history.position_of(branched.names["merge"]) == 4


def test_a_snapshot_is_never_a_commit_of_a_branch_merged_later(branched: Scratch) -> None:
    # By date alone, side2 of 2018-05-01 is the newest commit up to that summer.
    history = RepositoryHistory.open(branched.path)
    snapshot = history.chain.snapshot_at(date(2018, 8, 1))
    assert snapshot.sha == branched.names["main2"]
    assert set(history.tree(snapshot.position)) == {"a.py", "b.py"}
    assert set(history.tree(4)) == {"a.py", "b.py", "f.py"}


def test_where_commits_off_the_chain_belong(branched: Scratch) -> None:
    history = RepositoryHistory.open(branched.path)
    expected = {
        "root": (0, 0),
        "main1": (2, 2),
        "side1": (4, 1),
        "side2": (4, 1),
        "merge": (4, 4),
        "release": (None, 2),
        "release2": (None, 2),
    }
    for name, (entry, fork) in expected.items():
        sha = branched.names[name]
        assert (history.first_parent_entry(sha), history.fork_position(sha)) == (entry, fork), name
    assert history.first_parent_entry("f" * 40) is None
    assert history.fork_position("f" * 40) is None
    with pytest.raises(ValueError, match="not a full commit id"):
        history.first_parent_entry("--all")


def test_an_unrelated_commit_has_no_fork(branched: Scratch) -> None:
    orphan = branched.commit("orphan", "2020-01-01", {"o.py": b"o\n"}, branch="orphan")
    history = RepositoryHistory.open(branched.path)
    assert history.fork_position(orphan) is None
    assert history.first_parent_entry(orphan) is None


def test_files_of_commits_off_the_chain(branched: Scratch) -> None:
    history = RepositoryHistory.open(branched.path)
    release = branched.names["release"]
    blob = history.commit_tree_blob(release, "a.py")
    assert blob is not None
    assert history.read(blob) == b"fix\n"
    assert history.commit_tree_blob(release, "f.py") is None
    assert history.commit_tree_blob("f" * 40, "a.py") is None
    assert history.commit_tree_blob(release, "no such file missing") is None
    with pytest.raises(ValueError, match="not a full object id"):
        history.commit_tree_blob("main", "a.py")


@pytest.mark.parametrize(
    "path", ["../a.py", "./a.py", "d/../a.py", "/a.py", "", "a.py\nb.py", "a\0b", "d//a"]
)
def test_paths_that_no_tree_holds_are_refused(branched: Scratch, path: str) -> None:
    history = RepositoryHistory.open(branched.path)
    with pytest.raises(HistoryError, match="not a path within a repository"):
        history.commit_tree_blob(branched.names["root"], path)
    assert history.commit_tree_blob(branched.names["root"], "a.py") == branched.blob("root", "a.py")


def test_a_branch_can_be_named(branched: Scratch) -> None:
    history = RepositoryHistory.open(branched.path, branch="release")
    assert history.chain.head.sha == branched.names["release2"]
    with pytest.raises(HistoryUnavailable, match="no branch 'nowhere'"):
        RepositoryHistory.open(branched.path, branch="nowhere")
    with pytest.raises(HistoryUnavailable):
        RepositoryHistory.open(branched.path, branch="--output=x")


def test_contents_are_read_byte_for_byte(scratch: Scratch) -> None:
    contents = {
        "crlf.py": b"a = 1\r\nb = 2\r\n",
        "binary.bin": bytes(range(256)) * 500,
        "empty.py": b"",
        "no_newline.py": b"a",
        "latin.py": "é".encode("latin-1"),
        "ignored.py": b"x\n",
        ".gitattributes": b"ignored.py export-ignore\n*.py text eol=lf ident\n",
    }
    scratch.chain(("2020-01-01", dict(contents)))
    history = RepositoryHistory.open(scratch.path)
    tree = history.tree(0)
    assert {path: history.read(blob) for path, blob in tree.items()} == contents
    assert all(history.commit_tree_blob(history.chain.head.sha, path) == blob for path, blob in tree.items())


def test_absent_and_unsuitable_objects_are_errors_and_reading_goes_on(scratch: Scratch) -> None:
    scratch.chain(("2020-01-01", {"a.py": text("a"), "b.py": text("b"), "d/c.py": b"c\n"}))
    lost, kept = scratch.blob("c0", "a.py"), scratch.blob("c0", "b.py")
    folder = scratch.blob("c0", "d")
    scratch.lose(lost)
    history = RepositoryHistory.open(scratch.path)
    assert history.tree(0)["a.py"] == lost
    for absent in (lost, "e" * 40):
        with pytest.raises(MissingBlob, match="is not in the repository") as missing:
            history.read(absent)
        assert missing.value.blob == absent
        assert history.read(kept) == text("b")
    with pytest.raises(MissingBlob, match="it is a tree"):
        history.read(folder)
    with pytest.raises(ValueError, match="not a full object id"):
        history.read("HEAD")
    assert history.read(kept) == text("b")


def test_a_damaged_object_is_missing_and_reading_goes_on(scratch: Scratch) -> None:
    scratch.chain(("2020-01-01", {"a.py": text("a"), "b.py": text("b")}))
    damaged, kept = scratch.blob("c0", "a.py"), scratch.blob("c0", "b.py")
    scratch.lose(damaged)
    (scratch.path / "objects" / damaged[:2]).mkdir(exist_ok=True)
    (scratch.path / "objects" / damaged[:2] / damaged[2:]).write_bytes(b"not an object")
    history = RepositoryHistory.open(scratch.path)
    for _ in range(3):
        with pytest.raises(MissingBlob):
            history.read(damaged)
        assert history.read(kept) == text("b")


def test_large_blobs_are_left_out(scratch: Scratch) -> None:
    large, small = b"x" * 300_000, b"y" * 1000
    scratch.chain(("2020-01-01", {"large.bin": large, "small.bin": small}))
    reader = ObjectReader(GitCommand(scratch.path), size_limit=1000)
    with pytest.raises(BlobTooLarge, match="300000 bytes, the limit is 1000"):
        reader.read(scratch.blob("c0", "large.bin"))
    assert reader.read(scratch.blob("c0", "small.bin")) == small
    reader.close()
    assert reader.read(scratch.blob("c0", "small.bin")) == small


def test_a_history_travels_to_another_process(branched: Scratch, tmp_path: Path) -> None:
    history = RepositoryHistory.open(branched.path, branch="release", cache_dir=tmp_path / "cache")
    versions = history.file_versions("a.py", 0)
    history.read(branched.blob("release", "a.py"))
    copy = pickle.loads(pickle.dumps(history))
    assert copy.chain.head == history.chain.head
    assert copy.file_versions("a.py", 0) == versions
    assert copy.read(branched.blob("release", "a.py")) == b"fix\n"


def test_a_work_tree_can_be_opened(branched: Scratch, tmp_path: Path) -> None:
    subprocess.run(["git", "clone", "-q", str(branched.path), str(tmp_path / "tree")], check=True)
    history = RepositoryHistory.open(tmp_path / "tree", branch="release")
    assert history.chain.head.sha == branched.names["release2"]


def test_a_git_directory_without_configuration_can_be_opened(branched: Scratch) -> None:
    for leftover in ("config", "description"):
        (branched.path / leftover).unlink()
    assert RepositoryHistory.open(branched.path).chain.head.sha == branched.names["merge"]


def test_repositories_that_cannot_be_used(branched: Scratch, tmp_path: Path) -> None:
    def reason(path: Path) -> str:
        with pytest.raises(HistoryUnavailable) as error:
            RepositoryHistory.open(path)
        assert str(error.value) == error.value.reason
        return error.value.reason

    assert "there is no repository" in reason(tmp_path / "missing")
    (tmp_path / "folder").mkdir()
    assert "not a git repository" in reason(tmp_path / "folder")
    (tmp_path / "file").write_text("x")
    assert "not a git repository" in reason(tmp_path / "file")
    assert "no commits" in reason(new_scratch(tmp_path / "empty.git").path)

    shallow = tmp_path / "shallow.git"
    command = ["git", "clone", "-q", "--bare", "--depth", "2", f"file://{branched.path}", str(shallow)]
    subprocess.run(command, check=True)
    assert "shallow" in reason(shallow)


def test_a_repository_that_lost_a_commit_is_unavailable(scratch: Scratch) -> None:
    scratch.chain(*((f"2020-01-0{day}", {"a.py": b"%d\n" % day}) for day in range(1, 5)))
    scratch.lose(scratch.names["c1"])
    with pytest.raises(HistoryUnavailable, match="git log failed"):
        RepositoryHistory.open(scratch.path)


def test_a_repository_with_a_damaged_pack_is_unavailable(scratch: Scratch) -> None:
    scratch.chain(("2020-01-01", {"a.py": b"1\n"}))
    scratch.git("repack", "-adq")
    (pack,) = (scratch.path / "objects" / "pack").glob("*.pack")
    pack.chmod(0o600)
    pack.write_bytes(pack.read_bytes()[:20])
    with pytest.raises(HistoryUnavailable):
        RepositoryHistory.open(scratch.path)
