"""One client's connection to one broker: it matches answers with requests, and keeps pushed frames for those whom they concern.

Several requests may be in flight. An answer is matched by the request id; a receipt by producer and sequence id, the oldest request first.
A request whose time is over is not forgotten: its answer may come later, and then belongs to that request and no other. Each time the
connection reads, it answers a PING.

There is no thread: the connection reads while a caller waits for an answer or a message, and at the beginning of each call. When it is
lost, so is every request in flight.
"""

from collections import defaultdict, deque
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

from google.protobuf.message import Message

from fencepost.adapters.common.address import Address
from fencepost.contract.errors import Malformed, SystemUnreachable
from fencepost.contract.outcomes import Done, Unknown
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.frames import Frame, Payload, frame_of
from fencepost.wire.pulsar.numbers import MINUS_ONE

from .pulsar_recording import PulsarCall, PulsarRecorder
from .pulsar_values import CoordinatorId
from .transport import ConnectionLost, PulsarTransport

_MOST_AT_ONCE = 10_000
"""The most frames that are read at once, in case a broker never stops sending."""

PROTOCOL_VERSION = 21
"""The newest version that brokers with transactions have; from 19 on a client connects to its coordinator."""

_Key: TypeAlias = tuple[str, int, int]
"""What an answer is matched by: ("request", its id, 0), or ("send", producer, sequence id), or ("session", "watch" or "topics", its id, 0).
A frame that is pushed to a consumer of a whole topic has the key ("stream", its number, 0).
"""

_CONNECT: _Key = ("connect", 0, 0)
_PING: _Key = ("ping", 0, 0)

_NOBODYS = MINUS_ONE
"""The request id of an ERROR that answers no request except CONNECT, which has no id."""

About: TypeAlias = Mapping[str, Any]
"""What the client knows about a request and the frame does not have, such as the topic of a producer."""

NOTHING_MORE: About = MappingProxyType({})

_PLAIN_ANSWERS = {
    "PRODUCER": "PRODUCER_SUCCESS",
    "CONNECT": "CONNECTED",
    "SEND": "SEND_RECEIPT",
    "PING": "PONG",
    "SCALABLE_TOPIC_LOOKUP": "SCALABLE_TOPIC_UPDATE",
    "WATCH_SCALABLE_TOPICS": "WATCH_SCALABLE_TOPICS_UPDATE",
    "WATCH_TC_ASSIGNMENTS": "WATCH_TC_ASSIGNMENTS_UPDATE",
}
_SUCCESS = frozenset({"SUBSCRIBE", "UNSUBSCRIBE", "SEEK", "CLOSE_PRODUCER", "CLOSE_CONSUMER"})


