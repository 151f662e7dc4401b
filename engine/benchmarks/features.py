"""What a sample gives away, as flags and counts taken from its issue and its gold patch (Section 6.3).

The texts stay in the reader's own data set; only what is counted here is kept. Every flag is a rule of a few
lines that a reader can check, not a judgement: the paper's authors read 116 samples by hand instead.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from engine.benchmarks.sample import Sample
from engine.patches.diff import FilePatch, Patch, parse_diff
from engine.store.facts import Fact

_FENCED = re.compile(r"```[^\n]*\n(.*?)(?:```|\Z)|\{code[^}]*\}(.*?)\{code\}|<pre>(.*?)</pre>", re.DOTALL)
_INDENTED = re.compile(r"^(?: {4}|\t)(.*\S.*)$", re.MULTILINE)
_PROMPT = re.compile(r"^\s*(?:>>>|In ?\[\d*\]:)\s*\S", re.MULTILINE)
_STACK = re.compile(
    r"Traceback \(most recent call last\)|^\s*File \"[^\"\n]+\", line \d+"
    r"|^\s*at [\w.$<>]+\((?:[\w$]+\.java:\d+|Native Method|Unknown Source)\)",
    re.MULTILINE,
)
_FRAME = re.compile(r"^\s*(?:File \"|at [\w.$<>]+\(|Traceback|\.\.\. \d+ more|[\w.]*(?:Error|Exception)\b:)")
_PATCH_LINE = re.compile(r"^(?:[+-]|@@ |diff --git|index [0-9a-f]{7})")
_RUNS = re.compile(r"\w\s*\(|[\w\])]\s*=(?!=)\s*\S|^\s*(?:import|from)\s+\w|;\s*$")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,}")
_CODE_SHAPED = re.compile(r"[A-Za-z0-9]_[A-Za-z0-9]|[a-z0-9][A-Z]")
_COMMENT = re.compile(r"#.*|//.*|^\s*\*.*")


def sample_features(sample: Sample) -> Fact | None:
    """Return the row of the table `sample_feature`, None where the data set lacks the issue or the patch.

    Raises:
        PatchError: If the gold patch cannot be read.
    """
    issue = sample.problem_statement
    if issue is None or not issue.strip() or sample.patch is None:
        return None
    issue, patch = issue.replace("\r\n", "\n"), parse_diff(sample.patch)
    brought = new_identifiers(patch)
    return {
        "sample": sample.sample,
        "issue_words": len(issue.split()),
        "reproducing_example": has_reproducing_example(issue),
        "traceback": _STACK.search(issue) is not None,
        "names_file": any(_names(issue, file) for file in patch.files),
        "new_identifiers": len(brought),
        "hinted_identifiers": sum(_is_hinted(name, issue) for name in brought),
    }


def has_reproducing_example(issue: str) -> bool:
    """Return whether an issue shows code that runs: a prompt, or a code block with a call or an assignment.

    Frames of a stack and lines of a patch are no example.
    """
    if _PROMPT.search(issue):
        return True
    blocks = ["".join(part or "" for part in found.groups()) for found in _FENCED.finditer(issue)]
    lines = [line for block in blocks for line in block.splitlines()]
    # Within a fence the indentation says nothing new; outside it marks code.
    lines += _INDENTED.findall(_FENCED.sub("", issue))
    return any(_RUNS.search(line) for line in _own_code(lines))


def _own_code(lines: Iterable[str]) -> Iterable[str]:
    in_stack = False
    for line in lines:
        if _FRAME.search(line):
            in_stack = True
        elif in_stack and line.startswith((" ", "\t")):
            continue
        else:
            in_stack = False
            if not _PATCH_LINE.search(line):
                yield line


def new_identifiers(patch: Patch) -> frozenset[str]:
    """Return the identifiers that a patch adds and that its removed and unchanged lines do not have."""
    added: set[str] = set()
    known: set[str] = set()
    for file in patch.files:
        for hunk in file.hunks:
            for sign, text in hunk.lines:
                names = _IDENTIFIER.findall(_COMMENT.sub("", text))
                (added if sign == "+" else known).update(names)
    return frozenset(added - known).difference(keyword.kwlist)


def _is_hinted(name: str, issue: str) -> bool:
    """Whether an issue names an identifier; a plain word only where it is called or an attribute."""
    word = re.escape(name)
    if _CODE_SHAPED.search(name):
        return re.search(rf"(?<!\w){word}(?!\w)", issue) is not None
    return re.search(rf"(?<!\w){word}\(|(?<=\w)\.{word}(?!\w)", issue) is not None


def _names(issue: str, file: FilePatch) -> bool:
    path = PurePosixPath(file.path)
    module = ".".join(path.with_suffix("").parts)
    asked = [re.escape(path.name), re.escape(module)]
    # A Java file bears the name of its class.
    if path.suffix == ".java":
        asked.append(re.escape(path.stem))
    return re.search(rf"(?<![\w.-])(?:[\w./-]+/)?(?:{'|'.join(asked)})(?!\w)", issue) is not None
