"""Defects of metadata-driven transactions in acknowledging."""

from collections.abc import Mapping

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.defects.pip31.cumulative_ends import CumulativeAbortForgetsWhatIsDeleted, CumulativeCommitLeavesPending
from fencepost.reference.defects.pip31.subscriptions_of_kinds import (
    CommitsNothingUnlessShared,
    GivesAwayWhatAnotherAcknowledged,
    PulsarAbortForOneConsumer,
    RewindsOverThePending,
)
from fencepost.reference.defects.pip471.loading import local_name
from fencepost.reference.metadata.store import under
from fencepost.reference.metadata_transactions import MetadataParts, paths
from fencepost.reference.metadata_transactions.participation import Participation
from fencepost.reference.metadata_transactions.pending_ack_records import PendingAckRecords
from fencepost.reference.metadata_transactions.record_models import HeaderState, OperationRecord, decoded
from fencepost.reference.metadata_transactions.transaction_records import TransactionRecords
from fencepost.reference.pulsar.buffer import MessagePosition
from fencepost.reference.pulsar.cursor import EARLIEST, Cursor
from fencepost.reference.pulsar.pending_ack_store import PendingAck, Units
from fencepost.reference.pulsar.pending_acks import PendingAcks
from fencepost.reference.pulsar.pulsar_types import EndAction, SubscriptionName, TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused
from fencepost.reference.pulsar.subscription import Consumer, Subscription


@defect(
    {"PIP471-28": seen('^"i1", "i3"$', expected='^"i3"$', what="^left for workers$")},
    origin="as shipped by Apache Pulsar for segments of scalable topics, seen on 5.0.0-M1",
    of=MetadataParts,
)
class MetadataCursorSavedLater(Cursor):
    """The operation records are deleted when the commit is applied in memory, and the cursor is saved some time later."""

    def save(self) -> None:
        """A timer would do it, which a crash is faster than."""


@defect(
    {"PIP471-28": seen('^"i1", "i3"$', expected='^"i3"$', what="^left for workers$")},
    origin="textbook: two writes in the wrong order, and a failure between them",
    of=MetadataParts,
)
class MetadataRecordsDeletedBeforeTheCursor(Subscription):
    """A subscription deletes the operation records of a commit before it moves its cursor: if the store deletes them and does not
    answer, the cursor is never moved."""

    def apply_outcome(self, txn: TxnId, action: EndAction) -> None:
        if action is EndAction.ABORT:
            super().apply_outcome(txn, action)
            return
        waiting = self.pending.end(txn, action)
        self.pending.record_end(txn)
        self.cursor.acknowledge(waiting.individual, self._buffer)
        self.cursor.acknowledge_up_to(waiting.cumulative or EARLIEST, self._buffer)


@defect(
    {"PIP471-28": seen('^"i2", "i3"$', expected='^"i3"$', what="^left for workers$")},
    origin="textbook: a timer that outlives what it was set for",
)
class MetadataUnloadedGoesOn(Participation):
    """A subscription that was unloaded continues to look for ends from time to time. It does not know what another broker has acknowledged
    there since, and saves the cursor without that.
    """

    is_unloaded = False

    def reported(self) -> None:
        if not self.is_unloaded:
            super().reported()

    def close(self) -> None:
        self.is_unloaded = True


@defect(
    {"PIP471-28": seen('^"i2", "i3"$', expected='^"i3"$', what="^left for workers$")},
    origin="feared by readers of the proposal: watches that are never closed, and two brokers that both think they own one subscription",
)
class MetadataUnloadedIsStillTold(Participation):
    """A subscription that was unloaded still receives events of ends, and looks for those that it missed. If it acts last, it saves its
    old cursor, without what was acknowledged on another broker since."""

    def close(self) -> None:
        """A subscription is notified, looks and acts as before."""
        if isinstance(self._participant, str):
            super().close()


@defect(
    {"PIP471-29": seen('^"i2", "i3"$', expected='^"i1", "i2", "i3"$', what="^left for workers$")},
    origin="apache/pulsar#10306: what a dead client had acknowledged stayed pending",
    of=MetadataParts,
)
class MetadataAbortedStayPending(PendingAcks):
    """An abort deletes the operation records, and leaves the positions pending in the subscription."""

    def end(self, txn: TxnId, action: EndAction) -> PendingAck:
        return super().end(txn, action) if action is EndAction.COMMIT else PendingAck(txn)


