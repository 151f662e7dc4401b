import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import fisher_exact
from statsmodels.stats.contingency_tables import StratifiedTable
from statsmodels.stats.multitest import multipletests

from engine.statistics.cells import CLEAN, CONTAMINATED, UNKNOWN, count_cells, label_codes
from engine.statistics.proportions import Proportion, newcombe_difference, relative_change
from engine.statistics.summary import summarise, summarise_many

LEVELS = ["short", "medium", "long", "none of these"]


@pytest.fixture(scope="module")
def benchmark():
    generator = np.random.default_rng(2)
    resolved = generator.random((7, 120)) < np.linspace(0, 1, 7)[:, None]
    labels = generator.choice([CLEAN, CONTAMINATED, UNKNOWN], size=(7, 120), p=[0.4, 0.5, 0.1]).astype(
        np.int8
    )
    difficulty = generator.choice(
        ["short", "medium", "long", None], size=120, p=[0.4, 0.4, 0.1, 0.1]
    ).tolist()
    repository = generator.choice(list("abcdef"), size=120).tolist()
    return resolved, labels, difficulty, repository


def proportion(flags, chosen):
    return Proportion(int(flags[chosen].sum()), int(chosen.sum()))


def test_every_figure_equals_a_plain_count_of_each_submission(benchmark):
    resolved, labels, difficulty, repository = benchmark
    columns = summarise_many(resolved, labels, difficulty=difficulty, levels=LEVELS, repository=repository)
    assert list(columns.levels) == LEVELS
    level_of = np.array(difficulty, dtype=object)
    for index, (flags, codes) in enumerate(zip(resolved, labels, strict=True)):
        summary = columns.at(index)
        parts = [(np.ones(120, dtype=bool), summary.overall)]
        parts += [(level_of == name, summary.levels[name]) for name in LEVELS]
        for within, part in parts:
            assert part.before == proportion(flags, within)
            assert part.clean == proportion(flags, within & (codes == CLEAN))
            assert part.contaminated == proportion(flags, within & (codes == CONTAMINATED))
            assert part.unknown == proportion(flags, within & (codes == UNKNOWN))
            assert part.before_interval == part.before.wilson()
            assert part.clean_interval == part.clean.wilson()
            assert part.contaminated_interval == part.contaminated.wilson()
            assert part.relative_change == pytest.approx(relative_change(part.before, part.clean))
            assert part.difference_interval == newcombe_difference(part.clean, part.contaminated)


def test_tests_equal_those_of_scipy_and_statsmodels(benchmark):
    resolved, labels, difficulty, repository = benchmark
    columns = summarise_many(resolved, labels, difficulty=difficulty, repository=repository)
    expected = []
    level_of = np.array(difficulty, dtype=object)
    for index, (flags, codes) in enumerate(zip(resolved, labels, strict=True)):
        part = columns.at(index).overall
        a, b = part.clean, part.contaminated
        expected.append(fisher_exact([[a.k, a.n - a.k], [b.k, b.n - b.k]]).pvalue)
        assert part.p_value == pytest.approx(expected[-1])
        tables = []
        for level in ("short", "medium", "long", None):
            within = np.array([value is level or value == level for value in level_of])
            first = proportion(flags, within & (codes == CLEAN))
            second = proportion(flags, within & (codes == CONTAMINATED))
            tables.append(np.array([[first.k, first.n - first.k], [second.k, second.n - second.k]], float))
        if part.before.k not in (0, 120):
            theirs = StratifiedTable(tables)
            assert part.stratified.p_value == pytest.approx(theirs.test_null_odds().pvalue)
            assert part.stratified.odds_ratio == pytest.approx(theirs.oddsratio_pooled)
    assert columns.overall.q_value == pytest.approx(multipletests(expected, method="fdr_bh")[1])


def test_one_submission_alone_is_the_same_but_for_the_family(benchmark):
    resolved, labels, difficulty, repository = benchmark
    together = summarise_many(resolved, labels, difficulty=difficulty, repository=repository)
    alone = summarise(resolved[3], labels[3], difficulty=difficulty, repository=repository)
    other = together.at(3)
    for name in ("before", "clean", "before_clustered", "clean_clustered", "difference_clustered", "p_value"):
        assert getattr(alone.overall, name) == getattr(other.overall, name)
    assert alone.overall.stratified == other.overall.stratified
    assert alone.overall.q_value == alone.overall.p_value


