from __future__ import annotations

from pathlib import Path

import pytest
from traced_world import judge

from engine.presence.verdicts import Method

PADDING = "\n".join(f"def unrelated_{number}(value):\n    return value + {number}\n" for number in range(6))
BASE = f"""import os

{PADDING}

class Reader:
    def load(self, source, limit):
        header = self.read_header(source)
        rows = []
        for line in source.body_lines():
            rows.append(self.parse_line(line))
        self.close_stream(source)
        return header, rows
"""
FIXED = BASE.replace(
    "            rows.append(self.parse_line(line))\n",
    "            if line.is_comment() or len(rows) >= limit:\n"
    "                self.skipped_lines += 1\n"
    "                continue\n"
    "            rows.append(self.parse_line(line))\n",
)
PRESENT = 0.6


def last(folder: Path, *states: str | None) -> tuple[float, Method]:
    """Score and method of the fix in the last of some states of one file."""
    verdict = judge(folder, {"m.py": BASE}, {"m.py": FIXED}, *({"m.py": state} for state in states))[-1]
    return verdict.score, verdict.method


def test_the_base_is_absent_and_the_landed_commit_is_present(tmp_path: Path) -> None:
    base, landed = judge(tmp_path, {"m.py": BASE}, {"m.py": FIXED})
    assert (base.score, base.method) == (0.0, Method.REVERTED)
    assert (landed.score, landed.method) == (1.0, Method.VERBATIM)


def test_verbatim_while_other_code_changes(tmp_path: Path) -> None:
    changed = FIXED.replace("return header, rows", "return header, tuple(rows), source.name")
    assert last(tmp_path, changed) == (1.0, Method.VERBATIM)


def test_formatting_hints_and_comments_are_no_change(tmp_path: Path) -> None:
    formatted = FIXED.replace(
        "line.is_comment() or len(rows) >= limit:",
        "(\n                line.is_comment()  # why\n                or len(rows) >= limit\n            ):",
    ).replace("source, limit)", "source: Source, limit: int = 0)")
    score, method = last(tmp_path, formatted)
    assert score > 0.9
    assert method in (Method.VERBATIM, Method.REFACTORED)


def test_a_renamed_function(tmp_path: Path) -> None:
    assert last(tmp_path, FIXED.replace("def load(", "def read_all(")) == (1.0, Method.RENAMED)


def test_refactored_with_its_meaning_kept(tmp_path: Path) -> None:
    refactored = FIXED.replace(
        "            if line.is_comment() or len(rows) >= limit:\n"
        "                self.skipped_lines += 1\n"
        "                continue\n",
        "            full = len(rows) >= limit\n"
        "            if full or line.is_comment():\n"
        "                self.skipped_lines = self.skipped_lines + 1\n"
        "                continue\n",
    )
    score, method = last(tmp_path, refactored)
    assert score >= PRESENT
    assert method is Method.REFACTORED


def test_moved_to_another_file_with_from_and_to(tmp_path: Path) -> None:
    start = FIXED.index("class Reader")
    landed, moved = judge(
        tmp_path,
        {"m.py": BASE},
        {"m.py": FIXED},
        {"m.py": FIXED[:start], "pkg/readers.py": FIXED[start:]},
    )[1:]
    assert landed.score == 1.0
    assert moved.score >= 0.9
    assert moved.method is Method.MOVED
    assert "from Reader.load to Reader.load in pkg/readers.py" in moved.reason
    assert moved.blocks[0].watched == ("m.py", "pkg/readers.py")


def test_a_small_fix_without_rare_words_follows_its_class_to_another_file(tmp_path: Path) -> None:
    base = f"{PADDING}\n\nclass Reader:\n    def load_body(self, name):\n        return self.lookup(name)\n"
    fixed = base.replace(
        "        return", "        if not name:\n            raise ValueError(name)\n        return"
    )
    start = fixed.index("class Reader")
    *_, moved = judge(
        tmp_path, {"m.py": base}, {"m.py": fixed}, {"m.py": fixed[:start], "other.py": fixed[start:]}
    )
    assert moved.score >= 0.9
    assert moved.blocks[0].path == "other.py"


def test_a_stub_left_behind_does_not_hide_where_the_function_went(tmp_path: Path) -> None:
    start = FIXED.index("class Reader")
    stub = (
        "from pkg import readers\n\n\nclass Reader(readers.Reader):\n"
        "    def load(self, source, limit):\n        return super().load(source, limit)\n"
    )
    *_, moved = judge(
        tmp_path,
        {"m.py": BASE},
        {"m.py": FIXED},
        {"m.py": FIXED[:start] + stub, "pkg/readers.py": FIXED[start:]},
    )
    assert moved.score >= 0.9
    assert moved.method is Method.MOVED


