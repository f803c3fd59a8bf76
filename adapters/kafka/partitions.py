"""The calls that the leader of a partition answers."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypeVar

from fencepost.contract.outcomes import Done, Outcome, Refused
from fencepost.wire.kafka.batches import Batch, Record, encode

from .cluster import LeaderOf
from .fetch_calls import ReadingCalls, is_about
from .kafka_calls import partition_result, the_only
from .kafka_error_outcomes import TO_COORDINATOR, TO_LEADER, UNDECIDED, verdict
from .kafka_values import NO_PRODUCER, Appended, ProducerIdentity, TopicPartition

T = TypeVar("T")

_BROKER_TIMEOUT_MS = 5_000
_TRANSACTION_VERSION_FROM = 2
"""The version of WriteTxnMarkers from which on it says a transaction version for each marker."""
_AGAIN = TO_LEADER | TO_COORDINATOR
"""Produce v12 and later add the partition to the transaction, so they report a busy or absent coordinator."""

AppendResults: TypeAlias = Mapping[TopicPartition, Done[Appended] | Refused]


@dataclass(frozen=True)
class MarkerToWrite:
    """One transaction's entry in a WriteTxnMarkers; only newer versions of the request can say a `transaction_version` above 0."""

    producer: ProducerIdentity
    commit: bool
    coordinator_epoch: int
    transaction_version: int = 0


class PartitionCalls(ReadingCalls):
    """Writing to logs, and reading them."""

    def produce(
        self,
        partition: TopicPartition,
        values: Sequence[str],
        *,
        producer: ProducerIdentity = NO_PRODUCER,
        transactional_id: str | None = None,
        sequence: int = -1,
        compression: str = "none",
        version: int = 12,
        retry: bool = True,
    ) -> Outcome[Appended]:
        """Produce of one batch. With a transactional id the batch is transactional."""
        batch = self.batch_of(values, producer=producer, sequence=sequence, transactional=transactional_id is not None)
        batch = replace(batch, compression=compression)
        return self.produce_one_batch(partition, batch, transactional_id=transactional_id, version=version, retry=retry)

    def batch_of(
        self, values: Sequence[str], *, producer: ProducerIdentity = NO_PRODUCER, sequence: int = -1, transactional: bool
    ) -> Batch:
        """A batch with these values and the current time, for the calls that send batches unchanged."""
        now = round(self._time.now_ms())
        return Batch(
            tuple(Record(value.encode(), timestamp=now) for value in values),
            producer_id=producer.producer_id,
            producer_epoch=producer.epoch,
            base_sequence=sequence,
            transactional=transactional,
        )

    def produce_one_batch(
        self,
        partition: TopicPartition,
        batch: Batch,
        *,
        transactional_id: str | None,
        version: int = 12,
        topic_id: uuid.UUID | None = None,
        retry: bool = True,
    ) -> Outcome[Appended]:
        """Produce of this batch unchanged, even if no producer would send it; to the topic with that id, if one is given."""
        batches = {partition: batch}
        answer = self.produce_batches(batches, transactional_id=transactional_id, version=version, topic_id=topic_id, retry=retry)
        return _only(answer)

    def produce_batches(
        self,
        batches: Mapping[TopicPartition, Batch],
        *,
        transactional_id: str | None,
        version: int = 12,
        topic_id: uuid.UUID | None = None,
        retry: bool = True,
    ) -> Outcome[AppendResults]:
        """One Produce with a batch for each of these partitions, which belong to one topic and have the same leader as the first.

        The request counts as refused if one partition's error is retriable; on the retry, a batch that is already in its log is a
        duplicate.
        """
        payloads = {partition: encode(batch) for partition, batch in batches.items()}
        match self._appending(payloads, transactional_id, version, topic_id):
            case Done((message, read)):
                return self._write(LeaderOf(next(iter(batches))), message, read, _AGAIN, retry=retry)
            case trouble:
                return trouble

    def send_produce(
        self, partition: TopicPartition, batch: Batch, *, transactional_id: str | None, version: int = 12
    ) -> Callable[[], Outcome[Appended]]:
        """Send Produce of this batch, once, now. Several may be in flight: the caller awaits their answers in order, before its next other
        request.
        """
        match self._appending({partition: encode(batch)}, transactional_id, version):
            case Done((message, read)):
                wait = self._send(LeaderOf(partition), message, read)
            case trouble:
                return lambda: trouble

        def appended() -> Outcome[Appended]:
            outcome = wait()
            return outcome.value[partition] if isinstance(outcome, Done) else outcome

        return appended

    def produce_several(
        self, partition: TopicPartition, batches: Iterable[Batch], *, transactional_id: str | None, version: int = 12
    ) -> Outcome[Appended]:
        """One Produce with several batches for one partition, which Kafka's clients never send."""
        return self.produce_bytes(partition, b"".join(map(encode, batches)), transactional_id=transactional_id, version=version)

    def produce_bytes(
        self, partition: TopicPartition, data: bytes, *, transactional_id: str | None, version: int = 12, retry: bool = False
    ) -> Outcome[Appended]:
        """One Produce with these bytes in place of a batch, sent once unless `retry` is true."""
        match self._appending({partition: data}, transactional_id, version):
            case Done((message, read)):
                return _only(self._write(LeaderOf(partition), message, read, _AGAIN, retry=retry))
            case trouble:
                return trouble

    def _appending(
        self,
        payloads: Mapping[TopicPartition, bytes],
        transactional_id: str | None,
        version: int,
        topic_id: uuid.UUID | None = None,
    ) -> Outcome[tuple[Any, Callable[[Any], Outcome[AppendResults]]]]:
        """A Produce with these batches, and the function that reads its answer."""
        self._offer.check("produce", version)
        topics: dict[str, dict[str, Any]] = {}
        for partition in payloads:
            match self._topic_key("name", partition, version, topic_id):
                case Done(key):
                    topics[partition.topic] = key
                case trouble:
                    return trouble
        message = self._request(
            "produce",
            version,
            transactional_id=transactional_id,
            acks=-1,
            timeout=_BROKER_TIMEOUT_MS,
            topic_data=[
                {
                    **key,
                    "partition_data": [
                        {"index": partition.partition, "records": data} for partition, data in payloads.items() if partition.topic == topic
                    ],
                }
                for topic, key in topics.items()
            ],
        )

        def read(answer: Any) -> Outcome[AppendResults]:
            results = {partition: _append_result(answer, topics[partition.topic], partition) for partition in payloads}
            for result in results.values():
                if isinstance(result, Refused) and result.code in _AGAIN | UNDECIDED:
                    return result
            return Done(results)

        return Done((message, read))

    def write_marker(
        self,
        partition: TopicPartition,
        producer: ProducerIdentity,
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
        producer: ProducerIdentity,
        *,
        commit: bool,
        coordinator_epoch: int,
        version: int = 1,
        transaction_version: int = 0,
        retry: bool = True,
    ) -> Outcome[dict[TopicPartition, Done[None] | Refused]]:
        """WriteTxnMarkers for several partitions, sent to the leader of the first, with a verdict for each.

        With a single partition, its refusal is the outcome of the call.
        """
        marker = MarkerToWrite(producer, commit, coordinator_epoch, transaction_version)
        message = self._request("write_txn_markers", version, markers=[_marker(partitions, marker, version)])

        def read(answer: Any) -> Outcome[dict[TopicPartition, Done[None] | Refused]]:
            verdicts = _marker_results(answer, producer, partitions)
            refusals = [result for result in verdicts.values() if isinstance(result, Refused)]
            return refusals[0] if refusals and len(partitions) == 1 else Done(verdicts)

        return self._write(LeaderOf(partitions[0]), message, read, TO_LEADER, retry=retry)

    def write_each_marker(
        self, partition: TopicPartition, markers: Mapping[str, MarkerToWrite]
    ) -> Outcome[dict[str, dict[TopicPartition, Done[None] | Refused]]]:
        """One WriteTxnMarkers with all of these markers, v2 if one has a transaction version; the verdicts by the same keys."""
        version = _TRANSACTION_VERSION_FROM if any(marker.transaction_version for marker in markers.values()) else 1
        entries = [_marker([partition], marker, version) for marker in markers.values()]
        message = self._request("write_txn_markers", version, markers=entries)

        def read(answer: Any) -> Outcome[dict[str, dict[TopicPartition, Done[None] | Refused]]]:
            return Done({key: _marker_results(answer, marker.producer, [partition]) for key, marker in markers.items()})

        return self._write(LeaderOf(partition), message, read, TO_LEADER)


