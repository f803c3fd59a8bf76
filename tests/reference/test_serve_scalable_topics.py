"""`fencepost serve pulsar` with scalable topics, in raw frames: a split under load, and updates for clients that do not read."""

import json
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, cast

import pytest
from google.protobuf.message import Message
from pulsar_clients import PulsarWire
from scalable_world import EVENTS, ScalableWorld
from served import Command, serve_command

from fencepost.reference.pulsar.connection import ServerConnection
from fencepost.reference.scalable.news import MOST_WAITING
from fencepost.reference.serving.pulsar import ENOUGH_UNREAD, Outgoing, PulsarConnection
from fencepost.reference.serving.unread_bytes import Memory
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.frames import Frame, Payload, decode, encode, frame_of

PROFILES = ("seed", "pulsar-5.0")
BEFORE, BEHIND = 1_000, 500


@pytest.fixture(scope="module", params=PROFILES)
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Command]:
    with serve_command(tmp_path_factory.mktemp("served"), "--profile", request.param, system="pulsar") as command:
        yield command
        assert "Traceback" not in command.log.read_text()


class Client(PulsarWire):
    """A connected client of raw bytes."""

    def __init__(self, served: Command) -> None:
        super().__init__(served.port)
        self.ask(pb.CommandConnect(client_version="raw", protocol_version=21))
        assert self.next().body.feature_flags.supports_scalable_topics

    def next(self) -> Frame:
        """The next frame."""
        data = self.frame()
        assert data is not None, "the connection was closed"
        return decode(data)

    def until_now(self) -> list[Frame]:
        """All frames that were sent before the broker read a PING."""
        self.ask(pb.CommandPing())
        return list(iter(self.next, _PONG))

    def answer(self, command: Message) -> Any:
        self.ask(command)
        return self.next().body


class _Pong:
    """Equals every PONG."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Frame) and other.name == "PONG"

    def __hash__(self) -> int:
        return 0


_PONG = _Pong()


def admin(served: Command, method: str, path: str) -> tuple[int, Any]:
    with closing(HTTPConnection("127.0.0.1", served.admin_port)) as connection:
        connection.request(method, f"/admin/v2/scalable/public/default{path}")
        answer = connection.getresponse()
        body = answer.read()
        return answer.status, json.loads(body) if body else None


def test_a_split_under_load_loses_nothing_and_shows_nothing_that_has_no_receipt(served: Command) -> None:
    """Messages are sent without waiting, before and after the split: a message is readable, once, exactly if it has a receipt."""
    parent = "segment://public/default/loaded/0000-ffff-0"
    assert admin(served, "PUT", "/loaded")[0] == 204
    assert admin(served, "PUT", "/loaded/subscriptions/s")[0] == 204
    with Client(served) as writer, Client(served) as reader:
        writer.answer(pb.CommandProducer(topic=parent, producer_id=1, request_id=1))
        writer.send(b"".join(message(number) for number in range(BEFORE)))
        status, _ = admin(served, "POST", "/loaded/split/0")
        writer.send(b"".join(message(BEFORE + number) for number in range(BEHIND)))

        said = writer.until_now()

        assert status == 204
        receipted = [frame.body.sequence_id for frame in said if frame.name == "SEND_RECEIPT"]
        refused = [frame.body.error for frame in said if frame.name == "SEND_ERROR"]
        assert [frame.name for frame in said if frame.name not in ("SEND_RECEIPT", "SEND_ERROR")] == ["CLOSE_PRODUCER"]
        assert len(receipted) + len(refused) in (BEFORE + BEHIND, len(receipted))
        assert set(refused) <= {pb.TopicTerminatedError}
        assert reader.answer(subscribe(parent)).request_id == 2
        reader.ask(pb.CommandFlow(consumer_id=1, message_permits=BEFORE + BEHIND))
        read = [int(frame.payload.data) for frame in reader.until_now() if frame.payload]
        assert read == sorted(receipted)
        assert len(set(read)) == len(read) > 0


def test_both_profiles_serve_scalable_topics(tmp_path: Path) -> None:
    """An earlier release does not: it closes the client's connection."""
    with serve_command(tmp_path, "--profile", "pulsar-4.0", system="pulsar") as older, PulsarWire(older.port) as client:
        client.ask(pb.CommandConnect(client_version="raw", protocol_version=21))
        assert client.name() == "CONNECTED"
        client.ask(pb.CommandScalableTopicLookup(session_id=1, topic="watched"))

        assert client.name() is None


class _Transport:
    """The bytes that a client has not read."""

    unread = 0

    def set_write_buffer_limits(self, high: int) -> None:
        """It reports by itself how much waits."""

    def get_write_buffer_size(self) -> int:
        return self.unread


class _Writer:
    """A connection to such a client, and the frames that were written to it."""

    def __init__(self) -> None:
        self.transport = _Transport()
        self.written: list[Frame] = []

    def get_extra_info(self, _: str) -> tuple[str, int]:
        return "127.0.0.1", 1

    def write(self, data: bytes) -> None:
        self.written.append(decode(data[4:]))


def test_news_wait_at_the_broker_for_a_client_that_does_not_read() -> None:
    """They have a bound there; answers are sent, and after the client has read, so are the newest layouts."""
    world, writer = ScalableWorld(nodes=1), _Writer()
    connection = PulsarConnection(world.broker, Outgoing(), Memory(), cast(Any, None), cast(Any, writer))
    asked = pb.CommandScalableTopicLookup(session_id=1, topic=EVENTS)
    said = cast(ServerConnection, connection._connection)
    said.handle(frame_of(asked))
    writer.transport.unread = ENOUGH_UNREAD + 1
    for number in range(0, 3 * MOST_WAITING, 3):
        world.change(f"split/{number}")
        world.broker.advance(20)
        world.change(f"merge/{number + 1}/{number + 2}")
        world.broker.advance(20)
        connection.write()
    said.handle(frame_of(pb.CommandPing()))
    connection.write()
    assert [frame.name for frame in writer.written] == ["SCALABLE_TOPIC_UPDATE", "PONG"]

    writer.transport.unread = 0
    connection.write()

    assert [frame.body.dag.epoch for frame in writer.written[2:]] == list(range(MOST_WAITING + 1, 2 * MOST_WAITING + 1))


def message(number: int) -> bytes:
    metadata = pb.MessageMetadata(producer_name="raw", sequence_id=number, publish_time=1)
    return encode(frame_of(pb.CommandSend(producer_id=1, sequence_id=number), Payload(metadata, str(number).encode())))


def subscribe(topic: str) -> pb.CommandSubscribe:
    shared, earliest = pb.CommandSubscribe.Shared, pb.CommandSubscribe.Earliest
    return pb.CommandSubscribe(topic=topic, subscription="s", sub_type=shared, consumer_id=1, request_id=2, initial_position=earliest)
