"""The acts of PIP-460: the layout of a scalable topic, those who write and read it across splits and merges, who watches it, and faults.

`left` and `right` are the first segments. Acts that need topics of their own are in `pip460_episodes.py`.
"""

from collections.abc import Iterator

from . import (
    pip460_absences,
    pip460_changing,
    pip460_consuming,
    pip460_crowds,
    pip460_draining,
    pip460_episodes,
    pip460_subscribing,
    pip460_watching,
    pip460_writing,
)
from .act import Act, ActLine, Phase, Table, kinds_of
from .pip460_consuming import may_wait, waiting
from .pip460_episodes import acts_of
from .pip460_lines import given, layout, readers, then
from .pip460_model import FIRST, SEGMENTS, TOPIC, Layouts
from .pip460_watching import notified


def _opens(_: frozenset[str]) -> list[ActLine]:
    return [given(f'the scalable topic "{TOPIC}" of segments "{FIRST[0]}" and "{FIRST[1]}"', "02")]


def _closes(model: Layouts) -> list[ActLine]:
    """The layout, what waits for subscriptions, what readers receive, what clients receive, and that all segments are in use."""
    lines = layout(model)
    if model.is_open_ended:
        return lines
    for name in model.transactions:
        if model.transactions[name].committed is None:
            model.transactions[name].committed = True
            lines.append(given(f"{name} has committed", "14"))
    for name in model.segments:
        lines += waiting(model, name) if may_wait(model, name) else []
    for name in model.segments:
        lines += readers(model, name)
    lines += [line for name in model.watches for line in notified(model, name)]
    return [*lines, *([then(f"soon each active segment of {TOPIC} takes a message", "03")] if model.changes else [])]


def _acts() -> Iterator[Act[Layouts]]:
    for part in (pip460_changing, pip460_writing, pip460_consuming, pip460_subscribing, pip460_watching, pip460_episodes):
        yield from part.acts()
    for theme in (pip460_absences, pip460_crowds, pip460_draining):
        yield from acts_of(theme.episodes())


_LEFT = frozenset({"left", "low", "high", "first", "second", "whole", "upper", "lower"})

_ACTS = tuple(_acts())
_READERS = {"ann joins": 4, "V watches": 1, "keepers are registered": 1, "pickers subscribe to left": 2}
_WRITES = {"a write to left": 2, "a write by key m": 2, "A writes to left": 1}
_CHANGES = {"left is split": 2, "low and high are merged": 1}
_UPSETS = {
    "a crash": 2,
    "the controller crashes": 1,
    "all brokers return": 1,
    "another controller takes over": 1,
    "ann is cut off": 2,
    "the grace period passes": 2,
    "the retention passes": 2,
    "V loses its connection": 1,
    "A commits": 1,
}
_LOOKS = {"ann reads everything": 2, "a look at what ann is assigned": 1, "pickers acknowledge the first of left": 2, "a look at left": 1}


def _phases() -> Iterator[Phase]:
    """Those who read and those who write before and after a change, and what happens to them."""
    changes, upsets = Phase(kinds_of(_ACTS, _CHANGES), 0, 2), Phase(kinds_of(_ACTS, _UPSETS), 0, 2)
    yield Phase(kinds_of(_ACTS, _READERS), 0, 2)
    yield from (Phase(kinds_of(_ACTS, _WRITES), 0, 2), changes, Phase(kinds_of(_ACTS, _LOOKS), 0, 1), upsets, Phase((), 0, 1))


TABLE = Table(
    "pip460",
    Layouts,
    _ACTS,
    _opens,
    _closes,
    places=(frozenset(), frozenset(SEGMENTS) - _LEFT, frozenset(SEGMENTS) - _LEFT | {"bob", "carol"}, _LEFT),
    alike=(pip460_writing.TRANSACTIONS, pip460_watching.WATCHERS),
    phases=tuple(_phases()),
    hears=Layouts.hear,
)
"""A sequence may keep to one half of the hashes."""
