"""Cases of timeouts: what transactions S and T have when no client ends them, which others are there, and what happens before.

PIP-31 and PIP-471 ask the same of them, each by its requirements.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

from fencepost.steps.pulsar.vocabulary import shown

from .episodes import Episode
from .pending_cases import CRASH, DESK, UNLOADED

_COORDINATORS, _HELD = frozenset({"more-coordinators"}), frozenset({"held-ends"})


@dataclass(frozen=True)
class TimedBegin:
    """Transactions that were begun, in this order: those that time out, and one that does not."""

    said: tuple[str, ...]
    expire: str = "S"
    stays: bool = False
    needs: frozenset[str] = frozenset()


_BEGUN = (
    TimedBegin(("transaction S with a {} timeout",)),
    TimedBegin(("transactions S and T with a {} timeout",), "S T"),
    TimedBegin(("S is a transaction of the second coordinator with a {} timeout",), needs=_COORDINATORS),
    TimedBegin(("transaction X", "transaction S with a {} timeout"), stays=True),
    TimedBegin(("transaction S with a {} timeout", "transaction X"), stays=True),
    TimedBegin(("transaction X with a maximal timeout", "transaction S with a {} timeout"), stays=True, needs=frozenset({"own-broker"})),
)
_PARTS = ("a topic", "a subscription", "both", "two messages", "a cumulative one")
_LEFT_OPEN, _WHILE_OPEN = "S is left open past its timeout", "the system crashes while S is OPEN and restarts"
_WHILE_DOWN = "the system crashes and restarts after the timeout of S"
_ASKED = {_LEFT_OPEN: ("short", "39"), _WHILE_OPEN: ("moderate", "43"), _WHILE_DOWN: ("moderate", "43")}
_HAPPENS = ("", UNLOADED, "X has committed", "X has aborted", "the abort of X is incomplete")


def cases(why: Callable[[str], str]) -> Iterator[tuple[str, Episode]]:
    """All of them, each with what ends the waiting; `why` names the requirement by PIP-31's number of it."""
    for begun, part, happens, (asked, (time_out, number)) in product(_BEGUN, _PARTS, _HAPPENS, _ASKED.items()):
        is_idle = happens and (asked != _LEFT_OPEN or (happens.partition(" ")[2] != UNLOADED.partition(" ")[2] and not begun.stays))
        if is_idle or (begun.stays and part == "two messages") or ("maximal" in begun.said[0] and happens.startswith(("X", "the abort"))):
            continue
        yield asked, _case(begun, part, happens, asked, time_out, why(number))


def _case(begun: TimedBegin, part: str, happens: str, asked: str, time_out: str, why: str) -> Episode:
    kind = "exclusive" if part == "a cumulative one" else "shared"
    said = [DESK, f'the consumer of {kind} subscription "clerks" has received "d1", "d2", "d3" from desk']
    said += [text.format(time_out) for text in begun.said]
    said += _does("S", part, "d1", "s")
    said += _does("T", part if kind == "shared" else "a topic", "d2", "t") if "T" in begun.expire else []
    said += _does("X", "both" if kind == "shared" else "a topic", "d3", "x") if begun.stays else []
    said += [happens] if happens else []
    needs = begun.needs | (_HELD if "incomplete" in happens else frozenset()) | (CRASH if asked != _LEFT_OPEN else frozenset())
    due = [f"{name} is ABORTED" for name in begun.expire.split()]
    is_open = begun.stays and happens in ("", UNLOADED)
    due += ["X is OPEN"] if is_open else []
    has_taken = begun.stays and kind == "shared" and (is_open or happens == "X has committed")
    shows = '"x1"' if happens == "X has committed" else None
    due += [f"readers of desk see {shown(('d1', 'd2', 'd3'))}{f', {shows}' if shows else ''}"]
    if "incomplete" not in happens:
        due += [f'subscription "clerks" has {shown(("d1", "d2") if has_taken else ("d1", "d2", "d3"))}{f", {shows}" if shows else ""} left']
    return Episode(tuple(said), asked, tuple(due), why, needs)


def _does(name: str, part: str, input_: str, prefix: str) -> list[str]:
    writes, takes = f'{name} has written "{prefix}1" to desk', f'{name} has acknowledged "{input_}" for "clerks"'
    return {
        "a topic": [writes],
        "a subscription": [takes],
        "both": [writes, takes],
        "two messages": [writes, f'{name} has written "{prefix}2" to desk'],
        "a cumulative one": [f'{name} has acknowledged everything up to "d2" for "clerks"'],
    }[part]
