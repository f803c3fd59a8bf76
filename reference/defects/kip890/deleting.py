"""Defects in DeleteTopics, and in what remains of transactions when topics and records are deleted."""

from dataclasses import replace

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.groups import GroupOffsets
from fencepost.reference.kafka.kafka_errors import Errors
from fencepost.reference.kafka.kafka_topics import KafkaTopic, KafkaTopics
from fencepost.reference.kafka.kafka_types import PartitionName, journal_of
from fencepost.reference.kafka.markers import MarkerSender
from fencepost.reference.kafka.partition_log import PartitionLog, Snapshot
from fencepost.reference.kafka.producer_state import NONE


@defect({"KIP890-230": seen("^PrepareCommit")}, origin="KAFKA-5415, KAFKA-7286: the markers of a deleted topic")
class DeletedPartitionAwaited(MarkerSender):
    """A coordinator sends the marker for a deleted partition for ever, and answers no request for that transactional id any more."""

    def needs_no_more(self, error: Errors) -> bool:
        return error is not Errors.UNKNOWN_TOPIC_OR_PARTITION and super().needs_no_more(error)


@defect(
    {"KIP890-231": seen("^nothing; last stable offset 0,", what="records that readers of refunds-0 see")},
    origin="textbook: a key that is given twice",
)
class DeletedTopicRemembered(KafkaTopics):
    """A partition's state is kept by the topic's name, so that a new topic begins with the open transaction of the deleted one."""

    def forget(self, partition: PartitionName) -> None:
        pass


class _KeepsSomething(KafkaTopics):
    """A new topic begins with what `kept` leaves of the former one."""

    def kept(self, former: PartitionLog) -> Snapshot:
        raise NotImplementedError

    def forget(self, partition: PartitionName) -> None:
        snapshot = self.kept(self._open_log(partition))
        super().forget(partition)
        self._disk.journal(journal_of(partition)).append(snapshot)


@defect(
    {"KIP890-231": seen("^nothing", expected='^"a2"', what="records that readers of refunds-0 see")},
    origin="red team: an index file that outlives its log",
)
class AbortedIndexOfTheFormerTopic(_KeepsSomething):
    """The aborted transactions of a deleted topic are listed for the new topic of its name, so readers skip what is committed there."""

    def kept(self, former: PartitionLog) -> Snapshot:
        return Snapshot(0, (), former.aborted_put_down())


@defect(
    {"KIP890-231": seen("^(a state|nothing|success with offset 0)", what="refunds-0|answer to Produce")},
    origin="red team: a snapshot of producers that outlives its log",
)
class ProducersOfTheFormerTopic(_KeepsSomething):
    """The producers of a deleted topic are known in the new one of its name, so a batch that begins a sequence there passes for a
    repetition and is lost."""

    def kept(self, former: PartitionLog) -> Snapshot:
        return Snapshot(0, tuple(replace(state, transaction_start=NONE) for state in former.producers_put_down()), ())


@defect(
    {"KIP890-409": seen("^offset 5", expected="^no offset", what="committed offset of refunds-0")},
    origin="textbook: offsets are stored by the topic's name, and nothing deletes them",
)
class OffsetsOfTheFormerTopic(GroupOffsets):
    """A group keeps its offsets of a deleted topic, and skips the first records of the next topic of that name."""

    def forget_topic(self, name: str) -> None:
        pass


@defect(
    {"KIP890-409": seen("^(offset 5|UNSTABLE|a refusal)", what="offset of refunds-0")},
    origin="red team: only what is committed is looked through",
)
class PendingOffsetsOfTheFormerTopic(GroupOffsets):
    """The offsets that an open transaction has sent for a deleted topic are committed with the transaction, and are those of the next topic
    of that name."""

    def forget_topic(self, name: str) -> None:
        self._catch_up()
        pending, self._pending = self._pending, {}
        super().forget_topic(name)
        self._catch_up()
        self._pending = pending


@defect(
    {"KIP890-409": seen("^offset 5", expected="^no offset", what="committed offset of refunds-0")},
    origin="textbook: a cache that is cleaned and a log that is not",
)
class OffsetsOfTheFormerTopicAfterACrash(GroupOffsets):
    """The offsets of a deleted topic are removed from memory only, and are back after the next restart."""

    def forget_topic(self, name: str) -> None:
        self._catch_up()
        for places in (self._committed, *self._pending.values()):
            for place in [place for place in places if place.partition.topic == name]:
                del places[place]


@defect(
    {"KIP890-409": seen("^offset [57]", expected="^no offset", what="committed offset of refunds-0")},
    origin="textbook: a search that ends with the first group that it finds",
)
class OffsetsOfTheFormerTopicInAnotherGroup(GroupOffsets):
    """The offsets of a deleted topic are deleted from one group, and the others keep theirs for the next topic of that name."""

    def forget_topic(self, name: str) -> None:
        self._catch_up()
        groups = sorted({place.group for place in self._committed if place.partition.topic == name})
        kept = {place: stored for place, stored in self._committed.items() if place.group in groups[1:]}
        self._committed = {place: stored for place, stored in self._committed.items() if place not in kept}
        super().forget_topic(name)
        self._catch_up()
        self._committed |= kept


@defect(
    {"KIP890-232": seen('^"a2", "p1"', what="records that readers of payments-0 see")},
    origin="textbook: a list of offsets, cut at the start of the log",
)
class DeletedBeginningDecides(PartitionLog):
    """An open transaction is forgotten with its first record, and the rest of it is read as if it were committed."""

    def first_unstable_offset(self) -> int | None:
        began_here = [offset for offset in self.producers.open_transactions() if offset >= self.start_offset]
        return min(began_here, default=None)


@defect(
    {"KIP890-233": seen('^"a2"', what="records that readers of payments-0 see")}, origin="textbook: an index that is cut by the wrong end"
)
class AbortedRestUnlisted(PartitionLog):
    """An aborted transaction is no longer listed when its first record is deleted, and its other records are read."""

    def delete_before(self, offset: int) -> int:
        start = super().delete_before(offset)
        self._aborted = [transaction for transaction in self._aborted if transaction.first_offset >= start]
        return start


@defect(
    {"KIP890-233": seen('^"a1"', expected="^nothing", what="records that readers of payments-0 see")},
    origin="textbook: an index that is deleted with the first of its entries",
)
class AbortsUnlistedWithTheFirst(PartitionLog):
    """When the last record of one aborted transaction is deleted, those after it are not listed any more either, and are read."""

    def delete_before(self, offset: int) -> int:
        listed = len(self._aborted)
        start = super().delete_before(offset)
        self._aborted = self._aborted if len(self._aborted) == listed else []
        return start


@defect({"KIP890-368": seen("Metadata knows it", what="^topic ")}, origin="textbook: an answer before the work, which is then forgotten")
class DeletionPromised(KafkaTopics):
    """DeleteTopics says that it is done, and the topic stays."""

    def delete(self, topic: KafkaTopic) -> None:
        pass
