"""A layer between the clients of a Kafka session and its nodes: it changes requests, and the clients do not notice.

A session records what its client sent and received. What goes over the wire instead is known to the disturbance only.
"""

from collections import Counter
from typing import TypeAlias

from kio.static.protocol import RequestPayload, ResponsePayload

from fencepost.adapters.kafka.kafka_session import KafkaSession
from fencepost.adapters.kafka.transport import Answer, KafkaTransport
from fencepost.contract.outcomes import Done, Unknown

from .performer import Performer

Heard: TypeAlias = Done[ResponsePayload] | Unknown
"""The outcome of a request: an answer, or none."""


class RequestPerformer(Performer):
    """Disturbs requests one by one. A method that a subclass does not override changes nothing."""

    session: KafkaSession

    def begin(self) -> None:
        self.in_flight: Counter[KafkaTransport] = Counter()
        """How many requests of each connection are not answered yet."""
        self.session.between(lambda client, transport: _Way(client, transport, self))

    def is_about(self, client: str, request: RequestPayload) -> bool:  # noqa: ARG002 - a subclass may distinguish clients
        """Whether this request is disturbed."""
        return True

    def before(self, client: str, transport: KafkaTransport, request: RequestPayload) -> None:
        """The request is about to be sent, and nothing is in flight on the connection."""

    def changed(self, request: RequestPayload) -> RequestPayload:
        """The request to send instead: another form of the same request, whose answer is also that of the original."""
        return request

    def finish(self, transport: KafkaTransport, request: RequestPayload, answer: Heard, deadline_s: float) -> Heard:  # noqa: ARG002
        """The answer came, and nothing else is in flight on the connection. Returns what the client gets."""
        return answer


class _Way:
    """A transport whose requests are disturbed."""

    def __init__(self, client: str, inner: KafkaTransport, performer: RequestPerformer) -> None:
        self._client = client
        self._inner = inner
        self._performer = performer

    def call(self, request: RequestPayload, deadline_s: float) -> Heard:
        return self.send(request, deadline_s)()

    def send(self, request: RequestPayload, deadline_s: float) -> Answer:
        performer, flight = self._performer, self._performer.in_flight
        is_disturbed = performer.is_active and performer.is_about(self._client, request)
        if is_disturbed and not flight[self._inner]:
            performer.before(self._client, self._inner, request)
        sent = performer.changed(request) if is_disturbed else request
        wait = self._inner.send(sent, deadline_s)
        flight[self._inner] += 1

        def answered() -> Heard:
            try:
                answer = wait()
            finally:
                flight[self._inner] -= 1
            # With other requests in flight, whose answers come in order, no request can be made in between.
            if not is_disturbed or flight[self._inner]:
                return answer
            return performer.finish(self._inner, request, answer, deadline_s)

        return answered

    def is_listened_to(self) -> bool:
        return self._inner.is_listened_to()

    def close(self) -> None:
        self._performer.in_flight.pop(self._inner, None)
        self._inner.close()