def test_a_helper_extracted_at_the_place(tmp_path: Path) -> None:
    extracted = FIXED.replace(
        "            if line.is_comment() or len(rows) >= limit:\n"
        "                self.skipped_lines += 1\n"
        "                continue\n",
        "            if self.must_skip(line, rows, limit):\n                continue\n",
    )
    extracted += (
        "\n    def must_skip(self, line, rows, limit):\n"
        "        if line.is_comment() or len(rows) >= limit:\n"
        "            self.skipped_lines += 1\n"
        "            return True\n"
        "        return False\n"
    )
    assert last(tmp_path, extracted)[0] >= PRESENT


def test_reverted(tmp_path: Path) -> None:
    assert last(tmp_path, BASE) == (0.0, Method.REVERTED)
    later = BASE.replace("header = self.read_header(source)", "header = self.read_header(source, limit)")
    (tmp_path / "again").mkdir()
    assert last(tmp_path / "again", FIXED, later)[0] < 0.3


def test_replaced_by_another_approach_or_removed(tmp_path: Path) -> None:
    start = FIXED.index("        header =")
    replaced = FIXED[:start] + "        return self.backend.scan(source, quota=limit).as_pair()\n"
    score, method = last(tmp_path, replaced)
    assert score < PRESENT
    assert method in (Method.REPLACED, Method.REMOVED)


def test_a_function_or_file_that_is_gone(tmp_path: Path) -> None:
    gone = FIXED[: FIXED.index("class Reader")]
    landed, scope_gone, file_gone = judge(
        tmp_path,
        {"m.py": BASE, "z.py": "z = 1\n"},
        {"m.py": FIXED},
        {"m.py": gone},
        {"m.py": None},
    )[1:]
    assert landed.score == 1.0
    assert (scope_gone.method, file_gone.method) == (Method.SCOPE_GONE, Method.FILE_GONE)
    assert scope_gone.score < 0.3
    assert file_gone.score < 0.3


def test_the_same_words_elsewhere_are_no_fix_while_its_neighbours_stayed(tmp_path: Path) -> None:
    other = FIXED.replace("class Reader", "class Other").replace("def load", "def count")
    start = other.index("class Other")
    base, fixed = BASE + "\n\n", FIXED + "\n\n"
    reverted = base + other[start:].replace("rows.append(self.parse_line(line))", "self.seen(line, rows)")
    *_, stayed = judge(tmp_path, {"m.py": base}, {"m.py": fixed}, {"m.py": reverted})
    assert stayed.score < 0.75
    assert stayed.score < judge_moved(tmp_path / "moved", base, fixed, reverted)


def judge_moved(folder: Path, base: str, fixed: str, reverted: str) -> float:
    folder.mkdir()
    start, end = reverted.index("class Reader"), reverted.index("class Other")
    *_, moved = judge(folder, {"m.py": base}, {"m.py": fixed}, {"m.py": reverted[:start] + reverted[end:]})
    return moved.score


def test_a_fix_that_only_takes_is_present_until_its_code_is_back(tmp_path: Path) -> None:
    deleted = BASE.replace("        self.close_stream(source)\n", "")
    landed, other, back = judge(
        tmp_path,
        {"m.py": BASE},
        {"m.py": deleted},
        {"m.py": deleted.replace("rows = []", "rows = list()")},
        {"m.py": BASE.replace("rows = []", "rows = list()")},
    )[1:]
    assert landed.score == 1.0
    assert (other.score, other.method) == (1.0, Method.DELETION)
    assert back.score < 0.3
    assert back.method is Method.REVERTED


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("end + idx", "end + idx + 1"),
        ("count < limit", "count <= limit"),
        ('"qop=auth, nc=%s" % count', "'qop=\"auth\", nc=%s' % count"),
        ("max(powers)", "sum(powers)"),
        ('re.compile("(-|a+)")', 're.compile("(?<=.)(-|a+)(?=.)")'),
        ("value is None", "value is not None"),
    ],
)
def test_one_small_change_decides(tmp_path: Path, old: str, new: str) -> None:
    def state(expression: str, rest: str) -> dict[str, str]:
        body = (
            f"def work(source):\n    first = source.first()\n"
            f"    result = use({expression})\n    return {rest}\n"
        )
        return {"m.py": f"{PADDING}\n{body}"}

    base, landed, kept, lost = judge(
        tmp_path,
        state(old, "result"),
        state(new, "result"),
        state(new, "source.finish(result)"),
        state(old, "source.finish(result, first)"),
    )
    assert (base.score, landed.score) == (0.0, 1.0)
    assert kept.score > 0.9
    assert lost.score < 0.3


def test_a_mark_in_a_string_survives_its_conversion_to_an_f_string(tmp_path: Path) -> None:
    def state(line: str) -> dict[str, str]:
        return {"m.py": f"{PADDING}\ndef build(base, count, nonce):\n    base += {line}\n    return base\n"}

    *_, converted, lost = judge(
        tmp_path,
        state("', qop=auth, nc=%s, cnonce=\"%s\"' % (count, nonce)"),
        state('\', qop="auth", nc=%s, cnonce="%s"\' % (count, nonce)'),
        state('f\', qop="auth", nc={count}, cnonce="{nonce}"\''),
        state("f', qop=auth, nc={count}, cnonce=\"{nonce}\"'"),
    )
    assert converted.score >= PRESENT
    assert lost.score < 0.3


