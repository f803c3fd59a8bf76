"""Tagged fields that a schema does not have: a newer peer may send them, and a reader skips them (KIP-482)."""

import pytest

from fencepost.wire.kafka.entities import request, response
from fencepost.wire.kafka.frames import (
    LENGTH,
    MalformedKafkaFrame,
    asked_in,
    decode_request,
    decode_response,
    encode_request,
    encode_response,
)

CORRELATION = 9
UNKNOWN = bytes.fromhex("8f4e 03 616263")
"""Tag 10127, of three bytes."""
NONE, ONE = b"\x00", b"\x01" + UNKNOWN
"""The tagged fields of one part of a message: none, and that one."""

ENDED = request("end_txn", 5, transactional_id="t", producer_id=7, producer_epoch=0, committed=True)
END = response(ENDED, throttle_time=0, error_code=0, producer_id=7, producer_epoch=1)

LISTED = request("list_transactions", 1, state_filters=[], producer_id_filters=[], duration_filter=-1)
STATES = [{"transactional_id": name, "producer_id": 7, "transaction_state": "Ongoing"} for name in ("one", "two")]
LIST = response(LISTED, throttle_time=0, error_code=0, unknown_state_filters=[], transaction_states=STATES)

WRITTEN = request("produce", 10, transactional_id=None, acks=-1, timeout=1000, topic_data=[])
LEADER = {"leader_id": 0x01020304, "leader_epoch": 0x05060708}


def body_of(frame: bytes) -> bytes:
    """Without the length, the correlation id and the tagged fields of the header, of which there are none."""
    return frame[LENGTH.size + 5 :]


def answered(body: bytes, header: bytes = ONE) -> bytes:
    return CORRELATION.to_bytes(4, "big") + header + body


def test_unknown_tags_of_an_answer_are_skipped() -> None:
    """In the header, in the message, and in each element of its arrays."""
    end, listed = body_of(encode_response(END, CORRELATION)), body_of(encode_response(LIST, CORRELATION))
    state = b"Ongoing" + NONE

    assert decode_response(ENDED, CORRELATION, answered(end[:-1] + ONE)) == END
    assert listed.count(state) == 2
    assert decode_response(LISTED, CORRELATION, answered(listed[:-1].replace(state, b"Ongoing" + ONE) + ONE)) == LIST


def test_a_known_tag_with_an_unknown_one_inside_is_read() -> None:
    """Its length shrinks with what is left out."""
    partition = {
        "index": 0,
        "error_code": 6,
        "base_offset": -1,
        "log_append_time": None,
        "log_start_offset": -1,
        "record_errors": [],
        "error_message": None,
        "current_leader": LEADER,
    }
    written = response(WRITTEN, responses=[{"name": "payments", "partition_responses": [partition]}], throttle_time=0, node_endpoints=[])
    body = body_of(encode_response(written, CORRELATION))
    leader = bytes(range(1, 9))
    before, after = bytes([0, 9]) + leader + NONE, bytes([0, 9 + len(UNKNOWN)]) + leader + ONE

    assert body.count(before) == 1
    assert decode_response(WRITTEN, CORRELATION, answered(body.replace(before, after), NONE)) == written


def test_unknown_tags_of_a_request_are_skipped() -> None:
    """A client may be newer than the broker."""
    frame = encode_request(ENDED, CORRELATION, "kit")[LENGTH.size :]

    read = frame[:-1] + ONE

    assert decode_request(asked_in(read), read) == ENDED


@pytest.mark.parametrize("cut", [b"\x01\x8f", b"\x01\x8f\x4e\x7f\x61", b"\x02" + UNKNOWN])
def test_what_only_begins_like_a_tag_is_malformed(cut: bytes) -> None:
    """The field ends after the message, or there are fewer than announced."""
    body = body_of(encode_response(END, CORRELATION))

    with pytest.raises(MalformedKafkaFrame, match="EndTxn v5 was due"):
        decode_response(ENDED, CORRELATION, answered(body[:-1] + cut, NONE))
