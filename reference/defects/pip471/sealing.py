"""Defects of metadata-driven transactions in segments that are sealed under them."""

from collections.abc import Sequence

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.defects.inheriting import topic_of
from fencepost.reference.defects.sealed import is_sealed
from fencepost.reference.kernel.journal import Disk
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.metadata_transactions.metadata_coordinator import MetadataCoordinator
from fencepost.reference.metadata_transactions.participation import Participation
from fencepost.reference.metadata_transactions.pending_ack_records import PendingAckRecords
from fencepost.reference.metadata_transactions.record_models import HeaderState
from fencepost.reference.pulsar.buffer import Readable
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.ledger import LedgerMarker
from fencepost.reference.pulsar.pending_ack_store import PendingAck, Units
from fencepost.reference.pulsar.producers import Producers
from fencepost.reference.pulsar.pulsar_types import BEFORE_ALL, EndAction, Message, Position, SubscriptionName, SubscriptionType, TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError
from fencepost.reference.pulsar.subscription import Consumer, Subscription
from fencepost.reference.scalable.changes import LayoutChanges
from fencepost.reference.scalable.layout import HASHES


@defect(
    {"PIP471-49": seen("^nothing$", expected='^"a1"$', what="^readers of left$")},
    origin="as shipped by Apache Pulsar for terminated topics, whose transactions stay COMMITTING; the issue of the seed's Motivation",
    of=MetadataParts,
)
class MetadataSealedWantsAMarker(Producers):
    """An end that comes to a sealed segment is refused, as if it had to be written there."""

    def check_takes_an_end(self, *, by_marker: bool) -> None:  # noqa: ARG002 - that is the defect
        self.check_open()


