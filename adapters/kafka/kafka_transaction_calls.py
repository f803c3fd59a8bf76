"""The requests that a transaction coordinator answers, and those that carry offsets in a transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, TypeAlias, TypeVar

from kio.schema.errors import ErrorCode

from fencepost.adapters.common.address import Address
from fencepost.contract.errors import NotOffered
from fencepost.contract.outcomes import Done, Outcome, Refused
from fencepost.wire.kafka.entities import request

from .cluster import AnyNode, CoordinatorKind, CoordinatorOf
from .kafka_calls import KafkaCalls, partition_result, the_only
from .kafka_error_outcomes import COORDINATOR_AWAY, LOOK_AGAIN, TO_COORDINATOR, nothing_of_no_group, refused, verdict
from .kafka_values import NO_PRODUCER, CommittedOffset, ProducerIdentity, TopicPartition


@dataclass(frozen=True)
class BatchedAddition:
    """One transaction's entry in a batched AddPartitionsToTxn; `verify_only` asks whether the partitions are in it already."""

    transactional_id: str
    producer: ProducerIdentity
    partitions: tuple[TopicPartition, ...]
    verify_only: bool = False


_CARRIES_PRODUCER = 3
"""From this version on InitProducerId has the producer's own id and epoch."""

_CLIENTS_ADDITION = (0, 3)
"""The versions of AddPartitionsToTxn and AddOffsetsToTxn that clients send."""

_MANY_GROUPS, _SAYS_STABLE = 8, 7
"""The first versions of OffsetFetch with several groups, and with the choice of stable offsets."""

_LEADER_EPOCHS = 2
"""From this version on TxnOffsetCommit carries a leader epoch with each offset."""

_UNRELEASED_INIT = 6
"""The version of KIP-939, which Apache Kafka implements and does not offer unless it is configured to."""

PartitionResults: TypeAlias = Mapping[TopicPartition, Done[None] | Refused]

_ANSWER = "answer by partition"

T = TypeVar("T")


