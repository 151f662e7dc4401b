import numpy as np
import pytest
from scipy.stats import fisher_exact
from statsmodels.stats.multitest import multipletests

from engine.statistics.cells import CLEAN, CONTAMINATED, UNKNOWN
from engine.statistics.effects.panel import Panel
from engine.statistics.effects.patterns import Pattern, flag_rates, sample_patterns
from engine.statistics.proportions import Proportion


def test_a_pattern_is_what_all_submissions_agree_on():
    resolved = np.array([[1, 0, 1, 0, 1, 1, 1], [1, 0, 1, 0, 0, 1, 1]], dtype=bool)
    seen, clean, unknown = CONTAMINATED, CLEAN, UNKNOWN
    labels = [[seen, seen, clean, clean, seen, seen, clean], [seen, seen, clean, clean, seen, clean, unknown]]
    assert sample_patterns(Panel.from_labels(resolved, labels)) == (
        Pattern.SEEN_SOLVED,
        Pattern.SEEN_UNSOLVED,
        Pattern.UNSEEN_SOLVED,
        Pattern.UNSEEN_UNSOLVED,
        None,
        None,
        None,
    )


def test_no_submission_has_no_patterns():
    assert sample_patterns(Panel.from_labels(np.zeros((0, 2)), np.zeros((0, 2)))) == (None, None)


def test_flags_are_compared_between_a_pattern_and_the_others():
    patterns = [Pattern.UNSEEN_SOLVED] * 30 + [Pattern.UNSEEN_UNSOLVED] * 25 + [None] * 9
    one_file = [True] * 26 + [False] * 4 + [True] * 9 + [False] * 15 + [None] + [True] * 9
    hint = [True] * 10 + [False] * 20 + [False] * 25 + [True] * 9
    rates = flag_rates(patterns, {"one file": one_file, "hint": hint})
    solved = rates["one file"][Pattern.UNSEEN_SOLVED]
    assert (solved.inside, solved.outside) == (Proportion(26, 30), Proportion(9, 24))
    assert solved.p_value == pytest.approx(fisher_exact([[26, 4], [9, 15]]).pvalue)
    other = rates["hint"][Pattern.UNSEEN_UNSOLVED]
    assert (other.inside, other.outside) == (Proportion(0, 25), Proportion(10, 30))
    tests = [
        rate for by_pattern in rates.values() for rate in by_pattern.values() if rate.p_value is not None
    ]
    assert len(tests) == 4
    expected = multipletests([rate.p_value for rate in tests], method="fdr_bh")[1]
    assert [rate.q_value for rate in tests] == pytest.approx(expected)


def test_a_pattern_without_samples_has_no_test():
    rate = flag_rates([Pattern.SEEN_SOLVED], {"hint": [True]})["hint"]
    assert rate[Pattern.SEEN_SOLVED].inside == Proportion(1, 1)
    assert all(each.p_value is each.q_value is None for each in rate.values())
    assert flag_rates([], {}) == {}


def test_a_flag_must_name_every_sample():
    with pytest.raises(ValueError, match="hint names 1"):
        flag_rates([None, None], {"hint": [True]})
