"""Defects of Pulsar's coordinator in taking topics and subscriptions into a transaction."""

from dataclasses import replace

from fencepost.reference.defects.decorator import defect, expected, seen
from fencepost.reference.defects.pip31.ending import KnowsWhatItRecovered
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.pulsar_types import EndAction, SubscriptionName, TxnId, TxnStatus
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError
from fencepost.reference.pulsar.transaction import PulsarTransaction
from fencepost.reference.pulsar.transaction_log import PulsarTransactionLog

_A_MINUTE_MS = 60_000


@defect(
    {"PIP31-15": seen("^success$", expected="^a refusal with TransactionNotFound$", what="^answer to ADD_PARTITION_TO_TXN$")},
    origin="textbook: a table that makes what is looked up",
)
class PulsarUnknownBegunByAdding(LogCoordinator):
    """Adding a topic to a transaction that was never begun begins it."""

    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        if txn not in self._transactions:
            self._install(PulsarTransaction(txn, _A_MINUTE_MS, self._machine.clock.now))
        super().add_partitions(txn, names)


@defect(
    {"PIP31-19": expected("TransactionNotFound", what="^answer to ADD_SUBSCRIPTION_TO_TXN$", error="InvalidTxnStatus")},
    origin="textbook: no entry held for one that is not open",
)
class PulsarUnknownTakenForEnded(LogCoordinator):
    """A client that adds a subscription to an unknown transaction is refused with the error for a wrong state."""

    def add_subscriptions(self, txn: TxnId, names: tuple[SubscriptionName, ...]) -> None:
        if txn not in self._transactions:
            raise CommandRefused(ServerError.INVALID_TXN_STATUS, f"transaction {txn} must be OPEN")
        super().add_subscriptions(txn, names)


@defect({"PIP31-16": seen("^nothing$", expected='^"a1"$', what="^readers of orders$")}, origin="textbook: a state that recovery forgets")
class PulsarTopicsInMemoryOnly(PulsarTransactionLog):
    """A coordinator keeps the topics of an open transaction in memory only, so its end reaches no topic after a crash."""

    def append(self, transaction: PulsarTransaction) -> None:
        is_open = transaction.status is TxnStatus.OPEN
        super().append(replace(transaction, partitions=(), subscriptions=()) if is_open else transaction)


@defect({"PIP31-16": seen("^nothing$", expected='^"a2"$', what="^readers of payments$")}, origin="textbook: only tried with one")
class PulsarFirstTopicOnly(LogCoordinator):
    """If a request adds several topics, the coordinator adds only the first, and answers that it has added all."""

    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        super().add_partitions(txn, names[:1])


@defect({"PIP31-20": seen('^"i1", "i2"$', expected='^"i2"$', what="^left for auditors$")}, origin="textbook: only tried with one")
class PulsarFirstSubscriptionOnly(LogCoordinator):
    """If a request adds several subscriptions, the coordinator adds only the first, and answers that it has added all."""

    def add_subscriptions(self, txn: TxnId, names: tuple[SubscriptionName, ...]) -> None:
        super().add_subscriptions(txn, names[:1])


@defect(
    {"PIP31-17": seen("^success$", expected="^a refusal$", what="^answer to ADD_PARTITION_TO_TXN$")},
    origin="textbook: a look-up that does not ask for the state",
)
class PulsarTopicAddedToTheEnded(LogCoordinator):
    """The coordinator adds a topic to a transaction whose end is decided, and never notifies it of the end."""

    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        known = self.describe(txn)
        self._install(replace(known, partitions=(*known.partitions, *names)))


@defect(
    {"PIP31-21": seen("^success$", expected="^a refusal$", what="^answer to ADD_SUBSCRIPTION_TO_TXN$")},
    origin="textbook: a look-up that does not ask for the state",
)
class PulsarSubscriptionAddedToTheEnded(LogCoordinator):
    """The coordinator adds a subscription to a transaction whose end is decided, and never notifies it of the end."""

    def add_subscriptions(self, txn: TxnId, names: tuple[SubscriptionName, ...]) -> None:
        known = self.describe(txn)
        self._install(replace(known, subscriptions=(*known.subscriptions, *names)))


