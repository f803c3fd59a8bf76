"""Stream consumers of whole topics: the controller assigns segments to them, and waits for lost ones. PIP-468, "Sessions".

The metadata store has the members of a subscription. Only the controller's memory has which of them are connected, and how long a lost one
is waited for: the next controller treats all as just lost. A controller is not asked for messages, so consumers read their assigned
segments also while there is no controller.
"""

import logging
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from fencepost.reference.kernel.rules import rule
from fencepost.reference.metadata.store import VersionConflict
from fencepost.reference.pulsar.server_errors import CommandRefused

from .assigning import assign, readable
from .layout import Layout, Segment
from .layout_store import LayoutStore
from .leadership import Leadership
from .names import segment_topic
from .node_scalable_topics import ScalableTopics
from .registrations import ConsumerRegistration, Kind, Registrations
from .scalable_profile import ScalableProfile
from .segment_owners import Segments

MOST_WAITING = 16
"""How many assignments wait for a consumer at most; the oldest is dropped, since each is complete."""

_LOG = logging.getLogger("fencepost.scalable")


@dataclass(frozen=True)
class ConsumerAssignment:
    """What a consumer is to read, as of an epoch of the layout."""

    epoch: int
    segments: tuple[Segment, ...]


class ConsumerSession:
    """The connection of a consumer to its controller. Assignments wait here until they are taken."""

    def __init__(self, lost: Callable[["ConsumerSession"], None], hang_up: Callable[[], None]) -> None:
        self.assignment: ConsumerAssignment | None = None
        """The newest assignment that the consumer was sent."""
        self._waiting: deque[ConsumerAssignment] = deque(maxlen=MOST_WAITING)
        self._lost = lost
        self._hang_up = hang_up

    def notify(self, assignment: ConsumerAssignment) -> None:
        """Queue the assignment for the consumer."""
        self.assignment = assignment
        self._waiting.append(assignment)

    def take(self) -> ConsumerAssignment | None:
        """The oldest assignment that waits; None if none does."""
        return self._waiting.popleft() if self._waiting else None

    def end(self) -> None:
        """Close the connection."""
        self._waiting.clear()
        self._hang_up()

    def close(self) -> None:
        """The connection is closed."""
        self._waiting.clear()
        self._lost(self)


@dataclass
class SubscriptionMember:
    """A consumer of a subscription as its controller knows it: its connection, or until when it is waited for, in ms."""

    registration: ConsumerRegistration
    session: ConsumerSession | None = None
    until: int = 0


