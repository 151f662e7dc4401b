import json
from pathlib import Path

import duckdb
import pytest

from engine.overlap.corpus import CorpusOptions
from engine.overlap.evaluation_set import EvaluationSet, make_item
from engine.overlap.rules import Rules
from engine.overlap.scan import run_scan
from engine.overlap.scan_plan import Scan
from engine.problems import BenchCheckerError

WORDS = [f"word{number}" for number in range(400)]
ITEMS = [" ".join(WORDS[start : start + 40]) for start in (0, 100, 200, 300)]
FILLER = " ".join(f"filler{number}" for number in range(100))


def evaluation(items=ITEMS):
    return EvaluationSet("eval.jsonl", tuple(make_item(f"i{at}", text) for at, text in enumerate(items)))


def write(path: Path, texts) -> str:
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    return str(path)


def query(scan, sql):
    with duckdb.connect(str(scan.database), read_only=True) as connection:
        return connection.execute(sql).fetchall()


@pytest.fixture
def corpus(tmp_path):
    return [
        write(tmp_path / "a.jsonl", [FILLER, f"{FILLER}\n\n{ITEMS[0]}\n\n{FILLER}"]),
        write(tmp_path / "b.jsonl", [FILLER] * 3),
        write(tmp_path / "c.jsonl", [ITEMS[1].replace("word120 ", "other "), " ".join(WORDS[200:219])]),
    ]


def test_a_scan_finds_the_pairs_and_says_why(tmp_path, corpus):
    scan = Scan(evaluation(), tuple(corpus), tmp_path / "out")
    outcome = run_scan(scan)
    assert (outcome.documents, len(outcome.scanned), outcome.failed) == (7, 3, ())
    rows = query(
        scan,
        "SELECT item, document, round(share, 3), round(token_share, 3), longest_match, span, reasons, "
        "round(paragraph_share, 2), flagged FROM pair ORDER BY item, document",
    )
    whole = len(ITEMS[0])
    assert rows[0] == ("i0", "2", 1.0, 1.0, 40, whole, ["share", "span", "tokens", "paragraph"], 1.0, True)
    changed = rows[1]
    assert changed[:2] == ("i1", "1")
    assert changed[2] == round(15 / 28, 3)
    assert changed[3:5] == (0.975, 40)
    assert rows[2][:2] == ("i2", "2")
    assert rows[2][2] == round(7 / 28, 3)
    assert len(rows) == 3
    excerpt, offset = query(scan, "SELECT excerpt, excerpt_offset FROM pair WHERE item = 'i0'")[0]
    assert ITEMS[0] in excerpt
    assert offset == len(FILLER) + 2 - 200
    items = query(scan, "SELECT item, corpus_share, judged, flagged, pairs FROM item ORDER BY item")
    assert items[3] == ("i3", 0.0, True, False, 0)
    assert [row[3] for row in items] == [True, True, True, False]


def test_several_processes_give_the_same_rows(tmp_path, corpus):
    results = []
    for processes in (1, 2):
        scan = Scan(evaluation(), tuple(corpus), tmp_path / str(processes))
        run_scan(scan, processes=processes)
        results.append(query(scan, "SELECT * EXCLUDE (excerpt) FROM pair ORDER BY ALL"))
        results[-1] += query(scan, "SELECT * FROM item ORDER BY ALL")
    assert results[0] == results[1]


def test_appending_reads_only_the_new_shard(tmp_path, corpus):
    out = tmp_path / "out"
    first = run_scan(Scan(evaluation(), tuple(corpus[:2]), out))
    assert len(first.scanned) == 2
    with pytest.raises(BenchCheckerError, match="--append"):
        run_scan(Scan(evaluation(), tuple(corpus), out))
    messages = []
    scan = Scan(evaluation(), (corpus[2],), out)
    second = run_scan(scan, append=True, progress=messages.append)
    assert (len(second.scanned), len(second.kept)) == (1, 2)
    assert messages[0] == "1 shards to scan, 2 already scanned, 0 changed since"
    whole = Scan(evaluation(), tuple(corpus), tmp_path / "whole")
    run_scan(whole)
    everything = "SELECT * FROM item ORDER BY item"
    assert query(scan, everything) == query(whole, everything)
    assert query(scan, "SELECT count(*) FROM shard") == [(3,)]


def test_an_interrupted_scan_goes_on_and_a_changed_shard_is_read_again(tmp_path, corpus):
    scan = Scan(evaluation(), tuple(corpus), tmp_path / "out")
    run_scan(scan)
    expected = query(scan, "SELECT * FROM item ORDER BY item")
    markers = sorted(scan.shards.glob("*.json"))
    markers[0].unlink()
    (scan.shards / ".x.pairs.parquet.99.tmp").write_text("left by a killed process")
    again = run_scan(scan)
    assert (len(again.scanned), len(again.kept), len(again.changed)) == (1, 2, 0)
    assert query(scan, "SELECT * FROM item ORDER BY item") == expected
    write(Path(corpus[1]), [FILLER, ITEMS[3]])
    changed = run_scan(scan)
    assert changed.changed == (corpus[1],)
    assert query(scan, "SELECT flagged FROM item WHERE item = 'i3'") == [(True,)]


