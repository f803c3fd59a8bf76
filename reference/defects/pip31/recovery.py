"""Defects of Pulsar in what a crash leaves of transactions that were open, or decided and not complete."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, expected, seen
from fencepost.reference.defects.pip31.ending import KnowsWhatItRecovered
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.pulsar_types import EndAction, SubscriptionName, TxnId, TxnStatus
from fencepost.reference.pulsar.transaction import PulsarTransaction
from fencepost.reference.pulsar.transaction_log import PulsarTransactionLog


@defect({"PIP31-28": seen("^nothing$", expected='^"a1"$', what="^readers of orders$")}, origin="textbook: acknowledging before writing")
class PulsarAnsweredCommitForgotten(PulsarTransactionLog):
    """A commit is answered and is not in the transaction log, so a crash undoes what was promised."""

    def must_be_durable(self, transaction: PulsarTransaction) -> bool:
        return transaction.status is not TxnStatus.COMMITTING


@defect(
    {"PIP31-28": seen("^OPEN$", expected="^ABORTED$", what="^status of B$")}, origin="textbook: presumed abort, without the presumption"
)
class PulsarAnsweredAbortForgotten(PulsarTransactionLog):
    """Aborts are not written to the transaction log, for a crash would abort as well; but it leaves transactions open."""

    def must_be_durable(self, transaction: PulsarTransaction) -> bool:
        return transaction.status.action is not EndAction.ABORT


@defect(
    {"PIP31-30": seen("^COMMITTING, then COMMITTING$", expected="^COMMITTING, then COMMITTED$", what="^status of A$")},
    origin="apache/pulsar#10179: a recovered coordinator did not complete what was being committed or aborted",
)
class PulsarInterruptedCommitStays(LogCoordinator):
    """A coordinator that starts does not resume what was decided before, unless a client repeats its request."""

    def resume_decided(self) -> None:
        pass


@defect(
    {"PIP31-30": seen("^OPEN", expected="^COMMITTING, then COMMITTED$", what="^status of A$")},
    origin="textbook: only complete transactions count as decided",
)
class PulsarInterruptedCommitRolledBack(LogCoordinator):
    """What was being committed when the coordinator crashed is open again, though participants may have committed."""

    def recovered(self, transaction: PulsarTransaction) -> PulsarTransaction:
        return replace(transaction, status=TxnStatus.OPEN) if transaction.status is TxnStatus.COMMITTING else transaction


@defect(
    {"PIP31-31": seen("^ABORTING, then ABORTING$", expected="^ABORTING, then ABORTED$", what="^status of A$")},
    origin="apache/pulsar#10179: a recovered coordinator did not complete what was being committed or aborted",
)
class PulsarInterruptedAbortStays(LogCoordinator):
    """A coordinator that starts completes commits, and does not notify the participants of an abort."""

    def resume_decided(self) -> None:
        undone = self._transactions
        self._transactions = {txn: one for txn, one in undone.items() if one.status is not TxnStatus.ABORTING}
        super().resume_decided()
        self._transactions = undone | self._transactions


@defect(
    {"PIP31-31": seen("^ABORTING, then ABORTING$", expected="^ABORTING, then ABORTED$", what="^status of B$")},
    origin="textbook: a loop that ends in its first turn",
)
class PulsarFirstInterruptedAbort(LogCoordinator):
    """A coordinator that starts completes all commits and the oldest abort; the participants of the other aborts are not notified."""

    def resume_decided(self) -> None:
        undone = self._transactions
        later = [txn for txn, one in undone.items() if one.status is TxnStatus.ABORTING][1:]
        self._transactions = {txn: one for txn, one in undone.items() if txn not in later}
        super().resume_decided()
        self._transactions = undone | self._transactions


@defect(
    {"PIP31-32": expected("^success$", what="^answer to END_TXN$", error="InvalidTxnStatus")},
    origin="textbook: presumed abort, where the proposal keeps transactions open",
)
class PulsarOpenAbortedByCrash(LogCoordinator):
    """A coordinator that starts aborts every open transaction, though its client may be alive."""

    def recovered(self, transaction: PulsarTransaction) -> PulsarTransaction:
        return transaction if transaction.status.is_decided else transaction.decided(EndAction.ABORT)


@defect(
    {"PIP31-33": seen("^nothing$", expected='^"a1"$', what="^readers of orders$")},
    origin="textbook: a recovery that was tried with empty transactions",
)
class PulsarTopicsForgottenByCrash(LogCoordinator):
    """A replay restores that a transaction is open and not its topics, so they are never notified of its end."""

    def recovered(self, transaction: PulsarTransaction) -> PulsarTransaction:
        return replace(transaction, partitions=())


@defect(
    {"PIP31-33": seen('^"i1", "i2"$', expected='^"i2"$', what="^left for workers$")},
    origin="textbook: a recovery that was tried with messages only",
)
class PulsarSubscriptionsForgottenByCrash(LogCoordinator):
    """A replay restores a transaction's topics and not its subscriptions, so its acknowledgements are never committed."""

    def recovered(self, transaction: PulsarTransaction) -> PulsarTransaction:
        return replace(transaction, subscriptions=())


