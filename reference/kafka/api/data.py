"""Records in and out: Produce, Fetch, ListOffsets."""

import contextlib
import itertools
from dataclasses import dataclass
from typing import Any

from kio.static.protocol import ResponsePayload

from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.kafka_types import PartitionName
from fencepost.reference.kafka.node import KafkaNode
from fencepost.reference.kafka.partition_log import PartitionLog, ReadIsolation
from fencepost.reference.kafka.verification import TransactionSupport, Verification
from fencepost.reference.kernel.rules import rule
from fencepost.wire.kafka.batches import Batch, MalformedBatch, decode, first_of
from fencepost.wire.kafka.entities import response

_BY_ID = 13
"""From this version on, of both, Produce and Fetch name topics by their ids."""

_NONE = -1
"""The offset or the time of something missing."""

_ALL = -1
"""For acks: the answer comes when all in-sync replicas have what was written."""


@dataclass(frozen=True, slots=True)
class _Sent:
    """What was sent for one partition. `trouble` says why the bytes could not be read, when they could not."""

    partition: int
    data: bytes
    batches: tuple[Batch, ...]
    trouble: str | None

    @staticmethod
    def of(entry: Any) -> "_Sent":
        data = bytes(entry.records or b"")
        try:
            return _Sent(int(entry.index), data, decode(data), None)
        except MalformedBatch as error:
            return _Sent(int(entry.index), data, (), str(error))

    def only_batch(self, verification: Verification) -> tuple[Batch, bytes]:
        """The one batch that a client may send to a partition, with its bytes."""
        if self.trouble is not None:
            raise RequestRefused(Errors.CORRUPT_MESSAGE, self.trouble)
        verification.check_count(self.batches)
        return self.batches[0], first_of(self.data)


def produce(node: KafkaNode, asked: Any) -> ResponsePayload:
    """Append one batch to each partition; the partitions are independent, except for errors of the request as a whole."""
    sent = [(topic, [_Sent.of(entry) for entry in topic.partition_data]) for topic in asked.topic_data]
    whole = node.verification.refusal_of_request(
        asked.transactional_id, (batch for _, partitions in sent for one in partitions for batch in one.batches)
    )
    topics = []
    for topic, partitions in sent:
        name = _topic_name(node, topic, asked, "name")
        results = [_produced(node, asked, name, one, whole) for one in partitions]
        topics.append({**_key(topic, asked, "name"), "partition_responses": results})
    return response(asked, responses=topics, throttle_time=0)


def await_coordinator(node: KafkaNode, asked: Any) -> bool:
    """What a leader does with Produce before a paused coordinator answers: it draws the guards for what is to be appended.

    Returns whether the coordinator is asked anything.
    """
    is_asked = False
    for topic in asked.topic_data:
        for entry in topic.partition_data:
            with contextlib.suppress(RequestRefused):  # it is refused when its turn comes
                log = _log(node, _topic_name(node, topic, asked, "name"), int(entry.index))
                batch, _ = _Sent.of(entry).only_batch(node.verification)
                if batch.transactional:
                    is_asked |= node.verification.await_answer(log, batch, TransactionSupport.of_produce(asked.__version__))
    return is_asked


def _produced(node: KafkaNode, asked: Any, topic: str | None, sent: _Sent, whole: Errors | None) -> dict[str, Any]:
    result: dict[str, Any] = {"index": sent.partition, "error_code": Errors.NONE, "base_offset": _NONE, "log_start_offset": _NONE}
    result |= {"record_errors": []}
    try:
        if whole is not None:
            raise RequestRefused(whole)
        log = _log(node, topic, sent.partition)
        batch, data = sent.only_batch(node.verification)
        guard = None
        if batch.transactional:
            rule("KIP890-098")
            guard = node.verification.before_produce(log, asked.transactional_id, batch, TransactionSupport.of_produce(asked.__version__))
        if not node.topics.may_be_written_to(topic):
            raise RequestRefused(Errors.INVALID_TOPIC_EXCEPTION, f"only the broker writes to {log.name.topic}")
        # From here on the log refuses, and then the answer has its start offset.
        result["log_start_offset"] = log.start_reported_to_producers()
        offset = log.append(batch, data, guard)
        node.machine.crash_points.reach("after-data-appended")
        if asked.acks == _ALL and not log.replication.is_written(offset + len(batch.records)):
            raise RequestRefused(Errors.REQUEST_TIMED_OUT)
        result["base_offset"] = offset
    except RequestRefused as refusal:
        result |= {"error_code": refusal.error, "error_message": refusal.message}
    return result


