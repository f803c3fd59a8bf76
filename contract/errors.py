"""What can go wrong besides a verdict, whose fault it is, and the exit code that tells it."""

import re
from collections.abc import Iterable
from difflib import SequenceMatcher
from enum import IntEnum

_ALIKE = 0.5
"""From this likeness on, of at most 1, a name is offered as the one that was meant."""
_NUMBERED = re.compile(r"(.*[a-z]\d*)-\d+")
"""An id such as `kip890-060`: its number makes it like any other id, so what stands before it has to be like on its own."""
_MOST_NAMED = 12


class Exit(IntEnum):
    """What the process tells its caller."""

    CONFORMS = 0
    DOES_NOT = 1
    USAGE = 2
    KIT_FAILED = 3
    NOT_FINISHED = 4


class NotOffered(Exception):
    """The system does not claim to have what a scenario needs; the message says what and how that was found."""


class SystemUnreachable(Exception):
    """The system could not be reached or started; the message names it, says what was tried, and the last error."""


class AccessRefused(SystemUnreachable):
    """The system does not let this client in: TLS or the login fails, or there is no token. No other request would fare better, so it
    ends a run, and says nothing about what is judged.
    """


class BrokeOff(Exception):
    """A step raised what is no verdict, so the kit failed, and nothing is said about the system; the message names the step, the error and
    what led to it.
    """


class WrongUsage(Exception):
    """The user asked for something that cannot be; the message says what, and what would be right."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The name that there is which is most like this one; None where none is near."""
    likeness = {candidate: _alike(name.lower(), candidate.lower()) for candidate in known}
    best = max(likeness, key=likeness.__getitem__, default=None)
    return best if best is not None and likeness[best] > _ALIKE else None


def _alike(said: str, known: str) -> float:
    ids = _NUMBERED.fullmatch(said), _NUMBERED.fullmatch(known)
    whole = SequenceMatcher(None, said, known).ratio()
    return min(whole, SequenceMatcher(None, ids[0][1], ids[1][1]).ratio()) if ids[0] and ids[1] else whole


def hint(name: str, known: Iterable[str]) -> str:
    """What a message about an unknown name ends with: the nearest name that there is, or some of them where none is near."""
    names = list(known)
    near = nearest(name, names)
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f"; did you mean {near}?" if near else f"; known: {', '.join(names[:_MOST_NAMED])}{more}"


class UnknownName(WrongUsage):
    """A name that there is none of; the message has the nearest one that there is."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        super().__init__(f"unknown {kind} {name!r}{hint(name, known)}")


class Malformed(Exception):
    """The system sent bytes that its protocol does not allow. Always its defect, in whichever step it shows."""
