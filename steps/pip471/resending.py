"""Producers with a name whose messages the system refuses."""

from fencepost.adapters.pulsar.probe import PulsarProbe
from fencepost.steps.outcomes import achieved
from fencepost.steps.pip31.resending import Sent
from fencepost.steps.pulsar.context import ScenarioContext
from fencepost.steps.pulsar.vocabulary import Participant

from .vocabulary import PIP471


@PIP471.given("producer {producer} has tried to write {value} to {topic} in {transaction}")
def producer_has_tried_to_write(context: ScenarioContext, sent: Sent, producer: str, value: str, topic: str, transaction: str) -> None:
    """SEND of a producer with a name of its own, whose client has nothing else, whatever came of it. It has the next sequence id, and keeps
    it when the producer sends again."""
    txn = context.take_part(transaction, Participant(topic, is_subscription=False))
    probe: PulsarProbe = context.session.client(f"sender-{producer}")
    opened = achieved(probe.producer(context.topics[topic], name=context.session.unique(producer)), f"opening producer {producer}")
    sequence_id = opened.last_sequence_id + 1
    probe.send(opened, value, transaction=txn, sequence_id=sequence_id)
    sent.by_producer[producer] = (opened, txn, sequence_id)
    sent.last[producer] = sequence_id
