"""Defects of Pulsar in what a crash leaves of transactions that were open, or decided and not complete."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, expected, seen
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.transaction import Transaction
from fencepost.reference.pulsar.transaction_log import TransactionLog
from fencepost.reference.pulsar.values import Action, Status, SubscriptionName, TxnId


@defect({"PIP31-28": seen("^nothing$", expected='^"a1"$', what="^readers of orders$")}, origin="textbook: acknowledging before writing")
class PulsarAnsweredCommitForgotten(TransactionLog):
    """A commit is answered and is not in the transaction log, so a crash undoes what was promised."""

    def must_be_durable(self, transaction: Transaction) -> bool:
        return transaction.status is not Status.COMMITTING


@defect(
    {"PIP31-28": seen("^OPEN$", expected="^ABORTED$", what="^status of B$")}, origin="textbook: presumed abort, without the presumption"
)
class PulsarAnsweredAbortForgotten(TransactionLog):
    """Aborts are not written to the transaction log, for a crash would abort as well; but it leaves transactions open."""

    def must_be_durable(self, transaction: Transaction) -> bool:
        return transaction.status.action is not Action.ABORT


@defect(
    {"PIP31-30": seen("^COMMITTING, then COMMITTING$", expected="^COMMITTING, then COMMITTED$", what="^status of A$")},
    origin="apache/pulsar#10179: a recovered coordinator did not complete what was being committed or aborted",
)
class PulsarInterruptedCommitStays(LogCoordinator):
    """A coordinator that starts takes up nothing of what was decided before, unless a client asks for it again."""

    def resume_decided(self) -> None:
        pass


@defect(
    {"PIP31-30": seen("^OPEN", expected="^COMMITTING, then COMMITTED$", what="^status of A$")},
    origin="textbook: only complete transactions count as decided",
)
class PulsarInterruptedCommitRolledBack(LogCoordinator):
    """What was being committed when the coordinator crashed is open again, though participants may have committed."""

    def recovered(self, transaction: Transaction) -> Transaction:
        return replace(transaction, status=Status.OPEN) if transaction.status is Status.COMMITTING else transaction


@defect(
    {"PIP31-31": seen("^ABORTING, then ABORTING$", expected="^ABORTING, then ABORTED$", what="^status of A$")},
    origin="apache/pulsar#10179: a recovered coordinator did not complete what was being committed or aborted",
)
class PulsarInterruptedAbortStays(LogCoordinator):
    """A coordinator that starts completes commits, and does not notify the participants of an abort."""

    def resume_decided(self) -> None:
        undone = self._transactions
        self._transactions = {txn: one for txn, one in undone.items() if one.status is not Status.ABORTING}
        super().resume_decided()
        self._transactions = undone | self._transactions


@defect(
    {"PIP31-32": expected("^success$", what="^answer to END_TXN$", error="InvalidTxnStatus")},
    origin="textbook: presumed abort, where the proposal keeps transactions open",
)
class PulsarOpenAbortedByCrash(LogCoordinator):
    """A coordinator that starts aborts whatever is open, though its clients may be there and well."""

    def recovered(self, transaction: Transaction) -> Transaction:
        return transaction if transaction.status.is_decided else transaction.decided(Action.ABORT)


@defect(
    {"PIP31-33": seen("^nothing$", expected='^"a1"$', what="^readers of orders$")},
    origin="textbook: a recovery that was tried with empty transactions",
)
class PulsarTopicsForgottenByCrash(LogCoordinator):
    """A replay restores that a transaction is open and not its topics, so they are never notified of its end."""

    def recovered(self, transaction: Transaction) -> Transaction:
        return replace(transaction, partitions=())


@defect(
    {"PIP31-33": seen('^"i1", "i2"$', expected='^"i2"$', what="^left for workers$")},
    origin="textbook: a recovery that was tried with messages only",
)
class PulsarSubscriptionsForgottenByCrash(LogCoordinator):
    """A replay restores a transaction's topics and not its subscriptions, so its acknowledgements are never committed."""

    def recovered(self, transaction: Transaction) -> Transaction:
        return replace(transaction, subscriptions=())


@defect(
    {
        "PIP31-33": Symptom(what="^(readers of orders|left for workers)$"),
        "CORE-24": seen("^nothing$", expected='^"a1"$', what="^readers of orders$"),
    },
    origin="textbook: the list that was replayed is read-only, and the first addition makes another",
)
class PulsarRecoveredListsReplaced(LogCoordinator):
    """The first topic that is added to a transaction after a crash starts a new list: the participants from before are not notified."""

    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        if _is_first(self, txn, "topics"):
            self._transactions[txn] = replace(self.describe(txn), partitions=())
        super().add_partitions(txn, names)

    def add_subscriptions(self, txn: TxnId, names: tuple[SubscriptionName, ...]) -> None:
        if _is_first(self, txn, "subscriptions"):
            self._transactions[txn] = replace(self.describe(txn), subscriptions=())
        super().add_subscriptions(txn, names)

    def recovered(self, transaction: Transaction) -> Transaction:
        _to_come(self).update((transaction.txn, what) for what in ("topics", "subscriptions"))
        return super().recovered(transaction)


def _to_come(coordinator: LogCoordinator) -> set[tuple[TxnId, str]]:
    """The first additions after the crash."""
    found: set[tuple[TxnId, str]] = coordinator.__dict__.setdefault("_found", set())
    return found


def _is_first(coordinator: LogCoordinator, txn: TxnId, what: str) -> bool:
    is_first = (txn, what) in _to_come(coordinator)
    _to_come(coordinator).discard((txn, what))
    return is_first and not coordinator.describe(txn).status.is_decided
