"""Defects of names, lists and the deletion of scalable topics."""

from collections.abc import Callable
from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.metadata.store import under
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar.node_segments import NodeSegments
from fencepost.reference.pulsar.transaction_responses import TransactionResponses
from fencepost.reference.scalable import paths
from fencepost.reference.scalable.layout import Layout, Segment
from fencepost.reference.scalable.names import TOPIC_DOMAIN, parse_segment, segment_topic
from fencepost.reference.scalable.news import Newsroom, TopicChanges, TopicsWatch
from fencepost.reference.scalable.node_scalable_topics import ScalableTopics
from fencepost.reference.scalable.segment_pruning import Pruning
from fencepost.reference.scalable.sessions import Sessions

from .ordering import is_loaded


@defect(
    {"PIP460-26": seen("^success", expected="^a refusal$", what="^answer to PRODUCER$")},
    origin="PIP-460, whose names have the number alone",
)
class ScalableHashesInNamesIgnored(ScalableTopics):
    """The number of a segment alone decides which segment a name means, and each range of hashes makes another topic of it."""

    def segment(self, name: str) -> Segment:
        meant = parse_segment(name)
        found = self.layout(meant.topic).segments.get(meant.number)
        return super().segment(name) if found is None else found


@defect(
    {"PIP460-26": seen("^success", expected="^a refusal$", what="^answer to PRODUCER$")},
    origin="feared: topics that are made by their first producer",
)
class ScalableAnyNumberInNames(ScalableTopics):
    """A segment that no layout has is loaded as a topic."""

    def segment(self, name: str) -> Segment:
        meant = parse_segment(name)
        layout = self.layout(meant.topic)
        return layout.segments[meant.number] if meant.number in layout.segments else layout.active[0]


@defect({"PIP460-46": seen("^is not$", expected="^is$", what="^(payments|orders) in the list$")}, origin="feared: a page of an answer")
class ScalableOneTopicListed(ScalableTopics):
    """The list of a namespace has one topic."""

    def names_in(self, namespace: str) -> list[str]:
        return super().names_in(namespace)[:1]


@defect(
    {"PIP460-46": seen("^is not$", expected="^is$", what="^payments in the list$")},
    origin="feared: keys that are searched for under another name",
)
class ScalableNobodyListed(ScalableTopics):
    """The list of a namespace is empty."""

    def names_in(self, namespace: str) -> list[str]:
        super().names_in(namespace)
        return []


@defect(
    {"PIP460-47": seen('^"p1"$|^.*$', expected="^nothing$", what="^readers of left$")},
    origin="feared: a deletion of the segments that clients see",
)
class ScalableSealedOutliveTheirTopic(ScalableTopics):
    """A topic is deleted with its active segments only; its sealed ones are there when a topic of that name is created again."""

    def segments_to_delete(self, topic: str, layout: Layout) -> list[str]:
        super().segments_to_delete(topic, layout)
        return [segment_topic(topic, segment) for segment in layout.active]


@defect(
    {"PIP460-47": seen('^"p1"$', expected="^nothing$", what="^readers of left$")},
    origin="feared: a deletion that is only that of the metadata",
)
class ScalableActiveOutliveTheirTopic(ScalableTopics):
    """A topic is deleted, and its segments are left to a retention that never comes."""

    def segments_to_delete(self, topic: str, layout: Layout) -> list[str]:
        super().segments_to_delete(topic, layout)
        return [segment_topic(topic, segment) for segment in layout.sealed]


@defect(
    {"PIP460-47": seen('^"p1"$', expected="^nothing$", what="^readers of left$")},
    origin="feared: a deletion that asks what is loaded, and not what is stored",
)
class ScalableNotLoadedIsKept(ScalableTopics):
    """Deleting a topic deletes only the segments that a broker has loaded; after a restart the others' data stays, for the next topic
    of that name."""

    def segments_to_delete(self, topic: str, layout: Layout) -> list[str]:
        return [name for name in super().segments_to_delete(topic, layout) if is_loaded(self._segments, name)]


