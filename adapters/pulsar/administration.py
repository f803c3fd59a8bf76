"""The admin calls: changes of topics and namespaces, and what the system reports about transactions.

An answer with another status than 2xx is a refusal with that number. For a change, a status from 500 on leaves open whether it was done; a
call that only reads is retried then, while the session is patient.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, TypeVar

from fencepost.contract.errors import Malformed
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.wire.pulsar.admin import AdminAnswer, AdminRequest

from .pulsar_calls import PulsarCalls
from .pulsar_values import (
    BufferStats,
    CoordinatorStats,
    EntryPosition,
    LogStats,
    PendingAckStats,
    ReportedStatus,
    SubscriptionHandle,
    TransactionId,
    TransactionInBuffer,
    TransactionMetadata,
)

T = TypeVar("T")

_SERVER_TROUBLE = 500
_SHOWN = 200
_RECOVERING = frozenset({"None", "Initializing"})
_RECOVERED_WITHIN_S = 120.0
"""Ample: after a crash of its broker, a buffer of Pulsar 4.0.7 on a busy machine needed more than 20 s."""


class AdminCalls(PulsarCalls):
    """Calls that an administrator makes. Topics have their full names: persistent://tenant/namespace/topic."""

    # --- topics and namespaces ------------------------------------------------------------------------------------------------

    def create_topic(self, topic: str) -> Outcome[None]:
        """Create a topic without partitions."""
        return self._change("PUT", _topic("v2", topic))

    def create_partitioned_topic(self, topic: str, partitions: int) -> Outcome[None]:
        """Create a topic whose partitions are separate topics, named TOPIC-partition-N."""
        return self._change("PUT", f"{_topic('v2', topic)}/partitions", body=partitions)

    def partitions(self, topic: str, *, retry: bool = True) -> Outcome[int]:
        """PARTITIONED_METADATA: the number of partitions that the broker reports to clients; 0 if the topic has none."""
        return self._patiently(lambda: self._client.partitions(topic), lambda outcome: isinstance(outcome, Unknown), retry=retry)

    def delete_topic(self, topic: str) -> Outcome[None]:
        """Delete a topic with its subscriptions, even if it is in use."""
        return self._change("DELETE", _topic("v2", topic), {"force": "true"})

    def terminate_topic(self, topic: str) -> Outcome[None]:
        """Terminate a topic: it accepts no more messages."""
        return self._change("POST", f"{_topic('v2', topic)}/terminate")

    def unload_topic(self, topic: str) -> Outcome[None]:
        """Make the broker drop its memory of a topic; at the next use the broker loads the topic from what is durable.

        Done also means that every client of the session was notified that its producers and consumers there are closed.
        """
        unloaded = self._change("PUT", f"{_topic('v2', topic)}/unload")
        if isinstance(unloaded, Done):
            self._client.attached.await_closed(lambda attached: attached == topic, self._time)
        return unloaded

    def compact_topic(self, topic: str) -> Outcome[None]:
        """Request the compaction of a topic; the broker answers before it is done."""
        return self._change("PUT", f"{_topic('v2', topic)}/compaction")

    def compaction(self, topic: str) -> Outcome[str]:
        """The state of a topic's last compaction: NOT_RUN, RUNNING, SUCCESS or ERROR."""
        return self._look(f"{_topic('v2', topic)}/compaction", lambda answer: str(answer["status"]))

    def create_namespace(self, namespace: str) -> Outcome[None]:
        """Create a namespace, such as public/other."""
        return self._change("PUT", f"/admin/v2/namespaces/{namespace}", body={})

    def unload_namespace(self, namespace: str) -> Outcome[None]:
        """Unload all topics of a namespace, with the wait of `unload_topic`."""
        unloaded = self._change("PUT", f"/admin/v2/namespaces/{namespace}/unload")
        if isinstance(unloaded, Done):
            self._client.attached.await_closed(lambda attached: _path(attached).startswith(f"{namespace}/"), self._time)
        return unloaded

    def set_deduplication(self, namespace: str, enabled: bool) -> Outcome[None]:
        """Switch on or off, for the topics of a namespace, that the broker recognises messages that their producers repeat."""
        return self._change("POST", f"/admin/v2/namespaces/{namespace}/deduplication", body=enabled)

    def log_stats(self, topic: str, *, retry: bool = True) -> Outcome[LogStats]:
        """A topic's log, and the positions of its subscriptions."""
        return self._look(f"{_topic('v2', topic)}/internalStats", _log_stats, retry=retry)

    # --- transactions ---------------------------------------------------------------------------------------------------------

    def transaction(self, transaction: TransactionId, *, retry: bool = True) -> Outcome[TransactionMetadata]:
        """The coordinator's state of a transaction; 404 if it has none (any more).

        After a restart or an unload a broker answers 500 until the transaction's topics are loaded. Then this call reads the logs of those
        topics that this client added, which makes the broker load them.
        """
        path = f"/admin/v3/transactions/transactionMetadata/{transaction.coordinator_bits}/{transaction.sequence}"

        def attempt() -> Outcome[TransactionMetadata]:
            outcome = self._look(path, lambda answer: _metadata(transaction, answer), retry=False)
            if isinstance(outcome, Refused) and outcome.code >= _SERVER_TROUBLE:
                for topic in sorted(self._client.added.get(transaction, ())):
                    self.log_stats(topic, retry=False)
            return outcome

        return self._patiently(attempt, _is_for_later, retry=retry)

    def coordinator_stats(self, coordinator: int = 0) -> Outcome[CoordinatorStats]:
        """What a coordinator reports about itself."""
        return self._look("/admin/v3/transactions/coordinatorStats", _coordinator_stats, {"coordinatorId": str(coordinator)})

    def buffer_stats(self, topic: str) -> Outcome[BufferStats]:
        """A topic's transaction buffer, with the position up to which consumers may read. While the buffer recovers from its log, the
        position is not final, so this call waits for the recovery.
        """
        outcome: Outcome[BufferStats] = Unknown("nothing was asked")
        for _ in self._time.attempts(_RECOVERED_WITHIN_S):
            outcome = self._look(_transactions("transactionBufferStats", topic), _buffer_stats)
            if not (isinstance(outcome, Done) and outcome.value.state in _RECOVERING):
                return outcome
        state = outcome.value.state if isinstance(outcome, Done) else outcome
        return Unknown(f"the transaction buffer of {topic} was not recovered within {_RECOVERED_WITHIN_S:g} s: {state}")

    def transaction_in_buffer(self, transaction: TransactionId, topic: str) -> Outcome[TransactionInBuffer]:
        """The state of a transaction in a topic's buffer."""
        path = f"{_transactions('transactionInBufferStats', topic)}/{transaction.coordinator_bits}/{transaction.sequence}"
        return self._look(path, _in_buffer)

    def pending_ack_stats(self, subscription: SubscriptionHandle) -> Outcome[PendingAckStats]:
        """The acknowledgements of a subscription that wait for the end of their transactions."""
        path = f"{_transactions('pendingAckStats', subscription.topic)}/{subscription.name}"
        return self._look(path, _pending_ack_stats)

    def set_coordinators(self, count: int) -> Outcome[None]:
        """Set the number of transaction coordinators, which are numbered from 0. It can only grow."""
        return self._change("POST", "/admin/v3/transactions/transactionCoordinator/replicas", body=count)

    def abort_as_administrator(self, transaction: TransactionId) -> Outcome[None]:
        """Abort a transaction of any client."""
        return self._change("POST", f"/admin/v3/transactions/abortTransaction/{transaction.coordinator_bits}/{transaction.sequence}")

    # --- how ------------------------------------------------------------------------------------------------------------------

    def _change(self, method: str, path: str, query: Mapping[str, str] | None = None, body: object = None) -> Outcome[None]:
        request = AdminRequest(method, path, query or {}, body)
        match self._client.administer(request):
            case Done(AdminAnswer(status, body)) if status >= _SERVER_TROUBLE or _has_no_owner(status, body):
                return Unknown(f"{request} was answered {refusal(status, body)}, which leaves open whether it was done")
            case Done(AdminAnswer(status, body)):
                return Done(None) if status < HTTPStatus.MULTIPLE_CHOICES else refusal(status, body)
            case unknown:
                return unknown

    def _look(self, path: str, read: Callable[[Any], T], query: Mapping[str, str] | None = None, *, retry: bool = True) -> Outcome[T]:
        """Make a request that changes nothing."""
        request = AdminRequest("GET", path, query or {})

        def attempt() -> Outcome[T]:
            match self._client.administer(request):
                case Done(AdminAnswer(status, body)) if status < HTTPStatus.MULTIPLE_CHOICES:
                    return Done(_read(request, body, read))
                case Done(AdminAnswer(status, body)):
                    return refusal(status, body)
                case unknown:
                    return unknown

        return self._patiently(attempt, _is_for_later, retry=retry)


