"""Defects of Pulsar in the compaction of topics with transactions."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.buffer import MessagePosition
from fencepost.reference.pulsar.compaction import TopicCompaction
from fencepost.reference.pulsar.cursor import EARLIEST


@defect(
    {"PIP31-97": seen("^nothing$", expected='^"plain"$', what="^last of compacted orders$")},
    origin="apache/pulsar#21464: compacted reads went past the readable position",
)
class CompactionCountsTheAborted(TopicCompaction):
    """Compaction reads the log as it is: an aborted message takes the place of the last one that was committed."""

    def superseded(self) -> frozenset[MessagePosition]:
        last = {message.key: message for message in self._buffer.stored()}
        shown = self._buffer.after(EARLIEST)
        return frozenset(one.place for one in shown if one.message.key is not None and last[one.message.key] != one.message)


@defect(
    {"PIP31-149": seen('^"plain", "a1"$', expected='^"a1"$', what="^compacted orders$")},
    origin="textbook: a task that is accepted and not run",
)
class PulsarCompactionTakesNothingOut(TopicCompaction):
    """A compaction is reported as done that has changed nothing."""

    def superseded(self) -> frozenset[MessagePosition]:
        return frozenset()


@defect(
    {"PIP31-156": seen('^"x2"$', expected='^"y1", "x2"$', what="^last of compacted payments$")},
    origin="textbook: compaction that goes by the entries of an index, where one entry is a transaction",
)
class CompactionTakesWholeTransactions(TopicCompaction):
    """A transaction of which one message is superseded is taken out as a whole, with the last messages of other keys."""

    def superseded(self) -> frozenset[MessagePosition]:
        places = super().superseded()
        readable = list(self._buffer.after(EARLIEST))
        changed = {one.message.txn for one in readable if one.place in places} - {None}
        return places | {one.place for one in readable if one.message.txn in changed}
