"""LaTeX that compiles under any engine with booktabs (and siunitx on request), whatever the cells hold."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache

from pylatexenc.latexencode import get_builtin_uni2latex_dict  # type: ignore[import-untyped]

MISSING = "--"
UNPRINTABLE = "?"

# The library knows commands for many characters, half of them from packages that a document may not load:
# these are the ones that LaTeX itself has.
_TEXT_COMMANDS = r"""
    \` \' \^ \~ \" \= \. \u \v \H \c \r \AE \ae \O \o \L \l \ss \i \OE \oe \textexclamdown \textquestiondown
    \textcent \textsterling \textcurrency \textyen \texteuro \textsection \textparagraph \textcopyright
    \textregistered \texttrademark \textdegree \textmu \texttimes \textdiv \textperiodcentered \textbullet
    \textordfeminine \textordmasculine \textonesuperior \texttwosuperior \textthreesuperior \textonehalf
    \textonequarter \textthreequarters \textendash \textemdash \textellipsis \textdagger \textdaggerdbl
    \textquoteleft \textquoteright \textquotedblleft \textquotedblright \textleftarrow \textrightarrow
    \textuparrow \textdownarrow \textbackslash \textasciitilde \textasciicircum \textbrokenbar
    \_ \% \& \# \$ \{ \}
"""
_MATH_COMMANDS = r"""
    \ensuremath \Gamma \Delta \Theta \Lambda \Xi \Pi \Sigma \Upsilon \Phi \Psi \Omega \alpha \beta \gamma
    \delta \epsilon \varepsilon \zeta \eta \theta \vartheta \iota \kappa \lambda \mu \nu \xi \pi \rho \sigma
    \varsigma \tau \upsilon \phi \varphi \chi \psi \omega \acute \ddot \pm \mp \leq \geq \neq \approx \equiv
    \sim \infty \sum \prod \partial \nabla \in \cap \cup \subset \supset \wedge \vee \cdot \leftrightarrow
    \Leftarrow \Rightarrow \Leftrightarrow
"""
_COMMAND = re.compile(r"\\(?:[A-Za-z]+|.)")
# What TeX would join into one character or read as the end of a quotation.
_LIGATURE = re.compile(r"(?<=-)-|(?<=[?!])`|(?<=,),|(?<=')'|(?<=`)`")


def escape(text: str) -> str:
    """Return ASCII LaTeX that prints `text`.

    Line breaks and other control characters become spaces, since a cell is one line. Of a character that
    LaTeX cannot print without further packages the plain letter is left, else a question mark.
    """
    line = "".join(character if character.isprintable() else " " for character in text)
    apart = _LIGATURE.sub("\u2063\\g<0>", line)
    escaped = "".join("{}" if character == "\u2063" else _character(character) for character in apart)
    # After the \\ of the row before, a bracket or a star would be read as its argument, spaces or not.
    return f"{{}}{escaped}" if escaped.lstrip().startswith(("[", "*")) else escaped


def tabular(alignment: str, heading: list[str], rows: list[list[str]]) -> str:
    """Return a booktabs table of cells that are LaTeX already.

    Args:
        alignment: A letter, or a column of siunitx, for each column, such as `lrr`.
        heading: A cell for each column.
        rows: The same for each row.
    """
    lines = [
        f"\\begin{{tabular}}{{{alignment}}}",
        "\\toprule",
        _line(heading),
        "\\midrule",
        *map(_line, rows),
        "\\bottomrule",
        "\\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def number_column(cells: Sequence[str], decimals: int) -> str:
    """Return a column of siunitx that is as wide as its numbers; cells in braces are not numbers."""
    numbers = [cell for cell in cells if not cell.startswith("{")]
    whole = max((len(cell.lstrip("-").partition(".")[0]) for cell in numbers), default=1)
    sign = "-" if any(cell.startswith("-") for cell in numbers) else ""
    return f"S[table-format={sign}{whole}.{decimals}]"


def _line(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


@cache
def _character(character: str) -> str:
    found = get_builtin_uni2latex_dict().get(ord(character), "")
    if not found and character.isascii():
        return character
    allowed = _MATH_COMMANDS if found.startswith(r"\ensuremath") else _TEXT_COMMANDS
    if found and found.isascii() and set(_COMMAND.findall(found)) <= set(allowed.split()):
        return f"{{{found}}}"
    letter = unicodedata.normalize("NFKD", character)[0]
    return letter if letter.isascii() and letter.isalnum() else UNPRINTABLE
