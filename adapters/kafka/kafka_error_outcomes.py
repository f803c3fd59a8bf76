"""Kafka's error codes as outcomes, and those that a conforming raw client retries."""

from typing import Any, TypeVar

from kio.schema.errors import ErrorCode

from fencepost.contract.outcomes import Done, Outcome, Refused

T = TypeVar("T")

LOOK_AGAIN: frozenset[int] = frozenset(
    {ErrorCode.unknown_topic_or_partition, ErrorCode.leader_not_available, ErrorCode.not_leader_or_follower}
)
"""The leader is elsewhere, or not elected yet; a node may not know a new topic yet."""

COORDINATOR_AWAY: frozenset[int] = frozenset(
    {ErrorCode.coordinator_load_in_progress, ErrorCode.coordinator_not_available, ErrorCode.not_coordinator}
)
"""The coordinator is elsewhere, or not ready yet."""

TO_COORDINATOR: frozenset[int] = COORDINATOR_AWAY | {ErrorCode.concurrent_transactions}
"""Retried at a coordinator: it is away, or the last transaction's markers are still in flight."""

TO_LEADER: frozenset[int] = LOOK_AGAIN | {ErrorCode.not_enough_replicas}
"""Retried at a leader. A leader answers NOT_ENOUGH_REPLICAS to old clients when the coordinator is busy."""

ELSEWHERE: frozenset[int] = frozenset({ErrorCode.coordinator_load_in_progress, ErrorCode.not_coordinator, ErrorCode.not_leader_or_follower})
"""Errors about the node, and never about the request: retried even if a caller wants the first answer about the request."""

STALE_ROUTE: frozenset[int] = LOOK_AGAIN | {ErrorCode.coordinator_not_available, ErrorCode.not_coordinator}
"""Errors that show that the node known for a target is no longer the right one."""

NOT_YET: frozenset[int] = frozenset(
    {ErrorCode.leader_not_available, ErrorCode.coordinator_load_in_progress, ErrorCode.coordinator_not_available}
)
"""Errors in a look-up of a node that does not exist yet, but will."""

UNDECIDED: frozenset[int] = frozenset({ErrorCode.request_timed_out, ErrorCode.not_enough_replicas_after_append})
"""Errors that leave open whether a write was done; for a read they are refusals like others."""


def refused(code: ErrorCode, message: str | None = None, **fields: Any) -> Refused:
    """The refusal with an answer's error code."""
    return Refused(code.name.upper(), int(code), message, fields)


def nothing_of_no_group(outcome: Outcome[T | None]) -> Outcome[T | None]:
    """A group's committed offset; none if the broker answers that the group does not exist."""
    return Done(None) if isinstance(outcome, Refused) and outcome.code == ErrorCode.group_id_not_found else outcome


def verdict(code: ErrorCode, value: T, message: str | None = None, **fields: Any) -> Done[T] | Refused:
    """Done with the value if the code is no error, else the refusal."""
    return Done(value) if code is ErrorCode.none else refused(code, message, **fields)
