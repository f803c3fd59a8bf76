"""Defects of metadata-driven transactions in segments that are loaded again."""

import functools

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.defects.lawful.kafka import SlowNetwork
from fencepost.reference.metadata_transactions import paths
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.metadata_transactions.participation import Participation
from fencepost.reference.metadata_transactions.records import State
from fencepost.reference.metadata_transactions.transaction_records import TransactionRecords
from fencepost.reference.pulsar.ledger import Ledger
from fencepost.reference.pulsar.values import Action, Message, Position, TxnId

_NO_WATERMARK = -1


def local_name(topic: str) -> str:
    """What is left of a topic's full name without tenant and namespace; of a segment's, with its hashes and its number."""
    return topic.split("/", 4)[-1]


@defect(
    {"PIP471-25": seen('^"a1", "b1"$', expected='^"b1"$', what="^readers of orders$")},
    origin="the proposal's text, which has no snapshot of aborted transactions",
)
class MetadataAbortedKnownByMemory(MetadataBuffer):
    """What is aborted is known while the segment is loaded; whoever loads it again shows it."""

    def recover(self) -> None:
        super().recover()
        self._aborted = {}


@defect(
    {"PIP471-70": seen('"a1"', expected='^"p1"$', what="^readers of orders$")},
    origin="red team: of two records under one prefix, one is read",
)
class MetadataTheLastAbortKnown(MetadataBuffer):
    """A segment that is loaded again knows of its aborted transactions the last one alone."""

    def recover(self) -> None:
        super().recover()
        self._aborted = dict(sorted(self._aborted.items(), key=lambda one: one[1])[-1:])


class _CleansUpLater(Participation):
    def look_next(self) -> None:
        self.told()


@defect(
    {"PIP471-59": seen('^"a1"$', expected="^nothing$", what="^received by workers$")},
    origin="apache/pulsar#25821, found in its review",
    also=[_CleansUpLater, SlowNetwork],
)
class MetadataAbortedShownUntilCleanup(MetadataBuffer):
    """An aborted transaction that a load finds by its leftover records holds nobody up, and is shown until the cleanup comes to it."""

    @functools.cached_property
    def decided(self) -> set[TxnId]:
        """What was found by its leftover records, and is for the cleanup to apply."""
        return set()

    def recover(self) -> None:
        super().recover()
        self.decided.update(txn for txn in self._open if self.participation.state_of(txn) is not State.OPEN)

    @property
    def max_read_position(self) -> Position:
        positions = [position for txn, position in self.ongoing().items() if txn not in self.decided]
        return self._ledger.before(min(positions)) if positions else self._ledger.last


@defect(
    {"PIP471-60": seen('^"a1", "p1"$', expected="^nothing$", what="^readers of orders$")},
    origin="feared by readers of the proposal: a write leaves its record before it has a position",
)
class MetadataOpenWithoutPosition(MetadataBuffer):
    """A segment that is loaded learns which transactions are open, and not where they begin, so that they hold nobody up."""

    def recover(self) -> None:
        super().recover()
        self._open = dict.fromkeys(self._open)


@defect(
    {"PIP471-61": seen("^nothing$", expected='^"a1", "a2"$', what="^readers of orders$")},
    origin="textbook: a new owner that takes its predecessor's transactions for abandoned",
)
class MetadataOpenGivenUpAtLoad(MetadataBuffer):
    """Whoever loads a segment aborts there what was open, and the coordinator knows nothing of it."""

    def recover(self) -> None:
        super().recover()
        for txn in list(self._open):
            self.end(txn, Action.ABORT, _NO_WATERMARK)


@defect(
    {"PIP471-60": seen('^"a1", "b1", "p1", "p2"$', expected='^"a1"$', what="^readers of orders$")},
    origin="textbook: a checkpoint of what was read where one of what is decided is due",
)
class MetadataLoadMovesTheWatermark(MetadataBuffer):
    """Whoever loads a segment notes that it has read all that is there, and the next load looks for open transactions behind that."""

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
    """The note of an abort is deleted when all that lies before the watermark is decided, as if nobody read that any more."""

    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        assert isinstance(self._records, _ForgettingRecords)
        resolved = self._records.watermark(self._segment)
        for aborted, last in self._aborted.items():
            if resolved is not None and last < resolved:
                self._records.forget_aborted(self._segment, aborted)
        super().end(txn, action, low_watermark)


@defect(
    {"PIP471-60": seen('^"a1", "b1", "a2", "p1"$', expected='^"a1"$', what="^readers of orders$")},
    origin="textbook: what one has done with taken for what all have done with",
)
class MetadataWatermarkBehindItsOwn(MetadataBuffer):
    """The watermark moves to the last entry of whoever ends, past the first one of another transaction that is open between them."""

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
    """Where the entries of a transaction stand."""
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
