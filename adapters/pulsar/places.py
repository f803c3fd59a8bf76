"""Where the messages of a history stand in their topic, as one number each (`o`), for checkers that compare places.

A message is known by its entry and its place there. The number is its rank among those that the history knows of the topic. Whoever
names a whole entry means all messages of it; a subscription's position is the number of messages up to the entry that is deleted with
all before. An acknowledgement up to a message inside a batch counts up to the entry before: a system that acknowledges whole entries,
which is lawful, gives the batch again. What a transaction sends has no number yet: a system may keep it elsewhere until the commit, and
the receipt says where. A segment of a scalable topic keeps it where its receipt says.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from typing import TypeAlias

from fencepost.contract.events import Event, Mop

from .values import is_segment

Place: TypeAlias = tuple[int, int, int]

_WHOLE = -1
_BEHIND_ALL = 1 << 62


def number(events: Sequence[Event]) -> None:
    """Give every mop of these events that has a place its `o`."""
    settled = [event for event in events if _is_settled(event)]
    named: dict[str | None, set[Place]] = defaultdict(set)
    for event in settled:
        for mop in event["mops"]:
            place = _place(mop)
            if place is not None and mop["m"] != "position":
                named[mop["log"]].add(place)
    ordered = {log: sorted(places - _entries_of_batches(places)) for log, places in named.items()}
    for event in settled:
        event["mops"] = [numbered for mop in event["mops"] for numbered in _numbered(mop, ordered.get(mop["log"], []))]


def _is_settled(event: Event) -> bool:
    """Whether what the event names stays there."""
    return event["f"] != "send" or event["txn_id"] is None or all(is_segment(mop["log"] or "") for mop in event["mops"])


def _place(mop: Mop) -> Place | None:
    ledger, entry, index = mop["pid_ledger"], mop["pid_entry"], mop["pid_batch"]
    return None if ledger is None or entry is None else (ledger, entry, _WHOLE if index is None else index)


def _entries_of_batches(places: set[Place]) -> set[Place]:
    """Whole entries of which messages are known by themselves."""
    return {(ledger, entry, _WHOLE) for ledger, entry, index in places if index != _WHOLE}


def _numbered(mop: Mop, places: list[Place]) -> list[Mop]:
    place = _place(mop)
    if place is None:
        return [mop]
    ledger, entry, index = place
    behind = bisect_right(places, (ledger, entry, _BEHIND_ALL if index == _WHOLE else index))
    if mop["m"] == "position":
        return [{**mop, "o": behind}]
    first = bisect_right(places, (ledger, entry, _WHOLE - 1))
    if mop["m"] == "ack_cum":
        is_whole = behind == bisect_right(places, (ledger, entry, _BEHIND_ALL))
        return [{**mop, "o": (behind if is_whole else first) - 1}]
    if index != _WHOLE:
        return [{**mop, "o": behind - 1}]
    return [{**mop, "o": rank} for rank in range(first, behind)]
