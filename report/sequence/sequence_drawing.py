"""The picture as an SVG that needs nothing else. All that it shows is escaped, and it runs no script.

Its colours are variables, so that it is readable on a dark page too. What a colour says, words or the form of a line say as well. It is a
group of words for a reader who cannot see it: steps, requests and answers in their order.
"""

import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

from . import wording
from .calls import Call, calls_of
from .lanes import ADMIN, STORE, Lanes
from .log_columns import LEGEND, LogColumns
from .logs import DrawnLogs
from .rows import AnsweredRow, AskedRow, CallRow, HelperRow, OmittedRow, Row, StepRow, VerdictRow, rows_of
from .steps import Scene
from .svg import cleaned, cut, text

_LANE, _MARGIN, _TOP, _LETTER = 168, 78, 46, 6.1
_NARROWEST = 760
_MOST_HELPERS = 20
_LINE = 16
STYLE = resources.files(__package__).joinpath("style.css").read_text(encoding="utf-8")
"""The colours and lines of all pictures."""


def drawn(events: Iterable[Mapping[str, Any]], title: str, scene: Scene | None = None, *, is_whole: bool = True, alone: bool = True) -> str:
    """The SVG of a scenario's history. `alone` says that it brings its own colours; without, the page has `STYLE`.

    `is_whole` is False where the history could not be read to its end, which the picture says.
    """
    known = scene or Scene()
    calls = calls_of(events)
    shown = [call for call in calls if not call.is_helper]
    nodes = {call.node for call in shown} - {ADMIN, STORE}
    strips = LogColumns(DrawnLogs(calls))
    return _Picture(Lanes.of(shown), strips, rows_of(calls, known), len(calls), len(nodes) > 1).svg(title, is_whole, alone)


