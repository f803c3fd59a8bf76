"""Defects of Pulsar's coordinator in the ids that it gives, in its answers, and in what is durable when a client is answered."""

from collections.abc import Iterable

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.ledger import Ledger, LedgerMarker
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.pulsar_types import Message, TxnId, TxnStatus
from fencepost.reference.pulsar.transaction import PulsarTransaction
from fencepost.reference.pulsar.transaction_log import PulsarTransactionLog
from fencepost.reference.pulsar.transaction_responses import TransactionResponses

_RANGE = 1_000


@defect({"PIP31-10": seen("^not known any more$", expected="^OPEN$", what="^status of A$")}, origin="textbook: a write that is deferred")
class PulsarIdBeforeItIsDurable(PulsarTransactionLog):
    """A transaction is logged when it is first used, so that one that was only begun is unknown after a crash."""

    def must_be_durable(self, transaction: PulsarTransaction) -> bool:
        return transaction.status is not TxnStatus.OPEN or bool(transaction.partitions or transaction.subscriptions)


@defect({"PIP31-11": seen(r"^\(0,0\)", what="^transaction ids$")}, origin="textbook: a state that recovery forgets")
class PulsarIdsGivenAgain(LogCoordinator):
    """The counter of transactions is not restored, and begins at 0 after a crash."""

    def last_given(self, replayed: Iterable[TxnId]) -> int:  # noqa: ARG002 - the counter is in memory only
        return -1


@defect({"PIP31-71": seen(r"^\(0,0\)", what="^transaction ids$")}, origin="textbook: a counter that is read from what is left")
class PulsarIdsOfTheEndedGivenAgain(LogCoordinator):
    """After a crash the counter goes on from the last transaction that has not ended; the ids of later ones that have ended are assigned
    again.
    """

    def last_given(self, replayed: Iterable[TxnId]) -> int:
        entries = self._log.replay()
        return super().last_given(txn for txn in replayed if not entries[txn].status.is_complete)


@defect({"PIP31-12": seen(r"^\(0,1\) after \(0,1000\)", what="^transaction ids$")}, origin="textbook: a range of numbers for each thread")
class PulsarIdsFall(LogCoordinator):
    """Two ranges of numbers are given out in turn."""

    def next_id(self) -> TxnId:
        txn = super().next_id()
        half, is_odd = divmod(txn.sequence, 2)
        return TxnId(txn.tc_id, half + (_RANGE if is_odd else 0))


@defect({"PIP31-12": seen(r"after \(0,\d+\)$", what="^transaction ids$")}, origin="red team: a range of numbers for each start")
class PulsarIdsFallAfterACrash(LogCoordinator):
    """Each start of a coordinator gives ids from a range below that of the start before."""

    def last_given(self, replayed: Iterable[TxnId]) -> int:
        return min((txn.sequence for txn in replayed), default=_RANGE**2) - _RANGE


@defect(
    {"PIP31-13": seen(r"^\[0, 0\]", expected=r"^\[0, 1\]$", what="^coordinators of transaction ids$")},
    origin="textbook: only tried with one coordinator",
)
class PulsarIdWithoutCoordinator(LogCoordinator):
    """The second coordinator gives ids that look like those of the first."""

    def next_id(self) -> TxnId:
        return super().next_id()._replace(tc_id=0)


@defect(
    {"PIP31-14": seen("ADD_PARTITION_TO_TXN_RESPONSE answers nothing that was asked: request_id: 0")},
    origin="textbook: an answer for failures that is made somewhere else",
)
class PulsarRefusalWithoutRequest(TransactionResponses):
    """A refusal names request 0, so that its client waits for its answer until it gives up."""

    def request_named(self, request_id: int, *, is_refusal: bool) -> int:
        return 0 if is_refusal else super().request_named(request_id, is_refusal=is_refusal)


@defect(
    {"PIP31-47": seen('^"plain"$', expected='^"a1", "plain"$', what="^readers of orders$")}, origin="textbook: acknowledging before writing"
)
class PulsarReceiptBeforeItIsDurable(Ledger):
    """A message of a transaction is receipted when it is in memory, and a crash loses it."""

    def must_be_durable(self, content: Message | LedgerMarker) -> bool:
        return not isinstance(content, Message) or content.txn is None


@defect(
    {"PIP31-71": seen(" twice", expected="^10 ids$|ids$", what="^transaction ids$")},
    origin="red team: a counter that is restored from what is still there",
)
class PulsarNumbersOnFromTheOpen(LogCoordinator):
    """After a crash the ids continue after the newest transaction that is open, whatever newer ones have ended."""

    def last_given(self, replayed: Iterable[TxnId]) -> int:
        last = super().last_given(replayed)
        found = self._log.replay()
        return max((txn.sequence for txn in replayed if not found[txn].status.is_complete), default=last)
