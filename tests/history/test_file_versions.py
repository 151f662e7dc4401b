from __future__ import annotations

import random
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scratch_repository import File, Scratch, new_scratch, text

from engine.history.change_index import FileVersion, load_index
from engine.history.errors import HistoryUnavailable
from engine.history.git_command import GitCommand
from engine.history.objects import ObjectReader
from engine.history.repository import RepositoryHistory

DAYS = [f"2020-01-{day:02}" for day in range(1, 29)]


def _versions(history: RepositoryHistory, path: str, since: int = 0) -> list[tuple[int, str, bytes | None]]:
    return [
        (version.position, version.path, history.read(version.blob) if version.blob else None)
        for version in history.file_versions(path, since)
    ]


def test_a_chain_of_renames_is_followed(scratch: Scratch) -> None:
    scratch.chain(
        ("2020-01-01", {"a.py": text("one")}),
        ("2020-01-02", {"a.py": None, "lib/b.py": text("two")}),
        ("2020-01-03", {"other.py": b"x\n"}),
        ("2020-01-04", {"lib/b.py": text("three")}),
        ("2020-01-05", {"lib/b.py": None, "src/lib/c.py": text("three")}),
    )
    history = RepositoryHistory.open(scratch.path)
    assert _versions(history, "a.py") == [
        (0, "a.py", text("one")),
        (1, "lib/b.py", text("two")),
        (3, "lib/b.py", text("three")),
        (4, "src/lib/c.py", text("three")),
    ]
    assert _versions(history, "lib/b.py", 2)[0] == (2, "lib/b.py", text("two"))
    (change,) = history.changes(4)
    assert (change.status, change.old_path, change.path) == ("R", "lib/b.py", "src/lib/c.py")
    assert history.changes(2)[0].old_path is None


def test_a_deleted_file_that_comes_back_is_followed(scratch: Scratch) -> None:
    scratch.chain(
        ("2020-01-01", {"a.py": text("one"), "z.py": b"z\n"}),
        ("2020-01-02", {"a.py": None}),
        ("2020-01-03", {"z.py": b"zz\n"}),
        ("2020-01-04", {"a.py": text("one")}),
        ("2020-01-05", {"a.py": None, "b.py": text("two")}),
    )
    assert _versions(RepositoryHistory.open(scratch.path), "a.py") == [
        (0, "a.py", text("one")),
        (1, "a.py", None),
        (3, "a.py", text("one")),
        (4, "b.py", text("two")),
    ]


def test_a_file_renamed_onto_a_deleted_path_goes_on_there(scratch: Scratch) -> None:
    scratch.chain(
        ("2020-01-01", {"a.py": b"short\n", "draft.py": text("new")}),
        ("2020-01-02", {"a.py": None}),
        ("2020-01-03", {"draft.py": None, "a.py": text("new")}),
    )
    assert _versions(RepositoryHistory.open(scratch.path), "a.py") == [
        (0, "a.py", b"short\n"),
        (1, "a.py", None),
        (2, "a.py", text("new")),
    ]


def test_a_path_taken_over_in_the_commit_of_the_rename(scratch: Scratch) -> None:
    other = b"".join(b"%d\n" % number for number in range(100, 140))
    scratch.chain(
        ("2020-01-01", {"a.py": text("one"), "old.py": other}),
        ("2020-01-02", {"a.py": None, "b.py": text("one"), "old.py": None, "c.py": other}),
        ("2020-01-03", {"c.py": None, "a.py": other}),
    )
    history = RepositoryHistory.open(scratch.path)
    assert _versions(history, "a.py") == [(0, "a.py", text("one")), (1, "b.py", text("one"))]
    assert history.blob_at(2, "a.py") == scratch.blob("c2", "a.py")
    assert [version.path for version in history.file_versions("old.py", 0)] == ["old.py", "c.py", "a.py"]


