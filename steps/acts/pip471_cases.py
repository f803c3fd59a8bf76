"""Acts of PIP-471 of generated cases: the cases of PIP-31's acknowledgements, messages and timeouts, by the requirements of PIP-471."""

from collections.abc import Iterator
from itertools import product
from typing import Any

from fencepost.steps.pulsar.vocabulary import shown

from . import episodes, pending_cases, timed_cases, written_cases
from .act import Act, ActLine, LinesOf
from .episodes import Episode, by_kind
from .pending_cases import CRASH, CRASHED, UNLOADED, Between, PendingParts
from .pip31_ending import TIMED_CASE, TIMED_OUT
from .pip31_episodes import CASES, may_case_come, may_time_out
from .pip31_writing import DEDUPLICATED
from .pip471_model import Pip471

_LINES = LinesOf("PIP471")
_TIMEOUT = "43"
_ORDER = "45"
"""Of PIP-460, since no requirement of PIP-471 is about stream consumers."""


def _why_pending(_: PendingParts, between: Between, is_commit: bool) -> str:
    if CRASHED in between.said or UNLOADED in between.said:
        return "30" if is_commit else "31"
    return "32" if between.consumer == "others" else "28" if is_commit else "29"


def _why_written(happened: tuple[str, ...], is_commit: bool) -> str:
    return "21" if is_commit else "25" if happened else "23"


_SEGMENTS = 'the scalable topic "invoices" of segments "east" and "west"'
_CHANGES: tuple[tuple[tuple[str, ...], str], ...] = (
    (("{one} has been split into north and south",), "north"),
    (("{one} has been split into north and south", "north and south have been merged into again"), "again"),
    (("{one} has been split into north and south", "south has been split into lower and lowest"), "lowest"),
)
"""What becomes of the first of two segments, and one that is active then. The two are of no split, so a broker may refuse to merge them."""


def _of_sealed() -> Iterator[tuple[str, Episode]]:
    """Something pending in a segment that is sealed, in the first of two or in the second."""
    taken = {"i1": '"i1"', "i1 i2": 'everything up to "i2"', "i2": '"i2"'}
    for (one, other), (changes, child), between, how in product(
        (("east", "west"), ("west", "east")), _CHANGES, ((), ("{one} has been unloaded",), (CRASHED,)), ("commits", "aborts")
    ):
        after = [text.format(one=one, other=other) for text in (*changes, *between)]
        needs = CRASH if CRASHED in after else frozenset[str]()
        for held, what in taken.items():
            kind = "exclusive" if "up to" in what else "shared"
            said = [_SEGMENTS, f'"i1" has been written to {one}', f'"i2" has been written to {one}']
            said += [f'the consumer of {kind} subscription "clerks" has received "i1", "i2" from {one}', "transaction X"]
            left = [value for value in ("i1", "i2") if how == "aborts" or value not in held]
            due = f'subscription "clerks" has {shown(left)} left'
            yield "taken", Episode((*said, f'X has acknowledged {what} for "clerks"', *after), f"X {how}", (due,), "53", needs)
        said = [_SEGMENTS, "transaction X", f'X has written "x1" to {one}', f'X has written "x2" to {other}', *after]
        said += [f'X has written "x3" to {child}']
        seen = [(one, '"x1"'), (child, '"x3"')] if how == "commits" else [(one, "nothing"), (child, "nothing")]
        due_seen = tuple(f"readers of {name} see {values}" for name, values in seen)
        yield "written", Episode(tuple(said), f"X {how}", due_seen, "52" if not between else "51", needs)


_ACTIVE = (("north", "south"), ("again",), ("north", "lower", "lowest"))
"""What is active instead of the first segment after each of the changes."""
_JOINED = 'gil has joined "clerks" of invoices'


def _of_order() -> Iterator[tuple[str, Episode]]:
    """Nothing of the children is assigned to a stream consumer while something in their sealed parent is undecided, or left."""
    for (one, other), ((changes, child), active), between in product(
        (("east", "west"), ("west", "east")), zip(_CHANGES, _ACTIVE, strict=True), ((), ("{one} has been unloaded",), (CRASHED,))
    ):
        after = [text.format(one=one, other=other) for text in (*changes, *between)]
        needs = CRASH if CRASHED in after else frozenset[str]()
        parent, children = f"gil is assigned {one} and {other}", f"gil is assigned {' and '.join((*active, other))}"
        written = (_SEGMENTS, _JOINED, "transaction X", f'X has written "x1" to {one}', *after, *([_JOINED] if needs else []))
        received = (f'"i1" has been written to {one}', f'the consumer of shared subscription "clerks" has received "i1" from {one}')
        taken = (_SEGMENTS, *received, "transaction X", 'X has acknowledged "i1" for "clerks"', *after, _JOINED)
        asked = f'X writes "x2" to {child}'
        dues = ((written, asked, parent), (written, "X commits", parent), (written, "X aborts", children))
        for said, asks, due in (*dues, (taken, asked, parent), (taken, "X aborts", parent), (taken, "X commits", children)):
            yield "ordered", Episode(said, asks, (due,), _ORDER, needs)


def _says(model: Pip471, one: Episode) -> list[ActLine]:
    model.done[CASES] += 1
    if one.why == _TIMEOUT:
        model.done[TIMED_OUT] += 1
        model.done[TIMED_CASE] += 1
    if one.needs & CRASH:
        model.go_down()
    elif any(text.endswith(" has been unloaded") for text in one.givens):
        model.unload(DEDUPLICATED if written_cases.DEDUPLICATED in one.givens else "orders")
    return one.numbered(model.done[CASES] - 1).lines(LinesOf("PIP460") if one.why == _ORDER else _LINES)


def _may_come(model: Pip471, one: Episode) -> bool:
    """Reloading may take as long as a short timeout."""
    return may_time_out(model, one) and not model.loaded_at if one.why == _TIMEOUT else may_case_come(model, one)


def acts() -> Iterator[Act[Any]]:
    """These, one kind for each type of subscription, for each look and for each wait."""
    of = (
        pending_cases.cases(_why_pending),
        written_cases.cases(_why_written),
        timed_cases.cases(lambda _: _TIMEOUT),
        _of_sealed(),
        _of_order(),
    )
    for part in (part for cases in of for part in by_kind(cases)):
        yield from episodes.acts_of(part, _may_come, _says, are_cases=True)
