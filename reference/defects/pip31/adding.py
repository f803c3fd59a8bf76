"""Defects of Pulsar's coordinator in taking topics and subscriptions into a transaction."""

from dataclasses import replace

from fencepost.reference.defects.decorator import defect, expected, seen
from fencepost.reference.pulsar.errors import Error, Refused
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.transaction import Transaction
from fencepost.reference.pulsar.transaction_log import TransactionLog
from fencepost.reference.pulsar.values import Status, SubscriptionName, TxnId

_A_MINUTE_MS = 60_000


@defect(
    {"PIP31-15": seen("^success$", expected="^a refusal with TransactionNotFound$", what="^answer to ADD_PARTITION_TO_TXN$")},
    origin="textbook: a table that makes what is looked up",
)
class PulsarUnknownBegunByAdding(LogCoordinator):
    """A topic that is added to a transaction which nobody began begins it."""

    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        if txn not in self._transactions:
            self._install(Transaction(txn, _A_MINUTE_MS, self._machine.clock.now))
        super().add_partitions(txn, names)


@defect(
    {"PIP31-19": expected("TransactionNotFound", what="^answer to ADD_SUBSCRIPTION_TO_TXN$", error="InvalidTxnStatus")},
    origin="textbook: no entry held for one that is not open",
)
class PulsarUnknownTakenForEnded(LogCoordinator):
    """A client that adds a subscription to a transaction which does not exist is told that it has the wrong state."""

    def add_subscriptions(self, txn: TxnId, names: tuple[SubscriptionName, ...]) -> None:
        if txn not in self._transactions:
            raise Refused(Error.INVALID_TXN_STATUS, f"transaction {txn} must be OPEN")
        super().add_subscriptions(txn, names)


@defect({"PIP31-16": seen("^nothing$", expected='^"a1"$', what="^readers of orders$")}, origin="textbook: a state that recovery forgets")
class PulsarTopicsInMemoryOnly(TransactionLog):
    """Who takes part in an open transaction is known in memory only, so that its end reaches nobody after a crash."""

    def append(self, transaction: Transaction) -> None:
        is_open = transaction.status is Status.OPEN
        super().append(replace(transaction, partitions=(), subscriptions=()) if is_open else transaction)


@defect({"PIP31-16": seen("^nothing$", expected='^"a2"$', what="^readers of payments$")}, origin="textbook: only tried with one")
class PulsarFirstTopicOnly(LogCoordinator):
    """Of several topics in one request only the first is added, and the answer says that all are."""

    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        super().add_partitions(txn, names[:1])


@defect({"PIP31-20": seen('^"i1", "i2"$', expected='^"i2"$', what="^left for auditors$")}, origin="textbook: only tried with one")
class PulsarFirstSubscriptionOnly(LogCoordinator):
    """Of several subscriptions in one request only the first is added, and the answer says that all are."""

    def add_subscriptions(self, txn: TxnId, names: tuple[SubscriptionName, ...]) -> None:
        super().add_subscriptions(txn, names[:1])


@defect(
    {"PIP31-17": seen("^success$", expected="^a refusal$", what="^answer to ADD_PARTITION_TO_TXN$")},
    origin="textbook: a look-up that does not ask for the state",
)
class PulsarTopicAddedToTheEnded(LogCoordinator):
    """A topic is added to a transaction whose end is decided, and nobody will tell the topic of it."""

    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        known = self.describe(txn)
        self._install(replace(known, partitions=(*known.partitions, *names)))


@defect(
    {"PIP31-21": seen("^success$", expected="^a refusal$", what="^answer to ADD_SUBSCRIPTION_TO_TXN$")},
    origin="textbook: a look-up that does not ask for the state",
)
class PulsarSubscriptionAddedToTheEnded(LogCoordinator):
    """A subscription is added to a transaction whose end is decided, and nobody will tell the subscription of it."""

    def add_subscriptions(self, txn: TxnId, names: tuple[SubscriptionName, ...]) -> None:
        known = self.describe(txn)
        self._install(replace(known, subscriptions=(*known.subscriptions, *names)))


@defect(
    {"PIP31-18": expected("^success$", what="^answer to ADD_PARTITION_TO_TXN$", error="InvalidTxnStatus")},
    origin="textbook: a repetition held for a mistake",
)
class PulsarSecondAdditionRefused(LogCoordinator):
    """A client that adds a topic again, since it did not hear the answer, is told that it may not."""

    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        if not set(names).isdisjoint(self.describe(txn).partitions):
            raise Refused(Error.INVALID_TXN_STATUS, f"transaction {txn} has {', '.join(names)} already")
        super().add_partitions(txn, names)


@defect(
    {"PIP31-18": seen("^nothing$", expected='^"a2"$', what="^readers of payments$")},
    origin="textbook: a list that is set where it should grow",
)
class PulsarSecondAdditionReplaces(LogCoordinator):
    """A topic that is added pushes out those that were added before."""

    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        known = self.describe(txn)
        self._install(replace(known, partitions=()) if known.status is Status.OPEN else known)
        super().add_partitions(txn, names)


@defect({"PIP31-20": seen('^"i1", "i2"$', expected='^"i2"$', what="^left for workers$")}, origin="textbook: a state that recovery forgets")
class PulsarSubscriptionsInMemoryOnly(PulsarTopicsInMemoryOnly):
    """Who takes part in an open transaction is known in memory only, so that its commit deletes nothing after a crash."""


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