def test_another_set_or_other_rules_refuse_an_old_scan(tmp_path, corpus):
    out = tmp_path / "out"
    run_scan(Scan(evaluation(), tuple(corpus), out))
    with pytest.raises(BenchCheckerError, match="another evaluation set"):
        run_scan(Scan(evaluation(ITEMS[:3]), tuple(corpus), out))
    with pytest.raises(BenchCheckerError, match="n: 13 then, 8 now"):
        run_scan(Scan(evaluation(), tuple(corpus), out, Rules(n=8)))
    with pytest.raises(BenchCheckerError, match="unit: file then, line now"):
        run_scan(Scan(evaluation(), tuple(corpus), out, corpus=CorpusOptions(unit="line", fields=("body",))))
    assert len(run_scan(Scan(evaluation(), tuple(corpus), out, Rules(n=8)), fresh=True).scanned) == 3
    with pytest.raises(BenchCheckerError, match="no scan to append to"):
        run_scan(Scan(evaluation(), tuple(corpus), tmp_path / "none"), append=True)


def test_a_broken_shard_counts_for_nothing_and_can_be_mended(tmp_path, corpus):
    import gzip

    data = gzip.compress("".join(json.dumps({"text": text}) + "\n" for text in [ITEMS[3], FILLER]).encode())
    broken = tmp_path / "d.jsonl.gz"
    broken.write_bytes(data[:-9])
    scan = Scan(evaluation(), (*corpus, str(broken)), tmp_path / "out")
    outcome = run_scan(scan)
    assert [name for name, _ in outcome.failed] == [str(broken)]
    assert query(scan, "SELECT flagged FROM item WHERE item = 'i3'") == [(False,)]
    assert query(scan, "SELECT count(*), sum(documents) FROM shard WHERE error IS NULL") == [(3, 7)]
    assert "damaged gzip" in query(scan, "SELECT error FROM shard WHERE error IS NOT NULL")[0][0]
    broken.write_bytes(data)
    mended = run_scan(scan)
    assert (len(mended.scanned), len(mended.kept), mended.failed) == (1, 3, ())
    assert query(scan, "SELECT flagged FROM item WHERE item = 'i3'") == [(True,)]


def test_ngrams_common_to_many_documents_are_dropped_after_the_scan(tmp_path):
    licence = " ".join(f"licence{number}" for number in range(30))
    items = [f"{licence} {text}" for text in ITEMS[:2]]
    texts = [f"{licence} {' '.join(f'doc{document}x{at}' for at in range(50))}" for document in range(9)]
    corpus = write(tmp_path / "a.jsonl", [*texts, items[0]])
    out = tmp_path / "out"
    scan = Scan(evaluation(items), (corpus,), out, Rules(span=400, token_share=0.9, share=0.3))
    run_scan(scan)
    flagged = "SELECT count(*) FROM pair WHERE flagged AND list_contains(reasons, 'share')"
    assert query(scan, flagged) == [(2 * 10 - 0,)]
    dropping = Scan(
        evaluation(items), (corpus,), out, Rules(span=400, token_share=0.9, share=0.3, max_documents=5)
    )
    outcome = run_scan(dropping)
    assert outcome.scanned == ()
    assert query(dropping, flagged) == [(1,)]
    ngrams, dropped, before, after = query(
        dropping, "SELECT ngrams, dropped_common_documents, pairs_before_drop, pairs_after_drop FROM scan"
    )[0]
    assert (ngrams, dropped) == (2 * (70 - 12), 2 * (30 - 12))
    assert (before, after) == (
        20,
        1 + query(dropping, "SELECT count(*) FROM pair WHERE reasons = ['paragraph']")[0][0],
    )


def test_short_items_have_their_own_rule(tmp_path):
    items = ["one two three four five six seven", " ".join(WORDS[:9]), " ".join(WORDS[20:32])]
    texts = [f"{FILLER} {items[0]} {items[1]} {FILLER}", f"{FILLER} {' '.join(WORDS[20:31])} {FILLER}"]
    scan = Scan(evaluation(items), (write(tmp_path / "a.jsonl", texts),), tmp_path / "out")
    run_scan(scan)
    rows = query(scan, "SELECT item, ngrams, judged, corpus_share, longest_match FROM item ORDER BY item")
    assert rows == [("i0", 0, False, None, 0), ("i1", 1, True, 1.0, 0), ("i2", 1, True, 0.0, 11)]
