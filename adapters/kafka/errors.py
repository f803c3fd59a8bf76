"""Kafka's error codes, as outcomes, and which of them a conforming raw client answers by asking again."""

from typing import Any, TypeVar

from kio.schema.errors import ErrorCode

from fencepost.contract.outcomes import Done, Outcome, Refused

T = TypeVar("T")

LOOK_AGAIN: frozenset[int] = frozenset(
    {ErrorCode.unknown_topic_or_partition, ErrorCode.leader_not_available, ErrorCode.not_leader_or_follower}
)
"""The leader is elsewhere, or not yet anywhere; a topic that was just made may be unknown to a node."""

COORDINATOR_AWAY: frozenset[int] = frozenset(
    {ErrorCode.coordinator_load_in_progress, ErrorCode.coordinator_not_available, ErrorCode.not_coordinator}
)
"""The coordinator is elsewhere, or not yet ready."""

TO_COORDINATOR: frozenset[int] = COORDINATOR_AWAY | {ErrorCode.concurrent_transactions}
"""Asked again of a coordinator: it is away, or the last transaction's markers are still on their way."""

TO_LEADER: frozenset[int] = LOOK_AGAIN | {ErrorCode.not_enough_replicas}
"""Asked again of a leader. A leader answers NOT_ENOUGH_REPLICAS to old clients when the coordinator is busy."""

ELSEWHERE: frozenset[int] = frozenset({ErrorCode.coordinator_load_in_progress, ErrorCode.not_coordinator, ErrorCode.not_leader_or_follower})
"""Said of the node, and never of what was asked: asked again also where a caller wants the first answer about that."""

STALE_ROUTE: frozenset[int] = LOOK_AGAIN | {ErrorCode.coordinator_not_available, ErrorCode.not_coordinator}
"""What was known about the right node is no longer so."""

NOT_YET: frozenset[int] = frozenset(
    {ErrorCode.leader_not_available, ErrorCode.coordinator_load_in_progress, ErrorCode.coordinator_not_available}
)
"""Said of a node that is asked for: there will be one."""

UNDECIDED: frozenset[int] = frozenset({ErrorCode.request_timed_out, ErrorCode.not_enough_replicas_after_append})
"""The broker itself does not say whether a write was done; to a read these are refusals like others."""


def refused(code: ErrorCode, message: str | None = None, **fields: Any) -> Refused:
    """The refusal that an answer's error code stands for."""
    return Refused(code.name.upper(), int(code), message, fields)


def nothing_of_no_group(outcome: Outcome[T | None]) -> Outcome[T | None]:
    """What a group has committed: nothing, where the broker says that there is no such group."""
    return Done(None) if isinstance(outcome, Refused) and outcome.code == ErrorCode.group_id_not_found else outcome


def verdict(code: ErrorCode, value: T, message: str | None = None, **fields: Any) -> Done[T] | Refused:
    """Done with the value where the code is no error."""
    return Done(value) if code is ErrorCode.none else refused(code, message, **fields)
