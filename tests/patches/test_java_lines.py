from __future__ import annotations

from random import Random

import pytest
import tree_sitter
import tree_sitter_java
from hypothesis import given, settings
from hypothesis import strategies as st
from source_lines import all_lines, lines_by_scope, parse

from engine.patches.syntax import Language

JAVA = Language.JAVA

SOURCE = """
package org.example.app;

import java.util.List;
import static org.example.Other.*;

@Documented
@Retention(RetentionPolicy.RUNTIME)
@interface Marker { int value() default 3; String[] names() default {"a", "b",}; }

public sealed class Shapes<T extends Comparable<? super T> & Cloneable> extends Base<T>
        implements Iface<Map<String, List<T>>> permits One, Two {
    private static final Map<String, Integer> SIZES = new HashMap<>();
    private int a = 1, b[] = {1, 2, 3,};

    static {
        SIZES.put("one", 1);
    }

    {
        a = 0x1F + 0b11 + 1_000L + (int) 2.5e+3f;
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    public Shapes(final int a, String... rest) throws IOException {
        super(a);
        this.<String>generic(rest);
    }

    @Override
    public <R> R apply(Function<? super T, ? extends R> f, int[] xs) {
        // comment
        Runnable r = () -> { if (a > 0) { a--; } else { a++; } };
        Comparator<T> c = (x, y) -> x.compareTo(y);
        Supplier<List<String>> s = ArrayList::new;
        Object o = new Object() {
            @Override public String toString() { return "anonymous" + 'c' + '\\''; }
        };
        try (Reader in = open("x"); Writer out = new Writer(in)) {
            out.write((a + b[0]) * 2);
        } catch (IOException | RuntimeException e) {
            throw new IllegalStateException("bad \\"x\\"", e);
        } finally {
            close();
        }
        outer:
        for (int i = 0, j = 10; i < j; i++, j--) {
            for (T item : items) {
                if (item == null) continue outer;
                else if (item.equals(a)) break;
                else { return null; }
            }
        }
        do { a <<= 1; } while (a < 100 && (a & 1) == 0);
        while (a-- > 0);
        synchronized (this) { notifyAll(); }
        assert a >= 0 : "negative";
        switch (a) {
            case 1:
            case 2: a = 3; break;
            default: a = b.length > 0 ? b[0] : (a >>> 2);
        }
        int days = switch (month) {
            case JAN, MAR -> 31;
            case FEB -> { int leap = 28; yield leap; }
            default -> throw new IllegalArgumentException();
        };
        if (o instanceof Point(int x, int y) && x > y) { return (R) o; }
        return f.apply(items.stream().filter(i -> i != null).map(Object::toString).findFirst().orElse(null));
    }

    interface Walker {
        int LIMIT = 5;
        default void walk() { step(); }
        static Walker of() { return () -> {}; }
        private void step() {}
    }

    record Point(int x, int y) implements Marker2 {
        Point {
            if (x < 0) throw new IllegalArgumentException();
        }
        static Point origin() { return new Point(0, 0); }
    }

    enum Level implements Supplier<String> {
        LOW(1) {
            @Override public String get() { return "low"; }
        },
        HIGH(2),
        ;
        private final int rank;
        Level(int rank) { this.rank = rank; }
        public String get() { return "level"; }
    }

    abstract static non-sealed class Nested { abstract void nothing(); }
}
"""


def leaves(source: str) -> list[str]:
    """The tokens of a Java source, read straight from the grammar."""
    tree = tree_sitter.Parser(tree_sitter.Language(tree_sitter_java.language())).parse(source.encode())
    assert not tree.root_node.has_error
    found, stack = [], [tree.root_node]
    while stack:
        node = stack.pop()
        if node.type in ("line_comment", "block_comment"):
            continue
        if node.child_count == 0 or node.type in ("string_literal", "character_literal"):
            found.append((node.text or b"").decode())
        else:
            stack += reversed(node.children)
    return [leaf for leaf in found if leaf]


EXPECTED = lines_by_scope(SOURCE, JAVA)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([0.0, 0.1, 0.5, 1.0]))
def test_wrapping_and_indentation_do_not_matter(seed: int, share: float) -> None:
    random = Random(seed)
    gaps = ("\n", "\n        ", "\r\n\t", " /* comment */ ", " // comment\n")
    wrapped = "".join(
        leaf + (random.choice(gaps) if random.random() < share else " ") for leaf in leaves(SOURCE)
    )
    assert lines_by_scope(wrapped, JAVA) == EXPECTED


