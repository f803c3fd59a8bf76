"""Defects of watches of layouts."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError
from fencepost.reference.pulsar.transaction_responses import TransactionResponses
from fencepost.reference.scalable import paths
from fencepost.reference.scalable.layout import Layout, Segment
from fencepost.reference.scalable.news import MOST_WAITING, LayoutWatch, Newsroom, Said
from fencepost.reference.scalable.segment_pruning import Pruning

_NOT_AS_IT_IS = Symptom(what="^layout that A receives$", seen="^epoch")
_NO_LAYOUT = Symptom(what="^message of the system$", seen="is no layout")


@defect({"PIP460-27": _NO_LAYOUT}, origin="feared: a reader from the beginning never learns of sealed segments")
class ScalableSealedAreNotTold(Newsroom):
    """The first layout of a watch has the active segments only, and their parents are missing."""

    def first_reported(self, topic: str) -> Layout:
        layout = super().first_reported(topic)
        return replace(layout, segments={number: one for number, one in layout.segments.items() if one.is_active})


@defect({"PIP460-27": _NO_LAYOUT}, origin="feared: a page of an answer")
class ScalableHalfALayout(Newsroom):
    """The first layout of a watch leaves out some of the active segments."""

    def first_reported(self, topic: str) -> Layout:
        layout = super().first_reported(topic)
        there = {one.number for one in layout.active[: (len(layout.active) + 1) // 2]} | {one.number for one in layout.sealed}
        return replace(layout, segments={number: one for number, one in layout.segments.items() if number in there})


@defect({"PIP460-28": _NOT_AS_IT_IS}, origin="feared: an answer, where a session was meant")
class ScalableNoNews(Newsroom):
    """A watch receives the first layout, and no later one."""

    def look(self, topic: str, watch: LayoutWatch[Said]) -> None:
        """A client that wants a layout has to ask again."""


@defect({"PIP460-28": seen("^epoch", what="^layout that . receives$")}, origin="feared: one session for a topic")
class ScalableNewsForTheFirst(Newsroom):
    """Only one of the clients that watch a topic is notified of changes."""

    @cached_property
    def first(self) -> list[object]:
        """The first watch that was sent anything."""
        return []

    def look(self, topic: str, watch: LayoutWatch[Said]) -> None:
        self.first.append(watch)
        if watch is self.first[0]:
            super().look(topic, watch)


@defect({"PIP460-28": _NOT_AS_IT_IS}, origin="feared: two places that notify, of which one is forgotten")
class ScalableNewsOfSplits(Newsroom):
    """A client that watches a layout is notified of splits, and not of merges."""

    def look(self, topic: str, watch: LayoutWatch[Said]) -> None:
        newest = max(self._layout_of(topic).segments.values(), key=lambda one: one.number)
        if len(newest.parents) < 2:
            super().look(topic, watch)


@defect({"PIP460-28": seen("^epoch 1", what="^layout that . receives$")}, origin="ZooKeeper's watches, which fire once")
class ScalableNewsOnce(Newsroom):
    """A client that watches a layout is notified of one change only, because the broker's watch on the store fires once."""

    def is_news(self, reported: int, epoch: int) -> bool:
        return super().is_news(reported, epoch) and reported < 1


@defect({"PIP460-28": _NOT_AS_IT_IS}, origin="red team: a guard against outdated layouts that drops what comes after a gap")
class ScalableNewsOfTheNextEpochOnly(Newsroom):
    """A watch that has missed a layout is notified of no later one: only the next epoch follows the one that it knows."""

    def is_news(self, reported: int, epoch: int) -> bool:
        return super().is_news(reported, epoch) and epoch == reported + 1


@defect({"PIP460-28": _NOT_AS_IT_IS}, origin="feared: a close that is searched for by the connection, and not by the watch")
class ScalableOneCloseEndsAll(Newsroom):
    """When a client closes one watch, the other watches of the topic are not notified of anything more."""

    @cached_property
    def begun(self) -> list[object]:
        """What waits to be sent on each watch."""
        return []

    @cached_property
    def ended(self) -> list[object]:
        """The same of those that have ended."""
        return []

    def waiting(self) -> deque[Said]:
        one: deque[Said] = super().waiting()
        self.begun.append(one)
        return one

    def end(self, stop: Callable[[], None]) -> None:
        super().end(stop)
        self.ended.extend(self.begun)

    def look(self, topic: str, watch: LayoutWatch[Said]) -> None:
        if not any(watch._waiting is one for one in self.ended):
            super().look(topic, watch)


