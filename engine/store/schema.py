"""The database schema: the one place where tables, columns and constraints are named.

Every table of facts has one file in `data/` with its name and columns (`FACTS`), loaded in this order for
the foreign keys. Instants are UTC; days are UTC days, inclusive. Views and macros are in `views`.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal

from engine.store.views import VIEWS_DDL

OUTCOMES = ("resolved", "unresolved", "empty_patch", "no_generation", "no_logs", "error", "not_submitted")
"""What a submission reports for a sample; everything but `resolved` counts as unresolved."""

CUTOFF_BASES = ("published", "estimated")
MODEL_ROLES = ("generator", "retriever", "critic")
"""What a model does in a submission: only a generator writes patches, so only it counts for the cutoff."""

PRESENCE_STATES = ("judged", "unknown")
REPOSITORY_BASES = ("probed", "published", "assumed")
REPOSITORY_VERDICTS = ("present", "not shown", "too few queries")
P0_BASES = ("calibrated", "default", "given")
LABELS = ("contaminated", "clean", "unknown")


def _one_of(column: str, values: tuple[str, ...]) -> str:
    return f"CHECK ({column} IN ({', '.join(repr(value) for value in values)}))"


@dataclass(frozen=True, slots=True)
class FactTable:
    """A table filled from one file in `data/`.

    Attributes:
        name: Table name, and the stem of its file.
        suffix: Format of its file. `toml` tables are read by the module that owns them.
        ddl: Body of the CREATE TABLE statement.
    """

    name: str
    suffix: Literal["csv", "parquet", "toml", "jsonl"]
    ddl: str


FACTS: tuple[FactTable, ...] = (
    FactTable(
        "benchmark",
        "toml",
        """
        benchmark VARCHAR PRIMARY KEY,
        title VARCHAR NOT NULL,
        language VARCHAR NOT NULL,
        size INTEGER NOT NULL CHECK (size > 0),
        url VARCHAR
        """,
    ),
    FactTable(
        "difficulty",
        "toml",
        """
        benchmark VARCHAR NOT NULL REFERENCES benchmark (benchmark),
        difficulty VARCHAR NOT NULL,
        title VARCHAR NOT NULL,
        rank INTEGER NOT NULL,
        PRIMARY KEY (benchmark, difficulty)
        """,
    ),
    FactTable(
        "repository",
        "csv",
        """
        repository VARCHAR PRIMARY KEY,
        source VARCHAR NOT NULL,
        language VARCHAR NOT NULL,
        first_day DATE,
        head_commit VARCHAR,
        head_day DATE,
        """
        # head_day is the day of the last first-parent commit read: labels end there.
        "CHECK (first_day IS NULL OR head_day IS NULL OR first_day <= head_day)",
    ),
    FactTable(
        "sample",
        "csv",
        """
        sample VARCHAR PRIMARY KEY,
        repository VARCHAR NOT NULL REFERENCES repository (repository),
        number INTEGER NOT NULL CHECK (number > 0),
        title VARCHAR,
        base_commit VARCHAR,
        created_at TIMESTAMPTZ,
        patch_sha256 VARCHAR,
        files INTEGER,
        added_lines INTEGER,
        removed_lines INTEGER,
        duplicate_group VARCHAR,
        gold_fails_own_tests BOOLEAN
        """,
    ),
    FactTable(
        "membership",
        "csv",
        """
        benchmark VARCHAR NOT NULL,
        sample VARCHAR NOT NULL REFERENCES sample (sample),
        difficulty VARCHAR,
        PRIMARY KEY (benchmark, sample),
        FOREIGN KEY (benchmark, difficulty) REFERENCES difficulty (benchmark, difficulty)
        """,
    ),
    FactTable(
        "sample_feature",
        "csv",
        """
        sample VARCHAR PRIMARY KEY REFERENCES sample (sample),
        issue_words INTEGER NOT NULL CHECK (issue_words > 0),
        reproducing_example BOOLEAN NOT NULL,
        traceback BOOLEAN NOT NULL,
        names_file BOOLEAN NOT NULL,
        new_identifiers INTEGER NOT NULL,
        hinted_identifiers INTEGER NOT NULL,
        CHECK (hinted_identifiers BETWEEN 0 AND new_identifiers)
        """,
    ),
    FactTable(
        "landing",
        "csv",
        f"""
        sample VARCHAR PRIMARY KEY REFERENCES sample (sample),
        landed_commit VARCHAR NOT NULL,
        landed_at TIMESTAMPTZ NOT NULL,
        state VARCHAR NOT NULL {_one_of("state", ("exact", "adapted", "estimated"))},
        evidence VARCHAR NOT NULL
        """,
    ),
    FactTable(
        "model",
        "toml",
        f"""
        model VARCHAR PRIMARY KEY,
        vendor VARCHAR NOT NULL,
        title VARCHAR NOT NULL,
        released DATE NOT NULL,
        cutoff DATE,
        basis VARCHAR {_one_of("basis", CUTOFF_BASES)},
        source VARCHAR,
        role VARCHAR NOT NULL {_one_of("role", MODEL_ROLES)},
        base VARCHAR,
        open_weights BOOLEAN,
        note VARCHAR,
        commit_history BOOLEAN NOT NULL,
        CHECK (cutoff <= released),
        CHECK ((cutoff IS NULL) = (basis IS NULL)),
        CHECK (basis IS DISTINCT FROM 'published' OR source IS NOT NULL)
        """,
    ),
    FactTable(
        "model_alias",
        "toml",
        """
        alias VARCHAR PRIMARY KEY,
        model VARCHAR NOT NULL REFERENCES model (model)
        """,
    ),
    FactTable(
        "submission",
        "csv",
        """
        benchmark VARCHAR NOT NULL REFERENCES benchmark (benchmark),
        submission VARCHAR NOT NULL,
        title VARCHAR NOT NULL,
        framework VARCHAR,
        submitted_on DATE,
        open_weights BOOLEAN,
        open_system BOOLEAN,
        checked BOOLEAN,
        reported_rate DOUBLE CHECK (reported_rate BETWEEN 0 AND 1),
        reported_total INTEGER,
        source VARCHAR NOT NULL,
        quality VARCHAR,
        use_results BOOLEAN NOT NULL,
        PRIMARY KEY (benchmark, submission)
        """,
    ),
    FactTable(
        "submission_model",
        "csv",
        """
        benchmark VARCHAR NOT NULL,
        submission VARCHAR NOT NULL,
        tag VARCHAR NOT NULL,
        model VARCHAR REFERENCES model (model),
        evidence VARCHAR NOT NULL,
        PRIMARY KEY (benchmark, submission, tag),
        FOREIGN KEY (benchmark, submission) REFERENCES submission (benchmark, submission)
        """,
    ),
    FactTable(
        "result",
        "parquet",
        f"""
        benchmark VARCHAR NOT NULL,
        submission VARCHAR NOT NULL,
        sample VARCHAR NOT NULL,
        outcome VARCHAR NOT NULL {_one_of("outcome", OUTCOMES)},
        PRIMARY KEY (benchmark, submission, sample),
        FOREIGN KEY (benchmark, submission) REFERENCES submission (benchmark, submission),
        FOREIGN KEY (benchmark, sample) REFERENCES membership (benchmark, sample)
        """,
    ),
    FactTable(
        "outside_result",
        "csv",
        """
        benchmark VARCHAR NOT NULL,
        submission VARCHAR NOT NULL,
        reported_id VARCHAR NOT NULL,
        PRIMARY KEY (benchmark, submission, reported_id),
        FOREIGN KEY (benchmark, submission) REFERENCES submission (benchmark, submission)
        """,
    ),
    FactTable(
        "detector",
        "toml",
        """
        detector VARCHAR PRIMARY KEY,
        title VARCHAR NOT NULL,
        description VARCHAR NOT NULL,
        embedder VARCHAR NOT NULL,
        version INTEGER NOT NULL,
        threshold DOUBLE NOT NULL CHECK (threshold BETWEEN 0 AND 1),
        is_default BOOLEAN NOT NULL
        """,
    ),
    FactTable(
        "presence",
        "parquet",
        f"""
        detector VARCHAR NOT NULL REFERENCES detector (detector),
        sample VARCHAR NOT NULL REFERENCES sample (sample),
        valid_from DATE NOT NULL,
        valid_to DATE NOT NULL,
        state VARCHAR NOT NULL {_one_of("state", PRESENCE_STATES)},
        score DOUBLE CHECK (score BETWEEN 0 AND 1),
        method VARCHAR NOT NULL,
        reason VARCHAR NOT NULL,
        commit VARCHAR,
        path VARCHAR,
        line INTEGER,
        PRIMARY KEY (detector, sample, valid_from),
        CHECK (valid_from <= valid_to),
        CHECK ((state = 'unknown') = (score IS NULL))
        """,
    ),
    FactTable(
        "block_presence",
        "parquet",
        """
        detector VARCHAR NOT NULL,
        sample VARCHAR NOT NULL,
        valid_from DATE NOT NULL,
        block INTEGER NOT NULL,
        scope VARCHAR NOT NULL,
        score DOUBLE NOT NULL CHECK (score BETWEEN 0 AND 1),
        method VARCHAR NOT NULL,
        path VARCHAR,
        line_start INTEGER,
        line_end INTEGER,
        line_scores DOUBLE[],
        PRIMARY KEY (detector, sample, valid_from, block),
        FOREIGN KEY (detector, sample, valid_from) REFERENCES presence (detector, sample, valid_from)
        """,
    ),
    FactTable(
        "repository_presence",
        "csv",
        f"""
        model VARCHAR NOT NULL REFERENCES model (model),
        repository VARCHAR NOT NULL REFERENCES repository (repository),
        basis VARCHAR NOT NULL {_one_of("basis", REPOSITORY_BASES)},
        verdict VARCHAR NOT NULL {_one_of("verdict", REPOSITORY_VERDICTS)},
        hits INTEGER,
        queries INTEGER,
        unanswered INTEGER,
        weighted_hits DOUBLE,
        p0 DOUBLE CHECK (p0 BETWEEN 0 AND 1),
        p0_basis VARCHAR {_one_of("p0_basis", P0_BASES)},
        p_value DOUBLE CHECK (p_value BETWEEN 0 AND 1),
        weighted_p_value DOUBLE CHECK (weighted_p_value BETWEEN 0 AND 1),
        q_value DOUBLE CHECK (q_value BETWEEN 0 AND 1),
        design_effect DOUBLE CHECK (design_effect >= 0),
        detectable DOUBLE CHECK (detectable BETWEEN 0 AND 1),
        source VARCHAR,
        PRIMARY KEY (model, repository),
        CHECK (hits BETWEEN 0 AND queries),
        CHECK (basis <> 'probed' OR (queries IS NOT NULL AND p_value IS NOT NULL AND p0 IS NOT NULL))
        """,
    ),
    FactTable(
        "hit_rate",
        "csv",
        """
        model VARCHAR NOT NULL REFERENCES model (model),
        language VARCHAR NOT NULL,
        hits INTEGER NOT NULL,
        queries INTEGER NOT NULL CHECK (queries > 0),
        repositories VARCHAR NOT NULL,
        source VARCHAR NOT NULL,
        PRIMARY KEY (model, language),
        CHECK (hits BETWEEN 0 AND queries)
        """,
    ),
    FactTable(
        "run",
        "jsonl",
        """
        run VARCHAR PRIMARY KEY,
        command VARCHAR NOT NULL,
        started_at TIMESTAMPTZ NOT NULL,
        finished_at TIMESTAMPTZ NOT NULL,
        versions JSON NOT NULL,
        configuration JSON NOT NULL,
        inputs JSON NOT NULL,
        outputs JSON NOT NULL
        """,
    ),
)

META_DDL = """
CREATE TABLE meta (
    schema_version VARCHAR NOT NULL,
    data_sha256 VARCHAR NOT NULL,
    built_at TIMESTAMPTZ NOT NULL,
    versions JSON NOT NULL
)
"""


def statements() -> tuple[str, ...]:
    """Return every CREATE statement, in an order that satisfies the foreign keys."""
    tables = tuple(f"CREATE TABLE {table.name} ({table.ddl})" for table in FACTS)
    return (*tables, META_DDL, *VIEWS_DDL)


def schema_version() -> str:
    """Return what tells this schema from any other: a digest of its statements."""
    return hashlib.sha256("\n".join(statements()).encode()).hexdigest()[:12]
