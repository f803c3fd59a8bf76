"""Defects of metadata-driven transactions in what readers see."""

import functools
from collections.abc import Iterator
from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata_transactions import MetadataParts, paths
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.metadata_transactions.participation import Participation
from fencepost.reference.metadata_transactions.records import State
from fencepost.reference.metadata_transactions.transaction_records import TransactionRecords
from fencepost.reference.pulsar.buffer import Place, Readable
from fencepost.reference.pulsar.values import BEFORE_ALL, Action, Message, Position, SubscriptionName, TxnId


class _StopsAtTheLast(MetadataBuffer):
    @property
    def max_read_position(self) -> Position:
        positions = self.ongoing().values()
        return self._ledger.before(max(positions)) if positions else super().max_read_position


class _MovesOnWithEachMessage(MetadataBuffer):
    def publish(self, message: Message) -> Position:
        position = super().publish(message)
        if message.txn in self._open:
            self._open[message.txn] = position
        return position


class _ComparesNumbersOfEntries(MetadataBuffer):
    @property
    def max_read_position(self) -> Position:
        positions = self.ongoing().values()
        return self._ledger.before(min(positions, key=lambda position: position.entry)) if positions else super().max_read_position


class _LeavesOutWhatIsOpen(MetadataBuffer):
    def after(self, place: Place) -> Iterator[Readable]:
        for entry in self._ledger.after(place.position):
            if isinstance(entry.content, Message) and entry.content.txn not in self._open and self.is_shown(entry.content):
                yield Readable(Place(entry.position), entry.content)


class _StopsAllSegments(MetadataBuffer):
    @property
    def max_read_position(self) -> Position:
        return BEFORE_ALL if self.is_open_in_the_topic() else super().max_read_position

    def is_open_in_the_topic(self) -> bool:
        """Whether an open transaction has written to another segment of the topic."""
        opened = [txn for txn, header in self._records.all_headers().items() if header.state is State.OPEN]
        segments = {operation.segment for txn in opened for operation in self._records.operations(txn)}
        return any(_of(segment) == _of(self._segment) for segment in segments - {self._segment})


def _of(segment: str) -> str:
    """The scalable topic of a segment."""
    return segment.rpartition("/")[0]


class _HoldsUpAllWithoutAMessage(MetadataBuffer):
    def recover(self) -> None:
        super().recover()
        self._open = {txn: BEFORE_ALL if position is None else position for txn, position in self._open.items()}


class _KeepsTheHeader(Participation):
    @functools.cached_property
    def states(self) -> dict[TxnId, State]:
        """What the headers said when they were read."""
        return {}

    def state_of(self, txn: TxnId) -> State:
        if txn not in self.states:
            self.states[txn] = super().state_of(txn)
        return self.states[txn]


class _EveryEndIsACommit(MetadataBuffer):
    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:  # noqa: ARG002 - that is the defect
        super().end(txn, Action.COMMIT, low_watermark)


class _ForgetsTheAborted(MetadataBuffer):
    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        super().end(txn, action, low_watermark)
        if action is Action.COMMIT:
            self._aborted.clear()


class _KnowsOneNamespace(MetadataBuffer):
    def publish(self, message: Message) -> Position:
        written = self._records.operations(message.txn) if message.txn else []
        is_elsewhere = any(_of(_of(operation.segment)) != _of(_of(self._segment)) for operation in written)
        return super().publish(replace(message, txn=None) if is_elsewhere else message)


class _HidesUpToTheLastAborted(MetadataBuffer):
    def after(self, place: Place) -> Iterator[Readable]:
        last = max(self._aborted.values(), default=BEFORE_ALL)
        return (readable for readable in super().after(place) if readable.place.position > last)


class _WaitsForTheOldest(Participation):
    def look(self) -> None:
        oldest = min(self._waiting(), default=None)
        if oldest is not None and self.state_of(oldest) is not State.OPEN:
            super().look()


