"""Message ids of the wire, and the places that they stand for.

An entry that is a batch is one place, and the id's `ack_set` has a bit for each of its messages that is *not* acknowledged. A committed
transaction of the sidecar buffer is one entry with several places, which differ in the batch index: PIP-31 gives such a message the id of
the commit marker, and its number in the transaction.
"""

from collections.abc import Sequence

from fencepost.reference.pulsar.buffer import MessagePosition, behind_entry
from fencepost.reference.pulsar.ledger import Entry, LedgerMarker
from fencepost.reference.pulsar.pending_ack_store import Units
from fencepost.reference.pulsar.pulsar_types import Message, Position
from fencepost.reference.pulsar.topic import PulsarTopic
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.ack_sets import outside
from fencepost.wire.pulsar.numbers import signed, unsigned


def of_entry(position: Position) -> pb.MessageIdData:
    """The id of an entry."""
    return pb.MessageIdData(ledger_id=unsigned(position.ledger), entry_id=unsigned(position.entry))


def id_of(place: MessagePosition, batch_size: int | None = None) -> pb.MessageIdData:
    """The id of a place; of its last message if it is a batch of that size."""
    found = of_entry(place.position)
    found.batch_index = place.number if batch_size is None else batch_size - 1
    return found


def place(topic: PulsarTopic, message_id: pb.MessageIdData) -> MessagePosition:
    """The place of that message."""
    position = _position(message_id)
    match topic.ledger.at(position):
        case Entry(content=LedgerMarker()):
            return MessagePosition(position, message_id.batch_index)
    return MessagePosition(position)


def units(topic: PulsarTopic, message_id: pb.MessageIdData) -> Units:
    """Which messages of a place are meant: all of them if the id has no set. A missing place has none."""
    everything = _everything(topic, message_id)
    return outside(message_id.ack_set, everything) if message_id.ack_set else everything


def whole_up_to(topic: PulsarTopic, message_id: pb.MessageIdData) -> MessagePosition:
    """Up to where a cumulative acknowledgement goes: it excludes a batch that it covers only in part, and later messages."""
    where = place(topic, message_id)
    is_whole = units(topic, message_id) == _everything(topic, message_id)
    return min(where if is_whole else _before(topic, message_id), behind_entry(topic.ledger.last))


def before(topic: PulsarTopic, message_id: pb.MessageIdData) -> MessagePosition:
    """Just before that entry: the position of a reader that is to get it next. At most the end of the topic."""
    return min(_before(topic, message_id), topic.latest())


def behind(topic: PulsarTopic, message_id: pb.MessageIdData) -> MessagePosition:
    """Just after that message, at most the end of the topic. A batch is sent again as a whole, and its reader leaves out a part."""
    where = place(topic, message_id)
    is_in_batch = message_id.batch_index > where.number
    return min(_before(topic, message_id) if is_in_batch else where, topic.latest())


def _before(topic: PulsarTopic, message_id: pb.MessageIdData) -> MessagePosition:
    return behind_entry(topic.ledger.before(_position(message_id)))


def _everything(topic: PulsarTopic, message_id: pb.MessageIdData) -> Units:
    return frozenset(unit for message in _messages_at(topic, message_id) for unit in range(message.units))


def _messages_at(topic: PulsarTopic, message_id: pb.MessageIdData) -> Sequence[Message]:
    match topic.ledger.at(_position(message_id)):
        case Entry(content=Message() as message):
            return [message]
        case Entry(content=LedgerMarker(messages=messages)):
            return [message for number, message in enumerate(messages) if number == message_id.batch_index]
    return []


def _position(message_id: pb.MessageIdData) -> Position:
    """The position in an id. Its numbers are signed for brokers, and clients send -1 for the position before everything."""
    return Position(signed(message_id.ledger_id), signed(message_id.entry_id))
