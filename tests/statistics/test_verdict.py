import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.statistics.cells import CLEAN, CONTAMINATED, UNKNOWN
from engine.statistics.summary import summarise, summarise_many
from engine.statistics.verdict import REASON_TEXT, Criteria, Reason, Verdict


def submission(clean, contaminated, unknown=(0, 0)):
    """Outcomes and labels of samples, from k and n of each group."""
    resolved, labels = [], []
    for (k, n), label in ((clean, CLEAN), (contaminated, CONTAMINATED), (unknown, UNKNOWN)):
        resolved += [True] * k + [False] * (n - k)
        labels += [label] * n
    return np.array(resolved), np.array(labels, dtype=np.int8)


def judged(*groups, **context):
    return summarise(*submission(*groups), **context).overall.judgement


def test_a_large_gap_holds():
    judgement = judged((60, 200), (220, 300))
    assert judgement.verdict is Verdict.HOLDS
    assert Reason.SUPPORTED in judgement.reasons
    assert judgement.q_value < 1e-10


def test_the_order_of_three_numbers_is_not_enough():
    # 10/20 < 31/60 < 21/40: the two conditions of the post, and no evidence at all.
    judgement = judged((10, 20), (21, 40))
    assert judgement.verdict is Verdict.INSUFFICIENT
    assert Reason.NOT_SIGNIFICANT in judgement.reasons
    assert not {Reason.CLEAN_NOT_BELOW, Reason.CONTAMINATED_NOT_ABOVE} & set(judgement.reasons)


def test_no_gap_in_many_samples_does_not_hold():
    judgement = judged((2500, 5000), (2500, 5000))
    assert judgement.verdict is Verdict.DOES_NOT_HOLD
    assert Reason.MARGIN_RULED_OUT in judgement.reasons


def test_no_gap_in_few_samples_is_insufficient():
    judgement = judged((20, 40), (20, 40))
    assert judgement.verdict is Verdict.INSUFFICIENT
    assert Reason.MARGIN_POSSIBLE in judgement.reasons


def test_a_reversed_gap_does_not_hold():
    judgement = judged((220, 300), (60, 200))
    assert judgement.verdict is Verdict.DOES_NOT_HOLD
    assert {Reason.CLEAN_NOT_BELOW, Reason.CONTAMINATED_NOT_ABOVE} <= set(judgement.reasons)


def test_the_margin_is_the_readers():
    groups = (2500, 5000), (2550, 5000)
    assert judged(*groups, criteria=Criteria(margin=0.05)).verdict is Verdict.DOES_NOT_HOLD
    assert judged(*groups, criteria=Criteria(margin=0.005)).verdict is Verdict.INSUFFICIENT


def joined(*parts):
    """Outcomes, labels and the number of the part of several groups of samples."""
    made = [submission(*part) for part in parts]
    resolved, labels = (np.concatenate(column) for column in zip(*made, strict=True))
    return resolved, labels, np.repeat(np.arange(len(made)), [len(part[0]) for part in made])


@pytest.mark.parametrize(
    ("easy", "hard"),
    [
        # Clean against contaminated: equal within levels, a little lower, and clearly higher.
        (((36, 40), (216, 240)), ((48, 240), (8, 40))),
        (((35, 40), (216, 240)), ((47, 240), (8, 40))),
        (((39, 40), (204, 240)), ((96, 240), (8, 40))),
    ],
)
def test_a_gap_that_difficulty_explains_does_not_hold(easy, hard):
    resolved, labels, part = joined(easy, hard)
    crude = summarise(resolved, labels).overall
    within = summarise(resolved, labels, difficulty=[str(level) for level in part]).overall
    assert crude.judgement.verdict is Verdict.HOLDS
    assert within.judgement.verdict is Verdict.INSUFFICIENT
    assert Reason.NOT_WITHIN_DIFFICULTY in within.judgement.reasons
    assert Reason.NOT_SIGNIFICANT not in within.judgement.reasons


def test_a_gap_between_two_repositories_does_not_hold():
    resolved, labels = submission((60, 200), (220, 300))
    repository = ["one"] * 200 + ["other"] * 300
    judgement = summarise(resolved, labels, repository=repository).overall.judgement
    assert judgement.verdict is Verdict.INSUFFICIENT
    assert Reason.NOT_ACROSS_REPOSITORIES in judgement.reasons


def test_a_gap_within_every_repository_holds():
    resolved, labels, part = joined(*(((12 + shift, 40), (44 + shift, 60)) for shift in range(5)))
    repository = [str(number) for number in part]
    assert summarise(resolved, labels, repository=repository).overall.judgement.verdict is Verdict.HOLDS


def test_no_gap_overall_is_not_enough_when_repositories_disagree():
    resolved, labels, part = joined(
        ((900, 1000), (100, 1000)), ((100, 1000), (900, 1000)), ((500, 1000), (500, 1000))
    )
    assert summarise(resolved, labels).overall.judgement.verdict is Verdict.DOES_NOT_HOLD
    repository = [str(number) for number in part]
    judgement = summarise(resolved, labels, repository=repository).overall.judgement
    assert judgement.verdict is Verdict.INSUFFICIENT
    assert Reason.MARGIN_POSSIBLE in judgement.reasons


