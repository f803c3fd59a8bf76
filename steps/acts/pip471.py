"""The acts of PIP-471: those of PIP-31's clients, and in addition segments that are sealed, the metadata store, and both kinds of
transactions.

The model knows more where PIP-31 leaves a choice and PIP-471 decides: what follows an open transaction is withheld.
"""

import re
from collections.abc import Iterator
from typing import Any

from fencepost.contract.evidence import Violation
from fencepost.steps.pulsar.vocabulary import values_shown

from . import pip31, pip471_cases, pip471_episodes, pip471_kinds, pip471_segments, pip471_store
from .act import Act, ActLine, Table, given
from .pip31_writing import TRANSACTIONS
from .pip471_adapting import ADAPTED, retold
from .pip471_model import FIRST, SEGMENTS, Pip471

_WHOLE = "events"
"""The scalable topic of which the segments are."""
_READERS = re.compile("readers of ([a-z]+) see ")


def _opens(used: frozenset[str]) -> list[ActLine]:
    lines = list(pip31.TABLE.opens(used))
    if not used.isdisjoint(SEGMENTS):
        made = (f'the scalable topic "{_WHOLE}" of segment "root"', f"root has been split into {' and '.join(FIRST)}")
        lines = [*lines, *(given(text, "PIP31-148") for text in made)]
    return retold(lines)


def _closes(model: Pip471) -> list[ActLine]:
    return retold(pip31.TABLE.closes(model))


def _means(model: Pip471, line: ActLine, violation: Violation) -> str:
    """Nothing open or aborted is visible, whatever the line was about."""
    seen, found = values_shown(violation.mismatch.seen), _READERS.match(line.text)
    if seen is None or found is None or found[1] not in model.topics:
        return line.requirement
    topic = model.topics[found[1]]
    if topic.whys:
        return line.requirement
    owners = {entry.value: entry.transaction for entry in topic.entries}
    too_much = [owner for value in seen if value not in topic.values() and (owner := owners.get(value))]
    if too_much:
        return "PIP471-18" if too_much[0].is_open else "PIP471-23"
    return line.requirement


def _acts() -> Iterator[Act[Any]]:
    yield from ADAPTED.values()
    for part in (pip471_segments, pip471_store, pip471_kinds, pip471_episodes, pip471_cases):
        yield from part.acts()


_KEPT = (
    *({segment} for segment in FIRST),
    {FIRST[0], "low", "high"},
    {*FIRST, "whole"},
    {FIRST[0], *pip471_segments.DRAINERS},
)
_PLACES = pip31.TABLE.places
_ALL = frozenset().union(*_PLACES)
_SEGMENTS = frozenset({*SEGMENTS, *pip471_segments.DRAINERS})

_ACTS = tuple(_acts())
_UPSETS = {
    "left is split": 2,
    "left and right are merged": 1,
    "the retention of A": 1,
    "the first coordinator moves to another broker": 1,
}

TABLE = Table(
    "pip471",
    Pip471,
    _ACTS,
    _opens,
    _closes,
    _means,
    (frozenset(), *(place | _SEGMENTS for place in _PLACES[1:]), *(_ALL | (_SEGMENTS - kept) for kept in _KEPT)),
    (TRANSACTIONS,),
    (pip471_episodes.PLAIN, frozenset({"metadata-indexes"})),
    phases=pip31.phases(_ACTS, _UPSETS),
)
