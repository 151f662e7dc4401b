"""`benchchecker overlap`: contamination of any evaluation set against a corpus at hand."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from engine.overlap.evaluation_set import EvaluationSet
    from engine.overlap.result import QueueEntry, ScanResult

PIN_SUFFIX = ".pin.json"

# As in engine.overlap, which a test compares: importing it here would load numpy for --help.
UnitName = Literal["file", "line", "paragraph"]
VerdictName = Literal["copy", "near-duplicate", "template", "unrelated"]
StateName = Literal["open", "decided", "all"]

EvalFields = Annotated[
    list[str] | None,
    typer.Option(
        "--eval-field",
        help="Field that holds an item's text; may be repeated, each is an item of its own. NAME:added and "
        "NAME:after view a field that is a diff. [default: text]",
    ),
]
EvalId = Annotated[str | None, typer.Option("--eval-id", help="Field that names a record.")]
Folder = Annotated[Path, typer.Option("--scan", help="Folder of the scan.")]
ReviewFile = Annotated[
    Path | None, typer.Option("--reviews", help="File of verdicts [default: in the scan's folder].")
]


def register(app: typer.Typer) -> None:
    """Add the command group to the command line."""
    group = typer.Typer(no_args_is_help=True)
    group.command("pin")(pin)
    group.command("scan")(scan)
    group.command("report")(report)
    group.command("queue")(queue)
    group.command("verdict")(verdict)
    group.command("undo")(undo)
    group.command("export-verdicts")(export_verdicts)
    group.command("import-verdicts")(import_verdicts)
    app.add_typer(group, name="overlap", help="Check an evaluation set against a training corpus.")


def pin(
    evaluation: Annotated[
        Path, typer.Argument(help="Evaluation set: JSON Lines, Parquet, or an item a line.")
    ],
    eval_field: EvalFields = None,
    eval_id: EvalId = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Pin [default: EVAL.pin.json].")
    ] = None,
) -> None:
    """Write a hash of every item and of the set, so that a later run refuses a set that changed."""
    from engine.overlap.evaluation_set import write_pin

    items = _evaluation(evaluation, eval_field, eval_id)
    path = output or _pin_path(evaluation)
    write_pin(items, path)
    typer.echo(f"{path}: {len(items.items)} items, set {items.sha256}")


def scan(
    evaluation: Annotated[Path, typer.Option("--eval", help="Evaluation set.")],
    corpus: Annotated[
        list[str],
        typer.Option(help="File, directory, tree:DIRECTORY or hf:NAME; may be repeated."),
    ],
    out: Annotated[Path, typer.Option(help="Folder of the scan.")],
    eval_field: EvalFields = None,
    eval_id: EvalId = None,
    pin_file: Annotated[
        Path | None, typer.Option("--pin", help="Pin [default: EVAL.pin.json, if there].")
    ] = None,
    field: Annotated[
        list[str] | None, typer.Option(help="Field of the corpus that holds text. [default: text]")
    ] = None,
    id_field: Annotated[str | None, typer.Option(help="Field of the corpus that names a document.")] = None,
    document: Annotated[UnitName, typer.Option(help="What a document of a plain text file is.")] = "file",
    n: Annotated[int, typer.Option(help="Length of the n-grams, in tokens.")] = 13,
    share: Annotated[float, typer.Option(help="Share of an item's n-grams that flags a pair.")] = 0.5,
    span: Annotated[int, typer.Option(help="Common characters that flag a pair.")] = 50,
    token_share: Annotated[float, typer.Option(help="Share of contaminated tokens that flags a pair.")] = 0.2,
    paragraph_share: Annotated[
        float, typer.Option(help="Share of a paragraph's n-grams in the set that flags its document.")
    ] = 0.5,
    max_items: Annotated[int | None, typer.Option(help="Drop n-grams found in more items.")] = None,
    max_documents: Annotated[int | None, typer.Option(help="Drop n-grams found in more documents.")] = None,
    max_document: Annotated[
        int, typer.Option(help="Longest document, in MiB; longer ones are counted.")
    ] = 16,
    max_ratio: Annotated[int, typer.Option(help="Largest ratio of unpacked to packed bytes.")] = 200,
    append: Annotated[bool, typer.Option(help="Add new shards to a scan; read only those.")] = False,
    fresh: Annotated[bool, typer.Option(help="Forget what was scanned; verdicts stay.")] = False,
    processes: Annotated[int, typer.Option(min=1, help="Shards read at once.")] = os.cpu_count() or 1,
) -> None:
    """Measure every pair of an item and a document. An interrupted scan goes on where it stopped."""
    from engine.overlap.corpus import CorpusOptions
    from engine.overlap.evaluation_set import check_pin
    from engine.overlap.rules import Rules
    from engine.overlap.scan import Scan, run_scan
    from engine.overlap.streams import Limits

    items = _evaluation(evaluation, eval_field, eval_id)
    pinned = pin_file or _pin_path(evaluation)
    if pin_file is not None or pinned.exists():
        check_pin(items, pinned)
        typer.echo(f"the set is the one pinned in {pinned}")
    else:
        typer.echo(f"the set is not pinned; pin it with: benchchecker overlap pin {evaluation}")
    outcome = run_scan(
        Scan(
            items,
            tuple(corpus),
            out,
            Rules(
                n=n,
                share=share,
                span=span,
                token_share=token_share,
                paragraph_share=paragraph_share,
                max_items=max_items,
                max_documents=max_documents,
            ),
            CorpusOptions(
                fields=tuple(field or ["text"]),
                id_field=id_field,
                unit=document,
                limits=Limits(document_bytes=max_document << 20, ratio=max_ratio),
            ),
        ),
        append=append,
        fresh=fresh,
        processes=processes,
        progress=typer.echo,
    )
    typer.echo(
        f"read {outcome.documents:,} documents ({outcome.text_bytes:,} bytes of text) in "
        f"{len(outcome.scanned)} shards; {len(outcome.kept)} shards stood from before"
    )
    _print_summary(_result(out, None))
    if outcome.failed:
        typer.echo(f"{len(outcome.failed)} shards could not be read and count for nothing", err=True)
        raise typer.Exit(1)


def report(
    folder: Folder,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Name without suffix; .html and .md are added.")
    ],
    results: Annotated[Path | None, typer.Option(help="A model's results: JSON Lines or CSV.")] = None,
    id_field: Annotated[str, typer.Option(help="Field of the results that names an item.")] = "item",
    correct_field: Annotated[str, typer.Option(help="Field that says whether it is right.")] = "correct",
    reviews: ReviewFile = None,
) -> None:
    """Write one page, as HTML and as Markdown, that a model card can include."""
    from engine.overlap.answers import read_answers
    from engine.overlap.report import overlap_report
    from engine.store.facts import replacing

    answers = None
    if results is not None:
        loaded = read_answers(results, id_field, correct_field)
        for problem in loaded.problems:
            typer.echo(str(problem), err=True)
        answers = dict(loaded.rows)
    page = overlap_report(_result(folder, reviews), answers)
    for suffix, text in ((".html", page.to_html()), (".md", page.to_markdown())):
        path = output.with_name(output.name + suffix)
        with replacing(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
        typer.echo(str(path))


def queue(
    folder: Folder,
    state: Annotated[StateName, typer.Option(help="Pairs without a verdict, with one, or all.")] = "open",
    item: Annotated[str | None, typer.Option(help="Pairs of this item only.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many.")] = 10,
    reviews: ReviewFile = None,
) -> None:
    """Show flagged pairs, the strongest first, with the text they share in double brackets."""
    result = _result(folder, reviews)
    for entry in result.queue(state, item, limit):
        _print_entry(entry)
    _print_summary(result)


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

    result = _result(folder, reviews)
    result.reviews.decide(_entry(result, item, document).pair, Verdict(decision), reviewer, note)
    _print_summary(result)


def undo(
    item: Annotated[str, typer.Argument(help="Item of the pair.")],
    document: Annotated[str, typer.Argument(help="Document of the pair, as the queue names it.")],
    folder: Folder,
    reviews: ReviewFile = None,
) -> None:
    """Take back the verdict of a pair; the one before it stands again."""
    result = _result(folder, reviews)
    undone = result.reviews.undo(_entry(result, item, document).pair)
    typer.echo("no verdict to take back" if undone is None else f"taken back: {undone.verdict.value}")


def export_verdicts(
    path: Annotated[Path, typer.Argument(help="JSON Lines file to write.")],
    folder: Folder,
    reviews: ReviewFile = None,
) -> None:
    """Write all verdicts, those taken back too."""
    typer.echo(f"{path}: {_result(folder, reviews).reviews.export(path)} verdicts")


def import_verdicts(
    path: Annotated[Path, typer.Argument(help="JSON Lines file that export-verdicts wrote.")],
    folder: Folder,
    reviews: ReviewFile = None,
) -> None:
    """Add the verdicts of an export; importing twice changes nothing."""
    typer.echo(f"{_result(folder, reviews).reviews.import_from(path)} verdicts imported")


def _evaluation(path: Path, fields: list[str] | None, id_field: str | None) -> EvaluationSet:
    from engine.overlap.evaluation_set import ItemOptions, read_evaluation_set

    loaded = read_evaluation_set(path, ItemOptions(tuple(fields or ["text"]), id_field))
    for problem in loaded.problems:
        typer.echo(str(problem), err=True)
    return loaded.rows[0]


def _pin_path(evaluation: Path) -> Path:
    return evaluation.with_name(evaluation.name + PIN_SUFFIX)


def _result(folder: Path, reviews: Path | None) -> ScanResult:
    from engine.overlap.result import ScanResult
    from engine.overlap.review import Reviews

    return ScanResult(folder, None if reviews is None else Reviews(reviews))


def _entry(result: ScanResult, item: str, document: str) -> QueueEntry:
    from engine.problems import BenchCheckerError

    for entry in result.queue("all", item):
        if entry.pair.document == document:
            return entry
    raise BenchCheckerError(f"no flagged pair of item {item!r} and document {document!r}; see the queue")


def _print_entry(entry: QueueEntry) -> None:
    decided = entry.decision.verdict.value if entry.decision else "open"
    typer.echo(
        f"{entry.pair.item}  {entry.pair.document}  [{decided}]\n"
        f"  {', '.join(entry.reasons)}: share {entry.share:.2f}, tokens {entry.token_share:.2f}, "
        f"longest match {entry.longest_match}, span {entry.span}, documents {entry.documents}"
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


def _print_summary(result: ScanResult) -> None:
    from collections import Counter

    leaks = Counter(leak.value for leak, _ in result.leaks().values())
    counts = ", ".join(f"{count} {name}" for name, count in result.counts().items())
    typer.echo(
        f"items: {leaks['leaked']} leaked, {leaks['clean']} clean, {leaks['unknown']} unknown; "
        f"pairs: {counts}"
    )
