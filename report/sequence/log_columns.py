"""The logs, to the right of the lanes: at each answer that says something new, the logs that it changes, cell by cell."""

from collections.abc import Iterator

from .logs import ABORTED, COMMITTED, MARKER, OPEN, PLAIN, DrawnEntry, DrawnLogs, LogStrip
from .svg import cleaned, cut, text

LEGEND = (
    "Logs, as far as answers show them: dashed is open, green committed, red aborted, grey a marker, "
    "without colour outside of a transaction; the bar is the last stable offset."
)
_MOST_LOGS, _MOST_CELLS = 3, 6
_CELL, _HEIGHT, _GAP, _LETTERS = 50, 16, 30, 6
_LOOKS = {PLAIN: "lp", OPEN: "lo", COMMITTED: "lc", ABORTED: "la", MARKER: "lm"}


class LogColumns:
    """A column for each of the first few logs. It remembers what it has drawn, so rows are asked for from top to bottom."""

    def __init__(self, logs: DrawnLogs) -> None:
        self._logs = logs
        self.names = logs.names[:_MOST_LOGS]
        self._left_out = len(logs.names) - len(self.names)
        self._drawn = {name: LogStrip(name) for name in self.names}

    @property
    def width(self) -> int:
        """0 where no log is known."""
        return sum(map(self._width, self.names)) + 10 if self.names else 0

    def heads(self, x: int, height: int) -> Iterator[str]:
        """The names, with a line down from each."""
        for name in self.names:
            width = self._width(name)
            yield f'<line x1="{x + 8}" y1="32" x2="{x + 8}" y2="{height - 32}"/>'
            yield f'<rect class="b" x="{x + 4}" y="8" width="{width - 8}" height="24" rx="4"/>'
            room = (width - 16) // 7
            yield text(x + 10, 24, cut(f"log {name}", room), "k", tip=name if len(name) + 4 > room else "")
            x += width
        if self._left_out:
            yield text(x - 4, 44, f"and {self._left_out} more log{'s' if self._left_out > 1 else ''}", "q", anchor="end")

    def changes(self, place: int, x: int, y: int) -> Iterator[str]:
        """The logs that are otherwise than they were drawn last."""
        known = self._logs.at(place)
        for name in self.names:
            strip = known.get(name, self._drawn[name])
            if strip != self._drawn[name]:
                self._drawn[name] = strip
                yield from _drawn(strip, x + 8, y)
            x += self._width(name)

    def _width(self, name: str) -> int:
        last = self._logs.last[name]
        more = 24 if len(last.entries) > _MOST_CELLS else 0
        return max(120, _CELL * min(_MOST_CELLS, len(last.entries)) + more + _GAP)


def _drawn(strip: LogStrip, x: int, y: int) -> Iterator[str]:
    shown = strip.entries[-_MOST_CELLS:]
    left_out = len(strip.entries) - len(shown)
    yield f"<g><title>{cleaned(cut(str(strip), 400))}</title>"
    if left_out:
        yield text(x, y + 12, f"+{left_out}", "q")
        x += 24
    for state, look in _LOOKS.items():
        cells = "".join(f"M{x + _CELL * number} {y}h{_CELL}v{_HEIGHT}h-{_CELL}z" for number, one in enumerate(shown) if one.state == state)
        if cells:
            yield f'<path class="{look}" d="{cells}"/>'
    for number, one in enumerate(shown):
        yield text(x + _CELL * number + 3, y + 12, one.words if len(one.words) <= _LETTERS + 1 else f"{one.words[:_LETTERS]}…")
    if strip.stable is not None:
        at = x + _CELL * sum(_is_before(one, strip.stable) for one in shown)
        yield f'<path class="ls" d="M{at} {y - 3}v{_HEIGHT + 6}"/>'
    yield "</g>"


def _is_before(entry: DrawnEntry, stable: int) -> bool:
    return entry.offset is not None and entry.offset < stable
