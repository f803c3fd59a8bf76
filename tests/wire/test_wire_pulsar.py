"""Pulsar on the wire: every command and payload is decoded as it was, and bytes that are not one are refused with what was seen."""

import filecmp
import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from commands import CHECKOUT
from google.protobuf.descriptor import Descriptor
from hypothesis import given
from hypothesis import strategies as st
from pulsar_strategies import COMMANDS, U64, frames

from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.batches import BatchedMessage, encode_batch, entries, is_batch
from fencepost.wire.pulsar.commands import body, name_of, plain, wrapped
from fencepost.wire.pulsar.frames import MAX_FRAME, SIZE, Frame, Payload, decode, encode, frame_of, size_of
from fencepost.wire.pulsar.message_parsing import MalformedPulsarFrame


def a_send() -> Frame:
    metadata = pb.MessageMetadata(producer_name="p", sequence_id=7, publish_time=1)
    return frame_of(pb.CommandSend(producer_id=1, sequence_id=7), Payload(metadata, b"value"))


def refusal(data: bytes) -> str | None:
    """Why the bytes are refused, None where they are a frame with all its messages."""
    try:
        frame = decode(data)
        if frame.payload is not None:
            entries(frame.payload)
    except MalformedPulsarFrame as error:
        return str(error)
    return None


def body_of(data: bytes) -> bytes:
    return data[SIZE.size :]


@given(frames())
def test_every_frame_comes_back_as_it_was(frame: Frame) -> None:
    """Decoding undoes encoding, for every command, and the size is that of the rest."""
    data = encode(frame)

    assert decode(body_of(data)) == frame
    assert size_of(data[: SIZE.size]) == len(data) - SIZE.size


@given(frames(), st.data())
def test_a_changed_frame_is_refused_or_another_frame(frame: Frame, data: st.DataObject) -> None:
    """No change of bytes makes the reader fail in another way than with MalformedPulsarFrame."""
    body_data = bytearray(body_of(encode(frame)))
    for place in data.draw(st.lists(st.integers(0, len(body_data) - 1), min_size=1, max_size=4)):
        body_data[place] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(body_data)))

    for changed in (bytes(body_data), bytes(body_data[:cut])):
        assert "; the bytes: " in (refusal(changed) or "; the bytes: ")


@given(st.binary(max_size=80))
def test_noise_is_refused(noise: bytes) -> None:
    """Random bytes raise MalformedPulsarFrame, unless they happen to be a frame."""
    assert "; the bytes: " in (refusal(noise) or "; the bytes: ")


@pytest.mark.parametrize("kind", COMMANDS, ids=lambda kind: kind.name)
def test_a_commands_field_has_the_name_and_number_of_its_type(kind: Descriptor) -> None:
    """The law that wraps a command by its class alone."""
    fields = [field for field in pb.BaseCommand.DESCRIPTOR.fields if field.message_type is kind]

    assert len(fields) == 1
    assert pb.BaseCommand.Type.Name(fields[0].number).lower() == fields[0].name


def test_every_type_has_a_command() -> None:
    """A type without a field could be announced and never read."""
    assert set(pb.BaseCommand.Type.values()) == {field.number for field in pb.BaseCommand.DESCRIPTOR.fields} - {1}


