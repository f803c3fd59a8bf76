"""Acts of PIP-471 that need objects of their own: another topic, its segments and subscriptions, and transactions X and Y.

They ask what one transaction cannot: a sealed segment with something pending, a deleted topic, positions of several acknowledgements, a
store that fails when a header is created, hundreds of operations. A sequence has one of them.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any

from . import episodes
from .act import Act, ActLine, LinesOf
from .episodes import Episode
from .pip31_ending import MODERATE, SHORT
from .pip471_kinds import messages_in_flight
from .pip471_model import Pip471
from .pip471_segments import hears_the_end
from .pip471_store import EVENTS, retention_passes

_LINES = LinesOf("PIP471")
_STORE, _FAULTS, _POINTS, _RETENTION = "metadata-store", "store-faults", "crash-points", "short-retention"
PLAIN = frozenset({"plain-store"})
_TOPIC, _SPLIT = 'the topic "desk"', "east has been split into north and south"
_SEGMENTS = 'the scalable topic "invoices" of segments "east" and "west"'
_X, _Y, _BOTH = "transaction X", "transaction Y", "transactions X and Y"
_ENDS = {"commits": ("commit", "committed"), "aborts": ("abort", "aborted")}
_FAILURES = ("and does not write it", "and has written it")
_LEFT = 'subscription "clerks" has {} left'
_NOTHING_STAYS = "the store soon has no operation records of X"


def _received(topic: str, values: str, kind: str = "shared") -> tuple[str, ...]:
    written = (f'"{value}" has been written to {topic}' for value in values.split())
    shown = ", ".join(f'"{value}"' for value in values.split())
    return *written, f'the consumer of {kind} subscription "clerks" has received {shown} from {topic}'


def _acknowledged(who: str, value: str) -> str:
    return f'{who} has acknowledged {value} for "clerks"'


def _of_sealed_segments() -> Iterator[Episode]:
    written = (_SEGMENTS, _X, 'X has written "x1" to east', _SPLIT)
    beyond = ('readers of north see "p1"', "readers of east see nothing")
    yield Episode(written, '"p1" is written to north', beyond, "52")
    for ends, seen in (("commits", '"x1"'), ("aborts", "nothing")):
        yield Episode(written, f"X {ends}", (f"readers of east see {seen}",), "52")
    consumed = (_SEGMENTS, _X, *_received("east", "i1 i2"))
    pending = (*consumed, _acknowledged("X", '"i1"'))
    drained = (*consumed, '"i2" has been acknowledged for "clerks" without a transaction', _acknowledged("X", '"i1"'))
    due = 'the consumer of "clerks" is not notified of the end of east before "i1", which X aborts now'
    yield Episode(drained, "east is split into north and south", (due,), "53")
    for ends, left in (("commits", '"i2"'), ("aborts", '"i1", "i2"')):
        yield Episode((*pending, _SPLIT), f"X {ends}", (_LEFT.format(left),), "53")
        yield Episode((*consumed, _SPLIT, _acknowledged("X", '"i1"')), f"X {ends}", (_LEFT.format(left),), "53")
    yield Episode((*pending, _SPLIT, _acknowledged("X", '"i2"')), "X commits", (hears_the_end("clerks"),), "53")
    behind = (
        *(_SEGMENTS, _BOTH, 'X has committed "x1" to east, and the store lacks the note of it'),
        'the consumer of shared subscription "clerks" has received "x1" from east',
        _acknowledged("Y", '"x1"'),
        *(_SPLIT, "east has been unloaded, and will be loaded without a look at the end of X"),
    )
    yield Episode(behind, "Y commits", ('the next consumer of "clerks" is notified of the end of east',), "53", frozenset({_FAULTS}))
    apart = ('the topics "north" and "south" as segments of one topic', _X, 'X has written "x1" to north')
    yield Episode(apart, '"p1" is written to south', ('readers of south see "p1"', "readers of north see nothing"), "20")


def _of_positions() -> Iterator[Episode]:
    """Acknowledgements that a reload recovers, and what an abort returns of them."""
    shared, alone = ((_TOPIC, _X, *_received("desk", "i1 i2 i3", kind)) for kind in ("shared", "exclusive"))
    unloaded = "desk has been unloaded"
    recovered = (
        (shared, ('"i1"', '"i2"'), '"i3"'),
        (alone, ('everything up to "i1"', 'everything up to "i2"'), '"i3"'),
        (alone, ('"i3"', 'everything up to "i1"'), '"i2"'),
    )
    for consumed, positions, left in recovered:
        said = (*consumed, *(_acknowledged("X", one) for one in positions), unloaded)
        yield Episode(said, "X commits", (_LEFT.format(left),), "30")
    deleted = '"i2" has been acknowledged for "clerks" without a transaction'
    for ends, left, why in (("aborts", '"i1", "i3"', "29"), ("commits", "nothing", "28")):
        said = (*alone, deleted, _acknowledged("X", 'everything up to "i3"'))
        yield Episode(said, f"X {ends}", (_LEFT.format(left),), why)
    behind = (
        *(_TOPIC, _BOTH, 'X has committed "x1" to desk, and the store lacks the note of it'),
        'the consumer of exclusive subscription "clerks" has received "x1" from desk',
        _acknowledged("Y", 'everything up to "x1"'),
        f"{unloaded}, and will be loaded without a look at the end of X",
    )
    yield Episode(behind, "Y commits", (_LEFT.format("nothing"),), "30", frozenset({_FAULTS}))
    for ended, left in (("aborted", '"i2", "i3"'), ("committed", '"i3"')):
        said = (*shared, _Y, _acknowledged("X", '"i1"'), _acknowledged("Y", '"i2"'), f"Y has {ended}", unloaded)
        yield Episode(said, "X commits", (_LEFT.format(left),), "30")


def _of_headers() -> Iterator[Episode]:
    faults, said = frozenset({_FAULTS}), tuple[str, ...]()
    for failure in _FAILURES:
        yield Episode((f"the store does not answer the next change of a header, {failure}", _X), "X commits", ("it is done",), "01", faults)
    yield Episode(("the next change of a header meets another version", _X), "X commits", ("it is done",), "01", faults)
    stale = "the next look at a header sees it as it was before its last change"
    for asked, refused, seen in (("commit", "abort", '"x1", "p1"'), ("abort", "commit", '"p1"')):
        said = (_TOPIC, _X, 'X has written "x1" to desk', "desk has been unloaded", f"X has been asked to {asked}", stale)
        yield Episode((*said, f"X has tried to {refused}"), '"p1" is written to desk', (f"readers of desk see {seen}",), "03", faults)
    for trouble, (ends, seen) in product(EVENTS, (("commits", '"x1"'), ("aborts", "nothing"))):
        said = (_TOPIC, _X, 'X has written "x1" to desk', f"the next event of an end is {trouble}")
        yield Episode(said, f"X {ends}", ("it is done", f"readers of desk see {seen}"), "62", faults)
    for ends, (asked, _) in _ENDS.items():
        said = (_TOPIC, _X, 'X has written "x1" to desk', "the system will crash before-op-delete", f"X has tried to {asked}")
        seen = '"x1"' if ends == "commits" else "nothing"
        due = (f"readers of desk see {seen}", _NOTHING_STAYS)
        yield Episode(said, "the system restarts", due, "36", frozenset({_STORE, _POINTS}))


def _of_collections() -> Iterator[Episode]:
    needs, said = frozenset({_STORE, _RETENTION}), tuple[str, ...]()
    deleted, gone = "invoices has been deleted as a whole", ("the store soon has no header of X",)
    for ends, (_, ended) in _ENDS.items():
        said = (_SEGMENTS, _X, 'X has written "x1" to east', deleted, f"X has {ended}")
        yield Episode(said, "the retention of X passes", gone, "38", needs)
        said = (_SEGMENTS, _X, *_received("east", "i1"), _acknowledged("X", '"i1"'), deleted)
        yield Episode(said, f"X {ends}", gone, "38", needs)
        consumed = (_TOPIC, _X, *_received("desk", "i1"), _acknowledged("X", '"i1"'))
        said = (*consumed, 'subscription "clerks" has been removed', f"X has {ended}")
        yield Episode(said, "the retention of X passes", gone, "38", needs)
        faults = frozenset({_RETENTION, _FAULTS})
        for failure in _FAILURES:
            fails = f"the store does not answer the next change of a header, {failure}"
            said = (_TOPIC, _X, 'X has written "x1" to desk', f"X has {ended}", fails, "the retention of X has passed")
            yield Episode(said, f"X {ends}", ("it is refused",), "38", faults)


def _of_many() -> Iterator[Episode]:
    yield Episode((_TOPIC, _X, messages_in_flight("X", 600, "desk")), "X commits", (_RECEIPTED,), "11", races=True)
    said = (_TOPIC, _X, 'X has acknowledged 150 messages of desk for "clerks", one by one')
    yield Episode(said, "X commits", (_LEFT.format("nothing"),), "11")
    alike = (_TOPIC, "X and Y are transactions with numbers that begin alike at the second coordinator", 'Y has written "y1" to desk')
    yield Episode(alike, 'X commits "x1" to desk', (_NOTHING_STAYS, "the store has 1 writes to desk in Y"), "36", frozenset({_STORE}))
    yield Episode((*alike, 'X has committed "x1" to desk'), "Y commits", ('readers of desk see "x1", "y1" in some order',), "64")


_RECEIPTED = "readers of desk see exactly what of X was receipted"


def _on_plain_stores() -> Iterator[Episode]:
    """What makes the whole sequence run on a store without sequence keys and indexes."""
    two = (_TOPIC, _BOTH, 'X has written "x1" to desk', 'Y has written "y1" to desk')
    yield Episode((*two, "desk has been unloaded", "X has aborted"), "Y commits", ('readers of desk see "y1"',), "66", PLAIN)
    yield Episode((*two, "Y has aborted"), "X commits", ('readers of desk see "x1"',), "66", PLAIN)
    consumed = (_TOPIC, _X, *_received("desk", "i1 i2"), _acknowledged("X", '"i1"'))
    yield Episode(consumed, "X commits", (_LEFT.format('"i2"'),), "66", PLAIN)
    said = (_TOPIC, _X, messages_in_flight("X", 120, "desk"))
    yield Episode(said, 'X writes "x1" to desk', ("it is done",), "66", PLAIN, races=True)
    yield Episode(said, "X commits", (_RECEIPTED,), "66", PLAIN, races=True)


_PARTS = (_of_sealed_segments, _of_positions, _of_headers, _of_collections, _of_many, _on_plain_stores)


def _says(model: Pip471, one: Episode) -> list[ActLine]:
    model.done["episode"] += 1
    text = one.name
    if "restarts" in text:
        model.go_down()
    elif "unloaded" in text:
        model.unload("orders")
    elif "event" in text:
        model.loaded_at = model.tick()
    if "retention" in text:
        retention_passes(model)
    return one.lines(_LINES)


def _may_come(model: Pip471, one: Episode) -> bool:
    """A fault of the store has to meet the episode's own request, and not one of a transaction that ends late."""
    timed = any(name in model.transactions and model.transactions[name].is_open for name in (SHORT, MODERATE))
    is_quiet = not model.loaded_at and all(other.is_open for other in model.transactions.values())
    is_calm = not timed and (is_quiet or _FAULTS not in one.needs) and (not model.may_be_behind or _POINTS not in one.needs)
    return is_calm and not model.done["episode"] and not (model.done["retentions"] and "retention" in one.name)


def acts() -> Iterator[Act[Any]]:
    """These, one kind for each theme."""
    for part in _PARTS:
        yield from episodes.acts_of(part(), _may_come, _says)
