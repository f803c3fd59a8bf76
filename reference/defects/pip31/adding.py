"""Defects of Pulsar's coordinator in taking topics and subscriptions into a transaction."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.errors import Error, Refused
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.transaction import Transaction
from fencepost.reference.pulsar.transaction_log import TransactionLog
from fencepost.reference.pulsar.values import Status, SubscriptionName, TxnId

_A_MINUTE_MS = 60_000


class _BeginsWithTheFirstTopic(LogCoordinator):
    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        if txn not in self._transactions:
            self._install(Transaction(txn, _A_MINUTE_MS, self._machine.clock.now))
        super().add_partitions(txn, names)


class _TakesTheUnknownForEnded(LogCoordinator):
    def add_subscriptions(self, txn: TxnId, names: tuple[SubscriptionName, ...]) -> None:
        if txn not in self._transactions:
            raise Refused(Error.INVALID_TXN_STATUS, f"transaction {txn} must be OPEN")
        super().add_subscriptions(txn, names)


class _LogsNoParticipants(TransactionLog):
    def append(self, transaction: Transaction) -> None:
        is_open = transaction.status is Status.OPEN
        super().append(replace(transaction, partitions=(), subscriptions=()) if is_open else transaction)


class _TakesTheFirstTopic(LogCoordinator):
    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        super().add_partitions(txn, names[:1])


class _TakesTheFirstSubscription(LogCoordinator):
    def add_subscriptions(self, txn: TxnId, names: tuple[SubscriptionName, ...]) -> None:
        super().add_subscriptions(txn, names[:1])


class _AddsTopicsToTheEnded(LogCoordinator):
    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        known = self.describe(txn)
        self._install(replace(known, partitions=(*known.partitions, *names)))


class _AddsSubscriptionsToTheEnded(LogCoordinator):
    def add_subscriptions(self, txn: TxnId, names: tuple[SubscriptionName, ...]) -> None:
        known = self.describe(txn)
        self._install(replace(known, subscriptions=(*known.subscriptions, *names)))


class _WantsNewTopics(LogCoordinator):
    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        if not set(names).isdisjoint(self.describe(txn).partitions):
            raise Refused(Error.INVALID_TXN_STATUS, f"transaction {txn} has {', '.join(names)} already")
        super().add_partitions(txn, names)


class _KeepsTheLatestTopics(LogCoordinator):
    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        known = self.describe(txn)
        self._install(replace(known, partitions=()) if known.status is Status.OPEN else known)
        super().add_partitions(txn, names)


UNKNOWN_BEGUN_BY_ADDING = Defect(
    name="pulsar-unknown-begun-by-adding",
    breaks={
        "PIP31-15": Symptom(what="^answer to ADD_PARTITION_TO_TXN$", expected="^a refusal with TransactionNotFound$", seen="^success$")
    },
    story="A topic that is added to a transaction which nobody began begins it.",
    origin="textbook: a table that makes what is looked up",
    parts=Parts(coordinator=_BeginsWithTheFirstTopic),
)

TOPICS_FORGOTTEN_BY_CRASH = Defect(
    name="pulsar-topics-in-memory-only",
    breaks={"PIP31-16": Symptom(what="^readers of orders$", expected='^"a1"$', seen="^nothing$")},
    story="Who takes part in an open transaction is known in memory only, so that its end reaches nobody after a crash.",
    origin="textbook: a state that recovery forgets",
    parts=Parts(transaction_log=_LogsNoParticipants),
)

FIRST_TOPIC_ONLY = Defect(
    name="pulsar-first-topic-only",
    breaks={"PIP31-16": Symptom(what="^readers of payments$", expected='^"a2"$', seen="^nothing$")},
    story="Of several topics in one request only the first is added, and the answer says that all are.",
    origin="textbook: only tried with one",
    parts=Parts(coordinator=_TakesTheFirstTopic),
)

TOPIC_ADDED_TO_THE_ENDED = Defect(
    name="pulsar-topic-added-to-the-ended",
    breaks={"PIP31-17": Symptom(what="^answer to ADD_PARTITION_TO_TXN$", expected="^a refusal$", seen="^success$")},
    story="A topic is added to a transaction whose end is decided, and nobody will tell the topic of it.",
    origin="textbook: a look-up that does not ask for the state",
    parts=Parts(coordinator=_AddsTopicsToTheEnded),
)

SECOND_ADDITION_REFUSED = Defect(
    name="pulsar-second-addition-refused",
    breaks={"PIP31-18": Symptom(what="^answer to ADD_PARTITION_TO_TXN$", expected="^success$", error="InvalidTxnStatus")},
    story="A client that adds a topic again, since it did not hear the answer, is told that it may not.",
    origin="textbook: a repetition held for a mistake",
    parts=Parts(coordinator=_WantsNewTopics),
)

SECOND_ADDITION_REPLACES = Defect(
    name="pulsar-second-addition-replaces",
    breaks={"PIP31-18": Symptom(what="^readers of payments$", expected='^"a2"$', seen="^nothing$")},
    story="A topic that is added pushes out those that were added before.",
    origin="textbook: a list that is set where it should grow",
    parts=Parts(coordinator=_KeepsTheLatestTopics),
)

UNKNOWN_TAKEN_FOR_ENDED = Defect(
    name="pulsar-unknown-taken-for-ended",
    breaks={"PIP31-19": Symptom(what="^answer to ADD_SUBSCRIPTION_TO_TXN$", expected="TransactionNotFound", error="InvalidTxnStatus")},
    story="A client that adds a subscription to a transaction which does not exist is told that it has the wrong state.",
    origin="textbook: no entry held for one that is not open",
    parts=Parts(coordinator=_TakesTheUnknownForEnded),
)

SUBSCRIPTIONS_FORGOTTEN_BY_CRASH = Defect(
    name="pulsar-subscriptions-in-memory-only",
    breaks={"PIP31-20": Symptom(what="^left for workers$", expected='^"i2"$', seen='^"i1", "i2"$')},
    story="Who takes part in an open transaction is known in memory only, so that its commit deletes nothing after a crash.",
    origin="textbook: a state that recovery forgets",
    parts=Parts(transaction_log=_LogsNoParticipants),
)

FIRST_SUBSCRIPTION_ONLY = Defect(
    name="pulsar-first-subscription-only",
    breaks={"PIP31-20": Symptom(what="^left for auditors$", expected='^"i2"$', seen='^"i1", "i2"$')},
    story="Of several subscriptions in one request only the first is added, and the answer says that all are.",
    origin="textbook: only tried with one",
    parts=Parts(coordinator=_TakesTheFirstSubscription),
)

SUBSCRIPTION_ADDED_TO_THE_ENDED = Defect(
    name="pulsar-subscription-added-to-the-ended",
    breaks={"PIP31-21": Symptom(what="^answer to ADD_SUBSCRIPTION_TO_TXN$", expected="^a refusal$", seen="^success$")},
    story="A subscription is added to a transaction whose end is decided, and nobody will tell the subscription of it.",
    origin="textbook: a look-up that does not ask for the state",
    parts=Parts(coordinator=_AddsSubscriptionsToTheEnded),
)


class _IsContentWithOneThatIsThere(LogCoordinator):
    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        super().add_partitions(txn, () if set(names) & set(self.describe(txn).partitions) else names)

    def add_subscriptions(self, txn: TxnId, names: tuple[SubscriptionName, ...]) -> None:
        super().add_subscriptions(txn, () if set(names) & set(self.describe(txn).subscriptions) else names)


ONE_THAT_IS_THERE_IS_ENOUGH = Defect(
    name="pulsar-one-that-is-there-is-enough",
    breaks={
        "PIP31-18": Symptom(what="^readers of payments$", expected='^"a2"$', seen="^nothing$"),
        "PIP31-87": Symptom(what="late.?$", expected="^nothing$", seen='^("i1"|something of .*)$'),
    },
    story="A request of which one participant is there already is taken for one that was sent again, and the others are not added.",
    origin="textbook: any where all was meant",
    parts=Parts(coordinator=_IsContentWithOneThatIsThere),
)