@defect(
    {"PIP471-63": seen('^"i2", "i3"$', expected='^"i1", "i2", "i3"$', what="^left for auditors$")},
    origin="textbook: a prefix of the key where the key is due",
)
class MetadataAcknowledgementsFoundBySegment(TransactionRecords):
    """A subscription that is loaded recovers the acknowledgements of all subscriptions of its segment as its own."""

    def acknowledgements(self, name: SubscriptionName) -> list[tuple[TxnId, OperationRecord]]:
        records = self._store.scan_by_index(paths.ACKS_BY_SUBSCRIPTION, *under(paths.segment(name.topic)))
        owners = [paths.txn_of(record.key.removeprefix(paths.OPERATIONS).rpartition("-")[0]) for record in records]
        return [(txn, decoded(record, OperationRecord)) for txn, record in zip(owners, records, strict=True)]


@defect(
    {"PIP471-63": seen('^"i2", "i3"$', expected='^"i1", "i2", "i3"$', what="^received by work$")},
    origin="textbook: a range of keys that ends at the prefix and not at the name",
)
class MetadataFoundByTheBeginningOfAName(TransactionRecords):
    """A subscription also recovers the acknowledgements of subscriptions whose names begin with its own, and withholds those messages."""

    def acknowledgements(self, name: SubscriptionName) -> list[tuple[TxnId, OperationRecord]]:
        records = self._store.scan_by_index(paths.ACKS_BY_SUBSCRIPTION, *under(paths.subscription(name)))
        found = [(paths.txn_of(record.key.removeprefix(paths.OPERATIONS).rpartition("-")[0]), record) for record in records]
        return [(txn, decoded(record, OperationRecord)) for txn, record in found]


@defect({"PIP471-68": seen("^success$", expected="^a refusal$", what="^answer to ACK$")}, origin="5.0.0-M1, MetadataPendingAckStore")
class MetadataLateAcknowledgementsTaken(PendingAckRecords):
    """A subscription records an acknowledgement without reading the header: after a commit it deletes input whose output is never
    committed."""

    def refuse_what_comes_too_late(self, txn: TxnId) -> None:  # noqa: ARG002 - it refuses none
        return


@defect(
    {"PIP471-68": seen("^success$", expected="^a refusal$", what="^answer to ACK$")},
    origin="feared by readers of the proposal: a look at one final state of two",
)
class MetadataAcknowledgedBehindAnAbort(PendingAckRecords):
    """A subscription refuses an acknowledgement only after a commit: after an abort it answers with success, and redelivers the
    message."""

    def refuse_what_comes_too_late(self, txn: TxnId) -> None:
        if self.participation.state_of(txn) is HeaderState.COMMITTED:
            super().refuse_what_comes_too_late(txn)


@defect(
    {
        "PIP471-63": seen('^"i2", "i3"$', expected='^"i1", "i2", "i3"$', what="^received by workers$"),
        "PIP471-38": seen("COMMITTED", expected="^none$", what="^header of A$"),
    },
    origin="feared by readers of the proposal: records go when their participant has followed, and this one never does",
)
class MetadataRecordsOfTheRemovedLeft(PendingAckRecords):
    """A subscription that is removed leaves its operation records: they keep the header for ever, and the next of its name has them."""

    def erase(self) -> None:
        """These records belong to no subscription any more, and stay where they are."""


@defect(
    {"PIP471-29": seen('^"i2", "i3"$', expected='^"i1", "i2", "i3"$', what="^left for workers$")},
    origin="the proposal's text: the header is checked, the record is written, and an end between both notifies no participant here (Q7)",
)
class MetadataLateAcknowledgementWaits(PendingAckRecords):
    """A subscription that has accepted an acknowledgement waits for the event of the end. If the abort came just before, it waits for
    ever, and the message is never delivered."""

    def append(self, waiting: PendingAck) -> None:
        super().append(waiting)
        if self.participation.state_of(waiting.txn) is not HeaderState.OPEN:
            self._waiting.discard(waiting.txn)


