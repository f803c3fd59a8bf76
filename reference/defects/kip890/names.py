"""Defects in names that differ little: transactional ids and groups are what their bytes are, and nothing less."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.groups import CommittedOffset, Groups
from fencepost.reference.kafka.transaction import Transaction
from fencepost.reference.kafka.values import NO_PRODUCER, ProducerIdAndEpoch, TopicPartition

_FENCED = Symptom(expected="^success", what="answer to EndTxn")


@defect({"KIP890-014": _FENCED}, origin="red team: a database whose keys ignore case")
class IdsWithoutCase(Coordinator):
    """Two transactional ids that differ in case alone are one, and each of their producers fences the other."""

    def init_producer_id(self, transactional_id: str, timeout_ms: int, expected: ProducerIdAndEpoch = NO_PRODUCER) -> ProducerIdAndEpoch:
        return super().init_producer_id(transactional_id.lower(), timeout_ms, expected)

    def describe(self, transactional_id: str) -> Transaction:
        return super().describe(transactional_id.lower())


@defect({"KIP890-014": _FENCED}, origin="red team: names that are trimmed, as those of settings are")
class IdsWithoutBlanks(Coordinator):
    """A transactional id that begins with a blank is that without it, and each of their producers fences the other."""

    def init_producer_id(self, transactional_id: str, timeout_ms: int, expected: ProducerIdAndEpoch = NO_PRODUCER) -> ProducerIdAndEpoch:
        return super().init_producer_id(transactional_id.strip(), timeout_ms, expected)

    def describe(self, transactional_id: str) -> Transaction:
        return super().describe(transactional_id.strip())


@defect(
    {"KIP890-052": seen("UNSTABLE_OFFSET_COMMIT", what="offset of payments-0 in group Shop")},
    origin="red team: a database whose keys ignore case",
)
class GroupsWithoutCase(Groups):
    """A group has the offsets of one whose name differs in case alone."""

    def committed(self, group: str, partition: TopicPartition, *, require_stable: bool) -> CommittedOffset | None:
        return super().committed(group.lower(), partition, require_stable=require_stable)
