"""Defects in what is left of transactions when topics and records are deleted."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.errors import Error
from fencepost.reference.kafka.markers import MarkerSender
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kafka.topics import Topics
from fencepost.reference.kafka.values import TopicPartition


@defect({"KIP890-230": seen("^PrepareCommit")}, origin="KAFKA-5415, KAFKA-7286: the markers of a deleted topic")
class DeletedPartitionAwaited(MarkerSender):
    """A marker for a partition that was deleted is sent for ever, and its transactional id takes no request any more."""

    def needs_no_more(self, error: Error) -> bool:
        return error is not Error.UNKNOWN_TOPIC_OR_PARTITION and super().needs_no_more(error)


@defect(
    {"KIP890-231": seen("^nothing; last stable offset 0,", what="records that readers of refunds-0 see")},
    origin="textbook: a key that is given twice",
)
class DeletedTopicRemembered(Topics):
    """What a partition knows is kept by the topic's name, so that a new topic begins with the open transaction of the old one."""

    def forget(self, partition: TopicPartition) -> None:
        pass


@defect(
    {"KIP890-232": seen('^"a2", "p1"', what="records that readers of payments-0 see")},
    origin="textbook: a list of offsets, cut at the start of the log",
)
class DeletedBeginningDecides(PartitionLog):
    """An open transaction is forgotten with its first record, and what is left of it is read as if it were committed."""

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
