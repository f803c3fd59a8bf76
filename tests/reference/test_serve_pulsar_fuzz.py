"""Any bytes from any client to the Pulsar reference: it answers or closes, and goes on serving."""

import contextlib
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mutations import FUZZ, damaged
from pulsar_clients import PulsarWire, healthy
from pulsar_mutations import SCALABLE_TOPIC, absurd, recorded
from pulsar_strategies import frames as any_frames
from scalable_world import metadata_kind
from served import Command, serve_command

from fencepost.reference.pulsar import PulsarParts, PulsarProfile, ReferencePulsar
from fencepost.reference.pulsar.api import KNOWN
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.admin import AdminRequest
from fencepost.wire.pulsar.frames import SIZE, Frame, decode, encode, frame_of
from fencepost.wire.pulsar.message_parsing import MalformedPulsarFrame

FRAMES = recorded()
BYTES = [encode(frame)[SIZE.size :] for frame in FRAMES]
PROFILES = st.sampled_from(PulsarProfile.names())


class Conversation:
    """One client after the other at a broker in this process, which has scalable topics: a client that is disconnected reconnects."""

    def __init__(self, profile: str) -> None:
        self.broker = ReferencePulsar(PulsarProfile.load(profile), PulsarParts(), nodes=1, kinds=[metadata_kind()])
        self.broker.admin(AdminRequest("PUT", f"/admin/v2/scalable/{SCALABLE_TOPIC.removeprefix('topic://')}", {"numInitialSegments": "2"}))
        self._connection = self.broker.connect()
        self.said: list[Frame] = []

    def send(self, frame: Frame) -> None:
        if not self._connection.is_open:
            self._connection = self.broker.connect()
        self._connection.handle(frame)
        while (said := self._connection.take()) is not None:
            self.said.append(said)

    def check(self) -> None:
        """Time passes, all answers can be encoded, and the next client is served."""
        self.broker.advance(1_000)
        for frame in self.said:
            assert decode(encode(frame)[SIZE.size :]) == frame
        self.said.clear()
        self.send(frame_of(pb.CommandNewTxn(request_id=1_000_000, txn_ttl_millis=1, tc_id=0)))
        assert self.said[-1].name == "NEW_TXN_RESPONSE"


@pytest.mark.parametrize("profile", PulsarProfile.names())
def test_the_recorded_frames_are_valid(profile: str) -> None:
    """They include every command that the reference has, and none is refused; otherwise the damaged ones would show nothing."""
    conversation = Conversation(profile)
    for frame in FRAMES:
        conversation.send(frame)

    assert {frame.name for frame in FRAMES} == KNOWN
    wrong = [frame for frame in conversation.said if frame.name in ("ERROR", "SEND_ERROR") or getattr(frame.body, "message", "")]
    assert wrong == []
    assert [frame.name for frame in conversation.said].count("MESSAGE") >= 8


@FUZZ
@given(PROFILES, st.data())
def test_whatever_can_be_read_is_answered_in_the_protocols_words(profile: str, data: st.DataObject) -> None:
    """No frame that can be decoded raises anything, at any place of a conversation, and every answer can be encoded."""
    conversation = Conversation(profile)
    strange = data.draw(st.dictionaries(st.integers(0, len(FRAMES)), st.one_of(absurd(FRAMES), any_frames()), min_size=1, max_size=6))
    for number, frame in enumerate([*FRAMES, FRAMES[1]]):
        if number in strange:
            conversation.send(strange[number])
        conversation.send(frame)
    conversation.check()


@FUZZ
@given(PROFILES, st.lists(damaged(BYTES), min_size=1, max_size=8))
def test_damaged_bytes_are_malformed_or_valid(profile: str, sent: list[bytes]) -> None:
    """Decoding raises nothing but MalformedPulsarFrame."""
    conversation = Conversation(profile)
    for data in sent:
        with contextlib.suppress(MalformedPulsarFrame):
            conversation.send(decode(data))
    conversation.check()


