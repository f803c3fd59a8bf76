"""A Pulsar broker for tests of the probe, whose answers a test sets.

It lives in this process and has a virtual clock. To connecting, looking up, opening and closing it answers as a broker does; what
else is to be answered, the test says: for each command a list of answers, taken one after another, the last one for ever. An answer
is made of the request, and is a list of frames, or `hangs_up`. It can also push frames, and hang up at any moment.
"""

import itertools
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from google.protobuf.message import Message

from fencepost.adapters.common.address import Address
from fencepost.adapters.common.system_faults import NoFaults
from fencepost.adapters.pulsar.inprocess import InProcessAdmin, InProcessPulsarTransport
from fencepost.adapters.pulsar.pulsar_session import PulsarSession
from fencepost.adapters.pulsar.transport import ConnectionLost
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.admin import AdminAnswer, AdminRequest
from fencepost.wire.pulsar.batches import BatchedMessage, encode_batch
from fencepost.wire.pulsar.frames import Frame, Payload, frame_of

HERE = Address("here", 6650)
Answer: TypeAlias = Callable[[Any], list[Message]]


def hangs_up(_request: Any) -> list[Message]:
    """An answer that ends the connection."""
    raise ConnectionResetError


def nothing(_request: Any) -> list[Message]:
    """An answer that never comes."""
    return []


def succeeds(request: Any) -> list[Message]:
    """SUCCESS."""
    return [pb.CommandSuccess(request_id=request.request_id)]


class ScriptedConnection:
    """One client's connection."""

    def __init__(self, broker: "ScriptedPulsar") -> None:
        self.is_open = True
        self._broker = broker
        self._coming: deque[Frame] = deque()

    def handle(self, frame: Frame) -> None:
        self._broker.asked.append(frame)
        try:
            for message in self._broker.answer(frame):
                self.say(message)
        except ConnectionResetError:
            self.is_open = False

    def say(self, message: Message, payload: Payload | None = None) -> None:
        self._coming.append(frame_of(message, payload))

    def take(self) -> Frame | None:
        return self._coming.popleft() if self._coming else None

    def close(self) -> None:
        self.is_open = False


class ScriptedPulsar:
    """The broker. `asked` are the frames that clients sent, `administered` the admin calls."""

    def __init__(self) -> None:
        self.now = 0.0
        self.is_up = True
        self.asked: list[Frame] = []
        self.administered: list[AdminRequest] = []
        self.admin_answers: list[AdminAnswer | None] = []
        self.connections: list[ScriptedConnection] = []
        self.later: list[tuple[float, Callable[[], None]]] = []
        self._script: dict[str, list[Answer]] = {
            "CONNECT": [lambda _: [pb.CommandConnected(server_version="Pulsar Server4.0.7", protocol_version=21)]],
            "PARTITIONED_METADATA": [lambda request: [_partitions(request, 1)]],
            "LOOKUP": [lambda request: [_served(request, "pulsar://here:6650")]],
            "TC_CLIENT_CONNECT_REQUEST": [lambda request: [pb.CommandTcClientConnectResponse(request_id=request.request_id)]],
            "PRODUCER": [
                lambda request: [
                    pb.CommandProducerSuccess(
                        request_id=request.request_id, producer_name=request.producer_name or "given", last_sequence_id=-1
                    )
                ]
            ],
            **{name: [succeeds] for name in ("SUBSCRIBE", "UNSUBSCRIBE", "SEEK", "CLOSE_PRODUCER", "CLOSE_CONSUMER")},
            **{name: [nothing] for name in ("FLOW", "REDELIVER_UNACKNOWLEDGED_MESSAGES", "PONG")},
            "SEND": [lambda request: [receipt(request, 1, len(self.of("SEND")) - 1)]],
            "ACK": [
                lambda request: (
                    [pb.CommandAckResponse(consumer_id=request.consumer_id, request_id=request.request_id)]
                    if request.HasField("request_id")
                    else []
                )
            ],
        }

    def on(self, command: str, *answers: Answer) -> None:
        """From now on a command is answered with these, one after another, and then always with the last."""
        self._script[command] = list(answers)

    def of(self, command: str) -> list[Frame]:
        """What was asked with a command."""
        return [frame for frame in self.asked if frame.name == command]

    def names(self) -> list[str]:
        """The commands that were asked."""
        return [frame.name for frame in self.asked]

    def answer(self, frame: Frame) -> list[Message]:
        answers = self._script[frame.name]
        return (answers.pop(0) if len(answers) > 1 else answers[0])(frame.body)

    def push(self, message: Message, payload: Payload | None = None) -> None:
        """Send a frame that was not requested, to every client."""
        for connection in self.connections:
            if connection.is_open:
                connection.say(message, payload)

    def deliver(self, consumer: int, entry: int, *values: str, batched: bool = False, **fields: Any) -> None:
        """Push a MESSAGE with one value or a batch of them."""
        metadata = pb.MessageMetadata(producer_name="p", sequence_id=0, publish_time=0)
        data = values[0].encode()
        if batched:
            metadata.num_messages_in_batch = len(values)
            data = encode_batch(BatchedMessage(value.encode(), number) for number, value in enumerate(values))
        message = pb.CommandMessage(consumer_id=consumer, message_id=pb.MessageIdData(ledger_id=1, entry_id=entry), **fields)
        self.push(message, Payload(metadata, data))

    # --- as a broker in this process ------------------------------------------------------------------------------------------

    def connect(self) -> ScriptedConnection | None:
        if not self.is_up:
            return None
        self.connections.append(ScriptedConnection(self))
        return self.connections[-1]

    def admin(self, request: AdminRequest) -> AdminAnswer | None:
        self.administered.append(request)
        return self.admin_answers.pop(0) if len(self.admin_answers) > 1 else self.admin_answers[0]

    def advance(self, ms: float) -> None:
        self.now += ms
        for entry in [entry for entry in self.later if entry[0] <= self.now]:
            self.later.remove(entry)
            entry[1]()

    def hang_up(self) -> None:
        """End every connection."""
        for connection in self.connections:
            connection.is_open = False