@defect(
    {"PIP31-18": expected("^success$", what="^answer to ADD_PARTITION_TO_TXN$", error="InvalidTxnStatus")},
    origin="textbook: a repetition held for a mistake",
)
class PulsarSecondAdditionRefused(LogCoordinator):
    """A client that adds a topic again, because the answer was lost, is refused."""

    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        if not set(names).isdisjoint(self.describe(txn).partitions):
            raise CommandRefused(ServerError.INVALID_TXN_STATUS, f"transaction {txn} has {', '.join(names)} already")
        super().add_partitions(txn, names)


@defect(
    {"PIP31-18": seen("^nothing$", expected='^"a2"$', what="^readers of payments$")},
    origin="textbook: a list that is set where it should grow",
)
class PulsarSecondAdditionReplaces(LogCoordinator):
    """A topic that is added pushes out those that were added before."""

    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        known = self.describe(txn)
        self._install(replace(known, partitions=()) if known.status is TxnStatus.OPEN else known)
        super().add_partitions(txn, names)


@defect({"PIP31-20": seen('^"i1", "i2"$', expected='^"i2"$', what="^left for workers$")}, origin="textbook: a state that recovery forgets")
class PulsarSubscriptionsInMemoryOnly(PulsarTopicsInMemoryOnly):
    """A coordinator keeps the subscriptions of an open transaction in memory only, so its commit deletes no message after a crash."""


@defect(
    {
        "PIP31-18": seen("^nothing$", expected='^"a2"$', what="^readers of payments$"),
        "PIP31-87": seen('^("i1"|something of .*)$', expected="^nothing$", what="late.?$"),
    },
    origin="textbook: any where all was meant",
)
class PulsarOneThatIsThereIsEnough(LogCoordinator):
    """A request of which one participant is there already is taken for one that was sent again, and the others are not added."""

    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        super().add_partitions(txn, () if set(names) & set(self.describe(txn).partitions) else names)

    def add_subscriptions(self, txn: TxnId, names: tuple[SubscriptionName, ...]) -> None:
        super().add_subscriptions(txn, () if set(names) & set(self.describe(txn).subscriptions) else names)


_ABORTED = seen("^(ABORTING|ABORTED|not known any more)$", expected="^OPEN$", what="^status of A$")


@defect(
    {"PIP31-15": _ABORTED, "PIP31-19": _ABORTED, "PIP31-22": _ABORTED},
    origin="textbook: a clean-up after an error that takes the last entry",
)
class UnknownIdAbortsTheNewest(LogCoordinator):
    """A coordinator that refuses an id that it does not know cleans up, and aborts the open transaction that it has begun last."""

    def describe(self, txn: TxnId) -> PulsarTransaction:
        try:
            return super().describe(txn)
        except CommandRefused:
            open_now = [one for one in self.transactions() if not one.status.is_decided]
            for newest in open_now[-1:]:
                self.decide(newest, EndAction.ABORT, None)
            raise


@defect(
    {"PIP31-17": seen("^success$", expected="^a refusal$", what="^answer to ADD_PARTITION_TO_TXN$")},
    origin="red team: a state that the requests check and the recovery does not set",
)
class PulsarRecoveredEndTakesTopics(KnowsWhatItRecovered):
    """A coordinator that restarts in the middle of an end accepts topics for that transaction, and notifies none of them."""

    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        if not self.is_recovered(txn):
            super().add_partitions(txn, names)


@defect(
    {"PIP31-21": seen("^success$", expected="^a refusal$", what="^answer to ADD_SUBSCRIPTION_TO_TXN$")},
    origin="red team: a state that the requests check and the recovery does not set",
)
class PulsarRecoveredEndTakesSubscriptions(KnowsWhatItRecovered):
    """A coordinator that restarts in the middle of an end accepts subscriptions for that transaction, and notifies none of them."""

    def add_subscriptions(self, txn: TxnId, names: tuple[SubscriptionName, ...]) -> None:
        if not self.is_recovered(txn):
            super().add_subscriptions(txn, names)
