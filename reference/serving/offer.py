"""What is served of an engine: who answers at which socket, and how its time passes."""

import socket
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from fencepost.reference.metadata.store import MetadataStore

from .server import Meet


@dataclass(frozen=True)
class Wanted:
    """The broker that a user wants: its profile, and what may be said beside that, each where its engine `takes` it."""

    profile: str
    settings: Sequence[str] = ()
    metadata: Callable[[], MetadataStore] | None = None
    """What connects it to the store of its metadata-driven transactions."""
    crash_at: str | None = None
    """The place of its code at which the process dies."""
    transaction_keys: bool = False
    """Whether it has transaction keys, also with a profile that has none."""


@dataclass(frozen=True)
class Offer:
    """A reference that can be served: who answers at which socket, how its time passes, and what a user is told."""

    doors: Collection[tuple[socket.socket, Meet]]
    advance: Callable[[int], None]
    greeting: str


class Served(Protocol):
    """An engine as it is served."""

    @property
    def ports(self) -> Mapping[str, int]:
        """The options that name its ports, such as `port`, with the port that each has unless a user says otherwise."""
        ...

    @property
    def takes(self) -> Collection[str]:
        """The options that it takes beside its ports and its profile, such as `set`."""
        ...

    @property
    def usage(self) -> str:
        """Why there is no more than that to be said."""
        ...

    def check(self, profile: str, options: Mapping[str, Any]) -> None:
        """Raises WrongUsage for a value of these options that cannot be, with this profile; those that were not given are None."""
        ...

    def offer(self, listeners: Mapping[str, socket.socket], wanted: Wanted) -> Offer:
        """A new broker behind these sockets, by the options that name them; what is wanted was checked."""
        ...


def now_ms() -> int:
    """What the wall's clock says, for a broker that is served in real time."""
    return round(time.time() * 1000)
