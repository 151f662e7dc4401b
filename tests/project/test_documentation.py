"""The documentation names every command, and every command line in it is one that works."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from engine.cli.app import build_app
from engine.paths import PROJECT_ROOT

DOCUMENTS = ("README.md", "CONTRIBUTING.md")
README = (PROJECT_ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#]+)\)")
FILE = re.compile(r"`((?:engine|dashboard|data|scripts|tests)/[\w./-]+)`")
ELLIPSIS = "…"


def leaves(command: Any, words: tuple[str, ...] = ("benchchecker",)) -> Iterator[tuple[str, ...]]:
    """Yield the words of every command that does something."""
    subcommands = getattr(command, "commands", None)
    if subcommands is None:
        yield words
        return
    for name, subcommand in subcommands.items():
        yield from leaves(subcommand, (*words, name))


def parse(words: list[str]) -> None:
    """Parse a command line with its options, without running it; raises where it does not fit."""
    command: Any = typer.main.get_command(build_app())
    rest = words[1:]
    while hasattr(command, "commands") and rest and rest[0] != "--help":
        command, rest = command.commands[rest[0]], rest[1:]
    if rest != ["--help"]:
        command.make_context(" ".join(words), rest)


def blocks(language: str) -> list[str]:
    texts = [(PROJECT_ROOT / name).read_text(encoding="utf-8") for name in DOCUMENTS]
    return [body for text in texts for kind, body in BLOCK.findall(text) if kind == language]


def shell_lines() -> list[str]:
    lines = [line for body in blocks("sh") for line in body.replace("\\\n", " ").splitlines()]
    return [line for line in lines if line.strip()]


def examples() -> list[tuple[str, list[str]]]:
    """Return the commands of the `console` blocks with the lines that are to be printed."""
    found: list[tuple[str, list[str]]] = []
    for line in (line for body in blocks("console") for line in body.splitlines()):
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


def matches(expected: list[str], printed: str) -> bool:
    """Whether the lines are as expected; an ellipsis stands for anything, alone in a line for any lines."""
    patterns = [
        r"(?:.*\n)*?" if line == ELLIPSIS else ".*".join(map(re.escape, line.split(ELLIPSIS))) + r"\n"
        for line in expected
    ]
    return re.fullmatch("".join(patterns), printed if printed.endswith("\n") else printed + "\n") is not None


@pytest.mark.parametrize("words", list(leaves(typer.main.get_command(build_app()))), ids=" ".join)
def test_the_readme_has_every_command(words: tuple[str, ...]) -> None:
    assert re.search(rf"`{' '.join(words)}`", README), f"add {' '.join(words)} to README.md"


def test_the_readme_has_no_command_that_is_gone() -> None:
    known = {" ".join(words) for words in leaves(typer.main.get_command(build_app()))}
    listed = re.findall(r"^\| `(benchchecker [^`]+)` \|", README, re.MULTILINE)
    assert set(listed) - known == set()
    assert len(listed) == len(set(listed))


@pytest.mark.parametrize("line", shell_lines())
def test_a_command_line_can_be_typed_as_it_stands(line: str) -> None:
    words = shlex.split(line, comments=True)
    if words[0] == "benchchecker":
        parse(words)
    elif words[0].startswith("scripts/"):
        assert (PROJECT_ROOT / words[0]).is_file()
    else:
        assert line == "source .venv/bin/activate"


def test_a_wrong_command_line_is_noticed() -> None:
    for line in ("benchchecker bild", "benchchecker build --fast", "benchchecker export table --paper 5"):
        with pytest.raises(Exception, match=r"bild|fast|greater than or equal to 6"):
            parse(shlex.split(line))


def test_examples_print_what_the_documentation_shows(tmp_path: Path) -> None:
    """Run on the project's own facts, in the order of the README, with the database elsewhere."""
    database = tmp_path / "benchchecker.duckdb"
    runner, app = CliRunner(), build_app()
    assert runner.invoke(app, ["build", "--database", str(database)]).exit_code == 0
    assert examples()
    for line, expected in examples():
        if line == "benchchecker build":
            database.unlink()
        done = runner.invoke(app, [*shlex.split(line)[1:], "--database", str(database)])
        assert done.exit_code == 0, done.output
        assert matches(expected, done.stdout), f"{line} printed:\n{done.stdout[-3000:]}"


def test_an_ellipsis_stands_for_anything_but_not_for_everything() -> None:
    assert matches(["a … b", ELLIPSIS, "z"], "a 12 b\nc\nd\nz")
    assert not matches(["a … b"], "a 12 c\n")
    assert not matches(["a"], "a\nb\n")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_and_files_exist(name: str) -> None:
    text = (PROJECT_ROOT / name).read_text(encoding="utf-8")
    named = {*LINK.findall(text), *FILE.findall(text)}
    assert named
    assert sorted(path for path in named if not (PROJECT_ROOT / path).exists()) == []


def test_the_map_has_every_folder_of_the_code() -> None:
    text = (PROJECT_ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for package in sorted((PROJECT_ROOT / "engine").iterdir()):
        if (package / "__init__.py").is_file():
            assert f"| `engine/{package.name}` |" in text