@defect(
    {"PIP460-47": seen('^"p1"$', expected="^nothing$", what="^readers of left$|^waiting for workers$")},
    origin="textbook: a number that is read as no value",
)
class ScalableFirstSegmentOutlivesItsTopic(ScalableTopics):
    """A topic is deleted without its segment 0."""

    def segments_to_delete(self, topic: str, layout: Layout) -> list[str]:
        return [name for name in super().segments_to_delete(topic, layout) if parse_segment(name).number]


@defect(
    {"PIP460-47": seen("^ann has 0$", expected="^each of 0, 1 once$", what="^segments of orders$")},
    origin="textbook: a record is deleted, and the records below it are not",
)
class ScalableConsumersOutliveTheirTopic(ScalableTopics):
    """A topic is deleted with its subscriptions, and their consumers still have segments of the next topic of that name."""

    def delete(self, topic: str) -> None:
        store, prefix = self._layouts._store, paths.subscription(topic, "")
        kept = [record for record in store.scan(*under(prefix)) if "/" in record.key.removeprefix(prefix)]
        super().delete(topic)
        for record in kept:
            store.put(record.key, record.value)


@defect(
    {"PIP460-47": seen("^neither$", what="^notification to ann of the change$")},
    origin="the reference itself: what was known of consumers went with the topic, and they were not notified",
)
class ScalableConsumersOfTheDeletedLeftAlone(Sessions):
    """A consumer of a deleted topic stays connected, and is not notified of the next topic of that name."""

    def forget(self, topic: str) -> None:
        self._led.pop(topic, None)


class _NewOrGone(TopicsWatch):
    def take(self) -> TopicChanges | None:
        reported = super().take()
        return replace(reported, removed=()) if reported is not None and reported.added else reported


@defect(
    {"PIP460-46": seen("^payments and orders$", expected="^payments$", what="^topics of the namespace$")},
    origin="textbook: two kinds of news, of which a message has one",
)
class ScalableNewOrGone(Newsroom):
    """A client that watches a namespace receives the new topics if there are any, and then not those that are gone."""

    def watch_of_topics(self, close: Callable[[], None]) -> TopicsWatch:
        super().watch_of_topics(close)
        return _NewOrGone(close)


@defect(
    {"PIP460-46": seen("^is$|payments", what="^payments in the list$|^topics of the namespace$")},
    origin="textbook: a prefix of keys without its separator",
)
class ScalableNeighboursListed(ScalableTopics):
    """The list of a namespace also has the topics of namespaces whose names begin with its name."""

    def names_in(self, namespace: str) -> list[str]:
        return [name for name in self._layouts.all_topics() if name.startswith(f"{TOPIC_DOMAIN}{namespace}")]


@defect(
    {"PIP460-46": seen("TOPIC_NOT_FOUND", expected="layout of payments", what="^answer$")},
    origin="textbook: a prefix of keys without its separator",
)
class ScalableNeighboursErased(ScalableTopics):
    """The deletion of a topic also deletes the layouts of topics whose names begin with its name."""

    def delete(self, topic: str) -> None:
        super().delete(topic)
        store = self._layouts._store
        for key in store.keys(*under(paths.layout(topic))):
            store.delete(key)


@defect(
    {"PIP460-55": seen("^nothing$", what="^waiting for workers$")},
    origin="feared: a subscription that counts as existing since one segment has it",
)
class ScalableRegisteredOnTheFirst(ScalableTopics):
    """A subscription that is registered is created on the first active segment only, and on what splits and merges make of it."""

    def register(self, topic: str, subscription: str) -> None:
        self._layouts.register(topic, subscription)
        self._segments.create(segment_topic(topic, self.layout(topic).active[0]), [subscription])


