"""A client for tests of the reference: hands over request entities, and nothing in between that could be wrong by itself."""

from dataclasses import dataclass
from typing import Any

from fencepost.reference.kafka import KafkaParts, Profile, ReferenceKafka, Settings
from fencepost.wire.kafka.batches import Batch, MarkerType, Record, decode, encode
from fencepost.wire.kafka.entities import request

UNCOMMITTED, COMMITTED = 0, 1
TOPIC = "t"


@dataclass(frozen=True)
class Pair:
    """A producer id and an epoch."""

    producer_id: int
    epoch: int

    def plus(self, bumps: int) -> "Pair":
        return Pair(self.producer_id, self.epoch + bumps)


def _errors(answer: Any) -> set[int]:
    """The error codes of an answer that speaks of one thing, or of a Produce."""
    results = [result for topic in getattr(answer, "responses", ()) for result in getattr(topic, "partition_responses", ())]
    return {int(getattr(part, "error_code", 0)) for part in (answer, *results)}


class Client:
    """A broker with one topic `t` of three partitions, and its client."""

    not_now: frozenset[int] = frozenset({16, 19})
    """The errors after which a request is repeated once: NOT_COORDINATOR and NOT_ENOUGH_REPLICAS, and what a test adds."""

    def __init__(self, profile: str = "seed", parts: KafkaParts | None = None, settings: Settings | None = None) -> None:
        self.broker = ReferenceKafka(Profile.load(profile), parts or KafkaParts(), settings or Settings(clean_up_interval_ms=200))
        self.create(TOPIC, 3)

    def send(self, api: str, version: int, **fields: Any) -> Any:
        """The answer, or None where the connection was closed."""
        return self.broker.handle(request(api, version, **fields))

    def ask(self, api: str, version: int, **fields: Any) -> Any:
        """The answer, which must come. A refusal that is in `not_now` is asked once more."""
        answer = self.send(api, version, **fields)
        if self.not_now & _errors(answer):
            answer = self.send(api, version, **fields)
        assert answer is not None, f"the connection was closed instead of answering {api} v{version}"
        return answer

    def create(self, name: str, partitions: int) -> int:
        wanted = {"name": name, "num_partitions": partitions, "replication_factor": 1, "assignments": [], "configs": []}
        return int(self.ask("create_topics", 7, topics=[wanted]).topics[0].error_code)

    def init(self, name: str | None, pair: Pair | None = None, *, version: int = 5, timeout_ms: int = 60_000) -> tuple[int, Pair]:
        """InitProducerId: the error and the pair."""
        pair_fields = {} if version < 3 else {"producer_id": pair.producer_id if pair else -1, "producer_epoch": pair.epoch if pair else -1}
        answer = self.ask("init_producer_id", version, transactional_id=name, transaction_timeout=timeout_ms, **pair_fields)
        return int(answer.error_code), Pair(int(answer.producer_id), int(answer.producer_epoch))

    def producer(self, name: str, timeout_ms: int = 60_000) -> Pair:
        """A pair for that transactional id."""
        error, pair = self.init(name, timeout_ms=timeout_ms)
        assert error == 0
        return pair

    def add(self, name: str, pair: Pair, *partitions: int, version: int = 3, topic: str = TOPIC) -> list[int]:
        """AddPartitionsToTxn of an old client: the error of each partition."""
        answer = self.ask(
            "add_partitions_to_txn",
            version,
            v3_and_below_transactional_id=name,
            v3_and_below_producer_id=pair.producer_id,
            v3_and_below_producer_epoch=pair.epoch,
            v3_and_below_topics=[{"name": topic, "partitions": partitions}],
        )
        return [int(result.partition_error_code) for result in answer.results_by_topic_v3_and_below[0].results_by_partition]

    def verify(self, name: str, pair: Pair, *partitions: int) -> list[int]:
        """AddPartitionsToTxn with verifyOnly: the error of each partition."""
        entry = {"transactional_id": name, "producer_id": pair.producer_id, "producer_epoch": pair.epoch, "verify_only": True}
        answer = self.ask("add_partitions_to_txn", 5, transactions=[{**entry, "topics": [{"name": TOPIC, "partitions": partitions}]}])
        return [int(result.partition_error_code) for result in answer.results_by_transaction[0].topic_results[0].results_by_partition]

    def write(
        self, name: str | None, pair: Pair, partition: int, sequence: int, value: str = "v", *, version: int = 12, topic: str = TOPIC
    ) -> Any:
        """Produce of one record, in a transaction when a transactional id is given: the result of the partition."""
        batch = Batch((Record(value.encode(), timestamp=1),), 0, pair.producer_id, pair.epoch, sequence, transactional=name is not None)
        data = [{"name": topic, "partition_data": [{"index": partition, "records": encode(batch)}]}]
        answer = self.ask("produce", version, transactional_id=name, acks=-1, timeout=1000, topic_data=data)
        return answer.responses[0].partition_responses[0]

    def error_of_write(self, *args: Any, **kwargs: Any) -> int:
        """The error of a `write`."""
        return int(self.write(*args, **kwargs).error_code)

    def plain(self, partition: int, value: str = "plain") -> int:
        """A record outside of all transactions: its offset."""
        result = self.write(None, Pair(-1, -1), partition, -1, value)
        assert result.error_code == 0
        return int(result.base_offset)

    def end(self, name: str, pair: Pair, *, commit: bool, version: int = 5) -> tuple[int, Pair]:
        """EndTxn: the error and the pair, (-1, -1) where the answer has none."""
        answer = self.ask(
            "end_txn", version, transactional_id=name, producer_id=pair.producer_id, producer_epoch=pair.epoch, committed=commit
        )
        given = (getattr(answer, "producer_id", -1), getattr(answer, "producer_epoch", -1))
        return int(answer.error_code), Pair(*map(int, given))

    def describe(self, name: str) -> Any:
        """DescribeTransactions."""
        return self.ask("describe_transactions", 0, transactional_ids=[name]).transaction_states[0]

    def state(self, name: str) -> tuple[str, Pair]:
        """The state and the pair that the coordinator has."""
        described = self.describe(name)
        return str(described.transaction_state), Pair(int(described.producer_id), int(described.producer_epoch))

    def fetch(self, partition: int, isolation: int = COMMITTED, offset: int = 0) -> Any:
        """Fetch: the result of the partition."""
        wanted = {"partition": partition, "fetch_offset": offset, "partition_max_bytes": 1 << 20}
        fields = {"max_wait": 0, "min_bytes": 0, "max_bytes": 1 << 20, "isolation_level": isolation, "forgotten_topics_data": []}
        answer = self.ask("fetch", 12, topics=[{"topic": TOPIC, "partitions": [wanted]}], **fields)
        return answer.responses[0].partitions[0]

    def batches(self, partition: int, isolation: int = UNCOMMITTED) -> tuple[Batch, ...]:
        """What the log holds, fetched until there is no more."""
        found: tuple[Batch, ...] = ()
        while page := decode(self.fetch(partition, isolation, found[-1].last_offset + 1 if found else 0).records or b""):
            found += page
        return found

    def values(self, partition: int, isolation: int = UNCOMMITTED) -> list[str]:
        """The values of the data that a Fetch returns, the aborted ones among them."""
        return [
            (record.value or b"").decode() for batch in self.batches(partition, isolation) if not batch.control for record in batch.records
        ]

    def markers(self, partition: int) -> list[tuple[MarkerType, Pair, int]]:
        """The markers of a log: type, pair and coordinator epoch."""
        found = ((batch, batch.marker) for batch in self.batches(partition))
        return [(marker.type, Pair(batch.producer_id, batch.producer_epoch), marker.coordinator_epoch) for batch, marker in found if marker]

    def end_offset(self, partition: int, isolation: int = UNCOMMITTED) -> int:
        """ListOffsets for the latest offset."""
        wanted = {"partition_index": partition, "timestamp": -1}
        fields = {"replica_id": -1, "isolation_level": isolation}
        answer = self.ask("list_offsets", 7, topics=[{"name": TOPIC, "partitions": [wanted]}], **fields)
        return int(answer.topics[0].partitions[0].offset)

    def known_producers(self, partition: int) -> Any:
        """DescribeProducers: the producers of a partition."""
        answer = self.ask("describe_producers", 0, topics=[{"name": TOPIC, "partition_indexes": [partition]}])
        return answer.topics[0].partitions[0].active_producers

    def mark(self, pair: Pair, partition: int, *, commit: bool, transaction_version: int | None = None) -> int:
        """WriteTxnMarkers, v2 when a transaction version is given: the error of the partition."""
        marker: dict[str, Any] = {
            "producer_id": pair.producer_id,
            "producer_epoch": pair.epoch,
            "transaction_result": commit,
            "coordinator_epoch": 0,
            "topics": [{"name": TOPIC, "partition_indexes": [partition]}],
        }
        if transaction_version is not None:
            marker["transaction_version"] = transaction_version
        answer = self.ask("write_txn_markers", 1 if transaction_version is None else 2, markers=[marker])
        return int(answer.markers[0].topics[0].partitions[0].error_code)

    def set_level(self, level: int) -> int:
        """UpdateFeatures that lowers transaction.version: its error."""
        update = {"feature": "transaction.version", "max_version_level": level, "upgrade_type": 2}
        return int(self.ask("update_features", 1, feature_updates=[update], validate_only=False).results[0].error_code)

    def hold_markers(self) -> None:
        """Keep all markers in flight, so that what was decided stays incomplete."""
        self.broker.network.hold(lambda _: True)

    def release_markers(self) -> None:
        self.broker.network.release()
