"""Requests about several partitions, or several transactional ids, each sent once; the outcome has what was answered for each entry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kio.schema.errors import ErrorCode

from fencepost.contract.outcomes import Done, Outcome, Refused

from .cluster import AnyNode, CoordinatorKind, CoordinatorOf, LeaderOf
from .kafka_calls import KafkaCalls, partition_result, the_only
from .kafka_error_outcomes import COORDINATOR_AWAY, TO_LEADER, refused, verdict
from .kafka_values import IsolationLevel, TopicPartition

EntryResults = tuple[Done[None] | Refused, ...]
"""One for each entry of the request, in its order."""

_LATEST = -1
_TIMEOUT_MS = 10_000


class SeveralCalls(KafkaCalls):
    """Calls whose entries are answered one by one."""

    def describe_transactions(self, transactional_ids: Sequence[str]) -> Outcome[EntryResults]:
        """DescribeTransactions v0; all ids are known to the coordinator of the first, or to none."""
        message = self._request("describe_transactions", 0, transactional_ids=transactional_ids)

        def read(answer: Any) -> Outcome[EntryResults]:
            of_each = [[state for state in answer.transaction_states if state.transactional_id == one] for one in transactional_ids]
            found = [the_only(those, answer, one) for those, one in zip(of_each, transactional_ids, strict=True)]
            return Done(tuple(verdict(state.error_code, None) for state in found))

        target = CoordinatorOf(CoordinatorKind.TRANSACTION, transactional_ids[0])
        return self._read(target, message, read, COORDINATOR_AWAY, retry=False)

    def find_coordinators(self, transactional_ids: Sequence[str]) -> Outcome[EntryResults]:
        """FindCoordinator for transactional ids, in the newest version; the first one for several is 4."""
        message = self._request(
            "find_coordinator",
            self._offer.highest("find_coordinator", 4, 6),
            key_type=CoordinatorKind.TRANSACTION,
            coordinator_keys=transactional_ids,
        )

        def read(answer: Any) -> Outcome[EntryResults]:
            of_each = [[entry for entry in answer.coordinators if entry.key == one] for one in transactional_ids]
            found = [the_only(those, answer, one) for those, one in zip(of_each, transactional_ids, strict=True)]
            return Done(tuple(verdict(entry.error_code, None) for entry in found))

        return self._read(AnyNode(), message, read, COORDINATOR_AWAY, retry=False)

    def ask_leader(self, api: str, partitions: Sequence[TopicPartition]) -> Outcome[EntryResults]:
        """`describe_producers`, `list_offsets` or `delete_records` of these partitions, which one node leads. ListOffsets looks for the
        latest offset, DeleteRecords deletes nothing, since it is up to offset 0.
        """
        fields: dict[str, Any] = {"topics": [_topic(api, name, partitions) for name in dict.fromkeys(one.topic for one in partitions)]}
        version = 0
        if api == "list_offsets":
            fields, version = fields | {"replica_id": -1, "isolation_level": 0}, self._offer.highest(api, 2, 5)
        elif api == "delete_records":
            fields["timeout"] = _TIMEOUT_MS
        message = self._request(api, version, **fields)

        def read(answer: Any) -> Outcome[EntryResults]:
            found = [partition_result(answer.topics, partition, answer) for partition in partitions]
            return Done(tuple(verdict(result.error_code, None) for result in found))

        return self._write(LeaderOf(partitions[0]), message, read, TO_LEADER, retry=False)

    def end_offsets(self, partitions: Sequence[TopicPartition], isolation: IsolationLevel) -> Outcome[tuple[int, ...]]:
        """ListOffsets for the latest of these partitions, which one node leads, in one request. The first refusal is the outcome."""
        message = self._request(
            "list_offsets",
            self._offer.highest("list_offsets", 2, 9),
            replica_id=-1,
            isolation_level=isolation,
            topics=[_topic("list_offsets", name, partitions) for name in dict.fromkeys(one.topic for one in partitions)],
        )

        def read(answer: Any) -> Outcome[tuple[int, ...]]:
            found = [partition_result(answer.topics, partition, answer) for partition in partitions]
            wrong = next((result.error_code for result in found if result.error_code != ErrorCode.none), None)
            return Done(tuple(int(result.offset) for result in found)) if wrong is None else refused(wrong)

        return self._read(LeaderOf(partitions[0]), message, read, TO_LEADER)


def _topic(api: str, name: str, partitions: Sequence[TopicPartition]) -> dict[str, Any]:
    numbers = [one.partition for one in partitions if one.topic == name]
    if api == "describe_producers":
        return {"name": name, "partition_indexes": numbers}
    if api == "list_offsets":
        return {"name": name, "partitions": [{"partition_index": number, "timestamp": _LATEST} for number in numbers]}
    return {"name": name, "partitions": [{"partition_index": number, "offset": 0} for number in numbers]}