class _HidesARange(MetadataBuffer):
    @functools.cached_property
    def ranges(self) -> list[tuple[Position, Position]]:
        """From where to where each aborted transaction has written."""
        return []

    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        mine = [entry.position for entry in self._ledger if isinstance(entry.content, Message) and entry.content.txn == txn]
        if mine and action is Action.ABORT:
            self.ranges.append((mine[0], mine[-1]))
        super().end(txn, action, low_watermark)

    def after(self, place: Place) -> Iterator[Readable]:
        for readable in super().after(place):
            if readable.message.txn is None or not any(first <= readable.place.position <= last for first, last in self.ranges):
                yield readable


class _DeletesWhatBeginsAlike(TransactionRecords):
    def delete_operations(self, txn: TxnId, participant: str | SubscriptionName) -> None:
        there = self.writes(participant) if isinstance(participant, str) else {owner for owner, _ in self.acknowledgements(participant)}
        for other in {txn, *there}:
            if paths.key_of(other).startswith(paths.key_of(txn)):
                super().delete_operations(other, participant)


class _LooksAtSingleMessages(MetadataBuffer):
    def is_shown(self, message: Message) -> bool:
        return message.batch_size is not None or super().is_shown(message)


STOPS_AT_THE_LAST = Defect(
    name="metadata-stops-at-the-last-open",
    breaks={"PIP471-18": Symptom(what="^readers of orders$", expected='^"p1"$', seen='^"p1", "b1"$')},
    story="Of several open transactions the one that began last says how far readers go.",
    origin="textbook: the greatest where the least is due",
    parts=MetadataParts(metadata_buffer=_StopsAtTheLast),
)

OPEN_IS_LEFT_OUT = Defect(
    name="metadata-open-is-left-out",
    breaks={"PIP471-19": Symptom(what="^readers of orders$", expected="^nothing$", seen='^"p1"$')},
    story="Messages of an open transaction are left out like aborted ones, and readers pass them.",
    origin="apache/pulsar#12382: readers went beyond an open transaction, and what it committed never came",
    parts=MetadataParts(metadata_buffer=_LeavesOutWhatIsOpen),
)

ALL_SEGMENTS_HELD_UP = Defect(
    name="metadata-all-segments-held-up",
    breaks={"PIP471-20": Symptom(what="^readers of high$", expected='^"p1"$', seen="not even the sentinel")},
    story="A transaction that is open in one segment of a topic holds up the readers of all others.",
    origin="feared by readers of the proposal: the limit of a topic, which was one thing before",
    parts=MetadataParts(metadata_buffer=_StopsAllSegments),
)

HEADER_IS_KEPT = Defect(
    name="metadata-header-is-kept",
    breaks={"PIP471-21": Symptom(what="^readers of orders$", expected='^"a1", "a2"$', seen="not even the sentinel")},
    story="A participant keeps the header as it read it first, and never learns that it is not OPEN any more.",
    origin="feared by readers of the proposal: watches on cached headers, and a cache that nobody clears",
    parts=MetadataParts(participation=_KeepsTheHeader),
)

EVERY_END_IS_A_COMMIT = Defect(
    name="metadata-every-end-is-a-commit",
    breaks={"PIP471-23": Symptom(what="^readers of orders$", expected='^"p1"$', seen='^"a1", "p1"$')},
    story="A segment only asks whether the transaction is open still, and shows what was aborted.",
    origin="apache/pulsar#19814: aborted messages were delivered",
    parts=MetadataParts(metadata_buffer=_EveryEndIsACommit),
)

ABORTED_FORGOTTEN_AT_A_COMMIT = Defect(
    name="metadata-aborted-forgotten-at-a-commit",
    breaks={"PIP471-24": Symptom(what="^readers of orders$", expected='^"b1"$', seen='^"a1", "b1"$')},
    story="What is aborted is known until the next commit in the segment, since readers have passed it by then.",
    origin="feared by readers of the proposal: it says how long a header is kept, and not how long an abort is known",
    parts=MetadataParts(metadata_buffer=_ForgetsTheAborted),
)

ONE_NAMESPACE = Defect(
    name="metadata-one-namespace",
    breaks={"PIP471-55": Symptom(what="^readers of payments$", expected="^nothing$", seen='^"a2"$')},
    story="A transaction belongs to the namespace to which it wrote first; what it writes elsewhere is outside of it.",
    origin="textbook: a name without its namespace",
    parts=MetadataParts(metadata_buffer=_KnowsOneNamespace),
)

