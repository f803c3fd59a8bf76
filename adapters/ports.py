"""What a system under test may offer, and how its answers are told.

A *system* is opened once a run, says what it is in a handshake, and opens one *session* per scenario. A session has its own
names, so that nothing is shared and nothing is assumed to be clean; it owns the *faults* and the *time* of its system.

Every call on a probe returns an *outcome*: `Done`, `Refused` or `Unknown`. A time-out or a lost connection is Unknown for
ever: an adapter never reports a definite failure after an ambiguous one.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    from .core import TransactionalLog

T_co = TypeVar("T_co", covariant=True)

_ALIKE = 0.5
"""From this likeness on, of at most 1, a name is offered as the one that was meant."""


@dataclass(frozen=True)
class Done(Generic[T_co]):
    """The system did it and said so."""

    value: T_co


@dataclass(frozen=True)
class Refused:
    """The system said that it did not do it. `fields` holds what else the answer carried, by the protocol's names."""

    error: str
    code: int
    message: str | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.error} ({self.code})" + (f": {self.message}" if self.message else "")


@dataclass(frozen=True)
class Unknown:
    """Nobody knows whether the system did it. `lost` tells a closed connection from an answer that did not come in time."""

    reason: str
    lost: bool = False


Outcome: TypeAlias = Done[T_co] | Refused | Unknown


class NotOffered(Exception):
    """The system does not claim to have what a scenario needs; the message says what and how that was found."""


class SystemUnreachable(Exception):
    """The system could not be reached or started; the message names it, says what was tried, and the last error."""


class WrongUsage(Exception):
    """The user asked for something that cannot be; the message says what, and what would be right."""


class UnknownName(WrongUsage):
    """A name that there is none of; the message has the nearest one that there is."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = list(known)
        likeness = {candidate: SequenceMatcher(None, name.lower(), candidate.lower()).ratio() for candidate in names}
        nearest = max(names, key=likeness.__getitem__, default="")
        hint = f"did you mean {nearest}?" if likeness.get(nearest, 0) > _ALIKE else f"known: {', '.join(names[:12])}"
        super().__init__(f"unknown {kind} {name!r}; {hint}")


class Malformed(Exception):
    """The system sent bytes that its protocol does not allow. Always its defect, in whichever step it shows."""


class Time(Protocol):
    """The clock that a system lives by, which also stamps what is written. Virtual for the reference; the wall's for a real broker."""

    def now_ms(self) -> float:
        """Milliseconds since 1970."""
        ...

    def attempts(self, patience: float | None = None) -> Iterator[int]:
        """Count tries, with a little time between them, for as long as the session is patient with what must come."""
        ...


class Faults(Protocol):
    """What can be done to a system. A system offers the capability of the same name, or the call raises NotOffered."""

    def crash(self) -> None:
        """End the system as a power cut does: at once, with only what it has made durable left."""
        ...

    def start_again(self) -> None:
        """Start it again, and wait for nothing."""
        ...

    def restart(self) -> None:
        """Start it again and wait until it serves transactions."""
        ...

    def crash_at(self, point: str) -> None:
        """Crash it the next time that it comes to this point, by the name that the reference has for it; `restart` waits for that.

        This is `crash-points`, which only a system offers that knows its own code.
        """
        ...

    def pause(self, node: int) -> None:
        """Let a node do nothing until `resume`; what is sent to it waits. A crash is still that of the first node."""
        ...

    def resume(self, node: int) -> None:
        """Let a paused node go on."""
        ...


class WireFaults(Protocol):
    """What can be done to the next request of a kind, by a client's name and the request's name in snake case.

    In each case but `arrive_twice` the client is left with a lost connection. A session offers it to a scenario that
    needs `wire-faults`, or raises NotOffered.
    """

    def lose_request(self, client: str, request: str) -> None:
        """It never arrives."""
        ...

    def lose_answer(self, client: str, request: str) -> None:
        """It arrives and is answered; the answer does not."""
        ...

    def arrive_twice(self, client: str, request: str) -> None:
        """It arrives a second time behind itself, and the client gets the first answer."""
        ...

    def hold_up(self, client: str, request: str) -> None:
        """It is under way until `let_go`."""
        ...

    def outstanding(self) -> int:
        """How many of these have met no request yet."""
        ...

    def let_go(self) -> int:
        """What was held up arrives now and has been answered when this returns; how many requests that were."""
        ...


@dataclass(frozen=True)
class Exchange:
    """One request and what came back, as plain values; `answer` is None where none came, and `lost` then says why."""

    client: str
    node: str
    name: str
    request: Mapping[str, Any]
    answer: Mapping[str, Any] | None
    lost: str | None
    at_ms: float
    took_ms: float


@dataclass(frozen=True)
class Handshake:
    """What a system said of itself when it was asked.

    `judged_as` is the system and version whose known deviations hold for it, where they are not its own: the reference with a
    release's profile imitates that release. `notes` and `not_offered` are lines for a person.
    """

    version: str
    version_is_exact: bool
    profile: str
    capabilities: frozenset[str]
    notes: tuple[str, ...] = ()
    not_offered: tuple[str, ...] = ()
    judged_as: tuple[str, str] | None = None


class Session(Protocol):
    """One scenario's view of a system."""

    faults: Faults
    time: Time

    @property
    def wire(self) -> WireFaults:
        """Faults on this session's own connections."""
        ...

    def client(self, name: str) -> Any:
        """The protocol's probe for one named client, with connections of its own."""
        ...

    def transactional_log(self) -> "TransactionalLog":
        """The system as the core requirements see it."""
        ...

    def exchanges(self) -> list[Exchange]:
        """All that was said so far, in order."""
        ...

    def history(self, run_id: str) -> list[dict[str, Any]]:
        """The same as history events: for each request an invoke, then ok, fail or info."""
        ...

    def unique(self, name: str) -> str:
        """A name in the system that only this session uses for its `name`."""
        ...

    def close(self) -> None:
        """Give back connections; leave the system running."""
        ...


class System(Protocol):
    """A system under test."""

    name: str

    def prepare(self, needs: Collection[frozenset[str]] = ()) -> None:
        """Begin to start, without waiting: called before the scenarios are collected, and again with what each one of them needs."""
        ...

    def open(self) -> Handshake:
        """Wait until it serves transactions and ask what it is. Raises SystemUnreachable."""
        ...

    def session(self, title: str, needs: frozenset[str] = frozenset()) -> Session:
        """A fresh session for a scenario that needs these capabilities. Raises NotOffered where they cannot be had at once."""
        ...

    def close(self) -> None:
        """Give back everything; may be called at any moment and twice."""
        ...
