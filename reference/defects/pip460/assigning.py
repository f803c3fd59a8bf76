"""Defects of the assignment of segments to stream consumers."""

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from urllib.parse import quote, unquote

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.metadata.store import under
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar.transaction_responses import TransactionResponses
from fencepost.reference.scalable import paths
from fencepost.reference.scalable.layout import HASHES, HashRange, Segment
from fencepost.reference.scalable.layout_store import LayoutStore
from fencepost.reference.scalable.node_scalable_topics import ScalableTopics
from fencepost.reference.scalable.registrations import ConsumerRegistration, Registrations
from fencepost.reference.scalable.sessions import MOST_WAITING, ConsumerAssignment, ConsumerSession, Sessions

_Dealt = Mapping[str, tuple[Segment, ...]]


@defect(
    {"PIP460-34": seen("^ann has (.+); bob has \\1$", expected="once$", what="^segments of ")},
    origin="textbook: an assignment for the subscription, and not for its consumers",
)
class ScalableAllToEach(Sessions):
    """Each consumer of a subscription is assigned every segment."""

    def dealt(self, segments: Iterable[Segment], names: Iterable[str]) -> _Dealt:
        all_of_them = tuple(segments)
        return dict.fromkeys(names, all_of_them)


@defect(
    {"PIP460-34": seen("^ann has 0; bob has 1$", expected="^each of 0, 1, 2 once$", what="^segments of orders$")},
    origin="textbook: a division without its remainder",
)
class ScalableRemainderForgotten(Sessions):
    """Each consumer is assigned the same number of segments, and the remaining ones are assigned to no consumer."""

    def dealt(self, segments: Iterable[Segment], names: Iterable[str]) -> _Dealt:
        there, consumers = tuple(segments), list(names)
        return super().dealt(there[: max(len(there) // max(len(consumers), 1) * len(consumers), 1)], consumers)


@defect(
    {"PIP460-35": seen("^ann has 0; bob has 1, 2$", expected="in turn$", what="^segments of orders$")},
    origin="Apache Kafka's range assignor, where the round robin one is due",
)
class ScalableAssignedInBlocks(Sessions):
    """Each consumer is assigned neighbouring segments."""

    def dealt(self, segments: Iterable[Segment], names: Iterable[str]) -> _Dealt:
        there, consumers = sorted(segments, key=lambda one: one.hashes), sorted(names)
        bounds = [place * len(there) // len(consumers) for place in range(len(consumers) + 1)] if consumers else []
        return {name: tuple(there[bounds[place] : bounds[place + 1]]) for place, name in enumerate(consumers)}


@defect(
    {"PIP460-35": seen("bob has 0, 2$", expected="in turn$", what="^segments of orders$")}, origin="textbook: a sort the other way round"
)
class ScalableAssignedFromTheLast(Sessions):
    """The consumer with the last name has the first segment."""

    def dealt(self, segments: Iterable[Segment], names: Iterable[str]) -> _Dealt:
        there, consumers = sorted(segments, key=lambda one: one.hashes), sorted(names, reverse=True)
        return {name: tuple(there[place :: len(consumers)]) for place, name in enumerate(consumers)}


@defect(
    {"PIP460-36": seen("^ann has 0, 1, 2; ", expected="once$", what="^segments of orders$")},
    origin="feared: a push that is sent only to the client that asked",
)
class ScalableOthersAreNotTold(Sessions):
    """A consumer is notified of its segments when it registers, and never again."""

    def notify(self, session: ConsumerSession, assignment: ConsumerAssignment) -> None:
        if session.assignment is None:
            super().notify(session, assignment)


@defect(
    {"PIP460-36": seen("^ann has 0; bob has 0$", expected="^each of 0 once$", what="^segments of payments$")},
    origin="feared: an empty list that is treated as no news",
)
class ScalableNothingIsNotTold(Sessions):
    """A consumer that loses its last segment to another one is not notified."""

    def notify(self, session: ConsumerSession, assignment: ConsumerAssignment) -> None:
        if assignment.segments or session.assignment is None:
            super().notify(session, assignment)


@defect(
    {"PIP460-36": seen("^ann has ", expected="once$", what="^segments of orders$")},
    origin="feared: a controller that lets go of a topic where it should let go of a subscription",
)
class ScalableAllAreSentAway(Sessions):
    """When one subscription is removed, the consumers of all of them are sent away."""

    def send_away(self, session: ConsumerSession) -> None:
        super().send_away(session)
        for member in [one for led in self._led.values() for group in led.values() for one in group.values()]:
            if member.session is not None:
                member.session.end()


@defect(
    {"PIP460-36": seen("^ann has ", expected="once$", what="^segments of orders$")},
    origin="feared: sessions that are kept by their connections, of which each is taken to have one",
)
class ScalableLastOfAConnection(Sessions):
    """If two consumers register over one connection, only the later one is notified of changes."""

    @cached_property
    def last(self) -> dict[Callable[[], None], ConsumerSession]:
        """The last one that has come over each connection, by what closes that."""
        return {}

    def notify(self, session: ConsumerSession, assignment: ConsumerAssignment) -> None:
        if session.assignment is None:
            self.last[session._hang_up] = session
        if self.last[session._hang_up] is session:
            super().notify(session, assignment)


@defect(
    {"PIP460-36": seen("^neither$", what="^notification to ann of the change$")},
    origin="textbook: a number that is read before it is counted up",
)
class ScalableEpochBeforeTold(Sessions):
    """An assignment has the epoch with which its change began, so that a consumer that has seen a later one ignores it."""

    def notify(self, session: ConsumerSession, assignment: ConsumerAssignment) -> None:
        super().notify(session, ConsumerAssignment(max(assignment.epoch - 1, 0), assignment.segments))


@defect(
    {"PIP460-34": seen("^ann has ", expected="^each of ", what="^segments of orders$")},
    origin="PIP-460, consumer identity: a stable name that identifies a session, and no word of its subscription",
)
class ScalableOneSessionOfAName(Sessions):
    """A consumer is known by its name in its topic, and who joins another subscription under that name takes its session over."""

    def notify(self, session: ConsumerSession, assignment: ConsumerAssignment) -> None:
        if session.assignment is None:
            self.end_others(session)
        super().notify(session, assignment)

    def end_others(self, session: ConsumerSession) -> None:
        """A name has one session in a topic, the newest."""
        for groups in self._led.values():
            names = {name for group in groups.values() for name, one in group.items() if one.session is session}
            for member in [group[name] for name in names for group in groups.values() if name in group]:
                if member.session is not session:
                    member.session = None


@defect({"PIP460-36": seen("^ann has ", expected="once$", what="^segments of orders$")}, origin="feared: a queue with a bound")
class ScalableOldestAssignmentsKept(Sessions):
    """Where too many assignments wait for a consumer that does not read, the newest ones are dropped."""

    def notify(self, session: ConsumerSession, assignment: ConsumerAssignment) -> None:
        if len(session._waiting) < MOST_WAITING:
            super().notify(session, assignment)
        else:
            session.assignment = assignment  # as if it had been sent


@defect(
    {"PIP460-34": seen("^bob has 1$", expected="^each of 0, 1, 2 once$", what="^segments of orders$")},
    origin="feared: records below another one, which is deleted alone",
)
class ScalableConsumersOfTheRemovedKept(ScalableTopics):
    """Removing a subscription leaves its consumers, and a new subscription of that name waits for them."""

    def unregister(self, topic: str, subscription: str) -> None:
        store = self._layouts._store
        kept = store.scan(*under(paths.consumer(topic, subscription, "")))
        super().unregister(topic, subscription)
        for record in kept:
            store.put(record.key, record.value)


@defect(
    {"PIP460-34": seen("^carol has 1$", expected="^each of 0, 1, 2 once$", what="^segments of orders$")},
    origin="red team: a loop over consumers that ends with the first",
)
class ScalableOneOfTheRemovedForgotten(ScalableTopics):
    """A subscription that is removed takes its first consumer with it; the others are waited for when one of that name is made again."""

    def unregister(self, topic: str, subscription: str) -> None:
        store = self._layouts._store
        kept = store.scan(*under(paths.consumer(topic, subscription, "")))[1:]
        super().unregister(topic, subscription)
        for record in kept:
            store.put(record.key, record.value)


@defect(
    {"PIP460-36": seen("^ann has ", expected="once$", what="^segments of orders$")},
    origin="textbook: a prefix of keys without its separator",
)
class ScalableNeighboursUnregistered(ScalableTopics):
    """Removing a subscription also removes all subscriptions whose names begin with its name, and their consumers are not notified of
    anything more."""

    def unregister(self, topic: str, subscription: str) -> None:
        super().unregister(topic, subscription)
        store = self._layouts._store
        for key in store.keys(*under(paths.subscription(topic, subscription))):
            store.delete(key)


@defect(
    {"PIP460-34": seen("^ann has ", expected="once$", what="^segments of orders$")},
    origin="textbook: what is encoded for a key is not decoded again",
)
class ScalableSubscriptionsAsStored(ScalableTopics):
    """A controller uses the name of a subscription as it is encoded in a key, and finds no consumers of it where that is quoted."""

    def subscriptions(self, topic: str) -> list[str]:
        return [quote(name, safe="") for name in super().subscriptions(topic)]


@defect(
    {"PIP460-34": seen("^ann has ", expected="once$", what="^segments of orders$")},
    origin="textbook: a name that is no longer one part of a path",
)
class ScalableSlashesPassedOver(ScalableTopics):
    """The controller overlooks subscriptions whose name has a slash, and their consumers are not notified of anything more."""

    def subscriptions(self, topic: str) -> list[str]:
        return [name for name in super().subscriptions(topic) if "/" not in name]


@defect(
    {"PIP460-34": seen("^none to SCALABLE_TOPIC_SUBSCRIBE$", expected="^answers to all$", what="^answers$")},
    origin="textbook: what is encoded for a key is not decoded again",
)
class ScalableConsumersAsStored(Registrations):
    """A controller uses the name of a consumer as it is encoded in a key: one that is quoted there is not answered."""

    def of(self, topic: str, subscription: str) -> dict[str, ConsumerRegistration]:
        return {quote(name, safe=""): one for name, one in super().of(topic, subscription).items()}


@defect(
    {"PIP460-34": seen("^(ann|bob) has ", expected="once$", what="^segments of (orders|payments)$")},
    origin="textbook: a map by a name that is unique within something else",
)
class ScalableSubscriptionsByName(Registrations):
    """Subscriptions of one name count as one, and the segments of each topic are assigned to the consumers of all."""

    def of(self, topic: str, subscription: str) -> dict[str, ConsumerRegistration]:
        found: dict[str, ConsumerRegistration] = {}
        for other in {topic, *LayoutStore(self._store).all_topics()}:
            found |= super().of(other, subscription)
        return found


@defect(
    {"PIP460-34": seen("^none to SCALABLE_TOPIC_SUBSCRIBE$", expected="^answers to all$", what="^answers$")},
    origin="textbook: what is decoded by a library and by its caller",
)
class ScalableConsumersDecodedTwice(Registrations):
    """The name of a consumer is decoded once more than it was encoded, so that two consumers have one name."""

    def of(self, topic: str, subscription: str) -> dict[str, ConsumerRegistration]:
        return {unquote(name): one for name, one in super().of(topic, subscription).items()}


@defect(
    {"PIP460-34": seen("^(ann|bob) is assigned ", what="^hashes of .* in assignments$")},
    origin="textbook: ranges with and without their ends",
    of=MetadataParts,
)
class ScalableEndsBehindTheRange(TransactionResponses):
    """The assignment names the first hash after a segment instead of its last one."""

    def hashes_reported(self, segment: Segment) -> HashRange:
        first, last = super().hashes_reported(segment)
        return HashRange(first, last + 1)


@defect(
    {"PIP460-34": seen("^(ann|bob) is assigned .* as 0000-ffff", what="^hashes of .* in assignments$")},
    origin="feared: a field that is left empty because the segment's name has the same value",
    of=MetadataParts,
)
class ScalableHashesOfTheWhole(TransactionResponses):
    """The assignment says that each segment covers all hashes."""

    def hashes_reported(self, segment: Segment) -> HashRange:
        super().hashes_reported(segment)
        return HashRange(0, HASHES - 1)
