"""Clients that people use, against the served reference: each consumes, transforms and produces in transactions.

What is committed is seen by a consumer of committed data, once; what is aborted is seen by no consumer, and its offsets do not count.
"""

import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import confluent_kafka
import confluent_kafka.admin
import pytest
from served import Command, serve_command

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # its own, for how it reads its schemas while being imported
    import kafka
    import kafka.structs

PATIENCE_S = 30.0
SENT = ["a", "b", "c"]


@pytest.fixture(scope="module", params=["seed", "kafka-4.3"])
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Command]:
    with serve_command(tmp_path_factory.mktemp("served"), "--profile", request.param) as command:
        yield command
        assert "Traceback" not in command.log.read_text()


def until(found: Callable[[], bool]) -> None:
    """Repeat until it is so."""
    end = time.monotonic() + PATIENCE_S
    while not found():
        assert time.monotonic() < end, "it did not come"


class Confluent:
    """confluent-kafka, which is librdkafka."""

    def __init__(self, port: int) -> None:
        self.at = {"bootstrap.servers": f"127.0.0.1:{port}"}

    def create(self, *topics: str) -> None:
        admin = confluent_kafka.admin.AdminClient(self.at)
        wanted = [confluent_kafka.admin.NewTopic(topic, num_partitions=1, replication_factor=1) for topic in topics]
        for future in admin.create_topics(wanted).values():
            future.result(PATIENCE_S)

    def send(self, topic: str, values: list[str]) -> None:
        producer = confluent_kafka.Producer(self.at | {"enable.idempotence": True})
        for value in values:
            producer.produce(topic, value)
        assert producer.flush(PATIENCE_S) == 0

    def transform(self, name: str, *, commit: bool) -> None:
        """Read everything from `name-in` and write it in capitals to `name-out`, in one transaction with the offsets."""
        group = {"group.id": name, "auto.offset.reset": "earliest", "enable.auto.commit": False, "isolation.level": "read_committed"}
        consumer = confluent_kafka.Consumer(self.at | group)
        consumer.subscribe([f"{name}-in"])
        producer = confluent_kafka.Producer(self.at | {"transactional.id": name})
        producer.init_transactions(PATIENCE_S)
        producer.begin_transaction()
        moved: list[str] = []

        def move() -> bool:
            message = consumer.poll(0.1)
            if message is not None:
                assert message.error() is None
                moved.append(message.value().decode())
                producer.produce(f"{name}-out", moved[-1].upper())
            return len(moved) == len(SENT)

        until(move)
        positions = consumer.position(consumer.assignment())
        producer.send_offsets_to_transaction(positions, consumer.consumer_group_metadata(), PATIENCE_S)
        if commit:
            producer.commit_transaction(PATIENCE_S)
        else:
            producer.abort_transaction(PATIENCE_S)
        consumer.close()

    def committed(self, name: str) -> int | None:
        """The group's offset; None for none."""
        consumer = confluent_kafka.Consumer(self.at | {"group.id": name})
        (found,) = consumer.committed([confluent_kafka.TopicPartition(f"{name}-in", 0)], PATIENCE_S)
        consumer.close()
        return None if found.offset < 0 else int(found.offset)

    def read(self, topic: str, last: str) -> list[str]:
        """What a consumer of committed data sees, up to a sentinel."""
        consumer = confluent_kafka.Consumer(self.at | {"group.id": "reader", "isolation.level": "read_committed"})
        consumer.assign([confluent_kafka.TopicPartition(topic, 0, 0)])
        seen: list[str] = []

        def look() -> bool:
            message = consumer.poll(0.1)
            if message is not None:
                assert message.error() is None
                seen.append(message.value().decode())
            return last in seen

        until(look)
        consumer.close()
        return seen


