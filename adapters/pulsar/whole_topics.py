"""Writing to a whole scalable topic and reading all of it, as clients do that have its layout. PIP-460, "Routing" and "QueueConsumer".

A message with a key goes to the active segment that has the key's hash, one without a key to each active segment in turn. A queue consumer
reads every segment in the layouts that it has received; a stream consumer reads those that it is assigned. The suite repeats a message only
if its segment refuses it as sealed.
"""

from dataclasses import dataclass, field

from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.contract.ports import Time
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.key_hash import Half, segment_hash

from .acknowledging import AcknowledgementCalls
from .client import PulsarClient
from .layout_values import LayoutWatchHandle, QueueConsumer, StreamConsumer, TopicReader, TopicWriter
from .producing import ProducerCalls, Routed
from .pulsar_values import AckKind, ConsumerHandle, MessageId, PendingSend, ProducerHandle, Received, SubType, TransactionId
from .streams import StreamCalls

_SEALED = frozenset({pb.TopicTerminatedError})
_NOT_NOW = frozenset({pb.ConsumerBusy, pb.TopicNotFound, pb.ServiceNotReady})
"""Why a segment cannot be read yet, or no more: another consumer still has it, or it is pruned."""


@dataclass
class _Writer:
    watch: LayoutWatchHandle
    half: Half
    producers: dict[str, ProducerHandle] = field(default_factory=dict)
    sent: int = 0


@dataclass
class _Reader:
    type: SubType
    consumers: dict[str, ConsumerHandle] = field(default_factory=dict)
    watch: LayoutWatchHandle | None = None


