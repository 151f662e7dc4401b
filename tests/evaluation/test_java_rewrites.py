"""Rewritten Java: it changes, parses without errors, and (where a compiler is at hand) does what it did."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from engine.evaluation.rewrites import java_format, java_moves, java_names, java_statements
from engine.evaluation.rewrites.edits import Span
from engine.evaluation.rewrites.java_code import JavaCode

EVERYWHERE = (Span(1, 10_000),)

IN_PLACE = {
    function.__name__: function
    for function in (
        java_names.rename_locals,
        java_format.reflow,
        java_format.add_comments,
        java_format.remove_comments,
        java_statements.reorder_statements,
        java_statements.reorder_methods,
        java_statements.introduce_variables,
        java_statements.inline_variables,
        java_statements.invert_conditions,
        java_moves.extract_method,
    )
}

PROGRAM = """\
package program;

import java.util.*;
import java.util.function.Function;

/** Everything that a rewrite could trip over. */
public class Program {
    private static final int LIMIT = 3;
    private int total = 0; // so far
    private final List<String> log = new ArrayList<>();

    interface Shape { default double area() { double side = 2; return side * side; } }

    enum Level {
        LOW, HIGH { @Override int weight() { int w = 2; return w * 5; } };
        int weight() { return 1; }
    }

    /**
     * Adds up.
     */
    public int add(final int... values) throws IllegalStateException {
        int count = 0;
        String text = "a; {b} // c";
        char mark = ';';
        for (int i = 0; i < values.length; i++) {
            count += values[i]; /* one of many */
        }
        if (count > LIMIT) {
            // large
            total += count;
        } else {
            total -= count;
        }
        if (count == 7) throw new IllegalStateException(text + mark);
        log.add(text + count);
        return total + count;
    }

    static String name(Object thing) {
        if (thing instanceof String s) {
            String shown = "string " + s;
            return shown;
        } else if (thing == null) {
            return "none";
        } else {
            if (!(thing instanceof Integer)) {
                return "other " + thing;
            } else {
                int number = (Integer) thing;
                return number >> 1 > 1 ? "big" : "small";
            }
        }
    }

    <T extends Comparable<T>> T largest(Map<String, List<T>> groups) {
        T best = null;
        for (List<T> group : groups.values()) {
            for (T item : group) {
                if (best == null || item.compareTo(best) > 0) best = item;
            }
        }
        T result = best;
        return result;
    }

    Function<Integer, Integer> adder(int step) {
        int base = step * 2;
        Function<Integer, Integer> f = x -> { int y = x + base; return y; };
        Runnable r = new Runnable() { int total = 1; public void run() { log.add("run" + total + base); } };
        r.run();
        return f;
    }

    int shadow() {
        int before = this.total;
        int total = 5;
        int log = total;
        return before + log;
    }

    long widen(int a, int b) {
        int product = a * b;
        return product;
    }

    synchronized void visit(String word) {
        outer:
        for (String part : word.split(",")) {
            switch (part.length()) {
                case 1: { String one = part; log.add(one); break; }
                case 2: continue outer;
                default: break outer;
            }
        }
    }

    static int middle(int low, int high) {
        int sum = low + high;
        return Math.abs(sum) / 2;
    }

