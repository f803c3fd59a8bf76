"""Fields with which every request of the reference can be made."""

import dataclasses
import typing
from typing import Any

from fencepost.wire.kafka.batches import Batch, Record, encode

BATCH = encode(Batch((Record(b"v"),)))


PAIR = {"producer_id": 1000, "producer_epoch": 0}


TOPICS = [{"name": "t", "partitions": [0], "partition_indexes": [0]}]


RESOURCE = {"resource_type": 5, "resource_name": "x"}


ANY_RIGHT = {
    "resource_type_filter": 1,
    "resource_name_filter": None,
    "pattern_type_filter": 1,
    "principal_filter": None,
    "host_filter": None,
    "operation": 1,
    "permission_type": 1,
}


FIELDS: dict[str, dict[str, Any]] = {
    "add_offsets_to_txn": {"transactional_id": "x", **PAIR, "group_id": "g"},
    "add_partitions_to_txn": {
        "v3_and_below_transactional_id": "x",
        "v3_and_below_producer_id": 1000,
        "v3_and_below_producer_epoch": 0,
        "v3_and_below_topics": TOPICS,
        "transactions": [{"transactional_id": "x", **PAIR, "verify_only": False, "topics": TOPICS}],
    },
    "alter_partition_reassignments": {
        "topics": [{"name": "nowhere", "partitions": [{"partition_index": 0, "replicas": [1]}]}],
        "timeout": 1000,
    },
    "api_versions": {"client_software_name": "test", "client_software_version": "1"},
    "create_acls": {
        "creations": [{**RESOURCE, "resource_pattern_type": 3, "principal": "User:a", "host": "*", "operation": 4, "permission_type": 3}]
    },
    "create_topics": {"topics": [{"name": "u", "num_partitions": 1, "replication_factor": 1, "assignments": [], "configs": []}]},
    "delete_acls": {"filters": [ANY_RIGHT]},
    "delete_groups": {"groups_names": ["g"]},
    "delete_records": {"topics": [{"name": "t", "partitions": [{"partition_index": 0, "offset": 0}]}], "timeout": 1000},
    "delete_topics": {"topic_names": ["nowhere"], "topics": [{"name": "nowhere", "topic_id": None}], "timeout": 1000},
    "describe_acls": ANY_RIGHT,
    "describe_producers": {"topics": TOPICS},
    "describe_transactions": {"transactional_ids": ["x", "y", ""]},
    "end_txn": {"transactional_id": "x", **PAIR, "committed": False},
    "fetch": {
        "max_wait": 0,
        "min_bytes": 0,
        "isolation_level": 1,
        "forgotten_topics_data": [],
        "topics": [{"topic": "t", "topic_id": None, "partitions": [{"partition": 0, "fetch_offset": 0, "partition_max_bytes": 100}]}],
    },
    "find_coordinator": {"key": "x", "key_type": 1, "coordinator_keys": ["x", "y"]},
    "heartbeat": {"group_id": "g", "generation_id": 1, "member_id": "m"},
    "init_producer_id": {"transactional_id": "x", "transaction_timeout": 1000},
    "join_group": {
        "group_id": "g",
        "session_timeout": 6000,
        "rebalance_timeout": 6000,
        "member_id": "",
        "protocol_type": "consumer",
        "protocols": [{"name": "range", "metadata": b"wants"}],
    },
    "leave_group": {"group_id": "g", "member_id": "m", "members": [{"member_id": "m", "group_instance_id": None}]},
    "list_offsets": {
        "replica_id": -1,
        "isolation_level": 1,
        "timeout": 1000,
        "topics": [{"name": "t", "partitions": [{"partition_index": 0, "timestamp": -1}]}],
    },
    "list_transactions": {"state_filters": ["Empty", "empty"], "producer_id_filters": []},
    "metadata": {
        "topics": [{"name": "t", "topic_id": None}, {"name": "nowhere", "topic_id": None}],
        "include_topic_authorized_operations": False,
        "include_cluster_authorized_operations": False,
    },
    "update_features": {
        "feature_updates": [{"feature": "transaction.version", "max_version_level": 2, "allow_downgrade": False, "upgrade_type": 1}]
    },
    "offset_commit": {
        "group_id": "g",
        "generation_id_or_member_epoch": -1,
        "member_id": "",
        "topics": [{"name": "t", "partitions": [{"partition_index": 0, "committed_offset": 1, "committed_metadata": None}]}],
    },
    "offset_fetch": {
        "group_id": "g",
        "topics": [{"name": "t", "partition_indexes": [0]}],
        "groups": [{"group_id": "g", "topics": [{"name": "t", "topic_id": None, "partition_indexes": [0]}]}],
    },
    "produce": {
        "transactional_id": None,
        "acks": -1,
        "timeout": 1000,
        "topic_data": [{"name": "t", "topic_id": None, "partition_data": [{"index": 0, "records": BATCH}]}],
    },
    "sasl_authenticate": {"auth_bytes": b"\0a\0b"},
    "sasl_handshake": {"mechanism": "PLAIN"},
    "sync_group": {"group_id": "g", "generation_id": 1, "member_id": "m", "assignments": [{"member_id": "m", "assignment": b"all"}]},
    "txn_offset_commit": {
        "transactional_id": "x",
        "group_id": "g",
        **PAIR,
        "topics": [{"name": "t", "partitions": [{"partition_index": 0, "committed_offset": 1, "committed_metadata": None}]}],
    },
    "write_txn_markers": {"markers": [{**PAIR, "transaction_result": True, "coordinator_epoch": 0, "topics": TOPICS}]},
}


def fitting(entity: Any, fields: dict[str, Any]) -> dict[str, Any]:
    """The fields that this version has, at every depth."""
    hints = typing.get_type_hints(entity)
    names = {field.name for field in dataclasses.fields(entity)}
    return {name: _fitting_value(hints[name], value) for name, value in fields.items() if name in names}


def _fitting_value(kind: Any, value: Any) -> Any:
    waiting = [kind]
    while waiting:
        candidate = waiting.pop()
        if dataclasses.is_dataclass(candidate) and isinstance(value, list):
            return [fitting(candidate, item) for item in value]
        waiting += typing.get_args(candidate)
    return value
