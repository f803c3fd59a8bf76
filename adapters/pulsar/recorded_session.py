"""A session with recorded answers: the same clients, and a tape in place of the system.

A scenario that is played on it does what it did when it was recorded, in the same order. The tape compares each connection, frame and admin
call with the recorded one and returns what came then, at the recorded time; anything else ends the play with `Parted`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from fencepost.adapters.common.address import Address
from fencepost.adapters.common.playback import NothingHappens, NotRecorded, RecordedExchanges, RecordedWallTime
from fencepost.adapters.common.time import VirtualTime
from fencepost.contract.errors import Malformed, SystemUnreachable
from fencepost.contract.metadata_view import MetadataView
from fencepost.contract.outcomes import Done, Unknown
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.admin import AdminAnswer, AdminRequest
from fencepost.wire.pulsar.commands import plain
from fencepost.wire.pulsar.frames import Frame

from .kept_exchanges import KeptHead
from .keyed_core import KeyedLog
from .pulsar_session import PulsarSession
from .scalable_session import ScalableSession
from .store_writes import StoreWrite
from .tape import EntryKind, TapeEntry
from .transport import AdminTransport, ConnectionLost, PendingAnswer, PulsarTransport


class PlayedTape(RecordedExchanges):
    """The recorded entries, in order, and the corresponding clock."""

    def __init__(self, entries: Sequence[TapeEntry], head: KeptHead) -> None:
        super().__init__(head.began_ms)
        self._entries = list(entries)
        self._next = self._used = 0
        self._connections = self._calls = 0
        self.session: PulsarSession | None = None
        """The session that is played on this tape: it notes the brokers' writes."""

    def advance(self, ms: float) -> None:
        super().advance(ms)
        self._take_writes(is_waiting=False)

    def connect(self, client: str, node: Address) -> PulsarTransport:
        """The next connection. Raises ConnectionLost if there was none, and Parted."""
        self._connections += 1
        entry = self.take(f"{client} connects to {node}", self._connections, EntryKind.CONNECTED, EntryKind.REFUSED)
        if entry.content != (client, node):
            raise self.part(f"exchange {self._next}: {client} connects to {node} now, and the record has {entry.content}")
        if entry.kind is EntryKind.REFUSED:
            raise ConnectionLost(entry.why or "")
        return _PlayedTransport(self, self._connections, client)

    def disconnect(self) -> None:
        """The system is killed or started now. Raises Parted."""
        self.take("the session closes its connections", 0, EntryKind.DISCONNECTED)

    def begin(self, request: AdminRequest) -> int:
        """The next admin call; returns its number. Raises Parted."""
        self._calls += 1
        entry = self.take(str(request), self._calls, EntryKind.ASKED)
        if entry.content != request:
            raise self.part(f"exchange {self._next}: {request} {request.body} is asked now, and the record has {entry.content}")
        return self._calls

    def take(self, doing: str, number: int, *kinds: EntryKind) -> TapeEntry:
        """The next entry, which must be one of these kinds of that connection or call. Raises Parted."""
        self._take_writes(is_waiting=True)
        if self._next >= len(self._entries):
            raise self.part(f"{doing} now, and the record ends with exchange {len(self._entries)}")
        entry = self._entries[self._next]
        if entry.kind not in kinds or entry.number != number:
            raise self.part(f"exchange {self._next + 1}: {doing} now, and the record has {shown(entry)}")
        self._used += 1
        self.exchanged(entry.at_ms)
        if self._used >= entry.times:
            self._next, self._used = self._next + 1, 0
        return entry

    def finish(self) -> None:
        self._take_writes(is_waiting=True)
        left = [entry for entry in self._entries[self._next :] if entry.kind is not EntryKind.DISCONNECTED]
        if self.parted is None and left:
            self.part(f"the play ends before exchange {self._next + 1}, {shown(self._entries[self._next])}, which was recorded")

    def _take_writes(self, *, is_waiting: bool) -> None:
        """Note the brokers' writes that come next; only those until now that no client was waiting at, if none waits."""
        while self._next < len(self._entries) and (entry := self._entries[self._next]).kind is EntryKind.WROTE:
            if not is_waiting and (entry.number or entry.at_ms > self._now_ms):
                return
            self._next += 1
            now = max(self._now_ms, entry.at_ms)
            if isinstance(self.session, ScalableSession) and isinstance(entry.content, StoreWrite):
                self._now_ms = entry.at_ms
                self.session.note(entry.content, entry.why)
            self._now_ms = now


class _PlayedTime(VirtualTime):
    """The virtual time of a tape: how far a scenario let it pass is recorded."""

    def __init__(self, tape: PlayedTape, patience_s: float) -> None:
        super().__init__(tape, patience_s)
        self._tape = tape

    def let_pass(self, ms: float) -> None:
        self._tape.take(f"the play lets {ms:g} ms pass", 0, EntryKind.PASSED)


