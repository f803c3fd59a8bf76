"""A witness as a picture: a lane for each client, a bar from invocation to completion, in the order of the events.

Here are only the places of things; the template draws them, so that all text is escaped in one place.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from .witnesses import Act

WIDTH, LANE, LEFT, TOP = 960, 56, 150, 24
_LETTERS = 58


@dataclass(frozen=True)
class Bar:
    """One operation."""

    x: float
    y: float
    width: float
    outcome: str
    label: str
    label_x: float
    title: str


@dataclass(frozen=True)
class Picture:
    """All that a time line shows."""

    width: int
    height: int
    lanes: tuple[tuple[str, float], ...]
    bars: tuple[Bar, ...]


def picture(acts: Sequence[Act]) -> Picture:
    """Where everything is. Time goes from left to right by the order of events, so that a long pause takes no room."""
    clients = list(dict.fromkeys(act.who for act in acts))
    moments = sorted({moment for act in acts for moment in (act.began, act.ended)})
    step = (WIDTH - LEFT - 40) / max(1, len(moments) - 1) if len(moments) > 1 else 0
    place = {moment: LEFT + 10 + index * step for index, moment in enumerate(moments)}
    rows: dict[str, int] = {}
    bars = []
    for act in acts:
        y = TOP + clients.index(act.who) * LANE + 8
        rows[act.who] = rows.get(act.who, 0) + 1
        label = act.moved[0] if act.moved else act.f
        label = label if len(label) <= _LETTERS else label[: _LETTERS - 3] + "..."
        x = place[act.began]
        # A label that would run over the edge ends at the bar's end instead.
        label_x = min(x, WIDTH - 7.0 * len(label))
        bars.append(Bar(x, y, max(6.0, place[act.ended] - x), act.outcome, label, max(LEFT, label_x), str(act)))
    lanes = tuple((client, TOP + index * LANE + 18.0) for index, client in enumerate(clients))
    return Picture(WIDTH, TOP + LANE * max(1, len(clients)), lanes, tuple(bars))
