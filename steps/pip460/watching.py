"""The clients that watch the layout of a scalable topic, and their notifications."""

import itertools
from collections import defaultdict
from collections.abc import Container
from dataclasses import dataclass, field

from fencepost.adapters.pulsar.probe import PulsarProbe
from fencepost.adapters.pulsar.pulsar_values import LayoutSegment, LayoutWatchHandle, ReportedLayout, TopicsWatchHandle, persistent
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done, Outcome
from fencepost.steps.pulsar.pulsar_context import PulsarContext
from fencepost.steps.pulsar.store import store_faults
from fencepost.steps.settling import let_pass
from fencepost.steps.step_outcomes import achieved, observed

from .scalable_context import ScenarioScalableTopics
from .vocabulary import PIP460

_A_WHILE_S = 1.5
"""Long enough for a broker that checks each second for changes."""
_LATE_LOOKS = 60
"""As many looks as brokers take within some seconds in which no client asks them for anything."""
_TROUBLES = {
    "meets another version at its next change": ("version-conflict", 1),
    "is not written at its next change": ("write-fails-before", 1),
    "is read as it was before its last change for some seconds": ("stale-read", _LATE_LOOKS),
}


@dataclass
class Watchers:
    """The clients of one scenario that watch, and their watches, the newest last."""

    context: PulsarContext
    of: defaultdict[str, list[LayoutWatchHandle]] = field(default_factory=lambda: defaultdict(list))
    of_namespaces: dict[str, TopicsWatchHandle] = field(default_factory=dict)
    """The newest watch of a namespace that each has."""
    closed: dict[str, tuple[LayoutWatchHandle, int]] = field(default_factory=dict)
    """The watch that each has closed, and how many layouts it had received by then."""

    def client(self, name: str) -> PulsarProbe:
        """The client with that name."""
        probe: PulsarProbe = self.context.session.client(f"watcher {name}")
        return probe

    def watch(self, name: str, topic: str, broker: str | None = None) -> Outcome[LayoutWatchHandle]:
        """Have a client begin to watch."""
        begun = self.client(name).watch_layout(topic, broker=broker)
        if isinstance(begun, Done):
            self.of[name].append(begun.value)
        return begun

    def watch_namespace(self, name: str, namespace: str) -> Outcome[TopicsWatchHandle]:
        """The same for the topics of a namespace."""
        begun = self.client(name).watch_scalable_topics(namespace)
        if isinstance(begun, Done):
            self.of_namespaces[name] = begun.value
        return begun


@PIP460.state
def watchers(context: PulsarContext) -> Watchers:
    """The clients that watch in this scenario."""
    return Watchers(context)


WATCH = PIP460.act(
    given="client {watcher} has begun to watch[ {the_namespace}] {topic}[ {elsewhere}]",
    when="client {watcher} begins to watch[ {the_namespace}] {topic}[ {domain}][ {elsewhere}]",
    meaning="SCALABLE_TOPIC_LOOKUP on a dedicated connection; WATCH_SCALABLE_TOPICS for a namespace. The notifications are kept.",
)


@WATCH.given
def has_begun_to_watch(
    context: PulsarContext,
    scalable_topics: ScenarioScalableTopics,
    watchers: Watchers,
    watcher: str,
    the_namespace: str | None,
    topic: str,
    elsewhere: str | None,
) -> None:
    if the_namespace:
        achieved(watchers.watch_namespace(watcher, scalable_topics.namespace_of(topic)), f"watching the namespace of {topic}")
        return
    broker = _elsewhere(context, context.topics[topic]) if elsewhere else None
    achieved(watchers.watch(watcher, context.topics[topic], broker), f"watching {topic}")


@WATCH.when
def begins_to_watch(
    context: PulsarContext,
    scalable_topics: ScenarioScalableTopics,
    watchers: Watchers,
    watcher: str,
    the_namespace: str | None,
    topic: str,
    domain: str | None,
    elsewhere: str | None,
) -> None:
    if the_namespace:
        context.ask("WATCH_SCALABLE_TOPICS", watchers.watch_namespace(watcher, scalable_topics.namespace_of(topic)))
        return
    full = context.topics[topic]
    broker = _elsewhere(context, full) if elsewhere else None
    name = full if domain is None else persistent(full.rpartition("/")[2])
    context.ask("SCALABLE_TOPIC_LOOKUP", watchers.watch(watcher, name, broker))


