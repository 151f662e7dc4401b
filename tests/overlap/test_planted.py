import pytest

from engine.overlap.planted.corpus import KINDS, planted_corpus
from engine.overlap.planted.measure import as_lines, measure_planted
from engine.overlap.planted.texts import SOURCES

COPIES = [kind for kind in KINDS if kind not in {"paraphrase", "translation"}]


@pytest.fixture(scope="module")
def gate(tmp_path_factory):
    rows = measure_planted(tmp_path_factory.mktemp("planted"))
    return {row.kind: row for row in rows}


@pytest.mark.parametrize("kind", COPIES)
def test_every_kind_of_copy_is_found_and_nothing_else(gate, kind):
    assert gate[kind].recall.rate == 1
    assert gate[kind].precision.rate == 1


def test_the_gate_alone_is_blind_to_paraphrase_and_translation(gate):
    assert gate["paraphrase"].recall.k == 0
    assert gate["translation"].recall.k == 0
    assert gate["unrelated"].precision.n == 0
    assert gate["all"].recall.k == len(COPIES) * len(SOURCES)


def test_false_alarms_come_from_templates_only(gate):
    assert gate["all"].precision.n - gate["all"].precision.k == gate["template sibling"].precision.n


def test_the_planted_corpus_is_the_same_every_time_and_holds_what_it_says():
    evaluation, documents = planted_corpus()
    assert documents == planted_corpus()[1]
    kinds = {kind: [one for one in documents if one.kind == kind] for kind in KINDS}
    assert all(len(found) == len(SOURCES) for found in kinds.values())
    for kind in ("one word changed", "Unicode variants", "case and white space", "re-wrapped lines"):
        assert all(one.text != evaluation.items[one.item].text for one in kinds[kind])
    assert len({source.item for source in SOURCES}) == len(SOURCES) >= 20
    assert len({source.language for source in SOURCES}) >= 5


def test_the_table_names_every_kind(gate):
    lines = as_lines({"gate": list(gate.values())})
    assert lines[1].split() == ["verbatim", "1.00", "(20/20)", "1.00", "(20/20)"]
    assert len(lines) == 1 + len(gate)