@pytest.mark.parametrize("unknown", [(190, 200), (5, 200)])
def test_unknown_samples_can_decide(unknown):
    # Solved as often as contaminated ones, they would lift the clean rate; as rarely as clean ones, they
    # would lower the contaminated one. Either way the gap of the known samples is not safe.
    groups = (60, 120), (120, 180)
    assert judged(*groups).verdict is Verdict.HOLDS
    judgement = judged(*groups, unknown)
    assert judgement.verdict is Verdict.INSUFFICIENT
    assert Reason.UNKNOWN_DECIDES in judgement.reasons


def test_no_gap_among_known_samples_is_not_enough_when_many_are_unknown():
    groups = (2500, 5000), (2500, 5000)
    assert judged(*groups).verdict is Verdict.DOES_NOT_HOLD
    judgement = judged(*groups, (900, 1000))
    assert judgement.verdict is Verdict.INSUFFICIENT
    assert Reason.UNKNOWN_DECIDES in judgement.reasons


def test_unknown_samples_in_between_leave_a_large_gap():
    judgement = judged((20, 200), (270, 300), (5, 10))
    assert judgement.verdict is Verdict.HOLDS
    assert Reason.UNKNOWN_SPLIT not in judgement.reasons


def test_an_unfavourable_split_is_reported():
    judgement = judged((90, 200), (170, 300), (60, 120))
    assert Reason.UNKNOWN_SPLIT in judgement.reasons


def test_with_unknown_samples_the_two_conditions_differ():
    # Unknown samples solved more often than either group: contaminated is above clean but below the whole.
    judgement = judged((10, 100), (20, 100), (95, 100))
    assert Reason.CONTAMINATED_NOT_ABOVE in judgement.reasons
    assert Reason.CLEAN_NOT_BELOW not in judgement.reasons


groups = st.integers(1, 50).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(groups, groups)
@settings(max_examples=50)
def test_without_unknown_samples_the_two_conditions_are_one(clean, contaminated):
    reasons = judged(clean, contaminated).reasons
    assert (Reason.CLEAN_NOT_BELOW in reasons) == (Reason.CONTAMINATED_NOT_ABOVE in reasons)
    assert (Reason.CLEAN_NOT_BELOW in reasons) == (clean[0] * contaminated[1] >= contaminated[0] * clean[1])


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (((0, 0), (3, 9)), Reason.CLEAN_EMPTY),
        (((3, 9), (0, 0)), Reason.CONTAMINATED_EMPTY),
        (((0, 0), (3, 9), (2, 4)), Reason.CLEAN_EMPTY),
        (((0, 0), (0, 0), (2, 4)), Reason.CONTAMINATED_EMPTY),
    ],
)
def test_an_empty_group_is_insufficient(arguments, reason):
    judgement = judged(*arguments)
    assert judgement.verdict is Verdict.INSUFFICIENT
    assert reason in judgement.reasons
    assert judgement.q_value is None


@pytest.mark.parametrize("arguments", [((0, 42), (0, 18)), ((42, 42), (18, 18))])
def test_one_class_is_insufficient(arguments):
    assert judged(*arguments).verdict is Verdict.INSUFFICIENT


def test_a_single_find_among_many_submissions_is_put_down_to_chance():
    resolved, labels = submission((20, 60), (60, 120))
    alone = summarise_many(resolved[None], labels).at(0).overall
    assert alone.judgement.verdict is Verdict.HOLDS
    assert 0.01 < alone.p_value < 0.05
    level = submission((20, 60), (40, 120))[0]
    among = summarise_many(np.stack([resolved] + [level] * 49), labels).at(0).overall
    assert among.p_value == alone.p_value
    assert among.judgement.verdict is Verdict.INSUFFICIENT
    assert Reason.NOT_AFTER_ADJUSTMENT in among.judgement.reasons


def test_chance_alone_is_seldom_said_to_hold():
    generator = np.random.default_rng(5)
    resolved = generator.random((400, 500)) < generator.random((400, 1))
    labels = generator.choice([CLEAN, CONTAMINATED], size=500, p=[0.35, 0.65]).astype(np.int8)
    alone = [summarise(row, labels).overall.judgement.verdict for row in resolved]
    # Contaminated is above clean in half of them.
    assert alone.count(Verdict.HOLDS) <= 0.035 * 400
    together = summarise_many(resolved, labels).overall.judgement.verdict
    assert np.sum(together == Verdict.HOLDS) <= 1


def test_every_reason_has_words():
    assert set(REASON_TEXT) == set(Reason)
    sentences = judged((10, 20), (21, 40)).sentences
    assert "the difference is within chance (exact test)" in sentences


@pytest.mark.parametrize("values", [{"confidence": 1.0}, {"margin": 0.0}, {"margin": 1.5}])
def test_impossible_criteria_are_refused(values):
    with pytest.raises(ValueError, match="between 0 and 1"):
        Criteria(**values)


@pytest.mark.parametrize("groups", [((0, 50), (2, 450)), ((0, 50), (0, 450)), ((50, 50), (450, 450))])
def test_a_difference_that_the_rate_makes_impossible_is_not_ruled_out_by_the_samples(groups):
    judgement = judged(*groups)
    assert judgement.verdict is Verdict.INSUFFICIENT
    assert Reason.OUT_OF_REACH in judgement.reasons


def test_a_rate_that_allows_the_margin_is_judged():
    # 5 points times the contaminated share of 0.9 is 4.5%: just above it, a split by the margin could be.
    judgement = judged((260, 5000), (2100, 45000))
    assert Reason.OUT_OF_REACH not in judgement.reasons
    assert judgement.verdict is Verdict.DOES_NOT_HOLD
