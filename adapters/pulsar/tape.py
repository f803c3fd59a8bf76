"""Everything that passes between a session's clients and its system, in order: what a play of the scenario without the system needs.

A conversation has calls. A tape also has what is no call: the connections, and each look at a connection that found nothing. Frames are
kept unchanged, and written as bytes only on demand.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from fencepost.adapters.common.address import Address
from fencepost.contract.errors import Malformed, SystemUnreachable
from fencepost.contract.outcomes import Done, Unknown
from fencepost.wire.pulsar.admin import AdminAnswer, AdminRequest
from fencepost.wire.pulsar.frames import Frame

from .store_writes import StoreWrite
from .transport import AdminTransport, Connect, ConnectionLost, PendingAnswer, PulsarTransport

R = TypeVar("R")


class EntryKind(StrEnum):
    """What an entry of a tape is."""

    CONNECTED = "connected"
    REFUSED = "refused"
    """No connection could be made."""
    SENT = "sent"
    UNSENT = "unsent"
    """The connection was lost instead."""
    RECEIVED = "received"
    NOTHING = "nothing"
    """The client looked, and no frame had come."""
    LOST = "lost"
    MALFORMED = "malformed"
    FORBIDDEN = "forbidden"
    """The system does not let the client in."""
    ASKED = "asked"
    """An admin call began."""
    ANSWERED = "answered"
    PENDING = "pending"
    """The client looked for the answer to an admin call, and there was none yet."""
    UNANSWERED = "unanswered"
    DISCONNECTED = "disconnected"
    """The session closed its clients' connections, as it does when the system is killed or started."""
    PASSED = "passed"
    """The scenario let time pass."""
    WROTE = "wrote"
    """A broker wrote to its metadata store: number 1 if it did so while a client waited for what the next entry is, else 0."""


@dataclass
class TapeEntry:
    """One entry. `number` is that of the connection or of the admin call, counted from 1; `times` counts equal looks that found nothing."""

    kind: EntryKind
    number: int
    at_ms: float = 0.0
    content: Frame | AdminRequest | AdminAnswer | StoreWrite | tuple[str, Address] | Unknown | None = None
    why: str | None = None
    times: int = 1


class PulsarTape:
    """The tape of one session, while it is recorded."""

    def __init__(self, now_ms: Callable[[], float]) -> None:
        self._now_ms = now_ms
        self.began_ms = now_ms()
        self.entries: list[TapeEntry] = []
        self._connections = self._calls = 0
        self._is_waiting = False

    def waiting_for(self, act: Callable[[], R]) -> R:
        """What a client waits for."""
        self._is_waiting = True
        try:
            return act()
        finally:
            self._is_waiting = False

    def wrote(self, write: StoreWrite, doubt: str | None) -> None:
        """Note a write of a broker; `doubt` is the reason why the outcome is unknown, if it is."""
        self.add(TapeEntry(EntryKind.WROTE, int(self._is_waiting), content=write, why=doubt))

    def connecting(self, connect: Connect) -> Connect:
        """The same connections, recorded."""

        def recorded(client: str, address: Address) -> PulsarTransport:
            self._connections += 1
            number, to = self._connections, (client, address)
            try:
                transport = self.waiting_for(lambda: connect(client, address))
            except ConnectionLost as lost:
                self.add(TapeEntry(EntryKind.REFUSED, number, content=to, why=str(lost)))
                raise
            self.add(TapeEntry(EntryKind.CONNECTED, number, content=to))
            return _RecordingTransport(self, number, transport)

        return recorded

    def administering(self, admin: AdminTransport) -> AdminTransport:
        """The same admin calls, recorded."""
        return _RecordingAdmin(self, admin)

    def new_call(self, request: AdminRequest) -> int:
        """Note that an admin call begins; returns its number."""
        self._calls += 1
        self.add(TapeEntry(EntryKind.ASKED, self._calls, content=request))
        return self._calls

    def add(self, entry: TapeEntry) -> None:
        """Note what has just passed."""
        entry.at_ms = self._now_ms()
        self.entries.append(entry)

    def found_nothing(self, number: int) -> None:
        """Note a look at a connection that found nothing; equal looks at one moment are one entry."""
        now, last = self._now_ms(), self.entries[-1]
        if last.kind is EntryKind.NOTHING and last.number == number and last.at_ms == now:
            last.times += 1
        else:
            self.entries.append(TapeEntry(EntryKind.NOTHING, number, now))


class _RecordingTransport:
    """A connection that notes its frames."""

    def __init__(self, tape: PulsarTape, number: int, inner: PulsarTransport) -> None:
        self._tape, self._number, self._inner = tape, number, inner
        self.close = inner.close

    def send(self, frame: Frame) -> None:
        try:
            self._tape.waiting_for(lambda: self._inner.send(frame))
        except ConnectionLost as lost:
            self._tape.add(TapeEntry(EntryKind.UNSENT, self._number, content=frame, why=str(lost)))
            raise
        self._tape.add(TapeEntry(EntryKind.SENT, self._number, content=frame))

    def receive(self, within_s: float) -> Frame | None:
        try:
            frame = self._tape.waiting_for(lambda: self._inner.receive(within_s))
        except (ConnectionLost, Malformed, SystemUnreachable) as error:
            self._tape.add(TapeEntry(_kind_of(error), self._number, why=str(error)))
            raise
        if frame is None:
            self._tape.found_nothing(self._number)
        else:
            self._tape.add(TapeEntry(EntryKind.RECEIVED, self._number, content=frame))
        return frame


class _RecordingAdmin:
    """Admin calls that are noted."""

    def __init__(self, tape: PulsarTape, inner: AdminTransport) -> None:
        self._tape, self._inner = tape, inner
        self.close = inner.close

    def begin(self, request: AdminRequest, deadline_s: float) -> PendingAnswer:
        number = self._tape.new_call(request)
        pending = self._tape.waiting_for(lambda: self._inner.begin(request, deadline_s))
        return _RecordingAnswer(self._tape, number, pending)

    def call(self, request: AdminRequest, deadline_s: float) -> Done[AdminAnswer] | Unknown:
        number = self._tape.new_call(request)
        return _noted(self._tape, number, lambda: self._inner.call(request, deadline_s))


class _RecordingAnswer:
    """An admin call in flight, whose outcome is noted each time that it is asked for."""

    def __init__(self, tape: PulsarTape, number: int, inner: PendingAnswer) -> None:
        self._tape, self._number, self._inner = tape, number, inner

    def answer(self, within_s: float) -> Done[AdminAnswer] | Unknown | None:
        return _noted(self._tape, self._number, lambda: self._inner.answer(within_s))


Outcome = TypeVar("Outcome", bound="Done[AdminAnswer] | Unknown | None")


def _noted(tape: PulsarTape, number: int, wait: Callable[[], Outcome]) -> Outcome:
    try:
        outcome = tape.waiting_for(wait)
    except SystemUnreachable as error:
        tape.add(TapeEntry(EntryKind.FORBIDDEN, number, why=str(error)))
        raise
    match outcome:
        case None:
            tape.add(TapeEntry(EntryKind.PENDING, number))
        case Done(answer):
            tape.add(TapeEntry(EntryKind.ANSWERED, number, content=answer))
        case Unknown(reason):
            tape.add(TapeEntry(EntryKind.UNANSWERED, number, content=outcome, why=reason))
    return outcome


def _kind_of(error: Exception) -> EntryKind:
    if isinstance(error, ConnectionLost):
        return EntryKind.LOST
    return EntryKind.MALFORMED if isinstance(error, Malformed) else EntryKind.FORBIDDEN
