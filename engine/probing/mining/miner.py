"""From source texts to queries (paper, Sections 3.3 and 4.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from engine.probing.mining.candidates import Candidate, from_cooccurrence, from_group
from engine.probing.mining.clones import clone_groups
from engine.probing.mining.cooccurrence import cooccurrences, first_places
from engine.probing.mining.duplication import duplication_groups
from engine.probing.mining.selection import select
from engine.probing.queries import PatternKind, Query
from engine.probing.reference import Reference

Progress = Callable[[str], None]
"""Called with the name of each step as it begins."""

DISTINCTIVE_SHARE = 0.05
"""Largest share of the reference repositories that may hold a distinctive word."""
ALL_KINDS = tuple(PatternKind)


def mine(
    texts: Mapping[str, str],
    repository: str,
    reference: Reference,
    kinds: Sequence[PatternKind] = ALL_KINDS,
    progress: Progress = lambda step: None,
) -> list[Query]:
    """Return the queries that the repeated passages of a repository give, the most telling first.

    Args:
        texts: Source text by path; the suffix tells the language, others than Python and Java are skipped.
        repository: Canonical name, `owner/name` in lower case.
        reference: In how many repositories a word occurs.
        kinds: Forms of repetition to look for.
        progress: Told of each step.
    """
    is_distinctive = distinctive(reference, repository)
    candidates = [
        candidate
        for candidate in _candidates(texts, kinds, is_distinctive, progress)
        if is_distinctive(candidate.target)
    ]
    progress("choosing queries")
    frequencies = {entry.target: reference.frequency(entry.target, repository) for entry in candidates}
    return [
        Query(
            repository=repository,
            kind=entry.kind,
            group=entry.group,
            prefix=entry.prefix,
            target=entry.target,
            occurrences=entry.occurrences,
            reference_frequency=frequencies[entry.target],
            reference_size=reference.size,
        )
        for entry in select(candidates, frequencies)
    ]


def distinctive(reference: Reference, repository: str) -> Callable[[str], bool]:
    """Return the test of a word of a repository: do few others hold it?"""
    most = max(2, DISTINCTIVE_SHARE * reference.size)
    return lambda word: reference.frequency(word, repository) <= most


def _candidates(
    texts: Mapping[str, str],
    kinds: Sequence[PatternKind],
    is_distinctive: Callable[[str], bool],
    progress: Progress,
) -> Iterator[Candidate]:
    seen: set[str] = set()
    finders = {PatternKind.CLONE: clone_groups, PatternKind.TEXT: duplication_groups}
    for kind, find in finders.items():
        if kind in kinds:
            progress(f"looking for patterns: {kind}")
            for group in find(texts):
                yield from from_group(group, seen)
    if PatternKind.COOCCURRENCE in kinds:
        progress(f"looking for patterns: {PatternKind.COOCCURRENCE}")
        places = {path: first_places(text) for path, text in texts.items()}
        for pattern in cooccurrences(places, is_distinctive, progress):
            yield from from_cooccurrence(pattern, texts, places)
