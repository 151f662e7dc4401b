"""The page that a model card can include: what was checked, how, on which hashes, with which result."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from engine.overlap.page import Page, Section, Table
from engine.overlap.report_scores import interval_text, rate_text, scores_section
from engine.overlap.result import ScanResult
from engine.overlap.rules import Rules
from engine.overlap.scores import Leak
from engine.statistics.proportions import Proportion

_LISTED_ITEMS = 50
_LISTED_SHARDS = 200


def overlap_report(result: ScanResult, results: Mapping[str, bool] | None = None) -> Page:
    """Build the report of a scan.

    Args:
        result: The scan, with its verdicts.
        results: Whether a model answered each item correctly, for the scores; None leaves them out.

    Raises:
        BenchCheckerError: If none of the results belongs to the evaluation set.
    """
    leaks = result.leaks()
    sections = [
        _checked(result),
        _rules(result.rules(), json.loads(result.table("scan")[0]["semantic_passes"])),
        _found(result, leaks),
        _corpus(result),
    ]
    if results is not None:
        sections.insert(0, scores_section(results, result.record_leaks()))
    return Page("Train–test overlap report", tuple(sections))


def _checked(result: ScanResult) -> Section:
    scan, items = result.table("scan")[0], result.table("item")
    judged = sum(item["judged"] for item in items)
    versions = json.loads(scan["versions"])
    return Section(
        "What was checked",
        (
            f"Evaluation set {scan['evaluation']} (fields {', '.join(scan['fields'])}): {len(items)} items, "
            f"{judged} judged, {len(items) - judged} too short or without an n-gram that counts.",
            f"SHA-256 of the set, over canonical text: {scan['evaluation_sha256']}.",
            f"Built {scan['built_at']:%Y-%m-%d %H:%M} UTC with "
            + ", ".join(f"{name} {version}" for name, version in versions.items())
            + ".",
        ),
    )


def _rules(rules: Rules, passes: list[dict[str, Any]]) -> Section:
    rows = (
        ("share", f"{rules.share:.0%}", f"share of the item's {rules.n}-grams that the document holds"),
        ("span", str(rules.span), "characters of canonical text in common"),
        (
            "tokens",
            f"{rules.token_share:.0%}",
            f"share of the item's tokens in a match longer than {rules.run} tokens that starts with "
            f"{rules.run} equal ones, has at most {rules.skips} differing ones and ends with an equal one",
        ),
        (
            "paragraph",
            f"{rules.paragraph_share:.0%}",
            f"share of a paragraph's {rules.n}-grams found in the evaluation set",
        ),
    )
    return Section(
        "How",
        (
            Table("A pair of item and document is put up for review from these values on",
                  ("rule", "from", "measure"), rows),
            f"Tokens are runs of letters and digits of text in NFKC, case-folded form. Items with fewer than "
            f"{rules.n} tokens count as one n-gram, their whole self; items with fewer than "
            f"{rules.shortest_item} tokens are not judged.",
            "These rules see copies and near-copies. Paraphrase and translation share no n-grams and are "
            "invisible to them.",
            *(_semantic_pass(one, rules) for one in passes),
        ),
    )  # fmt: skip


def _semantic_pass(one: Mapping[str, Any], rules: Rules) -> str:
    read = f"over {len(one['sources'])} shards" if one["sources"] else "over the flagged pairs only"
    return (
        f"A semantic pass with {one['embedder']} ({read}, {one['at']}) kept {one['matches']} pairs; those of "
        f"similarity {rules.similarity} and above were put up for review. Shards added later it has not seen."
    )


def _found(result: ScanResult, leaks: Mapping[str, tuple[Leak, float]]) -> Section:
    scan, items = result.table("scan")[0], result.table("item")
    leaked = Proportion(sum(leak is Leak.LEAKED for leak, _ in leaks.values()), len(leaks))
    reasons = result.reasons()
    flagged = [item for item in items if item["flagged"]]
    flagged.sort(key=lambda item: (-(item["corpus_share"] or 0), -item["token_share"], item["item"]))
    counts = result.counts()
    blocks: list[str | Table] = [
        f"Leaked: {leaked.k} of {leaked.n} items (q = {rate_text(leaked.rate)}, 95% interval "
        f"{interval_text(leaked)}); {len(flagged)} were flagged by the gate before review.",
        "Review of the flagged pairs: "
        + ", ".join(f"{count} {name}" for name, count in counts.items())
        + ".",
        Table(
            "Flagged by rule",
            ("rule", "pairs", "items"),
            tuple((name, str(pairs), str(of)) for name, (pairs, of) in reasons.items()),
        ),
    ]
    if scan["dropped_common_items"] or scan["dropped_common_documents"]:
        blocks.append(
            f"n-grams dropped as common: {scan['dropped_common_items']} of {scan['ngrams']} occurrences for "
            f"being in many items, {scan['dropped_common_documents']} for being in many documents; flagged "
            f"pairs {scan['pairs_before_drop']} before, {scan['pairs_after_drop']} after."
        )
    blocks.append(_item_table(flagged, leaks))
    return Section("Result", tuple(blocks))


def _item_table(flagged: list[dict[str, Any]], leaks: Mapping[str, tuple[Leak, float]]) -> Table:
    shown = flagged[:_LISTED_ITEMS]
    more = f"; {len(flagged) - len(shown)} more are in the database" if len(flagged) > len(shown) else ""
    return Table(
        f"Flagged items, the strongest first{more}",
        ("item", "after review", "share in corpus", "tokens", "longest match", "pairs"),
        tuple(
            (
                item["item"],
                leaks[item["item"]][0].value,
                rate_text(item["corpus_share"]),
                rate_text(item["token_share"]),
                str(item["longest_match"]),
                str(item["pairs"]),
            )
            for item in shown
        ),
    )


def _corpus(result: ScanResult) -> Section:
    shards = result.table("shard")
    done = [shard for shard in shards if shard["error"] is None]
    failed = [shard for shard in shards if shard["error"] is not None]
    skipped: dict[str, int] = {}
    for shard in done:
        for reason, count in json.loads(shard["skipped"]).items():
            skipped[reason] = skipped.get(reason, 0) + count
    blocks: list[str | Table] = [
        f"{len(done)} shards, {sum(shard['documents'] for shard in done):,} documents, "
        f"{sum(shard['raw_bytes'] for shard in done):,} bytes read.",
        "Left out: " + ("; ".join(f"{count:,} × {reason}" for reason, count in skipped.items()) or "nothing")
        + f". Read with replacement characters: {sum(shard['repaired'] for shard in done):,} documents.",
    ]  # fmt: skip
    if failed:
        blocks.append(
            Table(
                "Not checked: these shards could not be read and count for nothing",
                ("shard", "error"),
                tuple((shard["name"], shard["error"]) for shard in failed),
            )
        )
    more = f" (the first {_LISTED_SHARDS} of {len(done)})" if len(done) > _LISTED_SHARDS else ""
    blocks.append(
        Table(
            f"Shards{more}",
            ("shard", "documents", "SHA-256"),
            tuple(
                (shard["name"], str(shard["documents"]), shard["sha256"]) for shard in done[:_LISTED_SHARDS]
            ),
        )
    )
    return Section("Corpus", tuple(blocks))