@defect(
    {"PIP460-28": _NOT_AS_IT_IS}, origin="red team: the watches of a deleted topic are searched for by the broker, and not by the topic"
)
class ScalableADeletionEndsAll(ScalableOneCloseEndsAll):
    """When a topic is deleted, the watches of other topics are not notified of anything more."""

    def end(self, stop: Callable[[], None]) -> None:
        Newsroom.end(self, stop)

    def notify_of_deletion(self, watch: LayoutWatch[Said], refused: CommandRefused) -> None:
        super().notify_of_deletion(watch, refused)
        self.ended.extend(self.begun)


@defect({"PIP460-29": seen("^0, 0", what="^epochs that A receives$")}, origin="Apache Pulsar 5.0.0-M1")
class ScalableFirstToldTwice(Newsroom):
    """A watch receives its first layout twice."""

    def times_first(self) -> int:
        return super().times_first() + 1


@defect(
    {"PIP460-29": seen("^0, 0", what="^epochs that A receives$")}, origin="PIP-468, W 11: the epoch is as great as the last one, or greater"
)
class ScalableToldAtEveryLook(Newsroom):
    """A watch receives the layout whenever the broker reads it, also without a change."""

    def is_news(self, reported: int, epoch: int) -> bool:
        super().is_news(reported, epoch)
        return True


@defect(
    {"PIP460-30": seen("ServiceNotReady", what="^(answer|layout that A receives)$")},
    origin="PIP-468, controller: calls to other brokers fail, as the text says of changes",
)
class ScalableAskTheController(Newsroom):
    """Only the broker with the controller of a topic sends its layout; the others answer that they are not ready."""

    def first_reported(self, topic: str) -> Layout:
        if not self._has_controller(topic):
            raise CommandRefused(ServerError.SERVICE_NOT_READY, f"the controller of {topic} is elsewhere")
        return super().first_reported(topic)

    def _has_controller(self, topic: str) -> bool:
        record = self._store.get(paths.controller(topic))
        return record is None or int(record.value) == self._machine.node


@defect(
    {"PIP460-30": seen("^epoch", what="^layout that [AB] receives$")},
    origin="feared: news that is sent by the controller to its own clients",
)
class ScalableNewsAtTheController(ScalableAskTheController):
    """A client that watches at another broker than the controller's receives the first layout, and no later one."""

    def first_reported(self, topic: str) -> Layout:
        return self._layout_of(topic)

    def look(self, topic: str, watch: LayoutWatch[Said]) -> None:
        if self._has_controller(topic):
            super().look(topic, watch)


@defect(
    {"PIP460-32": seen("^epoch 1", expected="^nothing$", what="^notification to A after the close$")},
    origin="feared: a session that is kept by its topic",
    of=MetadataParts,
)
class ScalableCloseIsNotHeard(TransactionResponses):
    """A watch that its client has closed is still notified of changes."""

    def hears_that_a_watch_is_closed(self) -> bool:
        super().hears_that_a_watch_is_closed()
        return False


@defect({"PIP460-33": _NOT_AS_IT_IS}, origin="textbook: a cache that is never cleared")
class ScalableFirstLayoutRemembered(Newsroom):
    """A broker answers every watch with the layout that it read for the first one."""

    @cached_property
    def first(self) -> dict[str, Layout]:
        """The first layout that was sent of each topic."""
        return {}

    def first_reported(self, topic: str) -> Layout:
        return self.first.setdefault(topic, super().first_reported(topic))


@defect({"PIP460-33": _NOT_AS_IT_IS}, origin="feared: a cache whose watch ended with its client")
class ScalableLayoutOfTheLastWatch(Newsroom):
    """A broker updates a layout only while a client watches it, and sends the old one to clients that watch later."""

    @cached_property
    def watched(self) -> dict[str, Layout]:
        """The newest layout that was sent to any watch."""
        return {}

    def first_reported(self, topic: str) -> Layout:
        return self.watched.setdefault(topic, super().first_reported(topic))

    def look(self, topic: str, watch: LayoutWatch[Said]) -> None:
        self.watched[topic] = self._layout_of(topic)
        super().look(topic, watch)


