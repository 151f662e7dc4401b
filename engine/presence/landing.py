"""Where on the default branch a fix landed.

Data sets name the base commit of a fix, seldom the commit that brought it: the first first-parent commit
after the base whose files hold the fixed code, every added line as often as in the fixed file and every
dropped line as seldom. A fix that was adapted when it was merged or ported has no such commit; then the
commit counts that brought the tree nearest to the fixed code. Where even that has little of it, the fix was
rewritten on its way; the day on which its pull request was opened then stands for the landing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal

from engine.history.errors import DayAfterHistory, DayBeforeHistory
from engine.history.git_command import is_full_id
from engine.history.repository import RepositoryHistory
from engine.patches.blocks import Block
from engine.patches.syntax import LogicalLine
from engine.presence.snapshot import Snapshot, SourceCache
from engine.problems import BenchCheckerError

State = Literal["exact", "adapted", "estimated"]

MIN_ADAPTED = 0.5
"""Share of the changed lines that must be as the fix left them for an adapted landing."""
MAX_VERSIONS = 400
"""How many versions are looked at: fixes land within weeks of their pull request."""
BACKPORT_LEAD = timedelta(days=90)
"""How long before its pull request a fix can be on the default branch, when the request is a port of it."""


@dataclass(frozen=True, slots=True)
class Landing:
    """How a fix reached the default branch.

    Attributes:
        state: `exact`, `adapted` (the nearest commit), or `estimated` (the day of the pull request).
        position: First-parent position from which the fix can be present.
        commit: That commit.
        landed_at: Its committer date, UTC.
        evidence: How it was found, in words.
    """

    state: State
    position: int
    commit: str
    landed_at: datetime
    evidence: str


class LandingUnknown(BenchCheckerError):
    """The repository does not hold the base commit, or ends before the fix."""


def find_landing(
    blocks: Sequence[Block],
    base_commit: str,
    created_at: datetime | None,
    named_commit: str | None,
    cache: SourceCache,
) -> Landing:
    """Find where a fix landed.

    Args:
        blocks: The blocks of the gold patch.
        base_commit: The commit it was written against.
        created_at: When its pull request was opened, None where the data set does not say.
        named_commit: The landing commit where the data set names it, on the default branch or merged into it.
        cache: Parsed files of the repository.

    Raises:
        LandingUnknown: If the repository does not hold the base commit or no commit follows it.
    """
    history = cache.history
    if named_commit is not None and is_full_id(named_commit):
        position = history.first_parent_entry(named_commit)
        if position is not None:
            return _landing(history, "exact", position, "named by the data set")
    fork = history.fork_position(base_commit) if is_full_id(base_commit) else None
    if fork is None:
        raise LandingUnknown(f"base commit {base_commit[:10]} is not in the repository")
    start = fork if created_at is None else max(fork, _position_at(history, created_at, BACKPORT_LEAD))
    if start > fork and _share(blocks, Snapshot(cache, start)) == 1.0:
        # The request ports a fix that the branch has had for longer.
        start = fork
    best_share, best_position = _share(blocks, Snapshot(cache, start)), None
    for position in _versions(history, blocks, start):
        share = _share(blocks, Snapshot(cache, position))
        if share > best_share:
            best_share, best_position = share, position
        if share == 1.0:
            return _landing(history, "exact", position, "first commit with every line of the fix")
    if best_position is not None and best_share >= MIN_ADAPTED:
        evidence = f"{best_share:.0%} of its lines, the most of any commit"
        return _landing(history, "adapted", best_position, evidence)
    later = (fork if created_at is None else max(fork, _position_at(history, created_at))) + 1
    if later >= len(history.chain):
        raise LandingUnknown("the repository ends before the fix")
    evidence = f"no commit has more than {best_share:.0%} of its lines; the day of the pull request is taken"
    return _landing(history, "estimated", later, evidence)


def _position_at(history: RepositoryHistory, moment: datetime, lead: timedelta = timedelta(0)) -> int:
    """Return the position of the snapshot `lead` before `moment`, or the nearest end of the history."""
    day = date.fromordinal(max(moment.toordinal() - lead.days, 1))
    try:
        return history.chain.snapshot_at(day).position
    except DayBeforeHistory:
        return 0
    except DayAfterHistory:
        return len(history.chain) - 1


def _landing(history: RepositoryHistory, state: State, position: int, evidence: str) -> Landing:
    commit = history.chain[position]
    return Landing(state, position, commit.sha, commit.committed_at, evidence)


def _versions(history: RepositoryHistory, blocks: Sequence[Block], start: int) -> Iterator[int]:
    """Yield the positions after `start` at which a file of the patch changed, under its old or new path."""
    paths = {path for block in blocks for path in (block.path, block.base_path) if path is not None}
    positions = {version.position for path in paths for version in history.file_versions(path, start)[1:]}
    yield from sorted(positions)[:MAX_VERSIONS]


def _share(blocks: Sequence[Block], snapshot: Snapshot) -> float:
    """Return the share of changed lines that are in the snapshot as the fix left them."""
    held = [flag for block in blocks for flag in _held(block, snapshot)]
    return sum(held) / len(held) if held else 0.0


def _held(block: Block, snapshot: Snapshot) -> list[bool]:
    source = snapshot.source(block.path)
    scopes = source.scopes_by_name.get(block.scope, ()) if source else ()
    lines = [line for scope in scopes for line in scope.lines]
    if not block.written and not block.dropped:
        # The fix only moved or indented lines: nothing less than the whole scope tells.
        return [_shape(lines) == _shape(block.fixed)]
    counts, fixed = Counter(line.tokens for line in lines), Counter(line.tokens for line in block.fixed)
    added = {line.tokens for line in block.written}
    dropped = {line.tokens for line in block.dropped}
    held = [counts[tokens] >= fixed[tokens] for tokens in added]
    return held + [counts[tokens] <= fixed[tokens] for tokens in dropped]


def _shape(lines: Sequence[LogicalLine]) -> list[tuple[int, str]]:
    return [(line.depth, line.text) for line in lines]
