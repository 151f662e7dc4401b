"""Every spelling of a sample's id leads to one canonical id."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.benchmarks.ids import SampleId, parse_sample_id

LETTERS = string.ascii_lowercase + string.digits
owners = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?", fullmatch=True)
names = st.text(LETTERS + "._-", min_size=1, max_size=30).filter(lambda name: name not in {".", ".."})
numbers = st.integers(1, 999_999_999)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("django__django-11099", "django__django-11099"),
        ("FasterXML/jackson-core:pr-1204", "fasterxml__jackson-core-1204"),
        ("fasterxml__jackson-core-1204", "fasterxml__jackson-core-1204"),
        ("FasterXML__jackson-core:PR-1204", "fasterxml__jackson-core-1204"),
        ("elastic/logstash#13825", "elastic__logstash-13825"),
        ("elastic/logstash-13825", "elastic__logstash-13825"),
        (" psf__requests-1766 ", "psf__requests-1766"),
        ("scikit-learn__scikit-learn-25232", "scikit-learn__scikit-learn-25232"),
        ("fasterxml/jackson-dataformat-xml:pr-638", "fasterxml__jackson-dataformat-xml-638"),
    ],
)
def test_known_spellings(text: str, canonical: str):
    found = parse_sample_id(text)
    assert found is not None
    assert found.canonical == canonical


@pytest.mark.parametrize(
    "text",
    [
        "",
        "django",
        "django__django",
        "django__django-",
        "django__django-0",
        "django__django-12a",
        "../../etc/passwd-1",
        "..__..-1",
        "a__..-1",
        "a/../b-1",
        "dj\u0430ngo__django-1",  # a Cyrillic letter that looks like an a
        "django__django-\u0661",  # an Arabic digit
        "django__django-1\n2",
        "django__django-" + "1" * 400,
        "<b>x</b>__y-1",
    ],
)
def test_other_text_is_no_id(text: str):
    assert parse_sample_id(text) is None


@given(owners, names, numbers, st.sampled_from(["{}__{}-{}", "{}/{}:pr-{}", "{}__{}:pr-{}", "{}/{}#{}"]))
def test_spellings_agree(owner: str, name: str, number: int, spelling: str):
    expected = SampleId(owner, name, number)
    text = spelling.format(owner, name, number)
    assert parse_sample_id(text) == expected
    assert parse_sample_id(text.upper()) == expected
    assert parse_sample_id(expected.canonical) == expected


@given(st.text(max_size=80))
def test_whatever_is_read_survives_a_second_reading(text: str):
    found = parse_sample_id(text)
    if found is not None:
        assert parse_sample_id(found.canonical) == found
        assert found.canonical == found.canonical.lower()