    public static String report() {
        Program p = new Program();
        StringBuilder out = new StringBuilder();
        out.append(p.add(1, 2)).append(p.add(9)).append(p.add());
        try { p.add(7); } catch (IllegalStateException e) { out.append(e.getMessage()); }
        out.append(name("x")).append(name(null)).append(name(9)).append(name(1)).append(name('c'));
        out.append(p.largest(Map.of("k", List.of(3, 8, 5)))).append(p.adder(2).apply(10)).append(p.shadow());
        out.append(p.widen(100000, 100000)).append(middle(-9, 1)).append(Level.HIGH.weight());
        p.visit("a,bb,c,ddd,e");
        return out.append(p.log).append(new Shape() { }.area()).toString();
    }
}
"""


@pytest.mark.parametrize("name", IN_PLACE)
def test_a_rewrite_changes_the_code_and_leaves_it_valid(name: str):
    rewritten = IN_PLACE[name](PROGRAM.encode(), EVERYWHERE)
    assert rewritten is not None
    assert JavaCode.parse(rewritten) is not None


def variants() -> dict[str, dict[str, bytes]]:
    """The program, rewritten once and then by the next rewrite, each in a package of its own."""
    found = {"program": {"Program.java": PROGRAM.encode()}}
    names = list(IN_PLACE)
    for first, second in zip(names, [*names[1:], names[0]], strict=True):
        once = IN_PLACE[first](PROGRAM.encode(), EVERYWHERE)
        assert once is not None
        found[first] = {"Program.java": once}
        found[f"{first}_{second}"] = {"Program.java": IN_PLACE[second](once, EVERYWHERE) or once}
    moved = java_moves.move_to_class("program/Program.java", PROGRAM.encode(), EVERYWHERE)
    assert moved is not None
    assert len(moved) > 1
    found["moved"] = {Path(path).name: content or b"" for path, content in moved.items()}
    return found


@pytest.mark.skipif(shutil.which("javac") is None, reason="there is no Java compiler here")
def test_rewritten_programs_do_what_the_program_does(tmp_path: Path):
    programs = variants()
    for package, files in programs.items():
        (tmp_path / package).mkdir()
        for name, content in files.items():
            text = content.replace(b"package program;", b"package %s;" % package.encode())
            (tmp_path / package / name).write_bytes(text)
    lines = "".join(f'System.out.println("{name} " + {name}.Program.report());' for name in programs)
    (tmp_path / "Main.java").write_text(f"class Main {{ public static void main(String[] a) {{ {lines} }} }}")
    subprocess.run(["javac", "-nowarn", "-d", "out", "Main.java"], cwd=tmp_path, check=True)
    done = subprocess.run(
        ["java", "-cp", "out", "Main"], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    reports = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    assert len(reports["program"]) > 80
    assert {name for name, report in reports.items() if report != reports["program"]} == set()
    assert reports.keys() == programs.keys()


@pytest.mark.parametrize("name", IN_PLACE)
@pytest.mark.parametrize("source", [b"class A { void f( }", b"\xff", b"", b"class A { }", b"not java at all"])
def test_other_text_is_left_alone(name: str, source: bytes):
    assert IN_PLACE[name](source, EVERYWHERE) is None


def method(body: str) -> str:
    return f"class A {{\n    int field;\n    int f(int a) {{\n{body}    }}\n}}\n"


def changed(rewrite: str, before: str, after: str) -> None:
    result = IN_PLACE[rewrite](method(before).encode(), EVERYWHERE)
    assert (method(before) if result is None else result.decode()) == method(after)


@pytest.mark.parametrize(
    "body",
    [
        "int field = 1; return field;\n",
        "int b = 1; g(b -> b); return 0;\n",
        "int b = 1; g(new B() { int b; }); return b;\n",
        "b = 2; { int b = 1; } return b;\n",
        "switch (a) { case 1: int b = 1; case 2: b = 3; }\n",
        "try { int b = 1; } catch (E b) { throw b; }\n",
        "for (int b : c) { } int b = 1;\n",
    ],
)
def test_names_that_are_more_than_local_variables_stay(body: str):
    changed("rename_locals", body, body)


def test_members_of_a_local_variables_name_stay():
    changed(
        "rename_locals",
        "int b = a; this.b = b; b(x.b, b::c); b: for (;;) { break b; }\n",
        "int bValue = a; this.b = bValue; b(x.b, bValue::c); b: for (;;) { break b; }\n",
    )


@pytest.mark.parametrize(
    ("condition", "opposite"),
    [
        ("a == b", "a != b"),
        ("!a", "a"),
        ("a > b", "!(a > b)"),
        ("a && b", "!(a && b)"),
        ("!a || b", "!(!a || b)"),
    ],
)
def test_conditions_are_negated(condition: str, opposite: str):
    changed(
        "invert_conditions",
        f"if ({condition}) {{ x(); }} else {{ y(); }}\n",
        f"if ({opposite}) {{ y(); }} else {{ x(); }}\n",
    )


def test_a_result_is_merged_only_when_its_type_is_that_of_the_method():
    changed("inline_variables", "int b = a; return b;\n", "return a;\n")
    changed("inline_variables", "long b = a; return (int) b;\n", "long b = a; return (int) b;\n")
    changed("inline_variables", "Integer b = a; return b;\n", "Integer b = a; return b;\n")


def test_a_file_moves_to_another_source_folder():
    moved = java_moves.move_source_root("core/src/main/java/a/B.java", b"x", EVERYWHERE)
    assert moved == {"core/src/main/java/a/B.java": None, "core/src/main/java-shared/a/B.java": b"x"}


def test_a_method_that_needs_its_object_is_not_moved():
    for body in (
        "return field;",
        "return g();",
        "return this.hashCode();",
        "return LIMIT;",
        "Nested n = null; return 1;",
    ):
        source = f"class A {{ int field; class Nested {{ }} int f() {{ {body} }} }}"
        assert java_moves.move_to_class("p/A.java", source.encode(), EVERYWHERE) is None
