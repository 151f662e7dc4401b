"""Hits and misses query by query, where the reader's own query sets and answers are at hand.

Their text is of repositories and of models: it comes from the reader's files, never from the database.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import streamlit as st

from dashboard import filters, states, words
from dashboard.address import Address
from dashboard.table import Cell, Column, Row, evidence_table
from engine.paths import CACHE_DIR
from engine.probing.asking import Outcome
from engine.probing.hits import next_word
from engine.probing.presence_test import weight_of
from engine.probing.stored import StoredProbe, queries_of, stored_probes

QUERIES_VARIABLE = "BENCHCHECKER_QUERIES"
ANSWERS_VARIABLE = "BENCHCHECKER_ANSWERS"
_SHOWN = {"all": "All", "hit": "Hits", "miss": "Misses", "unanswered": "Without an answer"}
_MOST = 100
_PREFIX_END = 160
_COLUMNS = (
    Column("prefix", "The query ends in", heading=True, width="44%"),
    Column("target", "Target", "The one word that counts."),
    Column("result", "Result", whole=True),
    Column("answers", "Next words given", "Of the candidates, with how often each came."),
    Column(
        "weight",
        "Weight",
        "Of a hit: entropy over the number of reference repositories that hold the target.",
        align="end",
        whole=True,
    ),
)


def show_hits(address: Address, repository: str) -> None:
    """Show what was asked and answered, or say how to get it."""
    st.header("What was asked, and what came back?", anchor=False)
    sets, folder = os.environ.get(QUERIES_VARIABLE), os.environ.get(ANSWERS_VARIABLE)
    answers = Path(folder) if folder else CACHE_DIR / "probing" / "answers"
    if not sets:
        _how_to_get_it(repository)
        return
    try:
        asked = queries_of([Path(name) for name in sets.split(os.pathsep)], repository)
        probes = stored_probes(asked, answers)
    except OSError as error:
        st.warning(f"The queries cannot be read: {words.markdown(error)}.", icon=":material/folder_off:")
        return
    if not probes:
        st.markdown(
            f"The query sets hold {words.count(len(asked), 'query', 'queries')} of this repository, and no "
            "model has answered one."
        )
        _how_to_get_it(repository)
        return
    _choose_and_list(address, {probe.key: probe for probe in probes})


def _how_to_get_it(repository: str) -> None:
    st.markdown(
        "The database holds counts only. The text of queries and answers stays in your own files; with them, "
        "every query is shown here:"
    )
    states.commands(
        f"benchchecker mine --repo {shlex.quote(repository)} --repos CLONES --at DATE --out QUERIES.jsonl\n"
        "benchchecker probe QUERIES.jsonl --model MODEL\n"
        "scripts/run --queries QUERIES.jsonl"
    )


def _choose_and_list(address: Address, probes: dict[str, StoredProbe]) -> None:
    titles = {key: _title(probe) for key, probe in probes.items()}
    with st.grid(3, min_column_width=160):
        key = filters.choose(address, "answers", "Answers of", titles, default=next(iter(probes)))
        shown = filters.choose(address, "show", "Queries", _SHOWN, default="all")
    address.notice()
    probe = probes[key]
    kept = [outcome for outcome in probe.outcomes if shown in ("all", _result(outcome))]
    kept.sort(key=lambda outcome: (not outcome.hit, -weight_of(outcome.query)))
    hits = sum(bool(outcome.hit) for outcome in probe.outcomes)
    answered = sum(outcome.hit is not None for outcome in probe.outcomes)
    st.markdown(
        f"**{hits}** of {words.count(answered, 'answered query', 'answered queries')} hit; "
        f"{len(probe.outcomes) - answered} without an answer, which count neither way. "
        f"{len(kept[:_MOST])} of {len(kept)} shown, hits first, heaviest first."
    )
    if kept:
        rows = [_row(index, outcome, chats=probe.chats) for index, outcome in enumerate(kept[:_MOST])]
        evidence_table("hits", "Queries with target and answers", _COLUMNS, rows)


def _title(probe: StoredProbe) -> str:
    how = ", ".join(f"{name} {value}" for name, value in probe.decoding.items())
    return f"{probe.model} ({how})"


def _result(outcome: Outcome) -> str:
    if outcome.hit is None:
        return "unanswered"
    return "hit" if outcome.hit else "miss"


def _row(index: int, outcome: Outcome, *, chats: bool) -> Row:
    query, answer = outcome.query, outcome.answer
    given: dict[str, int] = {}
    for text in answer.texts:
        word = next_word(query, text, chats=chats) or "no word"
        given[word] = given.get(word, 0) + 1
    often = sorted(given.items(), key=lambda item: -item[1])
    return Row(
        f"{query.key}-{index}",
        {
            "prefix": Cell(
                query.prefix[-_PREFIX_END:].replace("\n", " ↵ "),
                detail=f"{query.kind.value}, {query.occurrences} times",
                code=True,
            ),
            "target": Cell(query.target, code=True),
            "result": Cell(_result(outcome), detail=answer.note if outcome.hit is None else ""),
            "answers": Cell(", ".join(f"{word} ×{count}" for word, count in often) or answer.state.value),
            "weight": Cell(
                f"{weight_of(query):.2f}",
                detail=f"in {words.count(query.reference_frequency, 'repository', 'repositories')}",
            ),
        },
    )
