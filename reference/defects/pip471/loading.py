"""Defects of metadata-driven transactions in segments that are reloaded."""

import functools
from collections.abc import Iterator

from fencepost.reference.defects.conforming.kafka import SlowNetwork
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.metadata_transactions import paths
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.metadata_transactions.participation import Participation
from fencepost.reference.metadata_transactions.record_models import HeaderState
from fencepost.reference.metadata_transactions.transaction_records import TransactionRecords
from fencepost.reference.pulsar.buffer import MessagePosition, Readable
from fencepost.reference.pulsar.ledger import Ledger
from fencepost.reference.pulsar.pulsar_types import BEFORE_ALL, EndAction, Message, Position, SubscriptionName, TxnId

_NO_WATERMARK = -1
_A_PAGE = 100


def local_name(topic: str) -> str:
    """A topic's full name without tenant and namespace; a segment's keeps its hashes and its number."""
    return topic.split("/", 4)[-1]


@defect(
    {"PIP471-25": seen('^"a1", "b1"$', expected='^"b1"$', what="^readers of orders$")},
    origin="the proposal's text, which has no snapshot of aborted transactions",
)
class MetadataAbortedKnownByMemory(MetadataBuffer):
    """A segment keeps the list of aborted transactions in memory; after a reload it shows their messages."""

    def recover(self) -> None:
        super().recover()
        self._aborted = {}


@defect(
    {"PIP471-70": seen('"a1"', expected='^"p1"$', what="^readers of orders$")},
    origin="red team: of two records under one prefix, one is read",
)
class MetadataTheLastAbortKnown(MetadataBuffer):
    """After a reload a segment knows only the last of its aborted transactions."""

    def recover(self) -> None:
        super().recover()
        self._aborted = dict(sorted(self._aborted.items(), key=lambda one: one[1])[-1:])


@defect(
    {"PIP471-25": seen('^"p1"$', expected='^"b1", "p1"$', what="^readers of orders$")},
    origin="red team: the store has the last place of an aborted transaction, and not each of its places",
)
class MetadataPlacesOfTheAbortedHidden(MetadataBuffer):
    """After a reload a segment hides everything up to the last message of an aborted transaction, also what others have committed."""

    def recover(self) -> None:
        super().recover()
        self._hidden = max(self._aborted.values(), default=BEFORE_ALL)

    def after(self, place: MessagePosition) -> Iterator[Readable]:
        return (readable for readable in super().after(place) if readable.place.position > self._hidden)


@defect(
    {"PIP471-25": seen('"a2"', expected='^"p1"$', what="^readers of high$")},
    origin="red team: one note for each transaction, where each of its segments needs one",
)
class MetadataAbortNotedByOneSegment(MetadataBuffer):
    """The first segment that learns of an abort stores that; the other segments of the transaction show its messages after a reload."""

    def note_aborted(self, txn: TxnId) -> None:
        noted = self._machine.disk.journal("noted aborts")
        if all(one != txn or segment == self._segment for one, segment in noted):
            noted.append((txn, self._segment))
            super().note_aborted(txn)


class _CleansUpLater(Participation):
    def look_next(self) -> None:
        self.reported()


@defect(
    {"PIP471-59": seen('^"a1"$', expected="^nothing$", what="^received by workers$")},
    origin="apache/pulsar#25821, found in its review",
    also=[_CleansUpLater, SlowNetwork],
)
class MetadataAbortedShownUntilCleanup(MetadataBuffer):
    """An aborted transaction that a load finds by its leftover records delays no reader, and its messages are visible until the cleanup
    reaches it."""

    @functools.cached_property
    def decided(self) -> set[TxnId]:
        """The transactions that were found by their leftover records, and that the cleanup must apply."""
        return set()

    def recover(self) -> None:
        super().recover()
        self.decided.update(txn for txn in self._open if self.participation.state_of(txn) is not HeaderState.OPEN)

    @property
    def max_read_position(self) -> Position:
        positions = [position for txn, position in self.ongoing().items() if txn not in self.decided]
        return self._ledger.before(min(positions)) if positions else self._ledger.last


@defect(
    {"PIP471-60": seen('^"a1", "p1"$', expected="^nothing$", what="^readers of orders$")},
    origin="feared by readers of the proposal: a write leaves its record before it has a position",
)
class MetadataOpenWithoutPosition(MetadataBuffer):
    """A segment that is loaded learns which transactions are open and not where they begin, so they delay no reader."""

    def recover(self) -> None:
        super().recover()
        self._open = dict.fromkeys(self._open)


@defect(
    {"PIP471-61": seen("^nothing$", expected='^"a1", "a2"$', what="^readers of orders$")},
    origin="textbook: a new owner that takes its predecessor's transactions for abandoned",
)
class MetadataOpenGivenUpAtLoad(MetadataBuffer):
    """Loading a segment aborts the open transactions there, and the coordinator does not know of it."""

    def recover(self) -> None:
        super().recover()
        for txn in list(self._open):
            self.end(txn, EndAction.ABORT, _NO_WATERMARK)