class Sessions:
    """The sessions of the topics that one broker leads. `now` is the time, in ms."""

    def __init__(
        self,
        topics: ScalableTopics,
        layouts: LayoutStore,
        registrations: Registrations,
        segments: Segments,
        leadership: Leadership,
        profile: ScalableProfile,
        now: Callable[[], int],
    ) -> None:
        self._topics = topics
        self._layouts = layouts
        self._registrations = registrations
        self._segments = segments
        self._leadership = leadership
        self._profile = profile
        self._now = now
        self._led: dict[str, dict[str, dict[str, SubscriptionMember]]] = {}
        """By topic, subscription and name."""

    def join(
        self, topic: str, subscription: str, name: str, kind: Kind = "STREAM", hang_up: Callable[[], None] = lambda: None
    ) -> ConsumerSession:
        """Register a consumer, or reconnect it, and assign segments to it: its assignment is the first that waits in its session.

        The subscription is registered for the topic, if it was not. A former connection with this name is notified of nothing more.
        `hang_up` closes the connection; it is called when another node leads the topic, or the topic is deleted.
        Raises CommandRefused: TOPIC_NOT_FOUND; SERVICE_NOT_READY if another node leads, or store or segments cannot be asked now.
        """
        self._topics.register(topic, subscription)
        session = ConsumerSession(lambda one: self._lost(topic, subscription, name, one), hang_up)
        members = self._led.setdefault(topic, {}).setdefault(subscription, {})
        members[name] = SubscriptionMember(self._registrations.put(topic, subscription, name, kind), session)
        try:
            self._deal(topic, subscription, self._topics.layout(topic))
        except CommandRefused:
            session.close()
            raise
        return session

    def look(self, topic: str) -> None:
        """Assign the segments of a topic that this node leads, as they and the consumers are now.

        What cannot be asked now is asked later.
        """
        try:
            if (layout := self._topics.find(topic)) is None:
                self.forget(topic)
                return
            if not self.leads(topic):
                self._let_go(topic)
                return
            there = self._topics.subscriptions(topic)
        except CommandRefused as refused:
            _LOG.warning("%s: %s", topic, refused)
            return
        led = self._led.setdefault(topic, {})
        for gone in [subscription for subscription in led if subscription not in there]:
            self._send_all_away(led.pop(gone))
        for subscription in filter(self.is_notified_of_changes, there):
            try:
                self._deal(topic, subscription, layout)
            except CommandRefused as refused:
                _LOG.warning("%s of %s: %s", subscription, topic, refused)

    def sweep(self) -> None:
        """What the controller does periodically: it finds drained segments, and consumers that it has waited for long enough."""
        with suppress(CommandRefused):  # the store is unavailable, and is asked again
            for topic in {*self._led, *self._layouts.all_topics()}:
                self.look(topic)

    # -- Decisions

    def leads(self, topic: str) -> bool:
        """Decision: whether this node assigns the segments of a topic: if the store says so now, whatever this node did before."""
        rule("PIP460-41")
        return self._leadership.leader_of(topic) == self._leadership.node

    def send_away(self, session: ConsumerSession) -> None:
        """Decision: disconnect a consumer if another node leads its topic now, which it then looks up, or topic or subscription is gone."""
        rule("PIP460-41")
        session.end()

    def forget(self, topic: str) -> None:
        """Decision: a deleted topic has no consumers; those that it had are disconnected."""
        rule("PIP460-47")
        self._let_go(topic)

    def segments_for(self, topic: str, subscription: str, layout: Layout) -> list[Segment]:
        """Decision: what a subscription's stream consumers may read now."""
        return readable(layout, lambda one: self._segments.is_drained(segment_topic(topic, one), subscription))

    def segments_for_checkpoints(self, layout: Layout) -> list[Segment]:
        """Decision: what a subscription's checkpoint consumers may read: every segment, since only they know what they have read."""
        rule("PIP460-14")
        rule("PIP460-44")
        return list(layout.segments.values())

    def is_notified_of_changes(self, subscription: str) -> bool:  # noqa: ARG002 - what a release looks at
        """Decision: whether consumers are notified of splits and of one another: those of every subscription, whatever its name is."""
        rule("PIP460-34")
        return True

    def dealt(self, segments: Iterable[Segment], names: Iterable[str]) -> Mapping[str, tuple[Segment, ...]]:
        """Decision: which of these consumers reads which segments."""
        return assign(segments, names)

    def sharing(self, members: Mapping[str, SubscriptionMember], layout: Layout) -> Mapping[str, SubscriptionMember]:  # noqa: ARG002 - what a hasty one looks at
        """Decision: the consumers that segments are assigned to: also lost ones that are waited for, whatever changes meanwhile."""
        rule("PIP460-37")
        return members

    def is_cut_off_by(self, member: SubscriptionMember, session: ConsumerSession) -> bool:
        """Decision: whether a consumer is lost with a connection: with its current one, not with a former one."""
        rule("PIP460-37")
        return member.session is session

    def waited_for_until(self, name: str) -> int:  # noqa: ARG002 - a variant waits for one longer than for another
        """Decision: until when a consumer that is lost now is waited for, in ms."""
        rule("PIP460-37")
        return self._now() + self._profile.grace_period_ms

    def is_over(self, member: SubscriptionMember) -> bool:
        """Decision: whether a consumer is not waited for any longer."""
        rule("PIP460-38")
        return member.session is None and self._now() >= member.until

    def taken_over(self, name: str, registration: ConsumerRegistration) -> SubscriptionMember:
        """Decision: how a controller treats a registration that it has not seen before: as that of a consumer that was lost just now."""
        rule("PIP460-39")
        rule("PIP460-52")
        return SubscriptionMember(registration, until=self.waited_for_until(name))

    def notify(self, session: ConsumerSession, assignment: ConsumerAssignment) -> None:
        """Decision: send a consumer its assignment, unless it is the last that it was sent."""
        if session.assignment != assignment:
            rule("PIP460-36")
            session.notify(assignment)

    # -- Inside

    def _let_go(self, topic: str) -> None:
        for members in self._led.pop(topic, {}).values():
            self._send_all_away(members)

    def _send_all_away(self, members: Mapping[str, SubscriptionMember]) -> None:
        """Except for a consumer that is about to join, and has no assignment yet: the join answers it."""
        sessions = [member.session for member in members.values() if member.session is not None]
        for session in [one for one in sessions if one.assignment is not None]:
            self.send_away(session)

    def _lost(self, topic: str, subscription: str, name: str, session: ConsumerSession) -> None:
        member = self._led.get(topic, {}).get(subscription, {}).get(name)
        if member is not None and self.is_cut_off_by(member, session):
            member.session, member.until = None, self.waited_for_until(name)

    def _deal(self, topic: str, subscription: str, layout: Layout) -> None:
        members = self.sharing(self._members(topic, subscription), layout)
        if any(member.registration.kind == "CHECKPOINT" for member in members.values()):
            segments = self.segments_for_checkpoints(layout)
        else:
            segments = self.segments_for(topic, subscription, layout) if members else []
        for name, assigned in self.dealt(segments, members).items():
            if (session := members[name].session) is not None:
                self.notify(session, ConsumerAssignment(layout.epoch, assigned))

    def _members(self, topic: str, subscription: str) -> dict[str, SubscriptionMember]:
        """The members of a subscription, as the store has them, without those whose wait is over."""
        members = self._led.setdefault(topic, {}).setdefault(subscription, {})
        there = self._registrations.of(topic, subscription)
        self._send_all_away({name: members.pop(name) for name in [*members] if name not in there})
        for name, registration in there.items():
            if name not in members or members[name].registration != registration:
                members[name] = self.taken_over(name, registration)
        for name in [name for name, member in members.items() if self.is_over(member)]:
            with suppress(VersionConflict):  # it has reconnected to another controller
                self._registrations.delete(topic, subscription, name, members[name].registration.version)
                del members[name]
        return members
