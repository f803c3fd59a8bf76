"""What the probe finds of layouts on any broker with scalable topics: the reference, and a real one. Each law has a separate topic.

A broker may refuse with any status, push an epoch twice, and ignore what is sent to a sealed segment: that is for requirements to judge.
"""

from collections.abc import Callable
from typing import TypeAlias

from succeeded import value_of as value

from fencepost.adapters.pulsar.pulsar_values import LayoutWatchHandle, ReportedLayout, TxnAction, scalable
from fencepost.adapters.pulsar.scalable_session import ScalableSession
from fencepost.contract.outcomes import Done, Refused, Unknown

SEALED = 15
"""TopicTerminatedError."""
_IGNORED_WITHIN_S = 1.0
KEYS = tuple(f"key-{number}" for number in range(8))


class Scene:
    """A client with a scalable topic of so many segments; `s` is a registered subscription of it."""

    def __init__(self, session: ScalableSession, name: str, segments: int = 1) -> None:
        self.session = session
        self.probe = session.client(name)
        self.topic = scalable(session.unique(name))
        value(self.probe.create_scalable_topic(self.topic, segments))
        value(self.probe.register_subscription(self.topic, "s"))

    @property
    def layout(self) -> ReportedLayout:
        layout: ReportedLayout = value(self.probe.layout(self.topic))
        return layout

    def reported(self, watch: LayoutWatchHandle, epoch: int, within_s: float | None = None) -> ReportedLayout:
        """The first layout of that epoch or a later one that a watch receives."""
        layouts = (layout for _ in self.session.time.attempts(within_s) for layout in self.probe.layouts_reported(watch))
        return next(layout for layout in layouts if layout.epoch >= epoch)


def a_split_and_a_merge(session: ScalableSession) -> None:
    """Seal parents and make children, which share their hashes; lookups report the same as the admin interface, and brokers."""
    scene = Scene(session, "changing", 2)
    first = scene.layout

    value(scene.probe.split(scene.topic, 0))
    second = scene.layout
    value(scene.probe.merge(scene.topic, 2, 3))
    third = scene.layout

    assert [(one.first_hash, one.last_hash) for one in first.active] == [(0, 32767), (32768, 65535)]
    assert [(one.first_hash, one.last_hash, one.parents) for one in second.active[:2]] == [(0, 16383, (0,)), (16384, 32767, (0,))]
    assert [(one.number, one.children) for one in second.sealed] == [(0, (2, 3))]
    assert (third.active[0].parents, third.active[0].last_hash) == ((2, 3), 32767)
    assert [layout.epoch for layout in (first, second, third)] == [0, 1, 2]
    reported = value(scene.probe.looked_up(scene.topic))
    assert [(one.number, one.is_sealed, one.topic) for one in reported.segments] == [
        (one.number, one.is_sealed, one.topic) for one in third.segments
    ]
    assert all(one.broker for one in reported.active)
    assert reported.controller


def refused_changes(session: ScalableSession) -> None:
    """Of segments that are sealed, unknown, one and the same, or no neighbours; nothing is changed then."""
    scene = Scene(session, "refusing", 2)
    value(scene.probe.split(scene.topic, 0))
    before = scene.layout

    outcomes = [
        scene.probe.split(scene.topic, 0),
        scene.probe.split(scene.topic, 77),
        scene.probe.merge(scene.topic, 1, 1),
        scene.probe.merge(scene.topic, 1, 2),
        scene.probe.merge(scene.topic, 5, 6),
        scene.probe.create_scalable_topic(scene.topic),
        scene.probe.split(scalable(session.unique("nobody")), 0),
    ]

    assert [type(outcome) for outcome in outcomes] == [Refused] * len(outcomes), outcomes
    assert scene.layout == before


def changes_at_once(session: ScalableSession) -> None:
    """Each has an answer, and every one that was answered with success is in the layout."""
    scene = Scene(session, "racing", 2)

    pending = [value(scene.probe.begin_split(scene.topic, number)) for number in (0, 1, 0)]
    outcomes = [scene.probe.changed(one) for one in pending]

    done = {number for number, outcome in zip((0, 1, 0), outcomes, strict=True) if isinstance(outcome, Done)}
    assert {one.number for one in scene.layout.sealed} == done
    assert sum(isinstance(outcome, Done) for outcome in outcomes) == len(done)


def watched_layouts(session: ScalableSession) -> None:
    """They are sent with each change, in order; a closed watch receives nothing more, and a new one begins with the current layout."""
    scene = Scene(session, "watching")
    closed, watch = value(scene.probe.watch_layout(scene.topic)), value(scene.probe.watch_layout(scene.topic))
    scene.probe.close_watch(closed)
    value(scene.probe.looked_up(scene.topic))  # a broker that has answered this has processed the close

    value(scene.probe.split(scene.topic, 0))
    value(scene.probe.merge(scene.topic, 1, 2))
    last = scene.reported(watch, 2)

    assert [one.number for one in last.active] == [3]
    assert {layout.epoch for layout in scene.probe.layouts_reported(watch)} == {0, 1, 2}
    assert {layout.epoch for layout in scene.probe.layouts_reported(closed)} == {0}
    assert value(scene.probe.watch_layout(scene.topic)).first.epoch == 2
    assert isinstance(scene.probe.watch_layout(scalable(session.unique("nobody"))), Refused)


