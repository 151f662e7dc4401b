"""Rules that the facts keep among themselves, beyond what a constraint can say."""

from __future__ import annotations

from dataclasses import dataclass

# A board that prints one decimal of a percentage is off by half of it at most.
RATE_TOLERANCE = 0.00051
CUTOFF_YEARS = 3


@dataclass(frozen=True, slots=True)
class Check:
    """One rule.

    Attributes:
        rule: The rule in words.
        file: File whose rows break it.
        sql: Query for the rows that break it: `subject` and `message`.
        remedy: What to do about them.
    """

    rule: str
    file: str
    sql: str
    remedy: str


COUNT_CHECKS = (
    Check(
        "a benchmark has as many samples as its size",
        "membership.csv",
        """
        SELECT benchmark AS subject, count(sample) || ' samples, its size is ' || any_value(size) AS message
        FROM benchmark LEFT JOIN membership USING (benchmark)
        GROUP BY benchmark HAVING count(sample) <> any_value(size)
        """,
        "import its samples again, or correct its size in benchmark.toml",
    ),
    Check(
        "a sample has a level of difficulty where its benchmark has levels for others",
        "membership.csv",
        """
        SELECT benchmark AS subject, count(*) - count(difficulty) || ' samples have no difficulty' AS message
        FROM membership GROUP BY benchmark HAVING count(difficulty) BETWEEN 1 AND count(*) - 1
        """,
        "import its samples again from a data set with difficulties",
    ),
    Check(
        "usable results cover every sample of the benchmark once",
        "result.parquet",
        """
        SELECT benchmark || ' ' || submission AS subject,
               count(result.sample) || ' of ' || any_value(size) || ' samples have an outcome' AS message
        FROM submission JOIN benchmark USING (benchmark) LEFT JOIN result USING (benchmark, submission)
        WHERE use_results GROUP BY ALL HAVING count(result.sample) <> any_value(size)
        """,
        "import the submission again, or set use_results to false and say why in quality",
    ),
    Check(
        "the reported rate is the one that follows from the results",
        "submission.csv",
        f"""
        SELECT benchmark || ' ' || submission AS subject,
               'reports ' || any_value(reported_rate) || ', its results give '
               || count(*) FILTER (WHERE outcome = 'resolved') || ' of '
               || any_value(coalesce(reported_total, size)) AS message
        FROM submission JOIN benchmark USING (benchmark) JOIN result USING (benchmark, submission)
        WHERE use_results AND reported_rate IS NOT NULL GROUP BY benchmark, submission
        HAVING abs(any_value(reported_rate) - count(*) FILTER (WHERE outcome = 'resolved')
                   / any_value(coalesce(reported_total, size))) > {RATE_TOLERANCE}
        """,
        "compare with the source; where it stays so, set use_results to false and say why in quality",
    ),
    Check(
        "unusable results say why",
        "submission.csv",
        """
        SELECT benchmark || ' ' || submission AS subject, 'use_results is false without a reason' AS message
        FROM submission WHERE NOT use_results AND quality IS NULL
        """,
        "fill the column quality",
    ),
    Check(
        "one detector is the default",
        "detector.toml",
        """
        SELECT coalesce(string_agg(detector, ', '), 'none') AS subject, 'marked as default' AS message
        FROM detector WHERE is_default HAVING count(*) <> 1
        """,
        "mark exactly one with is_default = true",
    ),
)

