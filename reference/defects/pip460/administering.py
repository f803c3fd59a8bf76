"""Defects of names, lists and the deletion of scalable topics."""

from collections.abc import Callable
from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata.store import under
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar.answers import Answers
from fencepost.reference.pulsar.node_segments import NodeSegments
from fencepost.reference.scalable import paths
from fencepost.reference.scalable.layout import Layout, Segment
from fencepost.reference.scalable.names import TOPIC_DOMAIN, parse_segment, segment_topic
from fencepost.reference.scalable.news import Newsroom, Topics, TopicsWatch
from fencepost.reference.scalable.pruning import Pruning
from fencepost.reference.scalable.sessions import Sessions
from fencepost.reference.scalable.topics import ScalableTopics

from .ordering import is_loaded


class _LooksAtTheNumber(ScalableTopics):
    def segment(self, name: str) -> Segment:
        meant = parse_segment(name)
        found = self.layout(meant.topic).segments.get(meant.number)
        return super().segment(name) if found is None else found


class _TakesAnyNumber(ScalableTopics):
    def segment(self, name: str) -> Segment:
        meant = parse_segment(name)
        layout = self.layout(meant.topic)
        return layout.segments[meant.number] if meant.number in layout.segments else layout.active[0]


class _ListsTheFirst(ScalableTopics):
    def names_in(self, namespace: str) -> list[str]:
        return super().names_in(namespace)[:1]


class _ListsNobody(ScalableTopics):
    def names_in(self, namespace: str) -> list[str]:
        super().names_in(namespace)
        return []


class _KeepsTheSealed(ScalableTopics):
    def segments_to_delete(self, topic: str, layout: Layout) -> list[str]:
        super().segments_to_delete(topic, layout)
        return [segment_topic(topic, segment) for segment in layout.active]


class _KeepsTheActive(ScalableTopics):
    def segments_to_delete(self, topic: str, layout: Layout) -> list[str]:
        super().segments_to_delete(topic, layout)
        return [segment_topic(topic, segment) for segment in layout.sealed]


class _KeepsWhatIsNotLoaded(ScalableTopics):
    def segments_to_delete(self, topic: str, layout: Layout) -> list[str]:
        return [name for name in super().segments_to_delete(topic, layout) if is_loaded(self._segments, name)]


class _KeepsTheFirst(ScalableTopics):
    def segments_to_delete(self, topic: str, layout: Layout) -> list[str]:
        return [name for name in super().segments_to_delete(topic, layout) if parse_segment(name).number]


class _KeepsConsumers(ScalableTopics):
    def delete(self, topic: str) -> None:
        store, prefix = self._layouts._store, paths.subscription(topic, "")
        kept = [record for record in store.scan(*under(prefix)) if "/" in record.key.removeprefix(prefix)]
        super().delete(topic)
        for record in kept:
            store.put(record.key, record.value)


class _ForgetsWhoIsThere(Sessions):
    def forget(self, topic: str) -> None:
        self._led.pop(topic, None)


class _NewOrGone(TopicsWatch):
    def take(self) -> Topics | None:
        told = super().take()
        return replace(told, removed=()) if told is not None and told.added else told


class _TellsWhatIsNewOrGone(Newsroom):
    def watch_of_topics(self, close: Callable[[], None]) -> TopicsWatch:
        super().watch_of_topics(close)
        return _NewOrGone(close)


class _ListsWhatBeginsSo(ScalableTopics):
    def names_in(self, namespace: str) -> list[str]:
        return [name for name in self._layouts.all_topics() if name.startswith(f"{TOPIC_DOMAIN}{namespace}")]


class _ErasesWhatBeginsSo(ScalableTopics):
    def delete(self, topic: str) -> None:
        super().delete(topic)
        store = self._layouts._store
        for key in store.keys(*under(paths.layout(topic))):
            store.delete(key)


class _RegistersOnTheFirst(ScalableTopics):
    def register(self, topic: str, subscription: str) -> None:
        self._layouts.register(topic, subscription)
        self._segments.create(segment_topic(topic, self.layout(topic).active[0]), [subscription])