def test_a_path_that_is_added_later_starts_without_content(scratch: Scratch) -> None:
    scratch.chain(("2020-01-01", {"a.py": b"a\n"}), ("2020-01-02", {"b.py": b"b\n"}))
    history = RepositoryHistory.open(scratch.path)
    assert _versions(history, "b.py") == [(0, "b.py", None), (1, "b.py", b"b\n")]
    assert history.file_versions("never.py", 0) == (FileVersion(0, "never.py", None),)


def test_links_and_submodules_are_no_files(scratch: Scratch) -> None:
    commit = "1" * 40
    scratch.chain(
        ("2020-01-01", {"a.py": text("one"), "b.py": ("120000", "a.py"), "sub": ("160000", commit)}),
        ("2020-01-02", {"a.py": ("120000", "elsewhere.py")}),
        ("2020-01-03", {"a.py": text("two")}),
    )
    history = RepositoryHistory.open(scratch.path)
    assert _versions(history, "a.py") == [
        (0, "a.py", text("one")),
        (1, "a.py", None),
        (2, "a.py", text("two")),
    ]
    assert [change.status for change in history.changes(1)] == ["T"]
    assert history.tree(0) == {"a.py": scratch.blob("c0", "a.py")}
    assert history.blob_at(0, "b.py") is None
    assert history.blob_at(0, "sub") is None


def test_a_branch_merged_years_later_changes_files_at_its_merge(scratch: Scratch) -> None:
    scratch.commit("root", "2015-01-01", {"a.py": text("one")})
    scratch.commit("side", "2015-02-01", {"a.py": text("side")}, parents=["root"], branch="side")
    scratch.commit("main", "2018-01-01", {"b.py": b"b\n"}, parents=["root"])
    scratch.commit("merge", "2019-06-01", {"a.py": text("side")}, parents=["main", "side"])
    history = RepositoryHistory.open(scratch.path)
    assert _versions(history, "a.py") == [(0, "a.py", text("one")), (2, "a.py", text("side"))]
    assert [change.path for change in history.changes(2)] == ["a.py"]


def test_odd_names_are_kept(scratch: Scratch) -> None:
    names = [
        "ü.py",
        "two words.py",
        "line\nfeed.py",
        "latin\udce9.py",
        'quo"te.py',
        "commit x.py",
        ":colon.py",
    ]
    scratch.chain(("2020-01-01", {name: name.encode("utf-8", "surrogateescape") for name in names}))
    history = RepositoryHistory.open(scratch.path)
    assert set(history.tree(0)) == set(names)
    for name in names:
        content = name.encode("utf-8", "surrogateescape")
        assert _versions(history, name) == [(0, name, content)]


@pytest.mark.parametrize("lost_path", ["big.bin", "b.py"])
def test_an_absent_blob_does_not_stop_the_index(scratch: Scratch, lost_path: str) -> None:
    big = b"".join(b"%d\n" % number for number in range(200))
    scratch.chain(
        ("2020-01-01", {"a.py": text("one"), "x.py": text("zero")}),
        ("2020-01-02", {"x.py": None, "big.bin": big, "y.py": text("2")}),
        ("2020-01-03", {"a.py": None, "b.py": text("two"), "big.bin": None, "more.bin": big + b"end\n"}),
        ("2020-01-04", {"b.py": text("three")}),
    )
    lost = scratch.blob("c2" if lost_path == "b.py" else "c1", lost_path)
    scratch.lose(lost)
    history = RepositoryHistory.open(scratch.path)
    assert [version.path for version in history.file_versions("x.py", 0)] == ["x.py", "y.py"]
    assert [change.path for change in history.changes(3)] == ["b.py"]
    found = [(version.position, version.path) for version in history.file_versions("a.py", 0)]
    if lost_path == "big.bin":
        assert found == [(0, "a.py"), (2, "b.py"), (3, "b.py")]
    else:  # what b.py held cannot be compared, so that it came from a.py cannot be seen
        assert found == [(0, "a.py"), (2, "a.py")]
        assert history.blob_at(2, "b.py") == lost
    for position in range(4):
        assert {path: history.blob_at(position, path) for path in history.tree(position)} == history.tree(
            position
        )


