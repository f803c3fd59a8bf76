"""The acts of PIP-460: the layout of a scalable topic, those who write and read it across splits and merges, who watches it, and faults.

`left` and `right` are the first segments. Acts that need topics of their own are in `pip460_episodes.py`.
"""

from collections.abc import Iterator

from . import (
    pip460_absences,
    pip460_changing,
    pip460_consuming,
    pip460_draining,
    pip460_episodes,
    pip460_subscribing,
    pip460_watching,
    pip460_writing,
)
from .act import Act, ActLine, Table
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
    for theme in (pip460_absences, pip460_draining):
        yield from acts_of(theme.episodes())


_LEFT = frozenset({"left", "low", "high", "first", "second", "whole", "upper", "lower"})

TABLE = Table(
    "pip460",
    Layouts,
    tuple(_acts()),
    _opens,
    _closes,
    places=(frozenset(), frozenset(SEGMENTS) - _LEFT, frozenset(SEGMENTS) - _LEFT | {"bob", "carol"}, _LEFT),
    alike=(pip460_writing.TRANSACTIONS, pip460_watching.WATCHERS),
)
"""A sequence may keep to one half of the hashes."""
