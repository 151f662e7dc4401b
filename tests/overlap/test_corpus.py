import gzip
import json
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.overlap.corpus import CorpusOptions, discover
from engine.overlap.shard_reader import ShardReader
from engine.overlap.streams import Limits, ShardError, lines
from engine.problems import BenchCheckerError

ROWS = [{"text": f"document number {i} of the corpus", "title": f"t{i}", "id": f"d{i}"} for i in range(50)]


def read(*sources, **options):
    found = []
    tallies = []
    for shard in discover([str(source) for source in sources], CorpusOptions(**options)):
        reader = ShardReader(shard, CorpusOptions(**options))
        found += [(document.key, document.text) for document in reader]
        assert len(reader.digest) == 64
        tallies.append(reader.tally)
    return found, tallies


def jsonl(rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.fixture
def formats(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(jsonl(ROWS))
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(jsonl(ROWS)))
    with pa.CompressedOutputStream(str(tmp_path / "a.jsonl.zst"), "zstd") as stream:
        stream.write(jsonl(ROWS))
    pq.write_table(pa.Table.from_pylist(ROWS), tmp_path / "a.parquet", row_group_size=7)
    return tmp_path


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.jsonl.zst", "a.parquet"])
def test_every_record_format_reads_the_same(formats, name):
    expected = [(row["id"], row["title"] + "\n\n" + row["text"]) for row in ROWS]
    assert read(formats / name, fields=("title", "text"), id_field="id")[0] == expected


def test_a_large_file_is_cut_into_shards_that_hold_each_line_once(formats):
    shards = discover([str(formats / "a.jsonl")], CorpusOptions(split_bytes=500))
    assert len(shards) > 5
    found, _ = read(formats / "a.jsonl", split_bytes=500)
    assert [text for _, text in found] == [row["text"] for row in ROWS]
    assert len({key for key, _ in found}) == len(ROWS)


def test_text_units(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("one\ntwo\n\n\nthree\nfour\n")
    assert read(path, unit="line")[0] == [("1", "one"), ("2", "two"), ("5", "three"), ("6", "four")]
    assert read(path, unit="paragraph")[0] == [("1", "one\ntwo"), ("5", "three\nfour")]
    assert read(path, unit="file")[0] == [("1", "one\ntwo\n\n\nthree\nfour\n")]


def test_a_source_tree_counts_what_it_leaves_out(tmp_path):
    root = tmp_path / "project"
    (root / "pkg").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("not source")
    (root / "pkg" / "mod.py").write_text("import os\n")
    (root / "pkg" / "latin.py").write_bytes("# caf\xe9\n".encode("latin-1"))
    (root / "logo.png").write_bytes(b"\x89PNG\0\0")
    (root / "link").symlink_to(root / "pkg")
    (root / "link.py").symlink_to(root / "pkg" / "mod.py")
    found, (tally,) = read(f"tree:{root}")
    assert [key for key, _ in found] == ["pkg/latin.py", "pkg/mod.py"]
    assert tally.skipped == {"binary file": 1, "symbolic link": 1}
    assert tally.repaired == 1


def test_a_local_data_set_directory_reads_through_datasets(tmp_path):
    pytest.importorskip("datasets")
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "train.jsonl").write_bytes(jsonl(ROWS))
    found, _ = read(f"hf:{tmp_path / 'set'}@train", id_field="id")
    assert found == [(row["id"], row["text"]) for row in ROWS]


def test_a_directory_gives_every_file(formats):
    assert len(discover([str(formats), str(formats / "a.jsonl")], CorpusOptions())) == 4


def test_missing_sources_and_fields_say_what_to_do(formats):
    with pytest.raises(BenchCheckerError, match="no such file"):
        discover([str(formats / "absent.jsonl")], CorpusOptions())
    for name in ("a.jsonl", "a.parquet"):
        with pytest.raises(ShardError, match="id, text, title"):
            read(formats / name, fields=("content",))


def test_nested_text_is_read_in_order(tmp_path):
    row = {"messages": [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]}
    (tmp_path / "chat.jsonl").write_bytes(jsonl([row]))
    assert read(tmp_path / "chat.jsonl", fields=("messages",))[0] == [("1", "user\nhello\nassistant\nhi")]


def test_lines_that_cannot_be_used_are_counted(tmp_path):
    good = json.dumps({"text": "kept"}).encode()
    bad = [
        b"{broken",
        b"[1, 2]",
        json.dumps({"text": "x" * 3000}).encode(),
        json.dumps({"text": ""}).encode(),
    ]
    invalid = b'{"text": "caf\xe9 nul \\u0000 \\ud800"}'
    (tmp_path / "a.jsonl").write_bytes(b"\n".join([*bad, b"", invalid, good]))
    found, (tally,) = read(tmp_path / "a.jsonl", limits=Limits(document_bytes=2000))
    assert [key for key, _ in found] == ["6", "7"]
    assert tally.documents == 2
    assert sum(tally.skipped.values()) == 4
    assert tally.repaired == 1
    assert {problem.line for problem in tally.problems} == {1, 2, 3, 4, 6}


def test_a_line_longer_than_the_bound_is_never_held(tmp_path):
    path = tmp_path / "long.txt"
    with path.open("wb") as stream:
        stream.write(b"before\n")
        for _ in range(40):
            stream.write(b"x" * (1 << 20))
        stream.write(b"\nafter\n")
    import tracemalloc

    tracemalloc.start()
    found, (tally,) = read(path, unit="line", limits=Limits(document_bytes=1 << 20))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == [("1", "before"), ("3", "after")]
    assert sum(tally.skipped.values()) == 1
    assert peak < 12 << 20


@pytest.mark.parametrize(
    "damage", [lambda b: b[:-20], lambda b: b[:-8] + b"abcd" + b[-4:], lambda b: b + b"junk"]
)
def test_a_damaged_gzip_file_counts_for_nothing(tmp_path, damage):
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(damage(gzip.compress(jsonl(ROWS))))
    with pytest.raises(ShardError, match="damaged gzip"):
        read(path)


def test_a_decompression_bomb_is_refused(tmp_path):
    path = tmp_path / "bomb.txt.gz"
    path.write_bytes(gzip.compress(b"a \n" * 4_000_000))
    limits = Limits(ratio_floor=1 << 20)
    with pytest.raises(ShardError, match="--max-ratio"):
        read(path, unit="line", limits=limits)


def test_a_damaged_parquet_file_is_a_clear_error(formats):
    data = bytearray((formats / "a.parquet").read_bytes())
    (formats / "short.parquet").write_bytes(data[:-30])
    with pytest.raises(ShardError, match="damaged Parquet"):
        read(formats / "short.parquet")


def test_parquet_strings_that_are_no_utf8_are_repaired(tmp_path):
    column = pa.array([b"caf\xe9 au lait", b"plain"]).view(pa.string())
    pq.write_table(pa.table({"text": column}), tmp_path / "a.parquet")
    found, (tally,) = read(tmp_path / "a.parquet")
    assert [text for _, text in found] == ["caf\N{REPLACEMENT CHARACTER} au lait", "plain"]
    assert tally.repaired == 1


def test_a_file_that_grows_while_it_is_read_is_refused(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(jsonl(ROWS))
    (shard,) = discover([str(path)], CorpusOptions())
    reader = ShardReader(shard, CorpusOptions())
    documents = iter(reader)
    next(documents)
    with path.open("ab") as stream:
        stream.write(jsonl(ROWS))
        os.fsync(stream.fileno())
    with pytest.raises(ShardError, match="changed while it was read"):
        list(documents)
    assert reader.tally.documents == len(ROWS)


@given(st.binary(max_size=200), st.integers(1, 20), st.integers(1, 30))
def test_lines_agree_with_split(data, size, longest):
    parts = iter([data[at : at + size] for at in range(0, len(data), size)])
    expected = data.split(b"\n")
    if expected[-1] == b"":
        expected.pop()
    got = list(lines(parts, longest))
    assert [line for _, line, _ in got] == [line if len(line) <= longest else None for line in expected]
    for (_, line, offset), whole in zip(got, expected, strict=True):
        assert data[offset : offset + len(whole)] == whole
        assert line is None or line == whole
