"""Defects of watches of layouts."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar.answers import Answers
from fencepost.reference.pulsar.errors import Error, Refused
from fencepost.reference.scalable import paths
from fencepost.reference.scalable.layout import Layout, Segment
from fencepost.reference.scalable.news import MOST_WAITING, LayoutWatch, Newsroom, Said
from fencepost.reference.scalable.pruning import Pruning

_NOT_AS_IT_IS = Symptom(what="^layout that A is told$", seen="^epoch")
_NO_LAYOUT = Symptom(what="^message of the system$", seen="is no layout")


@defect({"PIP460-27": _NO_LAYOUT}, origin="feared: who reads from the beginning never hears of what is sealed")
class ScalableSealedAreNotTold(Newsroom):
    """The first layout of a watch has the active segments only, whose parents nobody knows."""

    def first_told(self, topic: str) -> Layout:
        layout = super().first_told(topic)
        return replace(layout, segments={number: one for number, one in layout.segments.items() if one.is_active})


@defect({"PIP460-27": _NO_LAYOUT}, origin="feared: a page of an answer")
class ScalableHalfALayout(Newsroom):
    """The first layout of a watch leaves out some of the active segments."""

    def first_told(self, topic: str) -> Layout:
        layout = super().first_told(topic)
        there = {one.number for one in layout.active[: (len(layout.active) + 1) // 2]} | {one.number for one in layout.sealed}
        return replace(layout, segments={number: one for number, one in layout.segments.items() if number in there})


@defect({"PIP460-28": _NOT_AS_IT_IS}, origin="feared: an answer, where a session was meant")
class ScalableNoNews(Newsroom):
    """A watch is told the first layout, and nothing more."""

    def look(self, topic: str, watch: LayoutWatch[Said]) -> None:
        """Who wants to know asks again."""


@defect({"PIP460-28": seen("^epoch", what="^layout that . is told$")}, origin="feared: one session for a topic")
class ScalableNewsForTheFirst(Newsroom):
    """One of the clients that watch a topic is told of changes."""

    @cached_property
    def first(self) -> list[object]:
        """The first watch that was told anything."""
        return []

    def look(self, topic: str, watch: LayoutWatch[Said]) -> None:
        self.first.append(watch)
        if watch is self.first[0]:
            super().look(topic, watch)


@defect({"PIP460-28": _NOT_AS_IT_IS}, origin="feared: two places that tell, of which one is forgotten")
class ScalableNewsOfSplits(Newsroom):
    """Who watches is told of splits, and not of merges."""

    def look(self, topic: str, watch: LayoutWatch[Said]) -> None:
        newest = max(self._layout_of(topic).segments.values(), key=lambda one: one.number)
        if len(newest.parents) < 2:
            super().look(topic, watch)


@defect({"PIP460-28": seen("^epoch 1", what="^layout that . is told$")}, origin="ZooKeeper's watches, which fire once")
class ScalableNewsOnce(Newsroom):
    """Who watches is told of one change: the watch on the store fires once."""

    def is_news(self, told: int, epoch: int) -> bool:
        return super().is_news(told, epoch) and told < 1


@defect({"PIP460-28": _NOT_AS_IT_IS}, origin="feared: a close that is looked for by the connection, and not by the watch")
class ScalableOneCloseEndsAll(Newsroom):
    """When one watch is closed, those beside it are told nothing more either."""

    @cached_property
    def begun(self) -> list[object]:
        """What waits for each watch so far."""
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


@defect({"PIP460-29": seen("^0, 0", what="^epochs that A is told$")}, origin="Apache Pulsar 5.0.0-M1")
class ScalableFirstToldTwice(Newsroom):
    """The first layout is told twice."""

    def times_first(self) -> int:
        return super().times_first() + 1


@defect(
    {"PIP460-29": seen("^0, 0", what="^epochs that A is told$")}, origin="PIP-468, W 11: the epoch is as great as the last one, or greater"
)
class ScalableToldAtEveryLook(Newsroom):
    """Who watches is told the layout whenever the broker looks at it."""

    def is_news(self, told: int, epoch: int) -> bool:
        super().is_news(told, epoch)
        return True


@defect(
    {"PIP460-30": seen("ServiceNotReady", what="^(answer|layout that A is told)$")},
    origin="PIP-468, controller: calls to others fail, which is said of changes",
)
class ScalableAskTheController(Newsroom):
    """Only the broker that has the controller of a topic tells its layout; others say that they are not ready."""

    def first_told(self, topic: str) -> Layout:
        if not self._has_controller(topic):
            raise Refused(Error.SERVICE_NOT_READY, f"the controller of {topic} is elsewhere")
        return super().first_told(topic)

    def _has_controller(self, topic: str) -> bool:
        record = self._store.get(paths.controller(topic))
        return record is None or int(record.value) == self._machine.node


@defect(
    {"PIP460-30": seen("^epoch", what="^layout that [AB] is told$")},
    origin="feared: news that is told by the controller to its own clients",
)
class ScalableNewsAtTheController(ScalableAskTheController):
    """Who watches at another broker than the controller's is told the first layout, and no news."""

    def first_told(self, topic: str) -> Layout:
        return self._layout_of(topic)

    def look(self, topic: str, watch: LayoutWatch[Said]) -> None:
        if self._has_controller(topic):
            super().look(topic, watch)


