"""Unusual for metadata-driven transactions, and lawful: what a suite must not take for a defect."""

import functools
from collections import Counter
from collections.abc import Iterator, Sequence

from fencepost.reference.defects.defect import Defect
from fencepost.reference.defects.sealed import is_sealed
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.metadata_transactions.collection import Collection
from fencepost.reference.metadata_transactions.coordinator import MetadataCoordinator
from fencepost.reference.metadata_transactions.participation import Participation
from fencepost.reference.metadata_transactions.records import State
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.errors import Refused
from fencepost.reference.pulsar.ledger import Entry, Ledger, Marker
from fencepost.reference.pulsar.values import Action, Message, Position, SubscriptionName, TxnId
from fencepost.reference.scalable.changes import LayoutChanges
from fencepost.reference.scalable.layout import Layout, Segment
from fencepost.reference.scalable.sessions import Assignment, Session, Sessions

from . import kafka

_ENTRIES_OF_A_LEDGER = 2
_IDS_SKIPPED = 4
_FIRST_LARGE_ID = 2**40
_ENTRY_NUMBERS_SKIPPED = 2
_KEPT_LONGER_MS = 2_000
_ROUNDS = 3
_WAITED_LONGER_MS = 10_000
_OTHER_WORDS = "computer says no"


class _KeepsTheDrained(Sessions):
    def segments_for(self, topic: str, subscription: str, layout: Layout) -> list[Segment]:
        found = super().segments_for(topic, subscription, layout)
        parents = {number for one in found for number in one.parents}
        return found + [one for one in layout.sealed if one.number in parents and one not in found]


class _TellsAssignmentsTwice(Sessions):
    def tell(self, session: Session, assignment: Assignment) -> None:
        is_first, is_news = session.assignment is None, session.assignment != assignment
        super().tell(session, assignment)
        if is_news and not is_first:
            session.tell(assignment)


class _WaitsLonger(Sessions):
    def waited_for_until(self, name: str) -> int:
        return super().waited_for_until(name) + _WAITED_LONGER_MS


class _TellsTwice(MetadataCoordinator):
    def tell(self, txn: TxnId, decision: State) -> None:
        super().tell(txn, decision)
        super().tell(txn, decision)


class _TellsTheLastFirst(MetadataCoordinator):
    def tell(self, txn: TxnId, decision: State) -> None:
        for participant in reversed(self._records.participants(txn)):
            self._records.tell(participant, txn, decision)


class _TellsNobody(MetadataCoordinator):
    def tell(self, txn: TxnId, decision: State) -> None:
        """Whoever takes part looks by itself."""


class _TellsNobodyOfTheSealed(MetadataCoordinator):
    def tell(self, txn: TxnId, decision: State) -> None:
        """Whoever takes part in a sealed segment looks by itself."""
        for participant in self._records.participants(txn):
            segment = participant.topic if isinstance(participant, SubscriptionName) else participant
            if not is_sealed(self._machine.disk, segment):
                self._records.tell(participant, txn, decision)


class _SealsTheLastParentFirst(LayoutChanges):
    def seal(self, parents: Sequence[str]) -> None:
        super().seal(tuple(reversed(parents)))


class _KeepsLonger(Collection):
    def oldest_kept(self) -> int:
        return super().oldest_kept() - _KEPT_LONGER_MS


class _LooksSeldom(Participation):
    @functools.cached_property
    def rounds(self) -> Counter[str]:
        """How often it might have looked."""
        return Counter()

    def look_by_itself(self) -> None:
        self.rounds["look"] += 1
        if self.rounds["look"] % _ROUNDS == 0:
            super().look_by_itself()


class _SweepsSeldom(MetadataCoordinator):
    @functools.cached_property
    def rounds(self) -> Counter[str]:
        """How often it might have swept."""
        return Counter()

    def abort_timed_out(self) -> None:
        self.rounds["sweep"] += 1
        if self.rounds["sweep"] % _ROUNDS == 0:
            super().abort_timed_out()


