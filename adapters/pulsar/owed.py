"""What a broker owes a consumer: the messages that were delivered to it and are not acknowledged.

A broker redelivers them when the consumer subscribes again on another connection, except what is pending in an open transaction. What an
aborted transaction has acknowledged, and what the consumer has returned, is redelivered without that.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from .pulsar_values import AckKind, MessageId, Received, TransactionId


class NotRedelivered(NamedTuple):
    """Messages that a broker owed a consumer, and did not redeliver on its next connection."""

    consumer: str
    expected: str
    seen: str


@dataclass
class Owed:
    """The messages of one consumer, with their values."""

    delivered: dict[MessageId, str] = field(default_factory=dict)
    """They came, and are not acknowledged."""
    unknown: set[MessageId] = field(default_factory=set)
    """Those of them that may be redelivered or not: no answer to their acknowledgement came, or they came after it."""
    settled: set[MessageId] = field(default_factory=set)
    """They were acknowledged, and no abort has returned them. One that the broker had sent before may come after that."""
    pending: dict[TransactionId, dict[MessageId, str]] = field(default_factory=dict)
    """Acknowledged in a transaction that is open, as far as this client knows."""
    returned: dict[MessageId, str] = field(default_factory=dict)
    """Returned by the consumer, and not delivered since."""
    aborted: dict[MessageId, str] = field(default_factory=dict)
    """Returned by an abort, and not delivered since."""

    def came(self, message: Received) -> None:
        """The broker has delivered it."""
        self.delivered[message.id] = message.value
        if message.id in self.settled:
            self.unknown.add(message.id)
        for those in (self.returned, self.aborted):
            those.pop(message.id, None)

    def acknowledged(self, ids: Sequence[MessageId], kind: AckKind, transaction: TransactionId | None) -> None:
        """The broker has accepted an acknowledgement. If it is cumulative and ends within a batch, the broker may redeliver all of that
        batch.
        """
        in_part = [one for one in ids if kind is AckKind.CUMULATIVE and -1 < one.batch_index < one.batch_size - 1]
        self.perhaps_acknowledged([one for one in self.delivered if any(_covers(part, one, kind) for part in in_part)], AckKind.INDIVIDUAL)
        covered, within = dict[MessageId, str](), {one.position for one in in_part}
        for those in (self.delivered, self.returned, self.aborted, *self.pending.values()):
            covered |= _removed(
                those, lambda one: one.position not in within and any(_covers(acknowledged, one, kind) for acknowledged in ids)
            )
        self.settled |= {*covered, *ids}
        if transaction is not None:
            self.pending.setdefault(transaction, {}).update(covered)

    def perhaps_acknowledged(self, ids: Sequence[MessageId], kind: AckKind) -> None:
        """No client knows whether the broker has accepted it."""
        self.unknown |= {one for one in self.delivered if any(_covers(acknowledged, one, kind) for acknowledged in ids)}

    def ended(self, transaction: TransactionId, *, is_aborted: bool) -> None:
        """The broker has answered the end of a transaction."""
        acknowledged = self.pending.pop(transaction, {})
        if is_aborted:
            self.settled -= acknowledged.keys()
            self.unknown -= acknowledged.keys()
            self.aborted.update({one: value for one, value in acknowledged.items() if one not in self.delivered})

    def given_back(self, ids: Sequence[MessageId]) -> None:
        """The consumer has returned these, or all that it has."""
        positions = {one.position for one in ids}
        self.returned.update(_removed(self.delivered, lambda one: not ids or one.position in positions))

    def clear(self) -> None:
        """The subscription begins elsewhere."""
        self.delivered, self.unknown, self.settled = {}, set(), set()
        self.pending, self.returned, self.aborted = {}, {}, {}

    @property
    def due(self) -> dict[MessageId, str]:
        """What the broker redelivers on another connection."""
        certain = {one: value for one, value in self.delivered.items() if one not in self.unknown}
        return certain | self.returned | self.aborted


def _removed(those: dict[MessageId, str], is_meant: Callable[[MessageId], bool]) -> dict[MessageId, str]:
    """Those of them that are meant, which are removed."""
    found = {one: value for one, value in those.items() if is_meant(one)}
    for one in found:
        del those[one]
    return found


def _covers(acknowledged: MessageId, one: MessageId, kind: AckKind) -> bool:
    """Whether an acknowledgement of a message, of a whole entry, or of all up to it is also one of this message."""
    if acknowledged.position == one.position:
        is_up_to = kind is AckKind.CUMULATIVE and one.batch_index < acknowledged.batch_index
        return acknowledged.batch_index in (-1, one.batch_index) or is_up_to
    return kind is AckKind.CUMULATIVE and one.position < acknowledged.position