def test_nothing_and_everything_resolved_are_defined(benchmark):
    resolved, labels, difficulty, repository = benchmark
    columns = summarise_many(resolved, labels, difficulty=difficulty, repository=repository)
    nothing, everything = columns.at(0).overall, columns.at(6).overall
    assert nothing.before.k == 0
    assert nothing.relative_change is None
    assert nothing.before_interval.low == 0
    assert everything.before.k == 120
    assert everything.relative_change == 0
    for part in (nothing, everything):
        assert part.before_clustered is part.clean_clustered is part.difference_clustered is None
        assert part.p_value == 1
        assert part.difference == 0


def test_a_level_without_samples_has_dashes_and_no_error(benchmark):
    resolved, labels, difficulty, _ = benchmark
    part = summarise(resolved[3], labels[3], difficulty=difficulty, levels=LEVELS).levels["none of these"]
    assert part.before == part.clean == Proportion(0, 0)
    assert part.before_interval is part.relative_change is part.difference_interval is part.p_value is None
    assert part.stratified is None


def test_labels_shared_by_all_may_be_given_once(benchmark):
    resolved, labels, difficulty, repository = benchmark
    once = summarise_many(resolved, labels[0], difficulty=difficulty, repository=repository)
    repeated = summarise_many(
        resolved, np.tile(labels[0], (7, 1)), difficulty=difficulty, repository=repository
    )
    assert [once.at(i) for i in range(7)] == [repeated.at(i) for i in range(7)]


def test_without_repositories_or_levels_those_parts_are_absent(benchmark):
    resolved, labels, _, _ = benchmark
    summary = summarise(resolved[3], labels[3])
    assert summary.levels == {}
    assert summary.overall.stratified is None
    assert summary.overall.before_clustered is None


def test_no_submission_is_no_error():
    columns = summarise_many(np.zeros((0, 5), dtype=bool), np.zeros((0, 5), dtype=np.int8))
    assert columns.overall.before.k.shape == (0,)
    assert columns.overall.judgement.verdict.shape == (0,)


def test_no_sample_is_no_error():
    summary = summarise(np.zeros(0, dtype=bool), np.zeros(0, dtype=np.int8))
    assert summary.overall.before == Proportion(0, 0)


flags = st.lists(
    st.tuples(
        st.booleans(), st.sampled_from([CLEAN, CONTAMINATED, UNKNOWN]), st.sampled_from(["a", "b", None])
    ),
    min_size=1,
    max_size=30,
)


@given(flags)
@settings(max_examples=60)
def test_groups_and_levels_add_up(samples):
    resolved, labels, levels = zip(*samples, strict=True)
    summary = summarise(resolved, np.array(labels, dtype=np.int8), difficulty=list(levels))
    overall = summary.overall
    groups = (overall.clean, overall.contaminated, overall.unknown)
    assert overall.before == Proportion(sum(g.k for g in groups), sum(g.n for g in groups))
    assert overall.before == Proportion(sum(resolved), len(resolved))
    placed = [level is not None for level in levels]
    assert sum(part.before.n for part in summary.levels.values()) == sum(placed)


def test_label_words_become_codes():
    assert label_codes(["clean", "unknown", "contaminated"]).tolist() == [CLEAN, UNKNOWN, CONTAMINATED]
    assert label_codes([["clean"], ["clean"]]).shape == (2, 1)
    assert label_codes([]).shape == (0,)
    with pytest.raises(ValueError, match="dirty"):
        label_codes(["clean", "dirty"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"resolved": [True]}, "shape"),
        ({"labels": [0, 3]}, "label codes"),
        ({"labels": [0, -1]}, "label codes"),
        ({"difficulty": ["a"]}, "difficulty names 1 samples"),
        ({"repository": ["a"]}, "repository names 1 samples"),
        ({"difficulty": ["a", "z"], "levels": ["a"]}, "z"),
    ],
)
def test_input_that_does_not_fit_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        count_cells(**{"resolved": [[True, False]], "labels": [0, 1], **arguments})
