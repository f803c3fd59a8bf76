"""How a system fares over its versions and over time, as two pictures. Here are only the places of things; the template draws them.

A version is a bar as long as its proposals have requirements, so that what was not run is seen to be missing. Over time each version has
a lane, and each run (the last one of its stretch) a column in it. A red is never too thin to be seen.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import accumulate

from fencepost.pipeline.compliance.facts import RED, STRETCHES, Moment, SystemColumn

from . import ticks
from .view import WORDS

# What is red is said first, and drawn last.
_SAID = ("met", "violated", "harness_error", "blocked", "inconclusive", "known_deviation", "not_offered")
STACK = ("met", "known_deviation", "not_offered", "blocked", "inconclusive", "harness_error", "violated")
WIDTH, LEFT, ROW, BAR, AREA, TOP = 1180.0, 210.0, 30.0, 18.0, 380.0, 6.0
LANE, COLUMN_AREA, AXIS = 44.0, WIDTH - LEFT - 50.0, 22.0
_HIGHEST = LANE - 12
_THINNEST = 3.0
_TICK = 5.0
_LABEL = 80.0
"""About how wide a time is that stands at the axis."""


@dataclass(frozen=True)
class Box:
    """A part of a bar: so many requirements with one verdict; `cut` is that of a run which is not complete."""

    verdict: str
    x: float
    y: float
    width: float
    height: float
    title: str
    cut: bool = False


@dataclass(frozen=True)
class PlacedText:
    """A text and where it stands; `anchor` is start, middle or end."""

    x: float
    y: float
    text: str
    anchor: str = "start"


@dataclass(frozen=True)
class ScaleLine:
    """A line of a scale, from one place to another."""

    x: float
    y: float
    to_x: float
    to_y: float


@dataclass(frozen=True)
class TrendPicture:
    """All that a picture shows, and the sentence that it stands for."""

    title: str
    height: float
    boxes: tuple[Box, ...]
    words: tuple[PlacedText, ...]
    lines: tuple[ScaleLine, ...] = ()
    width: float = WIDTH


def over_versions(system: str, columns: Sequence[SystemColumn]) -> TrendPicture:
    """A row for each version: its bar, and the same in words."""
    most = max(max(column.standing.due for column in columns), 1)
    boxes, words = [], []
    for number, column in enumerate(columns):
        standing, y = column.standing, TOP + number * ROW
        counts = standing.totals | {"not_run": standing.due - standing.judged}
        words.append(PlacedText(LEFT - 10, y + 13, _without_name(column), "end"))
        x = LEFT
        for verdict in (*STACK, "not_run"):
            if counts[verdict]:
                width = _size(verdict, counts[verdict], most, AREA)
                boxes.append(Box(verdict, x, y, width, BAR, f"{standing.system}: {counts[verdict]} {WORDS[verdict]}"))
                x += width
        counted = [f"{counts[verdict]} {WORDS[verdict]}" for verdict in _SAID if counts[verdict] or verdict == "met"]
        words.append(PlacedText(x + 8, y + 13, ", ".join(counted) + f" of {standing.due}"))
    return TrendPicture(f"{system} over its versions", TOP + ROW * len(columns), tuple(boxes), tuple(words))


def over_time(system: str, columns: Sequence[SystemColumn]) -> TrendPicture | None:
    """A lane for each version, from the first run of the system to its last; None where there is only one run.

    Below stand round times, and next to each lane how many requirements its height stands for.
    """
    moments = [moment for column in columns for moment in column.moments]
    if len(moments) < 2:
        return None
    most = max(max(_judged(moment.totals) for moment in moments), 1)
    step = COLUMN_AREA / STRETCHES
    boxes, words, lines = [], [], []
    for number, column in enumerate(columns):
        foot = TOP + (number + 1) * LANE - 6
        words.append(PlacedText(LEFT - 10, foot - 12, _without_name(column), "end"))
        for count, y in ((0, foot), (most, foot - _HIGHEST)):
            lines.append(ScaleLine(LEFT, y, LEFT + COLUMN_AREA + _TICK, y))
            words.append(PlacedText(LEFT + COLUMN_AREA + _TICK + 3, y + 4, str(count)))
        for moment in column.moments:
            x = LEFT + moment.stretch * step
            present = [verdict for verdict in STACK if moment.totals[verdict]]
            sizes = [_size(verdict, moment.totals[verdict], most, _HIGHEST) for verdict in present]
            for verdict, height, top in zip(present, sizes, accumulate(sizes), strict=True):
                boxes.append(Box(verdict, x, foot - top, step - 2, height, _in_words(moment), not moment.run.complete))
    end = TOP + LANE * len(columns) + 14
    times = [moment.run.started for moment in moments] + [time for column in columns for time in column.span or ()]
    scale = list(_scale(min(times), max(times), end))
    return TrendPicture(
        f"{system} over time",
        TOP + LANE * len(columns) + AXIS,
        tuple(boxes),
        (*words, *(one for one in scale if isinstance(one, PlacedText))),
        (*lines, *(one for one in scale if isinstance(one, ScaleLine))),
    )


def _scale(first: datetime, last: datetime, foot: float) -> Iterator[ScaleLine | PlacedText]:
    """The first and the last time, and between them a line for each round one; it has its time where there is room."""
    times, form = ticks.between(first, last)
    yield PlacedText(LEFT, foot, first.strftime(form))
    if first == last:
        return
    yield PlacedText(LEFT + COLUMN_AREA, foot, last.strftime(form), "end")
    for time in times:
        x = LEFT + COLUMN_AREA * ((time - first) / (last - first))
        yield ScaleLine(x, TOP, x, foot - 12)
        if LEFT + 1.5 * _LABEL < x < LEFT + COLUMN_AREA - 1.5 * _LABEL:
            yield PlacedText(x, foot, time.strftime(form), "middle")


def _size(verdict: str, count: int, most: int, area: float) -> float:
    return max(area * count / most, _THINNEST if verdict in RED else 1.0)


def _judged(totals: Mapping[str, int]) -> int:
    return sum(totals[verdict] for verdict in STACK)


def _in_words(moment: Moment) -> str:
    counts = ", ".join(f"{moment.totals[verdict]} {WORDS[verdict]}" for verdict in STACK if moment.totals[verdict])
    cut = "" if moment.run.complete else "; not complete"
    return f"{moment.run.started:%Y-%m-%d %H:%M} {moment.run.name}: {counts}{cut}{moment.run.beside}"


def _without_name(column: SystemColumn) -> str:
    system = replace(column.standing.system, defect=None)  # the picture says it
    return str(system).removeprefix(system.name).strip()[:34]
