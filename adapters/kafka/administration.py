"""The calls by which an administrator moves partitions, and changes feature levels."""

from __future__ import annotations

from typing import Any

from kio.schema.errors import ErrorCode

from fencepost.adapters.common.address import Address
from fencepost.contract.errors import NotOffered
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown

from .cluster import AnyNode, LeaderOf
from .fetch_calls import LATEST, ReadingCalls
from .kafka_calls import partition_result
from .kafka_error_outcomes import verdict
from .kafka_values import TRANSACTIONS, IsolationLevel, TopicPartition

_TIMEOUT_MS = 10_000
_NO_EPOCH = -1
_UPGRADE, _SAFE_DOWNGRADE = 1, 2
_RESULTS_UP_TO = 1
"""Up to this version UpdateFeatures has a result for each feature; later versions have one result for all."""


class AdministrationCalls(ReadingCalls):
    """Calls that only an administrator makes."""

    def move_partition(self, partition: TopicPartition, node: int) -> Outcome[None]:
        """AlterPartitionReassignments to this node; returns when Metadata names it leader, it answers as one, and the former one does not.

        A former leader that has not learnt of the change still answers readers, from its old log; a new one refuses writers.
        """
        match self._cluster.topic(partition.topic):
            case Done(before):
                former = before.leaders.get(partition.partition)
            case trouble:
                return trouble
        return self.reassign(partition, node).then(lambda _: self._await_leader(partition, node, former))

    def reassign(self, partition: TopicPartition, node: int) -> Outcome[None]:
        """AlterPartitionReassignments to the one node with this number, without a wait."""
        match self._cluster.nodes():
            case Done(nodes):
                replicas = [nodes.id_of(node)]
            case trouble:
                return trouble
        wanted = [{"name": partition.topic, "partitions": [{"partition_index": partition.partition, "replicas": replicas}]}]
        message = self._request("alter_partition_reassignments", 0, timeout=_TIMEOUT_MS, topics=wanted)

        def read(answer: Any) -> Outcome[None]:
            if answer.error_code:
                return verdict(answer.error_code, None, answer.error_message)
            result = partition_result(answer.responses, partition, answer)
            return verdict(result.error_code, None, result.error_message)

        return self._write(AnyNode(), message, read, frozenset())

    def _await_leader(self, partition: TopicPartition, node: int, former: Address | None) -> Outcome[None]:
        last: object = "no request was sent"
        for _ in self._time.attempts():
            match self._cluster.nodes(), self._cluster.topic(partition.topic):
                case Done(nodes), Done(topic) if (leader := nodes.address_of(node)) == topic.leaders.get(partition.partition):
                    epoch = topic.leader_epochs.get(partition.partition, _NO_EPOCH)
                    earlier = self._epoch_led(former, partition) if former and former != leader else None
                    if earlier is not None and earlier < epoch:
                        last = f"{former} still answers as the leader before epoch {epoch}"
                    elif self._epoch_led(leader, partition) is None:
                        last = f"{leader} does not answer as the leader yet"
                    else:
                        self._cluster.forget(LeaderOf(partition))
                        return Done(None)
                case _, outcome:
                    last = outcome
        return Unknown(f"{partition} was to be led by node {node}, but that did not come about: {last}")

    def _epoch_led(self, address: Address, partition: TopicPartition) -> int | None:
        """The leader epoch by which that node answers ListOffsets; None if it does not answer as a leader."""
        answer = self._cluster.call(address, self._list_offsets(partition, IsolationLevel.READ_UNCOMMITTED, LATEST))
        if not isinstance(answer, Done):
            return None
        result = partition_result(answer.value.topics, partition, answer.value)
        return int(result.leader_epoch) if result.error_code == ErrorCode.none else None

    def move_coordinator(self, transactional_id: str, node: int) -> Outcome[None]:
        """Move the partition of __transaction_state that has this transactional id."""
        return self.partition_of(transactional_id, TRANSACTIONS).then(lambda partition: self.move_partition(partition, node))

    def partition_of(self, key: str, topic: str) -> Outcome[TopicPartition]:
        """The partition of an internal topic that has a transactional id or a group.

        Raises NotOffered if Metadata shows no such topic: brokers may keep this state in another way.
        """
        match self._cluster.topic(topic):
            case Done(found):
                return Done(TopicPartition(topic, _hash(key) % found.partitions))
            case Refused(error="UNKNOWN_TOPIC_OR_PARTITION"):
                raise NotOffered(f"a topic {topic} that clients see")
            case trouble:
                return trouble

    def update_feature(self, feature: str, level: int, *, lower: bool, validate_only: bool = False) -> Outcome[None]:
        """UpdateFeatures: set a feature to another level. `lower` allows a level below the present one."""
        version = self._offer.highest("update_features", 1, 2)
        kind = _SAFE_DOWNGRADE if lower else _UPGRADE
        message = self._request(
            "update_features",
            version,
            timeout=_TIMEOUT_MS,
            feature_updates=[{"feature": feature, "max_version_level": level, "upgrade_type": kind}],
            validate_only=validate_only,
        )

        def read(answer: Any) -> Outcome[None]:
            results = answer.results if version <= _RESULTS_UP_TO else ()
            for part in (answer, *results):
                if part.error_code:
                    return verdict(part.error_code, None, part.error_message)
            return verdict(answer.error_code, None)

        return self._write(AnyNode(), message, read, frozenset())


def _hash(text: str) -> int:
    """Kafka's choice of a partition for a key: Java's hash of a text, without its sign."""
    value = 0
    for letter in text:
        value = (31 * value + ord(letter)) % 2**32
    return value % 2**31
