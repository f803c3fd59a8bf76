"""Defects of Pulsar in the compaction of topics with transactions."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.buffer import Place
from fencepost.reference.pulsar.compaction import Compaction
from fencepost.reference.pulsar.cursor import EARLIEST


class _CountsWhatIsNotCommitted(Compaction):
    def superseded(self) -> frozenset[Place]:
        last = {message.key: message for message in self._buffer.stored()}
        shown = self._buffer.after(EARLIEST)
        return frozenset(one.place for one in shown if one.message.key is not None and last[one.message.key] != one.message)


COMPACTION_COUNTS_THE_ABORTED = Defect(
    name="compaction-counts-the-aborted",
    breaks={"PIP31-97": Symptom(what="^last of compacted orders$", expected='^"plain"$', seen="^nothing$")},
    story="Compaction reads the log as it is: an aborted message takes the place of the last one that was committed.",
    origin="apache/pulsar#21464: compacted reads went past the readable position",
    parts=Parts(compaction=_CountsWhatIsNotCommitted),
)


class _TakesNothingOut(Compaction):
    def superseded(self) -> frozenset[Place]:
        return frozenset()


COMPACTION_TAKES_NOTHING_OUT = Defect(
    name="pulsar-compaction-takes-nothing-out",
    breaks={"PIP31-149": Symptom(what="^compacted orders$", expected='^"a1"$', seen='^"plain", "a1"$')},
    story="A compaction is reported as done that has changed nothing.",
    origin="textbook: a task that is accepted and not run",
    parts=Parts(compaction=_TakesNothingOut),
)


class _TakesWholeTransactions(Compaction):
    def superseded(self) -> frozenset[Place]:
        places = super().superseded()
        readable = list(self._buffer.after(EARLIEST))
        changed = {one.message.txn for one in readable if one.place in places} - {None}
        return places | {one.place for one in readable if one.message.txn in changed}


COMPACTION_TAKES_WHOLE_TRANSACTIONS = Defect(
    name="compaction-takes-whole-transactions",
    breaks={"PIP31-156": Symptom(what="^last of compacted payments$", expected='^"y1", "x2"$', seen='^"x2"$')},
    story="A transaction of which one message is superseded is taken out as a whole, with the last messages of other keys.",
    origin="textbook: compaction that goes by the entries of an index, where one entry is a transaction",
    parts=Parts(compaction=_TakesWholeTransactions),
)
