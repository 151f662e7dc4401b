"""Rewritten Python: it changes, still parses, and does what it did."""

from __future__ import annotations

import ast
import importlib
import sys
from pathlib import Path

import pytest

from engine.evaluation.rewrites import (
    python_format,
    python_moves,
    python_names,
    python_statements,
    python_strings,
)
from engine.evaluation.rewrites.edits import Span

EVERYWHERE = (Span(1, 10_000),)

IN_PLACE = {
    function.__name__: function
    for function in (
        python_names.rename_locals,
        python_names.add_type_hints,
        python_format.reformat,
        python_format.add_comments,
        python_format.remove_comments,
        python_format.toggle_docstrings,
        python_strings.to_fstrings,
        python_strings.from_fstrings,
        python_statements.reorder_statements,
        python_statements.reorder_functions,
        python_statements.introduce_variables,
        python_statements.inline_variables,
        python_statements.invert_conditions,
        python_statements.guard_clauses,
        python_moves.extract_function,
    )
}

PROGRAM = '''\
"""Small functions with everything that a rewrite could trip over."""

import functools

LIMIT = 3
LOG = []


def classify(values, *, limit=LIMIT, **options):
    # Sort by sign.
    small, large = [], []
    seen = 0
    total = 0  # of all
    for value in values:
        if value < limit:
            small.append(value)
        else:
            # too large
            large.append(value)
            seen += 1
        total += value
    text = "%s of %r" % (len(small), large)
    report = "{}: {name}".format(total, name=options.get("name"))
    return text, report, seen


def nested(count):
    base = 10

    def add(base_, other=base):
        inner = base + other
        return inner + base_

    squares = [base * base for base in range(count)]
    return [add(square) for square in squares], base


def first_line(text, default=None):
    """Return the first line."""
    if text is None:
        result = default
    else:
        result = (
            text
            .splitlines()[0]
        )
    return result


def remember(item):
    global LOG
    if item not in LOG:
        LOG = LOG + [item]
        if item is not None:
            LOG = LOG + [f"{item!r:>6}|{item}"]


def decide(a, b):
    if a:
        if b: return "both"
        value = "only a"
    elif b:
        value = "only b"
    else:
        value = "none"
    return value


@functools.lru_cache(maxsize=None)
def fibonacci(n):
    if not n > 1:
        answer = n
    else:
        answer = fibonacci(n - 1) + fibonacci(n - 2)
    return answer


def countdown(n):
    while n:
        yield n
        n -= 1


def safely(function, *arguments):
    try:
        outcome = function(*arguments)
    except (ValueError, ZeroDivisionError) as problem:
        return "%s: %s" % (type(problem).__name__, problem)
    return outcome


def multi():
    message = """
    kept as it is
"""
    if message:
        LOG.append(message + """
  also kept""")


class Account:
    currency = "EUR"

    def __init__(self, amount=0):
        self.amount = amount
        self.history = []

    def __getattr__(self, name):
        if name.startswith("get_"):
            return lambda: getattr(self, name[4:])
        raise AttributeError(name)

    def deposit(self, amount, /, note="", *notes, tag=None):
        old = self.amount
        new = old + amount
        self.amount = new
        self.history.append("{0} {1}".format(note, notes) if note else "%r" % (tag,))
        return new

    @property
    def rich(self):
        if self.amount >= 100:
            answer = True
        else:
            answer = False
        return answer

    @staticmethod
    def convert(amount, rate=2):
        converted = amount * rate
        return converted

    def describe(self):
        return classify([self.amount, LIMIT], name=self.currency)


class Savings(Account):
    def deposit(self, amount, /, *args, **kwargs):
        total = super().deposit(amount, *args, **kwargs)
        bonus = 1
        self.amount += bonus
        return total + bonus

    def __secret(self):
        return "mine"

    def tell(self):
        return self.__secret()
'''

