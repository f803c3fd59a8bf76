"""Stream consumers: they register at a topic's controller under a name, and it assigns segments to them. PIP-460, "StreamConsumer".

A registration has a separate connection, to the broker that a lookup names as the controller. A consumer leaves by closing that connection:
there is no command for it. The controller then waits for the same name to reconnect, for a grace period.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.contract.ports import Time
from fencepost.wire.pulsar import messages_pb2 as pb

from .call_outcomes import read_answer
from .client import PulsarClient
from .connection import ClientConnection
from .layout_values import AssignedSegment, SegmentAssignment, StreamConsumer
from .pulsar_error_outcomes import LOOKING
from .watches import LOOK_S, WatchCalls


@dataclass
class _Held:
    """A registration as this client holds it: its connection, its number there, and its first assignment."""

    connection: ClientConnection
    number: int
    first: SegmentAssignment

    def reported(self) -> tuple[SegmentAssignment, ...]:
        """All assignments so far, from the answer on, without waiting."""
        return (self.first, *(_assignment(frame.body.assignment) for frame in self.connection.pushed_to("stream", self.number)))


class StreamCalls(WatchCalls):
    """Registrations of consumers of whole topics."""

    def __init__(self, client: PulsarClient, time: Time) -> None:
        super().__init__(client, time)
        self._streams: dict[int, _Held] = {}

    def join_stream(
        self,
        topic: str,
        subscription: str,
        name: str,
        *,
        kind: Literal["STREAM", "CHECKPOINT"] = "STREAM",
        over: StreamConsumer | None = None,
    ) -> Outcome[StreamConsumer]:
        """SCALABLE_TOPIC_SUBSCRIBE at the controller; Done if it is answered with an assignment.

        With `over`, it is sent over the connection of that registration.
        """

        def attempt() -> Outcome[StreamConsumer]:
            if over is not None:
                return self._registered(topic, subscription, name, kind, self._streams[over.number].connection)
            return self.looked_up(topic).then(lambda layout: self._joined(topic, subscription, name, kind, layout.controller))

        return self._patiently(attempt, lambda outcome: isinstance(outcome, Refused) and outcome.code in LOOKING, retry=True)

    def assignment(self, consumer: StreamConsumer) -> Outcome[SegmentAssignment]:
        """The newest assignment received, without waiting. Unknown if the connection is lost."""
        held = self._streams[consumer.number]
        reported = held.reported()
        return (
            Done(reported[-1]) if held.connection.lost is None else Unknown(f"{consumer.name} is gone: {held.connection.lost}", lost=True)
        )

    def assignments_reported(self, consumer: StreamConsumer) -> tuple[SegmentAssignment, ...]:
        """All assignments received, in order, from the answer on, without waiting; also after the consumer has left."""
        return self._streams[consumer.number].reported()

    def assigned(self, consumer: StreamConsumer, numbers: frozenset[int], *, within_s: float | None = None) -> Outcome[SegmentAssignment]:
        """Wait until the newest assignment has exactly the segments of these numbers, and return it."""
        held = self._streams[consumer.number]
        for _ in self._time.attempts(within_s):
            if frozenset(held.reported()[-1].numbers) == numbers:
                return Done(held.reported()[-1])
            held.connection.await_push(LOOK_S)
        due = ", ".join(map(str, sorted(numbers))) or "none"
        return Unknown(f"{consumer.name} was due to receive the segments {due}; the last assignment was of {held.reported()[-1]}")

    def leave_stream(self, consumer: StreamConsumer) -> None:
        """Close the connection: there is no other way to leave."""
        self._streams[consumer.number].connection.close()

    def close(self) -> None:
        for held in self._streams.values():
            held.connection.close()
        super().close()

    def _joined(self, topic: str, subscription: str, name: str, kind: str, url: str | None) -> Outcome[StreamConsumer]:
        match self.new_connection_to(url):
            case Done(connection):
                pass
            case trouble:
                return trouble
        joined = self._registered(topic, subscription, name, kind, connection)
        if not isinstance(joined, Done):
            connection.close()
        return joined

    def _registered(self, topic: str, subscription: str, name: str, kind: str, connection: ClientConnection) -> Outcome[StreamConsumer]:
        consumer = StreamConsumer(topic, subscription, name, self._client.next_number())
        command = pb.CommandScalableTopicSubscribe(
            request_id=self._client.next_request(),
            topic=topic,
            subscription=subscription,
            consumer_name=name,
            consumer_id=consumer.number,
            consumer_type=kind,
        )
        about = {"topic": topic, "subscription": subscription, "member": name}
        connection.consumers[consumer.number] = about
        call = connection.ask(command, about=about)
        match read_answer(connection.answer(call, self._client.deadline_s), lambda body: _assignment(body.assignment)):
            case Done(first):
                self._streams[consumer.number] = _Held(connection, consumer.number, first)
                return Done(consumer)
            case trouble:
                return trouble


def _assignment(assignment: Any) -> SegmentAssignment:
    segments = [AssignedSegment(one.segment_id, one.hash_start, one.hash_end, one.segment_topic) for one in assignment.segments]
    return SegmentAssignment(assignment.layout_epoch, tuple(segments))