class KafkaTransactionCalls(KafkaCalls):
    """A producer's requests about its transaction."""

    def init_producer_id(
        self,
        transactional_id: str | None,
        *,
        timeout_ms: int = 60_000,
        current: ProducerIdentity = NO_PRODUCER,
        version: int | None = None,
        retry: bool = True,
    ) -> Outcome[ProducerIdentity]:
        """InitProducerId. `current` is the producer's own id and epoch, which versions before 3 cannot carry."""
        target = AnyNode() if transactional_id is None else _coordinator(transactional_id)
        message = self._initialisation(transactional_id, timeout_ms, current, version)
        return self._write(target, message, _producer_answered, TO_COORDINATOR, retry=retry)

    def coordinator(self, transactional_id: str) -> Outcome[Address]:
        """The address of the id's coordinator, which is looked up if this client does not know it."""
        return self._located(_coordinator(transactional_id))

    def send_init_producer_id(self, transactional_id: str, *, timeout_ms: int) -> Callable[[], Outcome[ProducerIdentity]]:
        """InitProducerId without `current`, sent once, now; the caller awaits the answer, before this client sends its next request."""
        message = self._initialisation(transactional_id, timeout_ms, NO_PRODUCER, None)
        return self._send(_coordinator(transactional_id), message, _producer_answered)

    def _initialisation(self, transactional_id: str | None, timeout_ms: int, current: ProducerIdentity, version: int | None) -> Any:
        """InitProducerId in that version, or in the newest that both sides have and that can carry these values."""
        lowest = 0 if current == NO_PRODUCER else _CARRIES_PRODUCER
        version = self._offer.highest("init_producer_id", lowest, 5) if version is None else version
        if version < lowest:
            raise ValueError(f"InitProducerId v{version} cannot carry {current}; versions from {_CARRIES_PRODUCER} on can")
        producer = _producer(current) if version >= _CARRIES_PRODUCER else {}
        return self._request("init_producer_id", version, transactional_id=transactional_id, transaction_timeout=timeout_ms, **producer)

    def init_producer_id_unoffered(self, transactional_id: str) -> Outcome[ProducerIdentity]:
        """InitProducerId in a version that the broker does not offer, sent once: the only request that is sent although it is not offered.

        Raises NotOffered if the broker offers even this version.
        """
        if self._offer.has("init_producer_id", _UNRELEASED_INIT):
            raise NotOffered(f"a version of InitProducerId that the broker does not have: it has v{_UNRELEASED_INIT} too")
        message = request("init_producer_id", _UNRELEASED_INIT, transactional_id=transactional_id, transaction_timeout=60_000)
        return self._write(_coordinator(transactional_id), message, _producer_answered, frozenset(), retry=False)

    def add_partitions(
        self,
        transactional_id: str,
        producer: ProducerIdentity,
        partitions: Sequence[TopicPartition],
        *,
        version: int | None = None,
        retry: bool = True,
    ) -> Outcome[None]:
        """AddPartitionsToTxn as a producer sends it, versions 0 to 3. Refused if one partition is, with its name in the message."""
        return self._add(transactional_id, producer, partitions, version, _first_refusal, retry=retry)

    def add_each_partition(
        self,
        transactional_id: str,
        producer: ProducerIdentity,
        partitions: Sequence[TopicPartition],
        *,
        version: int | None = None,
    ) -> Outcome[PartitionResults]:
        """AddPartitionsToTxn, with the verdict on each partition. Retried only while every partition has a retriable error."""

        def judge(results: PartitionResults) -> Outcome[PartitionResults]:
            return _unless_early(results, results.values())

        return _last_word(self._add(transactional_id, producer, partitions, version, judge, retry=True))

    def _add(
        self,
        transactional_id: str,
        producer: ProducerIdentity,
        partitions: Sequence[TopicPartition],
        version: int | None,
        judge: Callable[[PartitionResults], Outcome[T]],
        *,
        retry: bool,
    ) -> Outcome[T]:
        message = self._request(
            "add_partitions_to_txn",
            self._offer.highest("add_partitions_to_txn", *_CLIENTS_ADDITION) if version is None else version,
            v3_and_below_transactional_id=transactional_id,
            v3_and_below_producer_id=producer.producer_id,
            v3_and_below_producer_epoch=producer.epoch,
            v3_and_below_topics=_by_topic(partitions),
        )

        def read(answer: Any) -> Outcome[T]:
            return judge(_partition_results(answer.results_by_topic_v3_and_below, answer, partitions))

        return self._write(_coordinator(transactional_id), message, read, TO_COORDINATOR | LOOK_AGAIN, retry=retry)

    def add_partitions_batched(self, additions: Sequence[BatchedAddition], *, version: int = 4) -> Outcome[Mapping[str, PartitionResults]]:
        """AddPartitionsToTxn as a broker sends it, from version 4 on; sent to the coordinator of the first transactional id.

        Refused is only a request that is refused as a whole, with the number of results in the same answer in the refusal's fields; other
        refusals are in the results. Retried only while every partition has a retriable error: the coordinator is away, or does not know the
        topics yet.
        """
        message = self._request(
            "add_partitions_to_txn",
            version,
            transactions=[
                {
                    "transactional_id": addition.transactional_id,
                    **_producer(addition.producer),
                    "verify_only": addition.verify_only,
                    "topics": _by_topic(addition.partitions),
                }
                for addition in additions
            ],
        )

        def read(answer: Any) -> Outcome[Mapping[str, PartitionResults]]:
            if answer.error_code != ErrorCode.none:
                return refused(answer.error_code, results=len(answer.results_by_transaction))
            results = {}
            for addition in additions:
                entries = [entry for entry in answer.results_by_transaction if entry.transactional_id == addition.transactional_id]
                entry = the_only(entries, answer, addition.transactional_id)
                results[addition.transactional_id] = _partition_results(entry.topic_results, answer, addition.partitions)
            return _unless_early(results, [result for partitions in results.values() for result in partitions.values()])

        return _last_word(self._write(_coordinator(additions[0].transactional_id), message, read, COORDINATOR_AWAY | LOOK_AGAIN))

    def add_offsets(
        self, transactional_id: str, producer: ProducerIdentity, group: str, *, version: int | None = None, retry: bool = True
    ) -> Outcome[None]:
        """AddOffsetsToTxn: makes the group's offsets part of the transaction."""
        version = self._offer.highest("add_offsets_to_txn", *_CLIENTS_ADDITION) if version is None else version
        message = self._request("add_offsets_to_txn", version, transactional_id=transactional_id, **_producer(producer), group_id=group)
        return self._write(
            _coordinator(transactional_id), message, lambda answer: verdict(answer.error_code, None), TO_COORDINATOR, retry=retry
        )

    def commit_offsets(
        self,
        transactional_id: str,
        producer: ProducerIdentity,
        group: str,
        offsets: Mapping[TopicPartition, int],
        *,
        version: int = 3,
        retry: bool = True,
    ) -> Outcome[None]:
        """TxnOffsetCommit without a group membership. Refused if one partition is, with its name in the message."""
        entries = {partition: CommittedOffset(offset, None) for partition, offset in offsets.items()}
        message = self._offsets(transactional_id, producer, group, entries, version)

        def read(answer: Any) -> Outcome[None]:
            return _first_refusal(_offset_results(answer, offsets))

        return self._write(CoordinatorOf(CoordinatorKind.GROUP, group), message, read, TO_COORDINATOR | LOOK_AGAIN, retry=retry)

    def commit_each_offset(
        self,
        transactional_id: str,
        producer: ProducerIdentity,
        group: str,
        offsets: Mapping[TopicPartition, CommittedOffset],
        *,
        generation: int | None = None,
        member: str = "",
        instance: str | None = None,
        version: int = 5,
        retry: bool = True,
    ) -> Outcome[PartitionResults]:
        """TxnOffsetCommit, with the verdict on each partition. Retried only while every partition has a retriable error.

        `generation`, which versions before 3 cannot carry, comes with the member's identity in the group.
        """
        if generation is not None and version < 3:
            raise ValueError(f"TxnOffsetCommit v{version} cannot carry generation {generation}; versions from 3 on can")
        membership = {} if generation is None else {"generation_id": generation, "member_id": member, "group_instance_id": instance}
        message = self._offsets(transactional_id, producer, group, offsets, version, **membership)

        def read(answer: Any) -> Outcome[PartitionResults]:
            results = _offset_results(answer, offsets)
            return _unless_early(results, results.values())

        target = CoordinatorOf(CoordinatorKind.GROUP, group)
        return _last_word(self._write(target, message, read, TO_COORDINATOR | LOOK_AGAIN, retry=retry))

    def _offsets(
        self,
        transactional_id: str,
        producer: ProducerIdentity,
        group: str,
        offsets: Mapping[TopicPartition, CommittedOffset],
        version: int,
        **membership: Any,
    ) -> Any:
        topics = [
            {
                "name": topic,
                "partitions": [
                    {
                        "partition_index": partition.partition,
                        "committed_offset": offsets[partition].offset,
                        "committed_metadata": offsets[partition].metadata,
                        **({"committed_leader_epoch": offsets[partition].leader_epoch} if version >= _LEADER_EPOCHS else {}),
                    }
                    for partition in partitions
                ],
            }
            for topic, partitions in _grouped(offsets)
        ]
        return self._request(
            "txn_offset_commit",
            version,
            transactional_id=transactional_id,
            group_id=group,
            **_producer(producer),
            topics=topics,
            **membership,
        )

    def committed_offset(
        self, group: str, partition: TopicPartition, *, require_stable: bool = False, retry: bool = True
    ) -> Outcome[int | None]:
        """OffsetFetch: the offset that the group has committed for the partition, None for none and for a missing group."""
        match nothing_of_no_group(self.committed(group, partition, require_stable=require_stable, retry=retry)):
            case Done(CommittedOffset(offset)):
                return Done(offset)
            case Done():
                return Done(None)
            case trouble:
                return trouble

    def committed(
        self, group: str, partition: TopicPartition, *, require_stable: bool = False, retry: bool = True
    ) -> Outcome[CommittedOffset | None]:
        """OffsetFetch, with the metadata of the offset. Versions before 7 cannot require stable offsets."""
        version = self._offer.highest("offset_fetch", _SAYS_STABLE if require_stable else 1, 9)
        topics = [{"name": partition.topic, "partition_indexes": [partition.partition]}]
        asked = {"groups": [{"group_id": group, "topics": topics}]} if version >= _MANY_GROUPS else {"group_id": group, "topics": topics}
        stable = {"require_stable": require_stable} if version >= _SAYS_STABLE else {}
        message = self._request("offset_fetch", version, **asked, **stable)

        def read(answer: Any) -> Outcome[CommittedOffset | None]:
            entry = answer
            if version >= _MANY_GROUPS:
                entry = the_only([found for found in answer.groups if found.group_id == group], answer, f"group {group}")
            if getattr(entry, "error_code", ErrorCode.none) != ErrorCode.none:
                return refused(entry.error_code)
            result = partition_result(entry.topics, partition, answer)
            offset = CommittedOffset(int(result.committed_offset), result.metadata)
            return verdict(result.error_code, None if offset.offset == -1 else offset, str(partition))

        return self._read(CoordinatorOf(CoordinatorKind.GROUP, group), message, read, COORDINATOR_AWAY, retry=retry)

    def end_txn(
        self, transactional_id: str, producer: ProducerIdentity, *, commit: bool, version: int = 5, retry: bool = True
    ) -> Outcome[ProducerIdentity | None]:
        """EndTxn. From version 5 on the answer has the producer id and epoch to continue with; before, it has none."""
        message, read = self._end(transactional_id, producer, commit, version)
        return self._write(_coordinator(transactional_id), message, read, TO_COORDINATOR, retry=retry)

    def send_end_txn(
        self, transactional_id: str, producer: ProducerIdentity, *, commit: bool, version: int = 5
    ) -> Callable[[], Outcome[ProducerIdentity | None]]:
        """EndTxn, sent once, now; the caller awaits the answer, before this client sends its next request."""
        message, read = self._end(transactional_id, producer, commit, version)
        return self._send(_coordinator(transactional_id), message, read)

    def _end(
        self, transactional_id: str, producer: ProducerIdentity, commit: bool, version: int
    ) -> tuple[Any, Callable[[Any], Outcome[ProducerIdentity | None]]]:
        message = self._request("end_txn", version, transactional_id=transactional_id, **_producer(producer), committed=commit)

        def read(answer: Any) -> Outcome[ProducerIdentity | None]:
            if version < 5:
                return verdict(answer.error_code, None)
            return _producer_answered(answer)

        return message, read


