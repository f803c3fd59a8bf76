"""What is stored with a record's value if a store's own records do not have it: its partition key and its index keys.

A line of JSON, followed by the value as it is.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from .store import Value


@dataclass(frozen=True)
class Envelope:
    """A value with its partition key, None if it has none, and with its key in each index."""

    value: Value
    partition_key: str | None = None
    indexes: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def opened(cls, stored: bytes) -> "Envelope":
        """Read what `sealed` wrote."""
        head, _, value = stored.partition(b"\n")
        partition_key, indexes = json.loads(head)
        return cls(value, partition_key, indexes)

    def sealed(self) -> bytes:
        """As it is stored."""
        return json.dumps([self.partition_key, dict(self.indexes)]).encode() + b"\n" + self.value
