import time
from collections import Counter
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quaint_project import CLONE, RARE, project
from scratch_repository import new_scratch
from typer.testing import CliRunner

from engine.cli.app import build_app
from engine.history.repository import RepositoryHistory
from engine.probing.mining import NO_REFERENCE, folder_texts, mine, snapshot_texts
from engine.probing.mining import cooccurrence as searched
from engine.probing.mining.clones import clone_groups
from engine.probing.mining.duplication import duplication_groups
from engine.probing.mining.passages import Passage, without_overlaps
from engine.probing.mining.selection import PER_GROUP
from engine.probing.queries import PatternKind, read_queries
from engine.probing.reference.dictionary import read_dictionary, word_hashes
from engine.probing.reference.shards import Counted, merge_shards, write_shard
from engine.probing.words import WORD, first_word, parts, words


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """Counts in which every word of the project but the rare ones is in a hundred repositories."""
    folder = tmp_path_factory.mktemp("reference")
    common = {word for text in project().values() for word in words(text)} - RARE
    hashes = word_hashes(common)
    contents = [(Counted(f"o/{number}", "", "", 1, len(hashes)), hashes) for number in range(100)]
    write_shard(folder / "s.parquet", contents)
    merge_shards([folder / "s.parquet"], folder)
    return folder


@pytest.fixture
def repository(tmp_path):
    scratch = new_scratch(tmp_path / "clones" / "quaint__lib.git")
    files = {path: text.encode() for path, text in project().items()}
    vendored = {f"vendor/x{number}.py": CLONE.format(name="x", first="y").encode() for number in range(2)}
    scratch.chain(("2024-01-10", {"a.py": b"nothing = 1"}), ("2024-03-10", files | vendored))
    return scratch.path


def test_every_kind_of_repetition_gives_queries_about_rare_words(reference):
    queries = mine(project(), "quaint/lib", read_dictionary(reference))
    assert {query.target for query in queries} == RARE
    assert all(query.reference_frequency == 1 and query.reference_size == 100 for query in queries)


def test_clones_and_texts_are_told_apart(reference):
    def asked(kind: PatternKind) -> dict[str, int]:
        queries = mine(project(), "quaint/lib", read_dictionary(reference), [kind])
        return {query.target: query.occurrences for query in queries}

    assert asked(PatternKind.CLONE) == {"recalibrate_gyroscope": 4, "precessNutation": 2}
    assert asked(PatternKind.TEXT) == {"Zyxware": 4, "Snorfblatt": 2, "gyroflux_manifold": 4}


def test_words_that_go_together_give_queries_without_other_repetition(reference):
    files = {}
    for number in range(5):
        lines = "\n".join(f"x{number}_{line} = {line}" for line in range(number))
        files[f"{number}.py"] = (
            f"import thing{number}\n{lines}\nrequest(Zyxware, {number}, total)\n"
            f"y{number} = {number}\nz = session.context.gyroflux_manifold({number})\n"
        )
    queries = mine(files, "quaint/lib", read_dictionary(reference), [PatternKind.COOCCURRENCE])
    assert [(query.target, query.occurrences) for query in queries] == [("gyroflux_manifold", 5)]
    assert "Zyxware" in queries[0].prefix


def test_a_prefix_and_its_target_stand_in_a_file_and_the_prefix_lacks_the_target():
    texts = project()
    for query in mine(texts, "quaint/lib", NO_REFERENCE):
        assert any(query.prefix + query.target in text for text in texts.values())
        assert query.target not in words(query.prefix)


def test_each_target_is_asked_once_and_few_of_a_group():
    queries = mine(project(), "quaint/lib", NO_REFERENCE)
    assert max(Counter(query.target for query in queries).values()) == 1
    assert max(Counter(query.group for query in queries).values()) <= PER_GROUP


def test_mining_is_deterministic_whatever_the_order_of_files():
    texts = project()
    turned = dict(reversed(list(texts.items())))
    one, two = mine(texts, "quaint/lib", NO_REFERENCE), mine(texts, "quaint/lib", NO_REFERENCE)
    assert one == two
    assert {q.target for q in mine(turned, "quaint/lib", NO_REFERENCE)} == {q.target for q in one}


def test_a_snapshot_is_of_its_day_and_without_foreign_code(repository):
    history = RepositoryHistory.open(repository)
    assert snapshot_texts(history, date(2024, 2, 1)) == {"a.py": "nothing = 1"}
    assert snapshot_texts(history) == {"a.py": "nothing = 1"} | project()


