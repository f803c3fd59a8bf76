"""Producers that write to segments while their layout changes, as clients do: without waiting for receipts, and by the newest layout that
they have received. A producer does not learn at once that its segment is sealed, so it goes on for a while.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from fencepost.adapters.pulsar.pulsar_values import LayoutWatchHandle, MessageId, PendingSend, ProducerHandle
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.steps.pulsar.pulsar_context import PulsarContext
from fencepost.steps.step_outcomes import achieved, unanswered

from .scalable_context import ScenarioScalableTopics
from .vocabulary import PIP460, SplitOrMerge

_TURN_S = 0.005
"""How long to wait for the change between two messages."""
_TURNS_BEHIND = 5
"""Messages to each segment after the answer to the change, and after the watch has reported it."""
_ANSWER_S, _NEWS_S, _RECEIPTS_S = 30.0, 10.0, 3.0
"""How long to wait for the change, its notification by a watch, and receipts."""


@dataclass
class SentMessage:
    """A message, the turn in which it was sent, and when its outcome became known."""

    value: str
    segment: str
    """The segment's name in the system."""
    turn: int
    pending: PendingSend | None = None
    outcome: Outcome[MessageId] = field(default_factory=lambda: Unknown("no receipt has come"))
    known_in: int | None = None

    @property
    def is_receipted(self) -> bool:
        """Whether the broker has acknowledged it."""
        return isinstance(self.outcome, Done)


@dataclass
class Traffic:
    """The producers of one scenario, and what they have sent."""

    scalable_topics: ScenarioScalableTopics
    sent: list[SentMessage] = field(default_factory=list)
    parents: frozenset[str] = frozenset()
    """The segments that the change is about."""
    _producers: dict[str, ProducerHandle] = field(default_factory=dict)
    _turn: int = 0

    def go_on(self, change: SplitOrMerge) -> Outcome[None]:
        """Write to the segments of a change while it is made, and to their children; returns the outcome of the change."""
        topics = self.scalable_topics
        context, client = topics.context, topics.context.client
        topic = topics.topic_of(change)
        self.parents = frozenset(context.topics[name] for name in change.segments)
        known = {segment.number for segment in topics.before(change).segments}
        watch = achieved(client.watch_layout(topics.by_name[topic]), f"watching the layout of {topic}")
        self._write(self.parents)
        pending = achieved(topics.begin(change), f"asking for {change}")
        answer: Outcome[None] = Unknown(f"{change} was not answered")
        for _ in context.session.time.attempts(_ANSWER_S):
            self._write(self.parents)
            self._write(self._born(watch, known))
            answer = client.changed(pending, within_s=_TURN_S)
            if not isinstance(answer, Unknown) or answer.lost:
                break
        for _ in context.session.time.attempts(_NEWS_S) if isinstance(answer, Done) else ():
            self._write(self._born(watch, known))
            if self._has_child_taken:
                break
        for _ in range(_TURNS_BEHIND):
            self._write(self._born(watch, known))
            self._write(self.parents)
        client.close_watch(watch)
        self._await_receipts()
        return answer

    @property
    def _has_child_taken(self) -> bool:
        """Whether the receipt of a child's message has arrived."""
        return any(one.is_receipted for one in self.sent if one.segment not in self.parents)

    def _born(self, watch: LayoutWatchHandle, known: set[int]) -> frozenset[str]:
        """The segments that are new in the newest layout of the watch."""
        newest = self.scalable_topics.context.client.layouts_reported(watch)[-1]
        return frozenset(segment.topic for segment in newest.active if segment.number not in known)

    def _write(self, segments: frozenset[str]) -> None:
        """Send one message to each of these, and look at the receipts that have arrived."""
        self._turn += 1
        client = self.scalable_topics.context.client
        for segment in sorted(segments):
            one = SentMessage(f"t{len(self.sent) + 1}", segment, self._turn)
            self.sent.append(one)
            match self._producer(segment):
                case Done(producer):
                    posted = client.post(producer, one.value, reopen=False)
                case trouble:
                    posted = trouble
            if isinstance(posted, Done):
                one.pending = posted.value
            else:
                one.outcome, one.known_in = posted, self._turn
        self._look()

    def _producer(self, segment: str) -> Outcome[ProducerHandle]:
        if segment in self._producers:
            return Done(self._producers[segment])
        opened = self.scalable_topics.context.client.producer(segment, retry=False)
        if isinstance(opened, Done):
            self._producers[segment] = opened.value
        return opened

    def _look(self) -> bool:
        """Read the receipts that have arrived; returns whether some are missing."""
        client = self.scalable_topics.context.client
        for one in self.sent:
            if one.known_in is None and one.pending is not None:
                outcome = client.receipt(one.pending, within_s=0)
                if not isinstance(outcome, Unknown):
                    one.outcome, one.known_in = outcome, self._turn
        return any(one.known_in is None for one in self.sent)

    def _await_receipts(self) -> None:
        """The receipts of messages that a broker ignores never arrive."""
        for _ in self.scalable_topics.context.session.time.attempts(_RECEIPTS_S):
            if not self._look():
                break


