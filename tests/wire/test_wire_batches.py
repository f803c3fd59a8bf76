"""The record-batch codec against an independent one, and against bytes that are no batch.

kafka-python's codec is the independent one: it keeps milliseconds and reads control batches, but cannot write them.
"""

import struct
import warnings
from dataclasses import replace

import pytest
from crc32c import crc32c
from hypothesis import given
from hypothesis import strategies as st

from fencepost.wire.kafka.batches import Batch, EndTransactionMarker, MalformedBatch, MarkerType, Record, decode, encode, marker_batch
from fencepost.wire.kafka.compression import NAMES

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # its own, for how it reads its schemas while being imported
    from kafka.record.default_records import ControlRecord, DefaultRecordBatch, DefaultRecordBatchBuilder  # type: ignore[import-untyped]

NOW = 1_700_000_000_789
ATTRIBUTES_AT = 21
COUNT_AT = 57
HEAD_SIZE = 61

int64 = st.integers(-(2**63), 2**63 - 1)
records = st.builds(
    Record,
    value=st.none() | st.binary(max_size=40),
    key=st.none() | st.binary(max_size=20),
    timestamp=st.integers(0, 2**42),
    headers=st.lists(st.tuples(st.text(max_size=8), st.none() | st.binary(max_size=8)), max_size=3).map(tuple),
)
batches = st.builds(
    Batch,
    records=st.lists(records, min_size=1, max_size=20).map(tuple),
    base_offset=st.integers(0, 2**62),
    producer_id=int64,
    producer_epoch=st.integers(-1, 32767),
    base_sequence=st.integers(-1, 2**31 - 1),
    transactional=st.booleans(),
    compression=st.sampled_from(NAMES),
    control=st.booleans(),
)


THEIRS = ("none", "gzip")
"""The codecs that kafka-python has by itself."""


def with_changed(data: bytes, at: int, replacement: bytes) -> bytes:
    """The batch with other bytes at a place, and with a checksum that is right again."""
    changed = bytearray(data)
    changed[at : at + len(replacement)] = replacement
    changed[17:21] = struct.pack(">I", crc32c(bytes(changed[21:])))
    return bytes(changed)


def written_by_kafka_python(values: list[bytes], compression: int = 0, transactional: bool = True) -> bytes:
    builder = DefaultRecordBatchBuilder(
        magic=2,
        compression_type=compression,
        is_transactional=transactional,
        producer_id=7,
        producer_epoch=3,
        base_sequence=5,
        batch_size=1 << 20,
    )
    for index, value in enumerate(values):
        builder.append(index, NOW + index, b"key", value, [("header", b"h")])
    return bytes(builder.build())


@given(st.lists(batches, max_size=4))
def test_what_is_encoded_decodes_to_itself(some: list[Batch]) -> None:
    """A round trip loses nothing, of one batch or of several in a row."""
    assert decode(b"".join(map(encode, some))) == tuple(some)


@given(batches, st.data())
def test_a_batch_that_has_lost_records_keeps_its_place(batch: Batch, data: st.DataObject) -> None:
    """The remaining records keep their offsets, the batch keeps its end, and kafka-python reads it like that."""
    kept = data.draw(st.sets(st.integers(0, len(batch.records) - 1)))
    (found,) = decode(encode(batch.keeping(kept)))

    places = dict(zip(batch.offsets, batch.records, strict=True))
    assert dict(zip(found.offsets, found.records, strict=True)) == {batch.base_offset + at: places[batch.base_offset + at] for at in kept}
    assert (found.last_offset, found.base_sequence) == (batch.last_offset, batch.base_sequence)
    if not kept:
        assert found.max_timestamp == max(record.timestamp for record in batch.records)
    if kept and batch.compression in THEIRS and not batch.control:
        assert [record.offset for record in DefaultRecordBatch(encode(found))] == list(found.offsets)


@given(batches.map(lambda batch: batch if batch.compression in THEIRS else replace(batch, compression="gzip")))
def test_kafka_python_reads_what_is_encoded(batch: Batch) -> None:
    """The independent codec finds the same fields and the same records, to the millisecond."""
    theirs = DefaultRecordBatch(encode(batch))

    assert theirs.validate_crc()
    assert (theirs.base_offset, theirs.last_offset) == (batch.base_offset, batch.last_offset)
    assert (theirs.producer_id, theirs.producer_epoch, theirs.base_sequence) == (
        batch.producer_id,
        batch.producer_epoch,
        batch.base_sequence,
    )
    assert (theirs.is_transactional, theirs.is_control_batch) == (batch.transactional, batch.control)
    if not batch.control:
        found = tuple(Record(record.value, record.key, record.timestamp, tuple(record.headers)) for record in theirs)
        assert found == batch.records


@pytest.mark.parametrize("transactional", [True, False])
@pytest.mark.parametrize("compression", [0, 1], ids=["plain", "gzip"])
def test_what_kafka_python_writes_is_read(compression: int, transactional: bool) -> None:
    """Plain and gzip batches of the independent codec are read, to the millisecond."""
    values = [b"a" * 500, b"b" * 500]
    data = written_by_kafka_python(values, compression, transactional)

    (batch,) = decode(data)

    assert struct.unpack_from(">h", data, ATTRIBUTES_AT)[0] & 0x07 == compression
    assert batch.records == tuple(Record(value, b"key", NOW + index, (("header", b"h"),)) for index, value in enumerate(values))
    assert (batch.producer_id, batch.producer_epoch, batch.base_sequence, batch.transactional) == (7, 3, 5, transactional)


