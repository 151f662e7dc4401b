"""Where the code of a block went when its function is gone."""

from __future__ import annotations

import textwrap

import pytest

from engine.patches.blocks import Block, blocks_of
from engine.patches.diff import parse_diff
from engine.patches.syntax import SourceFile, parse_source
from engine.presence.localisation import Localiser
from engine.presence.verification.diffs import file_diff

BUGGY = """
    class Shape:
        def area(self, unit):
            total = self.width * self.height
            return total

        def name(self):
            return "shape"
    """
FIXED = BUGGY.replace(
    "            return total\n",
    "            if unit is None:\n"
    "                unit = self.default_unit()\n"
    "            return convert(total, unit)\n",
)


def block_of(old: str, new: str, path: str = "shape.py") -> Block:
    old, new = textwrap.dedent(old), textwrap.dedent(new)
    (block,) = blocks_of(parse_diff(file_diff(path, old, path, new)), lambda _: old.encode())
    return block


def source_of(text: str, path: str = "shape.py") -> SourceFile:
    source = parse_source(textwrap.dedent(text).encode(), path)
    assert source is not None
    return source


def test_a_renamed_function_is_found_with_its_rows() -> None:
    text = FIXED.replace("area", "surface").replace("Shape", "Figure")
    place = Localiser(block_of(BUGGY, FIXED)).locate(source_of(text))
    assert place is not None
    assert place.scope.name == "Figure.surface"
    assert place.coverage == 1.0
    assert (place.start, place.end) == (5, 7)


def test_code_moved_into_another_function_is_found() -> None:
    text = BUGGY.replace("            return total\n", "            return self.in_unit(total, unit)\n") + (
        "\n    def in_unit(self, total, unit):\n"
        "        if unit is None:\n"
        "            unit = self.default_unit()\n"
        "        return convert(total, unit)\n"
    ).replace("\n    ", "\n        ")
    place = Localiser(block_of(BUGGY, FIXED)).locate(source_of(text))
    assert place is not None
    assert place.scope.name == "Shape.in_unit"


def test_the_function_with_most_of_the_block_wins() -> None:
    other = """
        def other(self, unit):
            unit = self.default_unit()
            return convert(unit)
        """
    text = textwrap.dedent(other) + textwrap.dedent(FIXED).replace("area", "surface")
    place = Localiser(block_of(BUGGY, FIXED)).locate(source_of(text))
    assert place is not None
    assert place.scope.simple_name == "surface"


@pytest.mark.parametrize(
    "text",
    [
        BUGGY,
        "",
        "def convert(): pass",
        # All the names, none of the code.
        "def f():\n    return [unit, self, default_unit, convert, total]\n",
    ],
)
def test_where_the_block_is_not_nothing_is_found(text: str) -> None:
    assert Localiser(block_of(BUGGY, FIXED)).locate(source_of(text)) is None


def test_the_same_function_further_down_has_its_own_rows() -> None:
    localiser = Localiser(block_of(BUGGY, FIXED))
    text = textwrap.dedent(FIXED).replace("area", "surface")
    before = localiser.locate(source_of(text))
    after = localiser.locate(source_of("import one\nimport two\n" + text))
    assert before is not None
    assert after is not None
    assert (after.start, after.end) == (before.start + 2, before.end + 2)


def test_java_methods_are_found_too() -> None:
    old = "class A {\n    int area(Unit unit) {\n        return width * height;\n    }\n}\n"
    new = old.replace("return width", "unit.check(width);\n        return width")
    text = new.replace("area", "surface").replace("class A", "class B")
    place = Localiser(block_of(old, new, "A.java")).locate(source_of(text, "A.java"))
    assert place is not None
    assert place.scope.name == "B.surface"
    assert (place.start, place.end) == (3, 3)


def test_only_scopes_of_the_same_kind_are_candidates() -> None:
    old, new = "class A:\n    size = 1\n", "class A:\n    size = compute(1)\n"
    localiser = Localiser(block_of(old, new))
    assert localiser.locate(source_of("def f():\n    size = compute(1)\n")) is None
    place = localiser.locate(source_of("class B:\n    size = compute(1)\n"))
    assert place is not None
    assert place.scope.name == "B"
