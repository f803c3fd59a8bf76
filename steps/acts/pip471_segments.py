"""Acts of PIP-471 about segments: splits and merges that seal them during transactions, writes to the children, and consumers that drain
them.
"""

from collections.abc import Iterator
from typing import Any

from .act import Act, ActLine, given, then, when
from .pip471_adapting import elsewhere
from .pip471_model import CHILDREN, FIRST, MERGED, SEGMENTS, Pip471, stored

DRAINERS = {"drainers": "shared", "keepers": "exclusive"}
"""Subscriptions of the first segment."""
_WRITERS, _WRITTEN = ("A", "B"), (*FIRST, "low", "high", "whole", "again")
_SEALABLE = {*CHILDREN, *(one for pair in MERGED for one in pair)}
"""Segments that a split or a merge seals."""
_SEALED = "PIP471-52"
_COUNTS = frozenset({"entry-counts"})


def _split(model: Pip471, parent: str, *children: str) -> list[ActLine]:
    model.seal((parent,), children, "PIP471-49")
    return [given(f"{parent} has been split into {' and '.join(children)}", "PIP471-49")]


def _merge(model: Pip471, one: str, other: str, child: str) -> list[ActLine]:
    model.seal((one, other), (child,), "PIP471-51")
    return [given(f"{one} and {other} have been merged into {child}", "PIP471-51")]


def _write_to_sealed(model: Pip471, name: str, segment: str) -> list[ActLine]:
    said = f'"{model.new_value("late")}" to {segment}'
    asked = when(f"{name} writes {said}", _SEALED, f"{name} has tried to write {said}")
    return [asked, then("it is refused with TopicTerminatedError", _SEALED)]


def _count(model: Pip471, segment: str) -> list[ActLine]:
    return [then(f"the length of {segment} is {stored(model.topics[segment].entries)}", "PIP471-54")]


def hears_the_end(where: str) -> str:
    """That the consumer of a subscription is notified of the end of its segment."""
    return f'the consumer of "{where}" learns that there is no more'


def _hear_the_end(_model: Pip471, where: str, _: str) -> list[ActLine]:
    return [then(hears_the_end(where), "PIP471-53")]


def _may_split(model: Pip471, parent: str, *_: str) -> bool:
    return parent in model.topics and parent not in model.sealed


def _may_merge(model: Pip471, one: str, other: str, _: str) -> bool:
    return _may_split(model, one) and _may_split(model, other)


def _may_write_to_sealed(model: Pip471, name: str, segment: str) -> bool:
    one = model.transactions.get(name)
    return segment in model.sealed and one is not None and one.is_open and segment in one.topics


def _may_count(model: Pip471, segment: str) -> bool:
    """Where no look has written anything, and no refused request may have left an entry."""
    one = model.topics.get(segment)
    return one is not None and segment in model.sealed and one.is_used and one.is_plain_to_read and not one.has_sentinels


def _may_hear_the_end(model: Pip471, where: str, segment: str) -> bool:
    """Where all was acknowledged and is decided."""
    one = model.subscriptions.get(where)
    if one is None or segment not in model.sealed or model.topics[segment].has_open or not model.topics[segment].is_plain_to_read:
        return False
    return one.is_attached and bool(one.states) and all(state == "gone" for state in one.states.values())


def acts() -> Iterator[Act[Any]]:
    """All acts about segments."""
    for parent, children in CHILDREN.items():
        yield Act(f"{parent} is split", _may_split, _split, (parent, *children))
    for (one, other), child in MERGED.items():
        yield Act(f"{one} and {other} are merged", _may_merge, _merge, (one, other, child))
    for segment in SEGMENTS:
        yield elsewhere("orders is unloaded", f"{segment} is unloaded", segment)
    for segment in _WRITTEN:
        for x in _WRITERS:
            yield elsewhere("A writes to orders", f"{x} writes to {segment}", x, segment, writes=True)
            yield elsewhere("A writes to orders late", f"{x} writes to {segment} late", x, segment, writes=True)
            if segment in _SEALABLE:
                yield Act(f"{x} writes to {segment}, which is sealed", _may_write_to_sealed, _write_to_sealed, (x, segment))
        if segment in _SEALABLE:
            yield Act(f"the length of {segment}", _may_count, _count, (segment,), _COUNTS)
        yield elsewhere("a plain write to orders", f"a plain write to {segment}", segment, writes=True)
        yield elsewhere("a look at orders", f"a look at {segment}", segment)
    first = FIRST[0]
    yield elsewhere("A writes a batch to orders", f"A writes a batch to {first}", "A", first, writes=True)
    yield elsewhere("M times out after a crash", f"M times out in {first} after a crash", "M", first, writes=True)
    yield elsewhere("S times out", f"S times out in {first}", "S", first, writes=True)
    for where, kind in DRAINERS.items():
        yield elsewhere("watchers join orders", f"{where} join {first}", where, first, kind, writes=True)
        yield elsewhere("a look at watchers", f"a look at {where}", where)
        yield elsewhere(
            "another consumer takes over watchers and is looked at", f"another consumer takes over {where} and is looked at", where
        )
        yield Act(f"{where} hear the end of {first}", _may_hear_the_end, _hear_the_end, (where, first))
        for x in _WRITERS:
            yield elsewhere("A acknowledges first for followers", f"{x} acknowledges first for {where}", x, where, "first")
    for x in _WRITERS:
        said = "acknowledges everything up to first for"
        yield elsewhere(f"A {said} followers", f"{x} {said} keepers", x, "keepers", "first")
