"""Defects of metadata-driven transactions in pending acknowledgements of a subscription that is reloaded."""

from collections.abc import Mapping, Sequence

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.defects.pip31.pending_through_crashes import KnowsWhatWasPending
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.metadata_transactions.pending_ack_records import PendingAckRecords
from fencepost.reference.metadata_transactions.record_models import HeaderState, OperationRecord
from fencepost.reference.metadata_transactions.transaction_records import TransactionRecords
from fencepost.reference.pulsar.buffer import MessagePosition, ReadView
from fencepost.reference.pulsar.cursor import Cursor
from fencepost.reference.pulsar.pending_ack_store import PendingAck, Units
from fencepost.reference.pulsar.pending_acks import PendingAcks
from fencepost.reference.pulsar.pulsar_types import EndAction, SubscriptionName, TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError
from fencepost.reference.pulsar.subscription import Subscription


@defect(
    {
        "PIP471-30": seen('^"i1", "i2", "i3"$', expected='^"i2", "i3"$', what="^left for workers$"),
        "PIP471-32": seen("^success$", expected="^a refusal$", what="^answer to ACK$"),
    },
    origin="code reading, R1; as shipped by Apache Pulsar for segments of scalable topics, seen on 5.0.0-M1",
)
class MetadataRecoveredWithoutPositions(PendingAckRecords):
    """A subscription that is loaded learns which transactions have acknowledged something, and not what: their commit does nothing."""

    def replay(self) -> Sequence[PendingAck]:
        return [PendingAck(waiting.txn) for waiting in super().replay()]


@defect(
    {"PIP471-31": seen('^"i2", "i3"$', expected='^"i1", "i2", "i3"$', what="^left for workers$")},
    origin="textbook: handles of before the restart are searched for, and none is found",
    of=MetadataParts,
)
class MetadataRecoveredNeverReleased(KnowsWhatWasPending):
    """An abort redelivers only what was acknowledged since the subscription was loaded; what was recovered stays pending."""

    def end(self, txn: TxnId, action: EndAction) -> PendingAck:
        return PendingAck(txn) if txn in self._of_before and action is EndAction.ABORT else super().end(txn, action)


@defect(
    {"PIP471-32": seen("^success$", expected="^a refusal$", what="^answer to ACK$")},
    origin="apache/pulsar#25631: the name of a segment's pending acknowledgements could not be read",
)
class MetadataNameOfASegmentMisread(TransactionRecords):
    """The name of a segment is read as that of a persistent topic, under which no pending acknowledgements are found."""

    def acknowledgements(self, name: SubscriptionName) -> list[tuple[TxnId, OperationRecord]]:
        domain, _, path = name.topic.partition("://")
        topic = f"persistent://{path}" if domain == "segment" else name.topic
        return super().acknowledgements(SubscriptionName(topic, name.name))


@defect(
    {"PIP471-30": seen('^"b1", "b3", "i1", "i2", "i3"$', expected='^"b3", "i1", "i2", "i3"$', what="^left for packers$")},
    origin="the proposal's text, Q9: positions without the messages of a batch, as keys of a map",
)
class MetadataLastOfABatchRecovered(PendingAckRecords):
    """If several records name one entry, only the last is recovered: what was acknowledged of the batch before is redelivered."""

    def replay(self) -> Sequence[PendingAck]:
        last: dict[tuple[TxnId, MessagePosition], PendingAck] = {}
        for waiting in super().replay():
            place = next(iter(waiting.individual), None) or waiting.cumulative
            assert place is not None, "a record is about a place"
            last[waiting.txn, place] = waiting
        return list(last.values())


@defect(
    {"PIP471-30": seen('^"o1", "o2"$', expected='^"o2"$', what="^left for auditors$")},
    origin="feared by readers of the proposal: a consumer group has one name on all segments of its topic",
)
class MetadataDeletedByTheSubscriptionName(TransactionRecords):
    """A subscription deletes the transaction's records of all subscriptions of its name, also those of other segments."""

    def delete_operations(self, txn: TxnId, participant: str | SubscriptionName) -> None:
        for whose in self.participants(txn):
            if isinstance(participant, str) or (isinstance(whose, SubscriptionName) and whose.name == participant.name):
                super().delete_operations(txn, participant if isinstance(participant, str) else whose)