@defect(
    {"PIP460-55": seen('^"p1"$', expected="^nothing$", what="^waiting for workers$")},
    origin="feared: all segments of a layout, where its active ones are meant",
)
class ScalableRegisteredOnTheSealed(ScalableTopics):
    """A new subscription is created on sealed segments as well, which are then kept for a subscription that never reads them."""

    def register(self, topic: str, subscription: str) -> None:
        super().register(topic, subscription)
        for segment in self.layout(topic).sealed:
            self._segments.create(segment_topic(topic, segment), [subscription])


@defect(
    {"PIP460-46": Symptom(what="^(epoch|layout|states|segments) of orders")},
    origin="textbook: a record that is put, where it was to be created",
)
class ScalableMadeAnew(ScalableTopics):
    """Creating a topic that exists overwrites its layout with a new one, so its segments can no longer be found."""

    def create(self, topic: str, segments: int) -> None:
        if (there := self._layouts.find(topic)) is None:
            super().create(topic, segments)
            return
        self._layouts.write(topic, self.new_layout(segments), there.version)
        self._changed(topic)


class _NewForAll(TopicsWatch):
    def take(self) -> TopicChanges | None:
        reported = super().take()
        return None if reported is None else TopicChanges(reported.added, is_first=True)


@defect(
    {"PIP460-46": seen("^neither$", expected="^orders$", what="^topics of the namespace$")}, origin="feared: one message with two meanings"
)
class ScalableNewToldAsAll(Newsroom):
    """A change in a namespace is sent as if it were the whole list, so a client believes that the other topics are gone."""

    def watch_of_topics(self, close: Callable[[], None]) -> TopicsWatch:
        super().watch_of_topics(close)
        return _NewForAll(close)


@defect(
    {"PIP460-46": seen("controller", expected="^that it is made$", what="^a split of left that is asked for again$")},
    origin="PIP-468, controller: every broker but the leader throws",
    of=MetadataParts,
)
class ScalableControllerAloneIsAsked(TransactionResponses):
    """A broker refuses an administrator's request that the controller has to carry out, and an administrator cannot know beforehand
    which broker that is."""

    def has_the_controller_do_it(self) -> bool:
        super().has_the_controller_do_it()
        return False


@defect(
    {"PIP460-46": seen("^success$", expected="^a refusal$", what="^answer to creation$")},
    origin="feared: a request that is treated as its own repetition",
)
class ScalableMadeAgainInSilence(ScalableTopics):
    """Creating a topic that exists is answered with success, although it has another number of segments than requested."""

    def create(self, topic: str, segments: int) -> None:
        if self._layouts.find(topic) is None:
            super().create(topic, segments)


@defect(
    {"PIP460-47": seen("^epoch [1-9]", expected="of epoch 0$", what="^segments of orders$")},
    origin="feared: metadata next to the topic's own, which its deletion leaves",
)
class ScalableChangeOutlivesItsTopic(ScalableTopics):
    """The note of an unfinished split outlives its topic, and the controller completes the split on the next topic of that name."""

    def create(self, topic: str, segments: int) -> None:
        self._layouts.write(topic, self.new_layout(segments))

    def delete(self, topic: str) -> None:
        noted = self._layouts.note(topic)
        super().delete(topic)
        if noted is not None:
            self._layouts.put_note(topic, noted[0])


@defect(
    {"PIP460-47": seen('^"p1"$', expected="^nothing$", what="^readers of left$")},
    origin="feared: a segment that is first taken out of the layout has no name by which its data can be deleted",
)
class ScalablePrunedOutliveTheirTopic(Pruning):
    """A sealed segment is taken out of the layout and its data stays, which no deletion finds; the next topic of that name has it."""

    def prune(self, topic: str) -> bool:
        if (stored := self._layouts.find(topic)) is None or not (gone := self._over(topic, stored.layout)):
            return False
        self._layouts.write(topic, self.without(stored.layout, gone), stored.version)
        return True