class ClientConnection:
    """A connection that was opened; `lost` is the reason why it no longer is."""

    def __init__(self, client: str, address: Address, transport: PulsarTransport, recorder: PulsarRecorder) -> None:
        self.address = address
        self.lost: str | None = None
        self.features: tuple[str, ...] = ()
        """The broker's features according to CONNECTED, by the names of their flags."""
        self.coordinators: set[CoordinatorId] = set()
        """The coordinators that this connection has connected to (TC_CLIENT_CONNECT)."""
        self.closed_producers: set[int] = set()
        self.closed_consumers: set[int] = set()
        self.at_end: set[int] = set()
        """The consumers that were notified that a terminated topic has no more messages for them."""
        self.active: dict[int, bool] = {}
        """The consumers that were notified whether they are the active one of their subscription, with the last notification."""
        self.consumers: dict[int, About] = {}
        """What is known about this connection's consumers, for the record of their messages."""
        self.inboxes: dict[int, deque[Frame]] = defaultdict(deque)
        """The messages that have come for each consumer."""
        self.reported: dict[_Key, list[Frame]] = defaultdict(list)
        """All pushed layouts, topics and assignments, for each session, watch and consumer of a whole topic."""
        self._client = client
        self._transport = transport
        self._recorder = recorder
        self._waiting: dict[_Key, deque[PulsarCall]] = defaultdict(deque)
        self._given_up: dict[_Key, deque[PulsarCall]] = defaultdict(deque)
        """Messages in flight when their producer was closed. The broker may still refuse them after that."""

    def connect(self, within_s: float, principal: str | None = None) -> Done[pb.CommandConnected] | Unknown:
        """CONNECT, which comes before every other request; a principal is sent by basic authentication, without a password."""
        command = pb.CommandConnect(client_version="fencepost", protocol_version=PROTOCOL_VERSION)
        if principal is not None:
            command.auth_method_name, command.auth_data = "basic", f"{principal}:".encode()
        call = self.ask(command)
        match self.answer(call, within_s):
            case Done(frame) if frame.name == "CONNECTED":
                self.features = features_of(frame.body)
                return Done(frame.body)
            case Done(frame):
                return Unknown(f"{self.address} refused the connection: {frame.body.message}", lost=True)
            case unknown:
                return unknown

    def ask(self, command: Message, payload: Payload | None = None, about: About = NOTHING_MORE) -> PulsarCall:
        """Send a request; `answer` waits for its answer."""
        frame = frame_of(command, payload)
        call = self._recorder.begin(self._client, str(self.address), frame, about)
        self._waiting[_key(frame)].append(call)
        self._send(frame)
        return call

    def notify(self, command: Message, payload: Payload | None = None, about: About = NOTHING_MORE) -> PulsarCall:
        """Send a request that is not answered."""
        frame = frame_of(command, payload)
        call = self._recorder.begin(self._client, str(self.address), frame, about, one_way=True)
        if not self._send(frame):
            self._recorder.lost(call, self.lost or "")
        return call

    def answer(self, call: PulsarCall, within_s: float) -> Done[Frame] | Unknown:
        """Wait for the answer to a request."""
        end = self._recorder.now_ms() + 1000 * within_s
        while call.answer is None and self.lost is None:
            left_s = (end - self._recorder.now_ms()) / 1000
            if not self._is_awaited(call):
                self.drain()  # it was given up, but its answer may have come
                break
            if left_s <= 0:
                why = f"{self.address} did not answer {call.name} within {within_s:g} s"
                self._recorder.lost(call, why)
                return Unknown(why)
            self._look(left_s)
        match call.answer:
            case Frame() as frame:
                return Done(frame)
            case _:
                return Unknown(call.lost or self.lost or "the connection is gone", lost=True)

    def await_push(self, within_s: float) -> bool:
        """Wait for any frame; False if none has come, or the connection is lost."""
        return self.lost is None and self._look(within_s)

    def pushed_to(self, kind: str, number: int) -> list[Frame]:
        """All frames pushed so far to a "session", to a watch of "topics", or to a "stream" consumer, by its number."""
        self.drain()
        return self.reported[kind, number, 0]

    def drain(self) -> None:
        """Read the frames that have come, without waiting."""
        for _ in range(_MOST_AT_ONCE):
            if self.lost is not None or not self._look(0):
                return

    def close(self) -> None:
        """Close the connection."""
        if self.lost is None:
            self._lose("the client closed the connection")

    # --- coming in ------------------------------------------------------------------------------------------------------------

    def _look(self, within_s: float) -> bool:
        """Read and handle one frame; False if none comes in time."""
        try:
            frame = self._transport.receive(within_s)
        except ConnectionLost as lost:
            self._lose(str(lost))
            return False
        except (Malformed, SystemUnreachable) as error:
            self._lose(str(error))
            raise
        if frame is not None:
            self._take(frame)
        return frame is not None

    def _take(self, frame: Frame) -> None:
        body = frame.body
        match body:
            case pb.CommandPing():
                self._send(frame_of(pb.CommandPong()))
            case pb.CommandPong() if not self._waiting.get(_PING):
                pass
            case pb.CommandMessage():
                self._pushed(frame)
                self.inboxes[body.consumer_id].append(frame)
            case pb.CommandCloseProducer():
                self._pushed(frame)
                self.closed_producers.add(body.producer_id)
                self._cut_off(body.producer_id)
            case pb.CommandCloseConsumer():
                self._pushed(frame)
                self.closed_consumers.add(body.consumer_id)
            case pb.CommandReachedEndOfTopic():
                self._pushed(frame)
                self.at_end.add(body.consumer_id)
            case pb.CommandActiveConsumerChange():
                self._pushed(frame)
                self.active[body.consumer_id] = body.is_active
            case pb.CommandScalableTopicAssignmentUpdate():
                self._pushed(frame)
                self.reported[_key_of_answer(frame)].append(frame)
            case pb.CommandScalableTopicUpdate() | pb.CommandWatchScalableTopicsUpdate() | pb.CommandWatchTcAssignmentsUpdate() if (
                not self._waiting.get(_key_of_answer(frame))
            ):
                self._pushed(frame)  # several may come, also after the client has closed the session
                self.reported[_key_of_answer(frame)].append(frame)
            case pb.CommandError(request_id=number) if number == _NOBODYS and not self._waiting.get(_CONNECT):
                self._pushed(frame)
            case _:
                self._match(frame)

    def _match(self, frame: Frame) -> None:
        waiting = self._waiting.get(_key_of_answer(frame)) or self._given_up.get(_key_of_answer(frame))
        if not waiting:
            raise self._malformed(f"{frame.name} answers nothing that was asked: {frame.body}".rstrip())
        call = waiting.popleft()
        assert isinstance(call.request, Frame)
        due = _due(call.request.name)
        self._recorder.answered(call, frame)
        if frame.name not in due:
            raise self._malformed(f"{call.request.name} was answered with {frame.name}, expected {' or '.join(sorted(due))}")

    def _pushed(self, frame: Frame) -> None:
        about = self.consumers.get(getattr(frame.body, "consumer_id", -1), NOTHING_MORE)
        call = self._recorder.begin(self._client, str(self.address), None, about)
        self._recorder.answered(call, frame)

    # --- trouble --------------------------------------------------------------------------------------------------------------

    def _send(self, frame: Frame) -> bool:
        if self.lost is None:
            try:
                self._transport.send(frame)
            except ConnectionLost as lost:
                self._lose(str(lost))
        if self.lost is not None:
            self._fail_waiting()
        return self.lost is None

    def _cut_off(self, producer: int) -> None:
        """No more answers about a producer's messages are expected; a later receipt belongs to a later message, if there is one of the same
        number.
        """
        for key in [key for key in self._waiting if key[:2] == ("send", producer)]:
            for call in self._waiting.pop(key):
                self._recorder.lost(call, f"{self.address} closed the producer instead of answering {call.name}")
                self._given_up[key].append(call)

    def _is_awaited(self, call: PulsarCall) -> bool:
        assert isinstance(call.request, Frame)
        return call in self._waiting.get(_key(call.request), ())

    def _malformed(self, why: str) -> Malformed:
        self._lose(why)
        return Malformed(f"{self.address}: {why}")

    def _lose(self, why: str) -> None:
        self.lost = why
        self._transport.close()
        self._fail_waiting()

    def _fail_waiting(self) -> None:
        for waiting in self._waiting.values():
            for call in waiting:
                if call.lost is None:
                    self._recorder.lost(call, f"{self.address} is lost without an answer to {call.name}: {self.lost}")
        self._waiting.clear()


