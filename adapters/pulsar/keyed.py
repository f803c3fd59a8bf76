"""The transaction key that a client has been granted, with the connection that has it."""

import json
from dataclasses import dataclass

from .connection import ClientConnection
from .pulsar_values import CoordinatorId


def label_of(owner: str | None, key: bytes) -> str:
    """A key with its owner, as a text that no other pair has."""
    return json.dumps([owner or "", key.decode(errors="backslashreplace")], ensure_ascii=False)


@dataclass(frozen=True)
class Keyed:
    """A client's key once it was granted, with the connection that has it. `owner` is the name that the client connects with."""

    key: bytes
    owner: str | None
    epoch: int
    coordinator: CoordinatorId
    connection: ClientConnection

    @property
    def label(self) -> str:
        """The key with its owner, as one text."""
        return label_of(self.owner, self.key)
