"""The cluster: ApiVersions, Metadata, CreateTopics, FindCoordinator."""

from typing import Any

from kio.static.protocol import ResponsePayload

from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.kafka_topics import FIRST_NODE, OFFSETS_TOPIC, TRANSACTIONS_TOPIC, KafkaTopic
from fencepost.reference.kafka.kafka_types import PartitionName
from fencepost.reference.kafka.node import KafkaNode
from fencepost.reference.kafka.partition_log import CompactionPolicy
from fencepost.wire.kafka.entities import API_KEYS, request, response

from .shapes import NOWHERE, key_type_of

_CLUSTER_ID = "fencepost-reference"
_TRANSACTION = 1
_COMPACTION = {"segment.ms": "segment_ms", "delete.retention.ms": "delete_retention_ms"}
_INTERNAL_TOPICS = {0: OFFSETS_TOPIC, _TRANSACTION: TRANSACTIONS_TOPIC}
"""By the key type of FindCoordinator: where the coordinator of a group, or of a transactional id, stores its state."""


def api_versions(node: KafkaNode, asked: Any) -> ResponsePayload:
    """What is served, and the features."""
    version = int(asked.__version__)
    return response(
        asked,
        error_code=Errors.NONE,
        api_keys=_ranges(node),
        throttle_time=0,
        supported_features=[
            {"name": name, "min_version": feature.supported[0], "max_version": feature.supported[1]}
            for name, feature in node.advertised_api_versions.supported(version).items()
        ],
        finalized_features_epoch=node.advertised_api_versions.features_epoch(),
        finalized_features=[
            {"name": name, "max_version_level": level, "min_version_level": level}
            for name, level in node.advertised_api_versions.finalized(version).items()
        ],
    )


def unsupported_api_versions(node: KafkaNode) -> ResponsePayload:
    """The answer to a version of ApiVersions that is not served: in version 0, which every client can read."""
    return response(request("api_versions", 0), error_code=Errors.UNSUPPORTED_VERSION, api_keys=_ranges(node))


def _ranges(node: KafkaNode) -> list[dict[str, int]]:
    return [
        {"api_key": API_KEYS[api], "min_version": lowest, "max_version": highest}
        for api, (lowest, highest) in sorted(node.advertised_api_versions.ranges().items(), key=lambda item: API_KEYS[item[0]])
    ]


def metadata(node: KafkaNode, asked: Any) -> ResponsePayload:
    """The nodes and the topics, all of them or those that are asked for."""
    wants_all = asked.topics is None or (asked.__version__ == 0 and not asked.topics)
    topics = (
        [_reported(node, topic) for topic in node.topics.all() if _is_shown(node, topic)]
        if wants_all
        else [_wanted(node, entry) for entry in asked.topics]
    )
    return response(
        asked,
        throttle_time=0,
        brokers=[{"node_id": node.ids.id_of(number), **_place(node, number), "rack": None} for number in node.numbers],
        cluster_id=_CLUSTER_ID,
        controller_id=node.ids.id_of(FIRST_NODE),
        topics=topics,
        error_code=Errors.NONE,
    )


def _wanted(node: KafkaNode, entry: Any) -> dict[str, Any]:
    topic_id = getattr(entry, "topic_id", None)
    if entry.name is None:
        topic = node.topics.with_id(topic_id)
        unknown = Errors.UNKNOWN_TOPIC_ID
    else:
        topic = node.topics.named(entry.name)
        unknown = Errors.UNKNOWN_TOPIC_OR_PARTITION
    if topic is not None and _is_shown(node, topic):
        return _reported(node, topic)
    return {"error_code": unknown, "name": entry.name, "topic_id": topic_id, "is_internal": False, "partitions": []}


def _is_shown(node: KafkaNode, topic: KafkaTopic) -> bool:
    return node.profile.own_topics == "shown" or not topic.is_internal


def _reported(node: KafkaNode, topic: KafkaTopic) -> dict[str, Any]:
    partitions = [
        {
            "error_code": Errors.NONE,
            "partition_index": number,
            "leader_id": node.ids.id_of(leader),
            "leader_epoch": node.topics.log(PartitionName(topic.name, number)).leader_epoch(),
            "replica_nodes": [node.ids.id_of(replica) for replica in (leader, *topic.followers[number])],
            "isr_nodes": [node.ids.id_of(replica) for replica in (leader, *topic.followers[number])],
            "offline_replicas": [],
        }
        for number, leader in enumerate(topic.leaders)
    ]
    return {
        "error_code": Errors.NONE,
        "name": topic.name,
        "topic_id": topic.topic_id,
        "is_internal": topic.is_internal,
        "partitions": partitions,
    }