@defect(
    {"PIP460-30": seen(" at pulsar:", expected="^a broker for each segment$", what="^brokers of orders$")},
    origin="feared: a cache of what changes without the layout",
    of=MetadataParts,
)
class ScalableBrokersRemembered(TransactionResponses):
    """A broker looks up the brokers of the segments once for each epoch, and keeps naming a broker that has ended."""

    @cached_property
    def known(self) -> dict[tuple[str, int], dict[int, str]]:
        """The layout that was sent of a topic at an epoch."""
        return {}

    def brokers_reported(self, topic: str, layout: Layout, find: Callable[[Segment], str]) -> dict[int, str]:
        return self.known.setdefault((topic, layout.epoch), super().brokers_reported(topic, layout, find))


@defect(
    {"PIP460-27": seen("^no or another broker for ", expected="^a broker for each$", what="^brokers that A receives$")},
    origin="feared: a lookup for the topic, and not for its segments",
    of=MetadataParts,
)
class ScalableAllAtTheFirstBroker(TransactionResponses):
    """The layout names one broker for all segments, though other brokers have some of them."""

    def brokers_reported(self, topic: str, layout: Layout, find: Callable[[Segment], str]) -> dict[int, str]:
        reported = super().brokers_reported(topic, layout, find)
        return dict.fromkeys(reported, min(reported.values()))


@defect(
    {"PIP460-27": seen("^no or another broker for ", expected="^a broker for each$", what="^brokers that A receives$")},
    origin="feared: addresses that are found when a topic is made",
    of=MetadataParts,
)
class ScalableChildrenWithoutBrokers(TransactionResponses):
    """The layout names no broker for segments that were made by a split or a merge."""

    def brokers_reported(self, topic: str, layout: Layout, find: Callable[[Segment], str]) -> dict[int, str]:
        return {number: url for number, url in super().brokers_reported(topic, layout, find).items() if not layout.segments[number].parents}


class _TheOldest(deque[Said]):
    def append(self, said: Said) -> None:
        if len(self) < MOST_WAITING:
            super().append(said)


@defect(
    {"PIP460-28": seen("^epoch 1[0-9]", expected="^epoch 21", what="^layout that A receives$")},
    origin="textbook: a full queue refuses new entries",
)
class ScalableOldestNewsKept(Newsroom):
    """Where too many layouts wait for a client that does not read, the newest ones are dropped."""

    def waiting(self) -> deque[Said]:
        super().waiting()
        return _TheOldest()


@defect(
    {"PIP460-28": _NOT_AS_IT_IS, "PIP460-46": seen("^neither$", expected="^payments$", what="^topics of the namespace$")},
    origin="feared: a watch on the store that was away for a moment",
)
class ScalableOnlyWhatTheStoreTells(Newsroom):
    """A broker relies on notifications of the metadata store alone, so its clients never learn of a change whose notification was lost."""

    def look_now_and_then(self, look: Callable[[], None]) -> Callable[[], None]:
        super().look_now_and_then(look)()
        return lambda: None


@defect(
    {"PIP460-28": seen("^epoch 0", expected="^TopicNotFound, or epoch 0", what="^notification to A of orders$")},
    origin="the reference itself: epochs that are compared, whosever they are",
)
class ScalableDeletionNotTold(Newsroom):
    """A watch of a deleted topic stays with the next topic of that name, and ignores its layouts as old ones."""

    def notify_of_deletion(self, watch: LayoutWatch[Said], refused: CommandRefused) -> None:
        """Watches are not notified of a deletion."""


@defect(
    {"PIP460-28": seen("^epoch 1", expected="^epoch 1", what="^layout that A receives$")},
    origin="PIP-460, DAG watch, which speaks of splits and merges",
)
class ScalablePrunedAtTheSameEpoch(Pruning):
    """Removing a sealed segment leaves the epoch as it is, so no watching client is notified."""

    def without(self, layout: Layout, gone: Sequence[Segment]) -> Layout:
        return replace(super().without(layout, gone), epoch=layout.epoch)
