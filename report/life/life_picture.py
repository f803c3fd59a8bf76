"""The picture: calls as bars above, records as bars below, both along the events of the history. All that it shows is escaped."""

from collections.abc import Iterator
from html import escape

from .transaction_life import Life, LifeRecord

_LEFT, _STEP, _ROW, _BAR, _TOP, _RIGHT = 330, 46, 26, 16, 66, 30
_LONGEST = 46
_HEADERS, _OPERATIONS, _EVENTS = "/txn/id/", "/txn/op/", "/txn/events/"
_COLOURS = {_HEADERS: "#2f6f3e", _OPERATIONS: "#3d5a80", _EVENTS: "#a36a00"}
_OTHER, _CALL = "#6b6b6b", "#333333"


def drawn(life: Life) -> str:
    """The SVG."""
    rows = len(life.calls) + len(life.records) + 1
    width, height = _LEFT + _STEP * (life.length + 1) + _RIGHT, _TOP + _ROW * rows + 20
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11"'
        f' role="img" aria-label="{escape(f"The life of transaction {life.transaction} in the metadata store")}">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        _text(12, 24, f"Transaction {life.transaction}: what its client requested, and what the metadata store held", size=14),
        _text(
            12,
            44,
            "from left to right in the order of the history; a bar that reaches the right edge is still there",
            size=11,
            fill="#555555",
        ),
        *_calls(life),
        *_records(life),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _calls(life: Life) -> Iterator[str]:
    for row, call in enumerate(life.calls):
        y = _TOP + _ROW * row
        end = life.length if call.answered is None else call.answered
        yield _text(12, y + 12, call.name, fill=_CALL)
        yield _bar(call.asked, end, y, _CALL, opacity=0.25)
        if call.answered is not None:
            yield _text(_x(call.answered) + 4, y + 12, "answered", size=10, fill=_CALL)


def _records(life: Life) -> Iterator[str]:
    for row, record in enumerate(life.records.values(), start=len(life.calls) + 1):
        y = _TOP + _ROW * row
        colour = next((colour for prefix, colour in _COLOURS.items() if record.key.startswith(prefix)), _OTHER)
        yield _text(12, y + 12, _shortened(record.key), fill=colour, title=record.key)
        yield from _stages(record, life.length, y, colour)


def _stages(record: LifeRecord, length: int, y: int, colour: str) -> Iterator[str]:
    """A bar for each thing that the record said, up to the next one, its deletion, or the end."""
    ends = [place for place, _ in record.said[1:]] + [length if record.deleted is None else record.deleted]
    for number, ((begin, said), end) in enumerate(zip(record.said, ends, strict=True)):
        yield _bar(begin, end, y, colour, opacity=0.35 if number == 0 else 0.7)
        yield _text(_x(begin) + 3, y + 12, said, size=10)
    if record.deleted is not None:
        yield _text(_x(record.deleted) + 4, y + 12, "deleted", size=10, fill=colour)


def _x(place: int) -> int:
    return _LEFT + _STEP * place


def _bar(begin: int, end: int, y: int, colour: str, opacity: float) -> str:
    return f'<rect x="{_x(begin)}" y="{y}" width="{max(_STEP * (end - begin), 3)}" height="{_BAR}" fill="{colour}" opacity="{opacity}"/>'


def _text(x: int, y: int, said: str, *, size: int = 11, fill: str = "#000000", title: str | None = None) -> str:
    tip = f"<title>{escape(title)}</title>" if title else ""
    return f'<text x="{x}" y="{y}" font-size="{size}" fill="{fill}">{escape(said)}{tip}</text>'


def _shortened(key: str) -> str:
    """The key without its middle, where it is too long: its class and its number show most."""
    half = (_LONGEST - 3) // 2
    return key if len(key) <= _LONGEST else f"{key[:half]}...{key[-half:]}"
