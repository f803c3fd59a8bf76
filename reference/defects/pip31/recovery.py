"""Defects of Pulsar in what a crash leaves of transactions that were open, or decided and not complete."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.transaction import Transaction
from fencepost.reference.pulsar.transaction_log import TransactionLog
from fencepost.reference.pulsar.values import Action, Status, SubscriptionName, TxnId


class _AnswersBeforeItWrites(TransactionLog):
    def must_be_durable(self, transaction: Transaction) -> bool:
        return transaction.status is not Status.COMMITTING


class _WritesNoAborts(TransactionLog):
    def must_be_durable(self, transaction: Transaction) -> bool:
        return transaction.status.action is not Action.ABORT


class _WaitsToBeAsked(LogCoordinator):
    def resume_decided(self) -> None:
        pass


class _RollsCommitsBack(LogCoordinator):
    def recovered(self, transaction: Transaction) -> Transaction:
        return replace(transaction, status=Status.OPEN) if transaction.status is Status.COMMITTING else transaction


class _TakesUpCommitsOnly(LogCoordinator):
    def resume_decided(self) -> None:
        undone = self._transactions
        self._transactions = {txn: one for txn, one in undone.items() if one.status is not Status.ABORTING}
        super().resume_decided()
        self._transactions = undone | self._transactions


class _AbortsTheOpen(LogCoordinator):
    def recovered(self, transaction: Transaction) -> Transaction:
        return transaction if transaction.status.is_decided else transaction.decided(Action.ABORT)


class _ForgetsTopics(LogCoordinator):
    def recovered(self, transaction: Transaction) -> Transaction:
        return replace(transaction, partitions=())


class _ForgetsSubscriptions(LogCoordinator):
    def recovered(self, transaction: Transaction) -> Transaction:
        return replace(transaction, subscriptions=())


class _NewListsAfterACrash(LogCoordinator):
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


ANSWERED_COMMIT_FORGOTTEN = Defect(
    name="pulsar-answered-commit-forgotten",
    breaks={"PIP31-28": Symptom(what="^readers of orders$", expected='^"a1"$', seen="^nothing$")},
    story="A commit is answered and is not in the transaction log, so a crash undoes what was promised.",
    origin="textbook: acknowledging before writing",
    parts=Parts(transaction_log=_AnswersBeforeItWrites),
)

ANSWERED_ABORT_FORGOTTEN = Defect(
    name="pulsar-answered-abort-forgotten",
    breaks={"PIP31-28": Symptom(what="^status of B$", expected="^ABORTED$", seen="^OPEN$")},
    story="Aborts are not written to the transaction log, for a crash would abort as well; but it leaves transactions open.",
    origin="textbook: presumed abort, without the presumption",
    parts=Parts(transaction_log=_WritesNoAborts),
)

INTERRUPTED_COMMIT_STAYS = Defect(
    name="pulsar-interrupted-commit-stays",
    breaks={"PIP31-30": Symptom(what="^status of A$", expected="^COMMITTING, then COMMITTED$", seen="^COMMITTING, then COMMITTING$")},
    story="A coordinator that starts takes up nothing of what was decided before, unless a client asks for it again.",
    origin="apache/pulsar#10179: a recovered coordinator did not complete what was being committed or aborted",
    parts=Parts(coordinator=_WaitsToBeAsked),
)

INTERRUPTED_COMMIT_ROLLED_BACK = Defect(
    name="pulsar-interrupted-commit-rolled-back",
    breaks={"PIP31-30": Symptom(what="^status of A$", expected="^COMMITTING, then COMMITTED$", seen="^OPEN")},
    story="What was being committed when the coordinator crashed is open again, though participants may have committed.",
    origin="textbook: only complete transactions count as decided",
    parts=Parts(coordinator=_RollsCommitsBack),
)

INTERRUPTED_ABORT_STAYS = Defect(
    name="pulsar-interrupted-abort-stays",
    breaks={"PIP31-31": Symptom(what="^status of A$", expected="^ABORTING, then ABORTED$", seen="^ABORTING, then ABORTING$")},
    story="A coordinator that starts completes commits, and forgets that an abort has participants to tell as well.",
    origin="apache/pulsar#10179: a recovered coordinator did not complete what was being committed or aborted",
    parts=Parts(coordinator=_TakesUpCommitsOnly),
)

OPEN_ABORTED_BY_CRASH = Defect(
    name="pulsar-open-aborted-by-crash",
    breaks={"PIP31-32": Symptom(what="^answer to END_TXN$", expected="^success$", error="InvalidTxnStatus")},
    story="A coordinator that starts aborts whatever is open, though its clients may be there and well.",
    origin="textbook: presumed abort, where the proposal keeps transactions open",
    parts=Parts(coordinator=_AbortsTheOpen),
)

TOPICS_FORGOTTEN_BY_CRASH = Defect(
    name="pulsar-topics-forgotten-by-crash",
    breaks={"PIP31-33": Symptom(what="^readers of orders$", expected='^"a1"$', seen="^nothing$")},
    story="A replay brings back that a transaction is open and not the topics that were added to it, so nobody tells them of its end.",
    origin="textbook: a recovery that was tried with empty transactions",
    parts=Parts(coordinator=_ForgetsTopics),
)

SUBSCRIPTIONS_FORGOTTEN_BY_CRASH = Defect(
    name="pulsar-subscriptions-forgotten-by-crash",
    breaks={"PIP31-33": Symptom(what="^left for workers$", expected='^"i2"$', seen='^"i1", "i2"$')},
    story="A replay brings back a transaction's topics and not its subscriptions, where nobody commits its acknowledgements.",
    origin="textbook: a recovery that was tried with messages only",
    parts=Parts(coordinator=_ForgetsSubscriptions),
)

RECOVERED_LISTS_REPLACED = Defect(
    name="pulsar-recovered-lists-replaced",
    breaks={
        "PIP31-33": Symptom(what="^(readers of orders|left for workers)$"),
        "CORE-24": Symptom(what="^readers of orders$", expected='^"a1"$', seen="^nothing$"),
    },
    story="The first topic that is added to a transaction after a crash begins a list of its own: whoever was added before is not told.",
    origin="textbook: the list that was replayed is read-only, and the first addition makes another",
    parts=Parts(coordinator=_NewListsAfterACrash),
)
