"""The calls that the leader of a partition answers, and the one that makes topics."""

import uuid
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar

from kio.schema.errors import ErrorCode

from fencepost.contract.errors import Malformed
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.wire.kafka.batches import Batch, MalformedBatch, Record, decode, encode

from .calls import Calls, partition_result, the_only
from .cluster import AnyNode, LeaderOf
from .errors import TO_LEADER, UNDECIDED, verdict
from .values import NO_PRODUCER, AbortedTransaction, Appended, Isolation, LogView, ProducerIdAndEpoch, TopicPartition

T = TypeVar("T")

_EARLIEST, _LATEST = -2, -1
_TOPIC_IDS_FROM = 13
"""Produce and Fetch name topics by id from this version on; both, by chance."""

_BROKER_TIMEOUT_MS = 5_000
_PAGE_BYTES = 8 * 1024 * 1024

AppendResults: TypeAlias = Mapping[TopicPartition, Done[Appended] | Refused]


class PartitionCalls(Calls):
    """Writing to logs and reading them."""

    def create_topic(
        self, name: str, partitions: int, configs: Mapping[str, str] = MappingProxyType({}), leaders: Sequence[int] = ()
    ) -> Outcome[None]:
        """CreateTopics with one replica and these configurations, and every partition has a leader: these nodes, where they are named.

        A system without CreateTopics is asked for a topic that is not there, and may give it more partitions; it cannot be told
        configurations.
        """
        if "create_topics" not in self._offer.apis and not configs and not leaders:
            return self._await_leaders(name, partitions, create=True)
        message = self._request(
            "create_topics",
            self._offer.highest("create_topics", 2, 7),
            topics=[
                {
                    "name": name,
                    # Whoever assigns partitions says -1 to both.
                    "num_partitions": -1 if leaders else partitions,
                    "replication_factor": -1 if leaders else 1,
                    "assignments": [{"partition_index": number, "broker_ids": [node]} for number, node in enumerate(leaders)],
                    "configs": [{"name": key, "value": value} for key, value in configs.items()],
                }
            ],
            timeout=_BROKER_TIMEOUT_MS,
            validate_only=False,
        )

        def read(answer: Any) -> Outcome[None]:
            result = the_only([topic for topic in answer.topics if topic.name == name], answer, name)
            return verdict(result.error_code, None, result.error_message)

        match self._write(AnyNode(), message, read, frozenset({ErrorCode.not_controller})):
            case Done():
                return self._await_leaders(name, partitions)
            case trouble:
                return trouble

    def _await_leaders(self, name: str, partitions: int, *, create: bool = False) -> Outcome[None]:
        last: object = "nobody was asked"
        for _ in self._time.attempts():
            match self._cluster.topic(name, create=create):
                case Done(topic) if len(topic.leaders) == topic.partitions >= partitions:
                    return Done(None)
                case Done(topic):
                    last = f"of {topic.partitions} partitions {len(topic.leaders)} have one"
                case trouble:
                    last = trouble
        return Unknown(f"{name} was made, but Metadata does not name a leader for each of its {partitions} partitions: {last}")

    def produce(
        self,
        partition: TopicPartition,
        values: Sequence[str],
        *,
        producer: ProducerIdAndEpoch = NO_PRODUCER,
        transactional_id: str | None = None,
        sequence: int = -1,
        version: int = 12,
        retry: bool = True,
    ) -> Outcome[Appended]:
        """Produce of one batch. With a transactional id the batch is a transactional one."""
        batch = self.batch_of(values, producer=producer, sequence=sequence, transactional=transactional_id is not None)
        return self.produce_one_batch(partition, batch, transactional_id=transactional_id, version=version, retry=retry)

    def batch_of(
        self, values: Sequence[str], *, producer: ProducerIdAndEpoch = NO_PRODUCER, sequence: int = -1, transactional: bool
    ) -> Batch:
        """A batch with these values and the time that it is now, for the calls that send batches as they are."""
        now = round(self._time.now_ms())
        return Batch(
            tuple(Record(value.encode(), timestamp=now) for value in values),
            producer_id=producer.producer_id,
            producer_epoch=producer.epoch,
            base_sequence=sequence,
            transactional=transactional,
        )

    def produce_one_batch(
        self, partition: TopicPartition, batch: Batch, *, transactional_id: str | None, version: int = 12, retry: bool = True
    ) -> Outcome[Appended]:
        """Produce of this batch as it is, also of one that no producer would send."""
        match self.produce_batches({partition: batch}, transactional_id=transactional_id, version=version, retry=retry):
            case Done(results):
                return results[partition]
            case trouble:
                return trouble

    def produce_batches(
        self, batches: Mapping[TopicPartition, Batch], *, transactional_id: str | None, version: int = 12, retry: bool = True
    ) -> Outcome[AppendResults]:
        """One Produce with a batch for each of these partitions, which have one topic and the leader of the first.

        Refused as a whole where one partition answers what is asked again; a batch that is in its log already is then a repetition.
        """
        partitions = list(batches)
        first = partitions[0]
        if any(partition.topic != first.topic for partition in partitions):
            raise ValueError(f"one Produce for {', '.join(map(str, partitions))}; expected partitions of one topic")
        self._offer.check("produce", version)
        match self._topic_key("name", first, version):
            case Done(topic):
                pass
            case trouble:
                return trouble
        # A busy coordinator shows through Produce v12 and later, which add the partition to the transaction.
        again = TO_LEADER | {ErrorCode.concurrent_transactions}
        message = self._request(
            "produce",
            version,
            transactional_id=transactional_id,
            acks=-1,
            timeout=_BROKER_TIMEOUT_MS,
            topic_data=[
                {
                    **topic,
                    "partition_data": [{"index": partition.partition, "records": encode(batch)} for partition, batch in batches.items()],
                }
            ],
        )

        def read(answer: Any) -> Outcome[AppendResults]:
            results = {partition: _append_result(answer, topic, partition) for partition in partitions}
            for result in results.values():
                if isinstance(result, Refused) and result.code in again | UNDECIDED:
                    return result
            return Done(results)

        return self._write(LeaderOf(first), message, read, again, retry=retry)

    def write_marker(
        self,
        partition: TopicPartition,
        producer: ProducerIdAndEpoch,
        *,
        commit: bool,
        coordinator_epoch: int,
        version: int = 1,
        transaction_version: int = 0,
        retry: bool = True,
    ) -> Outcome[None]:
        """WriteTxnMarkers for one partition, as a coordinator sends it to a leader.

        `transaction_version` is in the request from version 2 on.
        """
        answer = self.write_markers(
            [partition],
            producer,
            commit=commit,
            coordinator_epoch=coordinator_epoch,
            version=version,
            transaction_version=transaction_version,
            retry=retry,
        )
        return answer.value[partition] if isinstance(answer, Done) else answer

    def write_markers(
        self,
        partitions: Sequence[TopicPartition],
        producer: ProducerIdAndEpoch,
        *,
        commit: bool,
        coordinator_epoch: int,
        version: int = 1,
        transaction_version: int = 0,
        retry: bool = True,
    ) -> Outcome[dict[TopicPartition, Done[None] | Refused]]:
        """WriteTxnMarkers for several partitions, sent to the leader of the first, with a verdict for each.

        Refused is only a request for one partition.
        """
        indexes: dict[str, list[int]] = {}
        for partition in partitions:
            indexes.setdefault(partition.topic, []).append(partition.partition)
        marker: dict[str, Any] = {
            "producer_id": producer.producer_id,
            "producer_epoch": producer.epoch,
            "transaction_result": commit,
            "topics": [{"name": topic, "partition_indexes": numbers} for topic, numbers in indexes.items()],
            "coordinator_epoch": coordinator_epoch,
        }
        if version >= 2:
            marker["transaction_version"] = transaction_version
        elif transaction_version:
            raise ValueError(f"WriteTxnMarkers v{version} cannot carry transaction version {transaction_version}; versions from 2 on can")
        message = self._request("write_txn_markers", version, markers=[marker])

        def read(answer: Any) -> Outcome[dict[TopicPartition, Done[None] | Refused]]:
            found = [entry for entry in answer.markers if entry.producer_id == producer.producer_id]
            entry = the_only(found, answer, f"producer id {producer.producer_id}")
            verdicts = {partition: verdict(partition_result(entry.topics, partition, answer).error_code, None) for partition in partitions}
            refusals = [result for result in verdicts.values() if isinstance(result, Refused)]
            return refusals[0] if refusals and len(partitions) == 1 else Done(verdicts)

        return self._write(LeaderOf(partitions[0]), message, read, TO_LEADER, retry=retry)

    def end_offset(self, partition: TopicPartition, isolation: Isolation) -> Outcome[int]:
        """ListOffsets for the latest: the high watermark, or the last stable offset for READ_COMMITTED."""
        return self._offset(partition, isolation, _LATEST)

    def record_at(self, partition: TopicPartition, isolation: Isolation, timestamp: int) -> Outcome[tuple[int, int]]:
        """ListOffsets for a time: offset and timestamp of the first record that is not older, both -1 where there is none."""

        def found(result: Any) -> tuple[int, int]:
            return int(result.offset), int(result.timestamp)

        return self._listed(partition, isolation, timestamp, found)

    def page(self, partition: TopicPartition, isolation: Isolation, offset: int, max_bytes: int = _PAGE_BYTES) -> Outcome[LogView]:
        """One Fetch from that offset on; with `max_bytes` 1, of no more than the batch that is there."""
        return self._fetch(partition, isolation, offset, self._offer.highest("fetch", 4, _TOPIC_IDS_FROM - 1), max_bytes)

    def start_offset(self, partition: TopicPartition) -> Outcome[int]:
        """ListOffsets for the earliest: where the log starts."""
        return self._offset(partition, Isolation.READ_UNCOMMITTED, _EARLIEST)

    def read(self, partition: TopicPartition, isolation: Isolation, *, version: int | None = None) -> Outcome[LogView]:
        """Fetch from the log's start until there is nothing more for that isolation level."""
        if version is None:
            version = self._offer.highest("fetch", 4, _TOPIC_IDS_FROM - 1)
        match self._offset(partition, isolation, _EARLIEST):
            case Done(offset):
                pass
            case trouble:
                return trouble
        batches: list[Batch] = []
        aborted: dict[AbortedTransaction, None] = {}  # in order, each once: pages repeat those that reach over their edge
        while True:
            match self._fetch(partition, isolation, offset, version):
                case Done(page):
                    batches += page.batches
                    aborted |= dict.fromkeys(page.aborted)
                case trouble:
                    return trouble
            if not page.batches or page.batches[-1].last_offset + 1 >= page.high_watermark:
                return Done(LogView(tuple(batches), page.high_watermark, page.last_stable_offset, tuple(aborted)))
            if page.batches[-1].last_offset < offset:
                raise Malformed(f"Fetch v{version} of {partition} from offset {offset} answered {page.batches}, which end before it")
            offset = page.batches[-1].last_offset + 1

    def _offset(self, partition: TopicPartition, isolation: Isolation, which: int) -> Outcome[int]:
        return self._listed(partition, isolation, which, lambda result: int(result.offset))

    def _listed(self, partition: TopicPartition, isolation: Isolation, timestamp: int, found: Callable[[Any], T]) -> Outcome[T]:
        message = self._request(
            "list_offsets",
            self._offer.highest("list_offsets", 2, 9),
            replica_id=-1,
            isolation_level=isolation,
            topics=[{"name": partition.topic, "partitions": [{"partition_index": partition.partition, "timestamp": timestamp}]}],
        )

        def read(answer: Any) -> Outcome[T]:
            result = partition_result(answer.topics, partition, answer)
            return verdict(result.error_code, found(result))

        return self._read(LeaderOf(partition), message, read, TO_LEADER)

    def _fetch(
        self, partition: TopicPartition, isolation: Isolation, offset: int, version: int, max_bytes: int = _PAGE_BYTES
    ) -> Outcome[LogView]:
        self._offer.check("fetch", version)
        match self._topic_key("topic", partition, version):
            case Done(topic):
                pass
            case trouble:
                return trouble
        wanted = {"partition": partition.partition, "fetch_offset": offset, "partition_max_bytes": max_bytes}
        message = self._request(
            "fetch",
            version,
            max_wait=0,
            min_bytes=0,
            max_bytes=max_bytes,
            isolation_level=isolation,
            topics=[{**topic, "partitions": [wanted]}],
            **({"forgotten_topics_data": []} if version >= 7 else {}),
        )

        def read(answer: Any) -> Outcome[LogView]:
            if getattr(answer, "error_code", ErrorCode.none) is not ErrorCode.none:
                return Refused(answer.error_code.name.upper(), int(answer.error_code))
            found = [
                result
                for entry in answer.responses
                if _is_about(entry, topic)
                for result in entry.partitions
                if result.partition_index == partition.partition
            ]
            result = the_only(found, answer, partition)
            return verdict(result.error_code, _view(result, partition, version))

        return self._read(LeaderOf(partition), message, read, TO_LEADER)

    def _topic_key(self, name: str, partition: TopicPartition, version: int) -> Outcome[dict[str, str | uuid.UUID]]:
        """How Produce and Fetch name a topic in that version: by a field called `name`, or by its id."""
        if version < _TOPIC_IDS_FROM:
            return Done({name: partition.topic})
        match self._cluster.topic(partition.topic):
            case Done(topic) if topic.topic_id is not None:
                return Done({"topic_id": topic.topic_id})
            case Done():
                return Refused("UNKNOWN_TOPIC_ID", int(ErrorCode.unknown_topic_id), f"Metadata has no topic id for {partition.topic}")
            case trouble:
                return trouble


def _append_result(answer: Any, topic: dict[str, str | uuid.UUID], partition: TopicPartition) -> Done[Appended] | Refused:
    found = [
        result
        for entry in answer.responses
        if _is_about(entry, topic)
        for result in entry.partition_responses
        if result.index == partition.partition
    ]
    result = the_only(found, answer, partition)
    appended = Appended(int(result.base_offset), int(getattr(result, "log_start_offset", -1)))
    return verdict(
        result.error_code,
        appended,
        getattr(result, "error_message", None),
        base_offset=appended.base_offset,
        log_start_offset=appended.log_start_offset,
    )


def _is_about(entry: Any, topic: dict[str, str | uuid.UUID]) -> bool:
    return all(getattr(entry, name) == value for name, value in topic.items())


def _view(result: Any, partition: TopicPartition, version: int) -> LogView:
    try:
        batches = decode(result.records or b"")
    except MalformedBatch as error:
        raise Malformed(f"Fetch v{version} of {partition}: the records are not batches: {error}") from error
    aborted = (AbortedTransaction(int(entry.producer_id), int(entry.first_offset)) for entry in result.aborted_transactions or ())
    return LogView(batches, int(result.high_watermark), int(result.last_stable_offset), tuple(aborted))