def test_a_damaged_blob_is_reported(scratch: Scratch) -> None:
    noise = random.Random(1).randbytes(4000)
    scratch.chain(
        ("2020-01-01", {"a.bin": noise}),
        ("2020-01-02", {"a.bin": None, "b.bin": noise + b"end"}),
        ("2020-01-03", {"c.py": b"c\n"}),
    )
    blob = scratch.blob("c1", "b.bin")
    scratch.damage(blob)
    with pytest.raises(HistoryUnavailable, match=f"git (log|diff-tree) failed.*{blob}"):
        RepositoryHistory.open(scratch.path).file_versions("a.bin", 0)


def test_an_absent_tree_is_reported(scratch: Scratch) -> None:
    scratch.chain(("2020-01-01", {"d/a.py": b"1\n"}), ("2020-01-02", {"d/a.py": b"2\n"}))
    scratch.lose(scratch.git("rev-parse", "c0^{tree}".replace("c0", scratch.names["c0"])))
    with pytest.raises(HistoryUnavailable):
        RepositoryHistory.open(scratch.path).file_versions("d/a.py", 0)


def test_the_index_is_kept_and_a_damaged_one_is_made_again(scratch: Scratch, tmp_path: Path) -> None:
    scratch.chain(("2020-01-01", {"a.py": text("1")}), ("2020-01-02", {"a.py": None, "b.py": text("2")}))
    cache = tmp_path / "cache"
    history = RepositoryHistory.open(scratch.path, cache_dir=cache)
    expected = history.file_versions("a.py", 0)
    (file,) = cache.iterdir()

    nowhere = GitCommand(tmp_path / "no repository")
    stored = load_index(nowhere, ObjectReader(nowhere), history.chain, cache)
    assert stored.file_versions("a.py", 0) == expected
    assert stored.changes(1) == history.changes(1)

    whole = file.read_bytes()
    for damaged in (b"", b"no archive", whole[: len(whole) // 2]):
        file.write_bytes(damaged)
        again = RepositoryHistory.open(scratch.path, cache_dir=cache)
        assert again.file_versions("a.py", 0) == expected
        assert file.read_bytes() == whole
    assert list(cache.iterdir()) == [file]


def test_a_new_head_gets_a_new_index(scratch: Scratch, tmp_path: Path) -> None:
    scratch.chain(("2020-01-01", {"a.py": b"1\n"}))
    assert len(RepositoryHistory.open(scratch.path, cache_dir=tmp_path).file_versions("a.py", 0)) == 1
    scratch.commit("c1", "2020-01-02", {"a.py": b"2\n"}, parents=["c0"])
    assert len(RepositoryHistory.open(scratch.path, cache_dir=tmp_path).file_versions("a.py", 0)) == 2


_CONTENTS = st.sampled_from([None, b"", text("1"), text("2"), b"x\n", ("120000", "p0")])
_STEPS = st.lists(
    st.dictionaries(st.sampled_from(["p0", "p1", "d/p2", "d/p3"]), _CONTENTS, max_size=4),
    min_size=1,
    max_size=7,
)


@settings(max_examples=15, deadline=None)
@given(_STEPS)
def test_the_index_agrees_with_every_tree(steps: list[dict[str, File | None]]) -> None:
    with TemporaryDirectory() as folder:
        scratch = new_scratch(Path(folder) / "r.git")
        scratch.chain(*zip(DAYS, steps, strict=False))
        history = RepositoryHistory.open(scratch.path)
        trees = [history.tree(position) for position in range(len(history.chain))]
        for path in ("p0", "p1", "d/p2", "d/p3"):
            assert [history.blob_at(position, path) for position in range(len(trees))] == [
                tree.get(path) for tree in trees
            ]
            for since in range(len(trees)):
                versions = history.file_versions(path, since)
                positions = [version.position for version in versions]
                assert positions[0] == since
                assert positions == sorted(set(positions))
                for version, after in zip(versions, [*positions[1:], len(trees)], strict=True):
                    for position in range(version.position, after):
                        assert trees[position].get(version.path) == version.blob
        history.close()
