"""Conforming variants in how answers are written: their order, their words, and fields that the request did not need."""

import dataclasses
from typing import Any

from kio.static.protocol import ResponsePayload

from fencepost.reference.defects.decorator import defect
from fencepost.reference.kafka.listing import TransactionFilter
from fencepost.reference.kafka.node_ids import NodeIds
from fencepost.reference.kafka.partition_log import LogEntry, Page, PartitionLog, ReadIsolation
from fencepost.reference.kafka.response_order import ResponseOrder
from fencepost.reference.kafka.transaction import KafkaTransaction
from fencepost.wire.kafka.entities import api_of

_OTHER_WORDS = "computer says no"
_IDLE_NODE_ID = 7
_NOT_SAID = -1
_HIGHEST_NODE_ID, _BETWEEN_NODE_IDS = 4_000, 17


@defect(origin="brokers that keep what they know in hash tables")
class AnswersInAnotherOrder(ResponseOrder):
    """An answer gives every list in reverse order: topics, partitions, transactions, producers, APIs, aborted transactions."""

    def arrange(self, answer: ResponsePayload) -> ResponsePayload:
        turned: ResponsePayload = _reversed(answer)
        return turned


def _reversed(value: Any) -> Any:
    """The answer with each of its lists reversed; the batches of a Fetch are one value, and keep their order."""
    if isinstance(value, tuple):
        return tuple(_reversed(item) for item in reversed(value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        lists = {name: _reversed(part) for name, part in parts.items() if isinstance(part, tuple) or dataclasses.is_dataclass(part)}
        return dataclasses.replace(value, **lists)
    return value


@defect(origin="every other implementation: the proposal has the codes, and leaves the words free")
class OtherErrorMessages(ResponseOrder):
    """Every error message has the same few words, which are not those of Apache Kafka."""

    def arrange(self, answer: ResponsePayload) -> ResponsePayload:
        said: ResponsePayload = _reworded(answer)
        return said


def _reworded(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_reworded(item) for item in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        changed = {name: _reworded(part) for name, part in parts.items() if isinstance(part, tuple) or dataclasses.is_dataclass(part)}
        changed |= {name: _OTHER_WORDS for name in ("error_message",) if parts.get(name) is not None}
        return dataclasses.replace(value, **changed)
    return value


@defect(origin="a cluster that has just grown")
class ANodeThatLeadsNothing(ResponseOrder):
    """Metadata names a second node, and names it first; no partition is led there."""

    def arrange(self, answer: ResponsePayload) -> ResponsePayload:
        if api_of(answer) != "metadata":
            return answer
        brokers: tuple[Any, ...] = getattr(answer, "brokers", ())
        idle = [dataclasses.replace(broker, node_id=_IDLE_NODE_ID) for broker in brokers[:1]]
        return dataclasses.replace(answer, brokers=(*idle, *brokers))


@defect(origin="brokers that compute it only where the isolation level asks for it")
class LastStableOffsetForReadCommittedOnly(PartitionLog):
    """A Fetch of uncommitted data is answered -1 for the last stable offset, which the protocol allows."""

    def last_stable_offset_for(self, isolation: ReadIsolation) -> int:
        return super().last_stable_offset_for(isolation) if isolation is ReadIsolation.READ_COMMITTED else _NOT_SAID


@defect(origin="every cluster whose operator chose the ids, and every one that lost a node and got another")
class OtherNodeIds(NodeIds):
    """The ids of the nodes do not begin with 1, have gaps, and the node that clients begin with has the highest."""

    def id_of(self, number: int) -> int:
        return _HIGHEST_NODE_ID - _BETWEEN_NODE_IDS * number


@defect(origin="brokers that answer with what is in memory, and fetches that end with a segment")
class OneBatchAFetch(PartitionLog):
    """Each Fetch returns a single batch, whatever the limits of the request are, so readers send more requests."""

    def read(self, offset: int, isolation: ReadIsolation, max_bytes: int) -> Page:
        return super().read(offset, isolation, min(max_bytes, 1))


@defect(origin="brokers that look at each batch on its way out")
class AbortedLeftOutByTheBroker(PartitionLog):
    """The broker leaves out aborted batches, and keeps their markers, although clients could do that by the list."""

    def is_handed_out(self, entry: LogEntry, isolation: ReadIsolation) -> bool:
        at = entry.batch.base_offset
        aborted = (one.producer_id == entry.batch.producer_id for one in self.aborted_in(at, at + 1))
        return isolation is ReadIsolation.READ_UNCOMMITTED or entry.batch.control or not any(aborted)


@defect(origin="brokers that read a start time of -1 as no answer")
class EmptyIdsFilteredByDuration(TransactionFilter):
    """The duration filter drops the ids that never had a transaction, since they have no duration."""

    def began_longer_ago(self, transaction: KafkaTransaction, now: int, duration_ms: int) -> bool:
        return transaction.started_at >= 0 and super().began_longer_ago(transaction, now, duration_ms)