@PIP460.given("the layout of {topic} {trouble}")
def has_trouble(context: PulsarContext, scalable_topics: ScenarioScalableTopics, topic: str, trouble: str) -> None:
    """Another version: the write fails as if another broker had been faster, though none was. Nothing has changed in either case.

    As it was before: until a broker writes it, or records a change of it. As when the change comes right after the look: a broker acts on
    an outdated layout.
    """
    fault, times = _TROUBLES[trouble]
    for _ in range(times):
        store_faults(context).trouble_store(fault, scalable_topics.by_name[topic])


@PIP460.then("{notified} is notified of {topic} and not of {other:topic}")
def is_notified_of(
    context: PulsarContext, scalable_topics: ScenarioScalableTopics, watchers: Watchers, notified: str | None, topic: str, other: str
) -> None:
    """By the watch of a namespace, which covers all topics of that namespace: in the answer to its request, or, if the client is named,
    within patience.
    """
    if notified is None:
        answer = context.answer
        if isinstance(answer, Done) and isinstance(answer.value, TopicsWatchHandle):
            _expect_reported_of(context, scalable_topics, answer.value.first, topic, other)
        else:
            context.evidence.expect(False, "the topics of the namespace", str(answer), what=f"answer to {context.asked}")
        return
    client, watch = watchers.client(notified), watchers.of_namespaces[notified]
    reported = client.topics_reported(watch)[-1]
    for _ in context.session.time.attempts():
        if scalable_topics.by_name[topic] in reported and scalable_topics.by_name[other] not in reported:
            break
        observed(client.ping(), "looking for news")
        reported = client.topics_reported(watch)[-1]
    _expect_reported_of(context, scalable_topics, reported, topic, other)


@PIP460.given("client {watcher} has {parting}")
def has_parted(watchers: Watchers, watcher: str, parting: str) -> None:
    """SCALABLE_TOPIC_CLOSE of its last watch, or the end of its connection without notice."""
    client, watch = watchers.client(watcher), watchers.of[watcher].pop()
    if parting == "closed its watch":
        client.close_watch(watch)
        achieved(client.ping(), "asking for an answer after the close")
        watchers.closed[watcher] = (watch, len(client.layouts_reported(watch)))
    else:
        client.close()


@PIP460.then("client {watcher} is notified how {topic} is now[, {at_once}][, {families}]")
def is_notified(
    context: PulsarContext,
    scalable_topics: ScenarioScalableTopics,
    watchers: Watchers,
    watcher: str,
    topic: str,
    at_once: str | None,
    families: str | None,
) -> None:
    """Within patience the newest layout in its watch is the one that administrators see: epoch, segments, hashes and states, and for each
    active segment its broker. First of all: the answer to its request is that already.
    """
    now, client = scalable_topics.layout(topic), watchers.client(watcher)
    if not watchers.of[watcher]:
        context.evidence.expect(False, str(now), str(context.answer), what=f"layout that {watcher} receives")
    watch = watchers.of[watcher][-1]
    reported = client.layouts_reported(watch)
    for _ in context.session.time.attempts() if at_once is None else ():
        if reported[-1].epoch >= now.epoch:
            break
        observed(client.ping(), "looking for news")
        reported = client.layouts_reported(watch)
    layout = reported[0] if at_once else reported[-1]
    context.evidence.expect(_shape(layout) == _shape(now), str(now), str(layout), what=f"layout that {watcher} receives")
    if families is not None:
        due, seen = _families(now), _families(layout)
        context.evidence.expect(seen == due, due, seen, what=f"families that {watcher} receives")
    lost = [str(one) for one in layout.active if not _is_at(context, one.topic, one.broker)]
    seen = f"no or another broker for {', '.join(lost)}" if lost else "a broker for each"
    context.evidence.expect(not lost, "a broker for each", seen, what=f"brokers that {watcher} receives")


@PIP460.then("client {watcher} is notified that {topic} was deleted, or how it is now")
def is_notified_of_the_deletion(
    context: PulsarContext, scalable_topics: ScenarioScalableTopics, watchers: Watchers, watcher: str, topic: str
) -> None:
    """Within patience its watch ends with TopicNotFound, or the newest layout there is the one that administrators see."""
    now, client, watch = scalable_topics.layout(topic), watchers.client(watcher), watchers.of[watcher][-1]
    expected, seen, holds = f"TopicNotFound, or {now}", "", False
    for _ in context.session.time.attempts():
        observed(client.ping(), "looking for news")
        end, layout = client.end_reported(watch), client.layouts_reported(watch, is_remade=True)[-1]
        holds = _shape(layout) == _shape(now) if end is None else end.error == "TopicNotFound"
        seen = str(layout if end is None else end)
        if holds:
            break
    context.evidence.expect(holds, expected, seen, what=f"notification to {watcher} of {topic}")


