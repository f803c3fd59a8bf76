"""Clients of a served reference that have metadata-driven transactions on segments."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

from pulsar_clients import PATIENCE_S
from served import Command
from succeeded import value_of

from fencepost.adapters.common.system_faults import NoFaults
from fencepost.adapters.pulsar.probe import PulsarProbe
from fencepost.adapters.pulsar.pulsar_session import PulsarSession
from fencepost.adapters.pulsar.pulsar_values import ConsumerHandle, InitialPosition, ProducerHandle, SubType, TransactionId, TxnAction
from fencepost.adapters.pulsar.reach import parse_addresses, wall_session
from fencepost.adapters.pulsar.scalable import ScalableProbe
from fencepost.adapters.pulsar.scalable_session import ScalableSession


@contextmanager
def scalable_session(served: Command) -> Iterator[PulsarSession]:
    """The kit's own probe, at an address."""
    place = parse_addresses(f"pulsar://127.0.0.1:{served.port}", f"http://127.0.0.1:{served.admin_port}", {}).place()
    ours = wall_session(place, PATIENCE_S, NoFaults(str(place)), ScalableSession)
    try:
        yield ours
    finally:
        ours.close()


class OneSegment:
    """A segment of a broker, with a producer and a consumer."""

    def __init__(self, session: PulsarSession) -> None:
        probe = session.client("c")
        assert isinstance(probe, ScalableProbe)
        self.probe: PulsarProbe = probe
        name = cast(str, value_of(probe.make_topic(session.unique("t"))))
        self._producer = cast(ProducerHandle, value_of(probe.producer(name)))
        self._consumer = cast(ConsumerHandle, value_of(probe.subscribe(name, "s", SubType.EXCLUSIVE, initial=InitialPosition.EARLIEST)))

    def begin(self) -> TransactionId:
        """A transaction of this broker's coordinator."""
        return cast(TransactionId, value_of(self.probe.new_transaction(scalable=True)))

    def write(self, value: str, transaction: TransactionId) -> None:
        """One message."""
        value_of(self.probe.send(self._producer, value, transaction=transaction))

    def commit(self, transaction: TransactionId) -> None:
        """By this broker."""
        value_of(self.probe.end(transaction, TxnAction.COMMIT))

    def read(self) -> str:
        """The next message, which is awaited."""
        message = value_of(self.probe.receive(self._consumer))
        assert message is not None, "nothing came"
        return str(message.value)  # type: ignore[attr-defined]
