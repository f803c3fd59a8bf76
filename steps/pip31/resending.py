"""Messages that a producer sends again because it does not know whether they are stored."""

from dataclasses import dataclass, field

import pytest

from fencepost.adapters.pulsar.probe import PulsarProbe
from fencepost.adapters.pulsar.values import Producer, TxnId
from fencepost.steps.outcomes import achieved
from fencepost.steps.pulsar.context import ScenarioContext
from fencepost.steps.pulsar.vocabulary import Participant

from .vocabulary import PIP31


@dataclass
class Sent:
    """The producers of one scenario by their names, with the transaction and the sequence id of the message that each sent."""

    by_producer: dict[str, tuple[Producer, TxnId, int]] = field(default_factory=dict)


@pytest.fixture
def sent() -> Sent:
    """What producers that send again have sent in this scenario."""
    return Sent()


@PIP31.given("producer {producer} has written {value} to {topic} in {transaction}")
def producer_has_written(context: ScenarioContext, sent: Sent, producer: str, value: str, topic: str, transaction: str) -> None:
    """A producer with a name of its own, whose client has nothing else; the message was receipted."""
    txn = context.take_part(transaction, Participant(topic, is_subscription=False))
    probe: PulsarProbe = context.session.client(f"sender-{producer}")
    opened = achieved(probe.producer(context.topics[topic], name=context.session.unique(producer)), f"opening producer {producer}")
    first = opened.last_sequence_id + 1
    achieved(probe.send(opened, value, transaction=txn, sequence_id=first), f"sending {value} to {topic}")
    sent.by_producer[producer] = (opened, txn, first)


@PIP31.given("producer {producer} has sent {value} again on a new connection")
def producer_has_sent_again(context: ScenarioContext, sent: Sent, producer: str, value: str) -> None:
    """The connection was lost; under its name and with the sequence id that it had, the producer sends its last message once more."""
    opened, txn, sequence_id = sent.by_producer[producer]
    probe: PulsarProbe = context.session.client(f"sender-{producer}")
    probe.close()
    achieved(probe.send(opened, value, transaction=txn, sequence_id=sequence_id), f"sending {value} again")
