"""Defects of segments that are sealed, and of what their children begin with."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.defects.inheriting import (
    CopiesIntoTheChildren,
    CopiesTheLastMessage,
    GivesTheFirstChildAll,
    InheritsFromTheFirst,
    InheritsFromTheLast,
    InheritsLateFromTheFirst,
    InheritsNothing,
    InheritsTheRegistered,
    InheritsWhatAllHave,
    InheritsWhoIsAttached,
    TakesSubscriptionsBack,
    topic_of,
)
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar.answers import Answers
from fencepost.reference.pulsar.buffer import Place
from fencepost.reference.pulsar.subscription import Consumer, Subscription
from fencepost.reference.pulsar.topics import Topics
from fencepost.reference.scalable.changes import LayoutChanges
from fencepost.reference.scalable.layout import Segment
from fencepost.reference.scalable.names import parse_segment, segment_topic
from fencepost.reference.scalable.pruning import Pruning
from fencepost.reference.scalable.topics import ScalableTopics


class _SealsNothing(LayoutChanges):
    def seal(self, parents: Sequence[str]) -> None:
        """The layout says enough."""


class _SealsTheFirstOfThem(LayoutChanges):
    def seal(self, parents: Sequence[str]) -> None:
        super().seal(parents[:1])


class _SealsTheLastOfThem(LayoutChanges):
    def seal(self, parents: Sequence[str]) -> None:
        super().seal(parents[-1:])


class _MakesAnewWhatIsGone(ScalableTopics):
    def segment(self, name: str) -> Segment:
        meant = parse_segment(name)
        layout = self._layouts.named(meant.topic).layout
        is_gone = meant.number not in layout.segments and meant.number < layout.next_number
        return Segment(meant.number, meant.hashes) if is_gone else super().segment(name)


class _HasTheChildrenToCome(ScalableTopics):
    def segment(self, name: str) -> Segment:
        meant = parse_segment(name)
        is_to_come = name in self._changes.children_noted(meant.topic) and meant.number not in self.layout(meant.topic).segments
        return Segment(meant.number, meant.hashes) if is_to_come else super().segment(name)


class _IsSilent(Answers):
    def answers_a_message_to_what_is_sealed(self, sealed_writes: str) -> bool:
        super().answers_a_message_to_what_is_sealed(sealed_writes)
        return False


class _TellsTheEndOfWhatIsVisible(Answers):
    def tells_who_subscribes_the_end(self, *, has_ended: bool, is_sealed: bool, has_more: bool) -> bool:
        super().tells_who_subscribes_the_end(has_ended=has_ended, is_sealed=is_sealed, has_more=has_more)
        return is_sealed and not has_more


class _EmptiesWhatItSeals(LayoutChanges):
    def seal(self, parents: Sequence[str]) -> None:
        for parent in parents:
            subscriptions = self._segments.subscriptions_of(parent)
            self._segments.delete(parent)
            self._segments.create(parent, subscriptions)
        super().seal(parents)


class _EmptiesAllButTheFirst(LayoutChanges):
    def seal(self, parents: Sequence[str]) -> None:
        for parent in parents[1:]:
            subscriptions = self._segments.subscriptions_of(parent)
            self._segments.delete(parent)
            self._segments.create(parent, subscriptions)
        super().seal(parents)


class _LooksAtTheTimeOnly(Pruning):
    def is_over(self, topic: str, segment: Segment) -> bool:
        super().is_over(topic, segment)
        return segment.sealed_ms is not None and self._now() >= segment.sealed_ms + self._profile.sealed_retention_ms


class PrunesSooner(Pruning):
    """Behind its retention a segment goes as well where the defect finds enough of it consumed."""

    def has_enough(self, topic: str, name: str) -> bool:
        """Whether so much of the segment of that name is consumed that the defect lets it go."""
        raise NotImplementedError

    def is_over(self, topic: str, segment: Segment) -> bool:
        if super().is_over(topic, segment):
            return True
        if segment.sealed_ms is None or self._now() < segment.sealed_ms + self._profile.sealed_retention_ms:
            return False
        return self.has_enough(topic, segment_topic(topic, segment))


class _WaitsForOneSubscription(PrunesSooner):
    def has_enough(self, topic: str, name: str) -> bool:
        return any(self._segments.is_drained(name, subscription) for subscription in self._layouts.registered(topic))


class _ForgetsTheOtherParent(Pruning):
    def prune(self, topic: str) -> bool:
        before = self._layouts.named(topic).layout.segments
        if not super().prune(topic):
            return False
        stored = self._layouts.named(topic)
        left = stored.layout.segments.items()
        made = {number: one if one.parents == before[number].parents else replace(one, parents=()) for number, one in left}
        self._layouts.write(topic, replace(stored.layout, segments=made), stored.version)
        return True


class _ErasesWhatBeginsSo(Topics[Any]):
    def erase(self, name: str) -> None:
        super().erase(name)
        self._disk.erase(lambda journal: journal.partition(" ")[2].startswith(name))


class _ClosesWhatItSeals(LayoutChanges):
    def seal(self, parents: Sequence[str]) -> None:
        super().seal(parents)
        for subscription in (one for parent in parents for one in topic_of(self._segments, parent).subscriptions.values()):
            assert isinstance(subscription, _GivesBackBeforeTheSealOnly), "its own"
            subscription.is_sealed = True


class _GivesBackBeforeTheSealOnly(Subscription):
    is_sealed = False

    def redeliver(self, consumer: Consumer, places: Collection[Place]) -> None:
        if not self.is_sealed:
            super().redeliver(consumer, places)


class _WaitsForTheRegistered(Pruning):
    def is_over(self, topic: str, segment: Segment) -> bool:
        if super().is_over(topic, segment):
            return True
        if segment.sealed_ms is None or self._now() < segment.sealed_ms + self._profile.sealed_retention_ms:
            return False
        name, registered = segment_topic(topic, segment), self._layouts.registered(topic)
        return bool(registered) and all(self._segments.is_drained(name, subscription) for subscription in registered)


NOTHING_SEALED = Defect(
    name="scalable-nothing-sealed",
    breaks={
        "PIP460-13": Symptom(what="^answer to SEND$", expected="^a refusal with TopicTerminatedError$", seen="^success$"),
        "PIP460-19": Symptom(what="^messages to a parent, too late$", seen="0000-7fff-0"),
    },
    story="The layout calls the parent sealed, and its owner goes on taking messages.",
    origin="PIP-468, split, step 3, which is left out",
    parts=MetadataParts(layout_changes=_SealsNothing),
)

FIRST_PARENT_SEALED = Defect(
    name="scalable-first-parent-sealed",
    breaks={
        "PIP460-19": Symptom(what="^messages to a parent, too late$", seen="4000-7fff"),
    },
    story="Of the segments that are merged only the first one is sealed.",
    origin="PIP-468, merge, step 3: one parent after the other",
    parts=MetadataParts(layout_changes=_SealsTheFirstOfThem),
)

LAST_PARENT_SEALED = Defect(
    name="scalable-last-parent-sealed",
    breaks={
        "PIP460-19": Symptom(what="^messages to a parent, too late$", seen="0000-3fff"),
    },
    story="Of the segments that are merged only the last one is sealed.",
    origin="PIP-468, merge, step 3: one parent after the other",
    parts=MetadataParts(layout_changes=_SealsTheLastOfThem),
)

CHILDREN_TO_COME = Defect(
    name="scalable-children-to-come",
    breaks={"PIP460-19": Symptom(what="^answer to PRODUCER$", expected="^a refusal$", seen="^success$")},
    story="Who names a child of a change that has only begun may write there, beside those who write to its parent.",
    origin="PIP-468, split, steps 3 and 4 in the other order, at the broker that has the child",
    parts=MetadataParts(scalable_topics=_HasTheChildrenToCome),
)

SILENT_ABOUT_THE_SEAL = Defect(
    name="scalable-silent-about-the-seal",
    breaks={"PIP460-13": Symptom(what="^answers$", expected="^answers to all$", seen="^none to SEND$")},
    story="A message of a producer that has not heard of the seal is ignored.",
    origin="Apache Pulsar 5.0.0-M1",
    parts=MetadataParts(answers=_IsSilent),
)

MADE_ANEW_WHEN_GONE = Defect(
    name="scalable-made-anew-when-gone",
    breaks={"PIP460-13": Symptom(what="^answer to PRODUCER$", expected="^a refusal$", seen="^success$")},
    story="A sealed segment that was removed is made anew for the next producer, whose messages nobody looks for.",
    origin="feared: a topic that is made when it is asked for, as others are",
    parts=MetadataParts(scalable_topics=_MakesAnewWhatIsGone),
)

SEALED_AND_EMPTIED = Defect(
    name="scalable-sealed-and-emptied",
    breaks={
        "PIP460-14": Symptom(what="^readers of left$", expected='^"p1"$', seen="^nothing$"),
        "PIP460-15": Symptom(what="^messages of orders$", seen="is lost"),
    },
    story="The messages of a segment go with its last writer.",
    origin="feared: a segment that is closed as an old topic is deleted",
    parts=MetadataParts(layout_changes=_EmptiesWhatItSeals),
)

SECOND_PARENT_EMPTIED = Defect(
    name="scalable-second-parent-emptied",
    breaks={
        "PIP460-14": Symptom(what="^waiting for workers$", expected='^"p2"$', seen="^nothing$"),
        "PIP460-15": Symptom(what="^messages of orders$", seen="is lost"),
    },
    story="Of the segments that are merged the second one loses its messages.",
    origin="feared: the child takes its place",
    parts=MetadataParts(layout_changes=_EmptiesAllButTheFirst),
)

RETENTION_IS_A_TIME = Defect(
    name="scalable-retention-is-a-time",
    breaks={"PIP460-14": Symptom(what="^answer$|^waiting for workers$")},
    story="A sealed segment goes when its retention is over, whoever still has to read it.",
    origin="Apache Pulsar 5.0.0-M1 does so where no subscription is registered",
    parts=MetadataParts(pruning=_LooksAtTheTimeOnly),
)

ONE_SUBSCRIPTION_IS_ENOUGH = Defect(
    name="scalable-one-subscription-is-enough",
    breaks={"PIP460-14": Symptom(what="^answer$|^waiting for workers$")},
    story="A sealed segment goes when the first of its subscriptions has consumed it.",
    origin="textbook: any, where all was meant",
    parts=MetadataParts(pruning=_WaitsForOneSubscription),
)

THE_REGISTERED_ARE_ENOUGH = Defect(
    name="scalable-the-registered-are-enough",
    breaks={"PIP460-14": Symptom(what="^answer$|^left for auditors$")},
    story="A sealed segment goes when the subscriptions of the topic have consumed it, whatever others there are on the segment.",
    origin="feared: consumers that register nowhere, and are forgotten",
    parts=MetadataParts(pruning=_WaitsForTheRegistered),
)

END_BEFORE_THE_OPEN = Defect(
    name="scalable-end-before-the-open",
    breaks={"PIP460-14": Symptom(what="^end of left$", expected="^not told yet$", seen="^told$")},
    story="Who subscribes to a sealed segment is told that it has no more while a transaction is open there.",
    origin="feared: two places that tell the end, of which one looks at what is visible",
    parts=MetadataParts(answers=_TellsTheEndOfWhatIsVisible),
)

NOTHING_GIVEN_BACK = Defect(
    name="scalable-nothing-given-back",
    breaks={"PIP460-14": Symptom(what="^received by workers$", expected='^"p1"$', seen="^nothing$")},
    story="What a consumer gives back of a sealed segment comes to nobody while that consumer is connected.",
    origin="feared: a segment that is closed with its last message delivered",
    parts=MetadataParts(layout_changes=_ClosesWhatItSeals, subscription=_GivesBackBeforeTheSealOnly),
)

CHILDREN_HAVE_COPIES = Defect(
    name="scalable-children-have-copies",
    breaks={"PIP460-16": Symptom(what="^waiting for workers$", seen='^"p1"')},
    story="What a parent has is written to its children again.",
    origin="feared: a re-partitioning of data, as other systems have it",
    parts=MetadataParts(layout_changes=CopiesIntoTheChildren),
)

LAST_MESSAGE_IN_BOTH = Defect(
    name="scalable-last-message-in-both",
    breaks={"PIP460-16": Symptom(what="^waiting for workers$|^messages of orders$", seen='^"p1"|there 2|there 3')},
    story="The message that was under way at the seal is stored, and handed on to the children as well.",
    origin="feared: a broker that sends on what it has just refused",
    parts=MetadataParts(layout_changes=CopiesTheLastMessage),
)

SEAL_TAKES_ACKNOWLEDGEMENTS_BACK = Defect(
    name="scalable-seal-takes-acknowledgements-back",
    breaks={"PIP460-16": Symptom(what="^left for workers$", expected="^nothing$", seen='^"p1"$')},
    story="The subscriptions of a segment that is sealed begin again with its first message.",
    origin="feared: a cursor that is opened anew, read-only",
    parts=MetadataParts(layout_changes=TakesSubscriptionsBack),
)

REGISTERED_ONLY = Defect(
    name="scalable-registered-only",
    breaks={
        "PIP460-17": Symptom(what="^waiting for auditors$", expected='^"p1"$', seen="^nothing$"),
        "PIP460-18": Symptom(what="^waiting for auditors$", expected='^"p1"$', seen="^nothing$"),
    },
    story="Children have the subscriptions that are registered for the topic, and not those that consumers made on the parents.",
    origin="Apache Pulsar 5.0.0-M1",
    parts=MetadataParts(layout_changes=InheritsTheRegistered),
)

NOTHING_INHERITED = Defect(
    name="scalable-nothing-inherited",
    breaks={"PIP460-17": Symptom(what="^waiting for ", expected='^"p1"$', seen="^nothing$")},
    story="Children begin without subscriptions, and who comes begins behind what is there.",
    origin="PIP-468, split, steps 1 and 2, which are left out",
    parts=MetadataParts(layout_changes=InheritsNothing),
)

ONLY_WHO_IS_ATTACHED = Defect(
    name="scalable-only-who-is-attached",
    breaks={"PIP460-17": Symptom(what="^waiting for workers$", expected='^"p1"$', seen="^nothing$")},
    story="Children have the subscriptions that have a consumer at that moment.",
    origin="feared: consumers are asked, and not the topic",
    parts=MetadataParts(layout_changes=InheritsWhoIsAttached),
)

ONLY_ONE_CHILD_HAS_THEM = Defect(
    name="scalable-only-one-child-has-them",
    breaks={"PIP460-17": Symptom(what="^waiting for ", expected='^"p2"$', seen="^nothing$")},
    story="The first child has the subscriptions of the parent, and the second one none.",
    origin="textbook: off by one",
    parts=MetadataParts(layout_changes=GivesTheFirstChildAll),
)

SUBSCRIPTIONS_OF_THE_FIRST = Defect(
    name="scalable-subscriptions-of-the-first",
    breaks={"PIP460-18": Symptom(what="^waiting for auditors$", expected='^"p1"$', seen="^nothing$")},
    story="The child of a merge has the subscriptions of its first parent.",
    origin="feared: the union that is forgotten",
    parts=MetadataParts(layout_changes=InheritsFromTheFirst),
)

SUBSCRIPTIONS_OF_THE_LAST = Defect(
    name="scalable-subscriptions-of-the-last",
    breaks={"PIP460-18": Symptom(what="^waiting for auditors$", expected='^"p1"$', seen="^nothing$")},
    story="The child of a merge has the subscriptions of its last parent.",
    origin="feared: a list that is written over",
    parts=MetadataParts(layout_changes=InheritsFromTheLast),
)

LATE_SUBSCRIPTIONS_OF_THE_FIRST = Defect(
    name="scalable-late-subscriptions-of-the-first",
    breaks={"PIP460-18": Symptom(what="^waiting for auditors$", expected='^"p1"$', seen="^nothing$")},
    story="Of those who subscribe while a merge is made, the child has the ones that came to its first parent.",
    origin="feared: a second look that was made for splits",
    parts=MetadataParts(layout_changes=InheritsLateFromTheFirst),
)

SUBSCRIPTIONS_OF_ALL = Defect(
    name="scalable-subscriptions-of-all",
    breaks={"PIP460-18": Symptom(what="^waiting for auditors$", expected='^"p1"$', seen="^nothing$")},
    story="The child of a merge has the subscriptions that all of its parents have.",
    origin="textbook: an intersection, where the union was meant",
    parts=MetadataParts(layout_changes=InheritsWhatAllHave),
)

OTHER_PARENT_FORGOTTEN = Defect(
    name="scalable-other-parent-forgotten",
    breaks={"PIP460-14": Symptom(what="^answer to layout$", expected="^success$", seen="names the child")},
    story="When one of the segments that were merged is removed, the child forgets the other one as well, and nobody can read the layout.",
    origin="textbook: a list that is emptied where one entry was meant",
    parts=MetadataParts(pruning=_ForgetsTheOtherParent),
)

NUMBERS_THAT_BEGIN_ALIKE = Defect(
    name="scalable-numbers-that-begin-alike",
    breaks={"PIP460-15": Symptom(what="^readers of whole$", expected='^"p1"$', seen="^nothing$")},
    story="With the data of segment 1 goes that of segment 10, whose name begins with its name.",
    origin="textbook: a prefix of names without its end",
    parts=MetadataParts(topics=_ErasesWhatBeginsSo),
)
