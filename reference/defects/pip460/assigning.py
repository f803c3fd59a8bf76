"""Defects of the assignment of segments to stream consumers."""

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from urllib.parse import quote, unquote

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata.store import under
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar.answers import Answers
from fencepost.reference.scalable import paths
from fencepost.reference.scalable.layout import HASHES, HashRange, Segment
from fencepost.reference.scalable.layout_store import LayoutStore
from fencepost.reference.scalable.registrations import Registration, Registrations
from fencepost.reference.scalable.sessions import MOST_WAITING, Assignment, Session, Sessions
from fencepost.reference.scalable.topics import ScalableTopics

_Dealt = Mapping[str, tuple[Segment, ...]]


class _AllToEach(Sessions):
    def dealt(self, segments: Iterable[Segment], names: Iterable[str]) -> _Dealt:
        all_of_them = tuple(segments)
        return dict.fromkeys(names, all_of_them)


class _ForgetsTheRemainder(Sessions):
    def dealt(self, segments: Iterable[Segment], names: Iterable[str]) -> _Dealt:
        there, consumers = tuple(segments), list(names)
        return super().dealt(there[: max(len(there) // max(len(consumers), 1) * len(consumers), 1)], consumers)


class _InBlocks(Sessions):
    def dealt(self, segments: Iterable[Segment], names: Iterable[str]) -> _Dealt:
        there, consumers = sorted(segments, key=lambda one: one.hashes), sorted(names)
        bounds = [place * len(there) // len(consumers) for place in range(len(consumers) + 1)] if consumers else []
        return {name: tuple(there[bounds[place] : bounds[place + 1]]) for place, name in enumerate(consumers)}


class _TheLastFirst(Sessions):
    def dealt(self, segments: Iterable[Segment], names: Iterable[str]) -> _Dealt:
        there, consumers = sorted(segments, key=lambda one: one.hashes), sorted(names, reverse=True)
        return {name: tuple(there[place :: len(consumers)]) for place, name in enumerate(consumers)}


class _TellsOnce(Sessions):
    def tell(self, session: Session, assignment: Assignment) -> None:
        if session.assignment is None:
            super().tell(session, assignment)


class _TellsNobodyOfNothing(Sessions):
    def tell(self, session: Session, assignment: Assignment) -> None:
        if assignment.segments or session.assignment is None:
            super().tell(session, assignment)


class _SendsAllAway(Sessions):
    def send_away(self, session: Session) -> None:
        super().send_away(session)
        for member in [one for led in self._led.values() for group in led.values() for one in group.values()]:
            if member.session is not None:
                member.session.end()


class _TellsTheLastOfAConnection(Sessions):
    @cached_property
    def last(self) -> dict[Callable[[], None], Session]:
        """The last one that has come over each connection, by what closes that."""
        return {}

    def tell(self, session: Session, assignment: Assignment) -> None:
        if session.assignment is None:
            self.last[session._hang_up] = session
        if self.last[session._hang_up] is session:
            super().tell(session, assignment)


class _TellsTheEpochBefore(Sessions):
    def tell(self, session: Session, assignment: Assignment) -> None:
        super().tell(session, Assignment(max(assignment.epoch - 1, 0), assignment.segments))


class _OneSessionOfAName(Sessions):
    def tell(self, session: Session, assignment: Assignment) -> None:
        if session.assignment is None:
            self.end_others(session)
        super().tell(session, assignment)

    def end_others(self, session: Session) -> None:
        """A name has one session in a topic, the newest."""
        for groups in self._led.values():
            names = {name for group in groups.values() for name, one in group.items() if one.session is session}
            for member in [group[name] for name in names for group in groups.values() if name in group]:
                if member.session is not session:
                    member.session = None


class _KeepsTheOldest(Sessions):
    def tell(self, session: Session, assignment: Assignment) -> None:
        if len(session._waiting) < MOST_WAITING:
            super().tell(session, assignment)
        else:
            session.assignment = assignment  # as if it had been told


class _KeepsConsumersOfTheRemoved(ScalableTopics):
    def unregister(self, topic: str, subscription: str) -> None:
        store = self._layouts._store
        kept = store.scan(*under(paths.consumer(topic, subscription, "")))
        super().unregister(topic, subscription)
        for record in kept:
            store.put(record.key, record.value)


class _RemovesWhatBeginsSo(ScalableTopics):
    def unregister(self, topic: str, subscription: str) -> None:
        super().unregister(topic, subscription)
        store = self._layouts._store
        for key in store.keys(*under(paths.subscription(topic, subscription))):
            store.delete(key)


class _SubscriptionsAsTheyAreStored(ScalableTopics):
    def subscriptions(self, topic: str) -> list[str]:
        return [quote(name, safe="") for name in super().subscriptions(topic)]


class _PassesOverWhatHasASlash(ScalableTopics):
    def subscriptions(self, topic: str) -> list[str]:
        return [name for name in super().subscriptions(topic) if "/" not in name]


class _NamesAsTheyAreStored(Registrations):
    def of(self, topic: str, subscription: str) -> dict[str, Registration]:
        return {quote(name, safe=""): one for name, one in super().of(topic, subscription).items()}


class _SubscriptionsOfAnyTopic(Registrations):
    def of(self, topic: str, subscription: str) -> dict[str, Registration]:
        found: dict[str, Registration] = {}
        for other in {topic, *LayoutStore(self._store).all_topics()}:
            found |= super().of(other, subscription)
        return found


class _NamesDecodedTwice(Registrations):
    def of(self, topic: str, subscription: str) -> dict[str, Registration]:
        return {unquote(name): one for name, one in super().of(topic, subscription).items()}


class _EndsBehindTheRange(Answers):
    def hashes_told(self, segment: Segment) -> HashRange:
        first, last = super().hashes_told(segment)
        return HashRange(first, last + 1)


class _HashesOfTheWhole(Answers):
    def hashes_told(self, segment: Segment) -> HashRange:
        super().hashes_told(segment)
        return HashRange(0, HASHES - 1)


ALL_TO_EACH = Defect(
    name="scalable-all-to-each",
    breaks={"PIP460-34": Symptom(what="^segments of ", expected="once$", seen="^ann has (.+); bob has \\1$")},
    story="Each consumer of a subscription is assigned every segment.",
    origin="textbook: an assignment for the subscription, and not for its consumers",
    parts=MetadataParts(sessions=_AllToEach),
)

REMAINDER_FORGOTTEN = Defect(
    name="scalable-remainder-forgotten",
    breaks={"PIP460-34": Symptom(what="^segments of orders$", expected="^each of 0, 1, 2 once$", seen="^ann has 0; bob has 1$")},
    story="Each consumer is assigned equally many segments, and what is left over nobody has.",
    origin="textbook: a division without its remainder",
    parts=MetadataParts(sessions=_ForgetsTheRemainder),
)

IN_BLOCKS = Defect(
    name="scalable-assigned-in-blocks",
    breaks={"PIP460-35": Symptom(what="^segments of orders$", expected="in turn$", seen="^ann has 0; bob has 1, 2$")},
    story="Each consumer is assigned neighbouring segments.",
    origin="Apache Kafka's range assignor, where the round robin one is due",
    parts=MetadataParts(sessions=_InBlocks),
)

THE_LAST_FIRST = Defect(
    name="scalable-assigned-from-the-last",
    breaks={"PIP460-35": Symptom(what="^segments of orders$", expected="in turn$", seen="bob has 0, 2$")},
    story="The consumer whose name is the last has the first segment.",
    origin="textbook: a sort the other way round",
    parts=MetadataParts(sessions=_TheLastFirst),
)

OTHERS_ARE_NOT_TOLD = Defect(
    name="scalable-others-are-not-told",
    breaks={"PIP460-36": Symptom(what="^segments of orders$", expected="once$", seen="^ann has 0, 1, 2; ")},
    story="A consumer is told of its segments when it registers, and never again.",
    origin="feared: a push that is sent to who has asked",
    parts=MetadataParts(sessions=_TellsOnce),
)

NOTHING_IS_NOT_TOLD = Defect(
    name="scalable-nothing-is-not-told",
    breaks={"PIP460-36": Symptom(what="^segments of payments$", expected="^each of 0 once$", seen="^ann has 0; bob has 0$")},
    story="A consumer whose last segment goes to another one is not told that it has none.",
    origin="feared: an empty list that is taken for no news",
    parts=MetadataParts(sessions=_TellsNobodyOfNothing),
)

NEIGHBOURS_UNREGISTERED = Defect(
    name="scalable-neighbours-unregistered",
    breaks={"PIP460-36": Symptom(what="^segments of orders$", expected="once$", seen="^ann has ")},
    story="With a subscription go all whose names begin with its name, and their consumers are told nothing more.",
    origin="textbook: a prefix of keys without its separator",
    parts=MetadataParts(scalable_topics=_RemovesWhatBeginsSo),
)

SUBSCRIPTIONS_AS_STORED = Defect(
    name="scalable-subscriptions-as-stored",
    breaks={"PIP460-34": Symptom(what="^segments of orders$", expected="once$", seen="^ann has ")},
    story="A controller takes the name of a subscription as it stands in a key, and finds no consumers of it where that is quoted.",
    origin="textbook: what is encoded for a key is not decoded again",
    parts=MetadataParts(scalable_topics=_SubscriptionsAsTheyAreStored),
)

SLASHES_PASSED_OVER = Defect(
    name="scalable-slashes-passed-over",
    breaks={"PIP460-34": Symptom(what="^segments of orders$", expected="once$", seen="^ann has ")},
    story="A subscription whose name has a slash is not found among those of its topic, and its consumers are told nothing more.",
    origin="textbook: a name that is no longer one part of a path",
    parts=MetadataParts(scalable_topics=_PassesOverWhatHasASlash),
)

CONSUMERS_AS_STORED = Defect(
    name="scalable-consumers-as-stored",
    breaks={"PIP460-34": Symptom(what="^answers$", expected="^answers to all$", seen="^none to SCALABLE_TOPIC_SUBSCRIBE$")},
    story="A controller takes the name of a consumer as it stands in a key: one that is quoted there is answered nothing.",
    origin="textbook: what is encoded for a key is not decoded again",
    parts=MetadataParts(registrations=_NamesAsTheyAreStored),
)

CONSUMERS_DECODED_TWICE = Defect(
    name="scalable-consumers-decoded-twice",
    breaks={"PIP460-34": Symptom(what="^answers$", expected="^answers to all$", seen="^none to SCALABLE_TOPIC_SUBSCRIBE$")},
    story="The name of a consumer is decoded once more than it was encoded, so that two consumers have one name.",
    origin="textbook: what is decoded by a library and by its caller",
    parts=MetadataParts(registrations=_NamesDecodedTwice),
)

ENDS_BEHIND_THE_RANGE = Defect(
    name="scalable-ends-behind-the-range",
    breaks={"PIP460-34": Symptom(what="^hashes of .* in assignments$", seen="^(ann|bob) is told ")},
    story="A consumer is told the first hash behind its segment where the last one is due.",
    origin="textbook: ranges with and without their ends",
    parts=MetadataParts(answers=_EndsBehindTheRange),
)

HASHES_OF_THE_WHOLE = Defect(
    name="scalable-hashes-of-the-whole",
    breaks={"PIP460-34": Symptom(what="^hashes of .* in assignments$", seen="^(ann|bob) is told .* as 0000-ffff")},
    story="A consumer is told that each of its segments has all hashes.",
    origin="feared: a field that nobody fills in where the segment's name has the same",
    parts=MetadataParts(answers=_HashesOfTheWhole),
)

CONSUMERS_OF_THE_REMOVED_KEPT = Defect(
    name="scalable-consumers-of-the-removed-kept",
    breaks={"PIP460-34": Symptom(what="^segments of orders$", expected="^each of 0, 1, 2 once$", seen="^bob has 1$")},
    story="A subscription that is removed leaves its consumers behind, which are waited for when one of that name is made again.",
    origin="feared: records below another one, which is deleted alone",
    parts=MetadataParts(scalable_topics=_KeepsConsumersOfTheRemoved),
)

ALL_ARE_SENT_AWAY = Defect(
    name="scalable-all-are-sent-away",
    breaks={"PIP460-36": Symptom(what="^segments of orders$", expected="once$", seen="^ann has ")},
    story="When one subscription is removed, the consumers of all of them are sent away.",
    origin="feared: a controller that lets go of a topic where it should let go of a subscription",
    parts=MetadataParts(sessions=_SendsAllAway),
)

LAST_OF_A_CONNECTION = Defect(
    name="scalable-last-of-a-connection",
    breaks={"PIP460-36": Symptom(what="^segments of orders$", expected="once$", seen="^ann has ")},
    story="Of two consumers that register over one connection, only the later one is told of changes.",
    origin="feared: sessions that are kept by their connections, of which each is taken to have one",
    parts=MetadataParts(sessions=_TellsTheLastOfAConnection),
)

OLDEST_ASSIGNMENTS_KEPT = Defect(
    name="scalable-oldest-assignments-kept",
    breaks={"PIP460-36": Symptom(what="^segments of orders$", expected="once$", seen="^ann has ")},
    story="Where too many assignments wait for a consumer that does not read, the newest ones are dropped.",
    origin="feared: a queue with a bound",
    parts=MetadataParts(sessions=_KeepsTheOldest),
)

SUBSCRIPTIONS_BY_NAME = Defect(
    name="scalable-subscriptions-by-name",
    breaks={"PIP460-34": Symptom(what="^segments of (orders|payments)$", expected="once$", seen="^(ann|bob) has ")},
    story="Subscriptions of one name are taken for one, and the segments of each topic are dealt to the consumers of all.",
    origin="textbook: a map by a name that is unique within something else",
    parts=MetadataParts(registrations=_SubscriptionsOfAnyTopic),
)

ONE_SESSION_OF_A_NAME = Defect(
    name="scalable-one-session-of-a-name",
    breaks={"PIP460-34": Symptom(what="^segments of orders$", expected="^each of ", seen="^ann has ")},
    story="A consumer is known by its name in its topic, and who joins another subscription under that name takes its session over.",
    origin="PIP-460, consumer identity: a stable name that identifies a session, and no word of its subscription",
    parts=MetadataParts(sessions=_OneSessionOfAName),
)

EPOCH_BEFORE_TOLD = Defect(
    name="scalable-epoch-before-told",
    breaks={"PIP460-36": Symptom(what="^told to ann of the change$", seen="^neither$")},
    story="An assignment has the epoch that its change began with, so that who has seen a later one passes it over.",
    origin="textbook: a number that is read before it is counted up",
    parts=MetadataParts(sessions=_TellsTheEpochBefore),
)