@defect(
    {"PIP471-60": seen('^"a1", "b1", "p1", "p2"$', expected='^"a1"$', what="^readers of orders$")},
    origin="textbook: a checkpoint of what was read where one of what is decided is due",
)
class MetadataLoadMovesTheWatermark(MetadataBuffer):
    """Loading a segment moves its watermark to its last entry, and the next load looks for open transactions only after that."""

    def recover(self) -> None:
        super().recover()
        self._records.set_watermark(self._segment, self._ledger.last)


class _ForgettingRecords(TransactionRecords):
    def forget_aborted(self, segment: str, txn: TxnId) -> None:
        self._store.delete(paths.aborted(segment, txn))


@defect(
    {"PIP471-25": seen('^"a1", "p1", "b1", "p2"$', expected='^"p1", "b1", "p2"$', what="^readers of orders$")},
    origin="feared by readers of the proposal: it says how long a header is kept, and not how long an abort is known",
    also=[_ForgettingRecords],
)
class MetadataAbortedForgottenFarBehind(MetadataBuffer):
    """The note of an abort is deleted when all transactions before the watermark are decided, as if no reader would read those messages
    again."""

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        assert isinstance(self._records, _ForgettingRecords)
        resolved = self._records.watermark(self._segment)
        for aborted, last in self._aborted.items():
            if resolved is not None and last < resolved:
                self._records.forget_aborted(self._segment, aborted)
        super().end(txn, action, low_watermark)


@defect(
    {"PIP471-60": seen('^"a1", "b1", "a2", "p1"$', expected='^"a1"$', what="^readers of orders$")},
    origin="textbook: what one consumer has finished is treated as finished by all",
)
class MetadataWatermarkBehindItsOwn(MetadataBuffer):
    """The watermark moves to the last entry of the transaction that ends, past the first entry of another one that is open."""

    def note_end(self, txn: TxnId) -> None:
        super().note_end(txn)
        if mine := _positions(self._ledger, txn):
            self._records.set_watermark(self._segment, mine[-1])


@defect(
    {"PIP471-60": seen('^"a1", "b1"$', expected='^"a1"$', what="^readers of orders$")},
    origin="textbook: a loop that overwrites what it has found",
)
class MetadataOpenCountsFromItsLast(MetadataBuffer):
    """A segment that is loaded keeps the last entry of each open transaction that it comes across, and readers get those before."""

    def recover(self) -> None:
        super().recover()
        for txn in self.ongoing():
            self._open[txn] = _positions(self._ledger, txn)[-1]


def _positions(ledger: Ledger, txn: TxnId) -> list[Position]:
    """The positions of the entries of a transaction."""
    return [entry.position for entry in ledger if isinstance(entry.content, Message) and entry.content.txn == txn]


@defect(
    {"PIP471-60": seen('^"c1", "a1"$', expected='^"c1"$', what="^readers of orders$")},
    origin="red team: a key by the local name of a topic",
)
class MetadataWatermarkByLocalName(TransactionRecords):
    """Topics of the same name in two namespaces have one watermark: one that is loaded looks for open transactions after the other's."""

    def watermark(self, segment: str) -> Position | None:
        return super().watermark(local_name(segment))

    def set_watermark(self, segment: str, position: Position) -> None:
        super().set_watermark(local_name(segment), position)


@defect(
    {"PIP471-60": seen('"p1"$', expected="^nothing$", what="^readers of orders$")},
    origin="textbook: a list of which the first page is read",
)
class MetadataPageOfWritesRecovered(TransactionRecords):
    """A segment that is loaded reads the first 100 of its operation records; a transaction whose records come later delays no reader."""

    def writes(self, segment: str) -> set[TxnId]:
        key = paths.segment(segment)
        found = self._store.keys_by_index(paths.WRITES_BY_SEGMENT, key, key + "\0")[:_A_PAGE]
        return {paths.txn_of(one.removeprefix(paths.OPERATIONS).rpartition("-")[0]) for one in found}


@defect(
    {"PIP471-60": seen('"d1"', expected="^nothing$", what="^readers of orders$")},
    origin="red team: half of an id used as a key",
)
class MetadataRecordsDeletedByNumber(TransactionRecords):
    """A participant that has applied an end deletes its operation records of all transactions with that number, at whatever coordinator."""

    def delete_operations(self, txn: TxnId, participant: str | SubscriptionName) -> None:
        for alike in {one for one in self.all_headers() if one.sequence == txn.sequence} | {txn}:
            super().delete_operations(alike, participant)


@defect(
    {"PIP471-60": seen('^"b1", "a1"$', expected='^"b1"$', what="^readers of root$")},
    origin="red team: a sealed segment that is treated as decided, since nothing more is written there",
)
class MetadataSealedWithholdsNothing(MetadataBuffer):
    """A sealed segment that is reloaded shows everything that is not aborted, as if no transaction could be open there."""

    def recover(self) -> None:
        super().recover()
        if len(self._machine.disk.journal(f"terminated {self._segment}")):
            self._open.clear()
