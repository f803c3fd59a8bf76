"""Unusual for metadata-driven transactions, and conforming: what a suite must not take for a defect."""

import functools
from collections import Counter
from collections.abc import Iterator, Sequence

from fencepost.reference.defects.decorator import defect
from fencepost.reference.defects.sealed import is_sealed
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.metadata_transactions.collection import Collection
from fencepost.reference.metadata_transactions.metadata_coordinator import MetadataCoordinator
from fencepost.reference.metadata_transactions.participation import Participation
from fencepost.reference.metadata_transactions.record_models import HeaderState
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.ledger import Entry, Ledger, LedgerMarker
from fencepost.reference.pulsar.pulsar_types import EndAction, Message, Position, SubscriptionName, TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused
from fencepost.reference.scalable.changes import LayoutChanges
from fencepost.reference.scalable.layout import Layout, Segment
from fencepost.reference.scalable.names import segment_topic
from fencepost.reference.scalable.sessions import ConsumerAssignment, ConsumerSession, Sessions

from . import kafka
from .pulsar import answer_late

_ENTRIES_OF_A_LEDGER = 2
_IDS_SKIPPED = 4
_FIRST_LARGE_ID = 2**40
_ENTRY_NUMBERS_SKIPPED = 2
_KEPT_LONGER_MS = 2_000
_ROUNDS = 3
_WAITED_LONGER_MS = 10_000
_OTHER_WORDS = "computer says no"


@defect(origin="Apache Pulsar 5.0.0-M1")
class ScalableDrainedStayAssigned(Sessions):
    """A consumer keeps a sealed segment that its subscription has drained until the segment is pruned."""

    def segments_for(self, topic: str, subscription: str, layout: Layout) -> list[Segment]:
        found = super().segments_for(topic, subscription, layout)
        parents = {number for one in found for number in one.parents}
        kept = [one for one in layout.sealed if one.number in parents and one not in found]
        return found + [one for one in kept if subscription in self._segments.subscriptions_of(segment_topic(topic, one))]


@defect(origin="Apache Pulsar 5.0.0-M1, now and then")
class ScalableAssignmentsToldTwice(Sessions):
    """A consumer is notified of each change of its assignment twice."""

    def notify(self, session: ConsumerSession, assignment: ConsumerAssignment) -> None:
        is_first, is_news = session.assignment is None, session.assignment != assignment
        super().notify(session, assignment)
        if is_news and not is_first:
            session.notify(assignment)


@defect(origin="the proposal says about a minute")
class ScalableConsumersWaitedForLonger(Sessions):
    """A consumer that is lost keeps its segments a while longer than a minute."""

    def waited_for_until(self, name: str) -> int:
        return super().waited_for_until(name) + _WAITED_LONGER_MS


@defect(origin="a coordinator that notifies again since it did not see that it had notified")
class MetadataEventsToldTwice(MetadataCoordinator):
    """Each participant has two events of each end."""

    def notify(self, txn: TxnId, decision: HeaderState) -> None:
        super().notify(txn, decision)
        super().notify(txn, decision)


@defect(origin="stores that list records in another order")
class MetadataEventsLastFirst(MetadataCoordinator):
    """The participant that joined a transaction last is notified first of its end."""

    def notify(self, txn: TxnId, decision: HeaderState) -> None:
        for participant in reversed(self._records.participants(txn)):
            self._records.notify(participant, txn, decision)


@defect(origin="the proposal's text, Q12: a list that is read again where a watch is not available")
class MetadataNobodyIsTold(MetadataCoordinator):
    """The coordinator writes no events: participants read the headers from time to time."""

    def notify(self, txn: TxnId, decision: HeaderState) -> None:
        """Each participant looks by itself."""


@defect(origin="a watch costs something, and a sealed segment is read by few")
class MetadataSealedIsNotTold(MetadataCoordinator):
    """Participants in sealed segments get no event of an end: they find it when they read the header by themselves."""

    def notify(self, txn: TxnId, decision: HeaderState) -> None:
        """Each participant of a sealed segment looks by itself."""
        for participant in self._records.participants(txn):
            segment = participant.topic if isinstance(participant, SubscriptionName) else participant
            if not is_sealed(self._machine.disk, segment):
                self._records.notify(participant, txn, decision)


@defect(origin="the proposal names no order")
class MetadataLastParentSealedFirst(LayoutChanges):
    """In a merge, the segment with the highest hashes is sealed first."""

    def seal(self, parents: Sequence[str]) -> None:
        super().seal(tuple(reversed(parents)))


