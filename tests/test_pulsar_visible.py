"""What a reader is given: up to its sentinel, or up to where an open transaction stops everybody, however slow the broker is."""

import json
from typing import Any

import pytest
from scripted_pulsar import ScriptedPulsar, session_with

from fencepost.adapters.ports import Done, Outcome, Refused, Unknown
from fencepost.adapters.pulsar.probe import PulsarProbe
from fencepost.adapters.pulsar.values import Consumer
from fencepost.wire.pulsar.admin import AdminAnswer

TOPIC = "persistent://public/default/t"
SLOW_MS = 5_000


@pytest.fixture
def broker() -> ScriptedPulsar:
    """A broker with a topic of two messages, of which the second is a sentinel."""
    return ScriptedPulsar()


@pytest.fixture
def probe(broker: ScriptedPulsar) -> PulsarProbe:
    """A client of it."""
    return session_with(broker).client("c")


@pytest.fixture
def consumer(probe: PulsarProbe) -> Consumer:
    """A consumer of the topic."""
    match probe.subscribe(TOPIC, "s"):
        case Done(consumer):
            return consumer
        case trouble:
            pytest.fail(str(trouble))


def buffer(limit: str) -> AdminAnswer:
    told = {"state": "Ready", "maxReadPosition": limit, "ongoingTxnSize": 0, "totalAbortedTransactions": 0}
    return AdminAnswer(200, json.dumps(told).encode())


def log(**cursor: str) -> AdminAnswer:
    told = {"numberOfEntries": 2, "lastConfirmedEntry": "1:1", "cursors": {"s": {"markDeletePosition": "1:-1", **cursor}}}
    return AdminAnswer(200, json.dumps(told).encode())


def values(outcome: Outcome[Any]) -> list[str]:
    assert isinstance(outcome, Done), outcome
    return [message.value for message in outcome.value]


def test_who_may_read_all_is_awaited_up_to_the_sentinel(broker: ScriptedPulsar, probe: PulsarProbe, consumer: Consumer) -> None:
    """Messages that take seconds are waited for, and what comes behind the sentinel is not asked for."""
    broker.admin_answers = [buffer("1:1"), log()]
    broker.later.append((SLOW_MS, lambda: broker.deliver(consumer.number, 0, "a")))
    broker.later.append((SLOW_MS, lambda: broker.deliver(consumer.number, 1, "sentinel")))

    assert values(probe.receive_visible(consumer, "sentinel")) == ["a", "sentinel"]


def test_who_is_stopped_is_given_what_lies_before(broker: ScriptedPulsar, probe: PulsarProbe, consumer: Consumer) -> None:
    """The broker is awaited until it has read up to the limit for the consumer: what comes late is not missed."""
    broker.admin_answers = [buffer("1:0"), *[log(readPosition="1:0")] * 100, log(readPosition="1:1")]
    broker.later.append((100 * 20, lambda: broker.deliver(consumer.number, 0, "a")))

    assert values(probe.receive_visible(consumer, "sentinel")) == ["a"]


def test_who_is_stopped_is_watched_for_what_must_not_come(broker: ScriptedPulsar, probe: PulsarProbe, consumer: Consumer) -> None:
    """A message from behind the limit is told, as a reader would see it."""
    broker.admin_answers = [buffer("1:0"), log(readPosition="1:1")]
    broker.deliver(consumer.number, 0, "a")
    broker.later.append((200, lambda: broker.deliver(consumer.number, 1, "sentinel")))

    assert values(probe.receive_visible(consumer, "sentinel")) == ["a", "sentinel"]


def test_a_broker_that_does_not_tell_how_far_it_is_is_not_waited_for(
    broker: ScriptedPulsar, probe: PulsarProbe, consumer: Consumer
) -> None:
    """Only the quiet behind the last message tells then that nothing more comes."""
    broker.admin_answers = [buffer("1:0"), log()]
    broker.deliver(consumer.number, 0, "a")

    assert values(probe.receive_visible(consumer, "sentinel")) == ["a"]
    assert broker.now < 1_000


@pytest.mark.parametrize("which", [0, 1])
def test_trouble_with_a_look_is_told(broker: ScriptedPulsar, probe: PulsarProbe, consumer: Consumer, which: int) -> None:
    """Where a position is not known, nothing is said of what readers see."""
    answers: list[AdminAnswer | None] = [buffer("1:0"), log()]
    answers[which] = AdminAnswer(404, b"{}")
    broker.admin_answers = answers

    assert isinstance(probe.receive_visible(consumer, "sentinel"), Refused)


def test_a_lost_connection_is_told(broker: ScriptedPulsar, probe: PulsarProbe, consumer: Consumer) -> None:
    """It is no quiet."""
    broker.admin_answers = [buffer("1:0"), log()]
    broker.hang_up()
    broker.is_up = False

    outcome = probe.receive_visible(consumer, "sentinel")

    assert isinstance(outcome, Unknown)
    assert outcome.lost