@defect(
    {
        "PIP31-33": Symptom(what="^(pending in .auditors.|left for auditors)$"),
        "PIP31-87": expected("^nothing$", what="^(pending in .late.|left for late)$"),
    },
    origin="red team: a record with a field that was a list later, and whose reader takes one",
)
class PulsarOneSubscriptionRecovered(LogCoordinator):
    """A replay restores the first subscription of a transaction, and no other, so the acknowledgements there are never committed."""

    def recovered(self, transaction: PulsarTransaction) -> PulsarTransaction:
        return replace(super().recovered(transaction), subscriptions=transaction.subscriptions[:1])


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

    def recovered(self, transaction: PulsarTransaction) -> PulsarTransaction:
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


@defect(
    {"PIP31-33": seen("^nothing$", expected='^"a1"$', what="^readers of orders$")},
    origin="red team: each entry of the log replaces the one before it",
)
class PulsarLastTopicIsRestored(PulsarTransactionLog):
    """An entry of the transaction log has the topic that was added last, so a transaction has only that one after a crash."""

    def append(self, transaction: PulsarTransaction) -> None:
        is_open = transaction.status is TxnStatus.OPEN
        super().append(replace(transaction, partitions=transaction.partitions[-1:]) if is_open else transaction)


@defect(
    {"PIP31-32": expected("^success$", what="^answer to END_TXN$", error="TransactionNotFound")},
    origin="red team: a log that is trimmed up to the newest entry that is not needed, and not up to the oldest that is",
)
class PulsarLogTrimmedUpToAnEnd(PulsarTransactionLog):
    """When a transaction is complete, the log is trimmed up to its last entry: an older one that is open is unknown after a crash."""

    def replay(self) -> dict[TxnId, PulsarTransaction]:
        found: dict[TxnId, PulsarTransaction] = {}
        for entry in self._entries:
            if entry.status.is_complete:
                found = {txn: one for txn, one in found.items() if one.status.is_complete}
            found[entry.txn] = entry
        return found


@defect(
    {"PIP31-33": seen('"i1"', expected='^"i2"$', what="^left for workers$")},
    origin="red team: each entry of the log replaces the one before it",
)
class PulsarLastSubscriptionIsRestored(PulsarTransactionLog):
    """An entry of the transaction log has the subscription that was added last, so a transaction has only that one after a crash."""

    def append(self, transaction: PulsarTransaction) -> None:
        is_open = transaction.status is TxnStatus.OPEN
        super().append(replace(transaction, subscriptions=transaction.subscriptions[-1:]) if is_open else transaction)


@defect(
    {"PIP31-33": seen("^A from", expected="^nothing$", what="^pending in orders$")},
    origin="red team: two lists, of which an abort needs one",
)
class PulsarAbortAfterACrashSkipsTopics(KnowsWhatItRecovered):
    """A coordinator that restarts notifies the topics of a transaction that was open before of a commit, and not of an abort, nor when
    they ask."""

    def decide(self, transaction: PulsarTransaction, action: EndAction, reply: Reply | None) -> None:
        is_skipped = transaction.txn in self.found and action is EndAction.ABORT
        super().decide(replace(transaction, partitions=()) if is_skipped else transaction, action, reply)

    def is_over(self, txn: TxnId) -> bool:
        return txn not in self.found and super().is_over(txn)
