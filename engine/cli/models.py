"""`benchchecker models`: the registry of cutoffs, and the models behind every submission."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.paths import DATA_DIR

if TYPE_CHECKING:
    from engine.models.registry import Registry
    from engine.problems import Problem

Data = Annotated[Path, typer.Option(help="Folder of the fact files.")]


def register(app: typer.Typer) -> None:
    """Add the command group to the command line."""
    group = typer.Typer(no_args_is_help=True)
    group.command("list")(list_models)
    group.command("check")(check)
    group.command("resolve")(resolve)
    group.command("presence")(presence)
    app.add_typer(group, name="models", help="Cutoffs of models, and the models behind submissions.")


def list_models(data: Data = DATA_DIR) -> None:
    """List the registered models with their cutoffs, one a line, separated by tabs."""
    from engine.models.registry import read_registry

    typer.echo("model\treleased\tcutoff\tbasis\trole\tsource")
    for model in read_registry(data).models.values():
        cells = (model.model, model.released, model.cutoff, model.basis, model.role, model.source)
        typer.echo("\t".join("" if cell is None else str(cell) for cell in cells))


def check(data: Data = DATA_DIR) -> None:
    """Report names without an entry, entries without use, estimates and contradictions.

    Ends with status 1 if anything has to be put right.
    """
    from engine.models.check import check_registry
    from engine.models.registry import Registry, read_models
    from engine.problems import Severity

    loaded = read_models(data)
    registry = Registry(loaded.rows)
    problems = [*loaded.problems, *check_registry(registry)]
    if not loaded.errors:
        problems += _check_submissions(registry, data)
    estimated = [model for model in registry.models.values() if model.basis == "estimated"]
    typer.echo(f"{len(registry.models)} models, {len(estimated)} with an estimated cutoff:")
    for model in estimated:
        typer.echo(f"  {model.model}: {model.cutoff}, released {model.released}")
    errors = sum(problem.severity is Severity.ERROR for problem in problems)
    for problem in problems:
        typer.echo(str(problem))
    typer.echo(f"{errors} to put right, {len(problems) - errors} warnings")
    if errors:
        raise typer.Exit(1)


def resolve(data: Data = DATA_DIR) -> None:
    """Find the models behind every submission anew, and write how each was found.

    Run it after importing submissions and after changing the registry or the overrides.
    """
    from engine.models.overrides import OVERRIDES_NAME
    from engine.models.registry import REGISTRY_NAME
    from engine.models.resolve import UNKNOWN_TAG, write_resolved
    from engine.store.facts import fact_path
    from engine.store.locking import exclusive
    from engine.store.provenance import record_run

    with exclusive(data):
        resolved = write_resolved(data)
    for problem in resolved.problems:
        typer.echo(str(problem), err=True)
    submissions = {(row["benchmark"], row["submission"]) for row in resolved.rows}
    open_ones = {(row["benchmark"], row["submission"]) for row in resolved.rows if row["model"] is None}
    unknown = sum(row["tag"] == UNKNOWN_TAG for row in resolved.rows)
    typer.echo(
        f"{len(submissions)} submissions, {len(submissions - open_ones)} with every model known, "
        f"{unknown} that name none"
    )
    names = (REGISTRY_NAME, OVERRIDES_NAME, "submission.csv")
    inputs = {name: data / name for name in names if (data / name).is_file()}
    record_run(data, "models resolve", {}, inputs, [fact_path(data, "submission_model")])


def presence(data: Data = DATA_DIR) -> None:
    """Write the repositories that the paper found present in the training data of its closed models."""
    from engine.models.presence import PUBLISHED_SOURCE, write_published_presence
    from engine.models.registry import REGISTRY_NAME
    from engine.store.facts import fact_path
    from engine.store.locking import exclusive
    from engine.store.provenance import record_run

    with exclusive(data):
        rows = write_published_presence(data)
    models = len({row["model"] for row in rows})
    typer.echo(f"{len(rows)} rows: {models} closed models ({PUBLISHED_SOURCE})")
    inputs = {
        name: data / name
        for name in (REGISTRY_NAME, "membership.csv", "sample.csv", "paper/model_cutoff.csv", "paper/row.csv")
    }
    record_run(data, "models presence", {}, inputs, [fact_path(data, "repository_presence")])


def _check_submissions(registry: Registry, data: Path) -> list[Problem]:
    """Check the resolved submissions, as far as there are any; also whether the stored ones are current."""
    from engine.models.check import ROWS_NAME, check_submissions
    from engine.models.resolve import resolved_facts
    from engine.paper.rows import read_rows
    from engine.problems import Problem
    from engine.store.facts import read_facts

    submissions = read_facts(data, "submission")
    if not submissions:
        return [Problem("submission.csv", None, "", "there are no submissions here", "import some")]
    resolved = resolved_facts(data)
    printed = (data / "paper" / "row.csv").is_file()
    also_used = {row["model"] for row in read_facts(data, "hit_rate")}
    also_used |= {row.registry_model for row in read_rows(data)} if printed else set()
    problems = [*resolved.problems, *check_submissions(registry, submissions, resolved.rows, also_used)]
    stored = {tuple(row.values()) for row in read_facts(data, "submission_model")}
    if stored != {tuple(row.values()) for row in resolved.rows}:
        remedy = "run benchchecker models resolve"
        problems.append(Problem(ROWS_NAME, None, "", "is older than what it is made from", remedy))
    return problems
