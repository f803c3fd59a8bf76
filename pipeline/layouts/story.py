"""The history of one scalable topic. Its segments come from control actions, as `pipeline/anomalies/segments.py` describes."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

_BORN, _SEALS, _GONE = frozenset({"create", "split", "merge"}), frozenset({"split", "merge", "terminate"}), "prune"
_CHANGES = _SEALS | {_GONE}
_MOST_MARKS = 300
_LAST_HASH = 0xFFFF

Way: TypeAlias = Literal["send", "recv"]


@dataclass(frozen=True)
class StoryMove:
    """A record that an operation wrote or read, and in which log."""

    way: Way
    log: str
    value: str
    hash: int | None = None


@dataclass(frozen=True)
class Happening:
    """An operation of a history. `began` and `ended` are its events' numbers; `ended` is None if it never ended."""

    began: int
    ended: int | None
    who: str
    f: str
    outcome: Literal["ok", "fail", "info"]
    transaction: str | None = None
    ctl: Mapping[str, str] = field(default_factory=dict)
    moved: tuple[StoryMove, ...] = ()

    @property
    def is_done(self) -> bool:
        """Whether it is known to have succeeded."""
        return self.outcome == "ok"


@dataclass
class StorySegment:
    """A segment, with its first and last hash. Moments are events' numbers; `changing` is when its seal was asked for."""

    name: str
    first: int
    last: int
    born: int
    changing: int | None = None
    sealed: int | None = None
    gone: int | None = None

    @property
    def number(self) -> str:
        """Its number in the topic, the last part of its name; the whole name if it has none."""
        return self.name.rpartition("-")[2]


@dataclass(frozen=True)
class StoryMark:
    """A record that was written to a segment or read from it, when that ended."""

    at: int
    segment: str
    way: Way
    value: str
    hash: int | None
    transaction: str | None
    who: str
    is_done: bool
    is_meant: bool


@dataclass
class StoryTransaction:
    """A transaction that wrote to the topic: since when, until when, and how it ended (commit or abort); None while it has not."""

    name: str
    begun: int
    ended: int | None = None
    action: str | None = None


@dataclass
class Story:
    """A topic from the first to the last moment of a history. `left_out` counts records that are too many to be drawn."""

    topic: str
    segments: dict[str, StorySegment]
    marks: list[StoryMark]
    transactions: list[StoryTransaction]
    left_out: int
    last: int

    @property
    def moments(self) -> list[int]:
        """The events at which something is drawn, in their order."""
        segments = self.segments.values()
        found = {moment for one in segments for moment in (one.born, one.changing, one.sealed, one.gone) if moment is not None}
        found |= {one.at for one in self.marks} | {self.last}
        found |= {moment for one in self.transactions for moment in (one.begun, one.ended) if moment is not None}
        return sorted(found)


def happenings(events: Iterable[Mapping[str, Any]]) -> Iterator[Happening]:
    """The operations of a history, from its events: an operation's completion decides."""
    begun: dict[int, Mapping[str, Any]] = {}
    for event in events:
        if event["type"] == "invoke":
            begun[event["op_id"]] = event
        else:
            yield _happening(begun.pop(event["op_id"], event), event, event["idx"])
    for event in begun.values():
        yield _happening(event, {**event, "type": "info"}, None)


def story(happened: Iterable[Happening], topic: str | None = None, meant: Collection[int] = ()) -> Story | None:
    """The story of a topic, or of the first one whose layout changed if none is named; None if there is none.

    `meant` are the operations, by their first event, whose records are highlighted.
    """
    ordered = sorted(happened, key=lambda one: (one.began if one.ended is None else one.ended, one.began))
    topic = changed_topic(ordered) if topic is None else topic
    if topic is None:
        return None
    segments = _segments(ordered, topic)
    marks = [mark for one in ordered for mark in _marks(one, segments, one.began in meant)]
    kept = [mark for mark in marks if mark.is_meant] + [mark for mark in marks if not mark.is_meant][:_MOST_MARKS]
    named = {mark.transaction for mark in kept if mark.transaction is not None}
    last = max((one.began if one.ended is None else one.ended for one in ordered), default=0)
    return Story(topic, segments, kept, _transactions(ordered, named), len(marks) - len(kept), last)


def changed_topic(happened: Iterable[Happening], log: str | None = None) -> str | None:
    """The first topic whose layout changed, among those that have the segment `log` if that is named. A topic without a name is empty."""
    for one in happened:
        if one.is_done and one.f in _CHANGES and (log is None or log in _named(one)):
            return _topic(one)
    return None


def _topic(one: Happening) -> str:
    return one.ctl.get("topic", "")


def _named(one: Happening) -> set[str]:
    """The segments that a change names."""
    return set(one.ctl.get("segs", "").split(",")) | {child.rpartition(":")[0] for child in one.ctl.get("children", "").split(",")}


def _happening(begun: Mapping[str, Any], event: Mapping[str, Any], ended: int | None) -> Happening:
    moved = [
        StoryMove(mop["m"], mop["log"], str(mop.get("v")), mop.get("hash"))
        for mop in event["mops"] or begun["mops"]
        if mop["m"] in ("send", "recv") and mop["log"] is not None
    ]
    who = event.get("client") or "control"
    transaction = event["txn_id"] or begun["txn_id"]
    return Happening(begun["idx"], ended, who, event["f"], event["type"], transaction, event["ctl"] or {}, tuple(moved))


def _segments(ordered: Sequence[Happening], topic: str) -> dict[str, StorySegment]:
    found: dict[str, StorySegment] = {}
    for one in ordered:
        if not one.is_done or one.ended is None:
            continue
        if one.f in _BORN and _topic(one) == topic:
            for segment in _children(one):
                found.setdefault(segment.name, segment)
        for name in one.ctl.get("segs", "").split(","):
            if (sealed := found.get(name)) is not None and one.f in _SEALS:
                sealed.changing = one.began if sealed.changing is None else sealed.changing
                sealed.sealed = one.ended if sealed.sealed is None else sealed.sealed
            elif sealed is not None and one.f == _GONE:
                sealed.gone = one.ended
    return found


def _children(one: Happening) -> Iterator[StorySegment]:
    """NAME:FIRST-LAST each; anything else is no segment that could be drawn."""
    assert one.ended is not None
    for child in filter(None, one.ctl.get("children", "").split(",")):
        name, _, hashes = child.rpartition(":")
        first, _, last = hashes.partition("-")
        try:
            yield StorySegment(name, min(int(first, 16), _LAST_HASH), min(int(last, 16), _LAST_HASH), one.ended)
        except ValueError:
            continue


def _marks(one: Happening, segments: Mapping[str, StorySegment], is_meant: bool) -> Iterator[StoryMark]:
    if one.outcome != "fail":
        at = one.began if one.ended is None else one.ended
        for moved in one.moved:
            if moved.log in segments and (one.is_done or moved.way == "send"):
                yield StoryMark(at, moved.log, moved.way, moved.value, moved.hash, one.transaction, one.who, one.is_done, is_meant)


def _transactions(ordered: Sequence[Happening], named: Collection[str]) -> list[StoryTransaction]:
    found: dict[str, StoryTransaction] = {}
    for one in ordered:
        if one.transaction in named and one.transaction is not None and one.ended is not None:
            known = found.setdefault(one.transaction, StoryTransaction(one.transaction, one.began))
            known.begun = min(known.begun, one.began)
            if one.f in ("commit", "abort") and one.is_done and known.ended is None:
                known.ended, known.action = one.ended, one.f
    return sorted(found.values(), key=lambda one: one.begun)
