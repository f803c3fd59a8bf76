"""Defects of metadata-driven transactions in acknowledging."""

from collections.abc import Mapping

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata.store import under
from fencepost.reference.metadata_transactions import MetadataParts, paths
from fencepost.reference.metadata_transactions.participation import Participation
from fencepost.reference.metadata_transactions.pending_ack_records import PendingAckRecords
from fencepost.reference.metadata_transactions.records import Operation, State, decoded
from fencepost.reference.metadata_transactions.transaction_records import TransactionRecords
from fencepost.reference.pulsar.buffer import Place
from fencepost.reference.pulsar.cursor import EARLIEST, Cursor
from fencepost.reference.pulsar.pending_ack_store import Units, Waiting
from fencepost.reference.pulsar.pending_acks import PendingAcks
from fencepost.reference.pulsar.subscription import Subscription
from fencepost.reference.pulsar.values import Action, SubscriptionName, TxnId


class _SavedLater(Cursor):
    def save(self) -> None:
        """A timer would do it, which a crash is faster than."""


class _NotesBeforeItMoves(Subscription):
    def apply_outcome(self, txn: TxnId, action: Action) -> None:
        if action is Action.ABORT:
            super().apply_outcome(txn, action)
            return
        waiting = self.pending.end(txn, action)
        self.pending.record_end(txn)
        self.cursor.acknowledge(waiting.individual, self._buffer)
        self.cursor.acknowledge_up_to(waiting.cumulative or EARLIEST, self._buffer)


class _GoesOnByItself(Participation):
    """What was unloaded is told nothing any more, and still looks from time to time."""

    is_unloaded = False

    def told(self) -> None:
        if not self.is_unloaded:
            super().told()

    def close(self) -> None:
        self.is_unloaded = True


class _IsStillTold(Participation):
    def close(self) -> None:
        """A subscription is told, looks and acts as before."""
        if isinstance(self._participant, str):
            super().close()


class _KeepsTheAborted(PendingAcks):
    def end(self, txn: TxnId, action: Action) -> Waiting:
        return super().end(txn, action) if action is Action.COMMIT else Waiting(txn)


class _FindsThoseOfTheSegment(TransactionRecords):
    def acknowledgements(self, name: SubscriptionName) -> list[tuple[TxnId, Operation]]:
        records = self._store.scan_by_index(paths.ACKS_BY_SUBSCRIPTION, *under(paths.segment(name.topic)))
        owners = [paths.txn_of(record.key.removeprefix(paths.OPERATIONS).rpartition("-")[0]) for record in records]
        return [(txn, decoded(record, Operation)) for txn, record in zip(owners, records, strict=True)]


class _FindsByTheBeginning(TransactionRecords):
    def acknowledgements(self, name: SubscriptionName) -> list[tuple[TxnId, Operation]]:
        records = self._store.scan_by_index(paths.ACKS_BY_SUBSCRIPTION, *under(paths.subscription(name)))
        found = [(paths.txn_of(record.key.removeprefix(paths.OPERATIONS).rpartition("-")[0]), record) for record in records]
        return [(txn, decoded(record, Operation)) for txn, record in found]


class _TakesLateOnes(PendingAckRecords):
    def refuse_what_comes_too_late(self, txn: TxnId) -> None:  # noqa: ARG002 - it refuses none
        return


class _KnowsOneEnd(PendingAckRecords):
    def refuse_what_comes_too_late(self, txn: TxnId) -> None:
        if self.participation.state_of(txn) is State.COMMITTED:
            super().refuse_what_comes_too_late(txn)


class _LeavesItsRecords(PendingAckRecords):
    def erase(self) -> None:
        """They are nobody's any more, and stay where they are."""


class _WaitsForAnEvent(PendingAckRecords):
    def append(self, waiting: Waiting) -> None:
        super().append(waiting)
        if self.participation.state_of(waiting.txn) is not State.OPEN:
            self._waiting.discard(waiting.txn)


class _GivesBackToTheNext(Subscription):
    def give_back(self, wanted: Mapping[Place, Units]) -> None:
        """Whoever comes next begins behind the mark, and is given it."""
        if not self.consumers:
            super().give_back(wanted)


CURSOR_SAVED_LATER = Defect(
    name="metadata-cursor-saved-later",
    breaks={"PIP471-28": Symptom(what="^left for workers$", expected='^"i3"$', seen='^"i1", "i3"$')},
    story="The operation records are deleted when the commit is applied in memory, and the cursor is saved some time later.",
    origin="as shipped by Apache Pulsar for segments of scalable topics, seen on 5.0.0-M1",
    parts=MetadataParts(cursor=_SavedLater),
)

RECORDS_DELETED_BEFORE_THE_CURSOR = Defect(
    name="metadata-records-deleted-before-the-cursor",
    breaks={"PIP471-28": Symptom(what="^left for workers$", expected='^"i3"$', seen='^"i1", "i3"$')},
    story="The operation records of a commit are deleted before the cursor moves: where the store has deleted them and does not answer, "
    "nobody moves it any more.",
    origin="textbook: two writes in the wrong order, and a failure between them",
    parts=MetadataParts(subscription=_NotesBeforeItMoves),
)