class _RegistersOnTheSealed(ScalableTopics):
    def register(self, topic: str, subscription: str) -> None:
        super().register(topic, subscription)
        for segment in self.layout(topic).sealed:
            self._segments.create(segment_topic(topic, segment), [subscription])


class _MakesItAnew(ScalableTopics):
    def create(self, topic: str, segments: int) -> None:
        if (there := self._layouts.find(topic)) is None:
            super().create(topic, segments)
            return
        self._layouts.write(topic, self.new_layout(segments), there.version)
        self._changed(topic)


class _NewForAll(TopicsWatch):
    def take(self) -> Topics | None:
        told = super().take()
        return None if told is None else Topics(told.added, is_first=True)


class _TellsWhatIsNewAsAll(Newsroom):
    def watch_of_topics(self, close: Callable[[], None]) -> TopicsWatch:
        super().watch_of_topics(close)
        return _NewForAll(close)


class _DoesItAlone(Answers):
    def has_the_controller_do_it(self) -> bool:
        super().has_the_controller_do_it()
        return False


class _SaysThatItMadeOne(ScalableTopics):
    def create(self, topic: str, segments: int) -> None:
        if self._layouts.find(topic) is None:
            super().create(topic, segments)


class _KeepsWhatWasBegun(ScalableTopics):
    def create(self, topic: str, segments: int) -> None:
        self._layouts.write(topic, self.new_layout(segments))

    def delete(self, topic: str) -> None:
        noted = self._layouts.note(topic)
        super().delete(topic)
        if noted is not None:
            self._layouts.put_note(topic, noted[0])


class _ForgetsFirst(Pruning):
    def prune(self, topic: str) -> bool:
        if (stored := self._layouts.find(topic)) is None or not (gone := self._over(topic, stored.layout)):
            return False
        self._layouts.write(topic, self.without(stored.layout, gone), stored.version)
        return True


class _DeletesSilently(ScalableTopics):
    def delete(self, topic: str) -> None:
        self._must_lead(topic)
        segments = self._segments
        assert isinstance(segments, NodeSegments), "those of a broker"
        for name in self.segments_to_delete(topic, self.layout(topic)):
            if segments._found(name):
                segments._topics_of(name).delete(name)
        self._layouts.erase(topic)
        self._changed(topic)


HASHES_IN_NAMES_IGNORED = Defect(
    name="scalable-hashes-in-names-ignored",
    breaks={"PIP460-26": Symptom(what="^answer to PRODUCER$", expected="^a refusal$", seen="^success")},
    story="The number of a segment decides which one is meant, and each range of hashes makes another topic of it.",
    origin="PIP-460, whose names have the number alone",
    parts=MetadataParts(scalable_topics=_LooksAtTheNumber),
)

ANY_NUMBER_IN_NAMES = Defect(
    name="scalable-any-number-in-names",
    breaks={"PIP460-26": Symptom(what="^answer to PRODUCER$", expected="^a refusal$", seen="^success")},
    story="A segment that no layout has comes up as a topic.",
    origin="feared: topics that are made by their first producer",
    parts=MetadataParts(scalable_topics=_TakesAnyNumber),
)

ONE_TOPIC_LISTED = Defect(
    name="scalable-one-topic-listed",
    breaks={"PIP460-46": Symptom(what="^(payments|orders) in the list$", expected="^is$", seen="^is not$")},
    story="The list of a namespace has one topic.",
    origin="feared: a page of an answer",
    parts=MetadataParts(scalable_topics=_ListsTheFirst),
)

NOBODY_LISTED = Defect(
    name="scalable-nobody-listed",
    breaks={"PIP460-46": Symptom(what="^payments in the list$", expected="^is$", seen="^is not$")},
    story="The list of a namespace is empty.",
    origin="feared: keys that are looked for under another name",
    parts=MetadataParts(scalable_topics=_ListsNobody),
)

