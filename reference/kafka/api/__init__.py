"""Kafka's messages; only this package knows them. Each request becomes a call with plain values, and the answer is built from its result.

A handler states its answer once, for all versions: `entities.response` leaves out what a version does not have. The profile decides which
versions are served; the connection of a client that sends another one is closed, except for ApiVersions, whose answer lists them.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

from kio.static.protocol import RequestPayload, ResponsePayload

from fencepost.reference.kafka.node import KafkaNode
from fencepost.reference.kernel.rules import rule
from fencepost.wire.kafka.entities import api_of

from .acl_requests import create_acls, delete_acls, describe_acls
from .authorisation import authorised
from .cluster import api_versions, create_topics, find_coordinator, metadata, unsupported_api_versions
from .data import fetch, list_offsets, produce
from .deleting import delete_groups, delete_records, delete_topics
from .features import update_features
from .groups import offset_commit, offset_fetch, txn_offset_commit
from .marker_requests import write_txn_markers
from .membership_requests import heartbeat, join_group, leave_group, sync_group
from .moving import alter_partition_reassignments
from .observation import describe_producers, describe_transactions, list_transactions
from .producer_requests import add_offsets_to_txn, add_partitions_to_txn, end_txn, init_producer_id
from .sasl_requests import sasl_authenticate, sasl_handshake

_Handler: TypeAlias = Callable[[KafkaNode, Any], ResponsePayload]

_HANDLERS: dict[str, _Handler] = {
    "add_offsets_to_txn": add_offsets_to_txn,
    "add_partitions_to_txn": add_partitions_to_txn,
    "alter_partition_reassignments": alter_partition_reassignments,
    "api_versions": api_versions,
    "create_acls": create_acls,
    "create_topics": create_topics,
    "delete_acls": delete_acls,
    "delete_groups": delete_groups,
    "delete_records": delete_records,
    "delete_topics": delete_topics,
    "describe_acls": describe_acls,
    "describe_producers": describe_producers,
    "describe_transactions": describe_transactions,
    "end_txn": end_txn,
    "fetch": fetch,
    "find_coordinator": find_coordinator,
    "heartbeat": heartbeat,
    "init_producer_id": init_producer_id,
    "join_group": join_group,
    "leave_group": leave_group,
    "list_offsets": list_offsets,
    "list_transactions": list_transactions,
    "metadata": metadata,
    "offset_commit": offset_commit,
    "offset_fetch": offset_fetch,
    "produce": produce,
    "sasl_authenticate": sasl_authenticate,
    "sasl_handshake": sasl_handshake,
    "sync_group": sync_group,
    "txn_offset_commit": txn_offset_commit,
    "update_features": update_features,
    "write_txn_markers": write_txn_markers,
}


def answer(node: KafkaNode, request: RequestPayload, principal: str) -> ResponsePayload | None:
    """The answer to a request of that principal; None if the connection is closed instead."""
    api = api_of(request)
    if not node.advertised_api_versions.serves(api, int(request.__version__)):
        return refusal(node, api)
    handler = _HANDLERS.get(api)
    return None if handler is None else authorised(node, principal, request, handler)


def refusal(node: KafkaNode, api: str | None) -> ResponsePayload | None:
    """The answer to a version of an API that is not served, and perhaps not even readable; `api` is None for an unknown one."""
    rule("KIP890-008")
    return unsupported_api_versions(node) if api == "api_versions" else None
