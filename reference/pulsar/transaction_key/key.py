"""What a key is: its owner, and the name that the owner gave it. Transaction-key proposal, "Key Concepts" and "PulsarClientBuilder"."""

import zlib
from dataclasses import dataclass

from fencepost.reference.kernel.rules import rule
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError

MOST_BYTES = 1_024
"""How long a key may be. The proposal has no limit, and each key stays in memory."""


@dataclass(frozen=True)
class TransactionKey:
    """A pair, never a joined string: the name of an owner may have any characters."""

    owner: str
    """The principal of its clients; empty for those that have none."""
    name: str

    def __str__(self) -> str:
        return f"{self.name!r} of {self.owner!r}" if self.owner else repr(self.name)

    def coordinator_of(self, count: int) -> int:
        """The number of the coordinator that a new key belongs to, of `count`."""
        rule("TXKEY-19")
        return zlib.crc32(repr((self.owner, self.name)).encode()) % count


def key_of(owner: str, sent: bytes) -> TransactionKey:
    """Decision: the key that a client means. Raises CommandRefused: NOT_ALLOWED for an invalid one, with what is expected."""
    try:
        name = sent.decode()
    except UnicodeDecodeError as error:
        raise CommandRefused(ServerError.NOT_ALLOWED, f"the transaction key {sent[:40]!r} is not UTF-8") from error
    if not 1 <= len(sent) <= MOST_BYTES:
        raise CommandRefused(ServerError.NOT_ALLOWED, f"a transaction key of {len(sent)} bytes; expected 1 to {MOST_BYTES}")
    if "&" in name:
        rule("TXKEY-17")
        raise CommandRefused(ServerError.NOT_ALLOWED, f"the transaction key {name!r} contains '&'")
    return TransactionKey(owner, name)