@PIP460.then("a lookup of {topic} soon answers {place}")
def is_looked_up(context: PulsarContext, topic: str, place: str) -> None:
    """Within patience SCALABLE_TOPIC_LOOKUP names for each active segment a live broker that reports to have it; or, as the topic's
    controller, a live broker.
    """
    if place == "where its segments are":
        _expect_segments_found(context, topic)
        return
    seen, lives = "no broker", False
    for _ in context.session.time.attempts():
        layout = observed(context.client.looked_up(context.topics[topic]), f"looking {topic} up")
        seen = layout.controller or "no broker"
        if lives := layout.controller is not None and _lives(context, layout.active[0].topic, layout.controller):
            break
    context.evidence.expect(lives, "a broker that lives", seen, what=f"controller of {topic}")


def _expect_segments_found(context: PulsarContext, topic: str) -> None:
    wrong = ["no layout"]
    for _ in context.session.time.attempts():
        layout = observed(context.client.looked_up(context.topics[topic]), f"looking {topic} up")
        wrong = [f"{one} at {one.broker}" for one in layout.active if not _is_there(context, one)]
        if not wrong:
            break
    expected = "a broker for each segment"
    context.evidence.expect(not wrong, expected, "; ".join(wrong) or expected, what=f"brokers of {topic}")


@PIP460.then("client {watcher} is sent {sent}")
def is_sent(context: PulsarContext, watchers: Watchers, watcher: str, sent: str) -> None:
    """Growing epochs: each is greater than the one before, in all layouts that its watch receives up to the answer to a later request.
    Nothing: after the answer to a request that was sent after the close, and before the answer to one more.
    """
    if sent == "growing epochs":
        _judge_epochs(context, watchers, watcher)
    else:
        _judge_closed(context, watchers, watcher)


def _judge_epochs(context: PulsarContext, watchers: Watchers, watcher: str) -> None:
    client = watchers.client(watcher)
    let_pass(context.session.time, _A_WHILE_S)
    observed(client.ping(), "looking for news")
    epochs = [layout.epoch for layout in client.layouts_reported(watchers.of[watcher][-1])]
    holds = all(before < after for before, after in itertools.pairwise(epochs))
    context.evidence.expect(holds, "growing epochs", ", ".join(map(str, epochs)), what=f"epochs that {watcher} receives")


def _judge_closed(context: PulsarContext, watchers: Watchers, watcher: str) -> None:
    client, (watch, before) = watchers.client(watcher), watchers.closed[watcher]
    observed(client.ping(), "looking for news")
    reported = client.layouts_reported(watch)[before:]
    context.evidence.expect(
        not reported, "nothing", "; ".join(map(str, reported)) or "nothing", what=f"notification to {watcher} after the close"
    )


def _expect_reported_of(
    context: PulsarContext, scalable_topics: ScenarioScalableTopics, reported: Container[str], topic: str, other: str
) -> None:
    seen = [name for name in (topic, other) if scalable_topics.by_name[name] in reported]
    context.evidence.expect(seen == [topic], topic, " and ".join(seen) or "neither", what="topics of the namespace")


def _shape(layout: ReportedLayout) -> tuple[object, ...]:
    """The part of a layout that both clients and administrators receive."""
    segments = [(one.number, one.first_hash, one.last_hash, one.is_sealed) for one in layout.segments]
    return (layout.epoch, sorted(segments))


def _families(layout: ReportedLayout) -> str:
    """The parents and the children of each segment."""
    return "; ".join(f"{one.number} of {sorted(one.parents)} has {sorted(one.children)}" for one in layout.in_order)


def _is_at(context: PulsarContext, segment: str, broker: str | None) -> bool:
    """Whether that broker reports to have a segment."""
    return broker is not None and observed(context.client.is_served_by(segment, broker), f"asking {broker} for {segment}")


def _lives(context: PulsarContext, segment: str, broker: str) -> bool:
    """Whether a broker answers a question for a segment."""
    return isinstance(context.client.is_served_by(segment, broker), Done)


def _is_there(context: PulsarContext, segment: LayoutSegment) -> bool:
    """Whether a segment is at the broker that the layout names; a broker that cannot be asked does not have it."""
    return segment.broker is not None and context.client.is_served_by(segment.topic, segment.broker) == Done(True)


def _elsewhere(context: PulsarContext, topic: str) -> str:
    """A broker that does not have the controller of a topic."""
    watch = observed(context.client.watch_layout(topic), f"asking for the controller of {topic}")
    context.client.close_watch(watch)
    brokers = set(achieved(context.client.scalable_coordinators(), "asking for brokers").values()) - {None, watch.first.controller}
    if not brokers:
        raise SetUpFailed("there is no broker but the one that has the controller")
    return sorted(filter(None, brokers))[0]
