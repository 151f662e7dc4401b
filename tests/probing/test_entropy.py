import pytest

from engine.probing.causal import CausalModelUnavailable, load_causal
from engine.probing.entropy.relations import Context
from engine.probing.entropy.scoring import EntropyScorer, with_entropy
from engine.probing.queries import PatternKind, Query


@pytest.fixture(scope="module")
def model():
    pytest.importorskip("torch")
    try:
        return load_causal()
    except CausalModelUnavailable as error:
        pytest.skip(str(error))


@pytest.mark.parametrize(
    ("prefix", "part", "given"),
    [
        ("read the widget", "widget", True),
        ("read the widgets", "widget", True),
        ("self.WidgetFactory", "widget", True),
        ("connecting", "connected", True),
        ("remove_it", "delete", True),
        ("the directory", "folder", True),
        ("read the widget", "gadget", False),
        ("a t", "to", False),
        ("to", "to", True),
    ],
)
def test_what_a_prefix_gives_away(prefix, part, given):
    assert Context(prefix).gives_away(part) is given


def by_hand(model, prefix: str, target: str) -> list[tuple[str, float]]:
    """Loss of each token that touches the target, one text at a time."""
    import torch

    encoding = model.tokenizer(prefix + target, add_special_tokens=False, return_offsets_mapping=True)
    ids = encoding["input_ids"]
    with torch.inference_mode():
        logits = model.model(torch.tensor([ids])).logits[0].float()
    return [
        ((prefix + target)[start:end], float(-logits[place - 1].log_softmax(-1)[ids[place]]))
        for place, (start, end) in enumerate(encoding["offset_mapping"])
        if end > len(prefix) and place
    ]


@pytest.mark.models
def test_the_score_is_the_largest_loss_whatever_the_batch(model, tmp_path):
    pairs = [
        ("class Spinner:\n    def turn(self):\n        self.", "gyroflux_manifold"),
        ("import os\n\n\ndef main():\n    print(", "zebra"),
        ("x = 1\n", "Quaint"),
    ]
    scores = EntropyScorer(model, tmp_path / "s.sqlite").score(pairs)
    for pair, score in zip(pairs, scores, strict=True):
        expected = max(loss for token, loss in by_hand(model, *pair) if any(map(str.isalpha, token)))
        # bfloat16 rounds differently when a row is padded.
        assert score == pytest.approx(expected, rel=0.05)


@pytest.mark.models
def test_what_the_prefix_gives_away_does_not_count(model, tmp_path):
    scorer = EntropyScorer(model, tmp_path / "s.sqlite")
    alone, hinted, told = scorer.score(
        [
            ("def run(self):\n    return self.", "gyroflux_manifold"),
            ("def run(self, gyroflux):\n    return self.", "gyroflux_manifold"),
            ("def run(self, gyroflux, manifolds):\n    return self.", "gyroflux_manifold"),
        ]
    )
    assert alone > 2
    assert 0 < hinted <= alone
    assert told == 0


@pytest.mark.models
def test_a_score_is_computed_once(model, tmp_path, monkeypatch):
    pairs = [("import ", "quaintlib"), ("def ", "zyxware")]
    first = EntropyScorer(model, tmp_path / "s.sqlite").score(pairs)
    monkeypatch.setattr(EntropyScorer, "_compute", lambda *_: pytest.fail("asked the model again"))
    seen = []
    again = EntropyScorer(model, tmp_path / "s.sqlite").score(pairs, lambda *state: seen.append(state))
    assert again == first
    assert seen == [(2, 2)]


@pytest.mark.models
def test_queries_keep_their_order_and_get_their_score(model, tmp_path):
    targets = ["zyxware", "quaintlib", "manifold"]
    queries = [
        Query("o/n", PatternKind.CLONE, "g", f"import {'x' * number}\n", target, 2, 1, 9)
        for number, target in enumerate(targets, start=1)
    ]
    scored = with_entropy(queries, EntropyScorer(model, tmp_path / "s.sqlite"))
    assert [query.target for query in scored] == targets
    assert all(query.entropy is not None and query.entropy > 0 for query in scored)


@pytest.mark.models
def test_an_absent_model_says_how_to_get_it(tmp_path):
    with pytest.raises(CausalModelUnavailable, match="hf download"):
        load_causal(tmp_path / "none")
