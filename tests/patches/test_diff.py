from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.patches.diff import FilePatch, Patch, PatchError, parse_diff

HUNK = "@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n"
PLAIN = f"diff --git a/x.py b/x.py\nindex 123..456 100644\n--- a/x.py\n+++ b/x.py\n{HUNK}"


def only_file(text: str) -> FilePatch:
    (file,) = parse_diff(text).files
    return file


class Work:
    """A work tree whose changes git itself turns into diffs."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str) -> str:
        identity = ("-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "core.autocrlf=false")
        done = subprocess.run(
            ["git", *identity, *arguments], cwd=self.path, capture_output=True, check=True
        ).stdout
        return done.decode("utf-8", "surrogateescape")

    def write(self, files: dict[str, bytes | None]) -> None:
        for name, content in files.items():
            file = self.path / name
            if content is None:
                file.unlink()
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)

    def diff(self, before: dict[str, bytes | None], after: dict[str, bytes | None], *options: str) -> str:
        self.write(before)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "before")
        self.write(after)
        self.git("add", "-A")
        return self.git("diff", "--cached", "-M", *options)


@pytest.fixture
def work(tmp_path: Path) -> Work:
    return Work(tmp_path)


@pytest.mark.parametrize(
    "name",
    [
        "plain.py",
        "two words.py",
        "tab\there.py",
        "line\nfeed.py",
        'quo"te.py',
        "back\\slash.py",
        "\\303.py",
        "ü.py",
    ],
)
def test_paths_are_read_as_git_writes_them(work: Work, name: str) -> None:
    file = only_file(work.diff({name: b"one\n"}, {name: b"two\n"}))
    assert (file.old_path, file.new_path) == (name, name)
    assert file.hunks[0].lines == (("-", "one"), ("+", "two"))


def test_a_name_that_is_no_utf8_stays_the_name_of_the_file(work: Work) -> None:
    name = b"latin\xe9.py".decode("utf-8", "surrogateescape")
    assert only_file(work.diff({name: b"one\n"}, {name: b"two\n"})).path == name


def test_a_renamed_file_has_both_names(work: Work) -> None:
    lines = b"".join(b"line %d\n" % number for number in range(30))
    file = only_file(work.diff({"old.py": lines}, {"old.py": None, "lib/new.py": lines + b"end\n"}))
    assert (file.old_path, file.new_path, file.path) == ("old.py", "lib/new.py", "lib/new.py")
    assert file.apply(lines.decode()).text == lines.decode() + "end\n"
    moved = only_file(work.diff({}, {"lib/new.py": None, "third.py": lines + b"end\n"}))
    assert (moved.old_path, moved.new_path, moved.hunks) == ("lib/new.py", "third.py", ())


def test_binary_files_and_modes_have_no_hunks(work: Work) -> None:
    before = {"a.bin": bytes(range(256)), "m.sh": b"x\n", "x.py": b"one\n"}
    after = {"a.bin": bytes(range(255, -1, -1)), "x.py": b"two\n"}
    for options in ((), ("--binary",)):
        files = {file.path: file for file in parse_diff(work.diff(before, after, *options)).files}
        assert files["a.bin"].hunks == ()
        assert files["x.py"].apply("one\n").text == "two\n"
    (work.path / "m.sh").chmod(0o755)
    work.git("add", "-A")
    assert {file.path: len(file.hunks) for file in parse_diff(work.git("diff", "--cached")).files}[
        "m.sh"
    ] == 0


def test_new_and_deleted_files_have_one_name(work: Work) -> None:
    new = only_file(work.diff({}, {"new.py": b"one\ntwo\n"}))
    assert (new.old_path, new.new_path) == (None, "new.py")
    patched = new.apply("")
    assert (patched.text, patched.added, patched.removed) == ("one\ntwo\n", {1, 2}, frozenset())
    gone = only_file(work.diff({}, {"new.py": None}))
    assert (gone.old_path, gone.new_path, gone.path) == ("new.py", None, "new.py")
    patched = gone.apply("one\ntwo\n")
    assert (patched.text, patched.added, patched.removed) == ("", frozenset(), {1, 2})
    empty = only_file(work.diff({}, {"empty.py": b""}))
    assert (empty.old_path, empty.new_path, empty.hunks) == (None, "empty.py", ())


def test_a_missing_line_feed_at_the_end_is_no_change_of_its_own(work: Work) -> None:
    file = only_file(work.diff({"x.py": b"one\ntwo"}, {"x.py": b"one\nzwei"}))
    assert file.hunks[0].lines == ((" ", "one"), ("-", "two"), ("+", "zwei"))
    assert file.apply("one\ntwo").text == "one\nzwei"


def test_the_diff_of_a_crlf_file_fits_it_with_either_line_end(work: Work) -> None:
    file = only_file(work.diff({"x.py": b"one\r\ntwo\r\n"}, {"x.py": b"one\r\nzwei\r\n"}))
    assert file.path == "x.py"
    assert file.apply("one\r\ntwo\r\n").text == "one\r\nzwei\r\n"
    assert file.apply("one\ntwo\n").added == {2}


def test_a_diff_that_was_converted_to_crlf_is_read_as_before(work: Work) -> None:
    diff = work.diff(
        {"x.py": b"one\ntwo\n", "gone.py": b"g\n"}, {"x.py": b"one\n", "gone.py": None, "n.py": b"n\n"}
    )
    assert parse_diff(diff.replace("\n", "\r\n")) == parse_diff(diff)


def test_lines_end_at_line_feeds_only(work: Work) -> None:
    odd = "a\x0cb\x0b\x85c\u2028d\x1c\re\n"
    file = only_file(work.diff({"x.py": odd.encode()}, {"x.py": odd.encode() + b"end\n"}))
    assert file.apply(odd).text == odd + "end\n"


def test_text_around_a_diff_is_left_aside() -> None:
    letter = f"From 1 Mon Sep 17 00:00:00 2001\nSubject: [PATCH] x\n\n---\n x.py | 2 +-\n\n{PLAIN}-- \n2.40\n"
    assert parse_diff(letter) == parse_diff(PLAIN)
    assert only_file(
        "Index: x.py\n====\n" + PLAIN.partition("\n")[2].replace("index 123..456 100644\n", "")
    ) == (only_file(PLAIN))


def test_blank_context_lines_may_have_lost_their_blank() -> None:
    file = only_file("--- a/x.py\n+++ b/x.py\n@@ -1,3 +1,3 @@\n one\n\n-two\n+zwei\n")
    assert file.apply("one\n\ntwo\n").text == "one\n\nzwei\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        (" \n\t\n", "empty"),
        ("just words\n", "changes no file"),
        ("--- a/x.py\n+++ b/x.py\n@@ -1,5 +1,5 @@\n-one\n", "not a unified diff"),
        (PLAIN.replace("x.py", "../x.py"), "leaves the repository"),
        (PLAIN.replace("x.py", "lib/../../x.py"), "leaves the repository"),
        (PLAIN.replace("a/x.py", "/etc/x.py").replace("b/x.py", "/etc/x.py"), "leaves the repository"),
        (PLAIN.replace("x.py", ".git/config"), "leaves the repository"),
        (PLAIN.replace("x.py", "."), "leaves the repository"),
        (
            PLAIN.replace("a/x.py", '"a/\\056./x.py"').replace("b/x.py", '"b/\\056./x.py"'),
            "leaves the repository",
        ),
        (PLAIN.replace("x.py", "x\0.py"), "leaves the repository"),
        (PLAIN + PLAIN, "twice"),
        ("diff --cc x.py\n--- a/x.py\n+++ b/x.py\n@@@ -1,1 -1,1 +1,1 @@@\n- a\n -b\n++c\n", "combined"),
        ("--- a/x.py\n+++ b/x.py\n@@ -" + "9" * 5000 + " +1 @@\n-one\n+two\n", "not a unified diff"),
    ],
)
def test_what_cannot_be_used_is_refused_with_the_reason(text: str, message: str) -> None:
    with pytest.raises(PatchError, match=message):
        parse_diff(text)


def test_a_patch_above_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.patches.diff.MAX_PATCH_BYTES", len(PLAIN) - 1)
    with pytest.raises(PatchError, match="more than"):
        parse_diff(PLAIN)


BODY = "\n".join(f"line {number}" for number in range(1, 41)) + "\n"


def shifted(stated: int) -> FilePatch:
    return only_file(
        f"--- a/x.py\n+++ b/x.py\n@@ -{stated},3 +{stated},3 @@\n line 19\n-line 20\n+new\n line 21\n"
    )


@pytest.mark.parametrize("stated", [19, 18, 23, 1, 38, 500])
def test_a_hunk_is_found_where_its_lines_are(stated: int) -> None:
    patched = shifted(stated).apply(BODY)
    assert patched.text == BODY.replace("line 20\n", "new\n")
    assert (patched.added, patched.removed) == ({20}, {20})


def test_of_several_places_the_nearest_is_taken() -> None:
    body = BODY + BODY
    assert shifted(25).apply(body).removed == {20}
    assert shifted(55).apply(body).removed == {60}
    assert shifted(60).apply(body).removed == {60}


def test_hunks_keep_their_order() -> None:
    file = only_file(
        "--- a/x.py\n+++ b/x.py\n@@ -3,1 +3,1 @@\n-same\n+first\n@@ -3,1 +3,1 @@\n-same\n+second\n"
    )
    assert file.apply("x\nsame\ny\nsame\n").text == "x\nfirst\ny\nsecond\n"


def test_lines_that_are_nowhere_are_an_error() -> None:
    with pytest.raises(PatchError, match=r"x\.py: the lines that the hunk at line 19 expects are not there"):
        shifted(19).apply("something else\n")
    with pytest.raises(PatchError):
        shifted(19).apply("")


def test_a_byte_order_mark_on_one_side_does_not_matter() -> None:
    file = only_file(PLAIN)
    assert file.apply("\ufeffone\ntwo\nthree\n").text == "\ufeffone\nzwei\nthree\n"
    assert only_file(PLAIN.replace(" one", " \ufeffone")).apply("one\ntwo\nthree\n").added == {2}


def outcome(text: str) -> Patch | PatchError:
    try:
        patch = parse_diff(text)
    except PatchError as error:
        return error
    for file in patch.files:
        assert file.path
        assert ".." not in file.path.split("/")
        assert not file.path.startswith("/")
        try:
            file.apply("one\ntwo\nthree\n")
        except PatchError:
            continue
    return patch


PIECES = st.sampled_from(
    [
        *PLAIN.splitlines(keepends=True),
        PLAIN,
        "\r\n",
        "\n",
        "--- /dev/null\n",
        "+++ /dev/null\n",
        '--- "a/\\303\\274"\n',
        '+++ "b/\\\n',
        "new file mode 100644\n",
        "deleted file mode 100644\n",
        "rename from a\n",
        "Binary files a/x and b/x differ\n",
        "GIT binary patch\n",
        "\\ No newline at end of file\n",
        "@@ -0,0 +1,9 @@\n",
        "@@ -1 +0,0 @@\n",
        "+\n",
        "-\n",
        " \n",
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=12), max_size=20).map("".join)


@settings(max_examples=60, deadline=None)
@given(TEXTS | st.binary(max_size=300).map(lambda raw: raw.decode("utf-8", "surrogateescape")))
@example("--- a/\ud800\n+++ b/\ud800\n@@ -1 +1 @@\n-a\n+b\n")
@example('--- "a/\n+++ "a/\n@@ -1 +1 @@\n-a\n+b\n')
@example('--- "\n+++ "\n@@ -1 +1 @@\n-a\n+b\n')
def test_any_text_is_a_patch_or_a_patch_error(text: str) -> None:
    assert isinstance(outcome(text), Patch | PatchError)
