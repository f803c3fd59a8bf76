"""The subscriptions of a scenario, and what the consumer of each receives.

A sentinel shows that a message is not delivered: a message outside of transactions, sent after the question. Once it has arrived, together
with all expected messages, no other message is in flight. Where an open transaction blocks the readers of the topic, the sentinel does not
arrive; then the broker reports up to where it has read for the consumer.

Pulsar delivers at least once: a message that a consumer of the subscription has received before, and that is redelivered, may arrive more
than once, and counts once. A message that arrives for the first time counts as often as it arrives.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from fencepost.adapters.pulsar.pulsar_values import ConsumerHandle, InitialPosition, MessageId, Received, SubscriptionHandle, SubType
from fencepost.contract.outcomes import Done
from fencepost.steps.named import NamedThings
from fencepost.steps.step_outcomes import achieved, observed

from .topics import NO_SENTINEL, ScenarioTopics, is_sentinel

_PERMITS = 1_000
"""More messages than any scenario has."""

_FOLLOWS_WITHIN_S = 5.0
"""A subscription has applied an end by then. Pulsar 5.0.0-M1 on a busy machine takes some tens of milliseconds."""

Identity: TypeAlias = tuple[str, MessageId]
"""Payload and id. Batches of one transaction may have the same id, which is then the place of its commit and the place in the batch."""


def identity(message: Received) -> Identity:
    """What distinguishes a message from others of the scenario."""
    return message.value, message.id


@dataclass
class Subscriber:
    """A subscription of a topic, its current consumer, and the messages that this has received, by their payloads."""

    topic: str
    subscription: SubscriptionHandle
    consumer: ConsumerHandle
    ids: dict[str, MessageId] = field(default_factory=dict)
    is_removed: bool = False
    """The subscription was removed, with its consumer; the next consumer makes one of that name."""


@dataclass
class Subscriptions:
    """The subscriptions of one scenario."""

    topics: ScenarioTopics
    by_name: dict[str, Subscriber] = field(
        default_factory=lambda: NamedThings(
            "subscription", 'Given the consumer of shared subscription "workers" has received "i1" from inputs'
        )
    )
    looked_at: dict[SubscriptionHandle, set[Identity]] = field(default_factory=dict)
    """What consumers of a subscription had received at the last look."""

    def __getitem__(self, name: str) -> Subscriber:
        return self.by_name[name]

    def id_of(self, name: str, value: str) -> MessageId:
        """The id with which the consumer has received this message, or another consumer of the same topic."""
        alike = [one for one in self.by_name.values() if one.topic == self[name].topic]
        return next(one.ids[value] for one in (self[name], *alike) if value in one.ids)

    def subscribe(
        self,
        name: str,
        topic: str,
        kind: SubType,
        name_there: str,
        *,
        permits: int = _PERMITS,
        initial: InitialPosition = InitialPosition.EARLIEST,
        durable: bool = True,
    ) -> Subscriber:
        """A subscription, from the first message on unless it begins elsewhere, with a consumer. `name_there` is its name in the system."""
        subscription = SubscriptionHandle(self.topics[topic], name_there)
        subscribed = self.topics.transactions.client.subscribe(
            subscription.topic, name_there, kind, permits=permits, initial=initial, durable=durable
        )
        self.by_name[name] = Subscriber(topic, subscription, achieved(subscribed, f"subscribing {name} to {topic}"))
        return self[name]

    def replace_consumer(self, name: str, permits: int | None = None, *, looking: bool = False) -> None:
        """The consumer is closed, and then another one subscribes. With few permits, it requests more only as it receives messages. The
        broker must not refuse a consumer that looks at what is left.
        """
        done = observed if looking else achieved
        client, one = self.topics.transactions.client, self[name]
        if not one.is_removed:
            done(client.close_consumer(one.consumer), f"closing the consumer of {name}")
        subscribed = client.subscribe(one.subscription.topic, one.subscription.name, one.consumer.type, permits=permits or _PERMITS)
        one.consumer = done(subscribed, f"subscribing {name} again")
        one.is_removed = False

    def received(self, name: str, expected: Collection[str]) -> list[str]:
        """What the consumer has received since the last look, sorted, once a sentinel and all expected messages have arrived."""
        transactions, one = self.topics.transactions, self[name]
        transactions.await_ends()
        come = observed(transactions.client.received(one.consumer), f"reading as {name}")  # it subscribes again where it must
        sentinel = self.topics.sentinel(one.topic)
        if self.topics.holds_sentinels_back(one.topic):
            return self._visible(one, come, sentinel, expected)
        awaited = {sentinel, *expected}
        messages = list(come)
        for _ in transactions.session.time.attempts():
            messages += observed(transactions.client.received(one.consumer), f"reading as {name}")
            if awaited <= {message.value for message in messages}:
                break
        taken = self.note(one, messages)
        found = sorted(value for value in taken if not is_sentinel(value))
        return found if sentinel in taken else [*found, NO_SENTINEL]

    def _visible(self, one: Subscriber, come: Sequence[Received], sentinel: str, expected: Collection[str]) -> list[str]:
        """What has arrived, and what still arrives up to where an open transaction blocks the topic. A sealed topic is read until all
        expected messages have arrived: the time at which its end is notified is not known.
        """
        transactions = self.topics.transactions
        taken = list(come)
        for _ in transactions.session.time.attempts():
            taken += observed(transactions.client.receive_visible(one.consumer, sentinel), f"reading {one.topic}")
            if one.topic not in self.topics.sealed or set(expected) <= {message.value for message in taken}:
                break
        return sorted(value for value in self.note(one, taken) if not is_sentinel(value))

    def come(self, name: str, expected: Collection[str]) -> list[str]:
        """What the consumer has received since the last look, sorted, once all expected messages have arrived. Nothing is written."""
        transactions, one = self.topics.transactions, self[name]
        transactions.await_ends()
        taken: list[Received] = []
        for _ in transactions.session.time.attempts():
            taken += observed(transactions.client.received(one.consumer), f"reading as {name}")
            if set(expected) <= {message.value for message in taken}:
                break
        return sorted(value for value in self.note(one, taken) if not is_sentinel(value))

    def without_repetitions(self, one: Subscriber, received: Sequence[Received]) -> list[Received]:
        """These, but only once each message that a consumer of the subscription had received by the last look, or that comes as one that is
        delivered again: it had been sent to a consumer that did not look any more.
        """
        before = {known for alike in self.by_name.values() if alike.subscription == one.subscription for known in alike.ids.items()}
        before |= self.looked_at.get(one.subscription, set())
        named = [identity(message) for message in received]
        first = {one: number for number, one in reversed(list(enumerate(named)))}
        before |= {one for one, number in first.items() if received[number].redelivery_count}
        return [message for number, message in enumerate(received) if named[number] not in before or first[named[number]] == number]

    def note(self, one: Subscriber, received: Sequence[Received]) -> list[str]:
        """The payloads that have arrived until now, without repetitions; at the next look they count as received before."""
        found = [message.value for message in self.without_repetitions(one, received)]
        self.looked_at.setdefault(one.subscription, set()).update(map(identity, received))
        return found

    def left(self, name: str, expected: Collection[str], *, others_may: bool = False) -> list[str]:
        """What the next consumer receives, once this one is closed.

        An end may reach a subscription after its answer. Where the broker does not report what is pending, consumers look for a while until
        nothing else is left.
        """
        self.topics.transactions.await_ends()
        handle, found = self[name].subscription, list[str]()
        before = frozenset(self.looked_at.get(handle, ()))
        for number in self.topics.transactions.session.time.attempts(_FOLLOWS_WITHIN_S):
            if number.bit_count() > 1:  # a look costs a consumer
                continue
            self.looked_at[handle] = set(before)
            self.replace_consumer(name, looking=True)
            found = self.received(name, expected)
            if others_may or set(found) <= {*expected, NO_SENTINEL} or self.pending(name) is not None:
                break
        return found

    def pending(self, name: str) -> tuple[int, int] | None:
        """How many transactions have something pending on the subscription, and how many may have: those that are not over. None where the
        broker does not report it. It is asked until no more have than may, or patience ends.

        A transaction counts once for what it acknowledged one by one, and once for what it acknowledged cumulatively.
        """
        transactions, handle = self.topics.transactions, self[name].subscription
        names = {other for other, one in self.by_name.items() if one.subscription == handle}
        found: tuple[int, int] | None = None
        for _ in transactions.session.time.attempts():
            match transactions.client.pending_ack_stats(handle):
                case Done(stats):
                    may = sum(len(transactions.kinds_pending(one, names)) for one in transactions.by_name) if stats.ongoing else 0
                    found = stats.ongoing, may
                case _:
                    return None
            if found[0] <= found[1]:
                break
        return found
