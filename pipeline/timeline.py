"""A witness as a picture: a lane for each client, a bar from invocation to completion, in the order of the events.

Here are only the places of things; the template draws them, so that all text is escaped in one place.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from .witnesses import WitnessedAct

WIDTH, LANE, LEFT, TOP = 960, 56, 150, 24
_LETTER = 6.5
"""How wide a letter of a label is."""
_LEAST_ROOM = 100


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
class TimelinePicture:
    """All that a time line shows."""

    width: int
    height: int
    lanes: tuple[tuple[str, float], ...]
    bars: tuple[Bar, ...]


def picture(acts: Sequence[WitnessedAct]) -> TimelinePicture:
    """Where everything is. Time goes from left to right by the order of events, so that a long pause takes no room."""
    clients = list(dict.fromkeys(act.who for act in acts))
    moments = sorted({moment for act in acts for moment in (act.began, act.ended)})
    step = (WIDTH - LEFT - 40) / max(1, len(moments) - 1) if len(moments) > 1 else 0
    place = {moment: LEFT + 10 + index * step for index, moment in enumerate(moments)}
    bars = []
    for act in acts:
        y = TOP + clients.index(act.who) * LANE + 8
        x = place[act.began]
        later = [place[other.began] for other in acts if other.who == act.who and other.began > act.began]
        label = _label(act, min(later, default=WIDTH + _LEAST_ROOM) - x)
        label_x = min(x, WIDTH - _LETTER * len(label))  # a label that would cross the edge ends there instead
        bars.append(Bar(x, y, max(6.0, place[act.ended] - x), act.outcome, label, max(LEFT, label_x), str(act)))
    lanes = tuple((client, TOP + index * LANE + 18.0) for index, client in enumerate(clients))
    return TimelinePicture(WIDTH, TOP + LANE * max(1, len(clients)), lanes, tuple(bars))


def _label(act: WitnessedAct, room: float) -> str:
    """What the operation moved, as far as there is room until the next one of its client."""
    label, letters = "; ".join(act.moved) or act.f, int(max(room, _LEAST_ROOM) / _LETTER)
    return label if len(label) <= letters else label[: letters - 3] + "..."