@defect(origin="the proposal's text, Q13")
class MetadataKeptLonger(Collection):
    """Headers are kept for 2000 ms more than elsewhere: how long is a setting."""

    def oldest_kept(self) -> int:
        return super().oldest_kept() - _KEPT_LONGER_MS


@defect(origin="brokers that spare the store")
class MetadataLooksSeldom(Participation):
    """Participants read the headers by themselves 3 times less often."""

    @functools.cached_property
    def rounds(self) -> Counter[str]:
        """How often it might have looked."""
        return Counter()

    def look_by_itself(self) -> None:
        self.rounds["look"] += 1
        if self.rounds["look"] % _ROUNDS == 0:
            super().look_by_itself()


@defect(origin="brokers that spare the store")
class MetadataSweepsSeldom(MetadataCoordinator):
    """A coordinator looks for overdue transactions a third as often, and aborts them later."""

    @functools.cached_property
    def rounds(self) -> Counter[str]:
        """How often it might have swept."""
        return Counter()

    def abort_timed_out(self) -> None:
        self.rounds["sweep"] += 1
        if self.rounds["sweep"] % _ROUNDS == 0:
            super().abort_timed_out()


@defect(origin="Apache Pulsar 5, which does not look for the entries")
class MetadataEveryAbortNoted(MetadataBuffer):
    """A segment notes an abort also where it has no message of the transaction."""

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        if action is EndAction.ABORT:
            self._records.set_aborted(self._segment, txn, self._ledger.last)
        super().end(txn, action, low_watermark)


@defect(origin="the proposal's text, which has none")
class MetadataEveryEntryRead(MetadataBuffer):
    """A segment that is loaded reads all its entries, and ignores the watermark."""

    def undecided(self) -> Iterator[Entry]:
        return iter(self._ledger)


@defect(origin="a broker that takes several numbers from the counter at once, and is gone before it has given them")
class MetadataGapsInIds(MetadataCoordinator):
    """A coordinator assigns transaction ids with gaps: they grow, and Pulsar does not promise that they grow by one."""

    def next_id(self) -> TxnId:
        for _ in range(_IDS_SKIPPED):
            super().next_id()
        return super().next_id()


@defect(origin="a store that several clusters share, each with a separate range of numbers")
class MetadataLargeIds(MetadataCoordinator):
    """Transaction ids begin at 2^40: they grow, and the text does not promise that they begin with 0."""

    def next_id(self) -> TxnId:
        txn = super().next_id()
        self.last_sequence = _FIRST_LARGE_ID + txn.sequence
        return TxnId(self.tc_id, self.last_sequence)


@defect(origin="logs that number entries by their place in a file", of=MetadataParts)
class MetadataGapsInEntryNumbers(Ledger):
    """After each entry of a ledger 2 numbers are skipped, because the text does not promise that they grow by one."""

    def append(self, content: Message | LedgerMarker) -> Position:
        position = super().append(content)
        self._next_entry += _ENTRY_NUMBERS_SKIPPED
        return position


@defect(origin="managedLedgerMaxEntriesPerLedger, and every change of a segment's owner", of=MetadataParts)
class MetadataSmallLedgers(Ledger):
    """A ledger takes 2 entries, so that the parts of a transaction are in several."""

    def append(self, content: Message | LedgerMarker) -> Position:
        if self._next_entry >= _ENTRIES_OF_A_LEDGER:
            self._ledger_id, self._next_entry = None, 0
        return super().append(content)


@defect(origin="every cluster with a proxy between clients and brokers", also=[kafka.SlowNetwork])
class MetadataAnswersLate(MetadataCoordinator):
    """The answer to an end is some time on its way, and participants may have followed before it comes."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        super().end(txn, action, lambda: answer_late(self._machine, txn, reply))


class _BufferInOtherWords(MetadataBuffer):
    def publish(self, message: Message) -> Position:
        try:
            return super().publish(message)
        except CommandRefused as refused:
            raise CommandRefused(refused.error, _OTHER_WORDS) from refused


@defect(origin="every store whose watches are notified at any time", of=MetadataParts)
class MetadataLateLooks(kafka.SlowNetwork):
    """Participants read the header some time after its event, so a decided transaction is not visible for a while."""


@defect(origin="every release rewords its messages", also=[_BufferInOtherWords])
class MetadataOtherWords(MetadataCoordinator):
    """Refusals have the same error codes and other messages."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        try:
            super().end(txn, action, reply)
        except CommandRefused as refused:
            raise CommandRefused(refused.error, _OTHER_WORDS) from refused