@defect(
    {"PIP471-30": seen('^"i3"$', expected='^"i2", "i3"$', what="^left for workers$")},
    origin="the reference of this suite, until a red team found it: a record that was written, and of which only the answer was lost",
)
class MetadataRefusedIsRecovered(TransactionRecords):
    """An acknowledgement that is refused since the store does not answer leaves its record: after the next load it is pending, and a commit
    loses a message that its client has not processed.
    """

    def take_back(self, txn: TxnId, refused: Sequence[OperationRecord]) -> None:
        """No client is notified of the record, and it is there at the next load."""


@defect(
    {"PIP471-30": seen('^"i3"$', expected='^"i2", "i3"$', what="^left for workers$")},
    origin="textbook: what has failed is undone, and what was done before it is not",
)
class MetadataRefusedInPartIsRecovered(TransactionRecords):
    """Only the last record of an acknowledgement is taken back if the store refuses it: after the next load the first message is pending,
    and a commit loses it."""

    def take_back(self, txn: TxnId, refused: Sequence[OperationRecord]) -> None:
        super().take_back(txn, refused[-1:])


@defect(
    {"PIP471-30": seen('^"a1"$', expected="^nothing$", what="^left for auditors$")},
    origin="the reference of this suite, until a red team found it: the range of a cumulative acknowledgement taken from what readers see",
    of=MetadataParts,
)
class MetadataOnlyWhatIsShownAcknowledged(Cursor):
    """A commit of everything up to a message takes away what readers are shown at that moment, and deletes the operation record: what
    an earlier end holds up there for a second more is delivered again."""

    def acknowledge_up_to(self, place: MessagePosition, buffer: ReadView) -> None:
        shown = [readable for readable in buffer.after(self.mark_delete) if readable.place <= place]
        self.acknowledge({readable.place: frozenset(range(readable.message.units)) for readable in shown}, buffer)


@defect(
    {"PIP471-30": seen('^"i2", "i3"$', expected='^"i2"$', what="^left for auditors$")},
    origin="textbook: two things of one record's form, of which the reader expects one",
)
class MetadataRecoveredOneWay(PendingAckRecords):
    """A transaction acknowledges in one way on a subscription, it is believed: where one is recovered that has a cumulative
    acknowledgement, its single ones are passed over, and their commit does nothing."""

    def replay(self) -> Sequence[PendingAck]:
        recovered = super().replay()
        cumulative = {waiting.txn for waiting in recovered if waiting.cumulative is not None}
        return [waiting for waiting in recovered if waiting.cumulative is not None or waiting.txn not in cumulative]


@defect(
    {"PIP471-30": seen('^"i1", "i3"$', expected='^"i3"$', what="^left for workers$")},
    origin="textbook: records grouped by transaction into a map that has room for one position each",
)
class MetadataOnePositionRecovered(PendingAckRecords):
    """For each transaction only the last acknowledged position is recovered: a commit deletes that message, and the others are
    redelivered."""

    def replay(self) -> Sequence[PendingAck]:
        recovered = super().replay()
        last = {waiting.txn: waiting.individual.keys() for waiting in recovered if waiting.individual}
        return [waiting for waiting in recovered if waiting.cumulative is not None or waiting.individual.keys() == last[waiting.txn]]


@defect(
    {"PIP471-30": seen('^"i1", ("i2", )?"i3"$', expected='^("i2", )?"i3"$', what="^left for workers$")},
    origin="red team: a range of a subscription is deleted, where one transaction's records are due",
)
class MetadataEndDeletesOthersAcknowledgements(TransactionRecords):
    """An end deletes all operation records of its subscription: after the next load, another transaction's commit deletes nothing."""

    def delete_operations(self, txn: TxnId, participant: str | SubscriptionName) -> None:
        super().delete_operations(txn, participant)
        if isinstance(participant, SubscriptionName):
            for other, _ in self.acknowledgements(participant):
                super().delete_operations(other, participant)


