"""Requests of a Pulsar client that come on another connection, and what is not repeated there."""

from collections.abc import Callable
from typing import Any

import pytest

from fencepost.adapters.pulsar.transport import ConnectionLost, Transport
from fencepost.adapters.twins.performer import Undisturbed
from fencepost.adapters.twins.pulsar_elsewhere import PulsarAnswerLost, PulsarNewConnection
from fencepost.adapters.twins.pulsar_repeat import may_be_repeated
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.frames import Frame, frame_of

GREETINGS = [frame_of(pb.CommandConnect(client_version="c")), frame_of(pb.CommandTcClientConnectRequest(request_id=1, tc_id=0))]
END = frame_of(pb.CommandEndTxn(request_id=7, txnid_least_bits=1, txnid_most_bits=0))


class Broker:
    """Has connections, and answers each END_TXN with the number of the connection that it came on; with a PING before it."""

    def __init__(self, most: int = 9) -> None:
        self.asked: list[list[str]] = []
        self.most = most

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
            self._answers += [frame_of(pb.CommandPing()), frame_of(answer)]
        else:
            self._answers.append(frame_of(pb.CommandPong()))

    def receive(self, within_s: float) -> Frame | None:  # noqa: ARG002
        return self._answers.pop(0) if self._answers else None

    def close(self) -> None:
        self._broker.asked[self._number].append("closed")


class Session:
    def between(self, wrap: Callable[[Transport, Callable[[], Transport]], Transport]) -> None:
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
    """Which greets as the client did, and whose answer is the client's."""
    broker = Broker()

    assert heard(performer, broker) == 1
    assert broker.asked == [
        ["CONNECT", "TC_CLIENT_CONNECT_REQUEST", *first],
        ["CONNECT", "TC_CLIENT_CONNECT_REQUEST", "END_TXN", "closed"],
    ]


@pytest.mark.parametrize("performer", [PulsarNewConnection, PulsarAnswerLost])
def test_where_no_connection_is_to_be_had_the_first_one_serves(performer: type[PulsarNewConnection]) -> None:
    """A broker that is going down takes no new connection, and has answered on the old one."""
    assert heard(performer, Broker(most=1)) == 0


def test_a_connect_with_a_key_is_not_repeated() -> None:
    """Each takes the next epoch of the key."""
    keyed = pb.CommandTcClientConnectRequest(request_id=1, tc_id=0, transaction_key=b"k")

    assert may_be_repeated(GREETINGS[1])
    assert not may_be_repeated(frame_of(keyed))
    assert not may_be_repeated(frame_of(pb.CommandNewTxn(request_id=1)))
