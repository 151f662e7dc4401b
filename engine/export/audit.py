"""An audit as tables: the comparison in groups of samples, and the samples one by one."""

from __future__ import annotations

from collections.abc import Iterator

from engine.audit.audit import Audit
from engine.export.columns import SEPARATOR
from engine.export.table import Column, Table, from_records
from engine.statistics.proportions import Interval, Proportion
from engine.statistics.summary import Comparison

_GROUPS = (
    Column("by", title="By"),
    Column("group", title="Group"),
    Column("resolved", "integer", "Resolved"),
    Column("total", "integer", "Samples"),
    Column("rate", "real", "Before"),
    Column("rate_low", "real", "Low"),
    Column("rate_high", "real", "High"),
    Column("contaminated_resolved", "integer", "Contaminated resolved"),
    Column("contaminated_total", "integer", "Contaminated samples"),
    Column("contaminated_rate", "real", "Contaminated"),
    Column("contaminated_rate_low", "real", "Low"),
    Column("contaminated_rate_high", "real", "High"),
    Column("clean_resolved", "integer", "Clean resolved"),
    Column("clean_total", "integer", "Clean samples"),
    Column("clean_rate", "real", "Clean"),
    Column("clean_rate_low", "real", "Low"),
    Column("clean_rate_high", "real", "High"),
    Column("unknown_resolved", "integer", "Unknown resolved"),
    Column("unknown_total", "integer", "Unknown samples"),
    Column("relative_change", "real", "Change"),
    Column("difference", "real", "Difference"),
    Column("difference_low", "real", "Low"),
    Column("difference_high", "real", "High"),
    Column("p_value", "real", "p"),
    Column("too_small", "boolean", "Too few samples"),
    Column("verdict", title="Verdict"),
    Column("verdict_reasons", title="Reasons"),
)
_PRINTED = (
    Column("group", title="Samples"),
    Column("before", title="Before"),
    Column("contaminated", title="Contaminated"),
    Column("clean", title="Clean"),
    Column("unknown", "integer", title="Unknown"),
    Column("verdict", title="Verdict"),
)


def audit_table(audit: Audit) -> Table:
    """Return every figure for all samples, each level and each repository, and by the other detectors.

    Rates and differences are fractions; intervals are 95%, Wilson's for rates and Newcombe's for differences.
    """
    records = (
        {
            "by": kind,
            "group": name,
            **_share("", found.before, found.before_interval),
            **_share("contaminated_", found.contaminated, found.contaminated_interval),
            **_share("clean_", found.clean, found.clean_interval),
            **_share("unknown_", found.unknown, None),
            "relative_change": found.relative_change,
            "difference": found.difference,
            **_ends("difference", found.difference_interval),
            "p_value": found.p_value,
            "too_small": found.too_small,
            "verdict": found.judgement.verdict.value,
            "verdict_reasons": SEPARATOR.join(found.judgement.sentences),
        }
        for kind, name, found in groups(audit)
    )
    return from_records(_GROUPS, records, audit.notes)


def printed_audit(audit: Audit) -> Table:
    """Return the same for print: `300/450 (66.7% [62.2–70.9])`."""
    records = (
        {
            "group": name,
            "before": printed_share(found.before, found.before_interval),
            "contaminated": printed_share(found.contaminated, found.contaminated_interval),
            "clean": printed_share(found.clean, found.clean_interval),
            "unknown": found.unknown.n,
            "verdict": "too few samples" if found.too_small else found.judgement.verdict.value,
        }
        for _, name, found in groups(audit)
    )
    return from_records(_PRINTED, records, audit.notes)


def audited_samples(audit: Audit) -> Table:
    """Return every sample with its outcome, label and what the label rests on."""
    outcomes = audit.file.results.outcomes
    return Table(
        (audit.labels.columns[0], Column("outcome"), *audit.labels.columns[1:]),
        tuple((row[0], outcomes[str(row[0])], *row[1:]) for row in audit.labels.rows),
        audit.notes,
    )


def groups(audit: Audit) -> Iterator[tuple[str, str, Comparison]]:
    """Yield kind, name and comparison of each group of samples, all of them first."""
    yield "all", "all samples", audit.overall
    for level, found in audit.summary.levels.items():
        yield "difficulty", audit.level_titles.get(level, level), found
    for repository, found in audit.repositories.items():
        yield "repository", repository, found
    for opinion in audit.opinions.values():
        yield "detector", f"all samples by {opinion.title} at {opinion.threshold:g}", opinion.overall


def printed_share(share: Proportion, bounds: Interval | None) -> str:
    """Return `300/450 (66.7% [62.2–70.9])`, or a dash where there is no sample."""
    if share.rate is None:
        return "\N{EN DASH}"
    ends = "" if bounds is None else f" [{100 * bounds.low:.1f}\N{EN DASH}{100 * bounds.high:.1f}]"
    return f"{share.k}/{share.n} ({100 * share.rate:.1f}%{ends})"


def _share(name: str, share: Proportion, bounds: Interval | None) -> dict[str, float | None]:
    counts = {f"{name}resolved": share.k, f"{name}total": share.n}
    return {**counts, f"{name}rate": share.rate, **_ends(f"{name}rate", bounds)}


def _ends(name: str, bounds: Interval | None) -> dict[str, float | None]:
    return {
        f"{name}_low": None if bounds is None else bounds.low,
        f"{name}_high": None if bounds is None else bounds.high,
    }
