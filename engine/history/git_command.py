"""Runs git on a repository that nobody vouches for.

A repository's own configuration can name programs (hooks, fsmonitor, pagers, diff drivers, credential
helpers, transports). Configuration given through the environment outranks the repository's, so every such key
is set here, and no transport is allowed at all. The git directory is always named explicitly: git's search
for it, and with it the check of who owns it, never runs.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from engine.history.errors import HistoryUnavailable

if TYPE_CHECKING:
    from git.cmd import Git

_NOTHING = os.devnull

_CONFIGURATION = {
    "core.askPass": "",
    "core.alternateRefsCommand": "",
    "core.attributesFile": _NOTHING,
    "core.fsmonitor": "false",
    "core.gitProxy": "",
    "core.hooksPath": _NOTHING,
    "core.pager": "cat",
    "core.sshCommand": "false",
    "credential.helper": "",
    "diff.external": "",
    "diff.orderFile": _NOTHING,
    "gpg.program": "false",
    "log.follow": "false",
    "log.showRoot": "true",
    "log.showSignature": "false",
}

_FULL_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def is_full_id(text: str) -> bool:
    """Whether `text` is a complete object id, so that it cannot be read as an option or a reference."""
    return _FULL_ID.fullmatch(text) is not None


def environment(allowed_protocols: str = "none", global_configuration: str = _NOTHING) -> dict[str, str]:
    """Return the environment for a git command.

    Args:
        allowed_protocols: Transports that may be used, joined by colons. The default names none that exists;
            git then refuses any other, whatever a configuration says.
        global_configuration: File to read in place of the user's configuration.
    """
    variables = {
        "GIT_ALLOW_PROTOCOL": allowed_protocols,
        "GIT_ASKPASS": "",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_CONFIG_COUNT": str(len(_CONFIGURATION)),
        "GIT_CONFIG_GLOBAL": global_configuration,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_PARAMETERS": "",
        "GIT_GRAFT_FILE": _NOTHING,
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
    }
    for number, (key, value) in enumerate(_CONFIGURATION.items()):
        variables[f"GIT_CONFIG_KEY_{number}"] = key
        variables[f"GIT_CONFIG_VALUE_{number}"] = value
    return variables


class GitCommand:
    """The git command, bound to one git directory."""

    def __init__(self, git_dir: Path) -> None:
        from git.cmd import Git

        self.git_dir = git_dir.resolve()
        self._git = Git(str(self.git_dir))
        self._environment = environment()

    def run(self, *arguments: str) -> bytes:
        """Run one command and return its standard output.

        Raises:
            HistoryUnavailable: If git fails or is not installed.
        """
        status, output, error = self.attempt(*arguments)
        if status != 0:
            raise HistoryUnavailable(f"git {arguments[0]} failed on {self.git_dir}: {error_line(error)}")
        return output

    def attempt(self, *arguments: str) -> tuple[int, bytes, str]:
        """Run one command and return its exit status, output and error text.

        Raises:
            HistoryUnavailable: If git is not installed.
        """
        from git.exc import GitCommandNotFound

        try:
            result = self._git.execute(
                self._command(arguments),
                env=self._environment,
                shell=False,
                with_extended_output=True,
                with_exceptions=False,
                stdout_as_string=False,
                strip_newline_in_stdout=False,
            )
        except GitCommandNotFound as error:
            raise HistoryUnavailable("git is not installed, or the repository is not readable") from error
        return result

    def start(self, *arguments: str) -> Git.AutoInterrupt:
        """Start a command that is fed and read through pipes; it ends when the result is collected."""
        from subprocess import PIPE

        return self._git.execute(
            self._command(arguments), env=self._environment, shell=False, istream=PIPE, as_process=True
        )

    def _command(self, arguments: tuple[str, ...]) -> list[str]:
        executable = str(self._git.GIT_PYTHON_GIT_EXECUTABLE)
        return [executable, "--no-pager", f"--git-dir={self.git_dir}", *arguments]


def error_line(text: str) -> str:
    """Return the line of git's error text that says why it gave up, else its last one."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    fatal = [line for line in lines if line.startswith("fatal:")]
    return (fatal or lines[-1:] or ["no message"])[0]
