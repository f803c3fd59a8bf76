"""Message ids of the wire, and the places that they stand for.

An entry that is a batch is one place, and the id's `ack_set` has a bit for each of its messages that is *not* acknowledged. A
committed transaction of the sidecar buffer is one entry with several places, told apart by the batch index: PIP-31 gives such a
message the id of the commit marker, and its number in the transaction.
"""

from collections.abc import Sequence

from fencepost.reference.pulsar.buffer import BEFORE_ALL_PLACES, Place
from fencepost.reference.pulsar.ledger import Marker
from fencepost.reference.pulsar.pending_ack_store import Units
from fencepost.reference.pulsar.topic import Topic
from fencepost.reference.pulsar.values import Position
from fencepost.wire.pulsar import messages_pb2 as pb

_WORD = 64
_UNSIGNED = 2**64
_LAST = 2**31
"""Behind everything that an entry may hold."""

NONE = pb.MessageIdData(ledger_id=2**64 - 1, entry_id=2**64 - 1)
"""The id that says that there is no message."""


def id_of(place: Place, batch_size: int | None = None) -> pb.MessageIdData:
    """The id of a place; of its last message where it is a batch of that size."""
    if place == BEFORE_ALL_PLACES:
        return NONE
    index = batch_size - 1 if batch_size else place.number
    return pb.MessageIdData(
        ledger_id=place.position.ledger % _UNSIGNED,
        entry_id=place.position.entry % _UNSIGNED,  # before the first entry of a ledger is entry -1, which wraps
        batch_index=index if 0 <= index < _LAST else -1,
    )


def place(topic: Topic, message_id: pb.MessageIdData) -> Place:
    """Where that message is."""
    position = _position(message_id)
    entry = topic.ledger.at(position)
    holds_several = entry is not None and isinstance(entry.content, Marker)
    return Place(position, message_id.batch_index if holds_several else -1)


def place_and_units(topic: Topic, message_id: pb.MessageIdData) -> tuple[Place, Units]:
    """Where that message is, and which messages of the place are meant: all of them where the id has no set."""
    where = place(topic, message_id)
    everything = frozenset(range(units_at(topic, where)))
    return where, _outside(message_id.ack_set, everything) if message_id.ack_set else everything


def units_at(topic: Topic, where: Place) -> int:
    """How many messages are at a place; one at a place that does not exist, which acknowledges nothing."""
    entry = topic.ledger.at(where.position)
    if entry is None:
        return 1
    if not isinstance(entry.content, Marker):
        return entry.content.units
    messages = entry.content.messages
    return messages[where.number].units if 0 <= where.number < len(messages) else 1


def before(topic: Topic, message_id: pb.MessageIdData) -> Place:
    """Just before that message: where a reader stands who is to get it next. No further than all there is."""
    return min(before_place(Place(_position(message_id))), topic.latest())


def before_place(where: Place) -> Place:
    """Just before that place."""
    if where.number > 0:
        return Place(where.position, where.number - 1)
    return Place(where.position._replace(entry=where.position.entry - 1), _LAST)


def behind(topic: Topic, message_id: pb.MessageIdData) -> Place:
    """Just behind that message, and no further than all there is. A batch is sent again as a whole, and its reader leaves out a part."""
    where = place(topic, message_id)
    if message_id.batch_index < 0:
        return min(Place(where.position, _LAST), topic.latest())
    return min(where if where.number >= 0 else before_place(where), topic.latest())


def _position(message_id: pb.MessageIdData) -> Position:
    """The position in an id. Its numbers are signed for brokers, and clients say -1 for what is before everything."""
    return Position(_signed(message_id.ledger_id), _signed(message_id.entry_id))


def _signed(number: int) -> int:
    return number - _UNSIGNED if number >= _UNSIGNED // 2 else number


def ack_set(units: Units) -> Sequence[int]:
    """The words whose bits are these messages, each as the signed number that the wire wants."""
    words = [0] * (max(units, default=0) // _WORD + 1)
    for unit in units:
        words[unit // _WORD] |= 1 << (unit % _WORD)
    return [word - (1 << _WORD) if word >= 1 << (_WORD - 1) else word for word in words]


def _outside(words: Sequence[int], everything: Units) -> Units:
    """Those whose bits are not set. A set may be longer or shorter than the batch; what it does not have is not set."""
    return frozenset(unit for unit in everything if unit // _WORD >= len(words) or not words[unit // _WORD] >> (unit % _WORD) & 1)
