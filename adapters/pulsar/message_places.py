"""The place of each message of a history in its topic, as one number (`o`), for checkers that compare places.

A message is identified by its entry and its place there. The number is its rank among the topic's messages that the history knows. A record
that names a whole entry means all its messages; a subscription's position is the number of messages up to the entry that is mark-deleted.
An acknowledgement up to a message in a batch counts up to the entry before: a system that acknowledges whole entries, which conforms,
redelivers the batch. A send in a transaction has no number yet: a system may store it elsewhere until the commit, and the receipt has that
place. A segment of a scalable topic stores it where its receipt says.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from typing import TypeAlias

from fencepost.contract.events import Event, Mop

from .pulsar_values import is_segment

Place: TypeAlias = tuple[int, int, int]

_WHOLE = -1
_BEHIND_ALL = 1 << 62


def number(events: Sequence[Event]) -> None:
    """Set `o` in every mop of these events that has a place."""
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
    """Whether the places that the event names are final."""
    return event["f"] != "send" or event["txn_id"] is None or all(is_segment(mop["log"] or "") for mop in event["mops"])


def _place(mop: Mop) -> Place | None:
    ledger, entry, index = mop["pid_ledger"], mop["pid_entry"], mop["pid_batch"]
    return None if ledger is None or entry is None else (ledger, entry, _WHOLE if index is None else index)


def _entries_of_batches(places: set[Place]) -> set[Place]:
    """The whole entries that are also known by single messages."""
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