class WholeTopicCalls(StreamCalls, ProducerCalls, AcknowledgementCalls):
    """Messages to and from scalable topics by their full names."""

    def __init__(self, client: PulsarClient, time: Time) -> None:
        super().__init__(client, time)
        self._writers: dict[int, _Writer] = {}
        self._readers: dict[TopicReader, _Reader] = {}

    # --- writing ----------------------------------------------------------------------------------------------------------------

    def writer(self, topic: str, *, half: Half = "high") -> Outcome[TopicWriter]:
        """Watch the layout of a topic, to write to it; `half` is the half of a key's hash that routes it."""
        match self.watch_layout(topic):
            case Done(watch):
                self._writers[watch.number] = _Writer(watch, half)
                return Done(TopicWriter(topic, watch.number))
            case trouble:
                return trouble

    def send_to_topic(
        self, writer: TopicWriter, value: str, *, key: str | None = None, transaction: TransactionId | None = None
    ) -> Outcome[tuple[str, MessageId]]:
        """Send one message and wait for its receipt: returns the segment that stored it, and the message's id there.

        A message that a segment refuses because it was sealed meanwhile is sent once more, to the segment in the next layout. One outside
        of transactions is also sent once more if its producer is closed instead of an answer, to the same segment first.
        """
        routed = Routed(key, None if key is None else segment_hash(key, self._writers[writer.number].half))
        refusal: Refused | Unknown = Unknown(f"no segment of {writer.topic} has answered")
        for _ in self._time.attempts():
            posted = self._post_to_topic(writer, value, routed, transaction)
            if not isinstance(posted, Done):
                return posted
            segment, pending = posted.value
            match self.receipt(pending) if transaction else self._delivered(pending, value, routed):
                case Done(id):
                    return Done((segment, id))
                case Refused(code=code) as refusal if code in _SEALED:
                    continue
                case trouble:
                    return trouble
        return refusal

    def _post_to_topic(
        self, writer: TopicWriter, value: str, routed: Routed, transaction: TransactionId | None
    ) -> Outcome[tuple[str, PendingSend]]:
        """Send without waiting for the receipt. If a segment is sealed, wait for the next layout, and send to the segment in that."""
        held = self._writers[writer.number]
        outcome: Outcome[tuple[str, PendingSend]] = Unknown(f"no layout of {writer.topic} has a segment that can be written to")
        for _ in self._time.attempts():
            layout = self.layouts_reported(held.watch)[-1]
            segment = layout.active[held.sent % len(layout.active)] if routed.hash is None else layout.segment_of(routed.hash)
            match self._posted_to(held, segment.topic, value, routed, transaction):
                case Done(pending):
                    held.sent += 1
                    return Done((segment.topic, pending))
                case Refused(code=code) as refusal if code in _SEALED:
                    outcome = refusal
                case trouble:
                    return trouble
        return outcome

    def _posted_to(
        self, held: _Writer, segment: str, value: str, routed: Routed, transaction: TransactionId | None
    ) -> Outcome[PendingSend]:
        if segment not in held.producers:
            match self.producer(segment):
                case Done(producer):
                    held.producers[segment] = producer
                case trouble:
                    return trouble
        return self._posted(held.producers[segment], [value], transaction, None, routed, batched=False)

    # --- reading ----------------------------------------------------------------------------------------------------------------

    def join_queue(self, topic: str, subscription: str) -> Outcome[QueueConsumer]:
        """Watch the layout of a topic, and read all its segments by a shared subscription, sealed ones too. It does not register."""
        match self.watch_layout(topic):
            case Done(watch):
                consumer = QueueConsumer(topic, subscription, watch.number)
                self._readers[consumer] = _Reader(SubType.SHARED, watch=watch)
                return Done(consumer)
            case trouble:
                return trouble

    def take(self, reader: TopicReader, *, within_s: float | None = None) -> Outcome[Received]:
        """Wait for the next message from any segment that the reader has now; the message's `topic` is the segment."""
        held = self._reader(reader)
        for _ in self._time.attempts(within_s):
            if not isinstance(attached := self._attached(reader, held), Done):
                return attached
            for consumer in held.consumers.values():
                match self.receive(consumer, within_s=0):
                    case Done(message):
                        return Done(message)
                    case Refused(code=code) as refusal if code not in _NOT_NOW:
                        return refusal
                    case _:
                        pass  # no message has come, or the segment is gone, as the next layout shows
        return Unknown(f"no message came for {reader.subscription} of {reader.topic}")

    def acknowledge_taken(self, reader: TopicReader, message: Received) -> Outcome[None]:
        """Acknowledge a message on the segment that it came from."""
        consumer = self._reader(reader).consumers.get(message.topic)
        if consumer is None:
            return Unknown(f"{reader.subscription} of {reader.topic} has {message.topic} no more")
        return self.acknowledge(consumer, [message.id], kind=AckKind.INDIVIDUAL)

    def taking_from(self, reader: TopicReader) -> frozenset[str]:
        """The segments that the reader is attached to now."""
        held = self._reader(reader)
        self._attached(reader, held)
        return frozenset(held.consumers)

    def _reader(self, reader: TopicReader) -> _Reader:
        if isinstance(reader, StreamConsumer) and reader not in self._readers:
            self._readers[reader] = _Reader(SubType.EXCLUSIVE)
        return self._readers[reader]

    def _attached(self, reader: TopicReader, held: _Reader) -> Outcome[None]:
        """Subscribe to the segments that the reader has gained, and close the consumers of those that it has lost."""
        segments = self._segments_of(reader, held)
        for gone in [segment for segment in held.consumers if segment not in segments]:
            self.close_consumer(held.consumers.pop(gone))
        for segment in segments:
            if segment in held.consumers:
                continue
            match self.subscribe(segment, reader.subscription, held.type, retry=False):
                case Done(consumer):
                    held.consumers[segment] = consumer
                case Refused(code=code) as refusal if code not in _NOT_NOW:
                    return refusal
                case _:
                    pass
        return Done(None)

    def _segments_of(self, reader: TopicReader, held: _Reader) -> tuple[str, ...]:
        if held.watch is not None:
            return tuple(segment.topic for segment in self.layouts_reported(held.watch)[-1].in_order)
        assert isinstance(reader, StreamConsumer)
        return tuple(segment.topic for segment in self.assignments_reported(reader)[-1].segments)  # also while there is no controller
