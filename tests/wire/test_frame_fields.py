"""A frame field by field is the whole frame, and each field has its name and value."""

from hypothesis import given
from pulsar_strategies import frames

from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.frame_fields import fields_of
from fencepost.wire.pulsar.frames import Frame, Payload, encode, frame_of


@given(frames())
def test_the_pieces_are_the_frame(frame: Frame) -> None:
    """In their order, with nothing left out."""
    assert b"".join(field.data for field in fields_of(frame)) == encode(frame)


def test_fields_have_names_and_values() -> None:
    """Numbers with their sign, enums and flags by name, texts as they are, and inner messages before their fields."""
    command = pb.CommandEndTxn(request_id=7, txnid_least_bits=1, txnid_most_bits=2, txn_action=pb.ABORT)

    shown = {field.path: field.value for field in fields_of(frame_of(command))}

    assert shown["type"] == "END_TXN"
    assert shown["end_txn"] == "8 bytes"
    assert shown["end_txn.txn_action"] == "ABORT"
    assert shown["end_txn.txnid_most_bits"] == "2"


def test_a_message_has_metadata_and_payload() -> None:
    """With magic, checksum and size before them."""
    metadata = pb.MessageMetadata(producer_name="p", sequence_id=3, publish_time=4)
    frame = frame_of(pb.CommandSend(producer_id=1, sequence_id=3), Payload(metadata, b"value"))

    shown = [(field.path, field.value) for field in fields_of(frame)]

    assert ("metadata.producer_name", "p") in shown
    assert shown[-1] == ("payload", "5 bytes")
    assert [path for path, _ in shown].index("checksum") < [path for path, _ in shown].index("metadata.sequence_id")