NEIGHBOURS_LISTED = Defect(
    name="scalable-neighbours-listed",
    breaks={"PIP460-46": Symptom(what="^payments in the list$|^topics of the namespace$", seen="^is$|payments")},
    story="The list of a namespace has the topics of all whose names begin with its name.",
    origin="textbook: a prefix of keys without its separator",
    parts=MetadataParts(scalable_topics=_ListsWhatBeginsSo),
)

SEALED_OUTLIVE_THEIR_TOPIC = Defect(
    name="scalable-sealed-outlive-their-topic",
    breaks={"PIP460-47": Symptom(what="^readers of left$", expected="^nothing$", seen='^"p1"$|^.*$')},
    story="A topic is deleted with its active segments; what it had sealed is there when a topic of that name is made again.",
    origin="feared: who deletes looks at the segments that clients see",
    parts=MetadataParts(scalable_topics=_KeepsTheSealed),
)

ACTIVE_OUTLIVE_THEIR_TOPIC = Defect(
    name="scalable-active-outlive-their-topic",
    breaks={"PIP460-47": Symptom(what="^readers of left$", expected="^nothing$", seen='^"p1"$')},
    story="A topic is deleted, and its segments are left to a retention that never comes.",
    origin="feared: a deletion that is only that of the metadata",
    parts=MetadataParts(scalable_topics=_KeepsTheActive),
)

FIRST_SEGMENT_OUTLIVES_ITS_TOPIC = Defect(
    name="scalable-first-segment-outlives-its-topic",
    breaks={"PIP460-47": Symptom(what="^readers of left$|^waiting for workers$", expected="^nothing$", seen='^"p1"$')},
    story="A topic is deleted without its segment 0.",
    origin="textbook: a number that is taken for nothing",
    parts=MetadataParts(scalable_topics=_KeepsTheFirst),
)

CONSUMERS_OUTLIVE_THEIR_TOPIC = Defect(
    name="scalable-consumers-outlive-their-topic",
    breaks={"PIP460-47": Symptom(what="^segments of orders$", expected="^each of 0, 1 once$", seen="^ann has 0$")},
    story="A topic is deleted with its subscriptions, and who had joined them has segments of the next topic of that name.",
    origin="textbook: a record is deleted, and what stands below it is not",
    parts=MetadataParts(scalable_topics=_KeepsConsumers),
)

NEIGHBOURS_ERASED = Defect(
    name="scalable-neighbours-erased",
    breaks={"PIP460-46": Symptom(what="^answer$", expected="layout of payments", seen="TOPIC_NOT_FOUND")},
    story="With a topic go the layouts of all whose names begin with its name.",
    origin="textbook: a prefix of keys without its separator",
    parts=MetadataParts(scalable_topics=_ErasesWhatBeginsSo),
)

NOT_LOADED_IS_KEPT = Defect(
    name="scalable-not-loaded-is-kept",
    breaks={"PIP460-47": Symptom(what="^readers of left$", expected="^nothing$", seen='^"p1"$')},
    story="With a topic go the segments that a broker has in memory; behind a restart their data stays, for the next topic of that name.",
    origin="feared: a deletion that asks what is loaded, and not what is stored",
    parts=MetadataParts(scalable_topics=_KeepsWhatIsNotLoaded),
)

CONSUMERS_OF_THE_DELETED_LEFT_ALONE = Defect(
    name="scalable-consumers-of-the-deleted-left-alone",
    breaks={"PIP460-47": Symptom(what="^told to ann of the change$", seen="^neither$")},
    story="A consumer whose topic was deleted stays connected, and is told nothing of the next topic of that name.",
    origin="the reference itself: what was known of consumers went with the topic, and nobody told them",
    parts=MetadataParts(sessions=_ForgetsWhoIsThere),
)

NEW_OR_GONE = Defect(
    name="scalable-new-or-gone",
    breaks={"PIP460-46": Symptom(what="^topics of the namespace$", expected="^payments$", seen="^payments and orders$")},
    story="Who watches a namespace is told what is new where anything is, and then never what is gone.",
    origin="textbook: two kinds of news, of which a message has one",
    parts=MetadataParts(newsroom=_TellsWhatIsNewOrGone),
)

