"""Transactional ids a few epochs before their last, for the price of one restart: the kit writes them into the transaction log.

Only for a broker that fencepost started, before any other client uses it. The coordinator initialises each id, and so writes a record of
it. The kit appends a copy of that record in which only the epoch differs, so it has the format of the release, whichever that is. After its
restart the coordinator reads the copy as its own record.
"""

import struct
from dataclasses import replace

from fencepost.adapters.common.address import Address
from fencepost.adapters.common.patience import ANSWER_WITHIN_S
from fencepost.adapters.common.time import WallTime
from fencepost.contract.errors import Malformed, NotOffered
from fencepost.contract.outcomes import Done
from fencepost.wire.kafka.batches import Batch, Record

from .cluster import Cluster
from .kafka_recording import KafkaRecorder
from .kafka_values import EPOCH_BEFORE_LAST, IsolationLevel, ProducerIdentity, TopicPartition
from .last_epoch import new_id
from .offer import TOPIC_IDS_FROM, KafkaOffer
from .probe import KafkaProbe
from .tcp import KafkaTcpTransport

WRITTEN_EPOCH = EPOCH_BEFORE_LAST - 5
"""Requests raise the remaining epochs, so that the coordinator's memory has the state of an id that was raised by requests alone."""

_ADMINISTRATOR = "__admin_client"
"""The client id that may write into internal topics (Kafka, `KafkaApis.handleProduceRequest`)."""

_LOG = TopicPartition("__transaction_state", 0)
"""The whole transaction log: `fixtures/brokers.yaml` gives it one partition."""

_KEY_HEAD = 4
"""The part of a record's key before the id: version and length of the id (Kafka, `TransactionLogKey.json`)."""

_VERSION_SIZE, _PRODUCER = 2, struct.Struct(">qh")
"""A record's value begins with its version, then producer id and epoch, in every version (Kafka, `TransactionLogValue.json`)."""


def write_ids(address: Address, offer: KafkaOffer, count: int) -> list[str]:
    """`count` new transactional ids, at `WRITTEN_EPOCH` once the coordinator has read its log again; none if the log cannot be written."""
    time = WallTime(ANSWER_WITHIN_S)
    recorder = KafkaRecorder(time.now_ms)
    cluster = Cluster("write-ids", address, lambda _, node: KafkaTcpTransport(_ADMINISTRATOR, node), recorder, offer, ANSWER_WITHIN_S)
    try:
        return written_with(KafkaProbe(cluster, offer, time), count)
    except (Malformed, NotOffered):
        return []
    finally:
        cluster.close()


def written_with(probe: KafkaProbe, count: int) -> list[str]:
    """`count` such ids, by a client that may write into the log. Raises Malformed, NotOffered."""
    begun: dict[bytes, ProducerIdentity] = {}
    for _ in range(count):
        name = new_id()
        match probe.init_producer_id(name):
            case Done(producer):
                begun[name.encode()] = producer
            case _:
                return []
    match probe.read(_LOG, IsolationLevel.READ_UNCOMMITTED):
        case Done(view):
            records = [(record.key or b"", record) for batch in view.batches for record in batch.records]
        case _:
            return []
    written = [_further(record, begun[key[_KEY_HEAD:]]) for key, record in records if key[_KEY_HEAD:] in begun]
    further = tuple(record for record in written if record is not None)
    if not len(further) == len(written) == count:
        return []
    version = probe.newest("produce", 3, TOPIC_IDS_FROM - 1)
    answer = probe.produce_one_batch(_LOG, Batch(further), transactional_id=None, version=version)
    return [name.decode() for name in begun] if isinstance(answer, Done) else []


def _further(record: Record, producer: ProducerIdentity) -> Record | None:
    """The record with that producer at `WRITTEN_EPOCH`; None if the record's value does not have the producer at the expected place."""
    value, end = record.value or b"", _VERSION_SIZE + _PRODUCER.size
    if value[_VERSION_SIZE:end] != _PRODUCER.pack(producer.producer_id, producer.epoch):
        return None
    return replace(record, value=value[:_VERSION_SIZE] + _PRODUCER.pack(producer.producer_id, WRITTEN_EPOCH) + value[end:])
