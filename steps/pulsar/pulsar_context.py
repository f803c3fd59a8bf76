"""The state of a scenario on Pulsar: its transactions, topics and subscriptions, and the answer to its When."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from fencepost.adapters.pulsar.probe import PulsarProbe
from fencepost.adapters.pulsar.pulsar_values import MessageId, SubscriptionHandle, TransactionId, TxnAction
from fencepost.contract.evidence import Evidence
from fencepost.contract.outcomes import Done, Outcome, Unknown
from fencepost.contract.ports import Session
from fencepost.steps.settling import settled
from fencepost.steps.step_outcomes import achieved

from .sentence_values import Participant
from .subscriptions import Subscriptions
from .topics import ScenarioTopics
from .transactions import NoAnswerYet, Transactions
from .vocabulary import PULSAR, shown


@dataclass
class PulsarContext:
    """The state of one scenario."""

    session: Session
    evidence: Evidence
    transactions: Transactions
    topics: ScenarioTopics
    subscriptions: Subscriptions
    asked: str = "nothing"
    """The request that the When sent, by its name in the protocol."""
    answer: Outcome[object] | NoAnswerYet | None = None
    unanswered: tuple[str, ...] = ()
    """Requests of the When that were not answered, though later ones on the same connection were."""

    @property
    def client(self) -> PulsarProbe:
        """The client for all requests for which it does not matter which client sends them."""
        return self.transactions.client

    def ask(self, request: str, answer: Outcome[object] | NoAnswerYet) -> None:
        """Keep the outcome of the When."""
        self.asked, self.answer = request, answer

    def expect_messages(self, what: str, expected: Sequence[str], found: Sequence[str]) -> None:
        """Judge the messages that a reader or consumer received, in their order."""
        self.evidence.expect(list(found) == list(expected), shown(expected), shown(found), what=what)

    def look(self, look: Callable[[], Sequence[str]], expected: Sequence[str]) -> Sequence[str]:
        """Look once, or repeatedly where no client can learn when an end has reached all participants."""
        return settled(look, expected, self.session.time, later=self.client.settles_later)

    def id_of(self, name: str) -> TransactionId:
        """The id of a transaction."""
        return self.transactions[name].id

    def subscription(self, name: str) -> SubscriptionHandle:
        """A subscription by its names in the system."""
        return self.subscriptions[name].subscription

    def add(self, transaction: str, participants: tuple[Participant, ...]) -> Outcome[None]:
        """Add topics or subscriptions to a transaction in one request."""
        topics = [self.topics[one.name] for one in participants if not one.is_subscription]
        subscriptions = [self.subscription(one.name) for one in participants if one.is_subscription]
        assert bool(topics) != bool(subscriptions), "one request adds topics or subscriptions"
        txn = self.id_of(transaction)
        answer = self.client.add_topics(txn, topics) if topics else self.client.add_subscriptions(txn, subscriptions)
        if isinstance(answer, Done):
            self.transactions[transaction].participants.update(participants)
        return answer

    def take_part(self, transaction: str, participant: Participant) -> TransactionId:
        """Add a topic or subscription to a transaction that does not have it yet, as clients do before they use it."""
        if participant not in self.transactions[transaction].participants:
            achieved(self.add(transaction, (participant,)), f"adding {participant} to {transaction}")
        return self.id_of(transaction)

    def send(self, transaction: str, topic: str, value: str) -> Outcome[MessageId]:
        """Send a message in a transaction, whether the topic was added to it or not."""
        answer = self.topics.send(topic, value, self.id_of(transaction))
        if isinstance(answer, Done):
            self.transactions[transaction].written.append((topic, value))
        elif isinstance(answer, Unknown):
            self.transactions[transaction].unknown.append(topic)
        return answer


@PULSAR.state
def context(session: Session, evidence: Evidence) -> Iterator[PulsarContext]:
    """The state of this scenario. Transactions that it leaves open are aborted, and ends that it blocks are released and awaited: the low
    watermark of a coordinator, which other scenarios look at, waits for its oldest transaction.
    """
    transactions = Transactions(session)
    topics = ScenarioTopics(transactions)
    context = PulsarContext(session, evidence, transactions, topics, Subscriptions(topics))
    yield context
    for name, transaction in transactions.by_name.items():
        if transaction.unavailable is not None:
            topics.let_go(name)
        if not transaction.is_over:
            context.client.end(transaction.id, TxnAction.ABORT, retry=False)