class _NotesEveryAbort(MetadataBuffer):
    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        if action is Action.ABORT:
            self._records.set_aborted(self._segment, txn, self._ledger.last)
        super().end(txn, action, low_watermark)


class _ReadsEveryEntry(MetadataBuffer):
    def undecided(self) -> Iterator[Entry]:
        return iter(self._ledger)


class _SkipsIds(MetadataCoordinator):
    def next_id(self) -> TxnId:
        for _ in range(_IDS_SKIPPED):
            super().next_id()
        return super().next_id()


class _BeginsWithLargeIds(MetadataCoordinator):
    def next_id(self) -> TxnId:
        txn = super().next_id()
        self.last_sequence = _FIRST_LARGE_ID + txn.sequence
        return TxnId(self.tc_id, self.last_sequence)


class _NumbersInStrides(Ledger):
    def append(self, content: Message | Marker) -> Position:
        position = super().append(content)
        self._next_entry += _ENTRY_NUMBERS_SKIPPED
        return position


class _RollsOver(Ledger):
    def append(self, content: Message | Marker) -> Position:
        if self._next_entry >= _ENTRIES_OF_A_LEDGER:
            self._ledger_id, self._next_entry = None, 0
        return super().append(content)


class _AnswersLate(MetadataCoordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        super().end(txn, action, lambda: self._machine.send(f"answer to {txn}", lambda _: reply()))


class _CoordinatorInOtherWords(MetadataCoordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        try:
            super().end(txn, action, reply)
        except Refused as refused:
            raise Refused(refused.error, _OTHER_WORDS) from refused


class _BufferInOtherWords(MetadataBuffer):
    def publish(self, message: Message) -> Position:
        try:
            return super().publish(message)
        except Refused as refused:
            raise Refused(refused.error, _OTHER_WORDS) from refused


LATE_LOOKS = Defect(
    name="metadata-late-looks",
    story="Who takes part looks some time after it is told, so that a transaction is decided for a while before anybody sees it.",
    origin="every store whose watches come when they come",
    parts=MetadataParts(network=kafka.SlowNetwork),
)

EVENTS_TOLD_TWICE = Defect(
    name="metadata-events-told-twice",
    story="Each participant has two events of each end.",
    origin="a coordinator that tells again since it did not see that it had told",
    parts=MetadataParts(metadata_coordinator=_TellsTwice),
)

EVENTS_LAST_FIRST = Defect(
    name="metadata-events-last-first",
    story="Who came last into a transaction is told first of its end.",
    origin="stores that list records in an order of their own",
    parts=MetadataParts(metadata_coordinator=_TellsTheLastFirst),
)

NOBODY_IS_TOLD = Defect(
    name="metadata-nobody-is-told",
    story="There are no events: whoever takes part looks at the headers from time to time.",
    origin="the proposal's text, Q12: a list that is read again where a watch is not to be had",
    parts=MetadataParts(metadata_coordinator=_TellsNobody),
)

KEPT_LONGER = Defect(
    name="metadata-kept-longer",
    story=f"Headers are kept for {_KEPT_LONGER_MS} ms more than elsewhere: how long is a setting.",
    origin="the proposal's text, Q13",
    parts=MetadataParts(collection=_KeepsLonger),
)

LOOKS_SELDOM = Defect(
    name="metadata-looks-seldom",
    story=f"Whoever takes part looks by itself {_ROUNDS} times less often.",
    origin="brokers that spare the store",
    parts=MetadataParts(participation=_LooksSeldom),
)

SWEEPS_SELDOM = Defect(
    name="metadata-sweeps-seldom",
    story=f"A coordinator looks {_ROUNDS} times less often for what is overdue, and aborts it later.",
    origin="brokers that spare the store",
    parts=MetadataParts(metadata_coordinator=_SweepsSeldom),
)

EVERY_ABORT_NOTED = Defect(
    name="metadata-every-abort-noted",
    story="A segment notes an abort also where it has nothing of the transaction.",
    origin="Apache Pulsar 5, which does not look for the entries",
    parts=MetadataParts(metadata_buffer=_NotesEveryAbort),
)

EVERY_ENTRY_READ = Defect(
    name="metadata-every-entry-read",
    story="A segment that is loaded reads all its entries, and makes nothing of the watermark.",
    origin="the proposal's text, which has none",
    parts=MetadataParts(metadata_buffer=_ReadsEveryEntry),
)

GAPS_IN_METADATA_IDS = Defect(
    name="metadata-gaps-in-ids",
    story="A coordinator gives out numbers with gaps; they grow, and nobody promised that they grow by one.",
    origin="a broker that takes several numbers from the counter at once, and is gone before it has given them",
    parts=MetadataParts(metadata_coordinator=_SkipsIds),
)

LARGE_METADATA_IDS = Defect(
    name="metadata-large-ids",
    story="The numbers of transactions begin at 2^40; they grow, and nobody promised that they begin with 0.",
    origin="a store that several clusters share, each with a range of numbers of its own",
    parts=MetadataParts(metadata_coordinator=_BeginsWithLargeIds),
)

GAPS_IN_ENTRY_NUMBERS = Defect(
    name="metadata-gaps-in-entry-numbers",
    story=f"After each entry of a ledger {_ENTRY_NUMBERS_SKIPPED} numbers are left out, for nobody promised that they grow by one.",
    origin="logs that number entries by their place in a file",
    parts=MetadataParts(ledger=_NumbersInStrides),
)

SMALL_LEDGERS_OF_SEGMENTS = Defect(
    name="metadata-small-ledgers",
    story=f"A ledger takes {_ENTRIES_OF_A_LEDGER} entries, so that the parts of a transaction are in several.",
    origin="managedLedgerMaxEntriesPerLedger, and every change of a segment's owner",
    parts=MetadataParts(ledger=_RollsOver),
)

ANSWERS_LATE = Defect(
    name="metadata-answers-late",
    story="The answer to an end is some time on its way, and participants may have followed before it comes.",
    origin="every cluster with a proxy between clients and brokers",
    parts=MetadataParts(metadata_coordinator=_AnswersLate, network=kafka.SlowNetwork),
)

OTHER_WORDS = Defect(
    name="metadata-other-words",
    story="Refusals have their error codes and other words beside them.",
    origin="every release words its messages anew",
    parts=MetadataParts(metadata_coordinator=_CoordinatorInOtherWords, metadata_buffer=_BufferInOtherWords),
)

NOBODY_OF_THE_SEALED_TOLD = Defect(
    name="metadata-sealed-is-not-told",
    story="Of an end, those who take part in sealed segments are not told: they find it when they look by themselves.",
    origin="a watch costs something, and a sealed segment is read by few",
    parts=MetadataParts(metadata_coordinator=_TellsNobodyOfTheSealed),
)

LAST_PARENT_SEALED_FIRST = Defect(
    name="metadata-last-parent-sealed-first",
    story="Of the segments that are merged the one with the highest hashes is sealed first.",
    origin="the proposal names no order",
    parts=MetadataParts(layout_changes=_SealsTheLastParentFirst),
)

DRAINED_STAY_ASSIGNED = Defect(
    name="scalable-drained-stay-assigned",
    story="A consumer keeps a sealed segment that its subscription has drained until the segment is pruned.",
    origin="Apache Pulsar 5.0.0-M1",
    parts=MetadataParts(sessions=_KeepsTheDrained),
)

ASSIGNMENTS_TOLD_TWICE = Defect(
    name="scalable-assignments-told-twice",
    story="Each change of an assignment is told twice.",
    origin="Apache Pulsar 5.0.0-M1, now and then",
    parts=MetadataParts(sessions=_TellsAssignmentsTwice),
)

CONSUMERS_WAITED_FOR_LONGER = Defect(
    name="scalable-consumers-waited-for-longer",
    story="A consumer that is lost keeps its segments a while longer than a minute.",
    origin="the proposal says about a minute",
    parts=MetadataParts(sessions=_WaitsLonger),
)
