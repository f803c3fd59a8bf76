"""Answers that are lost because the system loses its power: what KAFKA-20310 and KAFKA-20357 are about.

A client does not know whether its request was done, and asks a system that knows only what is durable.
"""

from kio.static.protocol import RequestPayload

from fencepost.adapters.kafka.transport import KafkaTransport
from fencepost.contract.outcomes import Done
from fencepost.wire.kafka.entities import api_of

from .kafka_repeat import is_to_retry, may_be_repeated
from .kafka_way import Heard, RequestPerformer
from .performer import own_calls
from .replay import crash

_CHANGE = {"add_offsets_to_txn", "add_partitions_to_txn", "end_txn", "init_producer_id", "produce", "txn_offset_commit"}
"""The requests that change something of a transaction."""


class LostInACrash(RequestPerformer):
    """The next request that changes something, and that a client library would repeat, is done; then the system loses its power, is
    started again, and gets the request once more. The second answer counts.
    """

    idle = "no client changed anything after that"

    def begin(self) -> None:
        super().begin()
        self._is_armed = False

    def before_step(self) -> None:
        self._is_armed = True

    def finish(self, transport: KafkaTransport, request: RequestPayload, answer: Heard, deadline_s: float) -> Heard:
        is_it = api_of(request) in _CHANGE and may_be_repeated(request) and isinstance(answer, Done) and not is_to_retry(answer)
        if not (self._is_armed and is_it) or any(self.in_flight.values()):
            return answer
        self._is_armed = False
        transport.close()
        with own_calls():
            crash(self)
        return transport.call(request, deadline_s)
