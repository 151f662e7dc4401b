"""The review commands of `benchchecker overlap`: the queue of flagged pairs, and verdicts on them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from engine.cli.probing import (
    Address,
    Concurrency,
    KeyVariable,
    Kind,
    PerMinute,
    Reached,
    Recorded,
    open_target,
)

if TYPE_CHECKING:
    from engine.overlap.queue import QueueEntry
    from engine.overlap.result import ScanResult

# As in engine.overlap, which a test compares: importing it here would load duckdb for --help.
VerdictName = Literal["copy", "near-duplicate", "template", "unrelated"]
ReasonName = Literal["share", "span", "tokens", "paragraph", "semantic"]
StateName = Literal["open", "decided", "all"]
LikelyName = Literal["leak", "boilerplate"]

Folder = Annotated[Path, typer.Option("--scan", help="Folder of the scan.")]
ReviewFile = Annotated[
    Path | None, typer.Option("--reviews", help="File of verdicts (default: in the scan's folder).")
]


def register_reviews(group: typer.Typer) -> None:
    """Add the review commands to the group `overlap`."""
    for command in (queue, verdict, undo, judge, export_verdicts, import_verdicts):
        group.command(command.__name__.replace("_", "-"))(command)


def open_result(folder: Path, reviews: Path | None) -> ScanResult:
    """Open the result of a scan with the verdicts of a file, or with those in its folder."""
    from engine.overlap.result import ScanResult
    from engine.overlap.review import Reviews

    return ScanResult(folder, None if reviews is None else Reviews(reviews))


def queue(
    folder: Folder,
    state: Annotated[StateName, typer.Option(help="Pairs without a verdict, with one, or all.")] = "open",
    item: Annotated[str | None, typer.Option(help="Pairs of this item only.")] = None,
    reason: Annotated[ReasonName | None, typer.Option(help="Pairs that this rule flagged only.")] = None,
    likely: Annotated[
        LikelyName | None, typer.Option(help="What may be a leak only, or likely boilerplate only.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many.")] = 10,
    reviews: ReviewFile = None,
) -> None:
    """Show flagged pairs, the strongest first, with the text they share in double brackets."""
    from engine.overlap.queue import Choice

    result = open_result(folder, reviews)
    for entry in result.queue(Choice(state, item, reason=reason, likely=likely), limit):
        _print_entry(entry)
    print_summary(result)


def verdict(
    item: Annotated[str, typer.Argument(help="Item of the pair.")],
    document: Annotated[str, typer.Argument(help="Document of the pair, as the queue names it.")],
    decision: Annotated[VerdictName, typer.Argument(help="What the pair is.")],
    folder: Folder,
    reviewer: Annotated[str, typer.Option(help="Who decides.")],
    note: Annotated[str, typer.Option(help="Why.")] = "",
    reviews: ReviewFile = None,
) -> None:
    """Decide what a flagged pair is."""
    from engine.overlap.review import Verdict

    result = open_result(folder, reviews)
    result.reviews.decide(_entry(result, item, document).pair, Verdict(decision), reviewer, note)
    print_summary(result)


def undo(
    item: Annotated[str, typer.Argument(help="Item of the pair.")],
    document: Annotated[str, typer.Argument(help="Document of the pair, as the queue names it.")],
    folder: Folder,
    reviews: ReviewFile = None,
) -> None:
    """Take back the verdict of a pair; the one before it stands again."""
    result = open_result(folder, reviews)
    undone = result.reviews.undo(_entry(result, item, document).pair)
    typer.echo("no verdict to take back" if undone is None else f"taken back: {undone.verdict.value}")


def judge(
    folder: Folder,
    model: Annotated[str, typer.Option(help="The provider's name of the model.")],
    target: Reached = Kind.CHAT,
    base_url: Address = None,
    key_variable: KeyVariable = "OPENAI_API_KEY",
    local: Annotated[
        Path | None, typer.Option(help="A local model: a folder in transformers' format.")
    ] = None,
    recorded: Recorded = None,
    concurrency: Concurrency = 8,
    per_minute: PerMinute = None,
    likely: Annotated[
        LikelyName | None, typer.Option(help="What may be a leak only, or likely boilerplate only.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many pairs.")] = 100,
    yes: Annotated[bool, typer.Option("--yes", help="Ask a model that may cost money.")] = False,
    reviews: ReviewFile = None,
) -> None:
    """Let a model decide open pairs, in its own name. What it cannot tell stays open.

    Each verdict is stored when it comes; a second run asks only for pairs that are still open.
    """
    from engine.overlap.judge import ModelJudge, judge_pairs
    from engine.overlap.queue import Choice

    result = open_result(folder, reviews)
    entries = result.queue(Choice(likely=likely), limit)
    asked = open_target(target, model, base_url, key_variable, local, recorded, concurrency, per_minute)
    if asked.paid and entries and not yes:
        raise typer.BadParameter(f"{len(entries)} requests may cost money: say --yes", param_hint="yes")
    decided = judge_pairs(entries, ModelJudge(asked), result.reviews)
    typer.echo(f"{len(decided)} of {len(entries)} pairs decided by {asked.name}")
    print_summary(result)


def export_verdicts(
    path: Annotated[Path, typer.Argument(help="JSON Lines file to write.")],
    folder: Folder,
    reviews: ReviewFile = None,
) -> None:
    """Write all verdicts, those taken back too."""
    typer.echo(f"{path}: {open_result(folder, reviews).reviews.export(path)} verdicts")


def import_verdicts(
    path: Annotated[Path, typer.Argument(help="JSON Lines file that export-verdicts wrote.")],
    folder: Folder,
    reviews: ReviewFile = None,
) -> None:
    """Add the verdicts of an export; importing twice changes nothing."""
    typer.echo(f"{open_result(folder, reviews).reviews.import_from(path)} verdicts imported")


def _entry(result: ScanResult, item: str, document: str) -> QueueEntry:
    from engine.overlap.queue import Choice
    from engine.problems import BenchCheckerError

    for entry in result.queue(Choice("all", item)):
        if entry.pair.document == document:
            return entry
    raise BenchCheckerError(f"no flagged pair of item {item!r} and document {document!r}; see the queue")


def _print_entry(entry: QueueEntry) -> None:
    from engine.reading import printable

    decided = entry.decision.verdict.value if entry.decision else "open"
    likely = ", likely boilerplate" if entry.likely_boilerplate else ""
    typer.echo(
        f"{printable(f'{entry.pair.item}  {entry.pair.document}')}  [{decided}{likely}]\n"
        f"  {', '.join(entry.reasons)}: share {entry.share:.2f}, tokens {entry.token_share:.2f}, "
        f"longest match {entry.longest_match}, span {entry.span}, uncommon spans {entry.span_share:.2f}, "
        f"documents {entry.documents}"
    )
    typer.echo("  item:     " + _marked(entry.item_text, entry.item_spans))
    typer.echo("  document: " + _marked(entry.excerpt, entry.excerpt_spans))


def _marked(text: str, spans: list[tuple[int, int]]) -> str:
    parts, last = [], 0
    for start, end in spans:
        parts += [text[last:start], "[[", text[start:end], "]]"]
        last = end
    shown = "".join([*parts, text[last:]])
    return "".join(character if character.isprintable() else " " for character in shown)


def print_summary(result: ScanResult) -> None:
    """Print how many items leaked and where the review stands."""
    from collections import Counter

    from engine.overlap.queue import Choice

    leaks = Counter(leak.value for leak, _ in result.leaks().values())
    counts = ", ".join(f"{count} {name}" for name, count in result.counts().items())
    typer.echo(
        f"items: {leaks['leaked']} leaked, {leaks['clean']} clean, {leaks['unknown']} unknown; "
        f"pairs: {counts}"
    )
    flagged = result.queue_items(Choice("all"))
    only = sum(item.likely_boilerplate for item in flagged)
    typer.echo(
        f"items with flagged pairs: {len(flagged)}, of which {only} only by what is likely boilerplate"
    )
