"""What a submission could have read: the training cutoff of named models, or one that the reader gives."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from engine.models.names import name_key
from engine.problems import BenchCheckerError
from engine.store.connection import Snapshot
from engine.store.labels import Exposure

_REMEDY = "`benchchecker models list` has them; or give a cutoff"


@dataclass(frozen=True, slots=True)
class AskedExposure:
    """The exposure of an audit and where it comes from.

    Attributes:
        exposure: Cutoff, and the models whose repository presence counts.
        basis: `published` or `estimated` as in the registry, or `given`.
        titles: Titles of the models.
    """

    exposure: Exposure
    basis: str
    titles: tuple[str, ...]


def asked_exposure(database: Snapshot, models: Sequence[str], cutoff: date | None) -> AskedExposure:
    """Return the exposure of named models, or at a given cutoff.

    A cutoff that is given counts rather than that of the models; without a model every repository is taken as
    seen.

    Args:
        database: The facts.
        models: Keys, aliases or titles from the registry, however spelt.
        cutoff: Last day of training data.

    Raises:
        BenchCheckerError: If neither is given, or a model is not in the registry or has no known cutoff.
    """
    if not models and cutoff is None:
        raise BenchCheckerError("nothing says what the models could have read: name a model or a cutoff")
    found = [_find(database, name) for name in models]
    used = tuple(row["model"] for row in found)
    titles = tuple(row["title"] for row in found)
    if cutoff is not None:
        return AskedExposure(Exposure(cutoff, used), "given", titles)
    days = [row["cutoff"] for row in found]
    if None in days:
        raise BenchCheckerError(
            f"the training cutoff of {titles[days.index(None)]} is not known: give a cutoff yourself"
        )
    bases = {row["basis"] for row in found}
    basis = "published" if bases == {"published"} else "estimated"
    return AskedExposure(Exposure(max(days), used), basis, titles)


def _find(database: Snapshot, name: str) -> dict[str, Any]:
    rows = {row["model"]: row for row in database.rows("SELECT model, title, cutoff, basis FROM model")}
    spelt = {name_key(row["title"]): key for key, row in rows.items()}
    aliases = database.rows("SELECT alias, model FROM model_alias")
    spelt |= {name_key(row["alias"]): row["model"] for row in aliases}
    spelt |= {name_key(key): key for key in rows}
    key = spelt.get(name_key(name))
    if key is None:
        close = dict.fromkeys(spelt[near] for near in difflib.get_close_matches(name_key(name), spelt, n=3))
        like = f", but {', '.join(close)}" if close else ""
        raise BenchCheckerError(f"no model is called {name[:80]!r} in the registry{like}: {_REMEDY}")
    return rows[key]
