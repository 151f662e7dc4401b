from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from labelled_world import buggy, fixed, make_samples, patch, write_data_set, write_world
from process_groups import ends_within
from scratch_repository import new_scratch
from tiny_facts import row
from typer.testing import CliRunner

from engine.benchmarks.sample import Sample
from engine.cli.app import build_app
from engine.paths import PROJECT_ROOT
from engine.presence import workers
from engine.presence.labelling import Repositories, label
from engine.presence.outcomes import Outcome
from engine.presence.recording import plan_outcomes
from engine.problems import BenchCheckerError
from engine.store.changes import apply
from engine.store.facts import read_facts, write_facts

TABLES = ("landing", "presence", "block_presence")


def judge(samples: Sequence[Sample], repos: Path, cache: Path, processes: int = 1) -> list[Outcome]:
    return label(samples, "paper", Repositories(repos, {}, cache), processes, lambda done, total: None)


def judged_here(samples: Sequence[Sample], repos: Path, cache: Path) -> list[Outcome]:
    """The outcomes without processes, groups or journal."""
    found = []
    for sample in samples:
        path = Repositories(repos, {}, cache).path(sample.repository)
        assert path is not None
        found += workers.run(workers.Task("paper", path, cache, (sample,)))
    return found


def record(data: Path, outcomes: Sequence[Outcome], detector: str = "paper") -> list[str]:
    changes, problems = plan_outcomes(data, detector, outcomes)
    apply(data, changes)
    return [str(problem) for problem in problems]


def facts(data: Path) -> dict[str, list[dict[str, Any]]]:
    return {name: read_facts(data, name) for name in TABLES}


def journalled(cache: Path) -> Counter[str]:
    counts: Counter[str] = Counter()
    for file in cache.glob("label/paper/*.jsonl"):
        for line in file.read_text().splitlines():
            try:
                counts[json.loads(line)["key"]] += 1
            except ValueError:
                continue
    return counts


def test_a_run_that_is_killed_again_and_again_ends_with_the_same_facts(tmp_path: Path) -> None:
    repos, data, cache = tmp_path / "repos", tmp_path / "data", tmp_path / "cache"
    samples = make_samples(repos, ["a", "b"], 30)
    write_world(data, samples)
    write_world(tmp_path / "expected", samples)
    record(tmp_path / "expected", judged_here(samples, repos, tmp_path / "other cache"))
    data_set = write_data_set(tmp_path / "samples.jsonl", samples)
    command = [sys.executable, str(Path(__file__).with_name("label_process.py"))]
    command += [str(path) for path in (data_set, repos, cache, data)]
    search = os.pathsep.join([str(PROJECT_ROOT), str(PROJECT_ROOT / "tests")])

    def start() -> subprocess.Popen[bytes]:
        environment = os.environ | {"PYTHONPATH": search}
        return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, start_new_session=True)

    chance = random.Random(20240131)
    kept, groups = 0, []
    for _ in range(5):
        process = start()
        wanted = kept + chance.randint(1, 6)
        while process.poll() is None and sum(journalled(cache).values()) < wanted:
            time.sleep(0.002)
        time.sleep(chance.random() * 0.01)
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL  # it had not come to its end
        groups.append(process.pid)
        found = journalled(cache)
        assert kept < len(found) < len(samples)
        kept = len(found)
    assert facts(data) == {name: [] for name in TABLES}  # facts are written whole or not at all
    process = start()
    assert process.wait() == 0, process.stderr and process.stderr.read().decode()
    assert facts(data) == facts(tmp_path / "expected")
    counts = journalled(cache)
    assert len(counts) == len(samples)
    assert set(counts.values()) == {1}  # nothing was judged twice
    for group in groups:  # and the killed ones left no process behind
        assert ends_within(group, seconds=20)


