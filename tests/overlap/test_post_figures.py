"""Every figure that the code of the seed post computes, out of the product."""

import json

import duckdb
import pytest
from overlap_post_data import DOCUMENTS, ITEM, sampled_run, template_items

from engine.overlap.evaluation_set import EvaluationSet, make_item
from engine.overlap.pair import measure_pair
from engine.overlap.rules import Rules
from engine.overlap.scan import run_scan
from engine.overlap.scan_plan import Scan
from engine.overlap.scores import ItemScore, Leak, expected_inflation, subset_scores

SIZES = (3, 5, 8, 10, 13, 20)


@pytest.mark.parametrize(
    ("document", "shares", "span"),
    [
        ("verbatim copy", "1.00 1.00 1.00 1.00 1.00 1.00", 150),
        ("one word changed", "0.88 0.79 0.76 0.74 0.69 0.44", 123),
        ("paraphrased", "0.31 0.25 0.14 0.05 0.00 0.00", 35),
        ("translated to Swahili", "0.23 0.17 0.05 0.00 0.00 0.00", 26),
        ("same template, new numbers", "0.31 0.25 0.14 0.05 0.00 0.00", 35),
    ],
)
def test_one_item_against_five_documents(document, shares, span):
    measured = [measure_pair(ITEM, DOCUMENTS[document], Rules(n=n)) for n in SIZES]
    assert " ".join(f"{pair.share:.2f}" for pair in measured) == shares
    assert {pair.span for pair in measured} == {span}


@pytest.fixture(scope="module")
def scanned(tmp_path_factory):
    """Scan the template corpus at every n; return the leaked items and a connection for each n."""
    items, leaked, documents = template_items()
    folder = tmp_path_factory.mktemp("post")
    corpus = folder / "train.jsonl"
    corpus.write_text("".join(json.dumps({"text": text}) + "\n" for text in documents))
    evaluation = EvaluationSet("eval", tuple(make_item(str(at), text) for at, text in enumerate(items)))
    databases = {}
    for n in SIZES:
        scan = Scan(
            evaluation,
            (str(corpus),),
            folder / str(n),
            Rules(n=n, share=1, span=100, token_share=1, paragraph_share=1, keep_share=1),
        )
        run_scan(scan)
        databases[n] = scan.database
    return {str(number) for number in leaked}, databases


@pytest.mark.parametrize(("n", "false_alarms"), [(3, 380), (5, 175), (8, 2), (10, 2), (13, 2), (20, 0)])
def test_the_length_of_ngrams_decides_the_false_alarm_rate(scanned, n, false_alarms):
    leaked, databases = scanned
    with duckdb.connect(str(databases[n]), read_only=True) as connection:
        rows = connection.execute("SELECT item FROM item WHERE corpus_share >= 0.5").fetchall()
    flagged = {item for (item,) in rows}
    assert len(flagged & leaked) == 20
    assert len(flagged - leaked) == false_alarms


def test_the_two_survivors_are_near_duplicates(scanned):
    leaked, databases = scanned
    with duckdb.connect(str(databases[13]), read_only=True) as connection:
        rows = connection.execute(
            "SELECT item, max(span), length(any_value(text)) FROM pair JOIN item USING (item) "
            "WHERE corpus_share >= 0.5 GROUP BY item"
        ).fetchall()
    assert sorted(row for row in rows if row[0] not in leaked) == [("203", 108, 154), ("89", 106, 151)]


def test_the_expected_inflation_table():
    rows = [
        f"{row.share:.0%} {row.reported:.3f} {row.clean:.3f} {row.inflation:+.3f} {row.clean_items}"
        for row in expected_inflation(0.62, 0.94, 1200)
    ]
    assert rows == [
        "2% 0.626 0.620 +0.006 1176",
        "5% 0.636 0.620 +0.016 1140",
        "15% 0.668 0.620 +0.048 1020",
        "30% 0.716 0.620 +0.096 840",
    ]


def test_the_sampled_run():
    run = sampled_run(0.62, 0.94, 1200, 0.15)
    scores = subset_scores(
        [ItemScore(correct, Leak.LEAKED if leaked else Leak.CLEAN, float(leaked)) for leaked, correct in run]
    )
    assert f"{scores.reported.rate:.3f}" == "0.670"
    assert (scores.clean.k, scores.clean.n, scores.leaked.k, scores.leaked.n) == (632, 1020, 172, 180)
    interval = scores.clean.wilson()
    assert f"{scores.clean.rate:.3f} [{interval.low:.3f}, {interval.high:.3f}]" == "0.620 [0.589, 0.649]"
    assert f"{scores.leaked.rate:.3f}" == "0.956"
    assert scores.both_conditions is True
    assert scores.leaked_share == pytest.approx(0.15)
    assert scores.inflation == pytest.approx(scores.reported.rate - scores.clean.rate)
    assert scores.subsets.affected