def watched_topics(session: ScalableSession) -> None:
    """Watches are notified when they are created, and when they are deleted.

    5.0.0-M1 reads a topic again after each event of it. Where that read ends after the event of its deletion, the topic stays in what
    watches receive, or in the list of the namespace for longer than 400 s (each about once in forty topics). So only three topics that
    are all missed are a fault.
    """
    probe = session.client("namespace")
    watch = value(probe.watch_scalable_topics())

    def reported(topic: str, is_there: bool) -> bool:
        return any((topic in probe.topics_reported(watch)[-1]) == is_there for _ in session.time.attempts(10.0))

    def notified_of_both(topic: str) -> bool:
        value(probe.create_scalable_topic(topic))
        made = reported(topic, is_there=True)
        assert topic in value(probe.scalable_topics())
        value(probe.delete_scalable_topic(topic))
        deleted = reported(topic, is_there=False)
        unlisted = any(topic not in value(probe.scalable_topics()) for _ in session.time.attempts())
        return made and deleted and unlisted

    assert any(notified_of_both(scalable(session.unique(f"namespace-{number}"))) for number in range(3))


def stream_consumers(session: ScalableSession) -> None:
    """Share the segments, go on with a parent until it is drained, and then have its children; what they read is in order for each key."""
    scene = Scene(session, "streaming", 2)
    first = value(scene.probe.join_stream(scene.topic, "s", "a"))
    second = value(scene.probe.join_stream(scene.topic, "s", "b"))
    value(scene.probe.assigned(first, frozenset({0})))
    value(scene.probe.assigned(second, frozenset({1})))
    writer = value(scene.probe.writer(scene.topic))
    for key in KEYS:
        value(scene.probe.send_to_topic(writer, f"{key} before", key=key))
    value(scene.probe.split(scene.topic, 0))
    scene.reported(value(scene.probe.watch_layout(scene.topic)), 1)
    for key in KEYS:
        value(scene.probe.send_to_topic(writer, f"{key} behind", key=key))

    taken = []
    due = {f"{key} {when}" for key in KEYS for when in ("before", "behind")}
    for _ in session.time.attempts(30.0):
        for reader in (first, second):
            match scene.probe.take(reader, within_s=0.05):
                case Done(message):
                    taken.append(message)
                    value(scene.probe.acknowledge_taken(reader, message))
                case _:
                    pass
        if due == {message.value for message in taken}:
            break

    assert sorted(message.value for message in taken) == sorted(due)
    for key in KEYS:
        assert [message.value for message in taken if message.key == key] == [f"{key} before", f"{key} behind"]
    numbers = {number for reader in (first, second) for number in value(scene.probe.assignment(reader)).numbers}
    assert numbers >= {1, 2, 3}
    scene.probe.leave_stream(second)
    assert isinstance(scene.probe.assignment(second), Unknown)


def sealed_segments(session: ScalableSession) -> None:
    """They accept no message (a refusal, or no answer) and no producer. Earlier messages can be read, and their end is notified."""
    scene = Scene(session, "sealing")
    (parent,) = scene.layout.active
    producer = value(scene.probe.producer(parent.topic))
    value(scene.probe.send(producer, "stored"))
    value(scene.probe.split(scene.topic, 0))

    pending = value(scene.probe.post(producer, "late", reopen=False))
    late = scene.probe.receipt(pending, within_s=_IGNORED_WITHIN_S)
    again = scene.probe.send(producer, "later")

    assert isinstance(late, Unknown) or (isinstance(late, Refused) and late.code == SEALED), late
    assert isinstance(again, Refused)
    assert again.code == SEALED
    consumer = value(scene.probe.subscribe(parent.topic, "s"))
    (message,) = value(scene.probe.receive_until(consumer, "stored"))
    value(scene.probe.acknowledge(consumer, [message.id]))
    assert any(value(scene.probe.is_at_end(consumer)) for _ in session.time.attempts())


def a_terminated_segment(session: ScalableSession) -> None:
    """Is sealed for writers, and the layout calls it active, until it is split."""
    scene = Scene(session, "terminating")
    (segment,) = scene.layout.active

    value(scene.probe.terminate_segment(segment.topic))

    assert isinstance(refusal := scene.probe.producer(segment.topic), Refused)
    assert refusal.code == SEALED
    assert scene.layout.active == (segment,)
    value(scene.probe.split(scene.topic, segment.number))
    assert len(scene.layout.active) == 2


def transactions_across_a_split(session: ScalableSession) -> None:
    """Readers of the whole topic see them complete, once they are committed."""
    scene = Scene(session, "spanning")
    writer = value(scene.probe.writer(scene.topic))
    committed, aborted = value(scene.probe.new_transaction(scalable=True)), value(scene.probe.new_transaction(scalable=True))
    for when in ("before", "behind"):
        for transaction, name in ((committed, "committed"), (aborted, "aborted")):
            value(scene.probe.send_to_topic(writer, f"{name} {when}", key=name, transaction=transaction))
        if when == "before":
            value(scene.probe.split(scene.topic, 0))
    value(scene.probe.end(committed, TxnAction.COMMIT))
    value(scene.probe.end(aborted, TxnAction.ABORT))

    queue = value(scene.probe.join_queue(scene.topic, "s"))

    taken = [value(scene.probe.take(queue)) for _ in range(2)]
    assert sorted(message.value for message in taken) == ["committed before", "committed behind"]


Law: TypeAlias = Callable[[ScalableSession], None]

LAWS: dict[str, Law] = {
    law.__name__: law
    for law in (
        a_split_and_a_merge,
        refused_changes,
        changes_at_once,
        watched_layouts,
        watched_topics,
        stream_consumers,
        sealed_segments,
        a_terminated_segment,
        transactions_across_a_split,
    )
}
