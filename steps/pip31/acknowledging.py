"""Acknowledging, in a transaction or without, and what a subscription's consumer is given afterwards.

What nobody is given is shown by a sentinel: a message outside of transactions, sent after the question. Once it has come, together
with all that must come, what has not come is not on its way.
"""

from dataclasses import dataclass, field

import pytest
from pytest_bdd import given, parsers, then, when

from fencepost.adapters.pulsar.values import AckKind, Consumer, MessageId, Subscription, SubscriptionType
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.steps.outcomes import achieved, observed, unanswered

from .ground import SENTINEL, World
from .setting import VALUES, values_of

_CONFLICT = 23
_ROOM = 1_000


@dataclass
class Subscriber:
    """A subscription of a topic, the consumer that it has now, and the messages that it was given, by their values."""

    topic: str
    subscription: Subscription
    consumer: Consumer
    ids: dict[str, MessageId] = field(default_factory=dict)


@dataclass
class Acknowledging:
    """The subscriptions of one scenario."""

    world: World
    subscribers: dict[str, Subscriber] = field(default_factory=dict)

    def subscribe(self, name: str, topic: str, kind: SubscriptionType) -> Subscriber:
        """A subscription from the first message on, with a consumer."""
        subscription = Subscription(self.world.topics[topic], name)
        consumer = achieved(self.world.probe.subscribe(subscription.topic, name, kind), f"subscribing {name} to {topic}")
        self.subscribers[name] = Subscriber(topic, subscription, consumer)
        return self.subscribers[name]

    def acknowledge(self, transaction: str | None, name: str, values: list[str], kind: AckKind = AckKind.INDIVIDUAL) -> Outcome[None]:
        """Acknowledge messages, in a transaction that has the subscription added or in none."""
        one = self.subscribers[name]
        ids = [one.ids[value] for value in values]
        if transaction is None:
            return self.world.probe.acknowledge(one.consumer, ids, kind=kind)
        txn = self.world.id_of(transaction)
        achieved(self.world.probe.add_subscriptions(txn, [one.subscription]), f"adding {name} to the transaction {transaction}")
        return self.world.probe.acknowledge(one.consumer, ids, kind=kind, transaction=txn)

    def replace_consumer(self, name: str, room: int = _ROOM) -> None:
        """The consumer leaves, and then another one comes, who takes so many messages at a time."""
        one = self.subscribers[name]
        achieved(self.world.probe.close_consumer(one.consumer), f"closing the consumer of {name}")
        subscribed = self.world.probe.subscribe(one.subscription.topic, name, one.consumer.type, permits=room)
        one.consumer = achieved(subscribed, f"subscribing {name} again")

    def given(self, name: str, expected: list[str]) -> list[str]:
        """What the consumer has been given since somebody last looked, once a sentinel and all that is expected have come."""
        self.world.pulsar.await_ends()
        one = self.subscribers[name]
        sentinel = self.world.sentinel(one.topic)
        awaited = {sentinel, *expected}
        taken: list[str] = []
        for _ in self.world.session.time.attempts():
            taken += [message.value for message in observed(self.world.probe.received(one.consumer), f"reading as {name}")]
            if awaited <= set(taken):
                break
        found = sorted(value for value in taken if not value.startswith(SENTINEL))
        return found if sentinel in taken else [*found, "not even the sentinel"]


@pytest.fixture
def acks(world: World) -> Acknowledging:
    """The subscriptions of this scenario."""
    return Acknowledging(world)


@given(parsers.re(rf'(?P<kind>exclusive )?subscription "(?P<name>\w+)" has been given (?:(?P<values>{VALUES})|nothing) of (?P<topic>\w+)$'))
def has_been_given(acks: Acknowledging, kind: str | None, name: str, values: str | None, topic: str) -> None:
    """Its consumer has received these messages and acknowledged none. Consumers share a subscription that is not exclusive."""
    one = acks.subscribe(name, topic, SubscriptionType.EXCLUSIVE if kind else SubscriptionType.SHARED)
    expected = values_of(values or "")
    for _ in expected:
        message = achieved(acks.world.probe.receive(one.consumer), f"receiving {values} as {name}")
        one.ids[message.value] = message.id
    assert sorted(one.ids) == sorted(expected), f"{name} was given {sorted(one.ids)}"


@given(parsers.re(rf'(?P<transaction>[A-Z]) has acknowledged (?P<values>{VALUES}) for "(?P<name>\w+)"$'))
def has_acknowledged(acks: Acknowledging, transaction: str, values: str, name: str) -> None:
    """In the transaction, which is open and has the subscription added."""
    achieved(acks.acknowledge(transaction, name, values_of(values)), f"acknowledging {values} in {transaction}")


@given(parsers.re(r'(?P<transaction>[A-Z]) has acknowledged everything up to "(?P<value>[^"]+)" for "(?P<name>\w+)"$'))
def has_acknowledged_up_to(acks: Acknowledging, transaction: str, value: str, name: str) -> None:
    """A cumulative acknowledgement in the transaction."""
    achieved(acks.acknowledge(transaction, name, [value], AckKind.CUMULATIVE), f"acknowledging up to {value} in {transaction}")


