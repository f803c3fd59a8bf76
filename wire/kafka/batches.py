"""Record batches of magic 2, whole: what a probe sends, what a log holds, what a reader gets.

kio has a codec too, but it cuts record timestamps to seconds and reads a compressed batch as if it were plain; a suite that
judges logs may lose neither. Layout: Kafka's documentation, "Record Batch".
"""

import functools
import struct
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from crc32c import crc32c

from . import compression

_HEAD = struct.Struct(">qiibI")  # base offset, length after this field, partition leader epoch, magic, crc
_BODY = struct.Struct(">hiqqqhii")  # attributes, last offset delta, base and max timestamp, producer id, epoch, base sequence, count
_LENGTH_FROM = 12  # the length field counts the bytes after itself
_CRC_FROM = 21
_MARKER_KEY = struct.Struct(">hh")
_MARKER_VALUE = struct.Struct(">hi")
_CODEC = 0x07
_TRANSACTIONAL = 0x10
_CONTROL = 0x20


class MalformedBatch(ValueError):
    """Bytes that are not a record batch of magic 2; the message has the byte and the reason."""


class MarkerType(Enum):
    """The type in a control record's key."""

    ABORT = 0
    COMMIT = 1


@dataclass(frozen=True)
class EndTransactionMarker:
    """A transaction's end in a partition, according to its control record."""

    type: MarkerType
    coordinator_epoch: int
    """-1 if the record does not have it."""


@dataclass(frozen=True)
class Record:
    """One record; `timestamp` in milliseconds since 1970, kept to the millisecond."""

    value: bytes | None
    key: bytes | None = None
    timestamp: int = 0
    headers: tuple[tuple[str, bytes | None], ...] = ()


@dataclass(frozen=True)
class Batch:
    """A record batch; the log assigns `base_offset`, so it is 0 while the batch is sent."""

    records: tuple[Record, ...]
    base_offset: int = 0
    producer_id: int = -1
    producer_epoch: int = -1
    base_sequence: int = -1
    transactional: bool = False
    control: bool = False
    compression: str = "none"
    """The codec of the records' bytes, by its name."""

    partition_leader_epoch: int = field(default=-1, compare=False)
    last_offset_delta: int | None = field(default=None, compare=False)
    """The value in the header of a batch that was read; None for one that was not read from bytes."""

    offset_deltas: tuple[int, ...] | None = field(default=None, compare=False)
    """How far each record is from the base offset, if a log cleaner has left gaps; None for records that follow each other."""

    max_timestamp: int = field(default=-1, compare=False)
    """The time of the newest record, for a batch that a log cleaner has left without records; else the records have it."""

    @property
    def last_offset(self) -> int:
        """The offset of the last record that the batch was written with."""
        if self.offset_deltas is not None and self.last_offset_delta is not None:
            return self.base_offset + self.last_offset_delta
        return self.base_offset + len(self.records) - 1

    @property
    def offsets(self) -> tuple[int, ...]:
        """The offset of each record."""
        return tuple(self.base_offset + delta for delta in self._deltas)

    @property
    def _deltas(self) -> Sequence[int]:
        return range(len(self.records)) if self.offset_deltas is None else self.offset_deltas

    def keeping(self, indexes: Collection[int]) -> "Batch":
        """The same batch with only some of its records, each at its offset, as a log cleaner leaves it."""
        kept = [index for index in range(len(self.records)) if index in indexes]
        return replace(
            self,
            records=tuple(self.records[index] for index in kept),
            last_offset_delta=self.last_offset - self.base_offset,
            offset_deltas=tuple(self._deltas[index] for index in kept),
            max_timestamp=max((record.timestamp for record in self.records), default=self.max_timestamp),
        )

    @property
    def marker(self) -> EndTransactionMarker | None:
        """The transaction marker that this control batch carries; None for data and for other control records.

        As clients read it: the key of the first record decides, whatever is in its value.
        """
        if not self.control or not self.records:
            return None
        key, value = self.records[0].key or b"", self.records[0].value or b""
        if len(key) < _MARKER_KEY.size:
            return None
        _, kind = _MARKER_KEY.unpack_from(key)
        if kind not in (MarkerType.ABORT.value, MarkerType.COMMIT.value):
            return None
        return EndTransactionMarker(MarkerType(kind), _MARKER_VALUE.unpack_from(value)[1] if len(value) >= _MARKER_VALUE.size else -1)


def marker_batch(marker: EndTransactionMarker, producer_id: int, producer_epoch: int, timestamp: int) -> Batch:
    """The control batch that ends a transaction in a partition."""
    record = Record(key=_MARKER_KEY.pack(0, marker.type.value), value=_MARKER_VALUE.pack(0, marker.coordinator_epoch), timestamp=timestamp)
    return Batch((record,), producer_id=producer_id, producer_epoch=producer_epoch, transactional=True, control=True)


def encode(batch: Batch) -> bytes:
    """One batch as bytes. Raises ValueError for an unknown codec."""
    base = batch.records[0].timestamp if batch.records else 0
    latest = max((record.timestamp for record in batch.records), default=batch.max_timestamp)
    codec = compression.NAMES.index(batch.compression)
    attributes = codec | (_TRANSACTIONAL if batch.transactional else 0) | (_CONTROL if batch.control else 0)
    body = _BODY.pack(
        attributes,
        batch.last_offset - batch.base_offset,
        base,
        latest,
        batch.producer_id,
        batch.producer_epoch,
        batch.base_sequence,
        len(batch.records),
    )
    records = (
        _encode_record(record, offset - batch.base_offset, base) for offset, record in zip(batch.offsets, batch.records, strict=True)
    )
    body += compression.pack(b"".join(records), batch.compression)
    length = _CRC_FROM - _LENGTH_FROM + len(body)
    return _HEAD.pack(batch.base_offset, length, batch.partition_leader_epoch, 2, crc32c(body)) + body


