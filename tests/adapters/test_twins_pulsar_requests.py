"""Requests of a Pulsar client that come on another connection, late, in parts or in another order, and what is not repeated."""

from collections.abc import Callable
from typing import Any

import pytest

from fencepost.adapters.pulsar.transport import ConnectionLost, PulsarTransport
from fencepost.adapters.twins.performer import Performer, Undisturbed
from fencepost.adapters.twins.pulsar_elsewhere import PulsarAnswerLost, PulsarNewConnection
from fencepost.adapters.twins.pulsar_entries import PulsarReordered, PulsarSplit
from fencepost.adapters.twins.pulsar_repeat import PulsarLate, may_be_repeated
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.frames import Frame, frame_of

GREETINGS = [frame_of(pb.CommandConnect(client_version="c")), frame_of(pb.CommandTcClientConnectRequest(request_id=1, tc_id=0))]
END = frame_of(pb.CommandEndTxn(request_id=7, txnid_least_bits=1, txnid_most_bits=0))


class Broker:
    """Has connections, and answers each END_TXN with the number of the connection that it came on; with a PING before it."""

    def __init__(self, most: int = 9, error: str | None = None) -> None:
        """`error` is what a repeated END_TXN is answered with."""
        self.asked: list[list[str]] = []
        self.most = most
        self.error = error

    def connect(self) -> "Wire":
        if len(self.asked) == self.most:
            raise ConnectionLost("no more")
        self.asked.append([])
        return Wire(self, len(self.asked) - 1)


class Wire:
    def __init__(self, broker: Broker, number: int) -> None:
        self._broker = broker
        self._number = number
        self._answers: list[Frame] = []

    def send(self, frame: Frame) -> None:
        self._broker.asked[self._number].append(frame.name)
        if frame.name == "END_TXN":
            answer = pb.CommandEndTxnResponse(request_id=frame.body.request_id, txnid_least_bits=self._number, txnid_most_bits=0)
            if self._number and self._broker.error:
                answer.error = pb.ServerError.Value(self._broker.error)
            self._answers += [frame_of(pb.CommandPing()), frame_of(answer)]
        else:
            self._answers.append(frame_of(pb.CommandPong()))

    def receive(self, within_s: float) -> Frame | None:  # noqa: ARG002
        return self._answers.pop(0) if self._answers else None

    def close(self) -> None:
        self._broker.asked[self._number].append("closed")


class Session:
    def between(self, wrap: Callable[[PulsarTransport, Callable[[], PulsarTransport]], PulsarTransport]) -> None:
        self.wrap = wrap


def heard(performer: type[PulsarNewConnection], broker: Broker) -> int:
    """The connection whose answer to END_TXN the client got."""
    session = Session()
    performer(session, Undisturbed()).begin()
    way: Any = session.wrap(broker.connect(), broker.connect)
    for frame in (*GREETINGS, END):
        way.send(frame)
    answers = [way.receive(1.0) for _ in range(4)]
    return next(int(one.body.txnid_least_bits) for one in answers if one is not None and one.name == "END_TXN_RESPONSE")


@pytest.mark.parametrize(("performer", "first"), [(PulsarNewConnection, []), (PulsarAnswerLost, ["END_TXN"])])
def test_an_end_comes_on_another_connection(performer: type[PulsarNewConnection], first: list[str]) -> None:
    """The other connection sends the client's CONNECT, and its answer is passed to the client."""
    broker = Broker()

    assert heard(performer, broker) == 1
    assert broker.asked == [
        ["CONNECT", "TC_CLIENT_CONNECT_REQUEST", *first],
        ["CONNECT", "TC_CLIENT_CONNECT_REQUEST", "END_TXN", "closed"],
    ]


@pytest.mark.parametrize("performer", [PulsarNewConnection, PulsarAnswerLost])
def test_where_no_connection_is_to_be_had_the_first_one_serves(performer: type[PulsarNewConnection]) -> None:
    """A broker that is stopping accepts no new connection, and has answered on the old one."""
    assert heard(performer, Broker(most=1)) == 0