DATE_CHECKS = (
    Check(
        "a fix landed within the history that was read",
        "landing.csv",
        """
        SELECT sample AS subject, 'landed on ' || landed_on || ', the history of ' || repository
               || ' was read from ' || first_day || ' to ' || head_day AS message
        FROM (SELECT sample, CAST(landed_at AT TIME ZONE 'UTC' AS DATE) AS landed_on FROM landing)
        JOIN sample USING (sample) JOIN repository USING (repository)
        WHERE landed_on NOT BETWEEN first_day AND head_day
        """,
        "read the history of the repository again",
    ),
    Check(
        "a repository with landed fixes has a history",
        "repository.csv",
        """
        SELECT DISTINCT repository AS subject, 'its history was not read, but fixes in it landed' AS message
        FROM landing JOIN sample USING (sample) JOIN repository USING (repository)
        WHERE first_day IS NULL OR head_day IS NULL OR head_commit IS NULL
        """,
        "read the history of the repository",
    ),
    Check(
        "a cutoff lies before the release, and not years before it",
        "model.toml",
        f"""
        SELECT model AS subject, 'its cutoff is ' || cutoff || ', its release ' || released AS message
        FROM model WHERE cutoff > released OR cutoff < released - INTERVAL {CUTOFF_YEARS} YEAR
        """,
        "compare both days with their source",
    ),
    Check(
        "a submission is not older than its models",
        "submission_model.csv",
        """
        SELECT benchmark || ' ' || submission AS subject,
               'is of ' || submitted_on || ', its model ' || model || ' of ' || released AS message
        FROM submission_model JOIN submission USING (benchmark, submission) JOIN model USING (model)
        WHERE submitted_on < released
        """,
        "correct the model behind its tag, or the release day",
    ),
)

PRESENCE_CHECKS = (
    Check(
        "intervals follow one another without gap or overlap",
        "presence.parquet",
        """
        SELECT detector || ' ' || sample AS subject,
               'the interval after ' || valid_to || ' begins on ' || next_from AS message
        FROM (SELECT *, lead(valid_from) OVER (PARTITION BY detector, sample ORDER BY valid_from) AS next_from
              FROM presence)
        WHERE next_from <> valid_to + 1
        """,
        "run the detector again for this sample (benchchecker label)",
    ),
    Check(
        "intervals begin when the fix landed and reach the end of the history",
        "presence.parquet",
        """
        SELECT detector || ' ' || sample AS subject,
               format('judged from {} to {}; the fix landed on {}, the history ends on {}', min(valid_from),
                      max(valid_to), coalesce(any_value(landed_on)::VARCHAR, 'an unknown day'),
                      coalesce(any_value(head_day)::VARCHAR, 'an unknown day')) AS message
        FROM presence JOIN sample USING (sample) JOIN repository USING (repository)
        LEFT JOIN (SELECT sample, CAST(landed_at AT TIME ZONE 'UTC' AS DATE) AS landed_on FROM landing)
        USING (sample)
        GROUP BY detector, sample
        HAVING min(valid_from) > any_value(landed_on) OR max(valid_to) < any_value(head_day)
        """,
        "run the detector again for this sample (benchchecker label)",
    ),
    Check(
        "a detector that judged any sample with a patch judged all of them",
        "presence.parquet",
        """
        SELECT detector || ' ' || sample AS subject, 'is not judged' AS message
        FROM (SELECT DISTINCT detector FROM presence) CROSS JOIN sample
        ANTI JOIN presence USING (detector, sample)
        WHERE patch_sha256 IS NOT NULL
        """,
        "run the detector again (benchchecker label)",
    ),
    Check(
        "a sample's score lies within those of its blocks",
        "block_presence.parquet",
        """
        SELECT detector || ' ' || sample || ' ' || valid_from AS subject,
               format('scores {}, its blocks {} to {}',
                      coalesce(any_value(presence.score)::VARCHAR, 'nothing'),
                      min(block_presence.score), max(block_presence.score))
               AS message
        FROM presence JOIN block_presence USING (detector, sample, valid_from)
        GROUP BY detector, sample, valid_from
        HAVING any_value(presence.score) IS NULL
            -- A detector may let small blocks count less; scores are stored rounded.
            OR any_value(presence.score) < min(block_presence.score) - 1e-4
            OR any_value(presence.score) > max(block_presence.score) + 1e-4
        """,
        "run the detector again for this sample (benchchecker label)",
    ),
)

CHECKS: tuple[Check, ...] = (*COUNT_CHECKS, *DATE_CHECKS, *PRESENCE_CHECKS)
