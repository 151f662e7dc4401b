import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scratch_repository import Scratch
from typer.testing import CliRunner

from engine.cli.app import build_app
from engine.probing.reference import building
from engine.probing.reference.building import dataset_shards, repository_shard
from engine.probing.reference.corpus import Located, find_repositories
from engine.probing.reference.dictionary import read_dictionary, shipped_dictionary, word_hashes
from engine.probing.reference.shards import Counted, merge_shards, write_shard
from engine.problems import BenchCheckerError

WORDS = st.sets(st.sampled_from([f"word{number}" for number in range(12)]))


def shard(path: Path, contents: dict[str, set[str]]) -> Path:
    write_shard(
        path,
        [(Counted(name, "", "", 1, len(found)), word_hashes(found)) for name, found in contents.items()],
    )
    return path


@settings(max_examples=25, deadline=None)
@given(parts=st.lists(st.dictionaries(st.sampled_from(["a/a", "b/b", "c/c", "d/d"]), WORDS), min_size=1))
def test_shards_merge_to_the_count_of_repositories(tmp_path_factory, parts):
    folder = tmp_path_factory.mktemp("shards")
    paths = [shard(folder / f"{number}.parquet", part) for number, part in enumerate(parts)]
    merge_shards(paths, folder / "out")
    dictionary = read_dictionary(folder / "out")
    union: dict[str, set[str]] = {}
    for part in parts:
        for name, found in part.items():
            union.setdefault(name, set()).update(found)
    assert dictionary.repositories == set(union)
    for word in (f"word{number}" for number in range(12)):
        holders = sum(word in found for found in union.values())
        assert dictionary.count(word) == (holders if holders >= 2 else 0)


def test_the_repository_itself_counts_once(tmp_path):
    contents = {"a/a": {"shared", "common"}, "b/b": {"shared", "common"}, "c/c": {"common", "alone"}}
    merge_shards([shard(tmp_path / "s.parquet", contents)], tmp_path / "out")
    dictionary = read_dictionary(tmp_path / "out")
    assert dictionary.size == 3
    assert dictionary.frequency("shared", "A/a") == 2
    assert dictionary.frequency("shared", "new/one") == 3
    assert dictionary.frequency("alone", "c/c") == 1
    assert dictionary.frequency("alone", "new/one") == 1


def test_nothing_to_merge_is_said(tmp_path):
    with pytest.raises(BenchCheckerError, match="no shard"):
        merge_shards([], tmp_path)


def test_a_missing_dictionary_is_said(tmp_path):
    with pytest.raises(BenchCheckerError, match="reference build"):
        read_dictionary(tmp_path)


@pytest.fixture
def clones(tmp_path):
    folder = tmp_path / "clones"
    for name, text in (("one+lib/repo", b"def unusual_name(): pass"), ("two__lib.git", b"unusual_name = 1")):
        path = folder / name
        path.mkdir(parents=True)
        scratch = Scratch(path)
        scratch.git("init", "--bare", "--quiet", "--initial-branch=main")
        files = {"a.py": text, "_vendor/b.py": b"def borrowed(): pass", "notes.txt": b"only_in_notes"}
        scratch.commit("first", "2024-01-01", files)
    return folder


def test_build_counts_own_sources_of_clones(clones, tmp_path):
    arguments = ["reference", "build", str(clones), "-o", str(tmp_path / "out")]
    done = CliRunner().invoke(build_app(), [*arguments, "--shards", str(tmp_path / "shards")])
    assert done.exit_code == 0, done.output
    dictionary = read_dictionary(tmp_path / "out")
    assert dictionary.repositories == {"one/lib", "two/lib"}
    assert dictionary.count("unusual_name") == 2
    assert dictionary.count("borrowed") == dictionary.count("only_in_notes") == 0


def test_a_second_build_reads_no_repository_again(clones, tmp_path):
    located = list(find_repositories(clones, {}))
    first = [repository_shard(entry, tmp_path / "shards") for entry in located]
    stamps = [path.stat().st_mtime_ns for path in first]
    again = [repository_shard(entry, tmp_path / "shards") for entry in located]
    assert [path.stat().st_mtime_ns for path in again] == stamps


def test_forks_count_under_the_canonical_name(clones):
    names = {entry.repository for entry in find_repositories(clones, {"one/lib": "upstream/lib"})}
    assert names == {"upstream/lib", "two/lib"}


def test_a_plain_folder_is_one_repository(tmp_path):
    (tmp_path / "owner" / "name").mkdir(parents=True)
    (tmp_path / "owner" / "name" / "a.py").write_text("spam = 1")
    (located,) = find_repositories(tmp_path / "owner" / "name", {})
    assert located == Located("owner/name", tmp_path / "owner" / "name", False)
    assert repository_shard(located, tmp_path / "shards").is_file()


def test_rows_of_a_data_set_go_on_after_an_interruption(tmp_path, monkeypatch):
    monkeypatch.setattr(building, "ROWS_PER_SHARD", 2)
    rows = [{"repos": f"o/{number % 3},x/y", "new_contents": "alpha beta"} for number in range(5)]

    def interrupted():
        yield from rows[:3]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(dataset_shards(interrupted(), "d@1", "new_contents", "repos", tmp_path))
    (first,) = tmp_path.glob("*.parquet")
    stamp = first.stat().st_mtime_ns
    paths = list(dataset_shards(rows, "d@1", "new_contents", "repos", tmp_path))
    assert len(paths) == 3
    assert first.stat().st_mtime_ns == stamp
    merge_shards(paths, tmp_path / "out")
    dictionary = read_dictionary(tmp_path / "out")
    assert dictionary.repositories == {"o/0", "o/1", "o/2", "x/y"}
    assert dictionary.count("alpha") == 4


def test_a_local_file_is_a_data_set(tmp_path):
    rows = tmp_path / "rows.jsonl"
    lines = [json.dumps({"repos": name, "new_contents": "quaint"}) for name in ("a/a", "b/b")]
    rows.write_text("\n".join(lines))
    arguments = ["reference", "build", "--dataset", str(rows), "-o", str(tmp_path / "out")]
    done = CliRunner().invoke(build_app(), [*arguments, "--shards", str(tmp_path / "shards")])
    assert done.exit_code == 0, done.output
    looked = CliRunner().invoke(
        build_app(), ["reference", "look", "quaint", "--reference", str(tmp_path / "out")]
    )
    assert looked.output == "quaint\t2 of 2\n"


def test_the_shipped_dictionary_tells_common_from_rare():
    dictionary = shipped_dictionary()
    assert dictionary.size >= 171
    assert dictionary.count("self") > dictionary.size / 2
    assert 2 <= dictionary.count("CaseInsensitiveDict") < dictionary.size / 10