@defect(
    {"PIP471-29": seen("^nothing$", expected='^"i1"$', what="^received by workers$")},
    origin="feared: an end that comes from the store, and no consumer is at hand to whom it could be redelivered",
    of=MetadataParts,
)
class MetadataGivenBackToTheNext(Subscription):
    """What an abort redelivers goes to the next consumer of the subscription, and never to those that are attached."""

    def give_back(self, wanted: Mapping[MessagePosition, Units]) -> None:
        """The next consumer begins after the mark, and receives it."""
        if not self.consumers:
            super().give_back(wanted)


@defect(
    {"PIP471-29": seen('^"i1", "i2", "i3"$', expected='^"i1", "i3"$', what="^left for auditors$")},
    origin="red team: a cursor that begins again at its mark",
    of=MetadataParts,
)
class MetadataCumulativeAbortForgetsWhatIsDeleted(CumulativeAbortForgetsWhatIsDeleted):
    """An abort of a cumulative acknowledgement has the cursor begin again at its mark, and what was deleted after that is redelivered."""


@defect(
    {"PIP471-63": seen("^nothing$", expected='^"i1", "i2", "i3"$', what="^received by workers$")},
    origin="red team: an index by the local name of a topic",
)
class MetadataAcknowledgementsByLocalName(TransactionRecords):
    """A subscription that is loaded also recovers what is pending in topics of the same name in other namespaces."""

    def acknowledgements(self, name: SubscriptionName) -> list[tuple[TxnId, OperationRecord]]:
        subscriptions = {one for txn in self.all_headers() for one in self.participants(txn) if isinstance(one, SubscriptionName)}
        alike = [one for one in subscriptions if one.name == name.name and local_name(one.topic) == local_name(name.topic)]
        return [found for one in sorted(alike, key=lambda one: one.topic) for found in TransactionRecords.acknowledgements(self, one)]


@defect(
    {"PIP471-29": seen('^"i1", "i2", "i3"$', expected='^"i2", "i3"$', what="^received by auditors$")},
    origin="red team; apache/pulsar#14327: an abort redelivered what was pending in another transaction",
    of=MetadataParts,
)
class MetadataRewoundOverThePending(RewindsOverThePending):
    """On an exclusive or failover subscription of a segment an abort delivers also what is pending in another transaction."""


@defect(
    {"PIP471-29": seen('^"i1", "i2", "i3"$', expected='^"i2", "i3"$', what="^received by others$")},
    origin="red team: unacknowledged messages that are kept by their receivers",
    of=MetadataParts,
)
class MetadataPendingWithItsReceiver(GivesAwayWhatAnotherAcknowledged):
    """When the receiver of a segment's message leaves, the message is delivered to another consumer, though another one has acknowledged
    it in a transaction."""


_LOOKED_AWAY = "red team: a check that looks once cannot distinguish what stays pending from what is deleted"


@defect(
    {"PIP471-28": seen('^"i2", "i3"$', expected='^"i1", "i2", "i3"$', what="^received by auditors$")}, origin=_LOOKED_AWAY, of=MetadataParts
)
class MetadataCommitPendingUnlessShared(CommitsNothingUnlessShared):
    """On a subscription of a segment that is not shared a commit leaves its messages pending for ever."""


@defect({"PIP471-28": seen('^"i3"$', expected='^"i1", "i2", "i3"$', what="^received by auditors$")}, origin=_LOOKED_AWAY, of=MetadataParts)
class MetadataCumulativeCommitPending(CumulativeCommitLeavesPending):
    """A commit of a cumulative acknowledgement on a segment leaves its messages pending for ever."""


@defect({"PIP471-28": seen('^"i2", "i3"$', expected='^"i1", "i2", "i3"$', what="^received by (workers|others)$")}, origin=_LOOKED_AWAY)
class MetadataOneSubscriptionOfASegmentFollows(PendingAckRecords):
    """The first subscription of a segment that learns of a commit applies it; on the others the messages stay pending."""

    def apply(self, txn: TxnId, state: HeaderState) -> None:
        applied = self._site.machine.disk.journal(f"applied to {self._name.topic}")
        if state is HeaderState.COMMITTED and any(one == txn and name != self._name for one, name in applied):
            self._waiting.discard(txn)
            return
        applied.append((txn, self._name))
        super().apply(txn, state)


