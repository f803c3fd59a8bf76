"""What a system under test may offer.

A *system* is opened once a run, identifies itself in a handshake, and opens one *session* per scenario. A session has its own
names, so that nothing is shared and nothing is assumed to be clean; it owns the *faults* and the *time* of its system.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from .events import Event
from .transactional_log import TransactionalLog


class Time(Protocol):
    """The system's clock, which also stamps what is written. Virtual for the reference; the wall clock for a real broker."""

    @property
    def patience_s(self) -> float:
        """How long the session waits for an expected event, in seconds."""
        ...

    def now_ms(self) -> float:
        """Milliseconds since 1970."""
        ...

    def attempts(self, patience: float | None = None) -> Iterator[int]:
        """Count tries, with a little time between them, for as long as the session is patient with an expected event."""
        ...


@runtime_checkable
class PassesTime(Protocol):
    """The time of a system that offers `virtual-time` has this in addition to that of `Time`."""

    def let_pass(self, ms: float) -> None:
        """Let so much time pass at once: events due within it happen in their order."""
        ...


class Faults(Protocol):
    """What can be done to a system. A system offers the capability of the same name, or the call raises NotOffered."""

    def crash(self) -> None:
        """End the system as a power cut does: at once, with only its durable state left."""
        ...

    def stop(self) -> None:
        """Stop the system as an operator does: it stores what it wants to keep, and is down. This is `clean-stop`."""
        ...

    def start_again(self) -> None:
        """Start it again, and wait for nothing."""
        ...

    def restart(self) -> None:
        """Start it again and wait until it serves transactions."""
        ...

    def crash_at(self, point: str) -> None:
        """Crash it the next time that it reaches this point, by the name that the reference has for it; `restart` waits for that.

        This is `crash-points`, which only a system offers that knows its own code.
        """
        ...

    def pause(self, node: int) -> None:
        """Halt a node until `resume`; requests to it wait. A crash is still that of the first node."""
        ...

    def resume(self, node: int) -> None:
        """Let a paused node continue."""
        ...


@runtime_checkable
class DoublesAnswers(Protocol):
    """The faults of a system that offers `doubled-answers` have this in addition to those of `Faults`."""

    def double_answers(self) -> None:
        """Let each marker arrive twice from now on. The second answer arrives just before the next crash, ahead of the markers that are
        in flight then, which are lost.
        """
        ...


@runtime_checkable
class FailsAppends(Protocol):
    """The faults of a system that offers `failed-appends` have this in addition to those of `Faults`."""

    def refuse_append(self, log: str, number: int) -> None:
        """Refuse one append to that log, and write nothing of it: this number of them from now on; the others are accepted."""
        ...

    def append_is_to_be_refused(self, log: str) -> bool:
        """Whether the append that is to be refused has not arrived yet."""
        ...


@runtime_checkable
class EndsBrokers(Protocol):
    """The faults of a system that offers `more-brokers` have this in addition to those of `Faults`."""

    def crash_broker(self, service_url: str) -> None:
        """End the broker at that address as a power cut does; the others continue. `restart` starts it again."""
        ...


@runtime_checkable
class NamesPrincipals(Protocol):
    """A session with a system that offers `principals`."""

    def client_of(self, name: str, principal: str | None) -> Any:
        """The probe of a named client that names its principal when it connects; None names none."""
        ...


@runtime_checkable
class DisturbsMessages(Protocol):
    """The faults of a system that offers `node-messages` or `late-ends` have these in addition to those of `Faults`.

    They are about what coordinators and participants send each other, as between nodes of a cluster.
    """

    def delay_messages(self, ms: int) -> None:
        """From now on, let each message arrive at least so much later."""
        ...

    def repeat_messages(self, times: Callable[[object], int]) -> None:
        """From now on, let each message arrive so many times, by its content. One that arrives no times is lost, and its sender notices."""
        ...


@runtime_checkable
class KeyTopicFaults(Protocol):
    """The faults of a system that offers `key-topic-faults` have these in addition to those of `Faults`."""

    def fail_key_topic(self) -> None:
        """Fail the next append to the topic in which a coordinator keeps its transaction keys."""
        ...

    def damage_key_topic(self, record: bytes) -> None:
        """Append these unreadable bytes to the key topic of each coordinator."""
        ...

    def compact_key_topic(self) -> None:
        """Compact the key topic of each coordinator."""
        ...

    def unreadable_key_records(self) -> int:
        """How many records of key topics the system has reported as unreadable to its operator."""
        ...


@runtime_checkable
class ExpiresSessions(Protocol):
    """The faults of a system that offers `more-brokers` and `store-faults` have this in addition to those of `Faults`."""

    def expire_session(self, service_url: str) -> None:
        """Let the metadata store take the broker at that address for dead, although it runs on; the others notice at once."""
        ...