_WORDS = st.sampled_from(
    (
        "admin v2 v3 persistent scalable namespaces unload public default orders sub partitions stats transactions transactionMetadata "
        "coordinatorStats abortTransaction pendingAckStats positionStatsInPendingAck 0 1 -1 ٣ .. " + "9" * 30
    ).split(" ")
)
_PATHS = st.lists(_WORDS, max_size=9).map(lambda words: "/" + "/".join(words))
_KNOWN_PATHS = st.sampled_from(
    [
        "/admin/v2/persistent/public/default/orders",
        "/admin/v2/persistent/public/default/orders/partitions",
        "/admin/v2/persistent/public/default/orders/terminate",
        "/admin/v2/persistent/public/default/orders/unload",
        "/admin/v2/persistent/public/default/or ders",
        "/admin/v2/namespaces/public/default/deduplication",
        "/admin/v2/namespaces/public/default/unload",
        "/admin/v2/scalable/public/default/events",
        "/admin/v2/scalable/public/default/events/subscriptions/sub",
        "/admin/v3/transactions/coordinatorStats",
        "/admin/v3/transactions/transactionCoordinator/replicas",
        "/admin/v3/transactions/abortTransaction/0/0",
        "/admin/v3/transactions/transactionMetadata/0/99999999999999999999",
        "/admin/v3/transactions/positionStatsInPendingAck/public/default/orders/sub/0/0",
    ]
)
_JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5), st.lists, max_leaves=3)
_CALLS = st.builds(
    AdminRequest,
    st.sampled_from(["GET", "PUT", "POST", "DELETE", "PATCH"]),
    _PATHS | _KNOWN_PATHS,
    st.dictionaries(st.sampled_from(["coordinatorId", "numInitialSegments", "x"]), st.text(max_size=3)),
    _JSON,
)


@FUZZ
@given(PROFILES, st.lists(_CALLS, min_size=1, max_size=6))
def test_any_admin_call_has_an_answer_of_http(profile: str, calls: list[AdminRequest]) -> None:
    """A status that shows whose fault it is, and never a server error."""
    conversation = Conversation(profile)
    for frame in FRAMES[:20]:
        conversation.send(frame)
    for call in calls:
        answer = conversation.broker.admin(call)
        assert answer is not None
        assert 200 <= answer.status < 500
    conversation.check()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Command]:
    with serve_command(tmp_path_factory.mktemp("served"), system="pulsar", itself=True) as command:
        yield command


@FUZZ
@given(st.lists(damaged(BYTES) | absurd(FRAMES).map(lambda frame: encode(frame)[4:]), min_size=1, max_size=8), st.binary(max_size=12))
def test_whatever_is_sent_the_others_are_served(served: Command, sent: list[bytes], rest: bytes) -> None:
    """Damaged and invalid frames: the connection is answered or closed, and the next client is served."""
    with PulsarWire(served.port) as client, contextlib.suppress(ConnectionError):
        client.send(b"".join(SIZE.pack(len(data)) + data for data in sent) + rest)
    with PulsarWire(served.port) as client:
        client.ask(pb.CommandPing())
        assert client.name() == "PONG"


@FUZZ
@given(st.binary(max_size=200), st.sampled_from([b"", b"GET / HTTP/1.1\r\nHost: x\r\n", b"PUT /admin/v2 HTTP/1.1\r\nContent-Length: "]))
def test_whatever_comes_to_the_admin_port_the_others_are_served(served: Command, rest: bytes, start: bytes) -> None:
    """Invalid HTTP, or only its beginning."""
    with PulsarWire(served.admin_port) as client, contextlib.suppress(ConnectionError):
        client.send(start + rest)
    answer: Any = httpx.get(f"http://127.0.0.1:{served.admin_port}/admin/v3/transactions/coordinators", trust_env=False)
    assert answer.status_code == 200


def test_afterwards_a_whole_transaction_goes_well_and_little_memory_was_used(served: Command) -> None:
    """Nothing is left over from them, and no frame met an error of the reference itself."""
    healthy(served, "afterwards")

    assert "Traceback" not in served.log.read_text()
    assert served.memory_kb() < 400_000
