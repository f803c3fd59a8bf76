"""Defects in what a coordinator keeps for a retry after a change of the producer id."""

from dataclasses import replace
from typing import Any

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_errors import RequestRefused
from fencepost.reference.kafka.kafka_types import EXHAUSTED_EPOCH, NO_PRODUCER, NOTHING, ProducerIdAndEpoch
from fencepost.reference.kafka.transaction import Decision, KafkaTransaction

_INITIALISED = seen(r"^a refusal with PRODUCER_FENCED", expected="^success", what="answer to InitProducerId")


class _ForgetsTheOldId(KafkaCoordinator):
    def forget(self, transactional_id: str) -> None:
        known = self._transactions.get(transactional_id)
        if known is not None and known.is_idle:
            self._transactions[transactional_id] = replace(known, previous_producer_id=known.producer_id)


@defect(
    {"KIP890-077": seen("^a refusal with INVALID_PRODUCER_ID_MAPPING", expected="^success", what="answer to EndTxn")},
    origin="red team: a new producer id is treated as confirmed by the first request that has it",
)
class OldIdForgottenByInvalidEnd(_ForgetsTheOldId):
    """After an overflow, a refused EndTxn makes the coordinator forget the old producer id, and the retry of the end is refused."""

    def end_transaction(
        self, transactional_id: str, producer: ProducerIdAndEpoch, decision: Decision, api_version: int
    ) -> ProducerIdAndEpoch:
        try:
            return super().end_transaction(transactional_id, producer, decision, api_version)
        except RequestRefused:
            self.forget(transactional_id)
            raise


@defect(
    {"KIP890-077": seen("^a refusal with INVALID_PRODUCER_ID_MAPPING", expected="^success", what="answer to EndTxn")},
    origin="textbook: an answer that is kept until it is read",
)
class OldIdAnsweredOnce(_ForgetsTheOldId):
    """After an overflow the coordinator answers one retry of the end, and forgets the old producer id with it."""

    def end_transaction(
        self, transactional_id: str, producer: ProducerIdAndEpoch, decision: Decision, api_version: int
    ) -> ProducerIdAndEpoch:
        known = self._transactions.get(transactional_id)
        answer = super().end_transaction(transactional_id, producer, decision, api_version)
        if known is not None and known.producer_id != producer.producer_id:
            self.forget(transactional_id)
        return answer


@defect({"KIP890-027": _INITIALISED}, origin="red team: InitProducerId that clears before it checks")
class OldIdForgottenByRefusedInit(_ForgetsTheOldId):
    """After a change of the producer id, a refused InitProducerId makes the coordinator forget the old one, and the retry is fenced."""

    def init_producer_id(self, transactional_id: str, timeout_ms: int, expected: ProducerIdAndEpoch = NO_PRODUCER) -> ProducerIdAndEpoch:
        try:
            return super().init_producer_id(transactional_id, timeout_ms, expected)
        except RequestRefused:
            self.forget(transactional_id)
            raise


@defect(
    {"KIP890-078": seen("^success", expected="^a refusal with PRODUCER_FENCED", what="^answer to InitProducerId")},
    origin="red team: what is kept for a retry and never cleared",
)
class ExhaustedIdentityOwnsForEver(KafkaCoordinator):
    """InitProducerId of the exhausted identity is answered as a retry also after the next transaction, so a zombie becomes the owner."""

    def __init__(self, *parts: Any) -> None:
        self._exhausted: set[tuple[str, int]] = set()
        super().__init__(*parts)

    def install(self, transaction: KafkaTransaction) -> KafkaTransaction:
        if transaction.previous_producer_id not in (NOTHING, transaction.producer_id):
            self._exhausted.add((transaction.transactional_id, transaction.previous_producer_id))
        return super().install(transaction)

    def init_producer_id(self, transactional_id: str, timeout_ms: int, expected: ProducerIdAndEpoch = NO_PRODUCER) -> ProducerIdAndEpoch:
        known = self._transactions.get(transactional_id)
        is_exhausted = expected.epoch == EXHAUSTED_EPOCH and (transactional_id, expected.producer_id) in self._exhausted
        if known is not None and known.is_idle and is_exhausted:
            return known.producer
        return super().init_producer_id(transactional_id, timeout_ms, expected)
