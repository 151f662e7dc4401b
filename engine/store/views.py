"""Views and macros of the database: the rules that turn stored evidence into cutoffs, presence and labels."""

from __future__ import annotations

VIEWS_DDL: tuple[str, ...] = (
    # The latest cutoff of the models that write a submission's patches. A submission with any model that is
    # not in the registry has none: its models may be newer than those we know.
    """
    CREATE VIEW submission_cutoff AS
    WITH used AS (
        SELECT submission_model.benchmark, submission_model.submission, coalesce(model.model, tag) AS name,
               cutoff, basis, released, coalesce(role, 'generator') = 'generator' AS writes
        FROM submission_model LEFT JOIN model USING (model)
    )
    SELECT benchmark, submission,
           CASE WHEN bool_and(cutoff IS NOT NULL) FILTER (WHERE writes)
                THEN max(cutoff) FILTER (WHERE writes) END AS cutoff,
           CASE WHEN bool_and(cutoff IS NOT NULL) FILTER (WHERE writes)
                THEN CASE WHEN bool_and(basis = 'published') FILTER (WHERE writes)
                          THEN 'published' ELSE 'estimated' END END AS basis,
           CASE WHEN bool_and(cutoff IS NOT NULL) FILTER (WHERE writes)
                THEN max(released) FILTER (WHERE writes) END AS released,
           list_sort(list(DISTINCT name)) AS models
    FROM used GROUP BY benchmark, submission
    """,
    # Presence of every sample at each of several cutoffs (DATE[]). A fix that landed after the cutoff cannot
    # be in its snapshot. Samples without a row, or whose history ends before the cutoff, are unknown and
    # never clean.
    """
    CREATE MACRO presence_at_each(detector_key, cutoff_days) AS TABLE
    WITH asked AS (
        SELECT sample.sample, sample.repository, day.cutoff,
               CAST(landing.landed_at AT TIME ZONE 'UTC' AS DATE) AS landed_on
        FROM sample CROSS JOIN (SELECT DISTINCT unnest(cutoff_days) AS cutoff) AS day
        LEFT JOIN landing ON landing.sample = sample.sample
    ), found AS (
        SELECT asked.*, evidence.* EXCLUDE (sample, detector),
               evidence.valid_to >= asked.cutoff AS covered, asked.cutoff < asked.landed_on AS early
        FROM asked ASOF LEFT JOIN (SELECT * FROM presence WHERE detector = detector_key) AS evidence
          ON evidence.sample = asked.sample AND evidence.valid_from <= asked.cutoff
    )
    SELECT sample, repository, cutoff,
           CASE WHEN covered THEN state WHEN early THEN 'judged' ELSE 'unknown' END AS state,
           CASE WHEN covered THEN score WHEN early THEN 0.0 END AS score,
           CASE WHEN covered THEN method WHEN early THEN 'not landed' ELSE 'not run' END AS method,
           CASE WHEN covered THEN reason
                WHEN early THEN 'the fix landed on ' || landed_on || ', after the cutoff'
                WHEN valid_to IS NOT NULL THEN 'judged only up to ' || valid_to
                ELSE 'no judgement of this sample reaches the cutoff' END AS reason,
           CASE WHEN covered THEN commit END AS commit,
           CASE WHEN covered THEN path END AS path,
           CASE WHEN covered THEN line END AS line,
           CASE WHEN covered THEN valid_from END AS valid_from,
           CASE WHEN covered THEN valid_to END AS valid_to,
           CASE WHEN landed_on <= cutoff THEN landed_on END AS landed_on
    FROM found
    """,
    """
    CREATE MACRO presence_at(detector_key, cutoff_day) AS TABLE
    SELECT * EXCLUDE (cutoff, landed_on) FROM presence_at_each(detector_key, [CAST(cutoff_day AS DATE)])
    """,
    # Contaminated needs both stages, clean needs one of them to fail, everything else is unknown. A score
    # of 0 is no evidence at all, even at a threshold of 0. A fix that a model saw in its history stays seen
    # whatever became of it.
    """
    CREATE MACRO label_of(state, score, minimum_score, repository_verdict, seen_in_history) AS
    CASE WHEN repository_verdict = 'not shown' THEN 'clean'
         WHEN seen_in_history THEN 'contaminated'
         WHEN state = 'judged' AND (score < minimum_score OR score = 0) THEN 'clean'
         WHEN state = 'unknown' OR repository_verdict = 'too few queries' THEN 'unknown'
         ELSE 'contaminated' END
    """,
    # Stage I for each of several lists of models (VARCHAR[][]), by position from 1. A repository that any of
    # the models saw was seen; a model without evidence is assumed to have seen it, and so is an empty list.
    # `with_history` is whether one that saw it was trained on commit histories.
    """
    CREATE MACRO repository_presence_of_each(model_lists) AS TABLE
    WITH list AS (
        SELECT unnest(range(1, len(model_lists) + 1)) AS position, unnest(model_lists) AS models
    ), asked AS (
        SELECT position, unnest(CASE WHEN len(models) > 0 THEN models ELSE [NULL] END) AS model FROM list
    ), evidence AS (
        SELECT position, repository.repository, coalesce(verdict, 'present') AS verdict,
               coalesce(found.basis, 'assumed') AS basis,
               list_position(['not shown', 'too few queries', 'present'], coalesce(verdict, 'present'))
                   AS seen,
               list_position(['assumed', 'published', 'probed'], coalesce(found.basis, 'assumed'))
                   AS strength,
               coalesce(commit_history, FALSE) AND coalesce(verdict, 'present') = 'present'
                   AS with_history
        FROM asked CROSS JOIN repository
        LEFT JOIN repository_presence AS found
          ON found.model = asked.model AND found.repository = repository.repository
        LEFT JOIN model ON model.model = asked.model
    )
    SELECT position, repository, arg_max(verdict, seen) AS verdict,
           arg_max(basis, 10 * seen + strength) AS basis, bool_or(with_history) AS with_history
    FROM evidence GROUP BY position, repository
    """,
    # Labels of every sample for each of several exposures: a list of STRUCT(cutoff DATE, models VARCHAR[]),
    # by position from 1. A NULL threshold means the detector's own.
    """
    CREATE MACRO label_at_each(detector_key, minimum_score, exposures) AS TABLE
    WITH exposure AS (
        SELECT unnest(range(1, len(exposures) + 1)) AS position, unnest(exposures).cutoff AS cutoff
    ), chosen AS (
        SELECT coalesce(minimum_score, threshold) AS minimum FROM detector WHERE detector = detector_key
    )
    SELECT exposure.position, found.sample, found.cutoff,
           label_of(
               found.state, found.score, chosen.minimum, stage_one.verdict,
               stage_one.with_history AND found.landed_on IS NOT NULL
           ) AS label,
           found.* EXCLUDE (sample, repository, cutoff, landed_on) REPLACE (
               CASE WHEN stage_one.with_history AND found.landed_on IS NOT NULL
                    THEN 'seen in the commit history, where it landed on ' || found.landed_on || '; '
                    ELSE '' END || found.reason AS reason
           ),
           stage_one.verdict AS repository_verdict, stage_one.basis AS repository_basis
    FROM exposure CROSS JOIN chosen
    JOIN presence_at_each(detector_key, list_transform(exposures, lambda e: e.cutoff)) AS found
      ON found.cutoff = exposure.cutoff
    JOIN repository_presence_of_each(list_transform(exposures, lambda e: e.models)) AS stage_one
      ON stage_one.position = exposure.position AND stage_one.repository = found.repository
    """,
    """
    CREATE MACRO label_at(detector_key, cutoff_day, minimum_score := NULL, model_keys := NULL) AS TABLE
    SELECT * EXCLUDE (position)
    FROM label_at_each(
        detector_key, minimum_score,
        [{'cutoff': CAST(cutoff_day AS DATE), 'models': CAST(coalesce(model_keys, []) AS VARCHAR[])}]
    )
    """,
)
