"""Defects in transactional ids that differ little: an id is what its bytes are, and nothing less."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_types import NO_PRODUCER, ProducerIdAndEpoch
from fencepost.reference.kafka.transaction import KafkaTransaction

_FENCED = Symptom(expected="^success", what="answer to EndTxn")


@defect({"KIP890-014": _FENCED}, origin="red team: a database whose keys ignore case")
class IdsWithoutCase(KafkaCoordinator):
    """Two transactional ids that differ in case alone are one, and each of their producers fences the other."""

    def init_producer_id(self, transactional_id: str, timeout_ms: int, expected: ProducerIdAndEpoch = NO_PRODUCER) -> ProducerIdAndEpoch:
        return super().init_producer_id(transactional_id.lower(), timeout_ms, expected)

    def describe(self, transactional_id: str) -> KafkaTransaction:
        return super().describe(transactional_id.lower())


@defect({"KIP890-014": _FENCED}, origin="red team: names that are trimmed, as those of settings are")
class IdsWithoutBlanks(KafkaCoordinator):
    """A transactional id that begins with a blank is that without it, and each of their producers fences the other."""

    def init_producer_id(self, transactional_id: str, timeout_ms: int, expected: ProducerIdAndEpoch = NO_PRODUCER) -> ProducerIdAndEpoch:
        return super().init_producer_id(transactional_id.strip(), timeout_ms, expected)

    def describe(self, transactional_id: str) -> KafkaTransaction:
        return super().describe(transactional_id.strip())