EXPRESSIONS = (
    "classify([1, 5, -2, 3], name='n')",
    "classify([], limit=0)",
    "nested(4)",
    "first_line('a\\nb'), first_line(None, 7)",
    "remember('x'), remember(None), remember('x'), LOG",
    "[decide(a, b) for a in (0, 1) for b in (0, 1)]",
    "fibonacci(12)",
    "list(countdown(4))",
    "safely(int, 'x'), safely(lambda: 1 / 0), safely(max, 1, 2)",
    "multi(), LOG",
    "(a := Account(5)).deposit(7, 'n', 1, 2), a.deposit(100, tag='t'), a.rich, a.history, a.get_amount()",
    "Account().rich, Account.convert(3), Account(2).describe()",
    "(s := Savings(1)).deposit(2, note='k'), s.amount, s.tell()",
)


def behaviour(source: str) -> list[str]:
    namespace: dict[str, object] = {"__name__": "program"}
    exec(compile(source, "program", "exec", dont_inherit=True), namespace)
    return [repr(eval(expression, namespace)) for expression in EXPRESSIONS]


@pytest.mark.parametrize("name", IN_PLACE)
def test_a_rewrite_changes_the_code_and_not_what_it_does(name: str):
    rewritten = IN_PLACE[name](PROGRAM.encode(), EVERYWHERE)
    assert rewritten is not None
    assert rewritten.decode() != PROGRAM
    assert behaviour(rewritten.decode()) == behaviour(PROGRAM)


@pytest.mark.parametrize("first", IN_PLACE)
@pytest.mark.parametrize("second", IN_PLACE)
def test_rewrites_follow_one_another(first: str, second: str):
    once = IN_PLACE[first](PROGRAM.encode(), EVERYWHERE)
    assert once is not None
    twice = IN_PLACE[second](once, EVERYWHERE) or once
    assert behaviour(twice.decode()) == behaviour(PROGRAM)


@pytest.mark.parametrize("name", IN_PLACE)
def test_what_lies_outside_the_spans_stays(name: str):
    """Only the first function, lines 9 to 25, and what comes after it by more than a neighbour."""
    rewritten = IN_PLACE[name](PROGRAM.encode(), (Span(9, 25),))
    if rewritten is not None:
        after = PROGRAM[PROGRAM.index("def first_line") :]
        assert rewritten.decode().endswith(after)


@pytest.mark.parametrize("name", IN_PLACE)
@pytest.mark.parametrize("source", [b"def f(:\n", b"print 1\n", b"\xff = 1\n", b"", b"x = 1\n", b"\0"])
def test_other_text_is_left_alone(name: str, source: bytes):
    assert IN_PLACE[name](source, EVERYWHERE) is None


@pytest.mark.parametrize("name", IN_PLACE)
def test_own_source_survives(name: str):
    """Real code of some size: the engine's own files still compile after each rewrite."""
    for path in sorted(Path(python_moves.__file__).parent.glob("*.py")):
        rewritten = IN_PLACE[name](path.read_bytes(), EVERYWHERE)
        if rewritten is not None:
            ast.parse(rewritten)


def changed(rewrite: str, before: str, after: str) -> None:
    result = IN_PLACE[rewrite](before.encode(), EVERYWHERE)
    assert (before if result is None else result.decode()) == after


def test_parameters_keep_their_names():
    changed("rename_locals", "def f(a, b=1):\n    a = b\n    c = a\n    return c\n",
            "def f(a, b=1):\n    a = b\n    c_value = a\n    return c_value\n")  # fmt: skip


@pytest.mark.parametrize(
    "body",
    [
        "    x = 1\n    return locals()\n",
        "    import os as x\n    x = 1\n",
        "    global x\n    x = 1\n",
        "    x = 1\n    return f'{x}'\n",
        "    x = 1\n    return lambda x: x\n",
        "    x = 1\n    class A:\n        x = 2\n    return A.x\n",
        "    for i in []:\n        def x(): pass\n    x = 1\n    i = lambda i: i\n",
    ],
)
def test_names_that_are_more_than_names_stay(body: str):
    changed("rename_locals", f"def f():\n{body}", f"def f():\n{body}")