def create_topics(node: KafkaNode, asked: Any) -> ResponsePayload:
    """Create topics, each by itself. There is one replica, unless an assignment names more; without one, nodes take turns.

    Most of a topic's configuration is how its log is stored and for how long, which has no effect here except for compaction, and how many
    replicas must have what is written, which is all of them here. So the rest is ignored.
    """
    results = []
    for wanted in asked.topics:
        # -1 leaves it to the broker, and an assignment counts the partitions by itself.
        partitions = len(wanted.assignments) or (1 if wanted.num_partitions == -1 else int(wanted.num_partitions))
        result: dict[str, Any] = {"name": wanted.name, "topic_id": None, "error_code": Errors.NONE, "error_message": None, "configs": []}
        try:
            if wanted.replication_factor not in (-1, 1):
                raise RequestRefused(Errors.INVALID_REPLICATION_FACTOR, f"{wanted.replication_factor} replicas, and there is one broker")
            node.topics.check_new(wanted.name, partitions)
            leaders, followers = _replicas(node, wanted, partitions)
            if not asked.validate_only:
                result["topic_id"] = node.topics.create(wanted.name, leaders, followers, _compaction(wanted)).topic_id
            result |= {"num_partitions": partitions, "replication_factor": 1 + len(followers[0])}
        except RequestRefused as refusal:
            result |= {"error_code": refusal.error, "error_message": refusal.message}
        results.append(result)
    return response(asked, throttle_time=0, topics=results)


def _compaction(wanted: Any) -> CompactionPolicy | None:
    """How a new topic is compacted, if it is. Raises RequestRefused: INVALID_CONFIG when a time is no number of milliseconds."""
    configs = {entry.name: entry.value for entry in wanted.configs}
    if "compact" not in (configs.get("cleanup.policy") or "").split(","):
        return None
    times = {name: configs[name] for name in _COMPACTION if configs.get(name) is not None}
    for name, value in times.items():
        if not value.isdecimal():
            raise RequestRefused(Errors.INVALID_CONFIG, f"{name} is {value!r}, expected milliseconds")
    return CompactionPolicy(**{_COMPACTION[name]: int(value) for name, value in times.items()})


def _replicas(node: KafkaNode, wanted: Any, partitions: int) -> tuple[list[int], list[tuple[int, ...]]]:
    """The node that leads each partition of a new topic, and those that follow; as many for each."""
    if not wanted.assignments:
        return [node.numbers[number % len(node.numbers)] for number in range(partitions)], [()] * partitions
    numbers = {node.ids.id_of(number): number for number in node.numbers}
    assigned = {int(entry.partition_index): tuple(int(node_id) for node_id in entry.broker_ids) for entry in wanted.assignments}
    ids = [assigned.get(number, ()) for number in range(partitions)]
    known = all(len(nodes) == len(set(nodes) & set(numbers)) for nodes in ids)
    if not known or {len(nodes) for nodes in ids} != {max(1, len(ids[0]))}:
        raise RequestRefused(Errors.INVALID_REPLICA_ASSIGNMENT, f"assigned: {assigned}; there are the nodes {list(numbers)}")
    replicas = [tuple(numbers[node_id] for node_id in nodes) for nodes in ids]
    return [nodes[0] for nodes in replicas], [nodes[1:] for nodes in replicas]


def _place(node: KafkaNode, number: int) -> dict[str, Any]:
    address = node.address.of_node(number)
    return {"host": address.host, "port": address.port}


def find_coordinator(node: KafkaNode, asked: Any) -> ResponsePayload:
    """The coordinator's node, for each key."""
    key_type = key_type_of(asked)
    error, message = _coordinator_error(node, key_type)

    def place(key: str) -> dict[str, Any]:
        if error:
            return {**NOWHERE, "error_code": error, "error_message": message}
        number = node.directory.coordinator_of(key) if key_type == _TRANSACTION else FIRST_NODE
        return {"node_id": node.ids.id_of(number), **_place(node, number), "error_code": Errors.NONE, "error_message": None}

    if asked.__version__ >= 4:
        return response(asked, throttle_time=0, coordinators=[{"key": key, **place(key)} for key in asked.coordinator_keys])
    return response(asked, throttle_time=0, **place(asked.key))


def _coordinator_error(node: KafkaNode, key_type: int) -> tuple[Errors, str | None]:
    if key_type not in _INTERNAL_TOPICS:
        return Errors.INVALID_REQUEST, f"key type {key_type} is not known here"
    if node.topics.create_internal(_INTERNAL_TOPICS[key_type]):
        return Errors.COORDINATOR_NOT_AVAILABLE, f"{_INTERNAL_TOPICS[key_type]} is only now being made"
    return Errors.NONE, None
