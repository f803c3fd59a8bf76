"""Markdown for a summary in CI: text from a broker stays text, and the whole stays within a limit.

A text may contain pipes, backticks, HTML, line ends or control characters; in a cell it is one line, and reads as it was sent.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from unicodedata import category

_LONGEST = 300
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_SPECIAL = re.compile(r"[\\`*\[\]~#$|!{}]")
_UNDERSCORE = re.compile(r"(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
_LINKS = re.compile(r":(?=//|[\w+-]+:)|(?<=\bwww)\.")
_INVISIBLE = ("Cc", "Cf", "Cs")
"""The Unicode categories of control characters, format characters and surrogates."""


def text(said: str, longest: int = _LONGEST) -> str:
    """`said` on one line, at most `longest` characters of it, escaped for Markdown and HTML."""
    line = "".join(map(_visible, " ".join(said.split())))
    if len(line) > longest:
        line = f"{line[:longest].rstrip()} … ({len(line) - longest} more characters)"
    line = "".join(_ENTITIES.get(letter, letter) for letter in _SPECIAL.sub(r"\\\g<0>", line))
    # No link and no emoji; and @name notifies no one if the summary is posted as a comment.
    return _LINKS.sub(lambda found: f"&#{ord(found[0])};", _UNDERSCORE.sub(r"\\_", line)).replace("@", "@<!-- -->")


def block(lines: Iterable[str], language: str = "text") -> str:
    """Lines as they are, in a fence that none of them closes."""
    reported = ("".join(map(_visible, line)).replace("```", "'''") for line in lines)
    return "\n".join([f"```{language}", *reported, "```"])


def _visible(letter: str) -> str:
    return f"\\u{ord(letter):04x}" if category(letter) in _INVISIBLE else letter


@dataclass
class MarkdownPage:
    """Markdown of at most `limit` bytes in UTF-8. What does not fit is counted and reported, and never half written."""

    limit: int
    _parts: list[str] = field(default_factory=list)
    _bytes: int = 0

    def paragraph(self, markdown: str) -> None:
        self._put(f"{markdown}\n\n")

    def table(self, heads: Sequence[str], rows: Iterable[Sequence[str]], rest: str) -> None:
        """A table of cells that are Markdown; `rest` names the place of the rows that do not fit."""
        waiting = list(rows)
        if not waiting:
            return
        reported = "\n{} more {}\n\n"
        spare = len(reported.format(len(waiting), rest).encode())
        if not self._put(f"{_row(heads)}{_row(['---'] * len(heads))}", spare):
            return
        left = [row for row in waiting if not self._put(_row(row), spare)]
        self._put(reported.format(len(left), rest) if left else "\n")

    def folded(self, title: str, markdown: Iterable[str], rest: str) -> None:
        """A list that is folded until the reader opens it."""
        begin, end = f"<details><summary>{title}</summary>\n\n", "\n</details>\n\n"
        waiting = list(markdown)
        reported = f"* {len(waiting)} more {rest}\n"
        spare = len((reported + end).encode())
        if not waiting or not self._put(begin, spare):
            return
        left = [line for line in waiting if not self._put(f"* {line}\n", spare)]
        self._put((f"* {len(left)} more {rest}\n" if left else "") + end)

    def _put(self, markdown: str, spare: int = 0) -> bool:
        """Append it if it fits with `spare` bytes left; returns whether it did."""
        size = len(markdown.encode())
        if self._bytes + size + spare > self.limit:
            return False
        self._parts.append(markdown)
        self._bytes += size
        return True

    def __str__(self) -> str:
        return "".join(self._parts)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n"
