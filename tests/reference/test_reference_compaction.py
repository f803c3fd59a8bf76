"""The log cleaner: which segments it cleans, when an abort goes, and what it refuses."""

from typing import Any

from reference_client import COMMITTED, TOPIC, UNCOMMITTED, Client, Pair

from fencepost.reference.kafka import Settings
from fencepost.reference.kernel.clock import START
from fencepost.wire.kafka.batches import Batch, Record, decode, encode

_SEGMENT_MS, _BACKOFF_MS = 1_000, 100
INVALID_RECORD, INVALID_CONFIG = 87, 40


class Keyed(Client):
    """A broker with a compacted topic of one partition, whose markers are kept for no time, and the clients that write there."""

    def __init__(self, **configs: str) -> None:
        super().__init__(settings=Settings(log_cleaner_backoff_ms=_BACKOFF_MS))
        self._time = START
        assert self.compacted("c", **configs) == 0

    def compacted(self, name: str, **configs: str) -> int:
        """CreateTopics of a compacted topic; returns the error."""
        configured = {"cleanup.policy": "compact", "segment.ms": str(_SEGMENT_MS), "delete.retention.ms": "0"}
        configured |= {key.replace("_", "."): value for key, value in configs.items()}
        wanted: dict[str, Any] = {"name": name, "num_partitions": 1, "replication_factor": 1, "assignments": []}
        wanted["configs"] = [{"name": key, "value": value} for key, value in configured.items()]
        return int(self.ask("create_topics", 7, topics=[wanted]).topics[0].error_code)

    def put(self, name: str | None, pair: Pair, sequence: int, *records: tuple[str | None, str]) -> int:
        """Produce of one batch of keys and values; returns the error."""
        made = tuple(Record(value.encode(), None if key is None else key.encode(), self._time) for key, value in records)
        batch = Batch(made, 0, pair.producer_id, pair.epoch, sequence, transactional=name is not None)
        data = [{"name": "c", "partition_data": [{"index": 0, "records": encode(batch)}]}]
        answer = self.ask("produce", 12, transactional_id=name, acks=-1, timeout=1000, topic_data=data)
        return int(answer.responses[0].partition_responses[0].error_code)

    def next_pass(self, times: int = 1) -> None:
        """Begin a new segment, and let the cleaner pass."""
        for _ in range(times):
            self._time += _SEGMENT_MS + 1
            assert self.put(None, Pair(-1, -1), -1, (f"segment {self._time}", "-")) == 0
            self.broker.advance(_BACKOFF_MS)

    def page(self, isolation: int = UNCOMMITTED) -> Any:
        wanted = {"partition": 0, "fetch_offset": 0, "partition_max_bytes": 1 << 20}
        fields = {"max_wait": 0, "min_bytes": 0, "max_bytes": 1 << 20, "isolation_level": isolation, "forgotten_topics_data": []}
        return self.ask("fetch", 12, topics=[{"topic": "c", "partitions": [wanted]}], **fields).responses[0].partitions[0]

    def kept(self) -> list[tuple[int, str]]:
        """Offset and value of each record, except those that begin segments; the value of a marker is its type."""
        found = []
        for batch in decode(self.page().records or b""):
            configured = [batch.marker.type.name] if batch.marker else [(record.value or b"").decode() for record in batch.records]
            found += [(offset, value) for offset, value in zip(batch.offsets, configured, strict=True) if value != "-"]
        return found


def test_the_segment_that_is_being_written_is_left_alone() -> None:
    """However much time passes."""
    client = Keyed()
    client.put(None, Pair(-1, -1), -1, ("x", "1"))
    client.put(None, Pair(-1, -1), -1, ("x", "2"))
    client.broker.advance(10 * _BACKOFF_MS)

    assert client.kept() == [(0, "1"), (1, "2")]


def test_an_abort_goes_with_its_records_first_and_its_marker_when_it_is_due() -> None:
    """A producer's newest marker stays, since it alone has the epoch."""
    client = Keyed(delete_retention_ms="250")
    a = client.producer("a")
    client.put(None, Pair(-1, -1), -1, ("x", "1"))
    client.put("a", a, 0, ("x", "2"))
    _, a = client.end("a", a, commit=False)
    client.put("a", a, 0, ("y", "3"))
    client.end("a", a, commit=True)
    client.next_pass()
    assert client.kept() == [(0, "1"), (2, "ABORT"), (3, "3"), (4, "COMMIT")]
    assert not client.page(COMMITTED).aborted_transactions

    client.next_pass(3)

    assert client.kept() == [(0, "1"), (3, "3"), (4, "COMMIT")]


def test_a_compacted_topic_needs_keys() -> None:
    """As in Kafka; and clients may not send a batch with gaps."""
    client = Keyed()

    assert client.put(None, Pair(-1, -1), -1, (None, "1")) == INVALID_RECORD

    gaps = Batch((Record(b"1", b"x"), Record(b"2", b"y"))).keeping([1])
    data = [{"name": TOPIC, "partition_data": [{"index": 0, "records": encode(gaps)}]}]
    answer = client.ask("produce", 12, transactional_id=None, acks=-1, timeout=1000, topic_data=data)
    assert int(answer.responses[0].partition_responses[0].error_code) == INVALID_RECORD


def test_a_time_that_is_no_number_is_refused() -> None:
    """With the setting's own error, and no topic is created."""
    client = Keyed()

    assert client.compacted("d", delete_retention_ms="-1") == INVALID_CONFIG
    assert client.compacted("d") == 0
