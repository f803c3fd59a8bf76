"""The subscriptions of a scenario, and what the consumer of each receives.

What nobody is given is shown by a sentinel: a message outside of transactions, sent after the question. Once it has come, together
with all that must come, what has not come is not on its way.
"""

from collections.abc import Collection
from dataclasses import dataclass, field

from fencepost.adapters.pulsar.values import Consumer, MessageId, Subscription, SubscriptionType
from fencepost.steps.outcomes import achieved, observed

from .topics import Topics, is_sentinel

_PERMITS = 1_000
"""As many messages as no scenario has."""


@dataclass
class Subscriber:
    """A subscription of a topic, the consumer that it has now, and the messages that this has received, by their payloads."""

    topic: str
    subscription: Subscription
    consumer: Consumer
    ids: dict[str, MessageId] = field(default_factory=dict)


@dataclass
class Subscriptions:
    """The subscriptions of one scenario."""

    topics: Topics
    by_name: dict[str, Subscriber] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Subscriber:
        return self.by_name[name]

    def subscribe(self, name: str, topic: str, kind: SubscriptionType) -> Subscriber:
        """A subscription from the first message on, with a consumer."""
        subscription = Subscription(self.topics[topic], name)
        subscribed = self.topics.transactions.client.subscribe(subscription.topic, name, kind)
        self.by_name[name] = Subscriber(topic, subscription, achieved(subscribed, f"subscribing {name} to {topic}"))
        return self[name]

    def replace_consumer(self, name: str, permits: int | None = None) -> None:
        """The consumer leaves, and then another one subscribes. With few permits, it asks for more only as it receives messages."""
        client, one = self.topics.transactions.client, self[name]
        achieved(client.close_consumer(one.consumer), f"closing the consumer of {name}")
        subscribed = client.subscribe(one.subscription.topic, name, one.consumer.type, permits=permits or _PERMITS)
        one.consumer = achieved(subscribed, f"subscribing {name} again")

    def received(self, name: str, expected: Collection[str]) -> list[str]:
        """What the consumer has received since somebody last looked, sorted, once a sentinel and all that is expected have come."""
        transactions, one = self.topics.transactions, self[name]
        transactions.await_ends()
        sentinel = self.topics.sentinel(one.topic)
        awaited = {sentinel, *expected}
        taken: list[str] = []
        for _ in transactions.session.time.attempts():
            received = observed(transactions.client.received(one.consumer), f"reading as {name}")
            taken += [message.value for message in received]
            if awaited <= set(taken):
                break
        found = sorted(value for value in taken if not is_sentinel(value))
        return found if sentinel in taken else [*found, "not even the sentinel"]

    def left(self, name: str, expected: Collection[str]) -> list[str]:
        """What the next consumer is given, once this one has left."""
        self.topics.transactions.await_ends()
        self.replace_consumer(name)
        return self.received(name, expected)
