"""Defects in fencing an old instance."""

from collections.abc import Iterable

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.additions import Additions
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.ending import Asked
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.ownership import Ownership
from fencepost.reference.kafka.transaction import Transaction
from fencepost.reference.kafka.transaction_log import TransactionLog
from fencepost.reference.kafka.values import ProducerIdAndEpoch


class _BelievesEveryEpoch(Ownership):
    def next_owner(self, transaction: Transaction, expected_epoch: int, timeout_ms: int) -> Transaction:
        known = expected_epoch in (-1, transaction.producer_epoch, transaction.last_producer_epoch)
        return super().next_owner(transaction, expected_epoch if known else -1, timeout_ms)


EVERY_EPOCH_INITIALISES = Defect(
    name="every-epoch-initialises",
    breaks={"KIP890-018": Symptom(expected="PRODUCER_FENCED", seen="^success")},
    story="InitProducerId does not compare the epoch that it is given, so an instance that was fenced long ago is let in again.",
    origin="textbook: a new field of a request that the broker does not read yet",
    parts=Parts(ownership=_BelievesEveryEpoch),
)


class _OlderMeansCurrent(Coordinator):
    def asked_about(self, transaction: Transaction, producer: ProducerIdAndEpoch) -> Asked | None:
        asked = super().asked_about(transaction, producer)
        return Asked.CURRENT if asked is not None and producer.epoch < transaction.producer_epoch else asked


OLD_INSTANCE_ENDS = Defect(
    name="old-instance-ends",
    breaks={"KIP890-024": Symptom(seen="^(success|a refusal with INVALID_TXN_STATE)")},
    story="EndTxn takes an older epoch for the current one, so an instance that was taken over still decides.",
    origin="textbook: a comparison that only refuses epochs that are too new",
    parts=Parts(coordinator=_OlderMeansCurrent),
)


class _AddsOffsetsForAnybody(Additions):
    def add_offsets(self, transactional_id: str, producer: ProducerIdAndEpoch, group: str) -> None:
        known = self._coordinator.describe(transactional_id)
        super().add_offsets(transactional_id, known.producer if producer.producer_id == known.producer_id else producer, group)


OFFSETS_OF_FENCED_INSTANCES = Defect(
    name="offsets-of-fenced-instances",
    breaks={"KIP890-380": Symptom(what="answer to AddOffsetsToTxn", seen="^success")},
    story="AddOffsetsToTxn does not compare epochs, and an instance that was replaced adds its group to its successor's transaction.",
    origin="textbook: a check in front of partitions, and not in front of groups",
    parts=Parts(additions=_AddsOffsetsForAnybody),
)


class _CompactsIdleOnesAway(TransactionLog):
    def kept_by_compaction(self, latest: Iterable[Transaction]) -> list[Transaction]:
        return [transaction for transaction in super().kept_by_compaction(latest) if not transaction.is_idle]


IDLE_IDS_COMPACTED_AWAY = Defect(
    name="idle-ids-compacted-away",
    breaks={"KIP890-351": Symptom(what="^answer$", error="TRANSACTIONAL_ID_NOT_FOUND")},
    story="A transaction log that is compacted keeps what is open, and behind a crash nobody owns an id that was idle.",
    origin="feared: a log that is cleaned by what looks like work that is over",
    parts=Parts(transaction_log=_CompactsIdleOnesAway),
)
