"""Defects in what is left of transactions when topics and records are deleted."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.errors import Error
from fencepost.reference.kafka.markers import MarkerSender
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kafka.topics import Topics
from fencepost.reference.kafka.values import TopicPartition


class _WaitsForTheDeleted(MarkerSender):
    def needs_no_more(self, error: Error) -> bool:
        return error is not Error.UNKNOWN_TOPIC_OR_PARTITION and super().needs_no_more(error)


class _KeepsLogsByName(Topics):
    def forget(self, partition: TopicPartition) -> None:
        pass


class _ForgetsWhatBeganBefore(PartitionLog):
    def first_unstable_offset(self) -> int | None:
        began_here = [offset for offset in self.producers.open_transactions() if offset >= self.start_offset]
        return min(began_here, default=None)


class _DropsEntriesWithTheirBeginning(PartitionLog):
    def delete_before(self, offset: int) -> int:
        start = super().delete_before(offset)
        self._aborted = [transaction for transaction in self._aborted if transaction.first_offset >= start]
        return start


DELETED_PARTITION_AWAITED = Defect(
    name="deleted-partition-awaited",
    breaks={"KIP890-230": Symptom(seen="^PrepareCommit")},
    story="A marker for a partition that was deleted is sent for ever, and its transactional id takes no request any more.",
    origin="KAFKA-5415, KAFKA-7286: the markers of a deleted topic",
    parts=Parts(marker_sender=_WaitsForTheDeleted),
)

DELETED_TOPIC_REMEMBERED = Defect(
    name="deleted-topic-remembered",
    breaks={"KIP890-231": Symptom(what="records that readers of refunds-0 see", seen="^nothing; last stable offset 0,")},
    story="What a partition knows is kept by the topic's name, so that a new topic begins with the open transaction of the old one.",
    origin="textbook: a key that is given twice",
    parts=Parts(topics=_KeepsLogsByName),
)

DELETED_BEGINNING_DECIDES = Defect(
    name="deleted-beginning-decides",
    breaks={"KIP890-232": Symptom(what="records that readers of payments-0 see", seen='^"a2", "p1"')},
    story="An open transaction is forgotten with its first record, and what is left of it is read as if it were committed.",
    origin="textbook: a list of offsets, cut at the start of the log",
    parts=Parts(partition_log=_ForgetsWhatBeganBefore),
)

ABORTED_REST_UNLISTED = Defect(
    name="aborted-rest-unlisted",
    breaks={"KIP890-233": Symptom(what="records that readers of payments-0 see", seen='^"a2"')},
    story="An aborted transaction is no longer listed when its first record is deleted, and its other records are read.",
    origin="textbook: an index that is cut by the wrong end",
    parts=Parts(partition_log=_DropsEntriesWithTheirBeginning),
)
