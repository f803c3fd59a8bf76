"""The requests of a member of a consumer group: JoinGroup, SyncGroup, Heartbeat, LeaveGroup."""

from typing import Any

from kio.static.protocol import ResponsePayload

from fencepost.reference.kafka.group_records import Joining
from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.membership import JoinGroupResult
from fencepost.reference.kafka.node import KafkaNode
from fencepost.wire.kafka.entities import response

_NOT_JOINED = JoinGroupResult("", -1, "", "", {})


def join_group(node: KafkaNode, asked: Any) -> ResponsePayload:
    """Become a member, or join the next generation."""
    timeout_ms = round(asked.session_timeout.total_seconds() * 1000)
    protocols = {str(protocol.name): bytes(protocol.metadata) for protocol in asked.protocols}
    error, joined = Errors.NONE, _NOT_JOINED
    try:
        joining = Joining(asked.protocol_type, protocols, timeout_ms)
        joined = node.membership.join(asked.group_id, asked.member_id, joining, _instance(asked))
    except RequestRefused as refusal:
        error = refusal.error
    return response(
        asked,
        throttle_time=0,
        error_code=error,
        generation_id=joined.generation,
        protocol_type=asked.protocol_type,
        protocol_name=joined.protocol,
        leader=joined.leader,
        skip_assignment=False,
        member_id=joined.member,
        members=[{"member_id": member, "group_instance_id": None, "metadata": wants} for member, wants in joined.others.items()],
    )


def sync_group(node: KafkaNode, asked: Any) -> ResponsePayload:
    """Get an assignment; the leader brings those of all members."""
    error, assignment = Errors.NONE, b""
    brought = {str(entry.member_id): bytes(entry.assignment) for entry in asked.assignments}
    try:
        assignment = node.membership.sync(asked.group_id, int(asked.generation_id), asked.member_id, _instance(asked), brought)
    except RequestRefused as refusal:
        error = refusal.error
    named = {"protocol_type": getattr(asked, "protocol_type", None), "protocol_name": getattr(asked, "protocol_name", None)}
    return response(asked, throttle_time=0, error_code=error, assignment=assignment, **named)


def heartbeat(node: KafkaNode, asked: Any) -> ResponsePayload:
    """The member is alive."""
    error = Errors.NONE
    try:
        node.membership.heartbeat(asked.group_id, int(asked.generation_id), asked.member_id, _instance(asked))
    except RequestRefused as refusal:
        error = refusal.error
    return response(asked, throttle_time=0, error_code=error)


def leave_group(node: KafkaNode, asked: Any) -> ResponsePayload:
    """Leave: from version 3 on several members at a time, each by itself."""
    leaving = getattr(asked, "members", None)
    if leaving is None:
        return response(asked, throttle_time=0, error_code=_left(node, asked, asked))
    members = [
        {"member_id": entry.member_id, "group_instance_id": entry.group_instance_id, "error_code": _left(node, asked, entry)}
        for entry in leaving
    ]
    return response(asked, throttle_time=0, error_code=Errors.NONE, members=members)


def _left(node: KafkaNode, asked: Any, entry: Any) -> Errors:
    try:
        node.membership.leave(asked.group_id, entry.member_id, _instance(entry))
    except RequestRefused as refusal:
        return refusal.error
    return Errors.NONE


def _instance(asked: Any) -> str | None:
    """The instance of an application that asks, or is meant: none if the version has no field for it."""
    instance: str | None = getattr(asked, "group_instance_id", None)
    return instance
