"""Records in and out: Produce, Fetch, ListOffsets."""

from dataclasses import dataclass
from typing import Any

from kio.static.protocol import ResponsePayload

from fencepost.reference.kafka.errors import Error, Refused
from fencepost.reference.kafka.node import Node
from fencepost.reference.kafka.partition_log import Isolation, PartitionLog
from fencepost.reference.kafka.topics import INTERNAL
from fencepost.reference.kafka.values import TopicPartition
from fencepost.reference.kafka.verification import Operation
from fencepost.reference.kernel.rules import rule
from fencepost.wire.kafka.batches import Batch, MalformedBatch, decode
from fencepost.wire.kafka.entities import response

_BY_ID = 13
"""From this version on, of both, Produce and Fetch name topics by their ids."""

_NO_OFFSET = -1

_LENGTH = slice(8, 12)
"""Where a batch tells how many bytes follow this field."""

_UP_TO_LENGTH = 12


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

    @property
    def batch(self) -> Batch:
        """The one batch that a client may send to a partition."""
        if self.trouble is not None:
            raise Refused(Error.CORRUPT_MESSAGE, self.trouble)
        if len(self.batches) != 1:
            raise Refused(Error.INVALID_RECORD, f"{len(self.batches)} batches for the partition, one is due")
        if len(self.data) != _UP_TO_LENGTH + int.from_bytes(self.data[_LENGTH], "big"):
            raise Refused(Error.CORRUPT_MESSAGE, "the bytes go on after the batch")
        return self.batches[0]


def produce(node: Node, asked: Any) -> ResponsePayload:
    """Append one batch to each partition; the partitions fare independently, but for what is wrong with the request as a whole."""
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


def _produced(node: Node, asked: Any, topic: str | None, sent: _Sent, whole: Error | None) -> dict[str, Any]:
    result: dict[str, Any] = {"index": sent.partition, "error_code": Error.NONE, "base_offset": -1, "log_start_offset": -1}
    result |= {"record_errors": []}
    try:
        if whole is not None:
            raise Refused(whole)
        log, batch = _log(node, topic, sent.partition), sent.batch
        guard = None
        if batch.transactional:
            rule("KIP890-098")
            guard = node.verification.before_produce(log, asked.transactional_id, batch, Operation.of_produce(asked.__version__))
        if log.name.topic in INTERNAL:
            raise Refused(Error.INVALID_TOPIC_EXCEPTION, f"only the broker writes to {log.name.topic}")
        # From here on it is the log that refuses, and then the answer tells where it starts.
        result["log_start_offset"] = log.start_told_to_producers()
        result["base_offset"] = log.append(batch, sent.data, guard)
        node.machine.crash_points.reach("after-data-appended")
    except Refused as refusal:
        result |= {"error_code": refusal.error, "error_message": refusal.message}
    return result


def fetch(node: Node, asked: Any) -> ResponsePayload:
    """Read from partitions. There are no sessions and no waiting: the answer has what there is."""
    left = int(asked.max_bytes)
    topics = []
    for entry in asked.topics:
        name = _topic_name(node, entry, asked, "topic")
        partitions = []
        for wanted in entry.partitions:
            partitions.append(_fetched(node, asked, name, wanted, left))
            left = max(left - len(partitions[-1]["records"]), 0)
        topics.append({**_key(entry, asked, "topic"), "partitions": partitions})
    return response(asked, throttle_time=0, error_code=Error.NONE, session_id=0, responses=topics)


def _fetched(node: Node, asked: Any, topic: str | None, wanted: Any, left: int) -> dict[str, Any]:
    result = {
        "partition_index": wanted.partition,
        "error_code": Error.NONE,
        "high_watermark": -1,
        "aborted_transactions": None,
        "records": b"",
    }
    try:
        log = _log(node, topic, int(wanted.partition))
        page = log.read(int(wanted.fetch_offset), _isolation(asked), min(left, int(wanted.partition_max_bytes)))
    except Refused as refusal:
        return result | {"error_code": refusal.error}
    result |= {
        "high_watermark": log.high_watermark,
        "last_stable_offset": log.last_stable_offset,
        "log_start_offset": log.start_offset,
        "records": page.data,
    }
    if page.aborted is not None:
        result["aborted_transactions"] = [{"producer_id": entry.producer_id, "first_offset": entry.first_offset} for entry in page.aborted]
    return result


def list_offsets(node: Node, asked: Any) -> ResponsePayload:
    """Where partitions begin and end, and where a point in time is."""
    topics = []
    for entry in asked.topics:
        partitions = []
        for wanted in entry.partitions:
            result = {"partition_index": wanted.partition_index, "error_code": Error.NONE}
            try:
                log = node.log_led_here(TopicPartition(entry.name, int(wanted.partition_index)))
                offset, timestamp = _offset(log, int(wanted.timestamp), _isolation(asked))
                result |= {"offset": offset, "timestamp": timestamp, "leader_epoch": -1 if offset == _NO_OFFSET else log.leader_epoch()}
            except Refused as refusal:
                result |= {"error_code": refusal.error}
            partitions.append(result)
        topics.append({"name": entry.name, "partitions": partitions})
    return response(asked, throttle_time=0, topics=topics)


def _isolation(asked: Any) -> Isolation:
    """What the reader wants to see; the first versions of ListOffsets cannot say."""
    level = int(getattr(asked, "isolation_level", Isolation.READ_UNCOMMITTED))
    if level not in tuple(Isolation):
        raise Refused(Error.INVALID_REQUEST, f"there is no isolation level {level}")
    return Isolation(level)


def _offset(log: PartitionLog, timestamp: int, isolation: Isolation) -> tuple[int, int]:
    """An offset, and the timestamp of its record where one was looked for, else -1."""
    match timestamp:
        case -1:  # latest
            return log.latest_offset(isolation), -1
        case -2 | -4:  # earliest, and earliest on this broker's own disk
            return log.start_offset, -1
        case -3:  # the record with the largest timestamp
            newest = max((record.timestamp for entry in log.entries(log.start_offset) for record in entry.batch.records), default=None)
            found = None if newest is None else log.offset_at(newest, isolation)
        case _ if timestamp >= 0:
            found = log.offset_at(timestamp, isolation)
        case _:
            found = None
    return found or (_NO_OFFSET, -1)


def _topic_name(node: Node, entry: Any, asked: Any, field: str) -> str | None:
    """The topic that an entry is about, None where its id is not known."""
    if asked.__version__ < _BY_ID:
        return str(getattr(entry, field))
    topic = node.topics.with_id(entry.topic_id)
    return None if topic is None else topic.name


def _key(entry: Any, asked: Any, field: str) -> dict[str, Any]:
    """The field that names the topic in the answer, as it does in the request."""
    return {field: getattr(entry, field)} if asked.__version__ < _BY_ID else {"topic_id": entry.topic_id}


def _log(node: Node, topic: str | None, partition: int) -> PartitionLog:
    if topic is None:
        raise Refused(Error.UNKNOWN_TOPIC_ID)
    return node.log_led_here(TopicPartition(topic, partition))
