"""`benchchecker overlap`: contamination of any evaluation set against a corpus at hand."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from engine.cli.overlap_review import Folder, ReviewFile, open_result, print_summary, register_reviews

if TYPE_CHECKING:
    from engine.overlap.evaluation_set import EvaluationSet

PIN_SUFFIX = ".pin.json"

# As in engine.overlap, which a test compares: importing it here would load numpy for --help.
UnitName = Literal["file", "line", "paragraph"]

EvalFields = Annotated[
    list[str] | None,
    typer.Option(
        "--eval-field",
        help="Field that holds an item's text; may be repeated, each is an item of its own. NAME:added and "
        "NAME:after view a field that is a diff (default: text).",
    ),
]
Similarity = Annotated[
    float, typer.Option(help="Similarity of embeddings that flags a pair, after a semantic pass.")
]
Model = Annotated[
    str,
    typer.Option("--model", help="multilingual (16 languages), minilm (English), or a model's folder."),
]
EvalId = Annotated[str | None, typer.Option("--eval-id", help="Field that names a record.")]


def register(app: typer.Typer) -> None:
    """Add the command group to the command line."""
    group = typer.Typer(no_args_is_help=True)
    for command in (pin, scan, semantic, report):
        group.command(command.__name__)(command)
    register_reviews(group)
    group.command("selfcheck")(selfcheck)
    app.add_typer(group, name="overlap", help="Check an evaluation set against a training corpus.")


def pin(
    evaluation: Annotated[
        Path, typer.Argument(help="Evaluation set: JSON Lines, Parquet, or an item a line.")
    ],
    eval_field: EvalFields = None,
    eval_id: EvalId = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Pin (default: EVAL.pin.json).")
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
        Path | None, typer.Option("--pin", help="Pin (default: EVAL.pin.json, if there).")
    ] = None,
    field: Annotated[
        list[str] | None, typer.Option(help="Field of the corpus that holds text (default: text).")
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
    max_items: Annotated[int | None, typer.Option(min=1, help="Drop n-grams found in more items.")] = None,
    max_documents: Annotated[
        int | None, typer.Option(min=1, help="Drop n-grams found in more documents.")
    ] = None,
    span_documents: Annotated[
        int, typer.Option(min=1, help="Common characters found in more documents are boilerplate.")
    ] = 10,
    span_chance: Annotated[
        float,
        typer.Option(
            help="Pairs flagged by characters alone are likely boilerplate where GPT-4's three random draws "
            "would find them less often."
        ),
    ] = 0.1,
    max_document: Annotated[
        int, typer.Option(min=1, help="Longest document, in MiB; longer ones are counted.")
    ] = 16,
    max_ratio: Annotated[int, typer.Option(min=1, help="Largest ratio of unpacked to packed bytes.")] = 200,
    similarity: Similarity = 0.6,
    append: Annotated[bool, typer.Option(help="Add new shards to a scan; read only those.")] = False,
    fresh: Annotated[bool, typer.Option(help="Forget what was scanned; verdicts stay.")] = False,
    processes: Annotated[int, typer.Option(min=1, help="Shards read at once.")] = os.cpu_count() or 1,
) -> None:
    """Measure every pair of an item and a document. An interrupted scan goes on where it stopped."""
    from engine.overlap.corpus import CorpusOptions
    from engine.overlap.evaluation_set import check_pin
    from engine.overlap.rules import Rules
    from engine.overlap.scan import run_scan
    from engine.overlap.scan_plan import Scan
    from engine.overlap.streams import Limits
    from engine.reading import printable

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
                similarity=similarity,
                max_items=max_items,
                max_documents=max_documents,
                span_documents=span_documents,
                span_chance=span_chance,
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
        progress=lambda message: typer.echo(printable(message)),
    )
    typer.echo(
        f"read {outcome.documents:,} documents ({outcome.text_bytes:,} bytes of text) in "
        f"{len(outcome.scanned)} shards; {len(outcome.kept)} shards stood from before"
    )
    print_summary(open_result(out, None))
    if outcome.failed:
        typer.echo(f"{len(outcome.failed)} shards could not be read and count for nothing", err=True)
        raise typer.Exit(1)


def semantic(
    folder: Folder,
    nearest: Annotated[
        int, typer.Option(min=0, help="Look in the whole corpus for so many documents near each item.")
    ] = 0,
    similarity: Similarity = 0.6,
    model: Model = "multilingual",
) -> None:
    """Compare by embeddings: the flagged pairs of a scan, or with --nearest the whole corpus.

    What is similar enough comes into the queue. Paraphrases and translations are found in no other way.
    """
    from engine.overlap.embedding import open_embedder
    from engine.overlap.scan import load_scan, rebuild
    from engine.overlap.semantic import flagged_similarity, nearest_documents, write_matches

    scanned, shards = load_scan(folder, similarity)
    embedder = open_embedder(model)
    if nearest:
        found = nearest_documents(
            scanned.evaluation, shards, scanned.corpus, embedder, nearest, progress=typer.echo
        )
        sources = [shard.name for shard in shards]
    else:
        found, sources = flagged_similarity(open_result(folder, None), embedder), []
    write_matches(folder, found, embedder.name, sources)
    rebuild(scanned, shards)
    above = sum(match.similarity >= similarity for match in found)
    typer.echo(f"{len(found)} pairs compared by {embedder.name}, {above} at {similarity} or above")
    print_summary(open_result(folder, None))


def selfcheck(
    with_model: Annotated[bool, typer.Option("--semantic", help="Run the semantic pass too.")] = False,
    similarity: Similarity = 0.6,
    model: Model = "multilingual",
) -> None:
    """Scan a small corpus with planted leaks and print what is found of each kind."""
    import tempfile

    from engine.overlap.embedding import open_embedder
    from engine.overlap.planted.measure import as_lines, measure_planted, planted_matches
    from engine.overlap.rules import Rules

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        results = {"gate": measure_planted(folder)}
        if with_model:
            typer.echo("embedding 20 items and their documents: minutes without a graphics card …", err=True)
            matches = planted_matches(folder, open_embedder(model))
            results["and semantic"] = measure_planted(folder, Rules(similarity=similarity), matches)
    for line in as_lines(results):
        typer.echo(line)


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
    page = overlap_report(open_result(folder, reviews), answers)
    for suffix, text in ((".html", page.to_html()), (".md", page.to_markdown())):
        path = output.with_name(output.name + suffix)
        with replacing(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
        typer.echo(str(path))


def _evaluation(path: Path, fields: list[str] | None, id_field: str | None) -> EvaluationSet:
    from engine.overlap.evaluation_set import ItemOptions, read_evaluation_set

    loaded = read_evaluation_set(path, ItemOptions(tuple(fields or ["text"]), id_field))
    for problem in loaded.problems:
        typer.echo(str(problem), err=True)
    return loaded.rows[0]


def _pin_path(evaluation: Path) -> Path:
    return evaluation.with_name(evaluation.name + PIN_SUFFIX)
