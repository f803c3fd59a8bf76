"""What a scenario of PIP-31 knows: its transactions by name, their participants, its producers, and the last answer.

Whatever a transaction touches is added to it before, once, as the proposal's clients do.
"""

from dataclasses import dataclass, field

from fencepost.adapters.core import TransactionalLog
from fencepost.adapters.ports import Done, Outcome, Refused, Session
from fencepost.adapters.pulsar.probe import PulsarProbe
from fencepost.adapters.pulsar.values import Action, MessageId, PendingEnd, Producer, Status, Subscription, TxnId, persistent
from fencepost.evidence import Evidence
from fencepost.steps.outcomes import achieved, observed

GONE = 404
"""What the coordinator's metadata says of a transaction that it has forgotten."""


@dataclass
class Transaction:
    """A transaction of the scenario, and what was added to it so far."""

    id: TxnId
    timeout_ms: int
    asked_ms: float
    """When its beginning was asked for, by the session's clock."""
    added: set[str | Subscription] = field(default_factory=set)
    is_over: bool = False
    """Its end was asked for, so it is waited for before anybody looks."""
    holder: str | None = None
    """The topic that keeps its end from being complete."""
    ending: PendingEnd | None = None
    """An end that is on its way because something holds it back."""


@dataclass
class PulsarWorld:
    """The state of one scenario."""

    session: Session
    evidence: Evidence
    transactions: dict[str, Transaction] = field(default_factory=dict)
    producers: dict[str, Producer] = field(default_factory=dict)
    answer: Outcome[object] | None = None
    log: TransactionalLog = field(init=False)

    def __post_init__(self) -> None:
        self.log = self.session.transactional_log()

    @property
    def client(self) -> PulsarProbe:
        """The client that does everything but look."""
        probe: PulsarProbe = self.session.client("client")
        return probe

    def topic(self, name: str) -> str:
        """A topic of the scenario by its full name."""
        return persistent(self.session.unique(name))

    def subscription(self, name: str, topic: str) -> Subscription:
        """A subscription of the scenario by its full names."""
        return Subscription(self.topic(topic), self.session.unique(name))

    def begin(self, name: str, timeout_ms: int) -> None:
        """Begin a transaction and remember it by that name."""
        asked_ms = self.session.time.now_ms()
        begun = achieved(self.client.new_transaction(timeout_ms), f"beginning transaction {name}")
        self.transactions[name] = Transaction(begun, timeout_ms, asked_ms)

    def add_topic(self, name: str, topic: str) -> None:
        """Add a topic to a transaction that does not have it."""
        transaction = self.transactions[name]
        if topic not in transaction.added:
            achieved(self.client.add_topics(transaction.id, [topic]), f"adding {topic} to {name}")
            transaction.added.add(topic)

    def add_subscription(self, name: str, subscription: Subscription) -> None:
        """Add a subscription to a transaction that does not have it."""
        transaction = self.transactions[name]
        if subscription not in transaction.added:
            achieved(self.client.add_subscriptions(transaction.id, [subscription]), f"adding {subscription} to {name}")
            transaction.added.add(subscription)

    def send(self, value: str, topic: str, name: str | None) -> Outcome[MessageId]:
        """One message to a topic, in a transaction or in none. The transaction must have the topic."""
        full = self.topic(topic)
        if full not in self.producers:
            self.producers[full] = achieved(self.client.producer(full), f"becoming a producer of {topic}")
        return self.client.send(self.producers[full], value, transaction=self.transactions[name].id if name else None)

    def end(self, name: str, action: Action) -> Outcome[None]:
        """Ask for the end of a transaction and wait for the answer."""
        self.transactions[name].is_over = True
        return self.client.end(self.transactions[name].id, action)

    def begin_end(self, name: str, action: Action) -> None:
        """Ask for the end of a transaction on a connection of its own; the answer may be long in coming."""
        transaction = self.transactions[name]
        ender: PulsarProbe = self.session.client("ender")
        transaction.ending = achieved(ender.begin_end(transaction.id, action), f"asking for the end of {name}")
        transaction.is_over = True

    def status(self, name: str) -> Status | None:
        """How the coordinator says that a transaction stands; None when it knows it no more."""
        outcome = self.client.transaction(self.transactions[name].id)
        match outcome:
            case Done(metadata):
                return metadata.status
            case Refused(code=code) if code == GONE:
                return None
            case trouble:
                return observed(trouble, f"asking how {name} stands").status

    def await_status(self, name: str, *wanted: Status | None) -> Status | None:
        """How a transaction stands once it is as wanted, or when patience ends."""
        status = self.status(name)
        for _ in self.session.time.attempts():
            if status in wanted:
                break
            status = self.status(name)
        return status

    def await_ends(self) -> None:
        """Wait until every end that was asked for has reached all; one that is held back is not waited for.

        When patience ends first, the sentence that follows judges what there is.
        """
        for name, transaction in self.transactions.items():
            if transaction.is_over and transaction.holder is None:
                self.await_status(name, Status.COMMITTED, Status.ABORTED, None)
