"""Where a broker listens."""

from dataclasses import dataclass

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Address:
    """Host and port of a broker, as it advertises them."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"