@dataclass(frozen=True)
class _Picture:
    lanes: Lanes
    logs: LogColumns
    rows: list[Row]
    count: int
    has_nodes: bool
    """Whether several nodes are asked, so that words have to say which."""

    @property
    def width(self) -> int:
        """That of the lanes; the logs stand to the right of it."""
        return max(_NARROWEST, 2 * _MARGIN + _LANE * (len(self.lanes.names) - 1))

    @property
    def whole_width(self) -> int:
        return self.width + self.logs.width

    def _x(self, lane: int) -> float:
        between = (self.width - 2 * _MARGIN) / max(1, len(self.lanes.names) - 1)
        return _MARGIN + lane * between

    def svg(self, title: str, is_whole: bool, alone: bool) -> str:
        body: list[str] = []
        y = _TOP
        for row in self.rows:
            body += self._row(row, y)
            if (place := _heard_at(row)) is not None:
                body += self.logs.changes(place, self.width, y + self._height(row) - 22)
            y += self._height(row)
        if not is_whole:
            body.append(text(12, y + 15, "The history could not be read any further; it is cut off here.", "r"))
            y += 24
        elif not self.count:
            body.append(text(12, y + 15, "Nothing was asked.", "q"))
            y += 24
        if self.logs.names:
            for line in textwrap.wrap(LEGEND, int((self.whole_width - 40) / _LETTER)):
                body.append(text(12, y + 15, line, "q"))
                y += _LINE
            y += 8
        height = y + 12
        said = f"{title}: {self.count} requests between {', '.join(self.lanes.names) or 'no one'}"
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="fpq" width="{self.whole_width}" height="{height}"'
            f' viewBox="0 0 {self.whole_width} {height}" role="group" aria-label="{cleaned(said)}">',
            *([f"<style>{STYLE}</style>"] if alone else []),
            f'<rect class="p" width="{self.whole_width}" height="{height}"/>',
            *self._heads(height),
            *self.logs.heads(self.width, height),
            *body,
            "</svg>",
        ]
        return "\n".join(lines) + "\n"

    def _heads(self, height: int) -> Iterator[str]:
        for number, name in enumerate(self.lanes.names):
            x = self._x(number)
            yield f'<line x1="{x:.0f}" y1="{_TOP - 14}" x2="{x:.0f}" y2="{height - 8}"/>'
            yield f'<rect class="b" x="{x - 74:.0f}" y="8" width="148" height="24" rx="4"/>'
            yield text(x, 24, cut(name, 23), "k", anchor="middle", tip=name if len(name) > 23 else "")

    def _height(self, row: Row) -> int:
        match row:
            case StepRow(said=said):
                return 8 + _LINE * len(self._wrapped(said.words))
            case CallRow(call=call):
                return 26 if call.is_unanswered_by_design else 42
            case AskedRow() | AnsweredRow():
                return 26
            case VerdictRow():
                return 18 + _LINE * len(self._verdict(row))
            case _:
                return 20

    def _row(self, row: Row, y: int) -> Iterator[str]:
        match row:
            case StepRow(said=said):
                yield from self._step(said.words, said.fault, said.outcome, y, self._height(row) - 4)
            case CallRow(call=call, times=times):
                yield from self._mark(row.is_decisive, y, self._height(row))
                yield from self._asked(call, y + 6, times, row.is_decisive)
                if not call.is_unanswered_by_design:
                    yield from self._answered(call, y + 24, False, row.is_decisive)
            case AskedRow(call=call):
                yield from self._mark(row.is_decisive, y, 26)
                yield from self._asked(call, y + 6, 1, row.is_decisive)
            case AnsweredRow(call=call):
                yield from self._mark(row.is_decisive, y, 26)
                yield from self._answered(call, y + 6, row.is_late, row.is_decisive)
            case HelperRow(calls=calls):
                named = wording.helpers(list(calls))
                yield text(self.width / 2, y + 13, named, "q h", anchor="middle", tip=", ".join(map(wording.title, calls[:_MOST_HELPERS])))
            case OmittedRow(rows=count):
                yield text(self.width / 2, y + 13, f"{count} rows are left out", "q h", anchor="middle")
            case VerdictRow():
                height = self._height(row) - 8
                yield f'<rect class="v" x="8" y="{y + 2}" width="{self.width - 16}" height="{height}" rx="4"/>'
                for number, (line, style) in enumerate(self._verdict(row)):
                    yield text(18, y + 18 + _LINE * number, line, style)

    def _mark(self, is_decisive: bool, y: int, height: int) -> Iterator[str]:
        if is_decisive:
            yield f'<rect class="m" x="4" y="{y}" width="{self.width - 8}" height="{height}" rx="4"/>'
            yield text(self.width - 12, y + height - 5, "decisive", "k", anchor="end")

    def _step(self, words: str, fault: str | None, outcome: str, y: int, height: int) -> Iterator[str]:
        """A crash is a bar through everything."""
        yield f'<rect class="{"x" if fault else "b"}" x="0" y="{y + 2}" width="{self.whole_width}" height="{height}"/>'
        ending = {"failed": " (failed)", "not reached": " (not reached)"}.get(outcome, "")
        reported = f"{words}{f' [{fault}]' if fault else ''}{ending}"
        for number, line in enumerate(self._wrapped(reported)):
            yield text(12, y + 16 + _LINE * number, line, "w" if fault else "k")

    def _asked(self, call: Call, y: int, times: int, is_decisive: bool) -> Iterator[str]:
        asker, asked = self.lanes.between(call)
        is_lost = call.outcome == "info" and not call.is_unanswered_by_design
        said = wording.request(call) + (f" ({times} times)" if times > 1 else "")
        yield from self._arrow(asker, asked, y + 9, "a", is_lost, said, is_decisive, call)

    def _answered(self, call: Call, y: int, is_late: bool, is_decisive: bool) -> Iterator[str]:
        asker, asked = self.lanes.between(call)
        if call.outcome == "info":
            yield self._label(min(asker, asked), y + 5, f"✕ {wording.answer(call)}", "r", is_decisive, wording.answer(call))
            return
        look = "g" if call.outcome == "ok" else "r"
        said = f"{wording.title(call)}: {wording.answer(call)}" if call.is_push else wording.answer(call)
        yield from self._arrow(asked, asker, y + 9, look, is_late, said, is_decisive, call)

    def _arrow(self, begin: int, end: int, y: float, look: str, is_dashed: bool, said: str, is_decisive: bool, call: Call) -> Iterator[str]:
        first, last = self._x(begin), self._x(end)
        if begin == end:  # asks itself
            last = first + 40
        toward = 1 if last > first else -1
        shaft, head = f"M{first:.0f} {y:.0f}H{last - 6 * toward:.0f}", f"M{last:.0f} {y:.0f}l{-7 * toward}-3.5v7z"
        if is_dashed:
            yield f'<path class="{look} d" d="{shaft}"/><path class="{look}" d="{head}"/>'
        else:
            yield f'<path class="{look}" d="{shaft}{head}"/>'
        tip = wording.full(call) if self.has_nodes and (look == "a" or call.is_push) else said
        yield self._label(min(begin, end), y - 4, said, look, is_decisive, tip)

    def _label(self, lane: int, y: float, said: str, look: str, is_decisive: bool, tip: str) -> str:
        """Words that begin at a lane, or further left where they would not have room."""
        shown = cut(said, int((self.width - 24) / _LETTER))
        x = max(8.0, min(self._x(lane) + 8, self.width - 8 - len(shown) * _LETTER))
        return text(x, y, shown, f"h {look}{' hm' if is_decisive else ''}", tip="" if tip == shown else tip)

    def _verdict(self, row: VerdictRow) -> list[tuple[str, str]]:
        reported = (("about", row.what, "q"), ("expected", row.expected, "g"), ("seen", row.seen, "r"))
        return [(line, style) for name, said, style in reported if said is not None for line in self._wrapped(f"{name}: {cut(said, 900)}")]

    def _wrapped(self, said: str) -> list[str]:
        return textwrap.wrap(cut(said, 1200), int((self.width - 40) / _LETTER)) or [""]


def _heard_at(row: Row) -> int | None:
    """The place in the history at which the row's answer came; None for a row without one."""
    match row:
        case CallRow(call=call, last=last):
            return (last or call).ended
        case AnsweredRow(call=call):
            return call.ended
        case _:
            return None