@pytest.mark.parametrize(("error", "counts"), [("TransactionNotFound", 0), ("InvalidTxnStatus", 1)])
def test_a_transaction_that_is_forgotten_was_ended(error: str, counts: int) -> None:
    """PIP-31 lets a broker forget it after its end; any other refusal is the client's answer."""
    assert heard(PulsarAnswerLost, Broker(error=error)) == counts


def test_a_connect_with_a_key_is_not_repeated() -> None:
    """Each takes the next epoch of the key."""
    keyed = pb.CommandTcClientConnectRequest(request_id=1, tc_id=0, transaction_key=b"k")

    assert may_be_repeated(GREETINGS[1])
    assert not may_be_repeated(frame_of(keyed))
    assert not may_be_repeated(frame_of(pb.CommandNewTxn(request_id=1)))


class Topics:
    """A transport to a broker that refuses to add one topic, and answers everything else with success."""

    def __init__(self, refused: str = "") -> None:
        self.asked: list[str] = []
        self._refused = refused
        self._answers: list[Frame] = []

    def send(self, frame: Frame) -> None:
        body = frame.body
        match frame.name:
            case "ADD_PARTITION_TO_TXN":
                self.asked.append("+".join(body.partitions))
                error = "TransactionConflict" if self._refused in body.partitions else None
                self._answers.append(frame_of(pb.CommandAddPartitionToTxnResponse(request_id=body.request_id, error=error)))
            case "ACK":
                self.asked.append("+".join(str(one.entry_id) for one in body.message_id))
            case "END_TXN":
                self.asked.append("end")
                self._answers.append(frame_of(pb.CommandEndTxnResponse(request_id=body.request_id)))

    def receive(self, within_s: float) -> Frame | None:  # noqa: ARG002
        return self._answers.pop(0) if self._answers else None

    def close(self) -> None:
        pass


def disturbed(performer: type[Performer], broker: Topics) -> Any:
    """A transport to this broker with the disturbance in between."""
    session = Session()
    performer(session, Undisturbed()).begin()
    return session.wrap(broker, lambda: broker)


def add(*topics: str, request: int = 7) -> Frame:
    return frame_of(pb.CommandAddPartitionToTxn(request_id=request, partitions=topics))


@pytest.mark.parametrize(("refused", "asked"), [("", ["a", "b", "c"]), ("b", ["a", "b"])])
def test_each_entry_comes_in_a_separate_request(refused: str, asked: list[str]) -> None:
    """The first refusal is the answer, and what is after it is not asked; the client gets one answer, to its own request."""
    way = disturbed(PulsarSplit, broker := Topics(refused))
    way.send(add("a", "b", "c"))
    answer = way.receive(1.0)

    assert broker.asked == asked
    assert (answer.body.request_id, answer.body.HasField("error")) == (7, bool(refused))
    assert way.receive(1.0) is None


def test_what_is_not_answered_is_split_as_well() -> None:
    """An acknowledgement without a request id."""
    way = disturbed(PulsarSplit, broker := Topics())
    ids = [pb.MessageIdData(ledger_id=1, entry_id=number) for number in (3, 4)]
    way.send(frame_of(pb.CommandAck(consumer_id=1, ack_type="Individual", message_id=ids)))

    assert broker.asked == ["3", "4"]


def test_entries_come_in_the_reverse_order() -> None:
    """In one request, whose answer is passed to the client."""
    way = disturbed(PulsarReordered, broker := Topics())
    way.send(add("a", "b"))

    assert broker.asked == ["b+a"]
    assert way.receive(1.0).body.request_id == 7


@pytest.mark.parametrize(("refused", "asked"), [("", ["a", "end", "a"]), ("a", ["a", "end"])])
def test_a_request_comes_late_if_it_succeeded(refused: str, asked: list[str]) -> None:
    """After the answer to the next one; the client gets no answer to it."""
    way = disturbed(PulsarLate, broker := Topics(refused))
    way.send(add("a"))
    first = way.receive(1.0)
    way.send(frame_of(pb.CommandEndTxn(request_id=8)))
    second = way.receive(1.0)

    assert broker.asked == asked
    assert [first.body.request_id, second.body.request_id] == [7, 8]
    assert way.receive(1.0) is None
