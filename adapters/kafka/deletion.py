"""The calls by which an administrator deletes topics, records and groups."""

from __future__ import annotations

import uuid
from typing import Any

from kio.schema.errors import ErrorCode

from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown

from .cluster import AnyNode, CoordinatorKind, CoordinatorOf, LeaderOf
from .kafka_calls import KafkaCalls, partition_result, the_only
from .kafka_error_outcomes import COORDINATOR_AWAY, TO_LEADER, verdict
from .kafka_values import TopicPartition

_TIMEOUT_MS = 10_000
_BY_NAME_OR_ID = 6
"""From this version on DeleteTopics names a topic by name or by id."""

_HIGH_WATERMARK = -1


class DeletionCalls(KafkaCalls):
    """Calls that only an administrator makes."""

    def delete_topic(self, name: str) -> Outcome[uuid.UUID | None]:
        """DeleteTopics, and wait until Metadata no longer has the topic; returns its topic id, None if the version has no ids."""
        version = self._offer.highest("delete_topics", 1, _BY_NAME_OR_ID)
        match self.ask_to_delete_topic(version, name):
            case Done(topic_id) if self.is_without_topic(name):
                return Done(topic_id)
            case Done():
                return Unknown(f"{name} was deleted, but Metadata still knows it")
            case trouble:
                return trouble

    def ask_to_delete_topic(self, version: int, name: str | None, topic_id: uuid.UUID | None = None) -> Outcome[uuid.UUID | None]:
        """DeleteTopics of that version for one topic, by name or by id, without a wait; returns the id in the answer (from v6 on)."""
        wanted: dict[str, Any] = {"topic_names": [name]}
        if version >= _BY_NAME_OR_ID:
            wanted = {"topics": [{"name": name, "topic_id": topic_id}]}
        message = self._request("delete_topics", version, timeout=_TIMEOUT_MS, **wanted)

        def read(answer: Any) -> Outcome[uuid.UUID | None]:
            result = the_only(answer.responses, answer, name or topic_id)
            return verdict(result.error_code, getattr(result, "topic_id", None), getattr(result, "error_message", None))

        return self._write(AnyNode(), message, read, frozenset({ErrorCode.not_controller}))

    def is_without_topic(self, name: str) -> bool:
        """Whether Metadata stops naming a topic of that name before patience ends."""
        for _ in self._time.attempts():
            match self._cluster.topic(name):
                case Refused(code=ErrorCode.unknown_topic_or_partition):
                    return True
                case _:
                    pass
        return False

    def topic_id(self, name: str) -> Outcome[uuid.UUID | None]:
        """The id of a topic in Metadata."""
        return self._cluster.topic(name).converted(lambda topic: topic.topic_id)

    def delete_records(self, partition: TopicPartition, before: int = _HIGH_WATERMARK) -> Outcome[int]:
        """DeleteRecords before that offset, or up to the high watermark; returns the log's new start offset."""
        wanted = {"partition_index": partition.partition, "offset": before}
        message = self._request(
            "delete_records",
            self._offer.highest("delete_records", 0, 2),
            topics=[{"name": partition.topic, "partitions": [wanted]}],
            timeout=_TIMEOUT_MS,
        )

        def read(answer: Any) -> Outcome[int]:
            result = partition_result(answer.topics, partition, answer)
            return verdict(result.error_code, int(result.low_watermark))

        return self._write(LeaderOf(partition), message, read, TO_LEADER)

    def delete_group(self, group: str) -> Outcome[None]:
        """DeleteGroups for one group."""
        message = self._request("delete_groups", self._offer.highest("delete_groups", 0, 2), groups_names=[group])

        def read(answer: Any) -> Outcome[None]:
            return verdict(the_only([entry for entry in answer.results if entry.group_id == group], answer, group).error_code, None)

        return self._write(CoordinatorOf(CoordinatorKind.GROUP, group), message, read, COORDINATOR_AWAY | TO_LEADER)