def test_words_that_the_function_lost_elsewhere_do_not_count_against_a_line_that_stayed(
    tmp_path: Path,
) -> None:
    rest = "    elif isinstance(operation, Rename):\n        return [Alter(a), Alter(b), Alter(c)]\n"
    head = "def reduce(operation):\n    if isinstance(operation, Remove):\n        return [operation]\n"
    base = f"{PADDING}\n{head}{rest}"
    fixed = base.replace("operation, Remove)", "operation, (Alter, Remove))")
    later = fixed.replace("[Alter(a), Alter(b), Alter(c)]", "[operation, replace(operation)]")
    *_, kept = judge(tmp_path, {"m.py": base}, {"m.py": fixed}, {"m.py": later})
    assert kept.score > 0.9


def test_a_line_that_is_again_what_it_was_weighs_more_than_one_that_stayed(tmp_path: Path) -> None:
    base = """class Plugin {
  Optional<Node> configuration(Execution execution) {
    Node configuration = execution.configuration();
    boolean skip = Boolean.valueOf(child(configuration, "skip").orElse("false"));
    return skip ? Optional.empty() : Optional.of(configuration);
  }
}
"""
    fixed = base.replace("valueOf", "parseBoolean").replace(
        "Optional.of(configuration)", "Optional.ofNullable(configuration)"
    )
    half = fixed.replace("ofNullable", "of").replace(
        "    boolean",
        "    if (configuration == null) {\n      return Optional.of(blank());\n    }\n    boolean",
    )
    base_verdict, landed, later = judge(tmp_path, {"P.java": base}, {"P.java": fixed}, {"P.java": half})
    assert (base_verdict.score, landed.score) == (0.0, 1.0)
    assert later.score < PRESENT


def test_java_follows_a_method_to_another_class(tmp_path: Path) -> None:
    base = """class Buffer {
  int[] data;

  int[] contents(int start, int length) {
    if (shared) {
      return copyOf(start, length);
    }
    return currentSegment(length);
  }
}
"""
    fixed = base.replace(
        "    if (shared) {\n", "    if (shared && inputStart >= 0) {\n      touchInput(start);\n"
    )
    method = fixed[fixed.index("  int[] contents") : fixed.rindex("}")]
    base_verdict, landed, moved, reverted = judge(
        tmp_path,
        {"Buffer.java": base},
        {"Buffer.java": fixed},
        {
            "Buffer.java": fixed.replace(method, "  int other() {\n    return 1;\n  }\n"),
            "Segments.java": "class Segments {\n"
            + method.replace("  int[] c", "  static int[] c", 1)
            + "}\n",
        },
        {"Buffer.java": base, "Segments.java": None},
    )
    assert (base_verdict.score, landed.score) == (0.0, 1.0)
    assert moved.score >= PRESENT
    assert moved.method is Method.MOVED
    assert "Segments.java" in moved.reason
    assert reverted.score == 0.0


def test_only_order_or_nesting(tmp_path: Path) -> None:
    base = "def run(job):\n    job.start()\n    job.register()\n    job.report()\n    return job.result()\n"
    fixed = "def run(job):\n    job.register()\n    job.start()\n    job.report()\n    return job.result()\n"
    base_verdict, landed, kept, lost = judge(
        tmp_path,
        {"m.py": base},
        {"m.py": fixed},
        {"m.py": fixed.replace("job.report()", "job.report(1)")},
        {"m.py": base.replace("job.report()", "job.report(1)")},
    )
    assert (base_verdict.score, landed.score) == (0.0, 1.0)
    assert kept.score > PRESENT > lost.score


def test_a_file_as_it_was_before_has_no_part_of_a_fix_that_only_extracts_most_of_its_code(
    tmp_path: Path,
) -> None:
    body = "".join(f"        depth = depth + self.tree_{n}.measure(points, {n})\n" for n in range(8))
    before = (
        "class Forest:\n    def fit(self, points):\n        self.offset = self.score(points)\n\n"
        f"    def score(self, points):\n        points = self.validate(points)\n        depth = 0\n{body}"
        "        return depth\n"
    )
    after = before.replace("self.offset = self.score(points)", "self.offset = self._score(points)").replace(
        "        points = self.validate(points)\n        depth = 0\n",
        "        return self._score(self.validate(points))\n\n"
        "    def _score(self, points):\n        depth = 0\n",
    )
    base, landed, back = judge(tmp_path, {"f.py": before}, {"f.py": after}, {"f.py": before})
    assert (base.score, landed.score, back.score) == (0.0, 1.0, 0.0)
    assert {block.method for block in base.blocks} == {Method.REVERTED}
