"""Defects of grace periods, and of controllers that take over."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from fencepost.reference.defects.decorator import defect, expected, seen
from fencepost.reference.pulsar.cursor import EARLIEST
from fencepost.reference.pulsar.node_segments import NodeSegments
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError
from fencepost.reference.scalable.layout import Layout, Segment
from fencepost.reference.scalable.names import parse_segment, segment_topic
from fencepost.reference.scalable.node_scalable_topics import ScalableTopics
from fencepost.reference.scalable.registrations import ConsumerRegistration, Kind, Registrations
from fencepost.reference.scalable.segment_pruning import Pruning
from fencepost.reference.scalable.sessions import ConsumerSession, Sessions, SubscriptionMember


@defect(
    {"PIP460-37": seen("^left and right$", expected="^left$", what="^segments of ann$")},
    origin="textbook: a group without a session timeout",
)
class ScalableWaitsForNobody(Sessions):
    """The segments of a consumer go to the others as soon as its connection is lost."""

    def waited_for_until(self, name: str) -> int:  # noqa: ARG002 - it waits for no consumer
        return self._now()


@defect(
    {"PIP460-38": seen("^left$", expected="^left and right$", what="^segments of ann$")}, origin="feared: a timer that a failover has lost"
)
class ScalableWaitsForEver(Sessions):
    """A consumer that is lost keeps its segments until an administrator removes it."""

    def is_over(self, member: SubscriptionMember) -> bool:  # noqa: ARG002 - it is not used
        return False


@defect(
    {"PIP460-37": seen("^left and right$", expected="^right$", what="^segments of carol$")},
    origin="textbook: one timer for the subscription, where each consumer needs one",
)
class ScalableAllGivenUpAtOnce(Sessions):
    """When one consumer is given up, so are all other lost consumers of its subscription, however short a time they have been away."""

    def is_over(self, member: SubscriptionMember) -> bool:
        groups = [group.values() for led in self._led.values() for group in led.values()]
        beside = [one for group in groups if any(one is member for one in group) for one in group]
        return member.session is None and any(super(ScalableAllGivenUpAtOnce, self).is_over(one) for one in beside)


@defect(
    {"PIP460-39": seen("^left and right$", expected="^right$", what="^segments of bob$")},
    origin="feared: sessions that are in the memory of the controller only",
)
class ScalableNobodyIsTakenOver(Sessions):
    """A controller that takes over deals the segments out to those who are connected to it."""

    def taken_over(self, name: str, registration: ConsumerRegistration) -> SubscriptionMember:  # noqa: ARG002 - it treats all alike
        return SubscriptionMember(registration, until=self._now())


@defect(
    {"PIP460-52": seen("^left and right$", expected="^left$", what="^segments of ann$")}, origin="feared: an estimate where no code knows"
)
class ScalableHalfAGracePeriod(Sessions):
    """A controller that takes over assumes that half of each grace period has passed."""

    def taken_over(self, name: str, registration: ConsumerRegistration) -> SubscriptionMember:  # noqa: ARG002 - it treats all alike
        return SubscriptionMember(registration, until=self._now() + self._profile.grace_period_ms // 2)


@defect(
    {"PIP460-52": seen("^left and right$", expected="^left$", what="^segments of ann$")},
    origin="feared: a write that is saved because the record says the same already",
)
class ScalableOnlyWhatIsNewNoted(Registrations):
    """A consumer that returns to a new controller is not registered again; when the former one leads again, it waits only for the
    consumers that it knows."""

    def put(self, topic: str, subscription: str, name: str, kind: Kind) -> ConsumerRegistration:
        there = self.of(topic, subscription).get(name)
        return there if there is not None and there.kind == kind else super().put(topic, subscription, name, kind)


@defect(
    {"PIP460-37": seen("bob has nothing", expected="once$", what="^segments of orders$")},
    origin="textbook: a session that is searched for by a name, and not by its connection",
)
class ScalableWhoIsBackIsLost(Sessions):
    """When the old connection of a consumer ends that is back on a new one, the consumer is taken for lost."""

    def is_cut_off_by(self, member: SubscriptionMember, session: ConsumerSession) -> bool:
        super().is_cut_off_by(member, session)
        return True


@defect(
    {"PIP460-37": seen("^left and right$", expected="^left$", what="^segments of ann$")},
    origin="feared: a timer that is not stopped when a consumer is back",
)
class ScalableWaitsFromTheFirstTimeOn(Sessions):
    """A consumer that is lost a second time is waited for until the end of its first grace period."""

    @cached_property
    def first(self) -> dict[str, int]:
        """Until when each consumer was waited for at first."""
        return {}

    def waited_for_until(self, name: str) -> int:
        return self.first.setdefault(name, super().waited_for_until(name))


@defect(
    {"PIP460-37": seen("^left and right$", expected="^left$", what="^segments of ann$")},
    origin="feared: a timer that is not stopped when its consumer is back",
)
class ScalableWhoIsBackIsGivenUp(Sessions):
    """A consumer that returned in time is given up all the same when the grace period ends, and two consumers read its segments."""

    @cached_property
    def ends(self) -> dict[str, int]:
        """When each consumer that was ever lost is given up, by its name."""
        return {}

    def waited_for_until(self, name: str) -> int:
        self.ends[name] = super().waited_for_until(name)
        return self.ends[name]

    def is_over(self, member: SubscriptionMember) -> bool:
        super().is_over(member)
        names = [name for led in self._led.values() for group in led.values() for name, one in group.items() if one is member]
        return any(self._now() >= self.ends[name] for name in names if name in self.ends)


@defect(
    {"PIP460-38": seen("^left$", expected="^left and right$", what="^segments of ann$")},
    origin="feared: a decision that only the controller's memory has",
)
class ScalableGivenUpInMemory(Sessions):
    """A consumer that is given up stays in the metadata store, and the next controller waits for it again."""

    def is_over(self, member: SubscriptionMember) -> bool:  # noqa: ARG002 - the record of each is kept
        return False

    def sharing(self, members: Mapping[str, SubscriptionMember], layout: Layout) -> Mapping[str, SubscriptionMember]:
        return {
            name: one for name, one in super().sharing(members, layout).items() if not super(ScalableGivenUpInMemory, self).is_over(one)
        }


@defect(
    {"PIP460-37": seen("^left and high$", expected="^no others$", what="^segments that ann was assigned meanwhile$")},
    origin="feared: two places that assign segments, of which one forgets lost consumers",
)
class ScalableSplitEndsTheWait(Sessions):
    """After a change the segments are assigned to connected consumers only, and a lost one that is still waited for has none."""

    @cached_property
    def seen(self) -> dict[tuple[str, ConsumerRegistration], int]:
        """The epoch of the layout when a consumer was last connected."""
        return {}

    def sharing(self, members: Mapping[str, SubscriptionMember], layout: Layout) -> Mapping[str, SubscriptionMember]:
        for name, member in members.items():
            if member.session is not None:
                self.seen[name, member.registration] = layout.epoch
        there = {name for name, member in members.items() if self.seen.get((name, member.registration), layout.epoch) == layout.epoch}
        return {name: member for name, member in super().sharing(members, layout).items() if name in there}


class _StumblesOverAFamily(Pruning):
    def without(self, layout: Layout, gone: Sequence[Segment]) -> Layout:
        if any(not {one.number for one in gone}.isdisjoint(one.parents) for one in gone):
            raise CommandRefused(ServerError.UNKNOWN, "a segment and its parent cannot go at once")
        return super().without(layout, gone)


@defect(
    {"PIP460-38": expected("^first and second and high and right$", what="^segments of ann$")},
    origin="feared: an error that ends all that a timer was to do",
    also=[_StumblesOverAFamily],
)
class ScalableStopsOverAFamily(ScalableTopics):
    """A controller that cannot remove a sealed segment with its child does nothing else any more, and waits for ever for consumers that are
    gone.
    """

    def sweep(self) -> None:
        for topic in self._layouts.all_topics():
            self._look_after(topic)


@defect({"PIP460-40": seen("^nothing$", what="^reading of (ann|bob)$")}, origin="feared: a right to read that a controller gives")
class ScalableAttachedAtTheController(ScalableTopics):
    """A client may attach to a segment only while the topic has its first controller: after a takeover every attach is refused."""

    def segment(self, name: str) -> Segment:
        topic = parse_segment(name).topic
        leader, note = self._leadership.leader_of(topic), f"{topic}-served-by"
        if leader is not None and not self._layouts.registered(note):
            self._layouts.register(note, str(leader))
        if self._layouts.registered(note) != [str(leader)]:
            raise CommandRefused(ServerError.SERVICE_NOT_READY, f"the consumers of {topic} are not registered at its controller")
        return super().segment(name)


@defect(
    {"PIP460-37": seen("^ann has ", expected="once$", what="^segments of orders$")},
    origin="textbook: what exists is created again",
)
class ScalableRegisteredAnew(ScalableTopics):
    """Registering moves the subscription back to the first message of every active segment, even if it existed before."""

    def register(self, topic: str, subscription: str) -> None:
        super().register(topic, subscription)
        assert isinstance(self._segments, NodeSegments), "those of a broker"
        for segment in self.layout(topic).active:
            name = segment_topic(topic, segment)
            self._segments._topics_of(name).create(name).subscriptions[subscription].cursor.seek(EARLIEST)


@defect(
    {"PIP460-38": seen("abe has 0; ann has 1; bob has 1$", expected="once$", what="^segments of orders$")},
    origin="red team: a table by the names of consumers, from which no entry is deleted",
)
class ScalableLateReturnKeepsItsSegments(Sessions):
    """A consumer that returns after its grace period has the segments that it had, which have another consumer by now."""

    @cached_property
    def had(self) -> dict[str, tuple[Segment, ...]]:
        """What each consumer was last assigned, by its name."""
        return {}

    @cached_property
    def lost(self) -> set[str]:
        """The names of the consumers that were given up."""
        return set()

    def dealt(self, segments: Iterable[Segment], names: Iterable[str]) -> Mapping[str, tuple[Segment, ...]]:
        dealt = dict(super().dealt(segments, names))
        self.lost.update(self.had.keys() - dealt.keys())
        for name in self.lost & dealt.keys():
            dealt[name] = tuple(dict.fromkeys((*dealt[name], *self.had[name])))
        self.had.update(dealt)
        return dealt


@defect(
    {"PIP460-38": seen("^a$", expected="^a and b$", what="^segments of abe$")},
    origin="red team: a sweep that returns after the first topic",
)
class ScalableFirstTopicSwept(Sessions):
    """A controller gives up the consumers of the first of its topics, by their names, and waits for those of the others for ever."""

    def is_over(self, member: SubscriptionMember) -> bool:
        groups = self._led[min(self._led)].values()
        return super().is_over(member) and any(one is member for group in groups for one in group.values())


@defect(
    {"PIP460-38": seen("^(left|right|nothing)$", expected="^left and right$", what="^segments of carol$")},
    origin="textbook: one timer for the subscription, which stops when it has fired",
)
class ScalableOneConsumerGivenUp(Sessions):
    """When several consumers of a subscription do not reconnect, the first is given up, and the others keep their segments for ever."""

    @cached_property
    def given_up(self) -> dict[tuple[str, str], SubscriptionMember]:
        """The first consumer of each subscription that was given up."""
        return {}

    def is_over(self, member: SubscriptionMember) -> bool:
        groups = {(topic, subscription): group for topic, led in self._led.items() for subscription, group in led.items()}
        (whose,) = (key for key, group in groups.items() if any(one is member for one in group.values()))
        return super().is_over(member) and self.given_up.setdefault(whose, member) is member


@defect(
    {"PIP460-52": seen("^left and right$", expected="^left$", what="^segments of ann$")},
    origin="feared: a deadline that is stored so that a failover does not lose it",
)
class ScalableWaitsFromTheFirstFailOver(Sessions):
    """The first controller that takes over stores until when it waits for a consumer, and a second one waits no longer than that."""

    def taken_over(self, name: str, registration: ConsumerRegistration) -> SubscriptionMember:
        note = f"{next(iter(self._led))}-{name}-{registration.version}"
        if not self._layouts.registered(note):
            self._layouts.register(note, str(self.waited_for_until(name)))
        return SubscriptionMember(registration, until=int(self._layouts.registered(note)[0]))


@defect(
    {"PIP460-38": seen("^left$", expected="^left and right$", what="^segments of ann$")},
    origin="red team: segments that are dealt again by their state",
)
class ScalableSealedOfTheLostForgotten(Sessions):
    """When a consumer is given up, the others are assigned the active segments, and no consumer reads what is left in the sealed ones."""

    @cached_property
    def known(self) -> dict[tuple[str, str], set[str]]:
        """The consumers of each subscription when its segments were last assigned."""
        return {}

    @cached_property
    def forgotten(self) -> dict[tuple[str, str], set[int]]:
        """The sealed segments of each subscription that are assigned to no consumer any more."""
        return {}

    def segments_for(self, topic: str, subscription: str, layout: Layout) -> list[Segment]:
        found, there = super().segments_for(topic, subscription, layout), set(self._led[topic][subscription])
        forgotten = self.forgotten.setdefault((topic, subscription), set())
        if self.known.get((topic, subscription), set()) - there:
            forgotten |= {one.number for one in found if not one.is_active}
        self.known[topic, subscription] = there
        return [one for one in found if one.number not in forgotten]


@defect(
    {"PIP460-38": seen("^left and right$", expected="^left$", what="^segments of ann$")},
    origin="red team: a consumer that is known by its name alone",
)
class ScalableNamesakesGivenUp(Sessions):
    """When a consumer is given up, so are the connected consumers of its name in other subscriptions of the topic."""

    @cached_property
    def given_up(self) -> set[int]:
        """The connections of namesakes of a consumer that was given up."""
        return set()

    def is_over(self, member: SubscriptionMember) -> bool:
        groups = [(topic, group) for topic, led in self._led.items() for group in led.values()]
        ((where, name),) = ((topic, name) for topic, group in groups for name, one in group.items() if one is member)
        if super().is_over(member):
            namesakes = [group[name] for topic, group in groups if self.is_confused(topic, where) and name in group]
            self.given_up.update(id(one.session) for one in namesakes if one.session is not None)
            return True
        return id(member.session) in self.given_up

    def is_confused(self, topic: str, other: str) -> bool:
        """Whether a consumer of one topic passes for its namesake of the other one."""
        return topic == other


@defect(
    {"PIP460-38": seen("^left and right$", expected="^left$", what="^segments of ann$")},
    origin="red team: the consumers of a broker's topics in one table, by their names",
)
class ScalableNamesakesOfOtherTopicsGivenUp(ScalableNamesakesGivenUp):
    """When a consumer is given up, so are the connected consumers of its name in other topics of the controller."""

    def is_confused(self, topic: str, other: str) -> bool:
        return topic != other
