"""The call that creates a topic, and waits until it can be used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from kio.schema.errors import ErrorCode

from fencepost.contract.outcomes import Done, Outcome, Unknown

from .cluster import AnyNode, TopicMetadata
from .kafka_calls import KafkaCalls, the_only
from .kafka_error_outcomes import verdict
from .kafka_values import TopicMade

_BROKER_TIMEOUT_MS = 5_000
_REPORTS_THE_ID = 7
_SAYS_WHETHER_TO_MAKE = 4
_SAYS_WHAT_IS_ALLOWED = 8
_ALLOWED_IN_THE_CLUSTER_UP_TO = 10
"""The first versions of Metadata, and the last one, that have the fields of these names."""


class TopicCalls(KafkaCalls):
    """Creating topics."""

    def create_topic(
        self,
        name: str,
        partitions: int,
        configs: Mapping[str, str] = MappingProxyType({}),
        leaders: Sequence[int] = (),
        followers: Sequence[int] = (),
    ) -> Outcome[None]:
        """CreateTopics with these configurations; waits until every partition has a leader: these nodes, if `leaders` names them.

        There is one replica, and one more on each of the followers.

        On a system without CreateTopics, Metadata creates the topic, which may get more partitions; configurations are not possible there.
        """
        if "create_topics" not in self._offer.apis and not configs and not leaders:
            return self._await_leaders(name, partitions, create=True)
        return self.make_topic(name, partitions, configs=configs, leaders=leaders, followers=followers).then(
            lambda _: self._await_leaders(name, partitions)
        )

    def make_topic(
        self,
        name: str,
        partitions: int,
        *,
        replicas: int = 1,
        configs: Mapping[str, str] = MappingProxyType({}),
        leaders: Sequence[int] = (),
        followers: Sequence[int] = (),
        validate_only: bool = False,
    ) -> Outcome[TopicMade | None]:
        """CreateTopics, without a wait; None if the answer has no details of the topic. Leaders and followers are node numbers."""
        assigned: list[list[int]] = []
        if leaders:
            match self._cluster.nodes():
                case Done(nodes):
                    assigned = [[nodes.id_of(number) for number in (leader, *followers)] for leader in leaders]
                case trouble:
                    return trouble
        message = self._request(
            "create_topics",
            self._offer.highest("create_topics", 2, 7),
            topics=[
                {
                    "name": name,
                    # A client that assigns partitions sends -1 for both.
                    "num_partitions": -1 if leaders else partitions,
                    "replication_factor": -1 if leaders else replicas,
                    "assignments": [{"partition_index": number, "broker_ids": ids} for number, ids in enumerate(assigned)],
                    "configs": [{"name": key, "value": value} for key, value in configs.items()],
                }
            ],
            timeout=_BROKER_TIMEOUT_MS,
            validate_only=validate_only,
        )

        def read(answer: Any) -> Outcome[TopicMade | None]:
            result = the_only([topic for topic in answer.topics if topic.name == name], answer, name)
            made = None
            if answer.__version__ >= _REPORTS_THE_ID and not validate_only:
                made = TopicMade(result.topic_id, int(result.num_partitions), int(result.replication_factor))
            return verdict(result.error_code, made, result.error_message)

        return self._write(AnyNode(), message, read, frozenset({ErrorCode.not_controller}))

    def topic(self, name: str) -> Outcome[TopicMetadata]:
        """The topic of that name as Metadata has it."""
        return self._cluster.topic(name)

    def leader_nodes(self, name: str) -> Outcome[dict[int, int]]:
        """The nodes that lead the partitions of a topic, by the partitions' numbers."""
        nodes, topic = self._cluster.nodes(), self._cluster.topic(name)
        if not isinstance(nodes, Done):
            return nodes
        if not isinstance(topic, Done):
            return topic
        return Done({partition: nodes.value.number_at(leader) for partition, leader in topic.value.leaders.items()})

    def node_numbers(self) -> Outcome[list[int]]:
        """The numbers of the nodes that Metadata names."""
        nodes = self._cluster.nodes()
        return Done(nodes.value.numbers) if isinstance(nodes, Done) else nodes

    def topics_reported(self, asked: list[dict[str, Any]] | None, version: int) -> Outcome[dict[str, int]]:
        """Metadata of that version, for these topics by name or id, or for all: the number of partitions of each known topic."""
        fields: dict[str, Any] = {} if version < _SAYS_WHETHER_TO_MAKE else {"allow_auto_topic_creation": False}
        if version >= _SAYS_WHAT_IS_ALLOWED:
            fields["include_topic_authorized_operations"] = False
            if version <= _ALLOWED_IN_THE_CLUSTER_UP_TO:
                fields["include_cluster_authorized_operations"] = False

        def read(answer: Any) -> Outcome[dict[str, int]]:
            return Done({str(topic.name): len(topic.partitions) for topic in answer.topics if topic.error_code == ErrorCode.none})

        return self._read(AnyNode(), self._request("metadata", version, topics=asked, **fields), read, frozenset())

    def _await_leaders(self, name: str, partitions: int, *, create: bool = False) -> Outcome[None]:
        last: object = "no request was sent"
        for _ in self._time.attempts():
            match self._cluster.topic(name, create=create):
                case Done(topic) if len(topic.leaders) == topic.partitions >= partitions:
                    return Done(None)
                case Done(topic):
                    last = f"of {topic.partitions} partitions {len(topic.leaders)} have one"
                case trouble:
                    last = trouble
        return Unknown(f"{name} was made, but Metadata does not name a leader for each of its {partitions} partitions: {last}")
