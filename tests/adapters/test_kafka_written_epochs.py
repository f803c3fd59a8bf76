"""The kit writes transactional ids near their last epoch into the transaction log, as the broker itself would; or not at all."""

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import pytest
from lying_broker import LyingBroker

from fencepost.adapters.common.address import Address
from fencepost.adapters.kafka import kafka_container_broker
from fencepost.adapters.kafka.kafka_container_broker import KafkaBroker
from fencepost.adapters.kafka.kafka_values import Appended, IsolationLevel, LogView, NearLastEpoch, ProducerIdentity, TopicPartition
from fencepost.adapters.kafka.offer import KafkaOffer
from fencepost.adapters.kafka.reach import reach
from fencepost.adapters.kafka.written_epochs import WRITTEN_EPOCH, write_ids, written_with
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.wire.kafka.batches import Batch, Record

Trouble: TypeAlias = Refused | Unknown
LOG = TopicPartition("__transaction_state", 0)
REST = b"\x00\x00\xea\x60 and whatever a release writes"


@dataclass
class Coordinator:
    """The calls of a probe that are used, and the log: a record for each id that was initialised."""

    records: list[Record] = field(default_factory=list)
    initialising: Trouble | None = None
    reading: Trouble | None = None
    writing: Trouble | None = None
    writes_twice: bool = False
    epoch_at: int = 10
    written: list[Batch] = field(default_factory=list)

    def init_producer_id(self, name: str) -> Outcome[ProducerIdentity]:
        if self.initialising:
            return self.initialising
        producer = ProducerIdentity(4000 + len(self.records), 0)
        self.records += [self.record_of(name, producer)] * (1 + self.writes_twice)
        return Done(producer)

    def record_of(self, name: str, producer: ProducerIdentity) -> Record:
        before = bytes(self.epoch_at - 10)
        value = struct.pack(">h", 1) + before + struct.pack(">qh", producer.producer_id, producer.epoch) + REST
        return Record(key=struct.pack(">hh", 0, len(name)) + name.encode(), value=value, timestamp=1_700_000_000_789)

    def read(self, partition: TopicPartition, isolation: IsolationLevel) -> Outcome[LogView]:
        assert (partition, isolation) == (LOG, IsolationLevel.READ_UNCOMMITTED)
        return self.reading or Done(LogView((Batch(tuple(self.records)),), 0, 0, ()))

    def newest(self, api: str, lowest: int, highest: int) -> int:
        assert (api, lowest) == ("produce", 3)
        return highest

    def produce_one_batch(self, partition: TopicPartition, batch: Batch, *, transactional_id: None, version: int) -> Outcome[Appended]:
        assert (partition, transactional_id, version) == (LOG, None, 12)
        self.written.append(batch)
        return self.writing or Done(Appended(0, 0))


def test_what_is_written_is_the_brokers_own_record_at_another_epoch() -> None:
    """In one batch with a record for each id, none for ids of others, and nothing changed except the epoch."""
    coordinator = Coordinator()
    others = Record(key=b"\x00\x00\x00\x06others", value=b"\x00\x01")
    coordinator.records += [others, Record(key=None, value=None)]

    names = written_with(coordinator, 3)  # type: ignore[arg-type]

    (batch,) = coordinator.written
    assert len(set(names)) == 3
    expected = [coordinator.record_of(name, ProducerIdentity(4002 + number, WRITTEN_EPOCH)) for number, name in enumerate(names)]
    assert (batch.records, batch.transactional, batch.producer_id) == (tuple(expected), False, -1)


@pytest.mark.parametrize(
    "coordinator",
    [
        Coordinator(initialising=Refused("COORDINATOR_NOT_AVAILABLE", 15)),
        Coordinator(reading=Unknown("no answer")),
        Coordinator(epoch_at=12),
        Coordinator(writes_twice=True),
    ],
    ids=["cannot be initialised", "cannot be read", "has another form", "has two records of an id"],
)
def test_what_is_not_understood_is_not_written(coordinator: Coordinator) -> None:
    """No id is returned, and the log stays the same."""
    assert (written_with(coordinator, 2), coordinator.written) == ([], [])  # type: ignore[arg-type]


