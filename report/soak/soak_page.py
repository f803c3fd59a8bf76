"""A soak run as one HTML page: no script, nothing from elsewhere, every word escaped.

The pictures share one axis of time. Faults are bands through all of them and anomalies are marks, so that a reader sees what a fault did
to throughput and latency, and whether an anomaly came with it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fencepost.report.compliance.templates import templates_in

_WIDTH, _LEFT, _RIGHT, _HEIGHT = 960, 64, 16, 150
_TICKS = 6
_TEMPLATES = templates_in(Path(__file__).parent)
OUTCOMES = ("ok", "refused", "unknown")


@dataclass(frozen=True)
class Axis:
    """The values of an axis, from 0 to `most`, and where they stand."""

    most: float
    begin: float
    length: float

    def at(self, value: float) -> float:
        """The place of a value, in pixels."""
        return round(self.begin + self.length * (min(value, self.most) / self.most), 1)

    @property
    def ticks(self) -> Sequence[tuple[float, float]]:
        """Round values with their places."""
        step = next(
            unit * factor for unit in (10.0**power for power in range(-3, 9)) for factor in (1, 2, 5) if unit * factor * _TICKS >= self.most
        )
        return [(number * step, self.at(number * step)) for number in range(int(self.most / step) + 1)]


@dataclass(frozen=True)
class SoakPicture:
    """One picture: layers to fill and lines to draw, each with its name and its points."""

    title: str
    unit: str
    time: Axis
    values: Axis
    areas: Sequence[tuple[str, str]] = ()
    lines: Sequence[tuple[str, str]] = ()


def render(document: dict[str, Any]) -> str:
    """The page of a `soak.json`."""
    time = Axis(max(document["slot_s"] * max(len(document["slots"]), 1), 1.0), _LEFT, _WIDTH - _LEFT - _RIGHT)
    pictures = [_throughput(document, time), _latency(document, time)] if document["slots"] else []
    return _TEMPLATES.get_template("page.html.j2").render(
        soak=document, pictures=pictures, time=time, width=_WIDTH, height=_HEIGHT, left=_LEFT, outcomes=OUTCOMES
    )


def _throughput(document: dict[str, Any], time: Axis) -> SoakPicture:
    slots, slot_s = document["slots"], document["slot_s"]
    whole = [sum(slot[outcome] for outcome in OUTCOMES) / slot_s for slot in slots]
    values = _upwards(max(whole))
    below, areas = [0.0] * len(slots), []
    for outcome in OUTCOMES:
        above = [under + slot[outcome] / slot_s for under, slot in zip(below, slots, strict=True)]
        areas.append((outcome, _stairs(time, values, slot_s, above) + " " + _stairs(time, values, slot_s, below, back=True)))
        below = above
    return SoakPicture("Calls a second", "/s", time, values, areas=areas)


def _latency(document: dict[str, Any], time: Axis) -> SoakPicture:
    slots, slot_s = document["slots"], document["slot_s"]
    values = _upwards(max((slot["p99_ms"] or 0.0) for slot in slots))
    lines = [
        (name, " ".join(f"{time.at((number + 0.5) * slot_s)},{values.at(slot[key])}" for number, slot in enumerate(slots) if slot[key]))
        for name, key in (("median", "median_ms"), ("99th percentile", "p99_ms"))
    ]
    return SoakPicture("How long calls took", "ms", time, values, lines=lines)


def _upwards(most: float) -> Axis:
    """An axis that begins at the bottom of its picture."""
    return Axis(most or 1.0, _HEIGHT, -(_HEIGHT - 10))


def _stairs(time: Axis, values: Axis, slot_s: float, heights: Sequence[float], *, back: bool = False) -> str:
    """The points of a line that is level within each slot; from right to left where it goes back."""
    points: Iterable[tuple[float, float]] = [
        (time.at((number + side) * slot_s), values.at(height)) for number, height in enumerate(heights) for side in (0, 1)
    ]
    return " ".join(f"{x},{y}" for x, y in (reversed(list(points)) if back else points))