class _PlayedTransport:
    """A connection to the tape."""

    def __init__(self, tape: PlayedTape, number: int, client: str) -> None:
        self._tape, self._number, self._client = tape, number, client

    def send(self, frame: Frame) -> None:
        entry = self._tape.take(f"{self._client} sends {frame.name}", self._number, EntryKind.SENT, EntryKind.UNSENT)
        assert isinstance(entry.content, Frame)
        if (other := _difference(frame, entry.content)) is not None:
            raise self._tape.part(f"{frame.name} of {self._client}: {other}")
        if entry.kind is EntryKind.UNSENT:
            raise ConnectionLost(entry.why or "")

    def receive(self, within_s: float) -> Frame | None:  # noqa: ARG002 - the time that it took is recorded
        entry = self._tape.take(f"{self._client} looks for a frame", self._number, *_COMES_IN)
        match entry.kind:
            case EntryKind.RECEIVED:
                assert isinstance(entry.content, Frame)
                return entry.content
            case EntryKind.NOTHING:
                return None
            case EntryKind.LOST:
                raise ConnectionLost(entry.why or "")
            case EntryKind.MALFORMED:
                raise Malformed(entry.why or "")
            case _:
                raise SystemUnreachable(entry.why or "")

    def close(self) -> None:
        """There is nothing to release."""


_COMES_IN = (EntryKind.RECEIVED, EntryKind.NOTHING, EntryKind.LOST, EntryKind.MALFORMED, EntryKind.FORBIDDEN)


class _PlayedAdmin:
    """Admin calls that the tape answers."""

    def __init__(self, tape: PlayedTape) -> None:
        self._tape = tape

    def begin(self, request: AdminRequest, deadline_s: float) -> PendingAnswer:  # noqa: ARG002 - the time that it took is recorded
        return _PlayedAnswer(self._tape, self._tape.begin(request), str(request))

    def call(self, request: AdminRequest, deadline_s: float) -> Done[AdminAnswer] | Unknown:
        answer = self.begin(request, deadline_s).answer(deadline_s)
        if answer is None:
            raise self._tape.part(f"{request} is awaited now, and was not when it was recorded")
        return answer

    def close(self) -> None:
        """There is nothing to release."""


class _PlayedAnswer:
    """An admin call that the tape answers as often as it did."""

    def __init__(self, tape: PlayedTape, number: int, request: str) -> None:
        self._tape, self._number, self._request = tape, number, request

    def answer(self, within_s: float) -> Done[AdminAnswer] | Unknown | None:  # noqa: ARG002 - the time that it took is recorded
        entry = self._tape.take(
            f"the answer to {self._request} is awaited",
            self._number,
            EntryKind.ANSWERED,
            EntryKind.PENDING,
            EntryKind.UNANSWERED,
            EntryKind.FORBIDDEN,
        )
        match entry.content:
            case AdminAnswer() as answer:
                return Done(answer)
            case Unknown() as unknown:
                return unknown
            case _ if entry.kind is EntryKind.FORBIDDEN:
                raise SystemUnreachable(entry.why or "")
            case _:
                return None


def shown(entry: TapeEntry) -> str:
    """An entry in a few words."""
    match entry.content:
        case Frame() as frame:
            return f"{frame.name} {entry.kind} on connection {entry.number}"
        case AdminRequest() as request:
            return str(request)
        case (client, node):
            return f"{client} and {node}, {entry.kind}"
        case _:
            return f"{entry.kind} on {entry.number}"


def _difference(asked: Frame, recorded: Frame) -> str | None:
    """How two frames differ; None if at most in the time of sending."""
    ours, theirs = _timeless(asked), _timeless(recorded)
    for name in (*ours, *(name for name in theirs if name not in ours)):
        if ours.get(name) != theirs.get(name):
            return f"{name} is {str(ours.get(name))[:80]} now, and was recorded as {str(theirs.get(name))[:80]}"
    return None


def _timeless(frame: Frame) -> Mapping[str, Any]:
    fields = {"command": frame.name, **plain(frame.body)}
    if frame.payload is not None:
        metadata = pb.MessageMetadata()
        metadata.CopyFrom(frame.payload.metadata)
        metadata.publish_time = 0
        fields |= {"metadata": plain(metadata), "data": frame.payload.data.hex()}
    return fields


def session_of(entries: Sequence[TapeEntry], head: KeptHead) -> tuple[PulsarSession, PlayedTape]:
    """A session on these entries, and the tape, which knows at the end whether the play was as recorded."""
    tape = PlayedTape(entries, head)
    time = _PlayedTime(tape, head.patience_s) if head.is_virtual else RecordedWallTime(tape, head.patience_s)
    admin: AdminTransport = _PlayedAdmin(tape)
    of_any = (head.service, tape.connect, lambda: admin, time, NothingHappens(tape.note, tape.disconnect), head.suffix)
    if head.protocol == "pulsar-scalable":
        tape.session = _RecordedScalableSession(*of_any, tape=tape, is_true=lambda: head.is_true, over_tls=head.over_tls)
    else:
        tape.session = PulsarSession(*of_any, over_tls=head.over_tls)
    if head.writers_have_keys:
        tape.session.log_of_writers = KeyedLog
    return tape.session, tape


class _RecordedScalableSession(ScalableSession):
    """A session whose system showed what no client can see, and what is therefore not recorded."""

    def __init__(self, *of_any: Any, tape: PlayedTape, **more: Any) -> None:
        super().__init__(*of_any, **more)
        self._played = tape

    @property
    def metadata(self) -> MetadataView:
        raise self._played.note(NotRecorded("what the metadata store has is no answer to a request, so it is not recorded"))

    def length_of(self, log: str) -> int:
        raise self._played.note(NotRecorded(f"how many entries {log} has is no answer to a request, so it is not recorded"))