@defect(
    {"PIP471-28": seen('^"i1", "i2", "i3"$', expected='^"i1", "i3"$', what="^received by others$")},
    origin="red team: unacknowledged messages that are kept by their receivers",
    of=MetadataParts,
)
class MetadataCommittedWithItsReceiver(GivesAwayWhatAnotherAcknowledged):
    """When the receiver of a segment's message leaves, the message is delivered to another consumer, though that one's transaction has
    committed it."""

    def detach(self, consumer: Consumer) -> None:
        held = self._held_by(consumer)
        self._given_away = {place: self.cursor.acknowledged(place, held[place]) for place in held.keys() & self._with_others}
        Subscription.detach(self, consumer)


@defect(
    {"PIP471-29": seen('^"i2", "i3"$', expected='^"i1", "i2", "i3"$', what="^received by others$")},
    origin="feared: an abort that goes to the consumer that had the message, and finds it gone",
    of=MetadataParts,
)
class MetadataReturnedToItsReceiver(Subscription):
    """An abort returns a message to the consumer that had received it. If that one has left, the consumers that are attached receive it
    only when another one leaves."""

    def give_back(self, wanted: Mapping[MessagePosition, Units]) -> None:
        if with_receivers := {place: units for place, units in wanted.items() if self._held.get(place)}:
            super().give_back(with_receivers)


@defect(
    {"PIP471-29": seen('^nothing and "i2"$', expected='^"i1", "i2" between them$', what="^received by the two$")},
    origin="red team: one consumer is noted for each transaction",
    of=MetadataParts,
)
class MetadataAbortForOneConsumer(PulsarAbortForOneConsumer):
    """On a segment an abort redelivers only what the consumer has received whose acknowledgement in the transaction was the last."""


@defect(
    {"PIP471-29": seen('^"i1", "i2", "i3"$', expected='^"i1", "i3"$', what="^left for workers$")},
    origin="red team: half of an id used as a key",
    of=MetadataParts,
)
class MetadataPendingByNumber(PendingAcks):
    """A subscription knows transactions by the least significant bits of their ids: an end releases what another coordinator's has
    acknowledged."""

    def end(self, txn: TxnId, action: EndAction) -> PendingAck:
        alike = [super(MetadataPendingByNumber, self).end(one, action) for one in self.transactions() if one.sequence == txn.sequence]
        places = [item for one in alike for item in one.individual.items()]
        return PendingAck(txn, dict(places), next((one.cumulative for one in alike if one.cumulative), None))


@defect(
    {"PIP471-28": seen('^"i2", "i3"$', expected='^"i2"$', what="^left for auditors$")},
    origin="red team: a commit that has the cursor begin again where the acknowledgement ends",
    of=MetadataParts,
)
class MetadataCommitMovesTheCursorBack(Subscription):
    """A commit of a cumulative acknowledgement sets the cursor to its place, and what was deleted after that is redelivered."""

    def apply_outcome(self, txn: TxnId, action: EndAction) -> None:
        if action is EndAction.ABORT:
            super().apply_outcome(txn, action)
            return
        waiting = self.pending.end(txn, action)
        self.cursor.acknowledge(waiting.individual, self._buffer)
        if waiting.cumulative is not None:
            self.cursor.seek(waiting.cumulative)
        self.pending.record_end(txn)


@defect(
    {"PIP471-68": seen('^"i3", "i4"$', expected='^"i2", "i3", "i4"$', what="^left for workers$")},
    origin="red team: a refusal after the record is written",
)
class MetadataRefusedAfterItsRecord(PendingAckRecords):
    """An acknowledgement in an ended transaction is refused, and its record stays: the next load of the subscription applies it."""

    def append(self, waiting: PendingAck) -> None:
        try:
            self.refuse_what_comes_too_late(waiting.txn)
        except CommandRefused:
            self._record_all(waiting.txn, self.operations_of(waiting))
            raise
        super().append(waiting)
