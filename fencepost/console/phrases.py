"""A scenario's verdict as one line, shortened to fit while keeping what matters."""

import re

from fencepost.contract.verdict import ScenarioResult

from .verdict_matrix import SIGNS

_DOTS = "..."
_LEAST = 12
"""Fewer characters of a text are useless."""


def line_of(result: ScenarioResult) -> str:
    """Such as `+ KIP890-060 [1] A commit of one record: met (0.02 s)`."""
    return f"{_head(result)}: {result.verdict.words} ({result.seconds:.2f} s)" + (f": {result.reason}" if result.reason else "")


def line_of_red(result: ScenarioResult, room: int) -> str:
    """The requirement and the title, then what was expected and seen, or why it is unknown; at most `room` characters."""
    head = _head(result)
    if result.violation is None:
        return shortened(f"{head}: {result.verdict.words}: {result.reason}", room)
    reported = f"{head}: expected {_flat(result.violation.expected)}; seen {_flat(result.violation.seen)}"
    if len(reported) <= room:
        return reported
    head = shortened(head, max(room // 2, _LEAST))
    each = (room - len(head) - len(": expected ; seen ")) // 2
    if each < _LEAST:
        return shortened(reported, room)
    return f"{head}: expected {without_middle(result.violation.expected, each)}; seen {without_middle(result.violation.seen, each)}"


def counted(number: int, what: str) -> str:
    """Such as `1 scenario` and `2 scenarios`."""
    return f"{number} {what if number == 1 else plural(what)}"


def plural(what: str) -> str:
    """Such as `containers` and `processes`."""
    return f"{what}es" if what.endswith(("s", "ch")) else f"{what}s"


def shortened(text: str, room: int) -> str:
    """The beginning of a text, as one line."""
    line, room = _flat(text), max(room, _LEAST)
    return line if len(line) <= room else line[: room - len(_DOTS)] + _DOTS


def without_middle(text: str, room: int) -> str:
    """Both ends of a text, as one line: similar texts mostly differ at the end."""
    line = _flat(text)
    if len(line) <= room:
        return line
    end = (room - len(_DOTS)) // 2
    return line[: room - len(_DOTS) - end] + _DOTS + line[len(line) - end :]


def _head(result: ScenarioResult) -> str:
    provisional = " (provisional)" if result.is_provisional else ""
    return f"{SIGNS[result.verdict][0]} {result.requirement}{provisional} {result.name}"


def _flat(text: str) -> str:
    return re.sub(r"\s*[\r\n\t]\s*", " ", text.rstrip())
