"""The review queue of a reader's own scan: an item beside a document of the corpus, and what it is called."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import streamlit as st

from dashboard import states, words
from dashboard.address import Address, write
from dashboard.filters import choose
from dashboard.links import Target
from dashboard.review_verdicts import Place, offer_file, offer_undo, offer_verdicts
from dashboard.side_by_side import show_texts
from dashboard.table import Cell, Column, Row, evidence_table, offer_pages, page_of
from engine.overlap.queue import Choice, Likely, QueueEntry, QueueItem, State
from engine.overlap.result import ScanResult
from engine.overlap.review import Pair, Verdict
from engine.reading import printable

SCAN_VARIABLE = "BENCHCHECKER_SCAN"
_STATES = {
    "open": "Without a verdict",
    "decided": "With a verdict",
    **{verdict.value: f"Called {verdict.value}" for verdict in Verdict},
    "all": "All",
}
_REASONS = {
    "any": "Any rule",
    "share": "Share of n-grams",
    "span": "Common characters",
    "tokens": "Contaminated tokens",
    "paragraph": "Paragraph in the set",
    "semantic": "Similar meaning",
}
_LIKELY = {"leak": "May be a leak", "boilerplate": "Likely boilerplate", "both": "Both"}
_COLUMNS = (
    Column("item", "Item", "Of the evaluation set.", heading=True),
    Column("document", "Strongest document", "In the corpus."),
    Column("reasons", "Flagged for"),
    Column(
        "shared",
        "Shared",
        "The greatest of three shares of the item: n-grams, tokens, and stretches of "
        "characters that are not common.",
        align="end",
        width="22%",
    ),
    Column("span", "Span", "Characters of the longest common span.", align="end", whole=True),
    Column("pairs", "Documents", "Flagged with this item; contents alike count once.", align="end"),
)


@dataclass(frozen=True, slots=True)
class _View:
    """Everything the address says about this page."""

    result: ScanResult
    choice: Choice
    pairs: tuple[Pair, ...]
    at: int


def show() -> None:
    """Show the page."""
    st.title("Is this text in the corpus?", anchor=False)
    folder = os.environ.get(SCAN_VARIABLE)
    if not folder:
        _how_to_scan()
        return
    result, address = ScanResult(Path(folder)), Address()
    _summarise(result)
    view = _read(result, address)
    address.notice()
    offer_undo(result)
    if not view.pairs:
        states.no_rows(
            "No flagged pair is left with these filters.",
            "Show all pairs",
            lambda: write({"state": "all", "likely": "both", **dict.fromkeys(("rule", "item", "pair"))}),
        )
    else:
        _pair(view)
    _queue(view, address)
    offer_file(result)


def _how_to_scan() -> None:
    st.markdown(
        "Here you read what a scan of your training text against an evaluation set has flagged, and say what "
        "it is. There is no scan at hand. Make one, then open the dashboard with it:"
    )
    states.commands(
        "benchchecker overlap scan --eval EVAL.jsonl --eval-field FIELD --corpus SHARDS --out SCAN\n"
        "scripts/run --scan SCAN"
    )
    st.markdown("Texts and verdicts stay in the folder of the scan.")


def _summarise(result: ScanResult) -> None:
    scan, counts = result.table("scan")[0], result.counts()
    decided = ", ".join(f"{count:,} {name}" for name, count in counts.items() if name != "open" and count)
    flagged = result.queue_items(Choice("all"))
    only = sum(item.likely_boilerplate for item in flagged)
    st.markdown(
        f"{words.markdown(scan['evaluation'])}: **{len(flagged):,}** of {len(result.table('item')):,} items "
        f"share enough with a document to be looked at, **{only:,}** of them only likely boilerplate. "
        f"Pairs: {counts['open']:,} open" + (f", {decided}." if decided else ".")
    )


def _read(result: ScanResult, address: Address) -> _View:
    with st.grid(4, min_column_width=160):
        likely = choose(
            address,
            "likely",
            "Which",
            _LIKELY,
            default="leak",
            clears=("pair", "page"),
            hint="Likely boilerplate: flagged for characters or a paragraph only, and hardly any of the item "
            "is in the document that is not in many others.",
        )
        state = choose(address, "state", "Verdict", _STATES, default="open", clears=("pair", "page"))
        reason = choose(address, "rule", "Rule", _REASONS, default="any", clears=("pair", "page"))
        items = {"": "All items"} | {
            item.item: printable(item.item) for item in result.queue_items(Choice("all"))
        }
        item = choose(address, "item", "Item", items, default="", clears=("pair", "page"))
    choice = Choice(
        state=Verdict(state) if state in set(Verdict) else _one_of(state),
        item=item or None,
        reason=None if reason == "any" else reason,
        likely=_likely(likely),
    )
    pairs = tuple(result.queue_pairs(choice))
    asked = address.text("pair")
    named = {name_of(pair): at for at, pair in enumerate(pairs)}
    return _View(result, choice, pairs, named.get(asked or "", 0))


def name_of(pair: Pair) -> str:
    """Return the name of a pair in the address: of its content, so that it survives a rescan."""
    return f"{pair.item_sha256[:16]}{pair.document_sha256[:16]}"


def _one_of(state: str) -> State:
    found: State = next(known for known in get_args(State) if known == state)
    return found


def _likely(likely: str) -> Likely | None:
    return next((known for known in get_args(Likely) if known == likely), None)


def _pair(view: _View) -> None:
    pair = view.pairs[view.at]
    found = view.result.queue(Choice("all", pair.item, pair.document_sha256))
    if not found:
        st.markdown("This pair has gone from the queue since; the scan was made anew.")
        return
    entry = found[0]
    _walk(view)
    _measures(entry)
    copies = f" and {entry.documents - 1} more of the same content" if entry.documents > 1 else ""
    show_texts(
        (f"Item {entry.pair.item}", entry.item_text, entry.item_spans),
        (f"Document {entry.pair.document}{copies}", entry.excerpt, entry.excerpt_spans),
        whole=st.session_state.get("review-whole", False),
    )
    st.toggle("Show the whole texts", key="review-whole")
    following = view.pairs[view.at + 1 : view.at + 2]
    alike = [
        other
        for other in view.result.queue_pairs(Choice("open", pair.item, likely=view.choice.likely))
        if other != entry.pair
    ]
    offer_verdicts(Place(view.result.reviews, entry, tuple(alike), tuple(map(name_of, following))))


def _walk(view: _View) -> None:
    last = len(view.pairs) - 1
    with st.container(horizontal=True, vertical_alignment="center"):
        for title, to, icon, key in (
            ("Previous", view.at - 1, ":material/arrow_back:", "Left"),
            ("Next", view.at + 1, ":material/arrow_forward:", "Right"),
        ):
            inside = 0 <= to <= last
            st.button(
                title,
                icon=icon,
                shortcut=key,
                disabled=not inside,
                key=f"review-{title}",
                on_click=lambda to=to: write({"pair": name_of(view.pairs[to])}),
            )
        st.markdown(f"Pair **{view.at + 1:,}** of {len(view.pairs):,}")


def _measures(entry: QueueEntry) -> None:
    reasons = ", ".join(_REASONS[reason].lower() for reason in entry.reasons)
    parts = [
        f"{words.percent(entry.share)} of the item's n-grams",
        f"{words.percent(entry.token_share)} of its tokens",
        f"longest match {words.count(entry.longest_match, 'token')}",
        f"longest span {words.count(entry.span, 'character')}",
        f"{words.percent(entry.span_share)} of its stretches of characters, counting uncommon ones",
    ]
    if entry.similarity is not None:
        parts.append(f"similarity {entry.similarity:.2f}")
    likely = " **Likely boilerplate.**" if entry.likely_boilerplate else ""
    st.markdown(f"Flagged for {words.markdown(reasons)}.{likely} {'; '.join(parts)}.")


def _queue(view: _View, address: Address) -> None:
    # The table lists every item of the filters, also while one of them is chosen.
    items = view.result.queue_items(
        Choice(view.choice.state, reason=view.choice.reason, likely=view.choice.likely)
    )
    if not items:
        return
    st.header(f"The queue: {words.count(len(items), 'item')}", anchor=False)
    rows = [_row(item) for item in items[page_of(items, address)]]
    evidence_table("queue", "Items with flagged pairs, the strongest first", _COLUMNS, rows)
    offer_pages(items, address)


def _row(item: QueueItem) -> Row:
    kept = {name: st.query_params[name] for name in ("likely", "state", "rule") if name in st.query_params}
    similar = "" if item.similarity is None else f", similarity {item.similarity:.2f}"
    return Row(
        item.item,
        {
            "item": Cell(item.item, link=Target("review", {**kept, "item": item.item})),
            "document": Cell(item.document),
            "reasons": Cell(", ".join(_REASONS[reason] for reason in item.reasons)),
            "shared": Cell(
                words.percent(max(item.share, item.token_share, item.span_share)),
                detail=f"n-grams {item.share:.0%}, tokens {item.token_share:.0%}, "
                f"characters {item.span_share:.0%}{similar}",
            ),
            "span": Cell(f"{item.span:,}" if item.span else words.DASH),
            "pairs": Cell(f"{item.pairs:,}", detail=f"{item.open:,} open"),
        },
        muted=item.likely_boilerplate,
    )