def _has_no_owner(status: int, body: bytes) -> bool:
    """Whether a broker refused because no broker serves the topic at the moment, as right after an unload; it is not about the request."""
    return status == HTTPStatus.PRECONDITION_FAILED and b"find owner for topic" in body


def _is_for_later(outcome: Outcome[object]) -> bool:
    return isinstance(outcome, Unknown) or (isinstance(outcome, Refused) and outcome.code >= _SERVER_TROUBLE)


def _topic(version: str, topic: str) -> str:
    return f"/admin/{version}/{topic.replace('://', '/')}"


def _transactions(what: str, topic: str) -> str:
    return f"/admin/v3/transactions/{what}/{_path(topic)}"


def _path(topic: str) -> str:
    return topic.partition("://")[2]


def refusal(status: int, body: bytes) -> Refused:
    """The refusal with a status; the reason is in the body, if that is the expected JSON."""
    try:
        reason = json.loads(body)["reason"]
    except (ValueError, TypeError, KeyError):
        reason = body[:_SHOWN].decode(errors="replace") or None
    try:
        name = HTTPStatus(status).phrase
    except ValueError:
        name = "a status that HTTP does not have"
    return Refused(name, status, None if reason is None else str(reason)[:_SHOWN])


def _read(request: AdminRequest, body: bytes, read: Callable[[Any], T]) -> T:
    shown = body[:_SHOWN].decode(errors="replace")
    try:
        found = json.loads(body)
    except ValueError as error:
        raise Malformed(f"{request} was answered with what is not JSON ({error}): {shown}") from error
    try:
        return read(found)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise Malformed(f"{request} was answered with JSON that lacks what is due ({error}): {shown}") from error