def decode(data: bytes) -> tuple[Batch, ...]:
    """Every whole batch in `data`. A last batch that is cut off is left out: a Fetch answer may end in the middle of one.

    Raises MalformedBatch for anything else that is not a batch of magic 2 with a right checksum.
    """
    batches, at = [], 0
    while len(data) - at >= _LENGTH_FROM:
        length = struct.unpack_from(">i", data, at + 8)[0]
        if length < _CRC_FROM - _LENGTH_FROM + _BODY.size:
            raise MalformedBatch(f"byte {at}: a batch length of {length}, expected at least {_CRC_FROM - _LENGTH_FROM + _BODY.size}")
        end = at + _LENGTH_FROM + length
        if end > len(data):
            break
        batches.append(_decode_one(data[at:end], at))
        at = end
    return tuple(batches)


def first_of(data: bytes) -> bytes:
    """The bytes of the first whole batch in `data`, without those after it."""
    return data[: _LENGTH_FROM + struct.unpack_from(">i", data, 8)[0]]


@functools.lru_cache(maxsize=128)  # a broker, its readers and the history all read the same bytes
def _decode_one(data: bytes, at: int) -> Batch:
    base_offset, _, leader_epoch, magic, crc = _HEAD.unpack_from(data)
    if magic != 2:
        raise MalformedBatch(f"byte {at + 16}: magic {magic}, expected 2")
    if crc32c(data[_CRC_FROM:]) != crc:
        raise MalformedBatch(f"byte {at + 17}: checksum {crc:#010x}, but the batch's bytes have {crc32c(data[_CRC_FROM:]):#010x}")
    attributes, last_delta, base_timestamp, latest, producer_id, epoch, sequence, count = _BODY.unpack_from(data, _CRC_FROM)
    codec = attributes & _CODEC
    payload = _inflate(data[_CRC_FROM + _BODY.size :], codec, at)
    cursor = _Cursor(payload, at)
    placed = [_decode_record(cursor, base_timestamp) for _ in range(count)]
    deltas = tuple(delta for delta, _ in placed)
    if cursor.at != len(payload):
        raise MalformedBatch(f"byte {at}: {len(payload) - cursor.at} bytes left over after the {count} records that the batch announces")
    return Batch(
        tuple(record for _, record in placed),
        base_offset,
        producer_id,
        epoch,
        sequence,
        transactional=bool(attributes & _TRANSACTIONAL),
        control=bool(attributes & _CONTROL),
        compression=compression.NAMES[codec],
        partition_leader_epoch=leader_epoch,
        last_offset_delta=last_delta,
        offset_deltas=None if last_delta == count - 1 and deltas == tuple(range(count)) else deltas,
        max_timestamp=latest,
    )


def _inflate(payload: bytes, codec: int, at: int) -> bytes:
    if codec >= len(compression.NAMES):
        raise MalformedBatch(f"byte {at}: compressed with number {codec}; there are {', '.join(compression.NAMES[1:])}")
    try:
        return compression.unpack(payload, compression.NAMES[codec])
    except compression.DoesNotUnpack as error:
        raise MalformedBatch(f"byte {at}: a {compression.NAMES[codec]} batch that does not unpack: {error}") from error


def _encode_record(record: Record, index: int, base_timestamp: int) -> bytes:
    body = b"\0" + _varint(record.timestamp - base_timestamp) + _varint(index) + _sized(record.key) + _sized(record.value)
    body += _varint(len(record.headers)) + b"".join(_sized(name.encode()) + _sized(value) for name, value in record.headers)
    return _varint(len(body)) + body


def _decode_record(cursor: "_Cursor", base_timestamp: int) -> tuple[int, Record]:
    """A record, and how far it is from the base offset."""
    end = cursor.varint() + cursor.at
    cursor.take(1)
    timestamp = base_timestamp + cursor.varint()
    delta = cursor.varint()
    key, value = cursor.sized(), cursor.sized()
    headers = tuple(((cursor.sized() or b"").decode(errors="replace"), cursor.sized()) for _ in range(cursor.varint()))
    if cursor.at != end:
        raise MalformedBatch(f"byte {cursor.base}: a record announces its end at byte {end} of the records and has it at {cursor.at}")
    return delta, Record(value, key, timestamp, headers)


class _Cursor:
    """Reads zigzag varints and sized bytes, and refuses to read past the end."""

    def __init__(self, data: bytes, base: int) -> None:
        self.data, self.base, self.at = data, base, 0

    def take(self, size: int) -> bytes:
        if size < 0 or self.at + size > len(self.data):
            raise MalformedBatch(
                f"byte {self.base}: {size} bytes announced at byte {self.at} of the records, {len(self.data) - self.at} there"
            )
        self.at += size
        return self.data[self.at - size : self.at]

    def varint(self) -> int:
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return (value >> 1) ^ -(value & 1)
            if (shift := shift + 7) > 63:
                raise MalformedBatch(f"byte {self.base}: a number longer than ten bytes at byte {self.at} of the records")

    def sized(self) -> bytes | None:
        size = self.varint()
        return None if size == -1 else self.take(size)


def _sized(data: bytes | None) -> bytes:
    return _varint(-1) if data is None else _varint(len(data)) + data


def _varint(value: int) -> bytes:
    value = (value << 1) ^ (value >> 63)
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
