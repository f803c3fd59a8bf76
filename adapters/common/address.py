"""The address of a broker."""

import contextlib
import secrets
import socket
from dataclasses import dataclass

LOOPBACK = "127.0.0.1"
_PORTS = range(20_000, 30_000)
"""Below the range of ports that systems assign to connections, so that no connection takes this port while the broker is down."""
_given: set[int] = set()


@dataclass(frozen=True)
class Address:
    """Host and port of a broker, as it advertises them."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"

    @classmethod
    def of(cls, text: str) -> "Address":
        """Read it as it is written here. Raises ValueError if the port is no number."""
        host, _, port = text.rpartition(":")
        return cls(host, int(port))


def free_port() -> int:
    """A port of this machine's loopback address on which no process listens, and another one each time: a broker needs several."""
    while True:
        port = secrets.choice([one for one in _PORTS if one not in _given])
        _given.add(port)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind((LOOPBACK, port))
            return port
