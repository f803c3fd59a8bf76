"""Defects in what there is two of: requests with offsets, prepared transactions, transactions of one id."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.groups import Groups
from fencepost.reference.kafka.listing import TransactionFilter
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.transaction import PREPARED, State, Transaction
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
    def install(self, transaction: Transaction) -> Transaction:
        before = self._transactions.get(transaction.transactional_id)
        if before is not None and before.started_at >= 0 and transaction.state is State.ONGOING:
            transaction = replace(transaction, started_at=before.started_at)
        return super().install(transaction)


class _CountsFromTheLastChange(TransactionFilter):
    def began_longer_ago(self, transaction: Transaction, now: int, duration_ms: int) -> bool:
        return now - transaction.updated_at > duration_ms


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