def test_a_folder_is_read_like_a_snapshot(tmp_path):
    for path, text in project().items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    assert folder_texts(tmp_path) == project()


def test_the_command_writes_queries_of_a_day(repository, reference, tmp_path):
    out = tmp_path / "queries.jsonl"
    arguments = ["--repos", str(repository.parent), "--reference", str(reference), "--no-entropy"]
    done = CliRunner().invoke(
        build_app(), ["mine", "--repo", "Quaint/Lib", "--at", "2024-03-10", "-o", str(out), *arguments]
    )
    assert done.exit_code == 0, done.output
    rows = read_queries(out).strict().rows
    assert {query.target for query in rows} == RARE
    assert {query.repository for query in rows} == {"quaint/lib"}


def test_the_command_names_what_it_cannot_find(tmp_path):
    done = CliRunner().invoke(
        build_app(), ["mine", "--repo", "no/such", "-o", str(tmp_path / "q"), "--repos", str(tmp_path)]
    )
    assert "no/such: not among the clones" in str(done.exception)


def test_near_copies_are_clones_and_other_logic_is_not():
    groups = clone_groups({path: text for path, text in project().items() if path.endswith(".py")})
    assert sorted(len(group.passages) for group in groups) == [4]
    assert all("recalibrate_gyroscope" in passage.text for passage in groups[0].passages)


def test_comments_and_imports_are_duplicated_texts():
    groups = duplication_groups(project())
    firsts = [group.passages[0].text for group in groups]
    assert any("Zyxware" in text for text in firsts)
    assert any("Snorfblatt" in text for text in firsts)
    assert any(text.startswith("from quaint") for text in firsts)


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 20), st.integers(1, 8))))
def test_no_two_kept_passages_overlap(spans):
    passages = [Passage(path, start, "x" * length) for path, start, length in spans]
    kept = without_overlaps(passages)
    covered = [(passage.path, place) for passage in kept for place in _places(passage)]
    assert len(covered) == len(set(covered))
    assert all(any(p.path == k.path and set(_places(p)) & set(_places(k)) for k in kept) for p in passages)


def _places(passage: Passage) -> range:
    return range(passage.start, passage.start + len(passage.text))


@given(st.text())
def test_broken_source_is_mined_without_an_error(text):
    mine({"a.py": text, "b.py": text, "C.java": text, "D.java": text}, "o/n", NO_REFERENCE)


def test_words_and_their_parts():
    assert words("x1 = HTTPServer_v2(naïve)") == ["x1", "HTTPServer_v2", "na", "ve"]
    assert parts("HTTPServer_v2") == ["http", "server", "v", "2"]
    assert first_word("namespaces = 1") == "namespaces"
    assert first_word(" namespaces") == ""
    assert WORD.fullmatch("_private") is not None


@given(st.dictionaries(st.text("abc", min_size=1), st.integers(2, 5)), st.integers(0, 30))
def test_words_that_most_files_hold_are_searched_first(files, most):
    kept = searched.most_shared(files, most)
    left = set(files) - set(kept)
    assert sum(files[word] for word in kept) <= most
    assert all(files[word] <= files[other] for word in left for other in kept)
    assert kept == sorted(kept)
    if sum(files.values()) <= most:
        assert not left


def test_what_the_bound_leaves_out_is_said(monkeypatch):
    places = {f"{n}.py": searched.first_places("alpha beta gamma " + "delta" * (n < 2)) for n in range(4)}
    said = []
    assert len(searched.cooccurrences(places, lambda word: True, said.append)) == 4
    assert said == []
    monkeypatch.setattr(searched, "MOST_PLACES", 12)
    (only,) = searched.cooccurrences(places, lambda word: True, said.append)
    assert only.words == ("alpha", "beta", "gamma")
    assert said == ["words that go together: 1 of 4 words left out"]


def test_near_identical_files_do_not_explode():
    names = [f"name_{number}" for number in range(600)]
    places = {f"{n}.py": searched.first_places(" ".join(names)) for n in range(2)}
    began = time.process_time()
    found = searched.cooccurrences(places, lambda word: True)
    # Comparing each pattern with every longer one of the same two files took over a hundred times as long.
    assert time.process_time() - began < 15
    assert len(found) > 10_000