@defect(
    {"PIP471-32": seen("^success$", expected="^a refusal$", what="^answer to ACK$")},
    origin="textbook: a loop that returns in its first turn",
    of=MetadataParts,
)
class MetadataFirstOfAListChecked(PendingAcks):
    """An acknowledgement of several messages is refused for a conflict of the first, and not for one of the others."""

    def add_individual(self, txn: TxnId, wanted: Mapping[MessagePosition, Units]) -> None:
        first = dict(list(wanted.items())[:1])
        super().add_individual(txn, first)
        self._keep(PendingAck(txn, individual={place: units for place, units in wanted.items() if place not in first}))


@defect(
    {"PIP471-30": seen('^"i1", "i2", "i3", "i4"$', expected='^"i2", "i3", "i4"$', what="^left for auditors$")},
    origin="red team: an end that is found at a load is applied once for each transaction, and not for each of its subscriptions",
)
class MetadataOneSubscriptionCatchesUp(PendingAckRecords):
    """When a segment is loaded after the end of a transaction, only the first of its subscriptions there applies the end."""

    def replay(self) -> Sequence[PendingAck]:
        found = super().replay()
        return [one for one in found if self.participation.state_of(one.txn) is HeaderState.OPEN or self.is_first_of(one.txn)]

    def is_first_of(self, txn: TxnId) -> bool:
        """Whether this is the transaction's first subscription in this segment."""
        found = self._records.participants(txn)
        return self._name == next(one for one in found if isinstance(one, SubscriptionName) and one.topic == self._name.topic)


@defect(
    {"PIP471-30": seen('^"i1", "i3", "i4"$', expected='^"i3", "i4"$', what="^left for workers$")},
    origin="red team: what stays pending looks like what is deleted until the next load",
    of=MetadataParts,
)
class MetadataRecoveredCommitStaysPending(KnowsWhatWasPending):
    """A commit of what was acknowledged before a reload deletes the operation records and not the message, which is withheld until the
    next reload and redelivered then."""

    def end(self, txn: TxnId, action: EndAction) -> PendingAck:
        is_left = action is EndAction.COMMIT and txn in self._of_before
        return PendingAck(txn) if is_left else super().end(txn, action)


@defect(
    {"PIP471-31": seen('^"i1", "i3"$', expected='^"i1", "i2", "i3"$', what="^left for workers$")},
    origin="red team: one place for the transaction of a subscription, which the first one has",
)
class MetadataOnePendingFollowed(PendingAckRecords):
    """A subscription that is loaded follows the first of the transactions that have acknowledged there; what the others have acknowledged
    stays pending."""

    def replay(self) -> Sequence[PendingAck]:
        self._waiting = set(sorted(self._waiting)[:1])
        return super().replay()


@defect(
    {"PIP471-31": seen('^"i2", "i3"$', expected='^"i1", "i2", "i3"$', what="^left for workers$")},
    origin="red team: a variable that is overwritten for each transaction that is found",
)
class MetadataLastPendingFollowed(PendingAckRecords):
    """A subscription that is loaded follows the last of the transactions that have acknowledged there; what the others have acknowledged
    stays pending."""

    def replay(self) -> Sequence[PendingAck]:
        self._waiting = set(sorted(self._waiting)[-1:])
        return super().replay()


@defect(
    {"PIP471-30": seen('^"i1", "i3"$', expected='^"i3"$', what="^left for workers$")},
    origin="textbook: what was replayed is marked as done",
)
class MetadataRecoveredOnce(PendingAckRecords):
    """A load marks what it has recovered, and the next load skips that: the commit deletes only what was acknowledged in between."""

    def replay(self) -> Sequence[PendingAck]:
        marked = self._site.machine.disk.journal(f"recovered {self._name}")
        before = list(marked)
        found = super().replay()
        for waiting in found:
            marked.append(waiting)
        return [waiting for waiting in found if waiting not in before]


class _KnowsWhatWasCumulative(PendingAcks):
    """Knows which cumulative acknowledgements were pending before the subscription was loaded."""

    def recover(self) -> None:
        super().recover()
        self._of_before = dict(self._cumulative)


_CUMULATIVE = "red team: a second kind of acknowledgement, whose recovery is tested with the first kind"


