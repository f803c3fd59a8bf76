"""Defects of the Kafka reference in exactly once from input to output."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.defects.kip890 import isolation, offsets
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.groups import CommittedOffset, Groups
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.topics import OFFSETS_PARTITION
from fencepost.reference.kafka.transaction import PREPARED, Transaction
from fencepost.reference.kafka.values import TopicPartition
from fencepost.wire.kafka.batches import Batch


class _TellsOnlyGroupsAfterAStart(Coordinator):
    def recovered(self, transaction: Transaction) -> Transaction:
        found = super().recovered(transaction)
        takes_input = found.state in PREPARED and OFFSETS_PARTITION in found.partitions
        return replace(found, partitions=frozenset({OFFSETS_PARTITION})) if takes_input else found


class _ReadsOnlyOffsetsOfThisLife(Groups):
    def take_in(self, batch: Batch) -> None:
        if not self._is_starting:
            super().take_in(batch)


class _NeverWaits(Groups):
    def committed(self, group: str, partition: TopicPartition, *, require_stable: bool) -> CommittedOffset | None:  # noqa: ARG002
        return super().committed(group, partition, require_stable=False)


INPUT_TAKEN_OUTPUT_GONE = Defect(
    name="core-kafka-input-taken-output-gone",
    breaks={"CORE-33": Symptom(what="readers of results", expected='^"r1"$', seen="^nothing")},
    story="A coordinator that starts tells a decision that it finds to the groups, and takes the partitions for told.",
    origin="textbook: two lists, one of which is forgotten",
    parts=Parts(coordinator=_TellsOnlyGroupsAfterAStart),
)

PLACES_FORGOTTEN_BY_CRASH = Defect(
    name="core-kafka-places-forgotten-by-crash",
    breaks={"CORE-41": Symptom(what="inputs left for workers", expected="^nothing", seen='^"i1"$')},
    story="The places of groups are not read off their log when it is loaded, so that after a crash all input comes again.",
    origin="textbook: a state that recovery forgets",
    parts=Parts(groups=_ReadsOnlyOffsetsOfThisLife),
)

PENDING_INPUT_GIVEN_AWAY = Defect(
    name="core-kafka-pending-input-given-away",
    breaks={"CORE-34": Symptom(what="inputs processed by workers", seen='^"i1", "i1" in results')},
    story="A group that asks for a stable place is told the old one while a transaction is about to move it.",
    origin="before KIP-447: what is pending could not be waited for",
    parts=Parts(groups=_NeverWaits),
)

OPEN_INPUT_GIVEN = Defect(
    name="core-kafka-open-input-given",
    breaks={"CORE-35": Symptom(what="inputs left for workers", seen='"b1"')},
    story=isolation.LSO_IGNORES_OPEN_TRANSACTIONS.story,
    origin=isolation.LSO_IGNORES_OPEN_TRANSACTIONS.origin,
    parts=isolation.LSO_IGNORES_OPEN_TRANSACTIONS.parts,
)

PLACE_MOVED_TOO_EARLY = Defect(
    name="core-kafka-place-moved-too-early",
    breaks={"CORE-39": Symptom(what="place of workers in inputs", expected="^nothing", seen='^"i1"$')},
    story=offsets.PENDING_OFFSETS_SHOWN.story,
    origin=offsets.PENDING_OFFSETS_SHOWN.origin,
    parts=offsets.PENDING_OFFSETS_SHOWN.parts,
)
