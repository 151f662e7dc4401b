"""Real git repositories, written with `git fast-import` so that every date and parent is chosen."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

File = bytes | tuple[str, str]
"""Content of a regular file, or (mode, object id or link target) of another kind."""


@dataclass
class Scratch:
    """A bare repository under construction."""

    path: Path
    names: dict[str, str] = field(default_factory=dict)

    def git(self, *arguments: str, text: bytes = b"", check: bool = True) -> str:
        done = subprocess.run(
            ["git", f"--git-dir={self.path}", *arguments], input=text, capture_output=True, check=check
        )
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def commit(
        self,
        name: str,
        day: str,
        files: Mapping[str, File | None],
        *,
        parents: Sequence[str] = (),
        branch: str = "main",
    ) -> str:
        """Add a commit; `files` are set, or removed where None. Returns its id."""
        sources = [self.names[parent] for parent in parents]
        self._import(_commit(name, day, files, sources, branch))
        self.names[name] = self.git("rev-parse", f"refs/heads/{branch}")
        return self.names[name]

    def chain(self, *commits: tuple[str, Mapping[str, File | None]]) -> None:
        """Make main a chain of commits c0, c1, …, each the parent of the next, from a day and its files."""
        # Without a parent of its own, fast-import puts a commit on the branch as it stands in the stream.
        stream = [_commit(f"c{number}", *commit, [], "main") for number, commit in enumerate(commits)]
        self._import(b"".join(stream))
        shas = self.git("rev-list", "--reverse", "--first-parent", "main").split()
        self.names |= {f"c{number}": sha for number, sha in enumerate(shas)}

    def _import(self, commits: bytes) -> None:
        self.git("fast-import", "--quiet", "--force", text=b"feature done\n" + commits + b"done\n")

    def blob(self, commit: str, path: str) -> str:
        return self.git("rev-parse", f"{self.names[commit]}:{path}")

    def lose(self, blob: str) -> None:
        """Take one object out of the store, as partial mirrors do."""
        self._loose(blob).unlink()

    def damage(self, blob: str) -> None:
        """Cut one object off after its header."""
        file = self._loose(blob)
        content = file.read_bytes()
        file.chmod(0o600)
        file.write_bytes(content[: len(content) // 2])

    def _loose(self, blob: str) -> Path:
        """Return the file that holds one object; every object gets a file of its own."""
        packs = list((self.path / "objects" / "pack").glob("*.pack"))
        contents = [pack.read_bytes() for pack in packs]
        for pack in packs:
            pack.unlink()
            pack.with_suffix(".idx").unlink()
        for content in contents:
            self.git("unpack-objects", "-q", text=content)
        return self.path / "objects" / blob[:2] / blob[2:]


def _commit(
    name: str, day: str, files: Mapping[str, File | None], parents: Sequence[str], branch: str
) -> bytes:
    seconds = int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp())
    lines = [b"commit refs/heads/%s\n" % branch.encode()]
    lines.append(b"committer T <t@example.org> %d +0000\ndata %d\n%s\n" % (seconds, len(name), name.encode()))
    keywords = ["from", *["merge"] * len(parents)]
    lines += [f"{keyword} {parent}\n".encode() for keyword, parent in zip(keywords, parents, strict=False)]
    lines += [_instruction(path, content) for path, content in files.items()]
    return b"".join(lines)


def _instruction(path: str, content: File | None) -> bytes:
    quoted = b'"%s"' % b"".join(b"\\%03o" % byte for byte in path.encode("utf-8", "surrogateescape"))
    match content:
        case None:
            return b"D %s\n" % quoted
        case bytes():
            return b"M 100644 inline %s\ndata %d\n%s\n" % (quoted, len(content), content)
        case ("160000", identifier):
            return b"M 160000 %s %s\n" % (identifier.encode(), quoted)
        case (mode, target):
            return b"M %s inline %s\ndata %d\n%s\n" % (mode.encode(), quoted, len(target), target.encode())


def new_scratch(path: Path) -> Scratch:
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(path)], check=True)
    return Scratch(path)


def text(*lines: str) -> bytes:
    """Return a file long enough for git to see a rename when one line changes."""
    return "\n".join([f"line {number}" for number in range(20)] + list(lines)).encode() + b"\n"