@defect(
    {"PIP460-47": seen("^nothing$", expected="^that it is closed$", what="^notification to the (consumer|producer) of (workers|left)$")},
    origin="feared: a deletion of what is stored, by code that does not know the connections",
)
class ScalableDeletedSilently(ScalableTopics):
    """A topic is deleted, and the producers and consumers of its segments wait for ever."""

    def delete(self, topic: str) -> None:
        self._must_lead(topic)
        segments = self._segments
        assert isinstance(segments, NodeSegments), "those of a broker"
        for name in self.segments_to_delete(topic, self.layout(topic)):
            if segments._found(name):
                segments._topics_of(name).delete(name)
        self._layouts.erase(topic)
        self._changed(topic)


@defect(
    {"PIP460-47": seen("^neither$", what="bob of the change$")},
    origin="red team: a loop over consumers that ends with the first",
)
class ScalableOneOfTheDeletedSentAway(Sessions):
    """When a topic is deleted, the first consumer of each subscription is disconnected, and the others are not notified of anything."""

    def forget(self, topic: str) -> None:
        for subscription, members in self._led.get(topic, {}).items():
            self._led[topic][subscription] = dict(list(members.items())[:1])
        super().forget(topic)


@defect(
    {"PIP460-47": seen("^neither$", what="ann of the change$")},
    origin="red team: one place for the subscription of a topic, which the next one takes",
)
class ScalableOneSubscriptionOfTheDeletedSentAway(Sessions):
    """When a topic is deleted, the consumers of its last subscription are disconnected, and those of the others are not notified of
    anything."""

    def forget(self, topic: str) -> None:
        self._led[topic] = dict(list(self._led.get(topic, {}).items())[-1:])
        super().forget(topic)


@defect(
    {"PIP460-47": seen('^"p1"$', expected="^nothing$", what="^readers of right$")},
    origin="red team: a loop over segments that ends with the first",
)
class ScalableSecondOfThePrunedKept(Pruning):
    """If retention removes several sealed segments at once, only the data of the first is deleted; the next topic of that name has the
    rest."""

    def prune(self, topic: str) -> bool:
        if (stored := self._layouts.find(topic)) is None or not (gone := self._over(topic, stored.layout)):
            return False
        self._segments.delete(segment_topic(topic, gone[0]))
        self._layouts.write(topic, self.without(stored.layout, gone), stored.version)
        return True


@defect(
    {"PIP460-47": seen('^"p1"$', expected="^nothing$", what="^readers of right$")},
    origin="red team: a loop over segments that ends with the first",
)
class ScalableLastSegmentOutlivesItsTopic(ScalableTopics):
    """A topic is deleted without the last of its segments."""

    def segments_to_delete(self, topic: str, layout: Layout) -> list[str]:
        *others, last = super().segments_to_delete(topic, layout)
        return others or [last]


@defect(
    {"PIP460-47": seen('^"p1"$', expected="^nothing$", what="^waiting for auditors$")},
    origin="textbook: a range of keys of which the last one is deleted",
)
class ScalableOneRegistrationErased(ScalableTopics):
    """The last of the registered subscriptions is deleted with its topic, and the others are there again when the topic is recreated."""

    def delete(self, topic: str) -> None:
        others = sorted(self._layouts.registered(topic))[:-1]
        super().delete(topic)
        for subscription in others:
            self._layouts.register(topic, subscription)


class _FirstOfAll(TopicsWatch):
    def take(self) -> TopicChanges | None:
        reported = super().take()
        return replace(reported, added=reported.added[:1]) if reported is not None and reported.is_first else reported


@defect(
    {"PIP460-46": seen("^neither$", expected="^(orders|payments)$", what="^topics of the namespace$")},
    origin="textbook: a list that is sent one entry at a time, and ends with the first",
)
class ScalableFirstTopicOfANamespace(Newsroom):
    """A client that begins to watch a namespace receives one of its topics, and of the others only what changes later."""

    def watch_of_topics(self, close: Callable[[], None]) -> TopicsWatch:
        super().watch_of_topics(close)
        return _FirstOfAll(close)
