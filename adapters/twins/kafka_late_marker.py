"""Markers that were held up on their way, and arrive when the next transaction of their producer is open: what KAFKA-19446 is about.

Only a marker of a client that takes a new epoch with each transaction can be recognised, and only where the request says so.
"""

from dataclasses import dataclass
from typing import Any, cast

from kio.static.protocol import RequestPayload

from fencepost.adapters.kafka.kafka_values import ProducerIdentity, TopicPartition
from fencepost.adapters.kafka.probe import KafkaProbe
from fencepost.adapters.kafka.transport import KafkaTransport
from fencepost.contract.evidence import Violation
from fencepost.contract.outcomes import Done
from fencepost.wire.kafka.entities import api_of

from .kafka_batches import batches_in, where_of
from .kafka_repeat import errors_in
from .kafka_way import Heard, RequestPerformer
from .performer import own_calls
from .prelude import done

_CLIENT = "the coordinator that was held up"
_NEW = {"end_txn": 5, "produce": 12}
_VERSION = _TRANSACTION_VERSION = 2


@dataclass(frozen=True)
class _Ended:
    producer: ProducerIdentity
    """As it goes on, and as its markers have it."""
    commit: bool
    partitions: set[TopicPartition]


class LateMarker(RequestPerformer):
    """When a new client has written to a partition where its last transaction was, the marker of that arrives once more."""

    idle = "no new client wrote again where it had ended a transaction, or no marker names its transaction version"

    def begin(self) -> None:
        super().begin()
        self._written = dict[int, set[TopicPartition]]()
        self._ended = dict[int, _Ended]()

    def is_about(self, client: str, request: RequestPayload) -> bool:  # noqa: ARG002 - of every client of the scenario
        return client != _CLIENT

    def finish(self, transport: KafkaTransport, request: RequestPayload, answer: Heard, deadline_s: float) -> Heard:  # noqa: ARG002
        api = api_of(request)
        if api not in _NEW or request.__version__ < _NEW[api] or not isinstance(answer, Done) or any(errors_in(answer.value)):
            return answer
        asked, value = cast(Any, request), cast(Any, answer.value)
        if api == "end_txn" and (written := self._written.pop(asked.producer_id, None)):
            producer = ProducerIdentity(int(value.producer_id), int(value.producer_epoch))
            self._ended[asked.producer_id] = _Ended(producer, asked.committed, written)
        elif api == "produce":
            for topic, part, batch in batches_in(request):
                name, number = where_of(topic, part)
                if batch.transactional and isinstance(name, str):
                    self._note(ProducerIdentity(batch.producer_id, batch.producer_epoch), TopicPartition(name, number))
        return answer

    def _note(self, producer: ProducerIdentity, where: TopicPartition) -> None:
        """The producer has written there."""
        self._written.setdefault(producer.producer_id, set()).add(where)
        ended = self._ended.get(producer.producer_id)
        if ended is not None and ended.producer == producer and where in ended.partitions:
            ended.partitions.remove(where)
            with own_calls():
                self._arrive(ended, where)

    def _arrive(self, ended: _Ended, where: TopicPartition) -> None:
        probe: KafkaProbe = self.session.client(_CLIENT)
        if not probe.offers("write_txn_markers", _VERSION):
            return
        known = done(probe.describe_producers(where), f"describing the producers of {where}")
        epoch = next((one.coordinator_epoch for one in known if one.producer.producer_id == ended.producer.producer_id), 0)
        versions = {"version": _VERSION, "transaction_version": _TRANSACTION_VERSION}
        late = probe.write_marker(where, ended.producer, commit=ended.commit, coordinator_epoch=epoch, retry=False, **versions)
        if isinstance(late, Done):
            what = "answer to a marker that comes when the next transaction of its producer is open"
            raise Violation("a refusal", "success", what=what, requirement="KIP890-127")
        self.did("sent", "late marker")
