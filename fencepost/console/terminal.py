"""The terminal, or the file or CI log, that `fencepost run` writes to.

It has its own stdout from the start, since pytest redirects that of the process while a scenario runs. A live line is only for a terminal
that a person looks at: a file and a CI log get plain lines, without control codes. NO_COLOR and FORCE_COLOR decide on colours.
"""

import contextlib
import io
import os
import re
import sys
import textwrap
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any, TextIO

from rich.console import Console, ConsoleDimensions
from rich.style import Style
from rich.text import Text

_STYLES = {"light": "dim", "purple": "magenta"}
"""Styles that pytest and rich name differently."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Control characters that a system may have sent, and that must not reach the terminal."""
_URL = re.compile(r"https?://[^\s;,)\]]+")
_NARROWEST = 20
_OF_A_FILE = 240
_HANGING = 6
"""How far the rest of a broken line is indented, if the line itself is not."""


class _OwnSize(Console):
    """A console that asks its own file for the size; rich asks the process's standard streams, which pytest redirects."""

    @property
    def size(self) -> ConsoleDimensions:
        width, height = super().size
        if not self._environ.get("COLUMNS", "").isdigit():
            with contextlib.suppress(OSError, ValueError, AttributeError):
                width, height = os.get_terminal_size(self.file.fileno())
        return ConsoleDimensions(width or 80, height or 25)

    @size.setter
    def size(self, new_size: tuple[int, int]) -> None:
        raise NotImplementedError

    def on_broken_pipe(self) -> None:
        """The reader has closed the pipe, as in `fencepost run | head`: the run continues for its results."""
        self.quiet = True


class Screen:
    """Where a run is shown. Writes as pytest's terminal reporter does: `write`, `write_line`, `section`."""

    def __init__(self, stdout: TextIO | None = None, environment: Mapping[str, str] = os.environ, *, may_live: bool = True) -> None:
        self._file, self._is_ours = _own_copy(stdout or sys.stdout)
        self._column = 0
        self._is_terminal = is_terminal = self._file.isatty()
        in_ci = environment.get("CI", "").lower() not in ("", "0", "false")
        forced = environment.get("FORCE_COLOR", "") not in ("", "0")
        self.is_live = may_live and is_terminal and not in_ci and environment.get("TERM") != "dumb"
        self.console = _OwnSize(
            file=self._file,
            force_terminal=is_terminal or forced,
            color_system="standard" if forced and not is_terminal else "auto",
            no_color=bool(environment.get("NO_COLOR")),
            highlight=False,
            markup=False,
            emoji=False,
        )

    @property
    def width(self) -> int:
        """The columns of a terminal; a file has room for everything, and a log has a fixed width."""
        return self.console.width if self._is_terminal else _OF_A_FILE

    def write(self, text: str, **markup: bool) -> None:
        """Write a part of a line; markup is pytest's, such as `red=True`."""
        self._column += len(text)
        self.console.out(text, end="", style=_style(markup))

    def write_line(self, text: str = "", **markup: bool) -> None:
        """Write lines, or the rest of one; a line too long for a terminal is broken between words."""
        first, *others = text.split("\n")
        self._write_line(first, markup)
        for line in others:
            self._write_line(line, markup)

    def _write_line(self, text: str, markup: Mapping[str, bool]) -> None:
        text = _CONTROL.sub(lambda found: repr(found[0])[1:-1], text)
        room = max(self.width, _NARROWEST)
        if self._is_terminal and len(text) + self._column > room:
            indent = " " * min(len(text) - len(text.lstrip()) or _HANGING, room // 2)
            text = textwrap.fill(
                text, room, initial_indent=" " * self._column, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
            )[self._column :]
        self._column = 0
        if not self._is_terminal:
            self.console.out(text, style=_style(markup))
            return
        # A link longer than the terminal is wide stays one: the terminal breaks it, and receives its target.
        shown = Text(text, style=_style(markup) or "")
        shown.highlight_regex(_URL, lambda url: Style(link=url))
        self.console.print(shown, no_wrap=True, overflow="ignore", crop=False)

    def section(self, title: str, sep: str = "=", **markup: bool) -> None:
        """Write a title across the width, at most 100 columns."""
        across = min(self.console.width, 100)
        self.write_line()
        self.write_line(f" {title} ".center(across, sep), **(markup or {"bold": True}))

    def waiting(self, what: str) -> AbstractContextManager[object]:
        """On a terminal, show what is waited for while the block runs."""
        return self.console.status(what) if self.is_live else contextlib.nullcontext()

    def close(self) -> None:
        """Close the copy of stdout."""
        with contextlib.suppress(OSError, ValueError):
            self._file.flush()
        if self._is_ours:
            with contextlib.suppress(OSError):
                self._file.close()


def _own_copy(stdout: TextIO) -> tuple[TextIO, bool]:
    """A separate file object on the same terminal or file, if there is one underneath."""
    try:
        stdout.flush()
        return os.fdopen(os.dup(stdout.fileno()), "w", encoding=stdout.encoding, errors="backslashreplace"), True
    except (OSError, AttributeError, io.UnsupportedOperation):
        return stdout, False


def _style(markup: Mapping[str, Any]) -> Style | None:
    names = [_STYLES.get(name, name) for name, is_on in markup.items() if is_on]
    return Style.parse(" ".join(names)) if names else None