class WireFaults(Protocol):
    """What can be done to the next request of a kind, by a client's name and the request's name in snake case.

    Except for `arrive_twice`, the client is left with a lost connection. A session offers it to a scenario that
    needs `wire-faults`, or raises NotOffered.
    """

    def lose_request(self, client: str, request: str) -> None:
        """It never arrives."""
        ...

    def lose_answer(self, client: str, request: str) -> None:
        """It arrives and is answered; the answer does not."""
        ...

    def arrive_twice(self, client: str, request: str) -> None:
        """It arrives a second time right after itself, and the client gets the first answer."""
        ...

    def hold_up(self, client: str, request: str) -> None:
        """It is in flight until `let_go`."""
        ...

    def outstanding(self) -> int:
        """How many of these faults have met no request yet."""
        ...

    def let_go(self) -> int:
        """Deliver the delayed requests; returns how many there were, once they are answered."""
        ...


@dataclass(frozen=True)
class Exchange:
    """One request and its answer, as plain values; `answer` is None if none arrived, and `lost` then has the reason."""

    client: str
    node: str
    name: str
    request: Mapping[str, Any]
    answer: Mapping[str, Any] | None
    lost: str | None
    at_ms: float
    took_ms: float
    began: int = field(default=0, compare=False)
    """How many beginnings and ends of calls there were in its session before it began: a virtual clock may stand still meanwhile."""


@dataclass(frozen=True)
class Image:
    """The container image that a system was started from.

    `digest` is `sha256:...`: the one that its repository gave it, or the image's own id if it has none. None if Docker did not report it.
    `stranger` is the name of a system from it, unless the user sets one; None for the project's own image.
    """

    name: str
    digest: str | None = None
    stranger: str | None = None

    def __str__(self) -> str:
        return self.name if self.digest is None or self.digest in self.name else f"{self.name} ({self.digest})"


@dataclass(frozen=True)
class Handshake:
    """What a system reported about itself.

    `judged_as` is the system and version whose bundled deviations hold for it: a genuine release, or the reference with the profile of
    one; None if none hold. `looks_like` is the release that it resembles by its own report: that release's deviations excuse
    nothing, and a failure that resembles one of them is reported with that. `deviations` explains in one line why deviations hold, or do
    not. `notes` and `not_offered` are lines for a person, too.
    """

    version: str
    version_is_exact: bool
    profile: str
    capabilities: frozenset[str]
    notes: tuple[str, ...] = ()
    not_offered: tuple[str, ...] = ()
    judged_as: tuple[str, str] | None = None
    looks_like: tuple[str, str] | None = None
    deviations: str | None = None
    image: Image | None = None


class Session(Protocol):
    """One scenario's view of a system."""

    faults: Faults
    time: Time

    @property
    def wire(self) -> WireFaults:
        """Faults on this session's own connections."""
        ...

    def client(self, name: str) -> Any:
        """The protocol's probe for one named client, with separate connections."""
        ...

    def transactional_log(self) -> TransactionalLog:
        """The system as the core requirements see it."""
        ...

    def exchanges(self) -> Sequence[Exchange]:
        """All exchanges so far, in order."""
        ...

    def history(self, run_id: str) -> list[Event]:
        """The same as history events: for each request an invoke, then ok, fail or info."""
        ...

    def unique(self, name: str) -> str:
        """A name in the system that only this session uses for its `name`."""
        ...

    def close(self) -> None:
        """Close connections; leave the system running."""
        ...


@runtime_checkable
class KeepsExchanges(Protocol):
    """A session that can return its exchanges as they went over the wire, for `fencepost replay` and `fencepost verify`."""

    def kept_exchanges(self) -> list[dict[str, Any]]:
        """Lines of JSON: what is the same for all, then each request with its answer, their frames in hexadecimal."""
        ...


@runtime_checkable
class Answers(Protocol):
    """A system that another party runs, and that may go away during a run."""

    def answers(self) -> bool:
        """Whether it answers now; asked once, within seconds."""
        ...


class System(Protocol):
    """A system under test."""

    name: str

    def prepare(self, needs: Collection[frozenset[str]] = ()) -> None:
        """Begin to start, without waiting: called before the scenarios are collected, and again with the needs of each of them."""
        ...

    def open(self) -> Handshake:
        """Wait until it serves transactions and perform the handshake. Raises SystemUnreachable."""
        ...

    def session(self, title: str, needs: frozenset[str] = frozenset()) -> Session:
        """A fresh session for a scenario that needs these capabilities. Raises NotOffered if they are not available together."""
        ...

    def close(self) -> None:
        """Release everything; may be called at any moment and twice."""
        ...
