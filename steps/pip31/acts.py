"""When: the one thing that is asked."""

from pytest_bdd import parsers, when

from fencepost.steps.outcomes import achieved

from .setting import VALUES, action_of, values_of
from .world import PulsarWorld


@when(parsers.re(r"(?P<name>[A-Z]) is (?P<how>committed|aborted)(?: again)?$"))
def is_ended(pulsar: PulsarWorld, name: str, how: str) -> None:
    """END_TXN for a transaction, or once more for one that was ended."""
    pulsar.answer = pulsar.end(name, action_of(how))


@when(parsers.re(r"(?P<name>[A-Z]) is (?P<how>committed|aborted), and the broker crashes right after the answer$"))
def is_ended_and_crashes(pulsar: PulsarWorld, name: str, how: str) -> None:
    """The end was answered with success; then a power cut, and a start with what was durable."""
    pulsar.answer = pulsar.end(name, action_of(how))
    achieved(pulsar.answer, f"ending {name}")
    pulsar.session.faults.crash()
    pulsar.session.faults.restart()


@when(parsers.re(rf"(?P<values>{VALUES}) (?:is|are) sent to (?P<topic>\w+)(?: in (?P<name>[A-Z]))?$"))
def is_sent(pulsar: PulsarWorld, values: str, topic: str, name: str | None) -> None:
    """Messages, of which each must be receipted before the next; the topic is added to the transaction if it is not yet."""
    if name and not pulsar.transactions[name].is_over:
        pulsar.add_topic(name, pulsar.topic(topic))
    for value in values_of(values):
        pulsar.answer = pulsar.send(value, topic, name)


@when(parsers.re(r"(?P<topic>\w+) is added to (?P<name>[A-Z])$"))
def topic_is_added(pulsar: PulsarWorld, topic: str, name: str) -> None:
    """ADD_PARTITION_TO_TXN, also for a topic that the transaction has."""
    pulsar.answer = pulsar.client.add_topics(pulsar.transactions[name].id, [pulsar.topic(topic)])
