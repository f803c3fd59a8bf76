"""Defects of Pulsar's coordinator in the ids that it gives, in its answers, and in what is durable when somebody is told."""

from collections.abc import Iterable

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.answers import Answers
from fencepost.reference.pulsar.ledger import Ledger, Marker
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.transaction import Transaction
from fencepost.reference.pulsar.transaction_log import TransactionLog
from fencepost.reference.pulsar.values import Message, Status, TxnId

_RANGE = 1_000


class _LogsWhatIsUsed(TransactionLog):
    def must_be_durable(self, transaction: Transaction) -> bool:
        return transaction.status is not Status.OPEN or bool(transaction.partitions or transaction.subscriptions)


class _CountsAnew(LogCoordinator):
    def last_given(self, replayed: Iterable[TxnId]) -> int:  # noqa: ARG002 - the counter is in memory only
        return -1


class _CountsWhatIsOpen(LogCoordinator):
    def last_given(self, replayed: Iterable[TxnId]) -> int:
        entries = self._log.replay()
        return super().last_given(txn for txn in replayed if not entries[txn].status.is_complete)


class _CountsInTwoRanges(LogCoordinator):
    def next_id(self) -> TxnId:
        txn = super().next_id()
        half, is_odd = divmod(txn.sequence, 2)
        return TxnId(txn.tc_id, half + (_RANGE if is_odd else 0))


class _DoesNotSayWhoseIdItIs(LogCoordinator):
    def next_id(self) -> TxnId:
        return super().next_id()._replace(tc_id=0)


class _ForgetsWhomItRefuses(Answers):
    def request_named(self, request_id: int, *, is_refusal: bool) -> int:
        return 0 if is_refusal else super().request_named(request_id, is_refusal=is_refusal)


class _ReceiptsBeforeItWrites(Ledger):
    def must_be_durable(self, content: Message | Marker) -> bool:
        return not isinstance(content, Message) or content.txn is None


ID_BEFORE_IT_IS_DURABLE = Defect(
    name="pulsar-id-before-it-is-durable",
    breaks={"PIP31-10": Symptom(what="^status of A$", expected="^OPEN$", seen="^not known any more$")},
    story="A transaction is logged when it is first used, so that one that was only begun is not known after a crash.",
    origin="textbook: a write that is put off",
    parts=Parts(transaction_log=_LogsWhatIsUsed),
)

IDS_GIVEN_AGAIN = Defect(
    name="pulsar-ids-given-again",
    breaks={"PIP31-11": Symptom(what="^transaction ids$", seen=r"^\(0,0\)")},
    story="The counter of transactions is not restored, and begins at 0 after a crash.",
    origin="textbook: a state that recovery forgets",
    parts=Parts(coordinator=_CountsAnew),
)

IDS_FALL = Defect(
    name="pulsar-ids-fall",
    breaks={"PIP31-12": Symptom(what="^transaction ids$", seen=r"^\(0,1\) after \(0,1000\)")},
    story="Two ranges of numbers are given out in turn.",
    origin="textbook: a range of numbers for each thread",
    parts=Parts(coordinator=_CountsInTwoRanges),
)

ID_WITHOUT_COORDINATOR = Defect(
    name="pulsar-id-without-coordinator",
    breaks={"PIP31-13": Symptom(what="^coordinators of transaction ids$", expected=r"^\[0, 1\]$", seen=r"^\[0, 0\]")},
    story="The second coordinator gives ids that look like those of the first.",
    origin="textbook: only tried with one coordinator",
    parts=Parts(coordinator=_DoesNotSayWhoseIdItIs),
)

REFUSAL_WITHOUT_REQUEST = Defect(
    name="pulsar-refusal-without-request",
    breaks={"PIP31-14": Symptom(seen="ADD_PARTITION_TO_TXN_RESPONSE answers nothing that was asked: request_id: 0")},
    story="A refusal names request 0, so that its client waits for its answer until it gives up.",
    origin="textbook: an answer for failures that is made somewhere else",
    parts=Parts(answers=_ForgetsWhomItRefuses),
)

RECEIPT_BEFORE_IT_IS_DURABLE = Defect(
    name="pulsar-receipt-before-it-is-durable",
    breaks={"PIP31-47": Symptom(what="^readers of orders$", expected='^"a1", "plain"$', seen='^"plain"$')},
    story="A message of a transaction is receipted when it is in memory, and a crash loses it.",
    origin="textbook: acknowledging before writing",
    parts=Parts(ledger=_ReceiptsBeforeItWrites),
)

IDS_OF_THE_ENDED_GIVEN_AGAIN = Defect(
    name="pulsar-ids-of-the-ended-given-again",
    breaks={"PIP31-71": Symptom(what="^transaction ids$", seen=r"^\(0,0\)")},
    story="After a crash the counter goes on from the last transaction that has not ended; those that have ended are taken for gone.",
    origin="textbook: a counter that is read from what is left",
    parts=Parts(coordinator=_CountsWhatIsOpen),
)
