"""What clients with a transaction key are granted, and what administrators are told of keys."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .connection import Connection
from .values import Coordinator, TxnId


def label_of(owner: str | None, key: bytes) -> str:
    """A key with its owner, as one text that no other pair has."""
    return json.dumps([owner or "", key.decode(errors="backslashreplace")], ensure_ascii=False)


@dataclass(frozen=True)
class KeyGrant:
    """What a coordinator answered to a client that named its key: the epoch of this connection, and the coordinator of the key.

    A broker that has no transaction keys passes the key over, and answers no epoch.
    """

    epoch: int | None
    coordinator: int


@dataclass(frozen=True)
class PendingKeyConnect:
    """A connect with a key on its way: its answer can be asked for. `follows`: it goes on to the coordinator that it is told."""

    number: int
    key: bytes | None
    epoch: int
    coordinator: Coordinator
    follows: bool


@dataclass(frozen=True)
class Keyed:
    """A client's key once it was granted, with the connection that has it. `owner` is who the client says it is."""

    key: bytes
    owner: str | None
    epoch: int
    coordinator: Coordinator
    connection: Connection

    @property
    def label(self) -> str:
        """The key with its owner, as one text."""
        return label_of(self.owner, self.key)


@dataclass(frozen=True, order=True)
class OwnedKey:
    """A key as administrators see it in the list. Clients without a name have the owner ""."""

    owner: str
    key: str


@dataclass(frozen=True)
class KeyState:
    """A key as administrators see it alone; its transactions are those that are open."""

    owner: str
    key: str
    epoch: int
    coordinator: int
    transactions: Sequence[TxnId]


@dataclass(frozen=True)
class KeyMetrics:
    """What a broker measures of keys: how many there are, the epoch of each, and how many milliseconds ago each was connected, on average
    over what was observed.
    """

    count: int
    epochs: Mapping[OwnedKey, int] = field(default_factory=dict)
    ages_ms: Mapping[OwnedKey, float] = field(default_factory=dict)
