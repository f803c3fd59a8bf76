"""A session with recorded answers: the same clients, and a tape in place of the broker.

A scenario that is played on it makes its requests in order. The tape compares each with the recorded one and returns the recorded answer,
at the recorded time; a different request, or one too many, ends the play with `Parted`. Faults do nothing, because the answers already show
their effects.
"""

from collections.abc import Sequence
from dataclasses import replace

from kio.static.protocol import RequestPayload, ResponsePayload

from fencepost.adapters.common.address import Address
from fencepost.adapters.common.playback import NothingHappens, RecordedExchanges, RecordedWallTime
from fencepost.adapters.common.time import VirtualTime
from fencepost.adapters.common.wire_faults import Fault, Orders
from fencepost.contract.errors import Malformed
from fencepost.contract.outcomes import Done, Outcome, Unknown
from fencepost.wire.kafka.entities import API_KEYS, api_of
from fencepost.wire.kafka.message_fields import Part, parts_of

from .kafka_recording import CallEnding, RecordedRequest
from .kafka_session import KafkaSession
from .kafka_values import NearLastEpoch
from .kept_session import Head
from .probe import no_pool
from .transport import Answer, KafkaTransport, named


class Tape(RecordedExchanges):
    """The recorded calls, in the order of their requests, and the corresponding clock."""

    def __init__(self, calls: Sequence[RecordedRequest], head: Head) -> None:
        self._calls = sorted(enumerate(calls, 1), key=lambda numbered: numbered[1].began)
        super().__init__(self._calls[0][1].at_ms if self._calls else 0.0)
        self.calls = list(calls)
        """The calls as they are kept; once the play has made a request, its call has the play's own request, whose constants have names."""
        self._looks, self._taken = list(head.looks), list(head.taken)
        self._next = 0

    def sent(self, client: str, node: Address, request: RequestPayload) -> RecordedRequest:
        """The recorded call for this request. Raises Parted."""
        if self._next >= len(self._calls):
            raise self.part(f"{client} asks {named(request)} now, and the record ends with exchange {len(self._calls)}")
        number, call = self._calls[self._next]
        if (call.client, call.node, named(call.request)) != (client, node, named(request)):
            raise self.part(
                f"exchange {number}: {client} asks {named(request)} at {node} now, and the record has {named(call.request)} "
                f"of {call.client} at {call.node}"
            )
        if (other := _difference(request, call.request)) is not None:
            raise self.part(f"exchange {number}, {named(request)} of {client}: {other}")
        if request == call.request:  # otherwise only the times of its records differ
            self.calls[number - 1] = replace(call, request=request)
        self._next += 1
        self.exchanged(call.at_ms)
        return call

    def ended(self, call: RecordedRequest) -> None:
        """The play has waited for the answer of this call."""
        self._now_ms = max(self._now_ms, call.at_ms + call.took_ms)

    def listened(self) -> bool:
        """Whether the node listened at the corresponding look. Raises Parted."""
        if not self._looks:
            raise self.part("the play looks whether a node listens, which the record does not say")
        return self._looks.pop(0)

    def taken(self) -> Outcome[NearLastEpoch]:
        """The producer near its last epoch that the session got."""
        return Done(self._taken.pop(0)) if self._taken else no_pool()

    def finish(self) -> None:
        if self.parted is None and self._next < len(self._calls):
            number, call = self._calls[self._next]
            self.part(f"the play ends before exchange {number}, {named(call.request)} of {call.client}, which was recorded")


def _difference(asked: RequestPayload, recorded: RequestPayload) -> str | None:
    """The first field in which two requests of a kind differ, with both values; None if they differ at most in times of records."""
    if asked == recorded:
        return None
    ours, theirs = parts_of(asked), parts_of(recorded)
    for one, other in zip(ours, theirs, strict=False):
        if one.path != other.path or _timeless(one) != _timeless(other):
            return f"{one.path} is {_shown(one)} now, and was recorded as {_shown(other)}"
    return None if len(ours) == len(theirs) else f"it has {len(ours)} fields now, and was recorded with {len(theirs)}"


def _timeless(part: Part) -> object:
    """The value, without what depends on the time of sending: in record batches the checksum and the two timestamps."""
    if part.kind != "records" or not part.value:
        return part.value
    data, at = bytearray(part.value), 0
    while at + 61 <= len(data):
        data[at + 17 : at + 21] = bytes(4)
        data[at + 27 : at + 43] = bytes(16)
        at += 12 + max(0, int.from_bytes(data[at + 8 : at + 12], "big", signed=True))
    return bytes(data)


def _shown(part: Part) -> str:
    text = part.value.hex() if isinstance(part.value, bytes) else str(part.value)
    return text if len(text) <= 80 else f"{text[:80]}..."


class _RecordedTransport:
    """A connection to the tape."""

    def __init__(self, tape: Tape, client: str, node: Address, orders: Orders | None) -> None:
        self._tape, self._client, self._node, self._orders = tape, client, node, orders

    def send(self, request: RequestPayload, deadline_s: float) -> Answer:  # noqa: ARG002 - the time that it took is recorded
        call = self._tape.sent(self._client, self._node, request)
        if self._orders is not None and self._orders.take(self._client, api_of(request)) is Fault.HOLD_UP:
            self._orders.hold(lambda: None)

        def read() -> Done[ResponsePayload] | Unknown:
            self._tape.ended(call)
            if call.answer is not None:
                return Done(call.answer)
            if call.ending is CallEnding.MALFORMED:
                raise Malformed(call.lost or "")
            return Unknown(call.lost or "", lost=call.ending is CallEnding.CLOSED)

        return read

    def call(self, request: RequestPayload, deadline_s: float) -> Done[ResponsePayload] | Unknown:
        return self.send(request, deadline_s)()

    def is_listened_to(self) -> bool:
        return self._tape.listened()

    def close(self) -> None:
        """There is nothing to release."""


class _RecordedWire:
    """Connections to the tape with wire faults, which have no effect: the recorded answers show it."""

    def __init__(self, tape: Tape) -> None:
        self.orders = Orders(API_KEYS)
        self._tape = tape

    def connect(self, client: str, address: Address) -> KafkaTransport:
        return _RecordedTransport(self._tape, client, address, self.orders)

    def close(self) -> None:
        self.orders.forget()


def session_of(calls: Sequence[RecordedRequest], head: Head) -> tuple[KafkaSession, Tape]:
    """A session with these answers, and the tape, which knows at the end whether the play was as recorded."""
    tape = Tape(calls, head)

    def connect(client: str, address: Address) -> KafkaTransport:
        return _RecordedTransport(tape, client, address, None)

    session = KafkaSession(
        head.bootstrap,
        connect,
        head.offer,
        VirtualTime(tape, head.patience_s) if head.is_virtual else RecordedWallTime(tape, head.patience_s, hears_of_changes=True),
        NothingHappens(tape.note),
        head.suffix,
        connect_as=lambda _user: connect,
        take_from_pool=tape.taken,
        wire=_RecordedWire(tape) if head.has_wire else None,
    )
    return session, tape