class ScriptedTime:
    """The broker's clock."""

    patience_s = 20.0

    def __init__(self, broker: ScriptedPulsar) -> None:
        self._broker = broker

    def now_ms(self) -> float:
        return self._broker.now

    def attempts(self, patience: float | None = None) -> Iterator[int]:
        end = self._broker.now + 1000 * (self.patience_s if patience is None else patience)
        for number in itertools.count(1):
            yield number
            if self._broker.now + 20 > end:
                return
            self._broker.advance(20)


def session_with(broker: ScriptedPulsar) -> PulsarSession:
    """A session whose clients all talk to the broker, which listens only at the address `here`."""

    def connect(_client: str, address: Address) -> InProcessPulsarTransport:
        if address != HERE:
            raise ConnectionLost(f"{address} cannot be connected to: connection refused")
        return InProcessPulsarTransport(broker)

    return PulsarSession(HERE, connect, lambda: InProcessAdmin(broker), ScriptedTime(broker), NoFaults("the script"), "x")


def receipt(request: Any, ledger: int, entry: int) -> Message:
    """SEND_RECEIPT for a SEND."""
    stored = pb.MessageIdData(ledger_id=ledger, entry_id=entry)
    return pb.CommandSendReceipt(producer_id=request.producer_id, sequence_id=request.sequence_id, message_id=stored)


def _partitions(request: Any, count: int) -> Message:
    return pb.CommandPartitionedTopicMetadataResponse(request_id=request.request_id, partitions=count, response=0)


def _served(request: Any, url: str) -> Message:
    return lookup(request, url, pb.CommandLookupTopicResponse.Connect)


def lookup(request: Any, url: str, kind: Any) -> Message:
    """LOOKUP_RESPONSE with an address."""
    return pb.CommandLookupTopicResponse(request_id=request.request_id, broker_service_url=url, response=kind, authoritative=True)


def refuses(error: str) -> Answer:
    """An answer that refuses a request about a transaction."""

    def answer(request: Any) -> list[Message]:
        kind = getattr(pb, type(request).__name__ + "Response")
        return [kind(request_id=request.request_id, error=pb.ServerError.Value(error), message=f"no: {error}")]

    return answer
