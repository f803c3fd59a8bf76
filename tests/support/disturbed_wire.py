"""A transport that answers by a function, and the same transport with a disturbance."""

from collections.abc import Callable
from typing import Any

from kio.static.protocol import RequestPayload, ResponsePayload

from fencepost.adapters.kafka.transport import KafkaTransport
from fencepost.adapters.twins.kafka_way import RequestPerformer
from fencepost.adapters.twins.performer import Undisturbed
from fencepost.contract.outcomes import Done, Unknown
from fencepost.wire.kafka.batches import Batch, encode
from fencepost.wire.kafka.entities import request, response

END = request("end_txn", 4, transactional_id="t", producer_id=7, producer_epoch=0, committed=True)


class Wire:
    """A transport that answers at once by a function, and notes what is sent and when it is closed."""

    def __init__(self, answer: Callable[[RequestPayload], ResponsePayload]) -> None:
        self._answer = answer
        self.sent: list[RequestPayload | str] = []

    def send(self, asked: RequestPayload, deadline_s: float) -> Callable[[], Done[ResponsePayload] | Unknown]:  # noqa: ARG002
        self.sent.append(asked)
        return lambda: Done(self._answer(asked))

    def call(self, asked: RequestPayload, deadline_s: float) -> Done[ResponsePayload] | Unknown:
        return self.send(asked, deadline_s)()

    def is_listened_to(self) -> bool:
        return True

    def close(self) -> None:
        self.sent.append("closed")


class SessionOf:
    """A session with what these performers use: `way` is the wrapped transport of a client."""

    def __init__(self, wire: Wire) -> None:
        self.way: KafkaTransport = wire

    def between(self, wrap: Callable[[str, KafkaTransport], KafkaTransport]) -> None:
        self.way = wrap("A", self.way)

    time: object = None


def on(performer: type[RequestPerformer], answer: Callable[[RequestPayload], ResponsePayload]) -> tuple[Wire, KafkaTransport]:
    """A wire, and the transport that this disturbance makes of it."""
    wire = Wire(answer)
    session: Any = SessionOf(wire)
    performer(session, Undisturbed()).begin()
    return wire, session.way


def numbered(codes: list[int]) -> Callable[[RequestPayload], ResponsePayload]:
    """Answers to EndTxn with these error codes, one after the other."""
    return lambda asked: response(asked, throttle_time=0, error_code=codes.pop(0))


def code_of(heard: Done[ResponsePayload] | Unknown) -> int:
    assert isinstance(heard, Done)
    fields: Any = heard.value
    return int(fields.error_code)


def produce(batch: Batch) -> RequestPayload:
    """A Produce of this batch."""
    entry = {"index": 0, "records": encode(batch)}
    return request("produce", 9, transactional_id=None, acks=-1, timeout=1, topic_data=[{"name": "a", "partition_data": [entry]}])