def fetch(node: KafkaNode, asked: Any) -> ResponsePayload:
    """Read from partitions.

    There are no sessions and no waiting: the answer has what is there, for each partition what the reader may have.
    """
    topics = []
    for entry in asked.topics:
        name = _topic_name(node, entry, asked, "topic")
        partitions = [_fetched(node, asked, name, wanted) for wanted in entry.partitions]
        topics.append({**_key(entry, asked, "topic"), "partitions": partitions})
    return response(asked, throttle_time=0, error_code=Errors.NONE, responses=topics)


def _fetched(node: KafkaNode, asked: Any, topic: str | None, wanted: Any) -> dict[str, Any]:
    result: dict[str, Any] = {"partition_index": wanted.partition, "error_code": Errors.NONE, "aborted_transactions": None, "records": b""}
    try:
        log = _log(node, topic, int(wanted.partition))
        isolation = ReadIsolation(node.dialect.isolation(_isolation(asked), asked.__version__))
        page = log.read(int(wanted.fetch_offset), isolation, int(wanted.partition_max_bytes))
    except RequestRefused as refusal:
        return result | {"error_code": refusal.error, "high_watermark": _NONE}
    result |= {
        "high_watermark": log.high_watermark,
        "last_stable_offset": log.last_stable_offset_for(isolation),
        "log_start_offset": log.start_offset,
        "records": page.data if node.dialect.may_have_records(round(asked.max_wait.total_seconds() * 1000)) else b"",
    }
    if page.aborted is not None:
        result["aborted_transactions"] = [{"producer_id": entry.producer_id, "first_offset": entry.first_offset} for entry in page.aborted]
    return result


def list_offsets(node: KafkaNode, asked: Any) -> ResponsePayload:
    """Where partitions begin and end, and where a point in time is."""
    topics = []
    place = itertools.count()
    for entry in asked.topics:
        partitions = []
        for wanted in entry.partitions:
            result = {"partition_index": wanted.partition_index, "error_code": Errors.NONE}
            isolation = node.dialect.isolation_of_entry(_isolation(asked), next(place))
            try:
                log = node.log_led_here(PartitionName(entry.name, int(wanted.partition_index)))
                offset, timestamp = _offset(log, int(wanted.timestamp), isolation)
                result |= {"offset": offset, "timestamp": timestamp}
            except RequestRefused as refusal:
                result |= {"error_code": refusal.error}
            partitions.append(result)
        topics.append({"name": entry.name, "partitions": partitions})
    return response(asked, throttle_time=0, topics=topics)


def _isolation(asked: Any) -> ReadIsolation:
    """The isolation level of the reader; the first versions of ListOffsets have none."""
    level = int(getattr(asked, "isolation_level", ReadIsolation.READ_UNCOMMITTED))
    return ReadIsolation.READ_COMMITTED if level == ReadIsolation.READ_COMMITTED else ReadIsolation.READ_UNCOMMITTED


def _offset(log: PartitionLog, timestamp: int, isolation: ReadIsolation) -> tuple[int, int]:
    """An offset, and the timestamp of its record if one was looked for, otherwise -1."""
    match timestamp:
        case -1:  # latest
            return log.latest_offset(isolation), _NONE
        case -2 | -4:  # earliest, and earliest on this broker's own disk
            return log.start_offset, _NONE
        case -3:  # the record with the largest timestamp
            newest = max((record.timestamp for entry in log.entries(log.start_offset) for record in entry.batch.records), default=_NONE)
            found = log.offset_at(newest, isolation)
        case -5:  # the end of tiered storage, which is empty here
            found = None
        case _:
            found = log.offset_at(timestamp, isolation)
    return found or (_NONE, _NONE)


def _topic_name(node: KafkaNode, entry: Any, asked: Any, field: str) -> str | None:
    """The topic that an entry is about, None if its id is not known."""
    if asked.__version__ < _BY_ID:
        return str(getattr(entry, field))
    topic = node.topics.with_id(entry.topic_id)
    return None if topic is None else topic.name


def _key(entry: Any, asked: Any, field: str) -> dict[str, Any]:
    """The field that names the topic in the answer, as it does in the request."""
    return {field: getattr(entry, field)} if asked.__version__ < _BY_ID else {"topic_id": entry.topic_id}


def _log(node: KafkaNode, topic: str | None, partition: int) -> PartitionLog:
    if topic is None:
        raise RequestRefused(Errors.UNKNOWN_TOPIC_ID)
    return node.log_led_here(PartitionName(topic, partition))
