"""Files that nobody would write on purpose, or only on purpose: none may end a scan or falsify its totals."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.overlap.corpus import CorpusOptions, discover
from engine.overlap.evaluation_set import ItemOptions, read_evaluation_set
from engine.overlap.shard_reader import ShardReader
from engine.overlap.streams import Limits, ShardError


def read(path: Path, **options):
    chosen = CorpusOptions(**options)
    (shard,) = discover([str(path)], chosen)
    reader = ShardReader(shard, chosen)
    return [(document.key, document.text) for document in reader], reader.tally


def test_a_number_of_too_many_digits_leaves_out_its_line_only(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "lost", "n": ' + "1" * 5000 + '}\n{"text": "kept"}\n')
    found, tally = read(path)
    assert found == [("2", "kept")]
    assert tally.skipped == {"line is no JSON": 1}
    assert tally.problems[0].line == 1
    (items,) = read_evaluation_set(path, ItemOptions()).rows
    assert [item.text for item in items.items] == ["kept"]


@pytest.mark.parametrize("depth", [10, 700, 900])
def test_text_is_found_however_deep_it_lies(tmp_path, depth):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": ' + "[" * depth + '"deep", ["end"]' + "]" * depth + "}\n")
    assert read(path)[0] == [("1", "deep\nend")]


def test_json_nested_beyond_what_is_parsed_is_counted(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": ' + "[" * 200_000 + '\n{"text": "kept"}\n')
    found, tally = read(path)
    assert found == [("2", "kept")]
    assert tally.skipped == {"line is no JSON": 1}


def test_a_byte_order_mark_does_not_cost_the_first_line(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"text": "first"}\n{"text": "second"}\n')
    found, tally = read(path)
    assert found == [("1", "first"), ("2", "second")]
    assert not tally.skipped


def test_parquet_columns_of_one_name_are_a_clear_error(tmp_path):
    path = tmp_path / "a.parquet"
    column = pa.array(["text"])
    pq.write_table(pa.table([column, column], names=["text", "text"]), path)
    with pytest.raises(ShardError, match="2 columns are called 'text'"):
        read(path)


def test_a_parquet_file_that_unpacks_to_far_more_is_refused(tmp_path):
    path = tmp_path / "bomb.parquet"
    pq.write_table(pa.table({"text": ["b " * 500_000] * 60}), path)
    assert path.stat().st_size < 100_000
    with pytest.raises(ShardError, match="--max-ratio"):
        read(path, limits=Limits(ratio_floor=8 << 20))
    assert len(read(path, limits=Limits(ratio_floor=1 << 30))[0]) == 60


def test_the_order_of_nested_text_is_that_of_the_record(tmp_path):
    row = {"text": [{"b": "1", "a": ["2", "", {"c": ("3")}]}, None, 4, "5"]}
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(row) + "\n")
    assert read(path)[0] == [("1", "1\n2\n3\n5")]
