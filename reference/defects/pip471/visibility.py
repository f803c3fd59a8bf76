"""Defects of metadata-driven transactions in what readers see."""

import functools
from collections.abc import Iterator
from dataclasses import replace

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.metadata_transactions import paths
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.metadata_transactions.participation import Participation
from fencepost.reference.metadata_transactions.record_models import HeaderState, MalformedRecord
from fencepost.reference.metadata_transactions.transaction_records import TransactionRecords
from fencepost.reference.pulsar.buffer import MessagePosition, Readable
from fencepost.reference.pulsar.pulsar_types import BEFORE_ALL, EndAction, Message, Position, SubscriptionName, TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused


@defect(
    {"PIP471-18": seen('^"p1", "b1"$', expected='^"p1"$', what="^readers of orders$")},
    origin="textbook: the greatest where the least is due",
)
class MetadataStopsAtTheLastOpen(MetadataBuffer):
    """If several transactions are open, readers stop before the one that began last."""

    @property
    def max_read_position(self) -> Position:
        positions = self.ongoing().values()
        return self._ledger.before(max(positions)) if positions else super().max_read_position


@defect(
    {"PIP471-19": seen('"p1"', expected="^nothing$", what="^readers of orders$")},
    origin="feared by readers of the proposal: a position that each write overwrites",
)
class MetadataMovedOnWithEachMessage(MetadataBuffer):
    """A segment keeps the last position of an open transaction instead of the first, and shows what was written between them."""

    def publish(self, message: Message) -> Position:
        position = super().publish(message)
        if message.txn in self._open:
            self._open[message.txn] = position
        return position


@defect(
    {"PIP471-18": seen('^"c1", "a1"$', expected='^"c1"$', what="^readers of orders$")},
    origin="feared: positions of two parts of which one is compared, which is right until a segment has its second ledger",
)
class MetadataNumbersOfEntriesCompared(MetadataBuffer):
    """If several transactions are open, readers stop before the one with the lowest entry number, whichever ledger that entry is in."""

    @property
    def max_read_position(self) -> Position:
        positions = self.ongoing().values()
        return self._ledger.before(min(positions, key=lambda position: position.entry)) if positions else super().max_read_position


@defect(
    {"PIP471-19": seen('^"p1"$', expected="^nothing$", what="^readers of orders$")},
    origin="apache/pulsar#12382: readers went beyond an open transaction, and what it committed never came",
)
class MetadataOpenIsLeftOut(MetadataBuffer):
    """Messages of an open transaction are left out like aborted ones, and readers pass them."""

    def after(self, place: MessagePosition) -> Iterator[Readable]:
        for entry in self._ledger.after(place.position):
            if isinstance(entry.content, Message) and entry.content.txn not in self._open and self.is_shown(entry.content):
                yield Readable(MessagePosition(entry.position), entry.content)


@defect(
    {"PIP471-20": seen("not even the sentinel", expected='^"p1"$', what="^readers of high$")},
    origin="feared by readers of the proposal: the limit of a topic, which was one thing before",
)
class MetadataAllSegmentsHeldUp(MetadataBuffer):
    """A transaction that is open in one segment of a topic holds up the readers of all others."""

    @property
    def max_read_position(self) -> Position:
        return BEFORE_ALL if self.is_open_in_the_topic() else super().max_read_position

    def is_open_in_the_topic(self) -> bool:
        """Whether an open transaction has written to another segment of the topic."""
        opened = [txn for txn, header in self._records.all_headers().items() if header.state is HeaderState.OPEN]
        segments = {operation.segment for txn in opened for operation in self._records.operations(txn)}
        return any(_of(segment) == _of(self._segment) for segment in segments - {self._segment})


def _of(segment: str) -> str:
    """The scalable topic of a segment."""
    return segment.rpartition("/")[0]


