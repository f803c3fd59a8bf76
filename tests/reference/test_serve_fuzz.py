"""Any bytes from any client: the reference answers or closes, and goes on serving."""

import contextlib
import struct
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mutations import FUZZ, damaged, recorded
from reference_client import Client
from served import Command, serve_command
from tcp_client import TcpClient, versions
from wire_client import WireClient, framed

from fencepost.reference.kafka import Profile
from fencepost.wire.kafka.frames import MalformedKafkaFrame, asked_in, decode_request, encode_response

FRAMES = recorded()


def test_the_recorded_requests_are_valid() -> None:
    """They include every API that the reference serves, and each can be decoded; otherwise the damaged ones would show nothing."""
    asked = [asked_in(frame) for frame in FRAMES]

    assert {one.api for one in asked} == set(Profile.load("seed").apis)
    assert all(decode_request(one, frame) for one, frame in zip(asked, FRAMES, strict=True))


@FUZZ
@given(st.lists(damaged(FRAMES), min_size=1, max_size=8))
def test_whatever_can_be_read_is_answered_in_the_protocols_words(frames: list[bytes]) -> None:
    """No request that can be decoded raises anything, and each answer can be encoded."""
    client = Client()
    for frame in frames:
        try:
            asked = asked_in(frame)
            request = decode_request(asked, frame) if asked.can_be_read else None
        except MalformedKafkaFrame:
            continue
        response = client.broker.refuse(asked.api) if request is None else client.broker.handle(request)
        if response is not None:
            assert encode_response(response, asked.correlation_id)
    client.broker.advance(20_000)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Command]:
    with serve_command(tmp_path_factory.mktemp("served"), itself=True) as command:
        yield command


@FUZZ
@given(st.lists(damaged(FRAMES), min_size=1, max_size=8), st.binary(max_size=12))
def test_whatever_is_sent_the_others_are_served(served: Command, frames: list[bytes], rest: bytes) -> None:
    """Damaged requests and invalid frames: the connection is answered or closed, and the next client is served."""
    with WireClient(served.port) as client, contextlib.suppress(ConnectionError):
        client.send(b"".join(map(framed, frames)) + rest)
    with WireClient(served.port) as client:
        client.ask(versions(), 5)
        assert client.correlation_id() == 5


def test_afterwards_a_whole_transaction_goes_well_and_little_memory_was_used(served: Command) -> None:
    """Nothing is left over from them, and no request met an error of the reference itself."""
    client = TcpClient(served.port, topic=False)
    client.create("fresh", 1)
    pair = client.producer("healthy")
    assert client.error_of_write("healthy", pair, 0, 0, topic="fresh") == 0
    assert client.end("healthy", pair, commit=True)[0] == 0
    client.close()

    assert "Traceback" not in served.log.read_text()
    assert served.memory_kb() < 300_000


@pytest.mark.parametrize("count", [b"\xff\xff\xff\xff\x0f", b"\x80\x80\x80\x80\x08", b"\xff\x7f"])
def test_an_array_that_announces_more_than_there_is_never_reaches_the_codec(count: bytes) -> None:
    """kio's decoder would allocate memory for it, and without enough of it end the whole process."""
    head = struct.pack(">hhihB", 65, 0, 1, -1, 0)

    with pytest.raises(MalformedKafkaFrame, match="announces"):
        decode_request(asked_in(head + count), head + count)


def test_null_is_no_array_where_the_schema_wants_one() -> None:
    """A broker would fail on it later, with an obscure error."""
    data = struct.pack(">hhihBBB", 65, 0, 1, -1, 0, 0, 0)

    with pytest.raises(MalformedKafkaFrame, match="an array is due before byte 12, and there is null"):
        decode_request(asked_in(data), data)
