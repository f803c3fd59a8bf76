"""Defects of the Kafka reference in exactly once from input to output."""

from dataclasses import replace

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.defects.kip890 import isolation, offsets
from fencepost.reference.kafka.groups import GroupOffsets, OffsetAndMetadata
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_topics import OFFSETS_PARTITION
from fencepost.reference.kafka.kafka_types import PartitionName
from fencepost.reference.kafka.transaction import PREPARED, KafkaTransaction
from fencepost.wire.kafka.batches import Batch


@defect(
    {"CORE-33": seen("^nothing", expected='^"r1"$', what="readers of results")}, origin="textbook: two lists, one of which is forgotten"
)
class CoreKafkaInputTakenOutputGone(KafkaCoordinator):
    """A coordinator that starts and finds a decided transaction sends markers to the groups only, and counts the other partitions as
    done."""

    def recovered(self, transaction: KafkaTransaction) -> KafkaTransaction:
        found = super().recovered(transaction)
        takes_input = found.state in PREPARED and OFFSETS_PARTITION in found.partitions
        return replace(found, partitions=frozenset({OFFSETS_PARTITION})) if takes_input else found


@defect({"CORE-41": seen('^"i1"$', expected="^nothing", what="inputs left for workers")}, origin="textbook: a state that recovery forgets")
class CoreKafkaPlacesForgottenByCrash(GroupOffsets):
    """A group coordinator does not read groups' offsets from their log when it loads, so after a crash all input is read again."""

    def take_in(self, batch: Batch) -> None:
        if not self._is_starting:
            super().take_in(batch)


@defect(
    {"CORE-34": seen('^"i1", "i1" in results', what="inputs processed by workers")},
    origin="before KIP-447: what is pending could not be waited for",
)
class CoreKafkaPendingInputGivenAway(GroupOffsets):
    """A group that asks for a stable offset is answered with the old one while a transaction is about to move it."""

    def committed(self, group: str, partition: PartitionName, *, require_stable: bool) -> OffsetAndMetadata | None:  # noqa: ARG002
        return super().committed(group, partition, require_stable=False)


@defect(
    {"CORE-35": seen('"b1"', what="inputs left for workers")},
    origin="streamnative/kop#1283: a transaction that took its time was read before it was aborted",
)
class CoreKafkaOpenInputGiven(isolation.LsoIgnoresOpenTransactions):
    """The last stable offset is the high watermark, so that readers of committed data see what may still be aborted."""


@defect(
    {"CORE-39": seen('^"i1"$', expected="^nothing", what="place of workers in inputs")},
    origin="textbook: offsets that know nothing of transactions",
)
class CoreKafkaPlaceMovedTooEarly(offsets.PendingOffsetsShown):
    """A group's offset counts as soon as it is sent, so that after an abort a consumer skips the input whose processing was undone."""