@defect(
    {"PIP471-18": seen("^nothing$", expected='^"p1"$', what="^readers of orders$")},
    origin="feared by readers of the proposal: a write leaves its record first, and a crash may be between the two",
)
class MetadataHeldUpWithoutAMessage(MetadataBuffer):
    """A segment that is loaded and finds an open transaction's record without its message does not know where that begins: nothing is
    shown before it ends."""

    def recover(self) -> None:
        super().recover()
        self._open = {txn: BEFORE_ALL if position is None else position for txn, position in self._open.items()}


@defect(
    {"PIP471-21": seen("not even the sentinel", expected='^"a1", "a2"$', what="^readers of orders$")},
    origin="feared by readers of the proposal: watches on cached headers, and a cache that is never cleared",
)
class MetadataHeaderIsKept(Participation):
    """A participant keeps the header that it read first, and never learns that the state is not OPEN any more."""

    @functools.cached_property
    def states(self) -> dict[TxnId, HeaderState]:
        """The states that the headers had when they were read."""
        return {}

    def state_of(self, txn: TxnId) -> HeaderState:
        if txn not in self.states:
            self.states[txn] = super().state_of(txn)
        return self.states[txn]


@defect(
    {"PIP471-23": seen('^"a1", "p1"$', expected='^"p1"$', what="^readers of orders$")},
    origin="apache/pulsar#19814: aborted messages were delivered",
)
class MetadataEveryEndIsACommit(MetadataBuffer):
    """A segment only asks whether the transaction is still open, and shows what was aborted."""

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:  # noqa: ARG002 - that is the defect
        super().end(txn, EndAction.COMMIT, low_watermark)


@defect(
    {"PIP471-24": seen('^"a1", "b1"$', expected='^"b1"$', what="^readers of orders$")},
    origin="feared by readers of the proposal: it says how long a header is kept, and not how long an abort is known",
)
class MetadataAbortedForgottenAtACommit(MetadataBuffer):
    """A segment knows what is aborted until the next commit in it, as if readers had passed it by then."""

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        super().end(txn, action, low_watermark)
        if action is EndAction.COMMIT:
            self._aborted.clear()


@defect({"PIP471-55": seen('^"a2"$', expected="^nothing$", what="^readers of payments$")}, origin="textbook: a name without its namespace")
class MetadataOneNamespace(MetadataBuffer):
    """A transaction belongs to the namespace to which it wrote first; what it writes elsewhere is outside of it."""

    def publish(self, message: Message) -> Position:
        written = self._records.operations(message.txn) if message.txn else []
        is_elsewhere = any(_of(_of(operation.segment)) != _of(_of(self._segment)) for operation in written)
        return super().publish(replace(message, txn=None) if is_elsewhere else message)


@defect(
    {"PIP471-64": seen("^nothing$", expected='^"1", "3", "5"', what="^messages of orders$")},
    origin="feared by readers of the proposal: an index of aborted transactions by their positions",
)
class MetadataHiddenUpToTheLastAborted(MetadataBuffer):
    """An abort is kept as a position, and all messages before it are hidden, whatever their transaction."""

    def after(self, place: MessagePosition) -> Iterator[Readable]:
        last = max(self._aborted.values(), default=BEFORE_ALL)
        return (readable for readable in super().after(place) if readable.place.position > last)


@defect(
    {"PIP471-18": seen("^nothing$", expected='^"b1"$', what="^readers of orders$")},
    origin="textbook: the order of ids treated as the order of messages",
)
class MetadataLookWaitsForTheOldest(Participation):
    """A segment asks for its open transactions, the oldest first, and stops at one that is still open."""

    def look(self) -> None:
        oldest = min(self._waiting(), default=None)
        if oldest is not None and self.state_of(oldest) is not HeaderState.OPEN:
            super().look()


