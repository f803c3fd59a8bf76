"""The messages of a payload: one, or a batch of them in one entry.

    a batch:  ([size u32][SingleMessageMetadata][payload_size bytes])*

A payload is a batch when its metadata says how many messages it holds, also when that is one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from . import messages_pb2 as pb
from .frames import SIZE, Payload
from .message_parsing import MalformedPulsarFrame, complete, fill


@dataclass(frozen=True)
class BatchedMessage:
    """One message as its producer passed it; `value` is None for one without content."""

    value: bytes | None
    sequence_id: int
    key: str | None = None
    properties: tuple[tuple[str, str], ...] = ()


def is_batch(metadata: pb.MessageMetadata) -> bool:
    """Whether the payload after this metadata is a batch."""
    return metadata.HasField("num_messages_in_batch")


def count_of(metadata: pb.MessageMetadata) -> int:
    """How many messages the payload after this metadata holds."""
    return metadata.num_messages_in_batch


def encode_batch(entries: Iterable[BatchedMessage]) -> bytes:
    """The payload data of a batch."""
    out = bytearray()
    for entry in entries:
        single = pb.SingleMessageMetadata(
            payload_size=len(entry.value or b""),
            sequence_id=entry.sequence_id,
            partition_key=entry.key,
            properties=[pb.KeyValue(key=key, value=value) for key, value in entry.properties],
        )
        if entry.value is None:
            single.null_value = True
        metadata = single.SerializeToString()
        out += SIZE.pack(len(metadata)) + metadata + (entry.value or b"")
    return bytes(out)


def entries(payload: Payload) -> tuple[BatchedMessage, ...]:
    """The messages of a payload, in order. MalformedPulsarFrame if they do not agree with its metadata."""
    metadata = payload.metadata
    if metadata.compression != pb.NONE:
        raise MalformedPulsarFrame(
            f"a payload is compressed with {pb.CompressionType.Name(metadata.compression)}, which is not read", payload.data
        )
    if not is_batch(metadata):
        value = None if metadata.null_value else payload.data
        key = metadata.partition_key if metadata.HasField("partition_key") else None
        return (BatchedMessage(value, metadata.sequence_id, key, _pairs(metadata.properties)),)
    found = []
    rest = payload.data
    for index in range(count_of(metadata)):
        entry, rest = _next(rest, index, metadata, payload.data)
        found.append(entry)
    if rest:
        raise MalformedPulsarFrame(f"{len(rest)} bytes are left over after a batch of {count_of(metadata)} messages", payload.data)
    return tuple(found)


def _next(rest: bytes, index: int, metadata: pb.MessageMetadata, data: bytes) -> tuple[BatchedMessage, bytes]:
    place = f"message {index + 1} of {count_of(metadata)} in a batch"
    if len(rest) < SIZE.size or (size := SIZE.unpack_from(rest)[0]) > len(rest) - SIZE.size:
        raise MalformedPulsarFrame(f"the metadata of {place} was due, and {len(rest)} bytes are left", data)
    begin = SIZE.size + size
    what = f"the metadata of {place}"
    single = complete(fill(pb.SingleMessageMetadata(), rest[SIZE.size : begin], what, data), what, data)
    if not 0 <= single.payload_size <= len(rest) - begin:
        raise MalformedPulsarFrame(f"{place} announces {single.payload_size} bytes, and {len(rest) - begin} are left", data)
    end = begin + single.payload_size
    return (
        BatchedMessage(
            None if single.null_value else rest[begin:end],
            single.sequence_id if single.HasField("sequence_id") else metadata.sequence_id + index,
            single.partition_key if single.HasField("partition_key") else None,
            _pairs(single.properties),
        ),
        rest[end:],
    )


def _pairs(properties: Sequence[pb.KeyValue]) -> tuple[tuple[str, str], ...]:
    return tuple((pair.key, pair.value) for pair in properties)
