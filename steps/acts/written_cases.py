"""Cases of messages: what two transactions have written to a topic, what happens then, who ends first, and what is received.

PIP-31 and PIP-471 ask the same of them, each by its requirements.
"""

from collections.abc import Callable, Iterator
from itertools import product

from fencepost.steps.pulsar.vocabulary import shown

from .episodes import Episode
from .pending_cases import ALIKE, CRASH, CRASHED, UNLOADED, Parts, begun

_ENDS = {"commits": "committed", "aborts": "aborted"}
_BETWEEN = ((), (UNLOADED,), (CRASHED,), (CRASHED, UNLOADED))
DEDUPLICATED = 'the deduplicated topic "desk"'
_TOPICS = ('the topic "desk"', DEDUPLICATED)


def _by(name: str, what: str) -> str:
    return f"{name} has written {what} to desk"


_PLAIN = '"p1" has been written to desk'
WRITTEN = (
    Parts((_by("X", '"x1"'), _by("Y", '"y1"')), "x1", "y1"),
    Parts((_by("X", '"x1"'), _by("Y", '"y1"'), _by("X", '"x2"')), "x1 x2", "y1"),
    Parts((_by("Y", '"y1"'), _by("X", '"x1"'), _by("Y", '"y2"')), "x1", "y1 y2"),
    Parts((_by("X", '"x1"'), _PLAIN, _by("Y", '"y1"')), "x1", "y1", "p1"),
    Parts((_PLAIN, _by("X", 'a batch of "x1", "x2"'), _by("Y", '"y1"')), "x1 x2", "y1", "p1"),
    Parts((_by("X", '"x1"'), _PLAIN, _by("X", '"x2"')), "x1 x2", "", "p1"),
)
_ATTACHED = 'the consumer of shared subscription "clerks" has received nothing from desk'


def cases(why: Callable[[tuple[str, ...], bool], str]) -> Iterator[tuple[str, Episode]]:
    """All of them, each with what is looked at; `why` names the requirement by what has happened, and whether X commits."""
    places = product(WRITTEN, _BETWEEN, ("", *_ENDS), _BETWEEN[:3], _ENDS)
    for number, (written, between, first, later, how) in enumerate(places):
        if (first and not written.y) or (later and (between or not first)):
            continue
        looked = ("readers", "a consumer")[number % 2]
        said = [_TOPICS[number % 3 == 2], *([_ATTACHED] if looked != "readers" else [])]
        is_alike = bool(written.y) and number % 5 == 0
        said += [begun(written.y, is_alike=is_alike), *written.said, *between]
        said += [f"Y has {_ENDS[first]}", *later] if first else []
        others = [] if first or not written.y else ["Y has committed"]
        visible = [*written.plain.split(), *(written.x.split() if how == "commits" else ())]
        visible += written.y.split() if first != "aborts" else ()
        order = " in some order" if len(visible) > 1 else ""
        due = f"readers of desk see {shown(sorted(visible))}{order}"
        if looked != "readers":
            due = (
                f'the consumer of "clerks" receives {shown(sorted(visible))} and nothing else' if visible else "readers of desk see nothing"
            )
        needs = (CRASH if CRASHED in said else frozenset[str]()) | (ALIKE if is_alike else frozenset())
        yield looked, Episode((*said, *others), f"X {how}", (due,), why((*between, *later), how == "commits"), needs)