def _coordinator(transactional_id: str) -> CoordinatorOf:
    return CoordinatorOf(CoordinatorKind.TRANSACTION, transactional_id)


def _producer(producer: ProducerIdentity) -> dict[str, int]:
    return {"producer_id": producer.producer_id, "producer_epoch": producer.epoch}


def _producer_answered(answer: Any) -> Outcome[ProducerIdentity]:
    """Producer id and epoch in an answer; those in a refusal are kept in its fields."""
    producer = ProducerIdentity(int(answer.producer_id), int(answer.producer_epoch))
    return verdict(answer.error_code, producer, producer_id=producer.producer_id, producer_epoch=producer.epoch)


def _grouped(partitions: Iterable[TopicPartition]) -> list[tuple[str, list[TopicPartition]]]:
    return [(topic, list(group)) for topic, group in groupby(sorted(partitions), key=lambda partition: partition.topic)]


def _by_topic(partitions: Iterable[TopicPartition]) -> list[dict[str, Any]]:
    return [{"name": topic, "partitions": [partition.partition for partition in group]} for topic, group in _grouped(partitions)]


def _partition_results(topics: Any, answer: Any, partitions: Iterable[TopicPartition]) -> PartitionResults:
    codes = {
        partition: partition_result(topics, partition, answer, results="results_by_partition").partition_error_code
        for partition in partitions
    }
    return {partition: verdict(code, None, str(partition)) for partition, code in codes.items()}


