"""The offsets that a group has committed, by OffsetFetch in each of its versions."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from kio.schema.errors import ErrorCode

from fencepost.contract.outcomes import Done, Outcome, Refused

from .cluster import CoordinatorKind, CoordinatorOf
from .kafka_calls import KafkaCalls, partition_result, the_only
from .kafka_error_outcomes import COORDINATOR_AWAY, refused, verdict
from .kafka_values import FetchedOffset, TopicPartition

_MANY_GROUPS, _BY_ID, _SAYS_STABLE = 8, 10, 7
"""The first versions that have several groups, topic ids, and the choice of stable offsets."""

_LEADER_EPOCHS = 5


class GroupOffsetCalls(KafkaCalls):
    """A group's offsets, as a consumer of a given version requests them."""

    def fetch_offsets(
        self, group: str, partitions: Sequence[TopicPartition] | None, version: int, topic_ids: Mapping[str, uuid.UUID]
    ) -> Outcome[Mapping[TopicPartition, FetchedOffset]]:
        """OffsetFetch without stable offsets, of all partitions if `partitions` is None. The first refusal is the outcome."""
        self._offer.check("offset_fetch", version)
        named = None if partitions is None else [self._topic(partition, version, topic_ids) for partition in partitions]
        stable = {"require_stable": False} if version >= _SAYS_STABLE else {}
        groups = {"groups": [{"group_id": group, "topics": named}]} if version >= _MANY_GROUPS else {"group_id": group, "topics": named}
        names = {topic_id: name for name, topic_id in topic_ids.items()}

        def read(answer: Any) -> Outcome[Mapping[TopicPartition, FetchedOffset]]:
            topics = [topic for entry in getattr(answer, "groups", (answer,)) for topic in entry.topics]
            found: dict[TopicPartition, FetchedOffset] = {}
            for topic in topics:
                name = names.get(topic.topic_id, str(topic.topic_id)) if version >= _BY_ID else topic.name
                for one in topic.partitions:
                    if one.error_code is not ErrorCode.none:
                        return refused(one.error_code)
                    epoch = int(one.committed_leader_epoch) if version >= _LEADER_EPOCHS else None
                    offset = FetchedOffset(int(one.committed_offset), epoch, one.metadata)
                    found[TopicPartition(name, int(one.partition_index))] = offset
            return Done(found)

        message = self._request("offset_fetch", version, **groups, **stable)
        return self._read(CoordinatorOf(CoordinatorKind.GROUP, group), message, read, COORDINATOR_AWAY)

    def stable_offsets(
        self, asked: Sequence[tuple[str, TopicPartition]]
    ) -> Outcome[Mapping[tuple[str, TopicPartition], Done[None] | Refused]]:
        """One OffsetFetch that requires stable offsets, of these partitions of these groups; what it answers for each.

        Several groups need version 8, and one coordinator. The refusal of a group is the outcome.
        """
        groups = list(dict.fromkeys(group for group, _ in asked))
        version = self._offer.highest("offset_fetch", _SAYS_STABLE if len(groups) == 1 else _MANY_GROUPS, 9)
        entries = [{"group_id": group, "topics": _topics([where for name, where in asked if name == group])} for group in groups]
        fields: dict[str, Any] = {"groups": entries} if version >= _MANY_GROUPS else entries[0]

        def read(answer: Any) -> Outcome[Mapping[tuple[str, TopicPartition], Done[None] | Refused]]:
            found = {entry.group_id: entry for entry in answer.groups} if version >= _MANY_GROUPS else {groups[0]: answer}
            of_each = {group: the_only([found[group]] if group in found else [], answer, f"group {group}") for group in groups}
            wrong = next((entry.error_code for entry in of_each.values() if entry.error_code != ErrorCode.none), None)
            if wrong is not None:
                return refused(wrong)
            results = {(group, where): partition_result(of_each[group].topics, where, answer) for group, where in asked}
            return Done({one: verdict(result.error_code, None, str(one[1])) for one, result in results.items()})

        message = self._request("offset_fetch", version, **fields, require_stable=True)
        return self._read(CoordinatorOf(CoordinatorKind.GROUP, groups[0]), message, read, COORDINATOR_AWAY)

    @staticmethod
    def _topic(partition: TopicPartition, version: int, topic_ids: Mapping[str, uuid.UUID]) -> dict[str, Any]:
        key = {"topic_id": topic_ids[partition.topic]} if version >= _BY_ID else {"name": partition.topic}
        return {**key, "partition_indexes": [partition.partition]}


def _topics(partitions: Sequence[TopicPartition]) -> list[dict[str, Any]]:
    names = dict.fromkeys(partition.topic for partition in partitions)
    return [{"name": name, "partition_indexes": [one.partition for one in partitions if one.topic == name]} for name in names]
