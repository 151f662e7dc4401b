"""All SQL of the dashboard, by subject.

Each function reads one database snapshot and is remembered for its version.
"""

from dashboard.queries.choices import catalogue, cutoffs, repository_counts, sample_ids
from dashboard.queries.landings import landings
from dashboard.queries.pairs import agreement, pair_verdicts
from dashboard.queries.presence import repository_fixes, repository_presence
from dashboard.queries.provenance import Table, models, repositories, runs
from dashboard.queries.samples import evidence, lifecycle, outcomes_of_sample, sample
from dashboard.queries.submissions import repository_bases, sample_results, submission

__all__ = [
    "Table",
    "agreement",
    "catalogue",
    "cutoffs",
    "evidence",
    "landings",
    "lifecycle",
    "models",
    "outcomes_of_sample",
    "pair_verdicts",
    "repositories",
    "repository_bases",
    "repository_counts",
    "repository_fixes",
    "repository_presence",
    "runs",
    "sample",
    "sample_ids",
    "sample_results",
    "submission",
]
