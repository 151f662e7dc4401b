import hashlib
import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.probing.mining.simhash import cluster, fingerprints


def slow_fingerprint(text: str) -> int:
    found = text.split()
    features = [f"{a} {b}" for a, b in itertools.pairwise(found)] if len(found) > 1 else found
    totals = [0] * 64
    for feature in features:
        code = int.from_bytes(hashlib.blake2b(feature.encode(), digest_size=8).digest(), "little")
        for bit in range(64):
            totals[bit] += 1 if code >> bit & 1 else -1
    return sum(1 << bit for bit in range(64) if totals[bit] > 0)


@given(st.lists(st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta"]), max_size=9).map(" ".join)))
def test_fingerprint_bits_are_majorities(texts):
    assert fingerprints(texts).tolist() == [slow_fingerprint(text) for text in texts]


@given(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 255), max_size=40), st.integers(0, 8))
def test_clusters_are_those_of_the_papers_first_algorithm(codes, distance):
    founders: list[int] = []
    expected: list[list[int]] = []
    for index, code in enumerate(codes):
        for place, founder in enumerate(founders):
            if (founder ^ code).bit_count() <= distance:
                expected[place].append(index)
                break
        else:
            founders.append(code)
            expected.append([index])
    assert cluster(np.array(codes, dtype=np.uint64), distance) == expected


def test_a_changed_year_stays_in_the_cluster_and_another_text_does_not():
    licence = (
        "Copyright YEAR the authors of this project licensed under the terms of the licence in the file "
        "LICENSE at the root of the source tree you may not use this file except in compliance with it"
    )
    other = "Parse the header into a mapping and raise an error when a line of it has no colon at all"
    codes = fingerprints([licence.replace("YEAR", "Adams"), licence.replace("YEAR", "Brown"), other])
    assert cluster(codes, 12) == [[0, 1], [2]]