@defect(
    {"PIP460-32": seen("^epoch 1", expected="^nothing$", what="^told to A behind the close$")},
    origin="feared: a session that is kept by its topic",
    of=MetadataParts,
)
class ScalableCloseIsNotHeard(Answers):
    """A watch that its client has closed is told of changes all the same."""

    def hears_that_a_watch_is_closed(self) -> bool:
        super().hears_that_a_watch_is_closed()
        return False


@defect({"PIP460-33": _NOT_AS_IT_IS}, origin="textbook: a cache that nobody clears")
class ScalableFirstLayoutRemembered(Newsroom):
    """A broker tells the layout that it has read when somebody asked first."""

    @cached_property
    def first(self) -> dict[str, Layout]:
        """The first layout that was told of each topic."""
        return {}

    def first_told(self, topic: str) -> Layout:
        return self.first.setdefault(topic, super().first_told(topic))


@defect({"PIP460-33": _NOT_AS_IT_IS}, origin="feared: a cache whose watch ended with its client")
class ScalableLayoutOfTheLastWatch(Newsroom):
    """A broker keeps a layout up to date while somebody watches it, and tells it to who comes later."""

    @cached_property
    def watched(self) -> dict[str, Layout]:
        """The newest layout that was told to anybody who watched."""
        return {}

    def first_told(self, topic: str) -> Layout:
        return self.watched.setdefault(topic, super().first_told(topic))

    def look(self, topic: str, watch: LayoutWatch[Said]) -> None:
        self.watched[topic] = self._layout_of(topic)
        super().look(topic, watch)


@defect(
    {"PIP460-30": seen(" at pulsar:", expected="^a broker for each segment$", what="^brokers of orders$")},
    origin="feared: a cache of what changes without the layout",
    of=MetadataParts,
)
class ScalableBrokersRemembered(Answers):
    """A broker finds once for each epoch where the segments are, and tells that also when their broker has ended."""

    @cached_property
    def known(self) -> dict[tuple[str, int], dict[int, str]]:
        """What was told of a topic at an epoch."""
        return {}

    def brokers_told(self, topic: str, layout: Layout, find: Callable[[Segment], str]) -> dict[int, str]:
        return self.known.setdefault((topic, layout.epoch), super().brokers_told(topic, layout, find))


@defect(
    {"PIP460-27": seen("^no or another broker for ", expected="^a broker for each$", what="^brokers that A is told$")},
    origin="feared: a lookup for the topic, and not for its segments",
    of=MetadataParts,
)
class ScalableAllAtTheFirstBroker(Answers):
    """A client is told that one broker has all segments, though others have some of them."""

    def brokers_told(self, topic: str, layout: Layout, find: Callable[[Segment], str]) -> dict[int, str]:
        told = super().brokers_told(topic, layout, find)
        return dict.fromkeys(told, min(told.values()))


@defect(
    {"PIP460-27": seen("^no or another broker for ", expected="^a broker for each$", what="^brokers that A is told$")},
    origin="feared: addresses that are found when a topic is made",
    of=MetadataParts,
)
class ScalableChildrenWithoutBrokers(Answers):
    """A client is told of no broker of segments that came of a split or a merge."""

    def brokers_told(self, topic: str, layout: Layout, find: Callable[[Segment], str]) -> dict[int, str]:
        return {number: url for number, url in super().brokers_told(topic, layout, find).items() if not layout.segments[number].parents}


class _TheOldest(deque[Said]):
    def append(self, said: Said) -> None:
        if len(self) < MOST_WAITING:
            super().append(said)


@defect(
    {"PIP460-28": seen("^epoch 1[0-9]", expected="^epoch 21", what="^layout that A is told$")},
    origin="textbook: a queue that is full refuses what comes",
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
    """A broker waits for what the metadata store tells it, and a change that was not told is never known to its clients."""

    def look_now_and_then(self, look: Callable[[], None]) -> Callable[[], None]:
        super().look_now_and_then(look)()
        return lambda: None


@defect(
    {"PIP460-28": seen("^epoch 0", expected="^TopicNotFound, or epoch 0", what="^told to A of orders$")},
    origin="the reference itself: epochs that are compared, whosever they are",
)
class ScalableDeletionNotTold(Newsroom):
    """Who watches a topic that is deleted goes on watching the next one of that name, and takes its layouts for old ones."""

    def tell_of_deletion(self, watch: LayoutWatch[Said], refused: Refused) -> None:
        """Who watches will see no news, and that is true."""


@defect(
    {"PIP460-28": seen("^epoch 1", expected="^epoch 1", what="^layout that A is told$")},
    origin="PIP-460, DAG watch, which speaks of splits and merges",
)
class ScalablePrunedAtTheSameEpoch(Pruning):
    """A sealed segment that is removed leaves the epoch as it is, so that nobody who watches is told."""

    def without(self, layout: Layout, gone: Sequence[Segment]) -> Layout:
        return replace(super().without(layout, gone), epoch=layout.epoch)
