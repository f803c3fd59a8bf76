"""Defects in what becomes of an open transaction when its transactional id is initialised, or its time is over."""

from dataclasses import replace
from typing import Any

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.groups import Groups
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.topics import OFFSETS_PARTITION
from fencepost.reference.kafka.transaction import State, Transaction
from fencepost.reference.kafka.values import NO_PRODUCER, ProducerIdAndEpoch
from fencepost.wire.kafka.batches import MarkerType


class _OwnersJustGoOn(Coordinator):
    def init_producer_id(self, transactional_id: str, timeout_ms: int, expected: ProducerIdAndEpoch = NO_PRODUCER) -> ProducerIdAndEpoch:
        known = self._transactions.get(transactional_id)
        if known is not None and known.state is State.ONGOING and expected == known.producer:
            self._transactions[transactional_id] = replace(known, state=State.COMPLETE_ABORT, partitions=frozenset())
        return super().init_producer_id(transactional_id, timeout_ms, expected)


class _ReadsBeforeItStores(Coordinator):
    _last: tuple[str, ProducerIdAndEpoch] | None = None

    def init_producer_id(self, transactional_id: str, timeout_ms: int, expected: ProducerIdAndEpoch = NO_PRODUCER) -> ProducerIdAndEpoch:
        if self._last is not None and self._last[0] == transactional_id and expected == NO_PRODUCER:
            return self._last[1]
        self._last = transactional_id, super().init_producer_id(transactional_id, timeout_ms, expected)
        return self._last[1]

    def describe(self, transactional_id: str) -> Transaction:
        self._last = None  # whoever asks in between finds it stored
        return super().describe(transactional_id)


class _ForgetsTheGroup(Coordinator):
    def abort_by_server(self, transaction: Transaction) -> None:
        super().abort_by_server(replace(transaction, partitions=transaction.partitions - {OFFSETS_PARTITION}))


OWNER_LEAVES_ITS_TRANSACTION_OPEN = Defect(
    name="owner-leaves-its-transaction-open",
    breaks={"KIP890-203": Symptom(what="^records that readers", expected='^"p1"', seen="^nothing")},
    story="An owner that says who it is gets the next epoch at once, and what it left open has no transaction that anybody could end.",
    origin="textbook: whoever has the right epoch is taken for a retry",
    parts=Parts(coordinator=_OwnersJustGoOn),
)

ONE_EPOCH_FOR_SEVERAL = Defect(
    name="one-epoch-for-several",
    breaks={"KIP890-204": Symptom(what="^epochs of instances", seen=r"success with (\(producer id \d+, epoch \d+\)); success with \1")},
    story="Instances that start together read the epoch before any of them has stored the next one, and all get the same.",
    origin="textbook: read, raise and store without a lock",
    parts=Parts(coordinator=_ReadsBeforeItStores),
)

PENDING_OFFSETS_OUTLIVE_THE_ABORT = Defect(
    name="pending-offsets-outlive-the-abort",
    breaks={"KIP890-205": Symptom(what="^stable offset", seen="UNSTABLE_OFFSET_COMMIT")},
    story="An abort by the coordinator reaches the partitions with records only, and the group's offsets are pending for ever.",
    origin="textbook: the group's partition is treated as one that only clients end",
    parts=Parts(coordinator=_ForgetsTheGroup),
)


class _MarksDataOnly(Coordinator):
    def abort_by_server(self, transaction: Transaction) -> None:
        data = transaction.partitions - {OFFSETS_PARTITION}
        super().abort_by_server(replace(transaction, partitions=data or transaction.partitions))


OFFSETS_UNMARKED_BESIDE_DATA = Defect(
    name="offsets-unmarked-beside-data",
    breaks={"KIP890-205": Symptom(what="stable offset of payments-0", error="^UNSTABLE_OFFSET_COMMIT$")},
    story="When the coordinator aborts by itself, the partitions with records get their marker, and that of the group's offsets gets none.",
    origin="textbook: a clean-up that was tried with records or with offsets, and never with both",
    parts=Parts(coordinator=_MarksDataOnly),
)


class _KeepsWhatWasAborted(Groups):
    _left: dict[int, dict[Any, Any]] | None = None

    def decide(self, producer_id: int, decision: MarkerType) -> None:
        left = self._left = self._left if self._left is not None else {}
        if decision is MarkerType.ABORT:
            left.setdefault(producer_id, {}).update(self._pending.get(producer_id, {}))
        else:
            self._pending[producer_id] = left.pop(producer_id, {}) | self._pending.get(producer_id, {})
        super().decide(producer_id, decision)


ABORTED_OFFSETS_COME_UP = Defect(
    name="aborted-offsets-come-up",
    breaks={
        "KIP890-054": Symptom(what="committed offset of payments-0", expected="^no offset", seen="^offset 5"),
        "KIP890-205": Symptom(what="committed offset of payments-0", expected="^no offset", seen="^offset 5"),
    },
    story="An abort hides a producer's pending offsets and does not drop them, so that its next commit makes them count with its own.",
    origin="textbook: what is decided by producer id outlives its transaction",
    parts=Parts(groups=_KeepsWhatWasAborted),
)
