"""Clients of a Pulsar reference that is served: one of bytes, and the kit's own probe."""

from google.protobuf.message import Message
from served import Command
from succeeded import value_of
from wire_client import WireClient

from fencepost.adapters.common.system_faults import NoFaults
from fencepost.adapters.pulsar.pulsar_session import PulsarSession
from fencepost.adapters.pulsar.pulsar_values import InitialPosition, SubType, TxnAction, persistent
from fencepost.adapters.pulsar.reach import parse_addresses, wall_session
from fencepost.contract.outcomes import Done
from fencepost.wire.pulsar.frames import Payload, decode, encode, frame_of

PATIENCE_S = 20.0


class PulsarWire(WireClient):
    """A client of bytes that reads Pulsar's frames."""

    def __enter__(self) -> "PulsarWire":
        return self

    def ask(self, command: Message, payload: Payload | None = None) -> None:  # type: ignore[override]
        self.send(encode(frame_of(command, payload)))

    def name(self) -> str | None:
        """The command that comes next; None when the connection was closed instead."""
        data = self.frame()
        return None if data is None else decode(data).name


def session(port: int, admin_port: int) -> PulsarSession:
    """The kit's own probe, at an address."""
    place = parse_addresses(f"pulsar://127.0.0.1:{port}", f"http://127.0.0.1:{admin_port}", {}).place()
    return wall_session(place, PATIENCE_S, NoFaults(str(place)))


def healthy(served: Command, name: str = "healthy") -> None:
    """The broker still serves others: a message in a transaction is committed, and read."""
    ours = session(served.port, served.admin_port)
    probe = ours.client(name)
    topic = persistent(ours.unique(name))
    match probe.producer(topic), probe.subscribe(topic, "s", SubType.EXCLUSIVE, initial=InitialPosition.EARLIEST):
        case Done(producer), Done(consumer):
            pass
        case trouble:
            raise AssertionError(trouble)
    match probe.new_transaction():
        case Done(txn):
            value_of(probe.add_topics(txn, [topic]))
            value_of(probe.send(producer, "v", transaction=txn))
            value_of(probe.end(txn, TxnAction.COMMIT))
        case trouble:
            raise AssertionError(trouble)
    match probe.receive(consumer):
        case Done(message):
            assert message is not None
            assert message.value == "v"
        case trouble:
            raise AssertionError(trouble)
    ours.close()