UNLOADED_GOES_ON = Defect(
    name="metadata-unloaded-goes-on",
    breaks={"PIP471-28": Symptom(what="^left for workers$", expected='^"i3"$', seen='^"i2", "i3"$')},
    story="A subscription that was unloaded goes on looking for ends from time to time. It knows nothing of what another broker has "
    "acknowledged there since, and saves the cursor without that.",
    origin="textbook: a timer that outlives what it was set for",
    parts=MetadataParts(participation=_GoesOnByItself),
)

UNLOADED_IS_STILL_TOLD = Defect(
    name="metadata-unloaded-is-still-told",
    breaks={"PIP471-28": Symptom(what="^left for workers$", expected='^"i3"$', seen='^"i2", "i3"$')},
    story="A subscription that was unloaded is still told of ends, and looks for those that it missed. Where it comes last, it saves the "
    "cursor that it had, without what another broker has acknowledged since.",
    origin="feared by readers of the proposal: watches that nobody closes, and two brokers that take one subscription for theirs",
    parts=MetadataParts(participation=_IsStillTold),
)

ABORTED_STAY_PENDING = Defect(
    name="metadata-aborted-stay-pending",
    breaks={"PIP471-29": Symptom(what="^left for workers$", expected='^"i1", "i2", "i3"$', seen='^"i2", "i3"$')},
    story="An abort deletes the operation records, and leaves the positions pending in the subscription.",
    origin="apache/pulsar#10306: what a dead client had acknowledged stayed pending",
    parts=MetadataParts(pending_acks=_KeepsTheAborted),
)

FOUND_BY_SEGMENT = Defect(
    name="metadata-acknowledgements-found-by-segment",
    breaks={"PIP471-63": Symptom(what="^left for auditors$", expected='^"i1", "i2", "i3"$', seen='^"i2", "i3"$')},
    story="A subscription that is loaded finds the acknowledgements of all subscriptions of its segment, and takes them for its own.",
    origin="textbook: a prefix of the key where the key is due",
    parts=MetadataParts(transaction_records=_FindsThoseOfTheSegment),
)

FOUND_BY_THE_BEGINNING = Defect(
    name="metadata-found-by-the-beginning-of-a-name",
    breaks={"PIP471-63": Symptom(what="^received by work$", expected='^"i1", "i2", "i3"$', seen='^"i2", "i3"$')},
    story="A subscription takes up the acknowledgements of all whose names begin with its own, and withholds them from its consumers.",
    origin="textbook: a range of keys that ends at the prefix and not at the name",
    parts=MetadataParts(transaction_records=_FindsByTheBeginning),
)

RECORDS_OF_THE_REMOVED_LEFT = Defect(
    name="metadata-records-of-the-removed-left",
    breaks={
        "PIP471-63": Symptom(what="^received by workers$", expected='^"i1", "i2", "i3"$', seen='^"i2", "i3"$'),
        "PIP471-38": Symptom(what="^header of A$", expected="^none$", seen="COMMITTED"),
    },
    story="A subscription that is removed leaves its operation records: they keep the header for ever, and the next of its name has them.",
    origin="feared by readers of the proposal: records go when their participant has followed, and this one never does",
    parts=MetadataParts(pending_ack_records=_LeavesItsRecords),
)

LATE_ACKNOWLEDGEMENT_WAITS = Defect(
    name="metadata-late-acknowledgement-waits",
    breaks={"PIP471-29": Symptom(what="^left for workers$", expected='^"i1", "i2", "i3"$', seen='^"i2", "i3"$')},
    story="A subscription that has taken an acknowledgement waits for the event of the end. Where the abort came just before, it waits for "
    "ever, and nobody is given the message.",
    origin="the proposal's text: the header is looked at, the record is written, and an end between both tells nobody here (Q7)",
    parts=MetadataParts(pending_ack_records=_WaitsForAnEvent),
)

GIVEN_BACK_TO_THE_NEXT = Defect(
    name="metadata-given-back-to-the-next",
    breaks={"PIP471-29": Symptom(what="^received by workers$", expected='^"i1"$', seen="^nothing$")},
    story="What an abort gives back is given to the next consumer of the subscription, and never to those that it has.",
    origin="feared: an end that comes from the store, and no consumer is at hand to whom it could be redelivered",
    parts=MetadataParts(subscription=_GivesBackToTheNext),
)

LATE_ACKNOWLEDGEMENTS_TAKEN = Defect(
    name="metadata-late-acknowledgements-taken",
    breaks={"PIP471-68": Symptom(what="^answer to ACK$", expected="^a refusal$", seen="^success$")},
    story="An acknowledgement is recorded without a look at the header: behind a commit it takes away input whose output nobody commits.",
    origin="5.0.0-M1, MetadataPendingAckStore",
    parts=MetadataParts(pending_ack_records=_TakesLateOnes),
)

ACKNOWLEDGED_BEHIND_AN_ABORT = Defect(
    name="metadata-acknowledged-behind-an-abort",
    breaks={"PIP471-68": Symptom(what="^answer to ACK$", expected="^a refusal$", seen="^success$")},
    story="Only a commit is taken for an end: an acknowledgement behind an abort is answered with success, and given back.",
    origin="feared by readers of the proposal: a look at one final state of two",
    parts=MetadataParts(pending_ack_records=_KnowsOneEnd),
)