def test_a_name_of_the_module_is_not_taken_for_a_local():
    before = "x = 1\ndef f():\n    y = [x for _ in 'ab']\n    def g():\n        x = 2\n    return y, x\n"
    after = IN_PLACE["rename_locals"](before.encode(), EVERYWHERE)
    assert after is not None
    assert after.decode().count("x") == before.count("x")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("'%s' % (a,)", "f'{a!s}'"),
        ("'%d' % (a,)", "'%d' % (a,)"),
        ("'%s' % a", "'%s' % a"),
        ("'%s%%{}' % (a + b,)", "f'{(a + b)!s}%{{}}'"),
        ("'{}'.format(a['k'])", "'{}'.format(a['k'])"),
        ("'{}'.format(a[\"k\"])", "f'{a[\"k\"]}'"),
        ("'{1}{0}'.format(a, b)", "'{1}{0}'.format(a, b)"),
        ("'{0}{0}'.format(a)", "'{0}{0}'.format(a)"),
        ("'{}'.format(*a)", "'{}'.format(*a)"),
        ("'{0.x}'.format(a)", "'{0.x}'.format(a)"),
        ("'{:>3}'.format(a)", "'{:>3}'.format(a)"),
        ("'{x}'.format(x=a)", "f'{a}'"),
        ("'{x}'.format(**a)", "'{x}'.format(**a)"),
        ("r'{}'.format(a)", "r'{}'.format(a)"),
    ],
)
def test_formatting_becomes_an_fstring_only_where_it_is_the_same(before: str, after: str):
    changed("to_fstrings", f"def f(a, b):\n    return {before}\n", f"def f(a, b):\n    return {after}\n")


@pytest.mark.parametrize(
    ("condition", "opposite"),
    [
        ("a", "not (a)"),
        ("not a", "a"),
        ("a is None", "a is not None"),
        ("a not in b", "a in b"),
        ("(a) in b", "not ((a) in b)"),
        ("a == b", "not (a == b)"),
        ("a < b < 3", "not (a < b < 3)"),
        ("(a and\n            b)", "(not (a and\n            b))"),
    ],
)
def test_conditions_are_negated(condition: str, opposite: str):
    one, two = "x = 1\n", "# other\n        x = 2\n"
    changed(
        "invert_conditions",
        f"def f(a, b):\n    if {condition}:  # why\n        {one}    else:\n        {two}    return x\n",
        f"def f(a, b):\n    if {opposite}:  # why\n        {two}    else:\n        {one}    return x\n",
    )


def test_a_guard_clause():
    changed("guard_clauses", "def f(a):\n    b = a\n    if b:\n        c(b)\n\n        d()\n",
            "def f(a):\n    b = a\n    if not (b):\n        return\n    c(b)\n\n    d()\n")  # fmt: skip


def test_a_merged_result():
    changed(
        "inline_variables",
        "def f(a):\n    b = (a +\n         1)\n    return b\n",
        "def f(a):\n    return (a +\n         1)\n",
    )


def test_statements_that_touch_each_other_stay_in_order():
    text = "def f(a):\n    b = a\n    c = b\n    a = 1\n    d = g()\n    return d\n"
    changed("reorder_statements", text, text.replace("c = b\n    a = 1", "a = 1\n    c = b"))


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "somepackage"
    folder.mkdir()
    (folder / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    yield folder
    for name in [name for name in sys.modules if name.startswith("somepackage")]:
        del sys.modules[name]


@pytest.mark.parametrize("move", [python_moves.move_to_module, python_moves.rename_module])
def test_moved_code_does_what_it_did(package: Path, move):
    files = move("somepackage/program.py", PROGRAM.encode(), EVERYWHERE)
    assert files is not None
    assert len(files) > 1
    for path, content in files.items():
        (package / Path(path).name).write_bytes(content)
    program = importlib.import_module("somepackage.program")
    assert [repr(eval(expression, vars(program))) for expression in EXPRESSIONS] == behaviour(PROGRAM)


def test_what_depends_on_its_place_is_not_moved():
    for body in ("return __name__", "return super().f()", "return unknown_name", "global x\n        x = 1"):
        source = f"class A:\n    def f(self):\n        {body}\n".encode()
        assert python_moves.move_to_module("p/m.py", source, EVERYWHERE) is None