@given(parsers.re(rf'(?P<values>{VALUES}) (?:has|have) been acknowledged for "(?P<name>\w+)" in no transaction$'))
def has_been_acknowledged(acks: Acknowledging, values: str, name: str) -> None:
    """A plain acknowledgement, which was answered."""
    achieved(acks.acknowledge(None, name, values_of(values)), f"acknowledging {values}")


@given(parsers.re(rf'(?P<transaction>[A-Z]) has tried to acknowledge (?P<values>{VALUES}) for "(?P<name>\w+)"$'))
def has_tried(acks: Acknowledging, transaction: str, values: str, name: str) -> None:
    """One request for all of them, whatever came of it."""
    acks.acknowledge(transaction, name, values_of(values))


@given(parsers.re(r'(?P<transaction>[A-Z]) has tried to acknowledge everything up to "(?P<value>[^"]+)" for "(?P<name>\w+)"$'))
def has_tried_up_to(acks: Acknowledging, transaction: str, value: str, name: str) -> None:
    """A cumulative acknowledgement, whatever came of it."""
    acks.acknowledge(transaction, name, [value], AckKind.CUMULATIVE)


@given(parsers.re(r'another consumer has taken over "(?P<name>\w+)"$'))
def has_taken_over(acks: Acknowledging, name: str) -> None:
    """The consumer has closed, and the next one subscribed."""
    acks.replace_consumer(name)


@when(parsers.re(rf'(?P<transaction>[A-Z]) acknowledges (?P<values>{VALUES}) for "(?P<name>\w+)"$'))
def acknowledges(acks: Acknowledging, transaction: str, values: str, name: str) -> None:
    """One request for all of them, in the transaction."""
    acks.world.ask(acks.acknowledge(transaction, name, values_of(values)))


@when(parsers.re(r'(?P<transaction>[A-Z]) acknowledges everything up to "(?P<value>[^"]+)" for "(?P<name>\w+)"$'))
def acknowledges_up_to(acks: Acknowledging, transaction: str, value: str, name: str) -> None:
    """A cumulative acknowledgement in the transaction."""
    acks.world.ask(acks.acknowledge(transaction, name, [value], AckKind.CUMULATIVE))


@when(parsers.re(r'the consumer of "(?P<name>\w+)" asks for everything again$'))
def asks_for_everything(acks: Acknowledging, name: str) -> None:
    """It gives back all that it has not acknowledged. There is no answer to that."""
    achieved(acks.world.probe.redeliver(acks.subscribers[name].consumer), f"asking for everything again as {name}")


@when(parsers.re(rf'the consumer of "(?P<name>\w+)" asks for (?P<values>{VALUES}) again$'))
def asks_for(acks: Acknowledging, name: str, values: str) -> None:
    """It gives these back, by their ids."""
    one = acks.subscribers[name]
    achieved(acks.world.probe.redeliver(one.consumer, [one.ids[value] for value in values_of(values)]), f"asking for {values} again")


@when(parsers.re(r'another consumer takes over "(?P<name>\w+)"(?:, with room for (?P<room>\d+) messages)?$'))
def takes_over(acks: Acknowledging, name: str, room: str | None) -> None:
    """The consumer closes, and the next one subscribes. With little room, it asks for more only as it is given messages."""
    acks.replace_consumer(name, int(room) if room else _ROOM)


@then(parsers.re(rf'the consumer of "(?P<name>\w+)" is given (?P<values>{VALUES}) and nothing else$'))
def is_given(acks: Acknowledging, name: str, values: str) -> None:
    """Since the last look: each once, in whatever order."""
    _judge(acks, name, values_of(values), f"the consumer of {name} is given {values} and nothing else")


@then(parsers.re(rf'subscription "(?P<name>\w+)" has (?:(?P<values>{VALUES})|nothing) left$'))
def has_left(acks: Acknowledging, name: str, values: str | None) -> None:
    """The consumer leaves, and the next one is given these, each once and in whatever order, and no others."""
    acks.world.pulsar.await_ends()
    acks.replace_consumer(name)
    _judge(acks, name, values_of(values or ""), f"{values or 'nothing'} is left for {name}")


@then(parsers.re(r'"(?P<value>[^"]+)" is left for subscription "(?P<name>\w+)"$'))
def is_left(acks: Acknowledging, name: str, value: str) -> None:
    """The consumer leaves, and the next one is given this message, among others or alone."""
    acks.world.pulsar.await_ends()
    acks.replace_consumer(name)
    found = acks.given(name, [value])
    acks.world.evidence.expect(value in found, f"{value} is left for {name}", f"{found or 'nothing'}")


@then("it is refused as a conflict")
def is_a_conflict(acks: Acknowledging) -> None:
    """The acknowledgement was answered with a transaction conflict."""
    match acks.world.pulsar.answer:
        case Unknown() as unknown:
            unanswered(unknown, "acknowledging what must be a conflict")
        case answer:
            is_conflict = isinstance(answer, Refused) and answer.code == _CONFLICT
            seen = "success" if isinstance(answer, Done) else str(answer)
            acks.world.evidence.expect(is_conflict, "a refusal as a transaction conflict", seen)


def _judge(acks: Acknowledging, name: str, expected: list[str], what: str) -> None:
    found = acks.given(name, expected)
    acks.world.evidence.expect(found == sorted(expected), what, f"{found or 'nothing'}")
