"""The log of each partition as it grows: its records with what became of their transactions, its markers, and its last stable offset.

All of it is from answers: a record is there once its write was acknowledged or it was read, a marker once Fetch showed it, and the last
stable offset is that of the last Fetch or ListOffsets that named one. What no answer shows is not drawn.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .calls import Call
from .lanes import seen_logs, short

PLAIN, OPEN, COMMITTED, ABORTED, MARKER = "plain", "open", "committed", "aborted", "marker"
_DECIDED = {"commit": COMMITTED, "abort": ABORTED}
_LATEST = -1
"""The timestamp by which ListOffsets asks for the end of the log."""


@dataclass(frozen=True)
class DrawnEntry:
    """A record or a marker. `offset` is None where no answer has it; `state` is what is known of its transaction."""

    offset: int | None
    words: str
    state: str
    transaction: tuple[Any, ...] = ()


@dataclass(frozen=True)
class LogStrip:
    """A log at one moment: its entries in the order of the log, and its last stable offset if an answer has one."""

    name: str
    entries: tuple[DrawnEntry, ...] = ()
    stable: int | None = None

    def __str__(self) -> str:
        entries = ", ".join(f"{'' if one.offset is None else f'{one.offset} '}{one.words} {one.state}" for one in self.entries) or "empty"
        return f"{self.name}: {entries}" + ("" if self.stable is None else f"; last stable offset {self.stable}")


class DrawnLogs:
    """All logs of a history. `names` are in the order in which they were written or read first."""

    def __init__(self, calls: Iterable[Call]) -> None:
        self._strips: dict[str, LogStrip] = {}
        self._places: list[int] = []
        self._moments: list[Mapping[str, LogStrip]] = []
        for call in sorted((one for one in calls if one.ended is not None and one.outcome == "ok"), key=lambda one: one.ended or 0):
            before = dict(self._strips)
            self._hear(call, call.answered or {})
            if self._strips != before:
                self._places.append(call.ended or 0)
                self._moments.append(dict(self._strips))

    @property
    def last(self) -> Mapping[str, LogStrip]:
        """The logs at the end of the history."""
        return self._strips

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._strips)

    def at(self, place: int) -> Mapping[str, LogStrip]:
        """The logs as they were known at that place of the history."""
        number = bisect_right(self._places, place)
        return self._moments[number - 1] if number else {}

    def _hear(self, call: Call, answer: Mapping[str, Any]) -> None:
        transaction = _transaction(call.asked)
        for mop in answer.get("mops") or ():
            if mop["m"] in ("send", "recv") and mop.get("log") and mop.get("v") is not None:
                state = OPEN if mop["m"] == "send" and transaction else PLAIN
                offset = mop["o"] if isinstance(mop.get("o"), int) else None
                self._put(short(str(mop["log"])), DrawnEntry(offset, str(mop["v"]), state, transaction if state == OPEN else ()))
        if decided := _DECIDED.get(str(call.asked.get("f"))):
            self._decide(decided, lambda one, _: bool(transaction) and one.transaction == transaction)
        for log in seen_logs(answer.get("ctl") or {}):
            name = short(str(log.get("log")))
            if name not in self._strips:  # a log in which nothing was written or read, or one that is named by its id
                continue
            if isinstance(log.get("stable"), int):
                self._strips[name] = replace(self._strips[name], stable=log["stable"])
            markers = log.get("markers")
            for marker in markers if isinstance(markers, list) else ():
                self._mark(name, marker)
        if call.api == "list_offsets":
            for name, stable in _stable_offsets(answer):
                if name in self._strips:
                    self._strips[name] = replace(self._strips[name], stable=stable)

    def _put(self, name: str, entry: DrawnEntry) -> None:
        """One more record; one that is there already, by its offset or else its words, stays what it is."""
        strip = self._strips.get(name, LogStrip(name))
        for number, one in enumerate(strip.entries):
            if one.offset == entry.offset is not None or (one.words == entry.words and None in (one.offset, entry.offset)):
                found = one if one.offset is not None else replace(one, offset=entry.offset)
                self._strips[name] = _sorted(strip, (*strip.entries[:number], found, *strip.entries[number + 1 :]))
                return
        self._strips[name] = _sorted(strip, (*strip.entries, entry))

    def _mark(self, name: str, marker: Any) -> None:
        """A marker, which decides what its producer has written before it."""
        match marker:
            case {"offset": int(offset), "kind": ("COMMIT" | "ABORT") as kind, "producer_id": int(producer)}:
                self._put(name, DrawnEntry(offset, kind, MARKER))
                decided = _DECIDED[kind.lower()]
                self._decide(decided, lambda one, log: log == name and one.transaction[1] == producer and (one.offset or 0) < offset)

    def _decide(self, state: str, is_meant: Callable[[DrawnEntry, str], bool]) -> None:
        """The open records that are meant, each with its log, are what the end of their transaction made of them."""
        for name, strip in self._strips.items():
            entries = (replace(one, state=state) if one.state == OPEN and is_meant(one, name) else one for one in strip.entries)
            self._strips[name] = replace(strip, entries=tuple(entries))


def _sorted(strip: LogStrip, entries: Sequence[DrawnEntry]) -> LogStrip:
    """The same with these entries by their offsets; one without keeps its place after the one before it."""
    keys: list[int] = []
    for one in entries:
        keys.append(one.offset if one.offset is not None else keys[-1] if keys else -1)
    order = sorted(range(len(entries)), key=lambda number: keys[number])
    return replace(strip, entries=tuple(entries[number] for number in order))


def _transaction(event: Mapping[str, Any]) -> tuple[Any, ...]:
    """The transaction that an event names; empty where it names none."""
    tx = event.get("tx") or {}
    named = tuple(str(tx[name]) if isinstance(tx.get(name), dict | list) else tx.get(name) for name in ("tid", "pid", "epoch"))
    return named if named[0] is not None else ()


def _stable_offsets(answer: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """The ends that ListOffsets answered to a reader of committed data."""
    about = answer.get("ctl") or {}
    match about.get("request"), about.get("answer"):
        case {"isolation_level": "READ_COMMITTED", "topics": list(asked)}, {"topics": list(answered)}:
            latest = {place for place, value in _partitions(asked, "timestamp") if value == _LATEST}
            yield from ((place, value) for place, value in _partitions(answered, "offset") if place in latest and value >= 0)


def _partitions(topics: Sequence[Any], field: str) -> Iterator[tuple[str, int]]:
    for topic in topics:
        match topic:
            case {"name": str(name), "partitions": list(partitions)}:
                for one in partitions:
                    match one:
                        case {"partition_index": int(index), **rest} if isinstance(value := rest.get(field), int):
                            yield short(f"{name}-{index}"), value
