"""The consumers that read whole scalable topics in a scenario: stream, queue and checkpoint consumers, each a separate client."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from fencepost.adapters.pulsar.probe import PulsarProbe
from fencepost.adapters.pulsar.pulsar_values import (
    ConsumerHandle,
    LayoutSegment,
    MessageId,
    Received,
    SegmentAssignment,
    StreamConsumer,
    SubType,
    TopicReader,
    TopicWriter,
)
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done, Outcome, Unknown
from fencepost.steps.pulsar.pulsar_context import PulsarContext
from fencepost.steps.pulsar.vocabulary import shown
from fencepost.steps.step_outcomes import achieved

from .scalable_context import ScenarioScalableTopics
from .vocabulary import PIP460

QUEUE, CHECKPOINTS, REGISTERED = "as a queue consumer", "with checkpoints", "as a checkpoint consumer"


@dataclass
class StreamMember:
    """A consumer of a whole topic. `marked` is how many assignments it had received when the When began."""

    topic: str
    group: str
    role: str | None
    client: PulsarProbe
    reader: TopicReader | None = None
    taken: list[Received] = field(default_factory=list)
    by_segment: dict[str, ConsumerHandle] = field(default_factory=dict)
    """The readers of segments of a checkpoint consumer, which keeps its positions itself."""
    positions: dict[str, MessageId] = field(default_factory=dict)
    """The position at which a checkpoint consumer has begun in each. A broker may begin with that message, which the consumer has."""
    former: StreamConsumer | None = None
    """Its registration on the connection that it had before the newest one."""
    marked: int = 0
    is_cut_off: bool = False

    @property
    def stream(self) -> StreamConsumer:
        """Its registration. Raises SetUpFailed for a consumer without one."""
        if not isinstance(self.reader, StreamConsumer):
            raise SetUpFailed("it is no stream consumer, so it is assigned nothing")
        return self.reader

    @property
    def reported(self) -> tuple[SegmentAssignment, ...]:
        """All assignments that it has received over its newest connection."""
        return self.client.assignments_reported(self.stream)


@dataclass
class Readers:
    """The consumers of one scenario, by their names in it, and the producers that write to its topics by keys."""

    context: PulsarContext
    topics: ScenarioScalableTopics
    members: dict[str, StreamMember] = field(default_factory=dict)
    writers: dict[str, TopicWriter] = field(default_factory=dict)
    log: list[tuple[str, Received]] = field(default_factory=list)
    """All messages that they have received, in that order. Pulsar delivers at least once: a message that is redelivered after a consumer of
    the subscription has acknowledged it is acknowledged again, and counts once.
    """
    _acknowledged: set[tuple[str, MessageId]] = field(default_factory=set)
    _opened: int = 0

    def __getitem__(self, name: str) -> StreamMember:
        return self.members[name]

    def join(self, name: str, group: str, topic: str, role: str | None, consumer_name: str | None) -> Outcome[object]:
        """A consumer registers, for the first time or again; under that other name, where one is given."""
        self.mark()
        client: PulsarProbe = self.context.session.client(f"consumer {name}")
        member = self.members.setdefault(name, StreamMember(topic, group, role, client))
        full = self.topics.by_name[topic]
        if role == CHECKPOINTS:
            return self._read_from(member, {})
        joined: Outcome[TopicReader] = (
            client.join_queue(full, group)
            if role == QUEUE
            else client.join_stream(full, group, consumer_name or name, kind="CHECKPOINT" if role == REGISTERED else "STREAM")
        )
        if isinstance(joined, Done):
            member.former = member.reader if isinstance(member.reader, StreamConsumer) else None
            member.reader, member.marked, member.is_cut_off = joined.value, 0, False
            self.attach()
        return joined

    def join_over_connection_of(self, name: str, group: str, topic: str, other: str) -> Outcome[StreamConsumer]:
        """A stream consumer registers over the connection that another one has to the controller."""
        self.mark()
        client = self.members[other].client
        joined = client.join_stream(self.topics.by_name[topic], group, name, over=self.members[other].stream)
        if isinstance(joined, Done):
            self.members[name] = StreamMember(topic, group, None, client, joined.value)
            self.attach()
        return joined

    def is_another_answered(self, topic: str) -> bool:
        """Whether another client is answered: the registration of another subscription, or, where no registration is answered, a request
        for the layout that is sent when patience for that has ended.
        """
        client: PulsarProbe = self.context.session.client("witness")
        full = self.topics.by_name[topic]
        joined = client.join_stream(full, self.context.session.unique("witness"), "witness")
        return isinstance(joined, Done) or isinstance(client.looked_up(full), Done)

    def assignment(self, name: str) -> SegmentAssignment:
        """The newest one of a stream consumer."""
        self.attach()
        return self.members[name].reported[-1]

    def attach(self) -> None:
        """All connected consumers attach to their assigned segments, and detach from the others, as clients do by themselves."""
        for member in self.members.values():
            if member.reader is not None and not member.is_cut_off:
                member.client.taking_from(member.reader)

    def cut_off(self, name: str) -> None:
        """All connections of a consumer end, without notice."""
        self.mark()
        member = self.members[name]
        if isinstance(member.reader, StreamConsumer):
            member.client.leave_stream(member.reader)
        member.client.close()
        member.is_cut_off = True

    def end_former(self, name: str) -> None:
        """The connection ends over which a consumer was registered before it reconnected."""
        member = self.members[name]
        if member.former is None:
            raise SetUpFailed(f"{name} has had one connection")
        member.client.leave_stream(member.former)

    def mark(self) -> None:
        """Assignments from now on are caused by what follows."""
        for member in self.members.values():
            if isinstance(member.reader, StreamConsumer):
                member.marked = len(member.reported)

    def write(self, topic: str, key: str, value: str) -> Outcome[object]:
        """Send a message to the segment that has the hash of its key."""
        if topic not in self.writers:
            writer = self.context.client.writer(self.topics.by_name[topic])
            self.writers[topic] = achieved(writer, f"beginning to write to {topic}")
        return self.context.client.send_to_topic(self.writers[topic], value, key=key)

    def read(self, names: Sequence[str], until: Sequence[str], *, acknowledging: bool) -> Outcome[None]:
        """Receive messages in turn until all of these have arrived; each is acknowledged before the next one is awaited."""
        taken: list[str] = []
        for _ in self.context.session.time.attempts():
            self.attach()
            for name in names:
                match self._take(self.members[name]):
                    case Done(message):
                        if (self.members[name].group, message.id) not in self._acknowledged:
                            self.log.append((name, message))
                            self.members[name].taken.append(message)
                        taken.append(message.value)
                        if acknowledging and not isinstance(done := self._acknowledge(self.members[name], message), Done):
                            return done
                    case Unknown(lost=False):
                        pass
                    case trouble:
                        return trouble
            if set(until) <= set(taken):
                return Done(None)
        return Unknown(f"{shown(until)} was waited for, and what came was {shown(taken)}")

    def go_back(self, name: str, value: str) -> Outcome[None]:
        """Return to the position that a checkpoint consumer had when it had received that message."""
        member = self.members[name]
        behind = next((place for place, message in enumerate(member.taken) if message.value == value), None)
        if behind is None:
            raise SetUpFailed(f"{name} has not taken {value}, so there is no checkpoint after it")
        for consumer in member.by_segment.values():
            achieved(member.client.close_consumer(consumer), f"closing a reader of {name}")
        member.taken, member.by_segment = member.taken[: behind + 1], {}
        self.log = [(one, message) for one, message in self.log if one != name or message in member.taken]
        return self._read_from(member, {message.topic: message.id for message in member.taken})

    def _read_from(self, member: StreamMember, positions: dict[str, MessageId]) -> Outcome[None]:
        """Read every segment of the layout after its position, from the beginning where it has none."""
        member.positions = positions
        for segment in self.topics.given_layout(member.topic).in_order:
            match self._reader_of(member, segment, positions.get(segment.topic)):
                case Done(consumer):
                    member.by_segment[segment.topic] = consumer
                case trouble:
                    return trouble
        return Done(None)

    def _reader_of(self, member: StreamMember, segment: LayoutSegment, position: MessageId | None) -> Outcome[ConsumerHandle]:
        """It has a separate subscription, which ends with it."""
        self._opened += 1
        name = self.context.session.unique(f"{member.group}-{self._opened}")
        return member.client.subscribe(segment.topic, name, SubType.EXCLUSIVE, durable=False, start=position)

    def _take(self, member: StreamMember) -> Outcome[Received]:
        if member.role != CHECKPOINTS:
            assert member.reader is not None, "who reads has joined"
            return member.client.take(member.reader, within_s=0)
        for consumer in self._due(member):
            match member.client.receive(consumer, within_s=0):
                case Unknown(lost=False):
                    pass
                case Done(message) if message.id == member.positions.get(message.topic):
                    pass
                case found:
                    return found
        return Unknown("nothing has come")

    def _due(self, member: StreamMember) -> Iterator[ConsumerHandle]:
        """The readers of the segments that a checkpoint consumer reads now: none of a child before the last message of its parents."""
        segments = self.topics.given_layout(member.topic).in_order
        topics = {segment.number: segment.topic for segment in segments}
        for segment in segments:
            parents = [topics[parent] for parent in segment.parents if topics.get(parent) in member.by_segment]
            if segment.topic in member.by_segment and all(self._has_read(member, parent) for parent in parents):
                yield member.by_segment[segment.topic]

    def _has_read(self, member: StreamMember, segment: str) -> bool:
        """Whether a checkpoint consumer has reached the end of a segment."""
        places = [message.id.position for message in member.taken if message.topic == segment]
        match member.client.last_message_id(member.by_segment[segment]):
            case Done(last):
                return last.position.entry < 0 or last.position in places
            case _:
                return False

    def _acknowledge(self, member: StreamMember, message: Received) -> Outcome[None]:
        if member.role == CHECKPOINTS:
            return Done(None)
        assert member.reader is not None, "who reads has joined"
        self._acknowledged.add((member.group, message.id))
        return member.client.acknowledge_taken(member.reader, message)


@PIP460.state
def readers(context: PulsarContext, scalable_topics: ScenarioScalableTopics) -> Readers:
    """The consumers of whole topics in this scenario."""
    return Readers(context, scalable_topics)
