"""The bundled reference as a system that is reached over TCP, on the same virtual clock and with the same faults and names as in process.

It does not lie: that it says the same as the bundled one, event by event, is what tests ask of it.
"""

from served import EventLoop, Served

from fencepost.adapters.common.address import Address
from fencepost.adapters.kafka.kafka_login import KafkaLogin
from fencepost.adapters.kafka.tcp import KafkaTcpTransport
from fencepost.adapters.kafka.transport import Connect
from fencepost.adapters.reference_kafka import ReferenceSystem, number_of
from fencepost.reference.kafka import ReferenceKafka
from fencepost.reference.serving.server import HOST


class ServedSystem(ReferenceSystem):
    """Each session's broker is served on a separate port; its clients connect there, whatever address it reports.

    What a session does to its broker, such as letting time pass, it does while no client waits for an answer, so while the thread
    that serves the broker does nothing.
    """

    _loop: EventLoop | None = None
    _served: Served | None = None

    def _connect(self, broker: ReferenceKafka, user: str | None = None) -> Connect:
        if self._loop is None:
            self._loop = EventLoop().__enter__()
        if self._served is None or self._served.broker is not broker:
            if self._served is not None:
                self._served.close()
            self._served = Served(self._loop, lambda _: broker)
        served, login = self._served, _login(broker, user)
        return lambda client, address: KafkaTcpTransport(client, Address(HOST, served.port_of(number_of(address))), login)

    def close(self) -> None:
        if self._loop is not None and self._served is not None:
            self._served.close()
            self._loop.__exit__(None, None, None)
            self._loop = self._served = None


def _login(broker: ReferenceKafka, user: str | None) -> KafkaLogin | None:
    """Where users have to log in, clients are the kit's own user until they log in as another: the first that the broker knows."""
    passwords = broker.settings.passwords
    named = user or next(iter(passwords), None)
    return None if named is None else KafkaLogin(named, passwords[named])
