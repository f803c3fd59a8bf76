"""Messages that a producer sends again because it does not know whether they are stored."""

from dataclasses import dataclass, field

import pytest
from pytest_bdd import given, parsers

from fencepost.adapters.pulsar.values import Producer, TxnId
from fencepost.steps.outcomes import achieved

from .ground import World


@dataclass
class Resending:
    """The producers of one scenario by their names, with the transaction and the sequence id of the message that each sent."""

    world: World
    sent: dict[str, tuple[Producer, TxnId, int]] = field(default_factory=dict)


@pytest.fixture
def resending(world: World) -> Resending:
    """The producers of this scenario that send again."""
    return Resending(world)


@given(parsers.re(r'the topic "(?P<name>\w+)", where messages are deduplicated$'))
def deduplicated_topic(world: World, name: str) -> None:
    """In a namespace of its own, whose policy is that its topics know again what their producers repeat."""
    namespace = f"public/{world.session.unique(name)}"
    achieved(world.probe.create_namespace(namespace), f"making the namespace {namespace}")
    achieved(world.probe.set_deduplication(namespace, True), f"having {namespace} deduplicated")
    world.create(name, namespace)


@given(parsers.re(r'producer (?P<name>[A-Z]) has written "(?P<value>[^"]+)" to (?P<topic>\w+) in (?P<transaction>[A-Z])$'))
def producer_has_written(resending: Resending, name: str, value: str, topic: str, transaction: str) -> None:
    """A producer with a name of its own, whose client has nothing else; the message was receipted."""
    world = resending.world
    txn = world.add(transaction, topic)
    probe = world.session.client(f"sender-{name}")
    producer = achieved(probe.producer(world.topics[topic], name=world.session.unique(name)), f"opening producer {name}")
    first = producer.last_sequence_id + 1
    achieved(probe.send(producer, value, transaction=txn, sequence_id=first), f"sending {value} to {topic}")
    resending.sent[name] = (producer, txn, first)


@given(parsers.re(r'(?P<name>[A-Z]) has written "(?P<value>[^"]+)" again on a new connection$'))
def has_written_again(resending: Resending, name: str, value: str) -> None:
    """The connection was lost; under its name and with the sequence id that it had, the producer sends its last message once more."""
    producer, txn, sequence_id = resending.sent[name]
    probe = resending.world.session.client(f"sender-{name}")
    probe.close()
    achieved(probe.send(producer, value, transaction=txn, sequence_id=sequence_id), f"sending {value} again")


@given(parsers.re(r"(?P<topic>\w+) has been loaded anew$"))
def has_been_loaded_anew(world: World, topic: str) -> None:
    """The broker has dropped what it had of the topic in memory."""
    achieved(world.probe.unload_topic(world.topics[topic]), f"unloading {topic}")
