"""What a soak run measures while it goes on: calls by outcome, how long they took, faults and anomalies, all over time.

Memory is bounded: there are at most `_MOST` slots of time, and when more would be needed two slots become one.
"""

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from fencepost.contract.outcomes import Done, Outcome, Refused

T = TypeVar("T")
_MOST = 240
_KEPT = 64
"""How many durations a slot keeps of each kind of call; further ones overwrite them in turn."""
OK, REFUSED, UNKNOWN = "ok", "refused", "unknown"


@dataclass
class Slot:
    """The calls that ended in one span of time."""

    outcomes: Counter[str] = field(default_factory=Counter)
    took_ms: dict[str, list[float]] = field(default_factory=dict)
    """For each kind of call, how long some of them took, in milliseconds."""

    def add(self, kind: str, outcome: str, took_ms: float) -> None:
        """Count one call."""
        number = self.outcomes.total()
        self.outcomes[outcome] += 1
        kept = self.took_ms.setdefault(kind, [])
        if len(kept) < _KEPT:
            kept.append(took_ms)
        else:
            kept[number % _KEPT] = took_ms

    def merged(self, other: "Slot") -> "Slot":
        """Both slots as one."""
        kinds = {*self.took_ms, *other.took_ms}
        both = {kind: [*self.took_ms.get(kind, ()), *other.took_ms.get(kind, ())] for kind in kinds}
        return Slot(self.outcomes + other.outcomes, {kind: took[:: max(1, len(took) // _KEPT)] for kind, took in both.items()})


@dataclass(frozen=True)
class SoakMark:
    """An event at one moment, or in a span: a fault, or the anomalies of a segment. Seconds since the run began."""

    begin_s: float
    end_s: float
    what: str


class SoakFigures:
    """The figures of a run. Several threads add to them."""

    def __init__(self, now_ms: Callable[[], float]) -> None:
        self._now_ms = now_ms
        self._began_ms = now_ms()
        self._lock = threading.Lock()
        self.slot_s = 1.0
        self.slots: list[Slot] = []
        self.refusals: Counter[str] = Counter()
        self.faults: list[SoakMark] = []
        self.anomalies: list[SoakMark] = []

    @property
    def elapsed_s(self) -> float:
        """How long the run has lasted, on the system's clock."""
        return (self._now_ms() - self._began_ms) / 1000

    @property
    def totals(self) -> Counter[str]:
        """All calls by their outcome."""
        with self._lock:
            return sum((slot.outcomes for slot in self.slots), Counter())

    def timed(self, kind: str, act: Callable[[], Outcome[T]]) -> Outcome[T]:
        """Make a call and count its outcome."""
        began = self._now_ms()
        outcome = act()
        self._add(kind, outcome, self._now_ms() - began)
        return outcome

    def _add(self, kind: str, outcome: Outcome[Any], took_ms: float) -> None:
        name = OK if isinstance(outcome, Done) else REFUSED if isinstance(outcome, Refused) else UNKNOWN
        with self._lock:
            if isinstance(outcome, Refused):
                self.refusals[f"{kind}: {outcome.error}"] += 1
            while (number := int(self.elapsed_s / self.slot_s)) >= _MOST:
                self.slots = [self._pair(index) for index in range(0, len(self.slots), 2)]
                self.slot_s *= 2
            while len(self.slots) <= number:
                self.slots.append(Slot())
            self.slots[number].add(kind, name, took_ms)

    def _pair(self, index: int) -> Slot:
        first, *second = self.slots[index : index + 2]
        return first.merged(second[0]) if second else first
