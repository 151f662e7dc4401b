"""Writes unified diffs that `git apply` reads, whatever the files hold."""

from __future__ import annotations

from difflib import unified_diff

_NO_NEWLINE = "\n\\ No newline at end of file\n"


def file_diff(old_path: str | None, old: str, new_path: str | None, new: str) -> str:
    """Return the diff of one file.

    Args:
        old_path: Path before, None for a new file.
        old: Text before.
        new_path: Path after, None for a file that goes away.
        new: Text after.

    Returns:
        A unified diff; empty when nothing changes. A renamed file goes away and comes anew.
    """
    if old_path is not None and new_path is not None and old_path != new_path:
        return file_diff(old_path, old, None, "") + file_diff(None, "", new_path, new)
    path = new_path if new_path is not None else old_path
    if old == new or path is None:
        return ""
    header = f"diff --git {_quoted('a/' + path)} {_quoted('b/' + path)}\n"
    if old_path is None:
        header += "new file mode 100644\n"
    elif new_path is None:
        header += "deleted file mode 100644\n"
    names = (
        "/dev/null" if old_path is None else _quoted("a/" + path),
        "/dev/null" if new_path is None else _quoted("b/" + path),
    )
    lines = unified_diff(_lines(old), _lines(new), *names)
    return header + "".join(line if line.endswith("\n") else line + _NO_NEWLINE for line in lines)


def _lines(text: str) -> list[str]:
    """Split at line feeds alone: other line ends belong to the line."""
    parts = text.split("\n")
    return [part + "\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _quoted(path: str) -> str:
    """Return a path as git writes it: quoted as a C string where it holds unusual bytes."""
    raw = path.encode("utf-8", "surrogateescape")
    if all(0x20 < byte < 0x7F and byte not in b'"\\' for byte in raw):
        return path
    plain = (chr(byte) if 0x20 <= byte < 0x7F and byte not in b'"\\' else f"\\{byte:03o}" for byte in raw)
    return f'"{"".join(plain)}"'