@defect(
    {"PIP471-31": seen('^"i3"$', expected='^"i1", "i2", "i3"$', what="^left for auditors$")},
    origin=_CUMULATIVE,
    of=MetadataParts,
)
class MetadataRecoveredCumulativeNeverReleased(_KnowsWhatWasCumulative):
    """A cumulative acknowledgement that was recovered is not released by an abort: its messages are withheld for ever."""

    def end(self, txn: TxnId, action: EndAction) -> PendingAck:
        held = super().end(txn, action)
        if action is EndAction.COMMIT or held.cumulative is None or self._of_before.get(txn) != held.cumulative:
            return held
        self._cumulative = {txn: held.cumulative}
        return PendingAck(txn, held.individual)


@defect(
    {"PIP471-32": seen('^"i1", "i2", "i3"$', expected='^"i3"$', what="^received by auditors$")},
    origin=_CUMULATIVE,
    of=MetadataParts,
)
class MetadataRecoveredCumulativeDelivered(_KnowsWhatWasCumulative):
    """What is pending under a cumulative acknowledgement that was recovered is delivered to the next consumer."""

    def covers(self, place: MessagePosition) -> bool:
        return super().covers(place) and not self._cumulative.items() <= self._of_before.items()


@defect(
    {"PIP471-32": seen("^success$", expected="^a refusal$", what="^answer to ACK$")},
    origin=_CUMULATIVE,
    of=MetadataParts,
)
class MetadataRecoveredCumulativeTakenOver(_KnowsWhatWasCumulative):
    """A cumulative acknowledgement that was recovered is in conflict with none of another transaction, which takes its place."""

    def add_cumulative(self, txn: TxnId, place: MessagePosition) -> None:
        if txn not in self._of_before and self._cumulative.items() <= self._of_before.items():
            self._cumulative = {}
        super().add_cumulative(txn, place)


@defect(
    {"PIP471-31": seen('^"i1", "i3"$', expected='^"i1", "i2", "i3"$', what="^left for workers$")},
    origin="code reading: Apache Pulsar records an acknowledgement before it looks for conflicts",
    of=MetadataParts,
)
class MetadataConflictIsRecorded(PendingAcks):
    """An acknowledgement that is refused for a conflict has left records for its other messages, and the next load holds them pending."""

    def add_individual(self, txn: TxnId, wanted: Mapping[MessagePosition, Units]) -> None:
        try:
            super().add_individual(txn, wanted)
        except CommandRefused as refused:
            if refused.error is ServerError.TRANSACTION_CONFLICT:
                free = {place: one for place, one in wanted.items() if not self.is_pending(place, one)}
                self._store.append(PendingAck(txn, individual=free))
            raise


@defect(
    {"PIP471-31": seen('^"i3"$', expected='^"i1", "i2", "i3"$', what="^left for auditors$")},
    origin="code reading: Apache Pulsar records an acknowledgement before it looks for conflicts",
    of=MetadataParts,
)
class MetadataCumulativeConflictIsRecorded(PendingAcks):
    """A cumulative acknowledgement that is refused for a conflict has left its record, and the next load holds it pending."""

    def add_cumulative(self, txn: TxnId, place: MessagePosition) -> None:
        try:
            super().add_cumulative(txn, place)
        except CommandRefused as refused:
            if refused.error is ServerError.TRANSACTION_CONFLICT:
                self._store.append(PendingAck(txn, cumulative=place))
            raise


@defect(
    {"PIP471-31": seen('^"i1"$', expected='^"i1", "i2"$', what="^left for workers$")},
    origin="code reading: Apache Pulsar records an acknowledgement before it looks for conflicts",
    of=MetadataParts,
)
class MetadataRefusedBesideADeletedIsRecorded(Subscription):
    """An acknowledgement that is refused because one of its messages is deleted has left records for the others."""

    def acknowledge_in(self, txn: TxnId, wanted: Mapping[MessagePosition, Units]) -> None:
        try:
            super().acknowledge_in(txn, wanted)
        except CommandRefused:
            free = {place: units for place, units in wanted.items() if not self.cursor.acknowledged(place, units)}
            if len(free) < len(wanted):
                self.pending._store.append(PendingAck(txn, individual=free))
            raise
