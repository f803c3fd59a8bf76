"""The transaction buffer of a segment: the segment holds the messages, and the metadata store what is decided of them.

PIP-471, "MetadataTransactionBuffer". A write leaves its operation record before its entry, so that no entry of an open transaction can be
in the segment without delaying its readers (the text has the other order, and a crash between the two shows what is undecided, Q4).
An aborted transaction is stored for as long as its data is there; an unknown transaction is a committed one whose records are deleted (the
text treats it as aborted, which loses what was committed, Q5). To end a transaction writes nothing into the segment.
"""

from collections.abc import Iterator

from fencepost.reference.kernel.rules import rule
from fencepost.reference.pulsar.buffer import MessagePosition, Readable
from fencepost.reference.pulsar.kinds import Site
from fencepost.reference.pulsar.ledger import Entry, Ledger
from fencepost.reference.pulsar.pulsar_types import BEFORE_ALL, EndAction, Message, Position, TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError

from .metadata_profile import MetadataProfile
from .participation import Participation
from .record_models import HeaderState, OperationRecord
from .transaction_records import TransactionRecords


class MetadataBuffer:
    """The buffer of one segment."""

    def __init__(
        self, site: Site, ledger: Ledger, records: TransactionRecords, profile: MetadataProfile, participation: type[Participation]
    ) -> None:
        assert isinstance(site.participant, str), "a buffer is a segment's"
        self._segment = site.participant
        self._machine = site.machine
        self._ledger = ledger
        self._records = records
        self._profile = profile
        self._open: dict[TxnId, Position | None] = {}
        """The transactions that are open here, each with its first position; None while it has none."""
        self._aborted: dict[TxnId, Position] = {}
        self._waiting: set[TxnId] = set()
        """The transactions that have operation records here: those that are open, and those whose end is not stored yet."""
        self._end_here = site.end
        self.participation = participation(site.participant, site.machine, records, profile, lambda: self._waiting, self._follow)
        try:
            self.recover()
        except CommandRefused:
            self.participation.close()  # a half loaded buffer must follow no end: it does not know of later transactions
            raise

    def recover(self) -> None:
        """Decision: a segment that is loaded knows from the store what is open and what is aborted, and from its entries where that begins.

        Readers see nothing before: an end that it has not applied yet is applied when it first looks.
        """
        rule("PIP471-59")
        rule("PIP471-60")
        rule("PIP471-70")
        self._aborted = self._records.aborted(self._segment)
        for txn in self._records.writes(self._segment):
            self._take_part(txn)
        for entry in self.undecided() if self.finds_entries() else ():
            if isinstance(entry.content, Message) and entry.content.txn in self._open and self._open[entry.content.txn] is None:
                self._open[entry.content.txn] = entry.position
        if not self.finds_entries():
            last = self._ledger.last
            self._open = dict.fromkeys(self._open, Position(last.ledger, last.entry + 1))
        if self._open:
            self.participation.look_next()

    def undecided(self) -> Iterator[Entry]:
        """Decision: the entries after the watermark, which include all of open transactions."""
        rule("PIP471-34")
        yield from self._ledger.after(self._records.watermark(self._segment) or BEFORE_ALL)

    def publish(self, message: Message) -> Position:
        """Decision: store the message, in a transaction with an operation record.

        Raises CommandRefused: NOT_ALLOWED if its transaction is not open.
        """
        if message.txn is None:
            return self._ledger.append(message)
        self.refuse_what_comes_too_late(message.txn)
        if self._profile.publish_order == "append-first":
            position = self._append(message, message.txn)
            self._record(message.txn)
        else:
            rule("PIP471-07")
            rule("PIP471-13")
            rule("PIP471-61")
            rule("PIP471-52")
            self._record(message.txn)
            position = self._append(message, message.txn)
        self.check_again(message.txn)
        return position

    def refuse_what_comes_too_late(self, txn: TxnId) -> None:
        """Decision: no message is stored in a transaction that has ended, or never began. Raises CommandRefused: NOT_ALLOWED."""
        rule("PIP471-46")
        rule("PIP471-52")
        state = self.participation.state_of(txn)
        if state is not HeaderState.OPEN:
            rule("PIP471-15")
            rule("PIP471-16")
            raise CommandRefused(ServerError.NOT_ALLOWED, f"TxnConflict: transaction {txn} is {state.value}")

    def check_again(self, txn: TxnId) -> None:
        """Decision: the transaction may have ended between the read of its header and the operation record, and then this participant was
        not notified (Q7).

        Raises CommandRefused: NOT_ALLOWED when it was an abort.
        """
        state = self.participation.state_of(txn)
        if state is not HeaderState.OPEN:
            rule("PIP471-17")
            self.participation.look_next()
        if state is HeaderState.ABORTED:
            raise CommandRefused(ServerError.NOT_ALLOWED, f"TxnConflict: transaction {txn} was aborted meanwhile")

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:  # noqa: ARG002 - not needed here
        """Decision: apply an end: an abort is stored, and the transaction delays readers no more."""
        if action is EndAction.ABORT:
            rule("PIP471-23")
            rule("PIP471-24")
            rule("PIP471-26")
            self._abort(txn)
        self._open.pop(txn, None)

    def note_aborted(self, txn: TxnId) -> None:
        """Decision: an abort is durable here before the transaction's records, which have shown it until then, are deleted."""
        self._records.set_aborted(self._segment, txn, self._aborted[txn])

    def note_end(self, txn: TxnId) -> None:
        """Decision: after an end is applied the watermark moves, and then the transaction's records can be deleted."""
        self._records.set_watermark(self._segment, self.max_read_position)
        self._machine.crash_points.reach("before-op-delete")
        self._records.delete_operations(txn, self._segment)

    def erase(self) -> None:
        """Decision: the segment is deleted, with all that the store has of it."""
        for txn in self._waiting:
            self._records.delete_operations(txn, self._segment)
        self._records.forget_segment(self._segment)

    def after(self, place: MessagePosition) -> Iterator[Readable]:
        """Decision: what is committed, and what is outside of transactions, up to the first that is undecided."""
        rule("PIP471-19")
        rule("PIP471-20")
        limit = self.max_read_position
        for entry in self._ledger.after(place.position):
            if entry.position > limit:
                return
            if isinstance(entry.content, Message) and self.is_shown(entry.content):
                yield Readable(MessagePosition(entry.position), entry.content)

    def is_shown(self, message: Message) -> bool:
        """Decision: whether readers get a message that no open transaction withholds from them: unless it is aborted."""
        if message.txn is None:
            return True
        rule("PIP471-64")
        if self.is_aborted(message.txn):
            rule("PIP471-25")
            return False
        rule("PIP471-27")
        return self._profile.unknown_txn == "visible" or self._records.header(message.txn) is not None

    def stored(self) -> Iterator[Message]:
        return (entry.content for entry in self._ledger if isinstance(entry.content, Message))

    def is_aborted(self, txn: TxnId) -> bool:
        """Decision: whether readers will never see anything of that transaction here."""
        return txn in self._aborted

    def ongoing(self) -> dict[TxnId, Position]:
        return {txn: position for txn, position in self._open.items() if position is not None}

    @property
    def aborted(self) -> int:
        return len(self._aborted)

    @property
    def max_read_position(self) -> Position:
        """Decision: readers may go to the entry before the first of a transaction that is open."""
        rule("PIP471-18")
        return self._ledger.before(min(positions)) if (positions := self.ongoing().values()) else self._ledger.last

    def finds_entries(self) -> bool:
        """Decision: whether the entries of open transactions are looked for; otherwise readers stop only after all existing entries."""
        return True

    def _abort(self, txn: TxnId) -> None:
        mine = [entry.position for entry in self._ledger if isinstance(entry.content, Message) and entry.content.txn == txn]
        if mine:
            rule("PIP471-35")
            self._aborted[txn] = mine[-1]
            self.note_aborted(txn)

    def _record(self, txn: TxnId) -> None:
        self._take_part(txn)  # first, so that no end is missed that comes with the record
        self._records.record(txn, OperationRecord(kind="WRITE", segment=self._segment))
        self._machine.crash_points.reach("after-op-record")

    def _append(self, message: Message, txn: TxnId) -> Position:
        rule("PIP471-14")
        position = self._ledger.append(message)
        self._machine.crash_points.reach("after-append")
        if self._open.get(txn) is None:
            self._open[txn] = position
        return position

    def _take_part(self, txn: TxnId) -> None:
        self._open.setdefault(txn, None)
        self._waiting.add(txn)
        self.participation.takes_part(txn)

    def _follow(self, txn: TxnId, state: HeaderState) -> None:
        """If the store fails in the middle, the next look repeats it; readers have what is decided at once."""
        self._end_here(txn, state.action)
        self.note_end(txn)
        self._waiting.discard(txn)
