"""Given: topics, subscriptions, transactions, and what has happened in them so far."""

import re

import pytest
from pytest_bdd import given, parsers

from fencepost.adapters.ports import Session
from fencepost.adapters.pulsar.values import Action, Status
from fencepost.evidence import Evidence, SetUpFailed
from fencepost.steps.outcomes import achieved

from .world import PulsarWorld

VALUES = r'"[^"]+"(?:, "[^"]+")*'
LONG_MS = 60_000
SHORT_MS = 2_000
"""Long enough for a few requests, and over while a scenario waits."""


def values_of(text: str) -> list[str]:
    """`"a", "b"` as a list."""
    return re.findall(r'"([^"]+)"', text)


def action_of(word: str) -> Action:
    """`committed` or `aborted`, as the wire has it."""
    return Action.COMMIT if word == "committed" else Action.ABORT


@pytest.fixture
def pulsar(fencepost_session: Session, fencepost_evidence: Evidence) -> PulsarWorld:
    """The state of this scenario."""
    return PulsarWorld(fencepost_session, fencepost_evidence)


@given(parsers.re(r'(?:a topic|topics) "(?P<one>\w+)"(?: and "(?P<other>\w+)")?$'))
def topics(pulsar: PulsarWorld, one: str, other: str | None) -> None:
    """Empty topics that only this scenario uses."""
    for name in filter(None, (one, other)):
        achieved(pulsar.log.create(name), f"making the topic {name}")


@given(parsers.re(r'a subscription "(?P<name>\w+)" of (?P<topic>\w+)$'))
def subscription(pulsar: PulsarWorld, name: str, topic: str) -> None:
    """A subscription from the earliest message on, with no consumer connected."""
    wanted = pulsar.subscription(name, topic)
    consumer = achieved(pulsar.client.subscribe(wanted.topic, wanted.name), f"subscribing {wanted}")
    achieved(pulsar.client.close_consumer(consumer), f"closing the consumer of {wanted}")


@given(parsers.re(r"transactions? (?P<one>[A-Z])(?: and (?P<other>[A-Z]))?(?P<short> with a short time-out)?$"))
def transactions(pulsar: PulsarWorld, one: str, other: str | None, short: str | None) -> None:
    """Open transactions without participants."""
    for name in filter(None, (one, other)):
        pulsar.begin(name, SHORT_MS if short else LONG_MS)


@given(parsers.re(r"(?P<topic>\w+) was added to (?P<name>[A-Z])$"))
def topic_was_added(pulsar: PulsarWorld, topic: str, name: str) -> None:
    """The coordinator knows that the transaction will write to the topic."""
    pulsar.add_topic(name, pulsar.topic(topic))


@given(parsers.re(rf"(?P<values>{VALUES}) (?:was|were) sent to (?P<topic>\w+)(?: in (?P<name>[A-Z]))?$"))
def were_sent(pulsar: PulsarWorld, values: str, topic: str, name: str | None) -> None:
    """Each message was receipted; the topic was added to the transaction before."""
    if name:
        pulsar.add_topic(name, pulsar.topic(topic))
    for value in values_of(values):
        achieved(pulsar.send(value, topic, name), f"sending {value} to {topic}")


@given(parsers.re(rf"(?P<values>{VALUES}) were sent to (?P<topic>\w+), and transaction (?P<name>[A-Z]) was begun$"))
def were_sent_before(pulsar: PulsarWorld, values: str, topic: str, name: str) -> None:
    """Messages outside of transactions, and then an open transaction without participants."""
    were_sent(pulsar, values, topic, None)
    pulsar.begin(name, LONG_MS)


@given(parsers.re(r'"(?P<value>[^"]+)" of (?P<topic>\w+) was acknowledged for "(?P<group>\w+)" in (?P<name>[A-Z])$'))
def was_acknowledged(pulsar: PulsarWorld, value: str, topic: str, group: str, name: str) -> None:
    """A consumer of the subscription got the message and acknowledged it in the transaction; then the consumer was closed."""
    subscription = pulsar.subscription(group, topic)
    pulsar.add_subscription(name, subscription)
    consumer = achieved(pulsar.client.subscribe(subscription.topic, subscription.name), f"subscribing {subscription}")
    received = achieved(pulsar.client.receive_until(consumer, value), f"receiving {value} of {topic}")
    achieved(
        pulsar.client.acknowledge(consumer, [received[-1].id], transaction=pulsar.transactions[name].id), f"acknowledging {value} in {name}"
    )
    achieved(pulsar.client.close_consumer(consumer), f"closing the consumer of {subscription}")


@given(parsers.re(r"(?P<name>[A-Z]) was (?P<how>committed|aborted)$"))
def was_ended(pulsar: PulsarWorld, name: str, how: str) -> None:
    """The transaction has ended at all its participants."""
    achieved(pulsar.end(name, action_of(how)), f"ending {name}")
    pulsar.await_ends()


@given("the broker crashed and came back")
def crashed(pulsar: PulsarWorld) -> None:
    """A power cut, and a start with what was durable."""
    pulsar.session.faults.crash()
    pulsar.session.faults.restart()


@given(parsers.re(r"the end of (?P<name>[A-Z]) is held back$"))
def is_held_back(pulsar: PulsarWorld, name: str) -> None:
    """One more topic of the transaction is terminated, so its part cannot be ended until the topic is deleted.

    A message of the transaction is in it, for an abort may pass by a topic that has none.
    """
    holder = f"holder{name}"
    achieved(pulsar.log.create(holder), "making the topic that holds the end back")
    were_sent(pulsar, '"held"', holder, name)
    achieved(pulsar.client.terminate_topic(pulsar.topic(holder)), "terminating the topic that holds the end back")
    pulsar.transactions[name].holder = holder


@given(parsers.re(r"(?P<name>[A-Z]) was (?P<how>committed|aborted) without waiting$"))
def was_ended_without_waiting(pulsar: PulsarWorld, name: str, how: str) -> None:
    """The end was decided, and something holds it back; the answer to it may be still to come."""
    action = action_of(how)
    pulsar.begin_end(name, action)
    decided = Status.COMMITTING if action is Action.COMMIT else Status.ABORTING
    found = pulsar.await_status(name, decided)
    if found is not decided:
        raise SetUpFailed(f"the end of {name} is held back, and it should be {decided.name}; it is {found.name if found else 'gone'}")