@pytest.mark.parametrize("trouble", [Refused("INVALID_TOPIC_EXCEPTION", 17), Unknown("no answer")])
def test_a_refused_write_hands_out_no_id(trouble: Trouble) -> None:
    """Also if the outcome of the write is unknown."""
    assert written_with(Coordinator(writing=trouble), 2) == []  # type: ignore[arg-type]


def test_a_broker_that_shows_no_log_is_left_alone() -> None:
    """The reference keeps no transaction log that clients can read, and a damaged answer is no error here."""
    for lie in (
        lambda frame: frame,
        lambda frame: frame[:13] + b"\x27\x0f" + frame[15:],
        lambda frame: frame[:4] + b"\xff" * 4 + frame[8:],
    ):
        with LyingBroker("init_producer_id", lie) as broker:
            address = Address("127.0.0.1", broker.port)
            assert write_ids(address, reach(address, 5.0), 2) == []


class NotedNodes:
    """The container of a broker, which notes the calls."""

    count = 1
    address = Address("127.0.0.1", 1)

    def __init__(self, *, stops: bool) -> None:
        self.calls: list[str] = []
        self.first = self
        self._stops = stops

    def start_others(self) -> None: ...
    def stop(self) -> None: ...

    def shut_down(self) -> None:
        self.calls.append("shut down")
        if not self._stops:
            raise SetUpFailed("it was killed")

    def start_again(self) -> None:
        self.calls.append("start again")

    def is_running(self) -> bool:
        return True


class NotedBroker(KafkaBroker):
    """A broker that always serves."""

    def __init__(self, producers: int, *, stops: bool = True) -> None:
        super().__init__("an/image", "near-last-epoch", 1.0, producers)
        self.nodes = NotedNodes(stops=stops)

    def start_containers(self, _waits_for: Callable[[str], None]) -> NotedNodes:  # type: ignore[override]
        return self.nodes

    def ask(self, _containers: NotedNodes) -> Outcome[KafkaOffer]:  # type: ignore[override]
        return Done(KafkaOffer({}))


def raised_on(broker: NotedBroker, written: list[str], monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """The ids whose epochs are raised when that broker starts, by their names; None is a new one."""
    raised: list[str | None] = []

    def raising(_address: object, _offer: object, _progress: object, name: str | None) -> Done[NearLastEpoch]:
        raised.append(name)
        return Done(NearLastEpoch(name or "new", ProducerIdentity(1, 32_765)))

    monkeypatch.setattr(kafka_container_broker, "write_ids", lambda _address, _offer, count: written[:count])
    monkeypatch.setattr(kafka_container_broker, "bring_near_last_epoch", raising)
    broker.start()
    session = broker.session(frozenset())
    for _ in range(3):
        session.client("A").adopt_aged_id()
    session.close()
    broker.close()
    return raised


@pytest.mark.parametrize("stops", [True, False], ids=["stops", "is killed"])
def test_a_broker_reads_its_log_again_before_written_ids_are_handed_out(stops: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is down and up once. Two written ids for each producer are raised the rest of the way; further takers get new ids."""
    broker = NotedBroker(1, stops=stops)

    assert raised_on(broker, ["a", "b", "never"], monkeypatch) == ["a", "b", None]
    assert broker.nodes.calls == ["shut down", "start again"]


@pytest.mark.parametrize("producers", [0, 2])
def test_a_broker_without_written_ids_stays_up(producers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """If none is expected, or none could be written: then new ids are raised all the way."""
    broker = NotedBroker(producers)

    assert raised_on(broker, [] if producers else ["never"], monkeypatch) == [None] * 3
    assert broker.nodes.calls == []
