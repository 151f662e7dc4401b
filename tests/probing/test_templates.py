from hypothesis import given
from hypothesis import strategies as st

from engine.probing.mining.templates import GAP, extract_template

PASSAGES = st.lists(
    st.lists(st.sampled_from(["alpha", "beta", "gamma", "(", ")", "\n"]), min_size=1, max_size=12).map(
        " ".join
    ),
    min_size=1,
    max_size=5,
)


@given(PASSAGES)
def test_common_pieces_stand_in_every_passage_in_order(passages):
    template = extract_template(passages)
    assert "".join(template.pieces) == passages[0]
    common = [piece for piece, kept in zip(template.pieces, template.common, strict=True) if kept]
    for passage in passages:
        rest = iter(passage.split())
        assert all(piece in rest for piece in common)


def test_what_differs_becomes_one_gap():
    template = extract_template(
        ["def load_users(path, limit):\n    return 1", "def load_groups(file, limit):\n    return 1"]
    )
    assert template.text == f"def {GAP} ( {GAP} , limit ) : return 1"


def test_equal_passages_have_no_gap():
    assert extract_template(["x = compute(1)"] * 3).text == "x = compute ( 1 )"