@pytest.mark.parametrize(
    ("command", "size", "known"),
    [
        (pb.CommandEndTxn(request_id=2, txnid_least_bits=1, txnid_most_bits=0, txn_action=pb.COMMIT), 13, "0838c203080802100118002000"),
        (pb.CommandNewTxn(request_id=2, txn_ttl_millis=1, tc_id=0, scalable=True), 13, "08329203080802100118002001"),
        (pb.CommandScalableTopicLookup(session_id=2, topic="t"), 10, "0846b204050802120174"),
        (pb.CommandScalableTopicClose(session_id=2), 7, "0848c204020802"),
        (pb.CommandWatchTcAssignments(watch_id=2), 7, "084ffa04020802"),
        (pb.CommandWatchTcAssignmentsClose(watch_id=2), 7, "08518a05020802"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_known_frame_has_known_bytes(command: Any, size: int, known: str) -> None:
    """Byte by byte, as brokers accept them."""
    assert encode(frame_of(command)).hex() == f"{size + 4:08x}{size:08x}{known}"


@pytest.mark.parametrize(
    ("change", "reported"),
    [
        (lambda data: data.replace(b"\x0e\x01", b"\x0e\x02"), "the magic 0x0e01 was due after SEND, and 0x0e02 stands there"),
        (lambda data: data[:-1] + b"E", "has the checksum"),
        (lambda data: data[:3], "the size of a command was due"),
        (lambda data: SIZE.pack(9999) + data[4:], "a command of 9999 bytes was due"),
        (lambda _: SIZE.pack(3) + b"\x08\xe7\x07", "of a type that is not known: 999"),
        (lambda _: SIZE.pack(0), "of a type that is not known: none is named"),
        (lambda _: SIZE.pack(2) + b"\x08\x12", "of type PING has no ping in it"),
        (lambda _: SIZE.pack(5) + b"\x08\x12\x92\x01\x00" + b"xy", "2 bytes are left over after PING"),
        (lambda _: SIZE.pack(5) + b"\x08\x38\xc2\x03\x00", "a command of type END_TXN lacks end_txn.request_id"),
        (lambda _: SIZE.pack(2) + b"\xff\xff", "the codec refuses it"),
        (lambda data: data[:12], "the magic 0x0e01 was due after SEND, and 0x stands there"),
        (lambda data: data[:14], "the size of the metadata of SEND was due, and only 0 bytes are left"),
    ],
)
def test_a_frame_that_is_wrong_says_what_was_seen(change: Any, reported: str) -> None:
    """Magic, checksum, sizes and commands are each read strictly."""
    with pytest.raises(MalformedPulsarFrame, match=reported):
        decode(change(body_of(encode(a_send()))))


@pytest.mark.parametrize("size", [0, 3, MAX_FRAME + 1, 2**32 - 1])
def test_a_size_that_no_frame_has_is_refused(size: int) -> None:
    """Before a byte of the frame is read."""
    with pytest.raises(MalformedPulsarFrame, match=f"announces {size} bytes"):
        size_of(SIZE.pack(size))


def test_a_payload_stands_where_it_must_and_nowhere_else() -> None:
    """SEND and MESSAGE have one; no other command does."""
    with pytest.raises(ValueError, match="SEND needs a payload"):
        encode(frame_of(pb.CommandSend(producer_id=1, sequence_id=1)))
    with pytest.raises(ValueError, match="PING has no payload"):
        encode(Frame(wrapped(pb.CommandPing()), a_send().payload))


def test_unknown_fields_are_kept() -> None:
    """What a newer peer says is not lost on its way through."""
    newer = a_send()
    assert newer.payload is not None
    newer.payload.metadata.MergeFromString(b"\xfa\x3e\x03new")

    assert decode(body_of(encode(newer))).payload == newer.payload
    assert b"new" in encode(decode(body_of(encode(newer))))


ENTRIES = st.builds(
    BatchedMessage,
    st.none() | st.binary(max_size=30),
    U64,
    st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    st.lists(st.tuples(st.text("ab", max_size=3), st.text("ab", max_size=3)), max_size=2).map(tuple),
)


@given(st.lists(ENTRIES, min_size=1, max_size=5))
def test_every_batch_comes_back_as_it_was(batch: list[BatchedMessage]) -> None:
    """Also a batch of one message, which is a batch because its metadata says so."""
    metadata = pb.MessageMetadata(producer_name="p", sequence_id=0, publish_time=0, num_messages_in_batch=len(batch))
    payload = Payload(metadata, encode_batch(batch))

    assert is_batch(metadata)
    assert entries(payload) == tuple(batch)


@pytest.mark.parametrize(
    ("count", "data", "reported"),
    [
        (2, encode_batch([BatchedMessage(b"a", 0)]), "the metadata of message 2 of 2 in a batch was due, and 0 bytes are left"),
        (1, encode_batch([BatchedMessage(b"a", 0), BatchedMessage(b"b", 1)]), "bytes are left over after a batch of 1 messages"),
        (1, encode_batch([BatchedMessage(b"abc", 0)])[:-1], "announces 3 bytes, and 2 are left"),
        (1, SIZE.pack(0), "lacks payload_size"),
        (1, SIZE.pack(1) + b"\xff", "the codec refuses it"),
    ],
)
def test_a_batch_that_is_not_what_it_says_is_refused(count: int, data: bytes, reported: str) -> None:
    """Too few messages, too many, or cut off."""
    metadata = pb.MessageMetadata(producer_name="p", sequence_id=0, publish_time=0, num_messages_in_batch=count)

    with pytest.raises(MalformedPulsarFrame, match=reported):
        entries(Payload(metadata, data))


def test_a_compressed_payload_is_not_read() -> None:
    """The suite's own producers compress nothing; another's must not be taken for garbage."""
    metadata = pb.MessageMetadata(producer_name="p", sequence_id=0, publish_time=0, compression=pb.ZLIB)

    with pytest.raises(MalformedPulsarFrame, match="compressed with ZLIB"):
        entries(Payload(metadata, b"x"))


def test_a_command_is_shown_with_what_is_set() -> None:
    """Zero that was said is shown, zero that was not said is not; enums by name, bytes as hexadecimal."""
    command = wrapped(pb.CommandEndTxn(request_id=1, txnid_least_bits=0, txn_action=pb.ABORT))

    assert name_of(command) == "END_TXN"
    assert plain(body(command)) == {"request_id": 1, "txnid_least_bits": 0, "txn_action": "ABORT"}
    assert plain(pb.CommandProducerSuccess(request_id=1, producer_name="p", schema_version=b"\x01"))["schema_version"] == "01"
    assert plain(pb.CommandAck(consumer_id=1, ack_type=0, message_id=[pb.MessageIdData(ledger_id=1, entry_id=2, ack_set=[6])])) == {
        "consumer_id": 1,
        "ack_type": "Individual",
        "message_id": [{"ledger_id": 1, "entry_id": 2, "ack_set": [6]}],
    }


@pytest.mark.skipif(importlib.util.find_spec("grpc_tools") is None, reason="grpcio-tools is not installed")
def test_the_generated_code_is_that_of_the_proto_file(tmp_path: Path) -> None:
    """What `make messages` would write is what is checked in."""
    (tmp_path / "out").mkdir()
    name = "fencepost/wire/pulsar/messages.proto"
    mapped = f"-Ifencepost/wire/pulsar={CHECKOUT / 'wire/pulsar'}"
    outs = [f"--python_out={tmp_path / 'out'}", f"--pyi_out={tmp_path / 'out'}"]

    subprocess.run([sys.executable, "-m", "grpc_tools.protoc", mapped, *outs, name], check=True, capture_output=True, timeout=60)

    made = tmp_path / "out/fencepost/wire/pulsar"
    for suffix in ("py", "pyi"):
        assert filecmp.cmp(made / f"messages_pb2.{suffix}", CHECKOUT / f"wire/pulsar/messages_pb2.{suffix}", shallow=False)
