"""What every presence detector offers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from engine.patches.blocks import Block
from engine.presence.snapshot import Snapshot
from engine.presence.verdicts import BlockVerdict


class Detector(Protocol):
    """Judges whether a block is in a snapshot.

    Attributes:
        key: Name under which verdicts are stored.
        version: Raised whenever verdicts can change, so that stored ones are made anew.
    """

    key: str
    version: int

    def select(self, blocks: Sequence[Block]) -> tuple[Block, ...]:
        """Return the blocks of a patch that its presence rests on; at least one of those given."""
        ...

    def judge(self, block: Block, snapshot: Snapshot, previous: BlockVerdict | None) -> BlockVerdict:
        """Judge one block.

        Args:
            block: A block of the gold patch.
            snapshot: Where to look.
            previous: The verdict at the last snapshot judged before this one, None at the first.
        """
        ...

    def judge_alone(self, block: Block, snapshot: Snapshot) -> BlockVerdict | None:
        """Judge one block where its verdict does not depend on those before; None where it does."""
        ...