def test_labelling_again_changes_nothing_and_judges_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repos, data, cache = tmp_path / "repos", tmp_path / "data", tmp_path / "cache"
    samples = make_samples(repos, ["a"], 5)
    write_world(data, samples)
    first = judge(samples, repos, cache)
    assert record(data, first) == []
    assert [outcome.sample for outcome in first] == [sample.sample for sample in samples]
    before = {file.name: (file.read_bytes(), file.stat().st_mtime_ns) for file in data.iterdir()}

    def refuse(*_: object) -> None:
        raise AssertionError("judged again")

    monkeypatch.setattr("engine.presence.labelling.ProcessPoolExecutor", refuse)
    again = judge(samples, repos, cache)
    assert again == first
    assert record(data, again) == []
    assert {file.name: (file.read_bytes(), file.stat().st_mtime_ns) for file in data.iterdir()} == before


def test_only_what_changed_is_judged_again(tmp_path: Path) -> None:
    repos, cache = tmp_path / "repos", tmp_path / "cache"
    samples = make_samples(repos, ["a"], 3)
    first = judge(samples, repos, cache)
    changed = [replace(samples[0], patch=patch(2)), *samples[1:]]
    second = judge(changed, repos, cache)
    assert second[0].landing != first[0].landing
    assert second[1:] == first[1:]
    assert sum(journalled(cache).values()) == 4


def test_two_samples_with_one_patch_have_an_outcome_each(tmp_path: Path) -> None:
    repos, cache = tmp_path / "repos", tmp_path / "cache"
    (sample,) = make_samples(repos, ["a"], 1)
    twin = replace(sample, sample="owner__a-99", number=99)
    for _ in range(2):
        outcomes = judge([sample, twin], repos, cache)
        assert [outcome.sample for outcome in outcomes] == ["owner__a-1", "owner__a-99"]
        assert outcomes[0].intervals == outcomes[1].intervals


def test_what_cannot_be_judged_is_unknown_with_the_reason(tmp_path: Path) -> None:
    repos, cache, data = tmp_path / "repos", tmp_path / "cache", tmp_path / "data"
    samples = make_samples(repos, ["a", "cut"], 2)
    (repos / "owner__cut.git" / "shallow").write_text(samples[2].base_commit or "")
    short = (samples[0].base_commit or "")[:9]
    odd = {
        "missing": Sample("owner__none-1", "owner/none", 1, "1" * 40, patch=patch(0)),
        "shallow": samples[2],
        "no patch": replace(samples[0], sample="owner__a-11", patch=None),
        "garbage": replace(samples[0], sample="owner__a-12", patch="garbage"),
        "wrong base": replace(samples[0], sample="owner__a-13", base_commit="1" * 40),
        "short base": replace(
            samples[0], sample="owner__a-14", base_commit=(samples[0].base_commit or "")[:9]
        ),
        "documents": replace(samples[0], sample="owner__a-15", patch=patch(0).replace(".py", ".md")),
        "misfit": replace(
            samples[0], sample="owner__a-16", patch=patch(0).replace("return a\n", "return b\n")
        ),
        "too late": replace(
            samples[0],
            sample="owner__a-17",
            patch=patch(0).replace("+    check0(a)\n", "+    nothing_of_it()\n").replace("a + 0", "never(a)"),
            created_at=datetime(2020, 3, 20, tzinfo=UTC),
        ),
    }
    everything = [samples[0], *odd.values(), samples[1]]
    write_world(data, everything)
    outcomes = {outcome.sample: outcome for outcome in judge(everything, repos, cache)}
    assert {name: outcomes[sample.sample].problem for name, sample in odd.items()} == {
        "missing": "there is no history of owner/none in the folder of repositories",
        "shallow": f"{(repos / 'owner__cut.git').resolve()} is a shallow clone: its history is cut off",
        "no patch": "the data set gives no patch or no base commit",
        "garbage": "the patch changes no file",
        "wrong base": "m0.py is not in the base commit",
        "short base": f"the base commit {short!r} is not a full commit id in lower case",
        "documents": "the patch changes no Python or Java code",
        "misfit": "m0.py: the lines that the hunk at line 1 expects are not there",
        "too late": "the repository ends before the fix",
    }
    assert not outcomes[samples[0].sample].problem
    assert not outcomes[samples[1].sample].problem

    problems = record(data, list(outcomes.values()))
    assert len(problems) == len(odd)
    assert all("unknown, never clean" in problem for problem in problems)
    unknown = {each["sample"]: each for each in read_facts(data, "presence") if each["state"] == "unknown"}
    assert set(unknown) == {sample.sample for sample in odd.values()}
    assert {each["score"] for each in unknown.values()} == {None}
    assert unknown["owner__none-1"]["reason"] == outcomes["owner__none-1"].problem


