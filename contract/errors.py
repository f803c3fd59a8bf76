"""What can go wrong besides a verdict, whose fault it is, and its exit code."""

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from enum import IntEnum

_ALIKE = 0.5
"""The least likeness, of at most 1, at which a name is suggested as the one that was meant."""
_NUMBERED = re.compile(r"(.*[a-z]\d*)-\d+")
"""An id such as `kip890-060`: its number makes it like any other id, so the part before it must be similar by itself."""
_ZEROS = re.compile(r"-0+(?=\d)")
_MOST_NAMED = 12


class Exit(IntEnum):
    """The exit code of the process."""

    CONFORMS = 0
    DOES_NOT = 1
    USAGE = 2
    KIT_FAILED = 3
    NOT_FINISHED = 4


class NotOffered(Exception):
    """The system does not claim to have what a scenario needs; the message has what that is and how it was found."""


class SystemUnreachable(Exception):
    """The system could not be reached or started; the message names it, what was tried, and the last error."""


class AccessRefused(SystemUnreachable):
    """The system does not let this client in: TLS or the login fails, or there is no token. Every other request would fail too, so it
    ends a run, and says nothing about what is judged.
    """


class BrokeOff(Exception):
    """A step raised what is no verdict, so the kit failed, and nothing is said about the system; the message names the step, the error and
    what led to it.
    """


class WrongUsage(Exception):
    """The user asked for something impossible; the message names it, and what would be right."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The existing name that is most like this one; None if none is near. An id with other zeros, such as `KIP890-60`, is nearest."""
    known = list(known)
    if same := next((candidate for candidate in known if _ZEROS.sub("-", candidate.lower()) == _ZEROS.sub("-", name.lower())), None):
        return same
    likeness = {candidate: _alike(name.lower(), candidate.lower()) for candidate in known}
    best = max(likeness, key=likeness.__getitem__, default=None)
    return best if best is not None and likeness[best] > _ALIKE else None


def _alike(said: str, known: str) -> float:
    ids = _NUMBERED.fullmatch(said), _NUMBERED.fullmatch(known)
    whole = SequenceMatcher(None, said, known).ratio()
    return min(whole, SequenceMatcher(None, ids[0][1], ids[1][1]).ratio()) if ids[0] and ids[1] else whole


def hint(name: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: the nearest existing name, or some of them if none is near."""
    names = list(known)
    near = nearest(name, names)
    return f"; did you mean {near}?" if near else f"; known: {first_of(names, _MOST_NAMED)}"


def first_of(names: Sequence[str], most: int) -> str:
    """At most so many names, and how many more there are: `a, b and 3 more`."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


class UnknownName(WrongUsage):
    """An unknown name; the message has the nearest existing one."""

    def __init__(self, kind: str, name: str, known: Iterable[str], *, shown_by: str = "") -> None:
        listed = f" (`{shown_by}` has all)" if shown_by else ""
        super().__init__(f"unknown {kind} {name!r}{hint(name, known)}{listed}")


class Malformed(Exception):
    """The system sent bytes that its protocol does not allow. Always the system's defect, in whichever step it shows."""