def test_every_name_is_in_a_logical_line() -> None:
    words = " ".join(all_lines(SOURCE, JAVA)).split()
    # A statement's `else` is no line of its own: the depth of the others tells.
    found, names = (
        sorted(word for word in group if word.isidentifier() and word != "else")
        for group in (words, leaves(SOURCE))
    )
    assert found == names


def test_scopes_have_the_names_of_their_classes_and_methods() -> None:
    assert [(name, kind) for name, kind, _ in EXPECTED] == [
        ("", "module"),
        ("Marker", "class"),
        ("Marker.value", "function"),
        ("Marker.names", "function"),
        ("Shapes", "class"),
        ("Shapes.<static_initializer>", "function"),
        ("Shapes.Shapes", "function"),
        ("Shapes.apply", "function"),
        ("Shapes.Walker", "class"),
        ("Shapes.Walker.walk", "function"),
        ("Shapes.Walker.of", "function"),
        ("Shapes.Walker.step", "function"),
        ("Shapes.Point", "class"),
        ("Shapes.Point.Point", "function"),
        ("Shapes.Point.origin", "function"),
        ("Shapes.Level", "class"),
        ("Shapes.Level.LOW.get", "function"),
        ("Shapes.Level.Level", "function"),
        ("Shapes.Level.get", "function"),
        ("Shapes.Nested", "class"),
        ("Shapes.Nested.nothing", "function"),
    ]


def test_the_lines_of_a_method_are_its_statements() -> None:
    lines = {name: [text for text, _ in lines] for name, _, lines in EXPECTED}
    assert lines["Shapes.Level.LOW.get"] == ["@ Override public String get ( )", 'return "low"']
    assert lines["Shapes.Level"][:3] == [
        "enum Level implements Supplier < String >",
        "LOW ( 1 )",
        "HIGH ( 2 )",
    ]
    apply = lines["Shapes.apply"]
    assert 'try ( Reader in = open ( "x" ) Writer out = new Writer ( in ) )' in apply
    assert "out . write ( ( a + b [ 0 ] ) * 2 )" in apply
    assert "catch ( IOException | RuntimeException e )" in apply
    assert "case JAN , MAR -> 31" not in apply  # a switch that gives a value is one expression
    assert "synchronized this" in apply


def test_braces_around_one_statement_are_no_change() -> None:
    bare = "class A { void f() { if (a) b(); else c(); for (;;) d(); while (e) g(); } }"
    braced = "class A { void f() { if (a) { b(); } else { c(); } for (;;) { d(); } while (e) { g(); } } }"
    assert lines_by_scope(bare, JAVA) == lines_by_scope(braced, JAVA)


def test_a_text_block_means_the_same_at_every_indentation() -> None:
    def block(margin: str) -> str:
        rows = ["<html>  ", '  <b>\\"""</b>', "", "</html>", '""";']
        return "\n".join(["class A {", '  String s = """', *(margin + row for row in rows), "}"])

    expected = lines_by_scope(block("    "), JAVA)
    assert lines_by_scope(block(""), JAVA) == expected
    assert lines_by_scope(block("\t\t"), JAVA) == expected
    assert lines_by_scope(block("      ").replace("\n", "\r\n"), JAVA) == expected
    assert "<html>\n  <b>" in str(expected[1][2][1][0])
    assert lines_by_scope(block("    ").replace("  <b>", "   <b>"), JAVA) != expected
    # The closing delimiter counts: further left, it leaves an indentation in the string.
    assert lines_by_scope(block("    ").replace('    """;', '  """;'), JAVA) != expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("(a + b) * c", "a + b * c"),
        ("f(a)", "f((A) a)"),
        ("'a'", '"a"'),
        ("a ? b : c", "a ? c : b"),
        ('"a\\nb"', '"a\\tb"'),
        ("1.0", "10"),
        ("List.<A>of()", "List.<B>of()"),
        ("x -> y", "x -> { return y; }"),
    ],
)
def test_what_means_something_else_has_other_lines(one: str, other: str) -> None:
    sources = [f"class A {{ Object o = {expression}; }}" for expression in (one, other)]
    assert all_lines(sources[0], JAVA) != all_lines(sources[1], JAVA)


def test_overloads_share_one_name() -> None:
    source = parse("class A { void f() { a(); } void f(int x) { b(); } class B { void f() {} } }", JAVA)
    assert [len(source.scopes_by_name[name]) for name in ("A.f", "A.B.f")] == [2, 1]


def test_latin_1_is_read_as_what_it_was_converted_to() -> None:
    text = 'class Ä { String s = "é"; }'
    assert lines_by_scope(text.encode("latin-1"), JAVA) == lines_by_scope(text, JAVA)
