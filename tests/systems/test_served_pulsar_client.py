"""The official Python client on the served reference, next to transactions of the kit's own probe.

The client has no transactions. What it writes and reads is what users have next to transactions: batches, keys, properties, readers,
acknowledgements; and a transaction is to it what it is to every consumer, everything at once or nothing.
"""

from collections.abc import Iterator

import pulsar
import pytest
from pulsar_clients import session
from served import Command, serve_command
from succeeded import value_of

from fencepost.adapters.pulsar.probe import PulsarProbe
from fencepost.adapters.pulsar.pulsar_values import TxnAction, persistent
from fencepost.contract.outcomes import Done
from fencepost.reference.pulsar import PulsarProfile

PATIENCE_MS = 30_000


@pytest.fixture(scope="module", params=PulsarProfile.names())
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Command]:
    with serve_command(tmp_path_factory.mktemp("served"), "--profile", request.param, system="pulsar") as command:
        yield command
        assert "Traceback" not in command.log.read_text()


@pytest.fixture
def client(served: Command) -> Iterator[pulsar.Client]:
    quiet = pulsar.ConsoleLogger(pulsar.LoggerLevel.Error)
    client = pulsar.Client(f"pulsar://127.0.0.1:{served.port}", logger=quiet, operation_timeout_seconds=PATIENCE_MS // 1000)
    yield client
    client.close()


@pytest.fixture
def probe(served: Command) -> Iterator[PulsarProbe]:
    ours = session(served.port, served.admin_port)
    yield ours.client("probe")
    ours.close()


def written(probe: PulsarProbe, topic: str, value: str, action: TxnAction) -> None:
    """One message in a separate transaction."""
    producer, txn = probe.producer(persistent(topic)), probe.new_transaction()
    assert isinstance(producer, Done)
    assert isinstance(txn, Done)
    value_of(probe.add_topics(txn.value, [persistent(topic)]))
    value_of(probe.send(producer.value, value, transaction=txn.value))
    value_of(probe.end(txn.value, action))
    value_of(probe.close_producer(producer.value))


def _unasked(*_: object) -> None:
    """What became of a message is seen where it is read."""


def values(consumer: pulsar.Consumer, last: bytes) -> list[bytes]:
    """What the consumer gets up to the last that is due, acknowledged."""
    seen: list[bytes] = []
    while last not in seen:
        message = consumer.receive(PATIENCE_MS)
        seen.append(message.data())
        consumer.acknowledge(message)
    return seen


@pytest.mark.parametrize("batching", [False, True])
def test_what_it_produces_it_consumes_next_to_transactions(client: pulsar.Client, probe: PulsarProbe, batching: bool) -> None:
    """Its own messages and the committed ones come in their order, and the aborted one does not."""
    topic = f"beside-{batching}"
    consumer = client.subscribe(topic, "s", initial_position=pulsar.InitialPosition.Earliest)
    producer = client.create_producer(topic, batching_enabled=batching)
    for value in (b"a", b"b", b"c"):
        producer.send_async(value, _unasked, properties={"k": "v"}, partition_key="key")
    producer.flush()
    written(probe, topic, "committed", TxnAction.COMMIT)
    written(probe, topic, "aborted", TxnAction.ABORT)
    producer.send(b"last")

    assert values(consumer, b"last") == [b"a", b"b", b"c", b"committed", b"last"]


def test_what_it_did_not_acknowledge_is_redelivered(client: pulsar.Client) -> None:
    """To the next consumer of the subscription; properties and key are as they were sent."""
    producer = client.create_producer("again")
    producer.send(b"a", properties={"k": "v"}, partition_key="key")
    producer.send(b"b")
    first = client.subscribe("again", "s", initial_position=pulsar.InitialPosition.Earliest)
    first.acknowledge(first.receive(PATIENCE_MS))
    first.receive(PATIENCE_MS)
    first.close()
    producer.send(b"c", properties={"k": "v"}, partition_key="key")

    second = client.subscribe("again", "s")
    assert second.receive(PATIENCE_MS).data() == b"b"
    message = second.receive(PATIENCE_MS)
    assert (message.data(), message.properties(), message.partition_key()) == (b"c", {"k": "v"}, "key")


def test_a_reader_reads_to_the_end_and_begins_again_where_it_is_reported(client: pulsar.Client, probe: PulsarProbe) -> None:
    """From the earliest message on, from one in the middle of a batch, and from the latest; it knows when there is no more.

    The end is one that this client can recognise: of a message that a transaction committed PIP-31's text has the number in the transaction
    in the id, in the place of the index in a batch, and this client forgets the index of what is no batch.
    """
    producer = client.create_producer("read", batching_enabled=True)
    for value in (b"a", b"b", b"c"):
        producer.send_async(value, _unasked)
    producer.flush()
    written(probe, "read", "aborted", TxnAction.ABORT)
    written(probe, "read", "d", TxnAction.COMMIT)
    producer.send(b"e")
    reader = client.create_reader("read", pulsar.MessageId.earliest)
    seen = []
    while reader.has_message_available():
        seen.append(reader.read_next(PATIENCE_MS))

    assert [message.data() for message in seen] == [b"a", b"b", b"c", b"d", b"e"]
    assert client.create_reader("read", seen[1].message_id()).read_next(PATIENCE_MS).data() == b"c"
    assert not client.create_reader("read", pulsar.MessageId.latest).has_message_available()


def test_a_subscription_is_sought_and_removed(client: pulsar.Client) -> None:
    """It begins again at the place of the seek; a removed subscription begins like a new one."""
    producer = client.create_producer("sought")
    for value in (b"a", b"b"):
        producer.send(value)
    consumer = client.subscribe("sought", "s", initial_position=pulsar.InitialPosition.Earliest)
    assert values(consumer, b"b") == [b"a", b"b"]
    consumer.seek(pulsar.MessageId.earliest)
    assert values(consumer, b"b") == [b"a", b"b"]
    consumer.unsubscribe()
    consumer = client.subscribe("sought", "s", initial_position=pulsar.InitialPosition.Earliest)
    assert values(consumer, b"b") == [b"a", b"b"]


def test_a_partitioned_topic_is_written_and_read_as_one(client: pulsar.Client, probe: PulsarProbe) -> None:
    """The broker reports its number of partitions, and every partition is looked up."""
    value_of(probe.create_partitioned_topic(persistent("wide"), 3))
    assert len(client.get_topic_partitions("wide")) == 3
    producer = client.create_producer("wide")
    consumer = client.subscribe("wide", "s", initial_position=pulsar.InitialPosition.Earliest)
    for number in range(9):
        producer.send(str(number).encode())

    assert sorted(consumer.receive(PATIENCE_MS).data() for _ in range(9)) == [str(number).encode() for number in range(9)]
