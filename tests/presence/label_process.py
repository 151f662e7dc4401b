"""Labels a small world as a process of its own, slowly enough to be killed in between.

Arguments: data set, folder of repositories, cache, data.
"""

from __future__ import annotations

if __name__ == "__main__":  # worker processes load this file too, and need nothing of it
    import sys
    import time
    from pathlib import Path

    from engine.cli.label import read_labelled_samples
    from engine.presence import labelling
    from engine.presence.recording import plan_outcomes
    from engine.store.changes import apply

    data_set, repos, cache, data = sys.argv[1:]
    labelling._GROUP_SIZE = 1
    outcomes = labelling.label(
        read_labelled_samples([f"small={data_set}"], None, Path(data)),
        "paper",
        labelling.Repositories(Path(repos), {}, Path(cache)),
        1,
        lambda done, total: time.sleep(0.01),
    )
    changes, problems = plan_outcomes(Path(data), "paper", outcomes)
    assert not problems
    apply(Path(data), changes)