REGISTERED_ON_THE_FIRST = Defect(
    name="scalable-registered-on-the-first",
    breaks={"PIP460-55": Symptom(what="^waiting for workers$", seen="^nothing$")},
    story="A subscription that is registered is made on the first active segment, and on what comes of splits and merges.",
    origin="feared: a subscription that is taken for there since one segment has it",
    parts=MetadataParts(scalable_topics=_RegistersOnTheFirst),
)

PRUNED_OUTLIVE_THEIR_TOPIC = Defect(
    name="scalable-pruned-outlive-their-topic",
    breaks={"PIP460-47": Symptom(what="^readers of left$", expected="^nothing$", seen='^"p1"$')},
    story="A sealed segment is taken out of the layout and its data stays, which no deletion finds; the next topic of that name has it.",
    origin="feared: who takes a segment out of the layout first loses its name, and with it what is to be deleted",
    parts=MetadataParts(pruning=_ForgetsFirst),
)

DELETED_SILENTLY = Defect(
    name="scalable-deleted-silently",
    breaks={
        "PIP460-47": Symptom(what="^told to the (consumer|producer) of (workers|left)$", expected="^that it is closed$", seen="^nothing$")
    },
    story="A topic is deleted, and the producers and consumers of its segments wait for ever.",
    origin="feared: a deletion of what is stored, by who does not know the connections",
    parts=MetadataParts(scalable_topics=_DeletesSilently),
)

MADE_ANEW = Defect(
    name="scalable-made-anew",
    breaks={"PIP460-46": Symptom(what="^(epoch|layout|states|segments) of orders")},
    story="Who makes a topic that is there writes a new layout over the one that it has, and nobody finds its segments any more.",
    origin="textbook: a record that is put, where it was to be created",
    parts=MetadataParts(scalable_topics=_MakesItAnew),
)

REGISTERED_ON_THE_SEALED = Defect(
    name="scalable-registered-on-the-sealed",
    breaks={"PIP460-55": Symptom(what="^waiting for workers$", expected="^nothing$", seen='^"p1"$')},
    story="Who registers a subscription makes it on sealed segments as well, which stay for one that never asked for them.",
    origin="feared: all segments of a layout, where its active ones are meant",
    parts=MetadataParts(scalable_topics=_RegistersOnTheSealed),
)

CHANGE_OUTLIVES_ITS_TOPIC = Defect(
    name="scalable-change-outlives-its-topic",
    breaks={"PIP460-47": Symptom(what="^segments of orders$", expected="of epoch 0$", seen="^epoch [1-9]")},
    story="What is noted of a split that nobody has completed stays when the topic goes, and is made of the next topic of that name.",
    origin="feared: metadata beside the topic's own, which its deletion does not know",
    parts=MetadataParts(scalable_topics=_KeepsWhatWasBegun),
)

MADE_AGAIN_IN_SILENCE = Defect(
    name="scalable-made-again-in-silence",
    breaks={"PIP460-46": Symptom(what="^answer to creation$", expected="^a refusal$", seen="^success$")},
    story="Who makes a topic that is there is told that it was made, with as many segments as were asked for; it has others.",
    origin="feared: a request that is taken for its own repetition",
    parts=MetadataParts(scalable_topics=_SaysThatItMadeOne),
)

CONTROLLER_ALONE_IS_ASKED = Defect(
    name="scalable-controller-alone-is-asked",
    breaks={"PIP460-46": Symptom(what="^a split of left that is asked for again$", expected="^that it is made$", seen="controller")},
    story="A broker refuses an administrator what another one would have to do, and who that is an administrator is not told before.",
    origin="PIP-468, controller: whoever is not the leader throws",
    parts=MetadataParts(answers=_DoesItAlone),
)

NEW_TOLD_AS_ALL = Defect(
    name="scalable-new-told-as-all",
    breaks={"PIP460-46": Symptom(what="^topics of the namespace$", expected="^orders$", seen="^neither$")},
    story="What has changed in a namespace is told as if it were all that there is: a client believes that the other topics are gone.",
    origin="feared: one message with two meanings",
    parts=MetadataParts(newsroom=_TellsWhatIsNewAsAll),
)
