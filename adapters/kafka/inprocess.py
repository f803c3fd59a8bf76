"""The same transport without bytes: it passes the request entity to a broker in this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from kio.static.protocol import RequestPayload, ResponsePayload

from fencepost.adapters.common.address import Address
from fencepost.adapters.common.wire_faults import Fault, Orders
from fencepost.contract.outcomes import Done, Unknown
from fencepost.wire.kafka.entities import API_KEYS, api_of

from .transport import Answer, KafkaTransport, ReadingOrder, named


class KafkaRequestHandler(Protocol):
    """A function from request to response entity; None if a broker would have closed the connection."""

    def handle(self, request: RequestPayload) -> ResponsePayload | None:
        """Answer one request."""
        ...


Send: TypeAlias = Callable[[RequestPayload], Callable[[], ResponsePayload | None]]
"""Sends a request; the function that it returns waits for the answer."""


class InProcessKafkaTransport:
    """A connection to a broker that answers at once or never, unless `send` is a function that can wait for an answer."""

    def __init__(self, broker: KafkaRequestHandler, send: Send | None = None) -> None:
        self._send = send or (lambda request: _at_once(broker.handle(request)))
        self._order = ReadingOrder()

    def call(self, request: RequestPayload, deadline_s: float) -> Done[ResponsePayload] | Unknown:
        """Send the request."""
        return self.send(request, deadline_s)()

    def send(self, request: RequestPayload, deadline_s: float) -> Answer:  # noqa: ARG002 - nothing takes time here
        """Send the request. An answer that was not read before the connection is closed is lost with it."""
        waited_for = self._send(request)
        order, number = self._order, self._order.note_sent()

        def read() -> Done[ResponsePayload] | Unknown:
            order.check_next(number, request)
            answer = waited_for()
            if answer is None:
                return Unknown(f"the broker closed the connection instead of answering {named(request)}", lost=True)
            if order is not self._order:
                return Unknown(f"the connection was closed before {named(request)} was answered", lost=True)
            return Done(answer)

        return read

    def is_listened_to(self) -> bool:
        """Always true: a broker that is down closes the connection at the next request."""
        return True

    def close(self) -> None:
        """Close the connection; the next request opens a new one."""
        self._order = ReadingOrder()


class InProcessWire:
    """The connections to the nodes of a broker in this process, with wire faults."""

    def __init__(self, node_at: Callable[[Address], KafkaRequestHandler]) -> None:
        self.orders = Orders(API_KEYS)
        self._node_at = node_at

    def connect(self, client: str, address: Address) -> KafkaTransport:
        """A transport that meets the faults ordered for this client."""
        return InProcessKafkaTransport(_Faulty(self._node_at(address), client, self.orders))

    def close(self) -> None:
        """Drop held requests: they never arrive."""
        self.orders.forget()


class _Faulty:
    """The broker as one client reaches it on a wire with faults."""

    def __init__(self, broker: KafkaRequestHandler, client: str, orders: Orders) -> None:
        self._broker = broker
        self._client = client
        self._orders = orders

    def handle(self, request: RequestPayload) -> ResponsePayload | None:
        match self._orders.take(self._client, api_of(request)):
            case None:
                return self._broker.handle(request)
            case Fault.LOSE_REQUEST:
                return None
            case Fault.LOSE_ANSWER:
                self._broker.handle(request)
                return None
            case Fault.HOLD_UP:
                self._orders.hold(lambda: _arrive(self._broker, request))
                return None
            case Fault.ARRIVE_TWICE:
                answer = self._broker.handle(request)
                self._broker.handle(request)
                return answer


def _at_once(answer: ResponsePayload | None) -> Callable[[], ResponsePayload | None]:
    return lambda: answer


def _arrive(broker: KafkaRequestHandler, request: RequestPayload) -> None:
    broker.handle(request)
