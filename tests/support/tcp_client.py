"""A client for a served Kafka reference that sends and reads bytes."""

from typing import Any

from reference_client import TOPIC, Client

from fencepost.adapters.common.address import Address
from fencepost.adapters.kafka.tcp import KafkaTcpTransport
from fencepost.contract.outcomes import Done
from fencepost.wire.kafka.entities import request

PATIENCE_S = 20.0


class TcpClient(Client):
    """The tests' client of the reference, over TCP."""

    def __init__(self, port: int, topic: bool = True) -> None:
        self.transport = KafkaTcpTransport("test", Address("127.0.0.1", port))
        if topic:
            self.create(TOPIC, 3)

    def send(self, api: str, version: int, **fields: Any) -> Any:
        outcome = self.transport.call(request(api, version, **fields), PATIENCE_S)
        return outcome.value if isinstance(outcome, Done) else None

    def whole_transaction(self, name: str) -> None:
        """A transaction from its beginning to its end, which must go well."""
        pair = self.producer(name)
        assert self.error_of_write(name, pair, 0, 0) == 0
        assert self.end(name, pair, commit=True)[0] == 0

    def close(self) -> None:
        self.transport.close()


def versions() -> Any:
    return request("api_versions", 0)