def test_a_damaged_repository_costs_its_own_samples_only(tmp_path: Path) -> None:
    repos, cache = tmp_path / "repos", tmp_path / "cache"
    samples = make_samples(repos, ["bad", "good"], 2)
    for tree in _trees(repos / "owner__bad.git"):
        tree.unlink()
    outcomes = judge(samples, repos, cache)
    assert [bool(outcome.problem) for outcome in outcomes] == [True, True, False, False]
    assert sum(journalled(cache).values()) == 2  # the repository may be whole the next time


def _trees(path: Path) -> list[Path]:
    """Unpack a repository and return the files of its trees."""
    git = ["git", f"--git-dir={path}"]
    for pack in (path / "objects" / "pack").glob("*.pack"):
        content = pack.read_bytes()
        pack.unlink()
        pack.with_suffix(".idx").unlink()
        subprocess.run([*git, "unpack-objects", "-q"], input=content, check=True)
    listed = subprocess.run(
        [*git, "cat-file", "--batch-all-objects", "--batch-check=%(objecttype) %(objectname)"],
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    names = [line.split()[1] for line in listed.splitlines() if line.startswith("tree")]
    return [path / "objects" / name[:2] / name[2:] for name in names]


def test_a_repository_that_is_repaired_is_looked_at_again(tmp_path: Path) -> None:
    repos, cache = tmp_path / "repos", tmp_path / "cache"
    samples = make_samples(repos, ["a"], 2)
    away = (repos / "owner__a.git").rename(tmp_path / "away")
    assert all(outcome.problem for outcome in judge(samples, repos, cache))
    away.rename(repos / "owner__a.git")
    assert not any(outcome.problem for outcome in judge(samples, repos, cache))


def test_what_was_known_stays_when_a_repository_is_gone(tmp_path: Path) -> None:
    repos, cache, data = tmp_path / "repos", tmp_path / "cache", tmp_path / "data"
    samples = make_samples(repos, ["a"], 2)
    write_world(data, samples)
    record(data, judge(samples, repos, cache))
    before = facts(data)
    (repos / "owner__a.git").rename(tmp_path / "away")
    problems = record(data, judge(samples, repos, cache))
    assert len(problems) == 2
    assert all("what was known stays" in problem for problem in problems)
    assert facts(data) == before


def test_a_name_that_is_no_utf_8_is_stored_and_costs_no_other_sample(tmp_path: Path) -> None:
    scratch = new_scratch(tmp_path / "repos" / "owner__bytes.git")
    scratch.chain(
        ("2020-01-01", {"n\udcffame.py": buggy(1).encode()}),
        ("2020-02-01", {"n\udcffame.py": fixed(1).encode()}),
    )
    (plain,) = make_samples(tmp_path / "repos", ["plain"], 1)
    quoted = patch(1).replace("a/m1.py", '"a/n\\377ame.py"').replace("b/m1.py", '"b/n\\377ame.py"')
    base = scratch.names["c0"]
    odd = replace(plain, sample="owner__bytes-1", repository="owner/bytes", base_commit=base, patch=quoted)
    write_world(tmp_path / "data", [odd, plain])
    record(tmp_path / "data", judge([odd, plain], tmp_path / "repos", tmp_path / "cache"))
    rows = [row for row in read_facts(tmp_path / "data", "presence") if row["sample"] == odd.sample]
    assert (rows[-1]["score"], rows[-1]["path"]) == (1.0, "n\\xffame.py")
    assert "n\\xffame.py" in rows[-1]["reason"]
    blocks = read_facts(tmp_path / "data", "block_presence")
    assert {row["path"] for row in blocks if row["sample"] == odd.sample} == {"n\\xffame.py"}
    assert plain.sample in {row["sample"] for row in blocks}


def test_a_name_with_a_line_feed_costs_no_sample_of_other_files(tmp_path: Path) -> None:
    scratch = new_scratch(tmp_path / "repos.git")
    copy = {"line\nfeed.py": fixed(1).encode()}
    scratch.chain(
        ("2020-01-01", {"m1.py": buggy(1).encode(), **copy}), ("2020-02-01", {"m1.py": fixed(1).encode()})
    )
    opened = datetime(2020, 1, 2, tzinfo=UTC)
    base = scratch.names["c0"]
    sample = Sample("owner__one-1", "owner/one", 1, base_commit=base, created_at=opened, patch=patch(1))
    (outcome,) = workers.run(workers.Task("traced", scratch.path, tmp_path / "cache", (sample,)))
    assert outcome.problem == ""
    assert outcome.intervals[-1].verdict.score == 1.0


def test_rows_of_other_detectors_and_samples_stay(tmp_path: Path) -> None:
    repos, cache, data = tmp_path / "repos", tmp_path / "cache", tmp_path / "data"
    samples = make_samples(repos, ["a"], 3)
    write_world(data, samples)
    day = datetime(2020, 1, 1, tzinfo=UTC).date()
    other = row(
        "presence",
        detector="traced",
        sample=samples[0].sample,
        valid_from=day,
        valid_to=day,
        state="judged",
        score=0.5,
        method="moved",
        reason="elsewhere",
    )
    write_facts(data, "presence", [other])
    record(data, judge(samples[:2], repos, cache))
    record(data, judge(samples[1:], repos, cache))
    rows = read_facts(data, "presence")
    assert [each for each in rows if each["detector"] == "traced"] == [other]
    assert {each["sample"] for each in rows if each["detector"] == "paper"} == {
        each.sample for each in samples
    }
    assert {each["sample"] for each in read_facts(data, "landing")} == {each.sample for each in samples}


def test_a_sample_that_was_not_imported_is_named_and_left_out(tmp_path: Path) -> None:
    repos, cache, data = tmp_path / "repos", tmp_path / "cache", tmp_path / "data"
    samples = make_samples(repos, ["a"], 2)
    write_world(data, samples[:1])
    (problem,) = record(data, judge(samples, repos, cache))
    assert "owner__a-2" in problem
    assert "import samples" in problem
    assert {each["sample"] for each in read_facts(data, "presence")} == {"owner__a-1"}


def test_an_unknown_detector_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BenchCheckerError, match="no detector is called 'none': use one of paper"):
        label([], "none", Repositories(tmp_path, {}, tmp_path), 1, lambda done, total: None)


def test_the_command_writes_facts_and_their_provenance(tmp_path: Path) -> None:
    repos, data = tmp_path / "repos", tmp_path / "data"
    samples = make_samples(repos, ["a"], 2)
    write_world(data, samples)
    data_set = write_data_set(tmp_path / "samples.jsonl", samples)
    options = ["--samples", f"small={data_set}", "--repos", str(repos), "--cache", str(tmp_path / "cache")]
    command = ["label", *options, "--data", str(data), "--processes", "1", "--detector", "paper"]
    result = CliRunner().invoke(build_app(), command)
    assert result.exit_code == 0, result.output
    assert "2 samples judged" in result.output
    runs = (data / "run.jsonl").read_text()
    assert json.loads(runs)["command"] == "label --detector paper"
    assert {each["sample"] for each in read_facts(data, "presence")} == {each.sample for each in samples}
    assert CliRunner().invoke(build_app(), command).exit_code == 0
    assert (data / "run.jsonl").read_text() == runs  # nothing written, nothing to record