class KafkaPython:
    """kafka-python."""

    def __init__(self, port: int) -> None:
        self.at = {"bootstrap_servers": f"127.0.0.1:{port}"}

    def create(self, *topics: str) -> None:
        Confluent(int(self.at["bootstrap_servers"].rpartition(":")[2])).create(*topics)

    def send(self, topic: str, values: list[str]) -> None:
        producer = kafka.KafkaProducer(**self.at)
        for value in values:
            producer.send(topic, value.encode()).get(PATIENCE_S)
        producer.close()

    def transform(self, name: str, *, commit: bool) -> None:
        consumer = kafka.KafkaConsumer(
            f"{name}-in", **self.at, group_id=name, auto_offset_reset="earliest", enable_auto_commit=False, isolation_level="read_committed"
        )
        producer = kafka.KafkaProducer(**self.at, transactional_id=name)
        producer.init_transactions()
        producer.begin_transaction()
        moved: list[str] = []

        def move() -> bool:
            for messages in consumer.poll(100).values():
                for message in messages:
                    moved.append(message.value.decode())
                    producer.send(f"{name}-out", moved[-1].upper().encode())
            return len(moved) == len(SENT)

        until(move)
        positions = {
            partition: kafka.structs.OffsetAndMetadata(consumer.position(partition), "", -1) for partition in consumer.assignment()
        }
        producer.send_offsets_to_transaction(positions, consumer.group_metadata() if hasattr(consumer, "group_metadata") else name)
        if commit:
            producer.commit_transaction()
        else:
            producer.abort_transaction()
        consumer.close()
        producer.close()

    def committed(self, name: str) -> int | None:
        consumer = kafka.KafkaConsumer(**self.at, group_id=name, enable_auto_commit=False)
        found = consumer.committed(kafka.structs.TopicPartition(f"{name}-in", 0))
        consumer.close()
        return found

    def read(self, topic: str, last: str) -> list[str]:
        consumer = kafka.KafkaConsumer(**self.at, isolation_level="read_committed", auto_offset_reset="earliest", group_id=None)
        consumer.assign([kafka.structs.TopicPartition(topic, 0)])
        consumer.seek_to_beginning()
        seen: list[str] = []

        def look() -> bool:
            seen.extend(message.value.decode() for messages in consumer.poll(100).values() for message in messages)
            return last in seen

        until(look)
        consumer.close()
        return seen


CLIENTS: list[Any] = [Confluent, KafkaPython]


@pytest.mark.parametrize("kind", CLIENTS, ids=lambda kind: kind.__name__)
def test_consume_transform_produce(served: Command, kind: Any) -> None:
    """An abort leaves nothing; a second attempt reads the same again, and its commit makes records and offsets visible together."""
    client, name = kind(served.port), kind.__name__
    client.create(f"{name}-in", f"{name}-out")
    client.send(f"{name}-in", SENT)

    client.transform(name, commit=False)
    assert client.committed(name) is None
    client.transform(name, commit=True)
    assert client.committed(name) == len(SENT)

    client.send(f"{name}-out", ["sentinel"])
    assert client.read(f"{name}-out", "sentinel") == ["A", "B", "C", "sentinel"]


def test_two_members_share_the_partitions_and_one_that_leaves_gives_its_own_back(tmp_path: Path) -> None:
    """Group membership as users know it: who joins gets a share, who goes leaves it to the others."""
    with serve_command(tmp_path) as served:
        at = {"bootstrap.servers": f"127.0.0.1:{served.port}"}
        admin = confluent_kafka.admin.AdminClient(at)
        admin.create_topics([confluent_kafka.admin.NewTopic("shared", num_partitions=4, replication_factor=1)])["shared"].result(PATIENCE_S)
        quick = {"heartbeat.interval.ms": 200, "session.timeout.ms": 6000}
        members = [confluent_kafka.Consumer(at | quick | {"group.id": "g"}) for _ in range(2)]

        def shares() -> list[int]:
            for member in members:
                member.poll(0.05)
            return sorted(len(member.assignment()) for member in members)

        for member in members:
            member.subscribe(["shared"])
        until(lambda: shares() == [2, 2])
        members.pop().close()
        until(lambda: shares() == [4])
        members.pop().close()
