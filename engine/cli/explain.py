"""`benchchecker explain`: what a verdict rests on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.label import Cache, Mapping
from engine.cli.options import Data, Detector, Threshold, read_day
from engine.paths import CACHE_DIR, DATA_DIR

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from engine.presence.own_sources import OwnSources
    from engine.store.detectors import Detector as Described


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("explain")(explain)


def explain(
    sample: Annotated[str, typer.Argument(help="Sample id, in any spelling.")],
    cutoff: Annotated[str, typer.Option(help="The cutoff: a day, or a month for its last day.")],
    detector: Detector = None,
    threshold: Threshold = None,
    samples: Annotated[
        list[str] | None, typer.Option("--samples", help="BENCHMARK=FILE, to judge anew from the patch.")
    ] = None,
    repos: Annotated[Path | None, typer.Option("--repos", help="Folder of local repositories.")] = None,
    mapping: Mapping = None,
    cache: Cache = CACHE_DIR,
    data: Data = DATA_DIR,
) -> None:
    """Print the snapshot, each block with its place, lines and scores, and the reason of a verdict."""
    from engine.reading import printable
    from engine.store.detectors import read_detectors

    known = read_detectors(data)
    default = next((key for key, described in known.items() if described.is_default), None)
    chosen = known.get(detector or default or "")
    if chosen is None:
        raise typer.BadParameter(
            f"no detector {detector!r} (one of {', '.join(known)})", param_hint="detector"
        )
    bound = chosen.threshold if threshold is None else threshold
    day = read_day(cutoff)
    if samples and repos is not None:
        from engine.presence.own_sources import own_sources

        sources = own_sources(samples, repos, mapping, data, cache)
        lines = _anew(sources, sample, day, chosen, bound)
    else:
        lines = _stored(sample, day, chosen, bound, data)
    typer.echo(f"cutoff    {day}")
    typer.echo(f"detector  {chosen.detector} ({chosen.title}): {chosen.description}")
    for line in lines:
        typer.echo(printable(line))
    if not (samples and repos is not None):
        typer.echo("\nFrom stored facts. Name --samples and --repos to see the lines of patch and snapshot.")


def _anew(
    sources: OwnSources, sample: str, day: date, described: Described, threshold: float
) -> Iterator[str]:
    from engine.benchmarks.ids import parse_sample_id
    from engine.presence.explanation import in_words

    identity = parse_sample_id(sample)
    name = identity.canonical if identity is not None else sample
    yield from in_words(sources.explain(name, described.detector, day), day, threshold)


def _stored(sample: str, day: date, described: Described, threshold: float, data: Path) -> Iterator[str]:
    from difflib import get_close_matches

    from engine.benchmarks.ids import parse_sample_id
    from engine.presence.explanation import explain_stored
    from engine.store.facts import read_facts

    identity = parse_sample_id(sample)
    name = identity.canonical if identity is not None else sample
    known = [row["sample"] for row in read_facts(data, "sample")]
    if name not in known:
        alike = [one for one in known if one.endswith(f"-{name}")] or get_close_matches(name, known, 3)
        meant = f"; did you mean {' or '.join(alike[:3])}?" if alike else ""
        raise typer.BadParameter(f"the facts hold no sample {name}{meant}", param_hint="sample")
    key = {"detector": described.detector, "sample": name}
    rows = [row for row in read_facts(data, "presence") if key.items() <= row.items()]
    covering = next((row for row in rows if row["valid_from"] <= day <= row["valid_to"]), None)
    if covering is None:
        reach = f"its evidence reaches from {rows[0]['valid_from']} to {rows[-1]['valid_to']}" if rows else ""
        raise typer.BadParameter(f"nothing is known of {name} on {day}; {reach or 'it was not judged'}")
    span = key | {"valid_from": covering["valid_from"]}
    blocks = [row for row in read_facts(data, "block_presence") if span.items() <= row.items()]
    yield from explain_stored(covering, blocks, threshold)