@pytest.mark.parametrize("kind", MarkerType)
def test_a_marker_is_read_by_both_codecs(kind: MarkerType) -> None:
    """A control batch says how the transaction ended and under which coordinator epoch."""
    batch = marker_batch(EndTransactionMarker(kind, coordinator_epoch=12), 7, 3, NOW)

    (ours,) = decode(encode(batch))
    theirs = DefaultRecordBatch(encode(batch))
    (record,) = theirs

    assert ours.marker == EndTransactionMarker(kind, 12)
    assert theirs.is_control_batch
    assert theirs.is_transactional
    assert isinstance(record, ControlRecord)
    assert (record.commit, record.abort) == (kind is MarkerType.COMMIT, kind is MarkerType.ABORT)


@pytest.mark.parametrize(
    "record",
    [Record(b"\0" * 6, key=b"\0\0\0\x05"), Record(b"\0" * 6, key=b"\0\0")],
    ids=["of another type", "with a short key"],
)
def test_a_control_record_that_is_no_marker_is_none(record: Record) -> None:
    """A log may hold other control records; they end no transaction."""
    assert Batch((record,), control=True).marker is None


def test_the_key_alone_makes_a_marker() -> None:
    """Clients read nothing else of it; such a marker does not say which coordinator sent it."""
    record = Record(None, key=b"\0\0\0\1")

    assert Batch((record,), control=True).marker == EndTransactionMarker(MarkerType.COMMIT, -1)


def test_data_has_no_marker_whatever_it_holds() -> None:
    """The control flag makes a marker, not the bytes."""
    disguised = marker_batch(EndTransactionMarker(MarkerType.COMMIT, 0), 7, 3, NOW).records[0]

    assert Batch((disguised,)).marker is None


@given(batches, st.data())
def test_a_last_batch_that_is_cut_off_is_left_out(batch: Batch, data: st.DataObject) -> None:
    """A Fetch answer may end in the middle of a batch, wherever that is."""
    whole = encode(batch)
    cut = data.draw(st.integers(0, len(whole) - 1))

    assert decode(whole + whole[:cut]) == (batch,)


@given(batches, st.data())
def test_a_changed_byte_is_noticed(batch: Batch, data: st.DataObject) -> None:
    """Nothing after the checksum can change without being noticed."""
    whole = bytearray(encode(batch))
    whole[data.draw(st.integers(ATTRIBUTES_AT, len(whole) - 1))] ^= data.draw(st.integers(1, 255))

    with pytest.raises(MalformedBatch, match="checksum"):
        decode(bytes(whole))


def test_a_codec_that_there_is_not_is_refused_by_its_number() -> None:
    """Compressed records are never taken for plain ones."""
    data = with_changed(encode(Batch((Record(b"v"),))), ATTRIBUTES_AT, struct.pack(">h", 5))

    with pytest.raises(MalformedBatch, match="compressed with number 5; there are gzip, snappy, lz4, zstd"):
        decode(data)


@pytest.mark.parametrize("codec", [1, 2, 3, 4], ids=NAMES[1:])
def test_what_does_not_unpack_is_refused(codec: int) -> None:
    """The flag does not make the bytes compressed."""
    data = with_changed(encode(Batch((Record(b"v"),))), ATTRIBUTES_AT, struct.pack(">h", codec))

    with pytest.raises(MalformedBatch, match=f"{NAMES[codec]} batch that does not unpack"):
        decode(data)


@pytest.mark.parametrize(
    ("at", "replacement", "why"),
    [
        (8, struct.pack(">i", -1), "byte 0: a batch length of -1, expected at least 49"),
        (8, struct.pack(">i", 48), "byte 0: a batch length of 48, expected at least 49"),
        (16, b"\x01", "byte 16: magic 1, expected 2"),
        (COUNT_AT, struct.pack(">i", 0), "8 bytes left over after the 0 records"),
        (COUNT_AT, struct.pack(">i", 2), "1 bytes announced at byte 8 of the records, 0 there"),
        (HEAD_SIZE, b"\x10", "announces its end at byte 9 of the records and has it at 8"),
        (HEAD_SIZE + 5, b"\x03", "-2 bytes announced"),
        (HEAD_SIZE + 1, b"\x00" + b"\xff" * 6, "announced at byte|longer than ten bytes"),
    ],
)
def test_bytes_that_are_no_batch_are_refused_with_their_place(at: int, replacement: bytes, why: str) -> None:
    """The error says which byte, what is there, and what was expected."""
    data = with_changed(encode(Batch((Record(b"v"),))), at, replacement)

    with pytest.raises(MalformedBatch, match=why):
        decode(data)


def test_the_place_counts_from_the_first_batch() -> None:
    """In the second of two batches the place is after the first."""
    good = encode(Batch((Record(b"v"),)))

    with pytest.raises(MalformedBatch, match=f"byte {len(good) + 16}: magic 0"):
        decode(good + with_changed(good, 16, b"\0"))
