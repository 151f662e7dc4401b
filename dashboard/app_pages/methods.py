"""What the words mean, and where every figure comes from."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dashboard import downloads, queries, words
from dashboard.comparison_cells import MARGIN
from dashboard.database import snapshot
from dashboard.records import DetectorChoice
from dashboard.table import Cell, Column, Row, evidence_table
from engine.store.connection import Snapshot

_WORDS = {
    "Sample": "One task of a benchmark: an issue, the code before the fix, the fix and its tests.",
    "Submission": "One entry of a leaderboard: a framework, its models, a date and the samples it resolved.",
    "Before": "The share of all samples of the benchmark that the submission resolved. The denominator is "
    "the size of the benchmark, never the number of samples that were run.",
    "After": "The share resolved among the clean samples only.",
    "Cutoff": "The last day of a model's training data, inclusive, UTC. Published by its vendor, or "
    "estimated as three months before its release. Of several models the latest cutoff counts.",
    "Snapshot": "The code of a repository's default branch at the end of the cutoff's day.",
    "Presence": "How surely the fix is in a snapshot, from 0 to 1: the score of its weakest block.",
    "Contaminated": "The models saw the repository, and the fix was in it at the cutoff. A model that the "
    "registry marks as trained on commit histories saw every fix that had landed, whatever became of it.",
    "Clean": "The fix was not in the repository at the cutoff, or the models were shown not to have seen the "
    "repository.",
    "Unknown": "Nothing could be said: the history ends too early, the fix cannot be parsed, or it was "
    "not judged. Unknown samples are never counted as clean.",
    "Interval": "95%. Wilson's for a share, Newcombe's for a difference of two.",
    "Contamination test": "Holds when contaminated samples score higher than clean ones beyond chance: by "
    "the exact test with false-discovery control over the submissions shown, within levels of difficulty, "
    "across repositories, and however the unknown samples are counted. Does not hold when the intervals rule "
    f"out a difference of {MARGIN} points or more. Everything else is insufficient evidence.",
    "Rank interval": "95% of the places that a submission takes when the samples of the benchmark are drawn "
    "anew, the same ones for all submissions.",
}


def show() -> None:
    """Show the page."""
    database = snapshot()
    st.title("What do the figures mean, and where are they from?", anchor=False)
    st.header("Words", anchor=False)
    rows = [Row(word, {"word": Cell(word), "meaning": Cell(meaning)}) for word, meaning in _WORDS.items()]
    columns = [Column("word", "Word", heading=True, width="12rem"), Column("meaning", "Meaning")]
    evidence_table("words", "Words and their meanings", columns, rows)
    _detectors(queries.catalogue(database).detectors)
    _models(queries.models(database))
    _repositories(queries.repositories(database))
    _provenance(database)


def _detectors(detectors: tuple[DetectorChoice, ...]) -> None:
    st.header("How is presence judged?", anchor=False)
    columns = [
        Column("title", "Detector", heading=True),
        Column("description", "What it looks at"),
        Column("embedder", "Line similarity"),
        Column("version", "Version", align="end", whole=True),
        Column("threshold", "Threshold", align="end", whole=True),
        Column("judged", "Samples judged", align="end", whole=True),
    ]
    rows = [
        Row(
            detector.detector,
            {
                "title": Cell(detector.title, detail="shown first" if detector.is_default else ""),
                "description": Cell(detector.description),
                "embedder": Cell(detector.embedder),
                "version": Cell(str(detector.version)),
                "threshold": Cell(f"{detector.threshold:.2f}"),
                "judged": Cell(f"{detector.judged_samples:,}"),
            },
        )
        for detector in detectors
    ]
    evidence_table("detectors", "Detectors", columns, rows)


def _models(models: queries.Table) -> None:
    st.header("What were the models trained up to?", anchor=False)
    columns = [
        Column("title", "Model", heading=True),
        Column("released", "Released", whole=True),
        Column("cutoff", "Cutoff", whole=True),
        Column("submissions", "Submissions", align="end", whole=True),
        Column("source", "Source"),
    ]
    rows = [Row(model["model"], _model_cells(model)) for model in models]
    with st.expander(f"The registry of {words.count(len(models), 'model')}"):
        evidence_table("models", "Models and their training cutoffs", columns, rows)
        _offer("models", models, ("model", "title", "vendor", "released", "cutoff", "basis", "source"))


def _model_cells(model: dict[str, Any]) -> dict[str, Cell]:
    return {
        "title": Cell(model["title"], detail=model["vendor"]),
        "released": Cell(words.day(model["released"])),
        "cutoff": Cell(words.day(model["cutoff"]), detail=model["basis"] or "not known"),
        "submissions": Cell(f"{model['submissions']:,}"),
        "source": Cell(model["source"] or words.DASH),
    }


def _repositories(repositories: queries.Table) -> None:
    st.header("How far do the histories reach?", anchor=False)
    columns = [
        Column("repository", "Repository", heading=True),
        Column("samples", "Samples", align="end", whole=True),
        Column("first", "First commit", whole=True),
        Column("last", "Read up to", "Labels end here: later cutoffs are unknown."),
        Column("head", "At commit"),
    ]
    rows = [
        Row(
            row["repository"],
            {
                "repository": Cell(row["repository"]),
                "samples": Cell(f"{row['samples']:,}"),
                "first": Cell(words.day(row["first_day"])),
                "last": Cell(words.day(row["head_day"])),
                "head": Cell((row["head_commit"] or words.DASH)[:12]),
            },
        )
        for row in repositories
    ]
    with st.expander(f"{words.count(len(rows), 'repository', 'repositories')}"):
        evidence_table("repositories", "Repositories and their histories", columns, rows)
        _offer(
            "repositories", repositories, ("repository", "samples", "first_day", "head_day", "head_commit")
        )


def _provenance(database: Snapshot) -> None:
    st.header("Which data is this?", anchor=False)
    meta = database.meta
    st.markdown(
        f"Built {meta.built_at:%Y-%m-%d %H:%M} UTC from facts with SHA-256 `{meta.data_sha256}`, "
        f"schema `{meta.schema_version}`."
    )
    columns = [
        Column("command", "Command", heading=True),
        Column("finished", "Finished (UTC)", whole=True),
        Column("inputs", "Inputs"),
        Column("run", "Run"),
    ]
    rows = [
        Row(
            run["run"],
            {
                "command": Cell(run["command"], detail=run["configuration"]),
                "finished": Cell(f"{run['finished_at']:%Y-%m-%d %H:%M}"),
                "inputs": Cell(run["inputs"]),
                "run": Cell(run["run"]),
            },
        )
        for run in queries.runs(database)
    ]
    runs = queries.runs(database)
    with st.expander(f"{words.count(len(rows), 'run')} that made the facts"):
        evidence_table("runs", "Commands that made the facts", columns, rows)
        _offer("runs", runs, ("run", "command", "configuration", "finished_at", "inputs", "versions"))


def _offer(name: str, rows: queries.Table, columns: tuple[str, ...]) -> None:
    notes = {"database": snapshot().version}
    downloads.offer(name, lambda: downloads.table_of_rows(rows, columns, notes))