def _first_refusal(results: PartitionResults) -> Outcome[None]:
    """The first refusal that is a cause: if one partition is refused, the others are answered OPERATION_NOT_ATTEMPTED."""
    refusals = [result for result in results.values() if isinstance(result, Refused)]
    causes = [result for result in refusals if result.code != ErrorCode.operation_not_attempted]
    return next(iter(causes + refusals), Done(None))


def _offset_results(answer: Any, partitions: Iterable[TopicPartition]) -> PartitionResults:
    codes = {partition: partition_result(answer.topics, partition, answer).error_code for partition in partitions}
    return {partition: verdict(code, None, str(partition)) for partition, code in codes.items()}


def _unless_early(answer: T, results: Iterable[Done[None] | Refused]) -> Outcome[T]:
    """The answer by partition; a refusal that carries it if every partition has a retriable error."""
    results = list(results)
    early = [result for result in results if isinstance(result, Refused) and result.code in TO_COORDINATOR | LOOK_AGAIN]
    return replace(early[0], fields={_ANSWER: answer}) if len(early) == len(results) > 0 else Done(answer)


def _last_word(outcome: Outcome[T]) -> Outcome[T]:
    """The last answer by partition, also if patience ended while every partition had a retriable error."""
    match outcome:
        case Refused(fields=fields) if _ANSWER in fields:
            return Done(fields[_ANSWER])
        case _:
            return outcome
