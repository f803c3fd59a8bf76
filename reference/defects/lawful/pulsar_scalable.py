"""Unusual for metadata-driven transactions, and lawful: what a suite must not take for a defect."""

import functools
from collections import Counter
from collections.abc import Iterator

from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.metadata_transactions.collection import Collection
from fencepost.reference.metadata_transactions.coordinator import MetadataCoordinator
from fencepost.reference.metadata_transactions.participation import Participation
from fencepost.reference.metadata_transactions.records import State
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.errors import Refused
from fencepost.reference.pulsar.ledger import Entry, Ledger, Marker
from fencepost.reference.pulsar.values import Action, Message, Position, TxnId

from . import kafka

_ENTRIES_OF_A_LEDGER = 2
_IDS_SKIPPED = 4
_KEPT_LONGER_MS = 2_000
_ROUNDS = 3
_OTHER_WORDS = "computer says no"


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