HIDDEN_UP_TO_THE_LAST_ABORTED = Defect(
    name="metadata-hidden-up-to-the-last-aborted",
    breaks={"PIP471-64": Symptom(what="^messages of orders$", expected='^"1", "3", "5"', seen="^nothing$")},
    story="An abort is kept as a position, and all that lies before it is left out, whose it ever is.",
    origin="feared by readers of the proposal: an index of aborted transactions by their positions",
    parts=MetadataParts(metadata_buffer=_HidesUpToTheLastAborted),
)

LOOK_WAITS_FOR_THE_OLDEST = Defect(
    name="metadata-look-waits-for-the-oldest",
    breaks={"PIP471-18": Symptom(what="^readers of orders$", expected='^"b1"$', seen="^nothing$")},
    story="A segment looks how the transactions stand that are open there, the oldest first, and stops at one that is open still.",
    origin="textbook: the order of ids taken for the order of messages",
    parts=MetadataParts(participation=_WaitsForTheOldest),
)

ABORTED_KEPT_AS_A_RANGE = Defect(
    name="metadata-aborted-kept-as-a-range",
    breaks={"PIP471-23": Symptom(what="^readers of orders$", expected='^"b1", "p1"$', seen='^"p1"$')},
    story="Of an aborted transaction a segment keeps its first and its last position, and leaves out what any has written between them.",
    origin="feared by readers of the proposal: an index of aborted transactions by their positions",
    parts=MetadataParts(metadata_buffer=_HidesARange),
)

RECORDS_THAT_BEGIN_ALIKE = Defect(
    name="metadata-records-that-begin-alike",
    breaks={"PIP471-64": Symptom(what="^messages of orders$", expected='^"1", "3", "5", "7", "9", "11"', seen='"10", "11", "12"$')},
    story="Operation records are deleted by what their keys begin with: those of transaction 10 go with the end of transaction 1.",
    origin="textbook: a prefix of the key where the key is due",
    parts=MetadataParts(transaction_records=_DeletesWhatBeginsAlike),
)

NUMBERS_OF_ENTRIES_COMPARED = Defect(
    name="metadata-numbers-of-entries-compared",
    breaks={"PIP471-18": Symptom(what="^readers of orders$", expected='^"c1"$', seen='^"c1", "a1"$')},
    story="Of several open transactions the one with the lowest entry number holds readers up, whichever ledger that entry is in.",
    origin="feared: positions of two parts of which one is compared, which is right until a segment has its second ledger",
    parts=MetadataParts(metadata_buffer=_ComparesNumbersOfEntries),
)

ABORTED_BATCH_IS_SHOWN = Defect(
    name="metadata-aborted-batch-is-shown",
    breaks={"PIP471-23": Symptom(what="^readers of orders$", expected='^"p1"$', seen='^"a1", "a2", "p1"$')},
    story="Whether a message is aborted is asked of single messages, and not of a batch, which is shown.",
    origin="feared: clients batch by default, and the transaction stands in the metadata of the whole batch",
    parts=MetadataParts(metadata_buffer=_LooksAtSingleMessages),
)

HELD_UP_WITHOUT_A_MESSAGE = Defect(
    name="metadata-held-up-without-a-message",
    breaks={"PIP471-18": Symptom(what="^readers of orders$", expected='^"p1"$', seen="^nothing$")},
    story="A segment that is loaded and finds an open transaction's record without its message does not know where that begins: nothing is "
    "shown before it ends.",
    origin="feared by readers of the proposal: a write leaves its record first, and a crash may be between the two",
    parts=MetadataParts(metadata_buffer=_HoldsUpAllWithoutAMessage),
)

MOVED_ON_WITH_EACH_MESSAGE = Defect(
    name="metadata-moved-on-with-each-message",
    breaks={"PIP471-19": Symptom(what="^readers of orders$", expected="^nothing$", seen='"p1"')},
    story="Of an open transaction a segment knows its last message, and shows what was written between that and its first.",
    origin="feared by readers of the proposal: a position that each write overwrites",
    parts=MetadataParts(metadata_buffer=_MovesOnWithEachMessage),
)
