"""Defects of Pulsar in pending acknowledgements that a crash came over."""

from collections.abc import Sequence

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.pending_ack_journal import Ended, PendingAckJournal
from fencepost.reference.pulsar.pending_ack_store import Waiting
from fencepost.reference.pulsar.pending_acks import PendingAcks
from fencepost.reference.pulsar.values import Action, TxnId


class _KnowsThatAndNotWhat(PendingAcks):
    def recover(self) -> None:
        super().recover()
        self._of_before = self.transactions()

    def end(self, txn: TxnId, action: Action) -> Waiting:
        waiting = super().end(txn, action)
        return Waiting(txn) if txn in self._of_before and action is Action.COMMIT else waiting


REPLAYED_COMMIT_TAKES_NOTHING = Defect(
    name="replayed-commit-takes-nothing",
    breaks={"PIP31-86": Symptom(what="^left for workers$", expected='^"i2", "i3"$', seen='^"i1", "i2", "i3"$')},
    story="After a crash a commit is answered, and finds no positions to delete: what was acknowledged in it is processed again.",
    origin="as shipped by Apache Pulsar for segments of scalable topics, seen on 5.0.0-M1",
    parts=Parts(pending_acks=_KnowsThatAndNotWhat),
)


class _KeepsTheFirstRequest(PendingAckJournal):
    def must_be_durable(self, waiting: Waiting) -> bool:
        return all(other.txn != waiting.txn for other in self.replay())


class _LeavesThemPending(PendingAcks):
    def recover(self) -> None:
        super().recover()
        self._of_before = self.transactions()

    def end(self, txn: TxnId, action: Action) -> Waiting:
        return Waiting(txn) if txn in self._of_before else super().end(txn, action)


class EndTakesTheCumulative(PendingAckJournal):
    """Any end forgets a cumulative acknowledgement that is before it in the journal."""

    def replay(self) -> Sequence[Waiting]:
        records = list(self._journal)
        last_end = max((number for number, record in enumerate(records) if isinstance(record, Ended)), default=-1)
        return [waiting for waiting in super().replay() if waiting.cumulative is None or records.index(waiting) > last_end]


class _EndTrimsTheJournal(PendingAckJournal):
    def replay(self) -> Sequence[Waiting]:
        records = list(self._journal)
        last_end = max((number for number, record in enumerate(records) if isinstance(record, Ended)), default=-1)
        return [waiting for waiting in super().replay() if records.index(waiting) > last_end]


FIRST_REQUEST_IS_KEPT = Defect(
    name="first-acknowledgement-is-kept",
    breaks={
        "PIP31-60": Symptom(what="^received by workers$", expected='^"i3"$', seen='^"i2", "i3"$'),
        "PIP31-86": Symptom(what="^left for workers$", expected='^"i3"$', seen='^"i2", "i3"$'),
    },
    story="Of what a transaction has acknowledged in several requests, a crash leaves the first; its commit forgets the others.",
    origin="textbook: a record for each transaction, which is written once",
    parts=Parts(pending_ack_journal=_KeepsTheFirstRequest),
)

RECOVERED_STAY_PENDING = Defect(
    name="recovered-acknowledgements-stay-pending",
    breaks={"PIP31-86": Symptom(what="workers$", expected='^"i1", "i2", "i3"$', seen='^"(i2", ")?i3"$')},
    story="What was pending before a crash stays so when its transaction ends: nobody is given it, and it is never deleted.",
    origin="textbook: handles of before the restart are looked for, and none is found",
    parts=Parts(pending_acks=_LeavesThemPending),
)

END_TRIMS_THE_JOURNAL = Defect(
    name="end-trims-pending-acknowledgements",
    breaks={"PIP31-86": Symptom(what="^left for workers$", expected='^("i2", )?"i3"$', seen='^"i1", ("i2", )?"i3"$')},
    story="A transaction that ends takes out of the journal all that is before its end, also what an older one has that is open still.",
    origin="textbook: a log that is trimmed up to the newest record that is not needed, and not up to the oldest that is",
    parts=Parts(pending_ack_journal=_EndTrimsTheJournal),
)


class _ComparesSequences(PendingAckJournal):
    def replay(self) -> Sequence[Waiting]:
        ended = {record.txn.sequence for record in self._journal if isinstance(record, Ended)}
        return [waiting for waiting in super().replay() if waiting.txn.sequence not in ended]


REPLAY_COMPARES_SEQUENCES = Defect(
    name="replay-compares-sequences",
    breaks={"PIP31-86": Symptom(what="^left for workers$", expected='^"i3"$', seen='^"i2", "i3"$')},
    story="A replay takes what is pending for ended where a transaction of another coordinator with the same sequence has ended.",
    origin="textbook: half of an id is compared, since there was one coordinator at first",
    parts=Parts(pending_ack_journal=_ComparesSequences),
)