def features_of(connected: pb.CommandConnected) -> tuple[str, ...]:
    """The names of the flags that are set."""
    return tuple(field.name for field, is_set in connected.feature_flags.ListFields() if is_set)


def _key(request: Frame) -> _Key:
    body = request.body
    match body:
        case pb.CommandConnect():
            return _CONNECT
        case pb.CommandPing():
            return _PING
        case pb.CommandSend():
            return ("send", body.producer_id, body.sequence_id)
        case pb.CommandScalableTopicLookup():
            return ("session", body.session_id, 0)
        case pb.CommandWatchScalableTopics():
            return ("topics", body.watch_id, 0)
        case pb.CommandWatchTcAssignments():
            return ("watch", body.watch_id, 0)
        case _:
            return ("request", body.request_id, 0)


def _key_of_answer(frame: Frame) -> _Key:
    body = frame.body
    match body:
        case pb.CommandConnected():
            return _CONNECT
        case pb.CommandPong():
            return _PING
        case pb.CommandError(request_id=number) if number == _NOBODYS:
            return _CONNECT
        case pb.CommandSendReceipt() | pb.CommandSendError():
            return ("send", body.producer_id, body.sequence_id)
        case pb.CommandScalableTopicUpdate():
            return ("session", body.session_id, 0)
        case pb.CommandWatchScalableTopicsUpdate():
            return ("topics", body.watch_id, 0)
        case pb.CommandWatchTcAssignmentsUpdate():
            return ("watch", body.watch_id, 0)
        case pb.CommandScalableTopicAssignmentUpdate():
            return ("stream", body.consumer_id, 0)
        case _:
            return ("request", getattr(body, "request_id", -1), 0)


def _due(request: str) -> frozenset[str]:
    """The commands that may answer a request."""
    if request == "SEND":
        return frozenset({"SEND_RECEIPT", "SEND_ERROR"})
    if request in _SUCCESS:
        return frozenset({"SUCCESS", "ERROR"})
    own = _PLAIN_ANSWERS.get(request, f"{request.removesuffix('_REQUEST')}_RESPONSE")
    return frozenset({own, "ERROR"})