def _position(text: str) -> EntryPosition:
    """`ledger:entry`; after a cursor's reset, text about a batch follows: `0:0 (ackSet is null)`."""
    ledger, _, entry = text.partition(" ")[0].partition(":")
    return EntryPosition(int(ledger), int(entry))


def _log_stats(answer: Any) -> LogStats:
    return LogStats(
        entries=int(answer["numberOfEntries"]),
        last=_position(answer["lastConfirmedEntry"]),
        mark_deletes={name: _position(cursor["markDeletePosition"]) for name, cursor in answer["cursors"].items()},
        read_positions={name: _position(cursor["readPosition"]) for name, cursor in answer["cursors"].items() if "readPosition" in cursor},
    )


def _metadata(transaction: TransactionId, answer: Any) -> TransactionMetadata:
    acked = answer.get("ackedPartitions") or {}
    return TransactionMetadata(
        id=transaction,
        status=ReportedStatus[answer["status"]],
        timeout_ms=int(answer["timeoutAt"]),  # in spite of its name it is a duration
        topics=frozenset(answer.get("producedPartitions") or ()),
        subscriptions=frozenset(SubscriptionHandle(topic, name) for topic, names in acked.items() for name in names),
    )


def _coordinator_stats(answer: Any) -> CoordinatorStats:
    return CoordinatorStats(
        state=str(answer["state"]),
        last=int(answer["leastSigBits"]),
        low_watermark=int(answer["lowWaterMark"]),
        ongoing=int(answer["ongoingTxnSize"]),
    )


def _buffer_stats(answer: Any) -> BufferStats:
    return BufferStats(
        state=str(answer["state"]),
        max_read_position=_position(answer["maxReadPosition"]),
        ongoing=int(answer["ongoingTxnSize"]),
        aborted=int(answer["totalAbortedTransactions"]),
    )


def _pending_ack_stats(answer: Any) -> PendingAckStats:
    return PendingAckStats(state=str(answer["state"]), ongoing=int(answer["ongoingTxnSize"]))


def _in_buffer(answer: Any) -> TransactionInBuffer:
    start = answer.get("startPosition")
    return TransactionInBuffer(None if start is None else _position(start), bool(answer["aborted"]))