@defect(
    {"PIP471-49": seen("^no answer", expected="^success$", what="^answer to END_TXN$")},
    origin="the stall of thirty seconds that the proposal is there to end",
)
class MetadataCommitWaitsForSealed(MetadataCoordinator):
    """The answer to a commit waits for what a sealed segment answers, and that answers nothing."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        self.decide(txn, action)
        if not any(isinstance(one, str) and is_sealed(self._machine.disk, one) for one in self._records.participants(txn)):
            reply()


def _is_of_sealed(participant: str | SubscriptionName, disk: Disk) -> bool:
    return isinstance(participant, SubscriptionName) and is_sealed(disk, participant.topic)


@defect({"PIP471-49": seen("^nothing$", expected='"a1"', what="^readers of left$")}, origin="the proposal's text, Q5: unknown is aborted")
class MetadataSealedHidesCommitted(MetadataBuffer):
    """A transaction of a sealed segment cannot be looked up any more, and is then treated as aborted."""

    def is_shown(self, message: Message) -> bool:
        return super().is_shown(message) and (message.txn is None or not is_sealed(self._machine.disk, self._segment))


@defect(
    {"PIP471-52": seen('^"a1"$', expected="^nothing$", what="^readers of left$")},
    origin="feared by readers of the proposal: the end of a segment treated as the end of its transactions",
)
class MetadataSealedIsDecided(MetadataBuffer):
    """A sealed segment counts as complete, and its readers receive what is open in it."""

    @property
    def max_read_position(self) -> Position:
        return self._ledger.last if is_sealed(self._machine.disk, self._segment) else super().max_read_position


@defect(
    {"PIP471-50": seen('^"a1"$', expected="^nothing$", what="^readers of left$")},
    origin="feared by readers of the proposal: a guard against writes that also stops the note",
)
class MetadataAbortNotNotedInSealed(MetadataBuffer):
    """An abort lets go what a sealed segment holds back, and notes nothing there, since the segment is closed for writing."""

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        super().end(txn, EndAction.COMMIT if is_sealed(self._machine.disk, self._segment) else action, low_watermark)


@defect(
    {"PIP471-50": seen('^"a1", "p1"$', expected='^"p1"$', what="^readers of left$")},
    origin="textbook: recovery that is left out for what cannot change any more",
)
class MetadataAbortsOfSealedForgotten(MetadataBuffer):
    """A sealed segment that is reloaded does not recover which transactions were aborted."""

    def recover(self) -> None:
        super().recover()
        if is_sealed(self._machine.disk, self._segment):
            self._aborted = {}


@defect(
    {"PIP471-51": seen("^nothing$", expected='^"a2"$', what="^readers of right$")},
    origin="feared by readers of the proposal: a child with one parent, as after a split",
)
class MetadataEndsInFirstParent(MetadataBuffer):
    """Only the first parent of a merge applies an end.

    The other parent begins after the first hash.
    """

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        begins_first = self._segment.rpartition("/")[2].startswith("0000-")
        if begins_first or not is_sealed(self._machine.disk, self._segment):
            super().end(txn, action, low_watermark)


@defect(
    {"PIP471-51": seen('^"(a2|b1)"$', expected="^nothing$", what="^readers of right$")},
    origin="feared by readers of the proposal: a child with one parent, as after a split",
)
class MetadataAbortsInFirstParent(MetadataBuffer):
    """Only the first parent of a merge notes which transactions are aborted."""

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        begins_first = self._segment.rpartition("/")[2].startswith("0000-")
        is_whole = begins_first or not is_sealed(self._machine.disk, self._segment)
        super().end(txn, action if is_whole else EndAction.COMMIT, low_watermark)


@defect(
    {"PIP471-52": seen("NotAllowed", expected="^success$", what="^answer to SEND$")},
    origin="feared by readers of the proposal: a client cannot know when a segment is split",
)
class MetadataEndsWithItsSegment(MetadataBuffer):
    """A transaction that has written to a segment can write nothing more once that is sealed."""

    def refuse_what_comes_too_late(self, txn: TxnId) -> None:
        super().refuse_what_comes_too_late(txn)
        if any(isinstance(one, str) and is_sealed(self._machine.disk, one) for one in self._records.participants(txn)):
            raise CommandRefused(ServerError.NOT_ALLOWED, f"transaction {txn} has ended with the segment that it wrote to")


@defect(
    {"PIP471-52": seen("^nothing$", expected='^"a2"$', what="^readers of low$")},
    origin="feared by readers of the proposal: a transaction that is torn apart by a split",
)
class MetadataCommitsInParentsAlone(MetadataBuffer):
    """A segment that was made by a split or a merge does not know older transactions, and treats them as aborted."""

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        number = int(self._segment.rpartition("-")[2])
        is_child = number > 1 and not is_sealed(self._machine.disk, self._segment)
        super().end(txn, EndAction.ABORT if is_child else action, low_watermark)


@defect(
    {"PIP471-52": seen('^"a1"$', expected="^nothing$", what="^readers of low$")},
    origin="textbook: a buffer that was made before its watches were set up",
)
class MetadataChildrenShowAtOnce(MetadataBuffer):
    """A segment that was made by a split shows its readers what is open."""

    @property
    def max_read_position(self) -> Position:
        return self._ledger.last if int(self._segment.rpartition("-")[2]) > 1 else super().max_read_position


@defect(
    {"PIP471-52": seen("not even the sentinel", expected='^"b1"$', what="^readers of low$")},
    origin="feared by readers of the proposal: an order over segments where there is one within each",
)
class MetadataSealedHoldsUpChildren(MetadataBuffer):
    """What is open in a sealed segment blocks the readers of all segments of its topic."""

    @property
    def max_read_position(self) -> Position:
        topic = self._segment.rpartition("/")[0]
        mine = [txn for txn in self._records.all_headers() if self.participation.state_of(txn).value == "OPEN"]
        of_others = (one for txn in mine for one in self._records.participants(txn) if one != self._segment)
        holds = any(isinstance(one, str) and one.startswith(topic) and is_sealed(self._machine.disk, one) for one in of_others)
        return BEFORE_ALL if holds else super().max_read_position


@defect(
    {
        "PIP471-52": seen("^success$", expected="^a refusal", what="^answer to SEND$"),
        "PIP471-54": seen("^2$", expected="^1$", what="^length of left$"),
    },
    origin="textbook: a fence that is checked once, when the producer opens",
    of=MetadataParts,
)
class MetadataSealedTakesLateMessages(Producers):
    """A sealed segment still accepts messages."""

    @property
    def is_terminated(self) -> bool:
        return False

    def is_busy(self, name: str) -> bool:
        return super().is_busy(name) and not super().is_terminated


@defect(
    {"PIP471-53": seen('^"i1", "i2"$', expected='^"i2"$', what="^left for workers$")},
    origin="feared by readers of the proposal: a cursor that cannot be moved in a closed ledger",
)
class MetadataCommitGivesBackOnSealed(Participation):
    """A subscription of a sealed segment treats every end as an abort."""

    def state_of(self, txn: TxnId) -> HeaderState:
        state = super().state_of(txn)
        return HeaderState.ABORTED if state is HeaderState.COMMITTED and _is_of_sealed(self._participant, self._machine.disk) else state


@defect(
    {"PIP471-53": seen('^"i2"$', expected='^"i1", "i2"$', what="^left for workers$")},
    origin="feared by readers of the proposal: a segment that is drained so that it can be deleted",
)
class MetadataAbortKeepsOnSealed(Participation):
    """A subscription of a sealed segment deletes what was acknowledged in it, however the transaction ends."""

    def state_of(self, txn: TxnId) -> HeaderState:
        state = super().state_of(txn)
        return HeaderState.COMMITTED if state is HeaderState.ABORTED and _is_of_sealed(self._participant, self._machine.disk) else state


@defect(
    {"PIP471-53": seen('^"i2"$', expected='^"i1", "i2"$', what="^left for workers$")},
    origin="feared by readers of the proposal: a guard against writes that also stops the record",
)
class MetadataNothingRecordedOnSealed(PendingAckRecords):
    """An acknowledgement on a sealed segment leaves no operation record, so its end is never applied."""

    def append(self, waiting: PendingAck) -> None:
        if not is_sealed(self._site.machine.disk, self._name.topic):
            super().append(waiting)


@defect(
    {"PIP471-53": seen('^"i1", "i2"$', expected='^"i2"$', what="^left for workers$")},
    origin="as shipped by Apache Pulsar for all segments of scalable topics, seen on 5.0.0-M1",
)
class MetadataPendingOnSealedForgotten(PendingAckRecords):
    """A subscription of a sealed segment that is reloaded knows which transactions are open, and not what they acknowledged."""

    def replay(self) -> Sequence[PendingAck]:
        found = super().replay()
        return [PendingAck(one.txn) for one in found] if is_sealed(self._site.machine.disk, self._name.topic) else found


@defect(
    {"PIP471-54": seen("^3$", expected="^2$", what="^length of left$")}, origin="the markers of PIP-31, which the proposal does without"
)
class MetadataEndLeavesAMarker(MetadataBuffer):
    """An end is also written into the segment, as on classic topics."""

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        super().end(txn, action, low_watermark)
        self._ledger.append(LedgerMarker(txn, action))


@defect(
    {"PIP471-49": seen("^reported$", expected="^not reported yet$", what="^end of left$")},
    origin="feared: two places that announce the end, of which one looks at what is visible",
)
class MetadataEndToldBeforeTheOpen(LayoutChanges):
    """The controller notifies the consumers of a sealed segment of its end when they have all visible messages, although a transaction
    is open."""

    def seal(self, parents: Sequence[str]) -> None:
        super().seal(parents)
        for parent in parents:
            for subscription in topic_of(self._segments, parent).subscriptions.values():
                if not subscription.has_more():
                    subscription.notify_end(subscription.consumers)


@defect(
    {"PIP471-53": seen("^reported$", expected="^not reported yet$", what="^end of left$")},
    origin="feared: pending acknowledgements taken off the backlog, so that it shows what is left to do",
    of=MetadataParts,
)
class MetadataEndToldBeforeThePending(Subscription):
    """A consumer of a sealed segment is notified of its end when everything is acknowledged, even if an acknowledgement is pending:
    what an abort redelivers finds no consumer."""

    def has_more(self) -> bool:
        behind_the_mark = self._buffer.after(self.cursor.mark_delete)
        return super().has_more() and any(not self.is_taken(readable) for readable in behind_the_mark)

    def is_taken(self, readable: Readable) -> bool:
        """Whether a message is acknowledged, or about to be in an open transaction."""
        everything = frozenset(range(readable.message.units))
        taken = self.cursor.acknowledged(readable.place, everything) | self.pending.units_at(readable.place)
        return self.pending.covers(readable.place) or taken == everything


@defect(
    {"PIP471-53": seen("^not reported yet$", expected="^reported$", what="^end of right$")},
    origin="feared: an end that is searched for where messages are acknowledged, and not where transactions end",
    of=MetadataParts,
)
class MetadataNoEndBehindACommit(Subscription):
    """When the last messages of a sealed segment are acknowledged in a transaction, its commit does not notify the consumer of the end."""

    has_ended_transactions = False

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        super().end(txn, action, low_watermark)
        self.has_ended_transactions = True

    def notify_end(self, consumers: Sequence[Consumer]) -> None:
        if not self.has_ended_transactions:
            super().notify_end(consumers)


@defect(
    {"PIP471-53": seen("^not reported yet$", expected="^reported$", what="^end of right$")},
    origin="the reference of this suite, until a red team read it",
    of=MetadataParts,
)
class MetadataEndOfSealedWaitsForTheMark(Subscription):
    """A consumer is notified of the end when its subscription's mark has passed all messages: a message that was acknowledged before an
    earlier end was applied lies beyond the mark, which is never moved again."""

    def has_more(self) -> bool:
        return next(iter(self._buffer.after(self.cursor.mark_delete)), None) is not None


@defect(
    {"PIP471-50": seen("^nothing of an end$", expected="^that there is no more$", what="^notification to workers$")},
    origin="feared: an abort writes nothing into the segment, so that what was withdrawn is its end",
    of=MetadataParts,
)
class MetadataEndWaitsForTheAborted(Subscription):
    """A consumer is notified of the end of a sealed segment when its subscription has passed the last entry. If that entry is aborted,
    it is never acknowledged, and the consumer never reads the children."""

    def has_more(self) -> bool:
        if super().has_more() or not isinstance(self._buffer, MetadataBuffer):
            return super().has_more()
        is_behind = self.cursor.mark_delete.position < self._buffer.max_read_position
        return is_behind and not any(self._buffer.after(self.cursor.mark_delete))


@defect(
    {"PIP471-71": seen('^("p2"|nothing|"p2", "a2")$', expected='^("p2", "a2"|"p2"|"a2")$', what="^(readers of low|left for workers)$")},
    origin="red team: a layout that is asked for parents and children, but not for grandchildren",
)
class MetadataEndsNotInBetween(MetadataBuffer):
    """A transaction that has used a segment, its child and its grandchild ends in the first and in the active one, and not in the child
    between them, which is sealed as well."""

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        first, last = (int(one, 16) for one in self._segment.rpartition("/")[2].split("-")[:2])
        if last - first > HASHES // 4 or not is_sealed(self._machine.disk, self._segment):
            super().end(txn, action, low_watermark)


@defect(
    {"PIP471-53": seen('^"i1", "i2"$', expected='^"i2"$', what="^received by others$")},
    origin="red team: a consumer that joins a sealed segment is served from its cursor, which has nothing pending",
    of=MetadataParts,
)
class MetadataJoinedSealedFromTheCursor(Subscription):
    """A second consumer that joins a sealed segment receives what the first one has acknowledged in an open transaction."""

    def attach(self, consumer: Consumer, kind: SubscriptionType) -> None:
        super().attach(consumer, kind)
        records = self.pending._store
        if len(self.consumers) > 1 and isinstance(records, PendingAckRecords):
            self._reads_the_cursor = is_sealed(records._site.machine.disk, records._name.topic)

    def withheld_units(self, readable: Readable) -> Units:
        if not getattr(self, "_reads_the_cursor", False):
            return super().withheld_units(readable)
        deleted = self.cursor.acknowledged(readable.place, frozenset(range(readable.message.units)))
        return deleted | self._held.get(readable.place, {}).keys()
