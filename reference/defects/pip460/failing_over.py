"""Defects of grace periods, and of controllers that take over."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar.cursor import EARLIEST
from fencepost.reference.pulsar.errors import Error, Refused
from fencepost.reference.pulsar.node_segments import NodeSegments
from fencepost.reference.scalable.layout import Layout, Segment
from fencepost.reference.scalable.names import parse_segment, segment_topic
from fencepost.reference.scalable.pruning import Pruning
from fencepost.reference.scalable.registrations import Kind, Registration, Registrations
from fencepost.reference.scalable.sessions import Member, Session, Sessions
from fencepost.reference.scalable.topics import ScalableTopics


class _WaitsForNobody(Sessions):
    def waited_for_until(self, name: str) -> int:  # noqa: ARG002 - it waits for nobody
        return self._now()


class _WaitsForEver(Sessions):
    def is_over(self, member: Member) -> bool:  # noqa: ARG002 - it is not asked for
        return False


class _GivesUpAllAtOnce(Sessions):
    def is_over(self, member: Member) -> bool:
        groups = [group.values() for led in self._led.values() for group in led.values()]
        beside = [one for group in groups if any(one is member for one in group) for one in group]
        return member.session is None and any(super(_GivesUpAllAtOnce, self).is_over(one) for one in beside)


class _TakesNobodyOver(Sessions):
    def taken_over(self, name: str, registration: Registration) -> Member:  # noqa: ARG002 - it treats all alike
        return Member(registration, until=self._now())


class _WaitsForHalfOfIt(Sessions):
    def taken_over(self, name: str, registration: Registration) -> Member:  # noqa: ARG002 - it treats all alike
        return Member(registration, until=self._now() + self._profile.grace_period_ms // 2)


class _NotesOnlyWhatIsNew(Registrations):
    def put(self, topic: str, subscription: str, name: str, kind: Kind) -> Registration:
        there = self.of(topic, subscription).get(name)
        return there if there is not None and there.kind == kind else super().put(topic, subscription, name, kind)


class _LosesWhoIsBack(Sessions):
    def is_cut_off_by(self, member: Member, session: Session) -> bool:
        super().is_cut_off_by(member, session)
        return True


class _WaitsFromTheFirstTimeOn(Sessions):
    @cached_property
    def first(self) -> dict[str, int]:
        """Until when each consumer was waited for at first."""
        return {}

    def waited_for_until(self, name: str) -> int:
        return self.first.setdefault(name, super().waited_for_until(name))


class _WaitsForWhoIsBack(Sessions):
    @cached_property
    def ends(self) -> dict[str, int]:
        """When each consumer that was ever lost is given up, by its name."""
        return {}

    def waited_for_until(self, name: str) -> int:
        self.ends[name] = super().waited_for_until(name)
        return self.ends[name]

    def is_over(self, member: Member) -> bool:
        super().is_over(member)
        names = [name for led in self._led.values() for group in led.values() for name, one in group.items() if one is member]
        return any(self._now() >= self.ends[name] for name in names if name in self.ends)


class _ForgetsInMemoryOnly(Sessions):
    def is_over(self, member: Member) -> bool:  # noqa: ARG002 - the record of each is kept
        return False

    def sharing(self, members: Mapping[str, Member], layout: Layout) -> Mapping[str, Member]:
        return {name: one for name, one in super().sharing(members, layout).items() if not super(_ForgetsInMemoryOnly, self).is_over(one)}


class _DealsToWhoIsThere(Sessions):
    @cached_property
    def seen(self) -> dict[tuple[str, Registration], int]:
        """The epoch of the layout when a consumer was last connected."""
        return {}

    def sharing(self, members: Mapping[str, Member], layout: Layout) -> Mapping[str, Member]:
        for name, member in members.items():
            if member.session is not None:
                self.seen[name, member.registration] = layout.epoch
        there = {name for name, member in members.items() if self.seen.get((name, member.registration), layout.epoch) == layout.epoch}
        return {name: member for name, member in super().sharing(members, layout).items() if name in there}


class _StumblesOverAFamily(Pruning):
    def without(self, layout: Layout, gone: Sequence[Segment]) -> Layout:
        if any(not {one.number for one in gone}.isdisjoint(one.parents) for one in gone):
            raise Refused(Error.UNKNOWN, "a segment and its parent cannot go at once")
        return super().without(layout, gone)


class _StopsAtTheFirst(ScalableTopics):
    def sweep(self) -> None:
        for topic in self._layouts.all_topics():
            self._look_after(topic)


class _ServesTheFirstController(ScalableTopics):
    def segment(self, name: str) -> Segment:
        topic = parse_segment(name).topic
        leader, note = self._leadership.leader_of(topic), f"{topic}-served-by"
        if leader is not None and not self._layouts.registered(note):
            self._layouts.register(note, str(leader))
        if self._layouts.registered(note) != [str(leader)]:
            raise Refused(Error.SERVICE_NOT_READY, f"the consumers of {topic} are not registered at its controller")
        return super().segment(name)


class _BeginsAnew(ScalableTopics):
    def register(self, topic: str, subscription: str) -> None:
        super().register(topic, subscription)
        assert isinstance(self._segments, NodeSegments), "those of a broker"
        for segment in self.layout(topic).active:
            name = segment_topic(topic, segment)
            self._segments._topics_of(name).create(name).subscriptions[subscription].cursor.seek(EARLIEST)


WAITS_FOR_NOBODY = Defect(
    name="scalable-waits-for-nobody",
    breaks={"PIP460-37": Symptom(what="^segments of ann$", expected="^left$", seen="^left and right$")},
    story="The segments of a consumer go to the others as soon as its connection is lost.",
    origin="textbook: a group without a session time-out",
    parts=MetadataParts(sessions=_WaitsForNobody),
)

WHO_IS_BACK_IS_LOST = Defect(
    name="scalable-who-is-back-is-lost",
    breaks={"PIP460-37": Symptom(what="^segments of orders$", expected="once$", seen="bob has nothing")},
    story="When the old connection of a consumer ends that is back on a new one, the consumer is taken for lost.",
    origin="textbook: a session that is looked for by a name, and not by its connection",
    parts=MetadataParts(sessions=_LosesWhoIsBack),
)

SPLIT_ENDS_THE_WAIT = Defect(
    name="scalable-split-ends-the-wait",
    breaks={"PIP460-37": Symptom(what="^segments that ann was told of meanwhile$", expected="^no others$", seen="^left and high$")},
    story="Behind a change the segments are dealt to those who are connected, and a consumer that is waited for has none.",
    origin="feared: two places that deal out segments, of which one forgets who is away",
    parts=MetadataParts(sessions=_DealsToWhoIsThere),
)

WAITS_FOR_EVER = Defect(
    name="scalable-waits-for-ever",
    breaks={"PIP460-38": Symptom(what="^segments of ann$", expected="^left and right$", seen="^left$")},
    story="A consumer that is lost keeps its segments until an administrator removes it.",
    origin="feared: a timer that a fail-over has lost",
    parts=MetadataParts(sessions=_WaitsForEver),
)

NOBODY_IS_TAKEN_OVER = Defect(
    name="scalable-nobody-is-taken-over",
    breaks={"PIP460-39": Symptom(what="^segments of bob$", expected="^right$", seen="^left and right$")},
    story="A controller that takes over deals the segments out to those who are connected to it.",
    origin="feared: sessions that are in the memory of the controller only",
    parts=MetadataParts(sessions=_TakesNobodyOver),
)

ATTACHED_AT_THE_CONTROLLER = Defect(
    name="scalable-attached-at-the-controller",
    breaks={"PIP460-40": Symptom(what="^reading of (ann|bob)$", seen="^nothing$")},
    story="Who attaches to a segment must have registered at the controller of now, and when that is another one nobody has.",
    origin="feared: a right to read that a controller gives",
    parts=MetadataParts(scalable_topics=_ServesTheFirstController),
)

HALF_A_GRACE_PERIOD = Defect(
    name="scalable-half-a-grace-period",
    breaks={"PIP460-52": Symptom(what="^segments of ann$", expected="^left$", seen="^left and right$")},
    story="A controller that takes over assumes that half of each grace period has passed.",
    origin="feared: an estimate where nobody knows",
    parts=MetadataParts(sessions=_WaitsForHalfOfIt),
)

ONLY_WHAT_IS_NEW_NOTED = Defect(
    name="scalable-only-what-is-new-noted",
    breaks={"PIP460-52": Symptom(what="^segments of ann$", expected="^left$", seen="^left and right$")},
    story="A consumer that comes back to another controller is not noted again; the former one, leading anew, waits for the rest only.",
    origin="feared: a write that is saved because the record says the same already",
    parts=MetadataParts(registrations=_NotesOnlyWhatIsNew),
)

WAITS_FROM_THE_FIRST_TIME_ON = Defect(
    name="scalable-waits-from-the-first-time-on",
    breaks={"PIP460-37": Symptom(what="^segments of ann$", expected="^left$", seen="^left and right$")},
    story="A consumer that is lost a second time is waited for until the end of its first grace period.",
    origin="feared: a timer that is not stopped when a consumer is back",
    parts=MetadataParts(sessions=_WaitsFromTheFirstTimeOn),
)

REGISTERED_ANEW = Defect(
    name="scalable-registered-anew",
    breaks={"PIP460-37": Symptom(what="^segments of orders$", expected="once$", seen="^ann has ")},
    story="Whoever registers takes the subscription back to the first message of every active segment, also where it was there.",
    origin="textbook: what is made is made anew where it is there already",
    parts=MetadataParts(scalable_topics=_BeginsAnew),
)

ALL_GIVEN_UP_AT_ONCE = Defect(
    name="scalable-all-given-up-at-once",
    breaks={"PIP460-37": Symptom(what="^segments of carol$", expected="^right$", seen="^left and right$")},
    story="When one consumer is given up, so are all others of its subscription that are away, however short a time.",
    origin="textbook: one timer for the subscription, where each consumer needs its own",
    parts=MetadataParts(sessions=_GivesUpAllAtOnce),
)

WHO_IS_BACK_IS_GIVEN_UP = Defect(
    name="scalable-who-is-back-is-given-up",
    breaks={"PIP460-37": Symptom(what="^segments of ann$", expected="^left$", seen="^left and right$")},
    story="A consumer that came back in time is given up when the grace period ends all the same, and two read its segments.",
    origin="feared: a timer that is not stopped when its consumer is back",
    parts=MetadataParts(sessions=_WaitsForWhoIsBack),
)

GIVEN_UP_IN_MEMORY = Defect(
    name="scalable-given-up-in-memory",
    breaks={"PIP460-38": Symptom(what="^segments of ann$", expected="^left and right$", seen="^left$")},
    story="A consumer that is given up stays in the metadata store, and the next controller waits for it again.",
    origin="feared: a decision that only the controller's memory has",
    parts=MetadataParts(sessions=_ForgetsInMemoryOnly),
)

STOPS_OVER_A_FAMILY = Defect(
    name="scalable-stops-over-a-family",
    breaks={"PIP460-38": Symptom(what="^segments of ann$", expected="^first and second and high and right$")},
    story="A controller that cannot remove a sealed segment with its child does nothing else any more, and waits for ever for who is gone.",
    origin="feared: an error that ends all that a timer was to do",
    parts=MetadataParts(scalable_topics=_StopsAtTheFirst, pruning=_StumblesOverAFamily),
)