@defect(
    {"PIP471-23": seen('^"p1"$', expected='^"b1", "p1"$', what="^readers of orders$")},
    origin="feared by readers of the proposal: an index of aborted transactions by their positions",
)
class MetadataAbortedKeptAsARange(MetadataBuffer):
    """A segment keeps the first and last position of an aborted transaction, and hides every message between them."""

    @functools.cached_property
    def ranges(self) -> list[tuple[Position, Position]]:
        """From where to where each aborted transaction has written."""
        return []

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        mine = [entry.position for entry in self._ledger if isinstance(entry.content, Message) and entry.content.txn == txn]
        if mine and action is EndAction.ABORT:
            self.ranges.append((mine[0], mine[-1]))
        super().end(txn, action, low_watermark)

    def after(self, place: MessagePosition) -> Iterator[Readable]:
        for readable in super().after(place):
            if readable.message.txn is None or not any(first <= readable.place.position <= last for first, last in self.ranges):
                yield readable


@defect(
    {"PIP471-64": seen('"10", "11", "12"$', expected='^"1", "3", "5", "7", "9", "11"', what="^messages of orders$")},
    origin="textbook: a prefix of the key where the key is due",
)
class MetadataRecordsThatBeginAlike(TransactionRecords):
    """Operation records are deleted by what their keys begin with: those of transaction 10 go with the end of transaction 1."""

    def delete_operations(self, txn: TxnId, participant: str | SubscriptionName) -> None:
        there = self.writes(participant) if isinstance(participant, str) else {owner for owner, _ in self.acknowledgements(participant)}
        for other in {txn, *there}:
            if paths.key_of(other).startswith(paths.key_of(txn)):
                super().delete_operations(other, participant)


@defect(
    {"PIP471-23": seen('^"a1", "a2", "p1"$', expected='^"p1"$', what="^readers of orders$")},
    origin="feared: clients batch by default, and the transaction is in the metadata of the whole batch",
)
class MetadataAbortedBatchIsShown(MetadataBuffer):
    """The segment looks for an aborted transaction only in single messages, and not in a batch, which is shown."""

    def is_shown(self, message: Message) -> bool:
        return message.batch_size is not None or super().is_shown(message)


@defect(
    {"PIP471-18": seen('^"a1", "b1", "c1"$', expected='^"a1", "b1"$', what="^readers of orders$")},
    origin="red team: an optimisation for the usual case, in which few transactions are open",
)
class MetadataTwoPinsAtMost(MetadataBuffer):
    """A transaction that begins to write while two others are open pins nothing: when both have ended, its messages are shown."""

    @functools.cached_property
    def unpinned(self) -> set[TxnId]:
        """The transactions that pin nothing."""
        return set()

    def publish(self, message: Message) -> Position:
        others = self.ongoing().keys() - self.unpinned
        if message.txn is not None and message.txn not in others and len(others) > 1:
            self.unpinned.add(message.txn)
        return super().publish(message)

    @property
    def max_read_position(self) -> Position:
        positions = [position for txn, position in self.ongoing().items() if txn not in self.unpinned]
        return self._ledger.before(min(positions)) if positions else self._ledger.last


_MOST_REMEMBERED = 16


@defect(
    {"PIP471-64": seen('"2"', expected='^"1", "3"', what="^messages of orders$")},
    origin="red team: a cache of headers with a limit, which is asked as if it were complete",
)
class MetadataFewAbortsRemembered(MetadataBuffer):
    """A segment remembers its newest sixteen aborts; what was aborted before them is shown."""

    def is_aborted(self, txn: TxnId) -> bool:
        return txn in [*self._aborted][-_MOST_REMEMBERED:]


@defect(
    {
        "PIP471-21": seen('^"p1"$', expected='^"a1", "p1"$', what="^readers of orders$"),
        "PIP471-30": seen('^"i1", "i2", "i3", "i4"$', expected='^"i2", "i3", "i4"$', what="^left for workers$"),
    },
    origin="red team: a failure of the store that is treated as a missing header",
)
class MetadataUnansweredIsAborted(Participation):
    """A participant that gets no answer from the store treats the transaction as one without a header, and so as aborted."""

    def state_of(self, txn: TxnId) -> HeaderState:
        try:
            return super().state_of(txn)
        except MalformedRecord:
            raise
        except CommandRefused:
            return HeaderState.ABORTED
