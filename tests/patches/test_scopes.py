from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from source_lines import lines_by_scope, parse

from engine.patches.encoding import as_utf8
from engine.patches.syntax import MAX_SOURCE_BYTES, Language, SourceFile, language_of, parse_source

SOURCE = '''"""Module."""
import os

@register
@other(1)
class Outer(Base):
    """Class."""
    limit = 3

    class Inner:
        def method(self):
            def local(x):
                return x
            class Local:
                def deep(self):
                    return 1
            return local(Local())

    @property
    @cached
    def value(self):
        return self._value

    @value.setter
    def value(self, new):
        self._value = new

    if os.name == "nt":
        def system(self):
            return "nt"
    else:
        async def system(self):
            return "other"

try:
    from fast import speed
except ImportError:
    def speed():
        return 0

for name in names:
    with lock:
        def late(): return name

tail = 1
'''


def test_scopes_of_python() -> None:
    scopes = parse(SOURCE).scopes
    assert [(scope.name, scope.kind, scope.start, scope.end) for scope in scopes] == [
        ("", "module", 1, 46),
        ("Outer", "class", 6, 33),
        ("Outer.Inner", "class", 10, 17),
        ("Outer.Inner.method", "function", 11, 17),
        ("Outer.value", "function", 19, 22),
        ("Outer.value", "function", 24, 26),
        ("Outer.system", "function", 29, 30),
        ("Outer.system", "function", 32, 33),
        ("speed", "function", 38, 39),
        ("late", "function", 43, 43),
    ]


def test_each_line_belongs_to_one_scope() -> None:
    lines = {(name, number): lines for number, (name, _, lines) in enumerate(lines_by_scope(SOURCE))}
    assert [text for text, _ in lines["", 0]] == [
        "import os",
        "@ register",
        "@ other ( 1 )",
        "try",
        "from fast import speed",
        "except ImportError",
        "for name in names",
        "with lock",
        "tail = 1",
    ]
    assert [text for text, _ in lines["Outer", 1]] == [
        "class Outer ( Base )",
        "limit = 3",
        'if os . name == "nt"',
    ]
    assert [text for text, _ in lines["Outer.value", 4]] == [
        "@ property",
        "@ cached",
        "def value ( self )",
        "return self . _value",
    ]


def test_functions_within_a_function_are_part_of_it() -> None:
    (scope,) = parse(SOURCE).scopes_by_name["Outer.Inner.method"]
    assert [line.text for line in scope.lines] == [
        "def method ( self )",
        "def local ( x )",
        "return x",
        "class Local",
        "def deep ( self )",
        "return 1",
        "return local ( Local ( ) )",
    ]


def test_codes_are_equal_where_lines_are() -> None:
    first, second = parse("def f():\n    return (1)\n").scopes[1], parse("def g():\n  return 1\n").scopes[1]
    assert first.codes[1] == second.codes[1]
    assert first.codes[0] != second.codes[0]
    assert first.codes == first.codes == parse("def f():\n    return (1)\n").scopes[1].codes


def test_the_language_is_that_of_the_suffix() -> None:
    assert [language_of(path) for path in ("a.py", "b/C.JAVA", "x.pyx", "Makefile", "a.py.txt", "py")] == [
        Language.PYTHON,
        Language.JAVA,
        Language.PYTHON,
        None,
        None,
        None,
    ]
    assert parse_source(b"x = 1", "notes.md") is None
    assert parse_source(b"#" * (MAX_SOURCE_BYTES + 1), "big.py") is None


WORDS = """def class if else elif try except finally with for while match case return lambda async await @
( ) [ ] { } : , ; = -> == f' f" ''' ' " \\ # // /* */ * ** . ... 0x 1. .5 import from print exec enum record
switch new interface static :: <> > < é"""
PIECES = [*WORDS.split(), '"' * 3, "\n", "\n\n", "\n  ", "\n\t", "\r\n", "\x00", "\ufeff"]
CODE = st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=60).map(" ".join).map(str.encode)


def read_everything(raw: bytes, language: Language) -> None:
    source = SourceFile(raw, language)
    last = source.text.count(b"\n") + 1
    for scope in source.scopes:
        assert 1 <= scope.start <= scope.end <= last
        assert len(scope.codes) == len(scope.lines)
        for line in scope.lines:
            assert line.tokens
            assert 1 <= line.start <= line.end <= last
            assert line.depth >= 0
            assert isinstance(line.is_import, bool)
            line.text.encode()


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=400) | CODE, st.sampled_from(Language))
@example(b"x = ()\nif (\n", Language.PYTHON)
@example(b"x[", Language.PYTHON)
@example(b"class A { x = (", Language.JAVA)
def test_any_bytes_have_scopes_and_lines(raw: bytes, language: Language) -> None:
    read_everything(raw, language)


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=60))
@example(b"# coding: utf-16\n\xff")
@example(b"# coding: hex\n\xff")
@example(b"# coding: undefined\n\xff")
@example(b"\xef\xbb\xbf# coding: latin-1\n\xff")
def test_any_bytes_become_utf8(raw: bytes) -> None:
    text = as_utf8(raw).decode("utf-8")
    assert as_utf8(text.encode()) == text.encode()


DEEP = 5_000
HOSTILE = {
    "brackets": (
        "x = " + "(" * DEEP + "1" + ")" * DEEP,
        "class A { int x = " + "(" * DEEP + "1" + ")" * DEEP + "; }",
    ),
    "open brackets": ("x = f" + "([{" * DEEP, "class A { int x = f" + "([{" * DEEP),
    "sums in brackets": (
        "x = " + "(" * DEEP + "1" + "+ 1)" * DEEP,
        "class A { int x = " + "(" * DEEP + "1" + "+ 1)" * DEEP + ";}",
    ),
    "blocks": ("if x: " * DEEP + "pass", "class A { void f() { " + "if (x) { " * DEEP + "}" * DEEP + " } }"),
    "classes": (
        "\n".join(" " * depth + "class A:" for depth in range(700)),
        "class A { " * DEEP + "}" * DEEP,
    ),
    "functions": (
        "\n".join(" " * depth + "def f():" for depth in range(700)),
        "class A { X x = " + "() -> { return " * DEEP + "1" + "; }" * DEEP + "; }",
    ),
    "else if": (
        "if a: b\n" + "elif a: b\n" * DEEP,
        "class A { void f() { if (a) b(); " + "else if (a) b(); " * DEEP + "} }",
    ),
    "one line of 1 MB": (
        "x = [" + "'forty characters of a string, and more', " * 25_000 + "]",
        "class A { int x = 1" + " + 1_000_000_000_000_000_000_000_000_000" * 25_000 + "; }",
    ),
    "definitions": ("def a(): 0\n" * DEEP, "class A { " + "int f() { return 0; } " * DEEP + "}"),
    "decorators": ("@a\n" * DEEP + "def f(): pass", "class A { " + "@A " * DEEP + "void f() {} }"),
    "bytes": (
        "".join(chr(33 + number * 7 % 90) for number in range(50_000)),
        "\0\x01\x02 \xff" * 10_000,
    ),
}


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_sources_neither_hang_nor_overflow_the_stack(name: str, language: Language) -> None:
    text = HOSTILE[name][list(Language).index(language)]
    read_everything(text.encode("latin-1"), language)


def test_names_of_absurdly_nested_classes_stay_short() -> None:
    source = parse("class Abcdefghij { " * DEEP + "}" * DEEP, Language.JAVA)
    assert len(source.scopes) == DEEP + 1
    assert max(len(scope.name) for scope in source.scopes) < 3_000
