"""Defects in what there is two of: requests with offsets, prepared transactions, transactions of one id."""

from collections import Counter
from dataclasses import replace
from functools import cached_property

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.errors import Error, Refused
from fencepost.reference.kafka.groups import Groups
from fencepost.reference.kafka.listing import TransactionFilter
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.transaction import PREPARED, State, Transaction
from fencepost.reference.kafka.values import NO_PRODUCER, ProducerIdAndEpoch
from fencepost.wire.kafka.batches import Batch


class _KeepsTheLastRequest(Groups):
    def take_in(self, batch: Batch) -> None:
        if batch.transactional and batch.marker is None:
            self._pending.pop(batch.producer_id, None)
        super().take_in(batch)


class _KeepsTheFirstRequest(Groups):
    def take_in(self, batch: Batch) -> None:
        before = dict(self._pending.get(batch.producer_id, {}))
        super().take_in(batch)
        if before and batch.transactional and batch.marker is None:
            self._pending[batch.producer_id] = before


class _CompletesTheFirst(Coordinator):
    def resend_markers_of_prepared(self) -> None:
        known = self._transactions
        prepared = [name for name, transaction in known.items() if transaction.state in PREPARED]
        self._transactions = {name: known[name] for name in prepared[:1]}
        super().resend_markers_of_prepared()
        self._transactions = known | self._transactions
        self._pending |= set(prepared)


class _KeepsTheStart(Coordinator):
    def _install(self, transaction: Transaction) -> Transaction:
        before = self._transactions.get(transaction.transactional_id)
        if before is not None and before.started_at >= 0 and transaction.state is State.ONGOING:
            transaction = replace(transaction, started_at=before.started_at)
        return super()._install(transaction)


class _CountsFromTheLastChange(TransactionFilter):
    def began_longer_ago(self, transaction: Transaction, now: int, duration_ms: int) -> bool:
        return now - transaction.updated_at > duration_ms


class _AnswersAllWhoWaitAlike(Coordinator):
    """Whoever was told to wait for the abort of one transaction gets what the first of them got."""

    @cached_property
    def waiting(self) -> Counter[str]:
        """How many were told to wait, and have not asked again, by transactional id."""
        return Counter()

    def init_producer_id(self, transactional_id: str, timeout_ms: int, expected: ProducerIdAndEpoch = NO_PRODUCER) -> ProducerIdAndEpoch:
        known = self._transactions.get(transactional_id)
        has_answered = known is not None and known.state is State.EMPTY and self.waiting[transactional_id] > 0
        if has_answered and known is not None and expected == NO_PRODUCER:
            self.waiting[transactional_id] -= 1
            return known.producer
        try:
            producer = super().init_producer_id(transactional_id, timeout_ms, expected)
        except Refused as refusal:
            self.waiting[transactional_id] += refusal.error is Error.CONCURRENT_TRANSACTIONS
            raise
        self.waiting[transactional_id] = max(0, self.waiting[transactional_id] - 1)
        return producer


class _CountsIdleTimeFromTheStart(Coordinator):
    def _install(self, transaction: Transaction) -> Transaction:
        before = self._transactions.get(transaction.transactional_id)
        installed = super()._install(transaction)
        if before is None or transaction.state is State.EMPTY:
            return installed
        kept = replace(installed, updated_at=before.updated_at)
        self._log.append(kept)
        self._transactions[transaction.transactional_id] = kept
        return kept


SECOND_OFFSET_COMMIT_REPLACES = Defect(
    name="second-offset-commit-replaces",
    breaks={"KIP890-400": Symptom(what="^committed offset of payments-0", expected="^offset 5", seen="^no offset")},
    story="A second TxnOffsetCommit of a transaction takes the place of the first, so that a commit applies the last one only.",
    origin="red team: pending offsets kept by the producer id alone",
    parts=Parts(groups=_KeepsTheLastRequest),
)

SECOND_OFFSET_COMMIT_IS_LOST = Defect(
    name="second-offset-commit-is-lost",
    breaks={"KIP890-400": Symptom(what="^committed offset of payments-1", expected="^offset 7", seen="^no offset")},
    story="A second TxnOffsetCommit of a transaction is answered and not kept.",
    origin="feared: a request that is taken for a repetition of the first",
    parts=Parts(groups=_KeepsTheFirstRequest),
)

FIRST_PREPARED_ALONE_COMPLETED = Defect(
    name="first-prepared-alone-completed",
    breaks={"KIP890-401": Symptom(what="^transaction of B", seen="^Prepare")},
    story="A coordinator that starts completes the first prepared transaction that it finds, and leaves the others as they are.",
    origin="red team: a loop over the transaction log that ends early",
    parts=Parts(coordinator=_CompletesTheFirst),
)

START_OF_THE_TRANSACTION_BEFORE = Defect(
    name="start-of-the-transaction-before",
    breaks={"KIP890-402": Symptom(what="^start time of A$", expected="^a start time after", seen="^start time")},
    story="The second transaction of an id has the start time of the first.",
    origin="red team: a start time that is set when there is none",
    parts=Parts(coordinator=_KeepsTheStart),
)

DURATION_FROM_THE_LAST_CHANGE = Defect(
    name="duration-from-the-last-change",
    breaks={"KIP890-402": Symptom(what="^list of transactions$", expected="^A is listed$", seen="^A not in it")},
    story="The duration filter of ListTransactions counts from the last change of a transaction, and not from its start.",
    origin="red team: the wrong one of two times",
    parts=Parts(transaction_filter=_CountsFromTheLastChange),
)

ALL_WHO_WAIT_GET_ONE_EPOCH = Defect(
    name="all-who-wait-get-one-epoch",
    breaks={"KIP890-204": Symptom(what="^epochs of instances", expected="different epochs", seen=r"epoch 2\).*epoch 2\)")},
    story="Two instances that were told to wait for one abort get the same producer id and epoch.",
    origin="red team: requests that are kept until the abort is complete, and then answered together",
    parts=Parts(coordinator=_AnswersAllWhoWaitAlike),
)

IDLE_TIME_FROM_INIT_PRODUCER_ID = Defect(
    name="idle-time-from-init-producer-id",
    breaks={"KIP890-165": Symptom(expected="^an answer when describing", seen="TRANSACTIONAL_ID_NOT_FOUND")},
    story="The time after which an id expires counts from InitProducerId, also while its producer commits again and again.",
    origin="red team: a time that only InitProducerId writes down",
    parts=Parts(coordinator=_CountsIdleTimeFromTheStart),
)
