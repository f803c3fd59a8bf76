"""What is served of an engine: what answers at which socket, and how its time passes."""

import socket
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from fencepost.reference.metadata.store import MetadataStore

from .server import Meet


@dataclass(frozen=True)
class BrokerRequest:
    """The broker that a user wants: its profile, and further options, each only if its engine `takes` it."""

    profile: str
    settings: Sequence[str] = ()
    metadata: Callable[[], MetadataStore] | None = None
    """Connects it to the store of its metadata-driven transactions."""
    crash_at: str | None = None
    """The crash point at which the process is ended."""
    transaction_keys: bool = False
    """Whether it has transaction keys, even with a profile that has none."""


@dataclass(frozen=True)
class ServedReference:
    """A reference that can be served: what answers at which socket, how its time passes, and what is printed for a user."""

    doors: Collection[tuple[socket.socket, Meet]]
    advance: Callable[[int], None]
    greeting: str


class Served(Protocol):
    """An engine as it is served."""

    @property
    def ports(self) -> Mapping[str, int]:
        """The options that name its ports, such as `port`, with the default of each."""
        ...

    @property
    def takes(self) -> Collection[str]:
        """The options that it accepts in addition to its ports and its profile, such as `set`."""
        ...

    def check(self, profile: str, options: Mapping[str, Any]) -> None:
        """Raises WrongUsage for an invalid value of these options with this profile; those that were not given are None."""
        ...

    def offer(self, listeners: Mapping[str, socket.socket], wanted: BrokerRequest) -> ServedReference:
        """A new broker at these sockets, by the options that name them; what is wanted was checked."""
        ...


def now_ms() -> int:
    """The wall clock, for a broker that is served in real time."""
    return round(time.time() * 1000)