def _only(outcome: Outcome[AppendResults]) -> Outcome[Appended]:
    """The verdict for the one partition of a Produce."""
    return next(iter(outcome.value.values())) if isinstance(outcome, Done) else outcome


def _append_result(answer: Any, topic: dict[str, str | uuid.UUID], partition: TopicPartition) -> Done[Appended] | Refused:
    found = [
        result
        for entry in answer.responses
        if is_about(entry, topic)
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


def _marker(partitions: Iterable[TopicPartition], marker: MarkerToWrite, version: int) -> dict[str, Any]:
    """The entry of WriteTxnMarkers for one producer, in that version of the request."""
    if version < _TRANSACTION_VERSION_FROM and marker.transaction_version:
        raise ValueError(
            f"WriteTxnMarkers v{version} cannot carry transaction version {marker.transaction_version}; versions from"
            f" {_TRANSACTION_VERSION_FROM} on can"
        )
    indexes: dict[str, list[int]] = {}
    for partition in partitions:
        indexes.setdefault(partition.topic, []).append(partition.partition)
    return {
        "producer_id": marker.producer.producer_id,
        "producer_epoch": marker.producer.epoch,
        "transaction_result": marker.commit,
        "topics": [{"name": topic, "partition_indexes": numbers} for topic, numbers in indexes.items()],
        "coordinator_epoch": marker.coordinator_epoch,
        **({"transaction_version": marker.transaction_version} if version >= _TRANSACTION_VERSION_FROM else {}),
    }


def _marker_results(
    answer: Any, producer: ProducerIdentity, partitions: Iterable[TopicPartition]
) -> dict[TopicPartition, Done[None] | Refused]:
    """The verdict for each partition in the answer's entry for one producer."""
    found = [entry for entry in answer.markers if entry.producer_id == producer.producer_id]
    entry = the_only(found, answer, f"producer id {producer.producer_id}")
    return {partition: verdict(partition_result(entry.topics, partition, answer).error_code, None) for partition in partitions}
