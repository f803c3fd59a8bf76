"""Defects of watches of layouts."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar.answers import Answers
from fencepost.reference.pulsar.errors import Error, Refused
from fencepost.reference.scalable import paths
from fencepost.reference.scalable.layout import Layout, Segment
from fencepost.reference.scalable.news import MOST_WAITING, LayoutWatch, Newsroom, Said
from fencepost.reference.scalable.pruning import Pruning

_NOT_AS_IT_IS = Symptom(what="^layout that A is told$", seen="^epoch")
_NO_LAYOUT = Symptom(what="^message of the system$", seen="is no layout")


class _TellsTheActiveOnly(Newsroom):
    def first_told(self, topic: str) -> Layout:
        layout = super().first_told(topic)
        return replace(layout, segments={number: one for number, one in layout.segments.items() if one.is_active})


class _TellsTheFirstHalf(Newsroom):
    def first_told(self, topic: str) -> Layout:
        layout = super().first_told(topic)
        there = {one.number for one in layout.active[: (len(layout.active) + 1) // 2]} | {one.number for one in layout.sealed}
        return replace(layout, segments={number: one for number, one in layout.segments.items() if number in there})


class _TellsNoNews(Newsroom):
    def look(self, topic: str, watch: LayoutWatch[Said]) -> None:
        """Who wants to know asks again."""


class _TellsTheFirstWatch(Newsroom):
    @cached_property
    def first(self) -> list[object]:
        """The first watch that was told anything."""
        return []

    def look(self, topic: str, watch: LayoutWatch[Said]) -> None:
        self.first.append(watch)
        if watch is self.first[0]:
            super().look(topic, watch)


class _TellsOfSplits(Newsroom):
    def look(self, topic: str, watch: LayoutWatch[Said]) -> None:
        newest = max(self._layout_of(topic).segments.values(), key=lambda one: one.number)
        if len(newest.parents) < 2:
            super().look(topic, watch)


class _TellsOneChange(Newsroom):
    def is_news(self, told: int, epoch: int) -> bool:
        return super().is_news(told, epoch) and told < 1


class _EndsAllWithOne(Newsroom):
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


class _TellsTheFirstTwice(Newsroom):
    def times_first(self) -> int:
        return super().times_first() + 1


class _TellsWheneverItLooks(Newsroom):
    def is_news(self, told: int, epoch: int) -> bool:
        super().is_news(told, epoch)
        return True


class _SendsToTheController(Newsroom):
    def first_told(self, topic: str) -> Layout:
        if not self._has_controller(topic):
            raise Refused(Error.SERVICE_NOT_READY, f"the controller of {topic} is elsewhere")
        return super().first_told(topic)

    def _has_controller(self, topic: str) -> bool:
        record = self._store.get(paths.controller(topic))
        return record is None or int(record.value) == self._machine.node


class _TellsAtTheController(_SendsToTheController):
    def first_told(self, topic: str) -> Layout:
        return self._layout_of(topic)

    def look(self, topic: str, watch: LayoutWatch[Said]) -> None:
        if self._has_controller(topic):
            super().look(topic, watch)


class _HearsNoClose(Answers):
    def hears_that_a_watch_is_closed(self) -> bool:
        super().hears_that_a_watch_is_closed()
        return False


class _Remembers(Newsroom):
    @cached_property
    def first(self) -> dict[str, Layout]:
        """The first layout that was told of each topic."""
        return {}

    def first_told(self, topic: str) -> Layout:
        return self.first.setdefault(topic, super().first_told(topic))


class _RemembersAndForgetsNews(Newsroom):
    @cached_property
    def watched(self) -> dict[str, Layout]:
        """The newest layout that was told to anybody who watched."""
        return {}

    def first_told(self, topic: str) -> Layout:
        return self.watched.setdefault(topic, super().first_told(topic))

    def look(self, topic: str, watch: LayoutWatch[Said]) -> None:
        self.watched[topic] = self._layout_of(topic)
        super().look(topic, watch)


class _RemembersBrokers(Answers):
    @cached_property
    def known(self) -> dict[tuple[str, int], dict[int, str]]:
        """What was told of a topic at an epoch."""
        return {}

    def brokers_told(self, topic: str, layout: Layout, find: Callable[[Segment], str]) -> dict[int, str]:
        return self.known.setdefault((topic, layout.epoch), super().brokers_told(topic, layout, find))


class _TellsTheFirstBroker(Answers):
    def brokers_told(self, topic: str, layout: Layout, find: Callable[[Segment], str]) -> dict[int, str]:
        told = super().brokers_told(topic, layout, find)
        return dict.fromkeys(told, min(told.values()))


class _TellsNoNewBrokers(Answers):
    def brokers_told(self, topic: str, layout: Layout, find: Callable[[Segment], str]) -> dict[int, str]:
        return {number: url for number, url in super().brokers_told(topic, layout, find).items() if not layout.segments[number].parents}


class _TheOldest(deque[Said]):
    def append(self, said: Said) -> None:
        if len(self) < MOST_WAITING:
            super().append(said)


class _KeepsTheOldest(Newsroom):
    def waiting(self) -> deque[Said]:
        super().waiting()
        return _TheOldest()


class _LooksWhenItIsTold(Newsroom):
    def look_now_and_then(self, look: Callable[[], None]) -> Callable[[], None]:
        super().look_now_and_then(look)()
        return lambda: None


class _TellsNoDeletion(Newsroom):
    def tell_of_deletion(self, watch: LayoutWatch[Said], refused: Refused) -> None:
        """Who watches will see no news, and that is true."""


class _PrunesAtTheSameEpoch(Pruning):
    def without(self, layout: Layout, gone: Sequence[Segment]) -> Layout:
        return replace(super().without(layout, gone), epoch=layout.epoch)


SEALED_ARE_NOT_TOLD = Defect(
    name="scalable-sealed-are-not-told",
    breaks={"PIP460-27": _NO_LAYOUT},
    story="The first layout of a watch has the active segments only, whose parents nobody knows.",
    origin="feared: who reads from the beginning never hears of what is sealed",
    parts=MetadataParts(newsroom=_TellsTheActiveOnly),
)

HALF_A_LAYOUT = Defect(
    name="scalable-half-a-layout",
    breaks={"PIP460-27": _NO_LAYOUT},
    story="The first layout of a watch leaves out some of the active segments.",
    origin="feared: a page of an answer",
    parts=MetadataParts(newsroom=_TellsTheFirstHalf),
)

ALL_AT_THE_FIRST_BROKER = Defect(
    name="scalable-all-at-the-first-broker",
    breaks={"PIP460-27": Symptom(what="^brokers that A is told$", expected="^a broker for each$", seen="^no or another broker for ")},
    story="A client is told that one broker has all segments, though others have some of them.",
    origin="feared: a lookup for the topic, and not for its segments",
    parts=MetadataParts(answers=_TellsTheFirstBroker),
)

CHILDREN_WITHOUT_BROKERS = Defect(
    name="scalable-children-without-brokers",
    breaks={"PIP460-27": Symptom(what="^brokers that A is told$", expected="^a broker for each$", seen="^no or another broker for ")},
    story="A client is told of no broker of segments that came of a split or a merge.",
    origin="feared: addresses that are found when a topic is made",
    parts=MetadataParts(answers=_TellsNoNewBrokers),
)

NO_NEWS = Defect(
    name="scalable-no-news",
    breaks={"PIP460-28": _NOT_AS_IT_IS},
    story="A watch is told the first layout, and nothing more.",
    origin="feared: an answer, where a session was meant",
    parts=MetadataParts(newsroom=_TellsNoNews),
)

NEWS_FOR_THE_FIRST = Defect(
    name="scalable-news-for-the-first",
    breaks={"PIP460-28": Symptom(what="^layout that . is told$", seen="^epoch")},
    story="One of the clients that watch a topic is told of changes.",
    origin="feared: one session for a topic",
    parts=MetadataParts(newsroom=_TellsTheFirstWatch),
)

NEWS_OF_SPLITS = Defect(
    name="scalable-news-of-splits",
    breaks={"PIP460-28": _NOT_AS_IT_IS},
    story="Who watches is told of splits, and not of merges.",
    origin="feared: two places that tell, of which one is forgotten",
    parts=MetadataParts(newsroom=_TellsOfSplits),
)

NEWS_ONCE = Defect(
    name="scalable-news-once",
    breaks={"PIP460-28": Symptom(what="^layout that . is told$", seen="^epoch 1")},
    story="Who watches is told of one change: the watch on the store fires once.",
    origin="ZooKeeper's watches, which fire once",
    parts=MetadataParts(newsroom=_TellsOneChange),
)

OLDEST_NEWS_KEPT = Defect(
    name="scalable-oldest-news-kept",
    breaks={"PIP460-28": Symptom(what="^layout that A is told$", expected="^epoch 21", seen="^epoch 1[0-9]")},
    story="Where too many layouts wait for a client that does not read, the newest ones are dropped.",
    origin="textbook: a queue that is full refuses what comes",
    parts=MetadataParts(newsroom=_KeepsTheOldest),
)

FIRST_TOLD_TWICE = Defect(
    name="scalable-first-told-twice",
    breaks={"PIP460-29": Symptom(what="^epochs that A is told$", seen="^0, 0")},
    story="The first layout is told twice.",
    origin="Apache Pulsar 5.0.0-M1",
    parts=MetadataParts(newsroom=_TellsTheFirstTwice),
)

TOLD_AT_EVERY_LOOK = Defect(
    name="scalable-told-at-every-look",
    breaks={"PIP460-29": Symptom(what="^epochs that A is told$", seen="^0, 0")},
    story="Who watches is told the layout whenever the broker looks at it.",
    origin="PIP-468, W 11: the epoch is as great as the last one, or greater",
    parts=MetadataParts(newsroom=_TellsWheneverItLooks),
)

ASK_THE_CONTROLLER = Defect(
    name="scalable-ask-the-controller",
    breaks={"PIP460-30": Symptom(what="^(answer|layout that A is told)$", seen="ServiceNotReady")},
    story="Only the broker that has the controller of a topic tells its layout; others say that they are not ready.",
    origin="PIP-468, controller: calls to others fail, which is said of changes",
    parts=MetadataParts(newsroom=_SendsToTheController),
)

NEWS_AT_THE_CONTROLLER = Defect(
    name="scalable-news-at-the-controller",
    breaks={"PIP460-30": Symptom(what="^layout that [AB] is told$", seen="^epoch")},
    story="Who watches at another broker than the controller's is told the first layout, and no news.",
    origin="feared: news that is told by the controller to its own clients",
    parts=MetadataParts(newsroom=_TellsAtTheController),
)

BROKERS_REMEMBERED = Defect(
    name="scalable-brokers-remembered",
    breaks={"PIP460-30": Symptom(what="^brokers of orders$", expected="^a broker for each segment$", seen=" at pulsar:")},
    story="A broker finds once for each epoch where the segments are, and tells that also when their broker has ended.",
    origin="feared: a cache of what changes without the layout",
    parts=MetadataParts(answers=_RemembersBrokers),
)

CLOSE_IS_NOT_HEARD = Defect(
    name="scalable-close-is-not-heard",
    breaks={"PIP460-32": Symptom(what="^told to A behind the close$", expected="^nothing$", seen="^epoch 1")},
    story="A watch that its client has closed is told of changes all the same.",
    origin="feared: a session that is kept by its topic",
    parts=MetadataParts(answers=_HearsNoClose),
)

FIRST_LAYOUT_REMEMBERED = Defect(
    name="scalable-first-layout-remembered",
    breaks={"PIP460-33": _NOT_AS_IT_IS},
    story="A broker tells the layout that it has read when somebody asked first.",
    origin="textbook: a cache that nobody clears",
    parts=MetadataParts(newsroom=_Remembers),
)

LAYOUT_OF_THE_LAST_WATCH = Defect(
    name="scalable-layout-of-the-last-watch",
    breaks={"PIP460-33": _NOT_AS_IT_IS},
    story="A broker keeps a layout up to date while somebody watches it, and tells it to who comes later.",
    origin="feared: a cache whose watch ended with its client",
    parts=MetadataParts(newsroom=_RemembersAndForgetsNews),
)

ONLY_WHAT_THE_STORE_TELLS = Defect(
    name="scalable-only-what-the-store-tells",
    breaks={
        "PIP460-28": _NOT_AS_IT_IS,
        "PIP460-46": Symptom(what="^topics of the namespace$", expected="^payments$", seen="^neither$"),
    },
    story="A broker waits for what the metadata store tells it, and a change that was not told is never known to its clients.",
    origin="feared: a watch on the store that was away for a moment",
    parts=MetadataParts(newsroom=_LooksWhenItIsTold),
)

PRUNED_AT_THE_SAME_EPOCH = Defect(
    name="scalable-pruned-at-the-same-epoch",
    breaks={"PIP460-28": Symptom(what="^layout that A is told$", expected="^epoch 1", seen="^epoch 1")},
    story="A sealed segment that is removed leaves the epoch as it is, so that nobody who watches is told.",
    origin="PIP-460, DAG watch, which speaks of splits and merges",
    parts=MetadataParts(pruning=_PrunesAtTheSameEpoch),
)

DELETION_NOT_TOLD = Defect(
    name="scalable-deletion-not-told",
    breaks={"PIP460-28": Symptom(what="^told to A of orders$", expected="^TopicNotFound, or epoch 0", seen="^epoch 0")},
    story="Who watches a topic that is deleted goes on watching the next one of that name, and takes its layouts for old ones.",
    origin="the reference itself: epochs that are compared, whosever they are",
    parts=MetadataParts(newsroom=_TellsNoDeletion),
)

ONE_CLOSE_ENDS_ALL = Defect(
    name="scalable-one-close-ends-all",
    breaks={"PIP460-28": _NOT_AS_IT_IS},
    story="When one watch is closed, those beside it are told nothing more either.",
    origin="feared: a close that is looked for by the connection, and not by the watch",
    parts=MetadataParts(newsroom=_EndsAllWithOne),
)