@PIP460.state
def traffic(scalable_topics: ScenarioScalableTopics) -> Traffic:
    """The producers that write in this scenario while a layout changes."""
    return Traffic(scalable_topics)


@PIP460.then("what was receipted is read exactly once from {topic}, and nothing else twice")
def is_read_once(context: PulsarContext, scalable_topics: ScenarioScalableTopics, traffic: Traffic, topic: str) -> None:
    """From all its segments, active and sealed, by a new subscription of each: each message from the segment that it was sent to. A refused
    message is not read; one that was neither acknowledged nor refused may be.
    """
    receipted = [one for one in traffic.sent if one.is_receipted]
    expected_of: defaultdict[str, list[str]] = defaultdict(list)
    for one in receipted:
        expected_of[one.segment].append(one.value)
    found = _read(context, scalable_topics, topic, expected_of)
    times = Counter(value for values in found.values() for value in values)
    wrong = [f"{one.value} is lost" for one in receipted if not times[one.value]]
    wrong += [f"{one.value} is elsewhere" for one in receipted if times[one.value] and one.value not in found.get(one.segment, ())]
    wrong += [f"{value} is there {count} times" for value, count in times.items() if count > 1]
    wrong += [f"{one.value} was refused" for one in traffic.sent if isinstance(one.outcome, Refused) and times[one.value]]
    expected = f"{len(receipted)} of {len(traffic.sent)} messages, each once"
    context.evidence.expect(not wrong and bool(receipted), expected, "; ".join(wrong[:5]) or expected, what=f"messages of {topic}")


@PIP460.then("no segment took a message when its child had taken one")
def took_none_behind(context: PulsarContext, traffic: Traffic) -> None:
    """This is judged for the messages that were sent when the receipt of the child's first one had arrived. At least one must have been
    sent.
    """
    first = min(
        (one.known_in for one in traffic.sent if one.segment not in traffic.parents and one.is_receipted and one.known_in), default=None
    )
    if first is None:
        context.evidence.expect(False, "a message that a child has taken", "none", what="messages of the children")
        return
    late = [one for one in traffic.sent if one.segment in traffic.parents and one.turn > first]
    wrong = [f"{one.value} in {one.segment}" for one in late if one.is_receipted]
    context.evidence.expect(
        bool(late) and not wrong, f"none of {len(late)}", "; ".join(wrong[:5]) or "none", what="messages to a parent, too late"
    )


@PIP460.when("the producer that {segment} had sends {value}[ to {other:segment}]")
def old_producer_sends(context: PulsarContext, segment: str, value: str, other: str | None) -> None:
    """SEND once, by a producer that was open when the segment was sealed, and does not know that. Where no answer comes, a later PRODUCER
    on the same connection is answered first: the broker is silent, and not merely slow. To another segment: PRODUCER and SEND with the
    id of the producer that the seal has closed; on its connection, where one broker has both segments.
    """
    if other is not None:
        _goes_on(context, segment, other, value)
        return
    client, producer = context.client, context.topics.producer(segment)
    posted = achieved(client.post(producer, value, reopen=False), f"sending {value} to {segment}")
    answer = client.receipt(posted, within_s=_RECEIPTS_S)
    context.ask("SEND", answer)
    if isinstance(answer, Unknown):
        if answer.lost or isinstance(client.producer(context.topics[segment], retry=False), Unknown):
            unanswered(answer, f"sending {value} to {segment}")
        context.unanswered = ("SEND",)


def _goes_on(context: PulsarContext, segment: str, other: str, value: str) -> None:
    client = context.client
    match client.producer(context.topics[other], instead_of=context.topics.producer(segment)):
        case Done(producer):
            context.ask("SEND", client.send(producer, value))
        case trouble:
            context.ask("PRODUCER", trouble)


def _read(
    context: PulsarContext, scalable_topics: ScenarioScalableTopics, topic: str, receipted: Mapping[str, Sequence[str]]
) -> dict[str, list[str]]:
    """What new subscriptions of all segments of a topic receive, by the segments' names in the system."""
    found = {}
    for segment in scalable_topics.layout(topic).segments:
        name = scalable_topics.name_of(topic, segment)
        found[segment.topic] = list(context.look(partial(context.topics.seen, name), receipted[segment.topic]))
    return found
