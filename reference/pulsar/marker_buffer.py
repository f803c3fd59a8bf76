"""The buffer that shipped: the topic is the buffer, and a marker after a transaction's messages says how it ended.

Readers go no further than to the first message of an open transaction, whatever follows it; they skip what was aborted. PIP-31, "Marker
Approach": all of it is recovered from the ledger alone.
"""

from collections.abc import Iterator

from fencepost.reference.kernel.machine import Machine
from fencepost.reference.kernel.rules import rule

from .buffer import MessagePosition, Readable
from .ledger import Entry, Ledger, LedgerMarker
from .pulsar_types import EndAction, Message, Position, TxnId
from .server_errors import CommandRefused, ServerError


class MarkerBuffer:
    """The buffer of one topic."""

    def __init__(self, ledger: Ledger, machine: Machine) -> None:
        self._ledger = ledger
        self._machine = machine
        self._ongoing: dict[TxnId, Position] = {}
        self._ended: dict[TxnId, EndAction] = {}
        self._low_watermarks: dict[int, int] = {}
        self.recover()

    def recover(self) -> None:
        """Decision: a topic that is loaded knows from its messages and markers what is open, from where on, and how the others ended."""
        for entry in self._ledger:
            self._replay(entry)

    def publish(self, message: Message) -> Position:
        """Decision: append it to the topic. Raises CommandRefused: NOT_ALLOWED when its transaction has ended here."""
        rule("PIP31-82")
        if message.txn is not None:
            self.check_is_open(message.txn)
            rule("PIP31-172")
        position = self._ledger.append(message)
        if message.txn is not None:
            rule("PIP31-155")
            self._open(message.txn, position)
        return position

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        """Decision: write the marker, if the transaction is open here."""
        rule("PIP31-132")
        self._low_watermarks[txn.tc_id] = max(low_watermark, self._low_watermarks.get(txn.tc_id, -1))
        if txn in self._ongoing:
            self._write(LedgerMarker(txn, action))
            self._machine.crash_points.reach("after-marker-written")
        else:
            rule("PIP31-36")
            rule("PIP31-37")
        self._sweep(txn.tc_id)

    def after(self, place: MessagePosition) -> Iterator[Readable]:
        """Decision: committed messages, and those outside of transactions, up to the first that is undecided."""
        rule("PIP31-81")
        rule("PIP31-80")
        limit = self.max_read_position
        for entry in self._ledger.after(place.position):
            if entry.position > limit:
                rule("PIP31-05")
                rule("CORE-02")
                rule("CORE-35")
                rule("PIP31-07")
                return
            if isinstance(entry.content, Message) and self._is_shown(entry.content):
                yield Readable(MessagePosition(entry.position), entry.content)

    def erase(self) -> None:
        """All of it is on the topic's disk."""

    def stored(self) -> Iterator[Message]:
        return (entry.content for entry in self._ledger if isinstance(entry.content, Message))

    def is_aborted(self, txn: TxnId) -> bool:
        return self._ended.get(txn) is EndAction.ABORT

    def ongoing(self) -> dict[TxnId, Position]:
        """Decision: what is open here: transactions without a marker, whose coordinators are asked when the topic is loaded."""
        return dict(self._ongoing)

    @property
    def aborted(self) -> int:
        return list(self._ended.values()).count(EndAction.ABORT)

    @property
    def max_read_position(self) -> Position:
        """Decision: readers may go to the entry before the first of a transaction that is open."""
        rule("PIP31-06")
        rule("CORE-05")
        rule("CORE-06")
        if not self._ongoing:
            return self._ledger.last
        return self._ledger.before(min(self._ongoing.values()))

    def _is_shown(self, message: Message) -> bool:
        if message.txn is None:
            return True
        if self.is_aborted(message.txn):
            rule("PIP31-02")
            rule("PIP31-171")
            rule("CORE-03")
            rule("CORE-08")
            return False
        rule("PIP31-01")
        rule("PIP31-170")
        rule("CORE-01")
        return True

    def check_is_open(self, txn: TxnId) -> None:
        """Decision: a transaction that has ended here accepts no more messages. Raises CommandRefused: NOT_ALLOWED."""
        if not self._comes_too_late(txn):
            return
        rule("PIP31-49")
        rule("CORE-17")
        rule("CORE-19")
        rule("CORE-31")
        rule("PIP31-50")
        raise CommandRefused(ServerError.NOT_ALLOWED, f"transaction {txn} has been ended")

    def _comes_too_late(self, txn: TxnId) -> bool:
        return txn.sequence <= self._low_watermarks.get(txn.tc_id, -1)

    def _sweep(self, tc_id: int) -> None:
        """End what was opened here by messages that came after the end: every transaction up to the low watermark is complete."""
        for txn in [txn for txn in self._ongoing if txn.tc_id == tc_id and txn.sequence <= self._low_watermarks[tc_id]]:
            rule("PIP31-51")
            self._write(LedgerMarker(txn, EndAction.ABORT))

    def _write(self, marker: LedgerMarker) -> None:
        self._ledger.append(marker)
        self._close(marker)

    def _replay(self, entry: Entry) -> None:
        if isinstance(entry.content, LedgerMarker):
            self._close(entry.content)
        elif entry.content.txn is not None:
            self._open(entry.content.txn, entry.position)

    def _open(self, txn: TxnId, position: Position) -> None:
        if self._ended.get(txn) is not EndAction.ABORT:  # what was aborted stays so, and delays no reader
            self._ongoing.setdefault(txn, position)

    def _close(self, marker: LedgerMarker) -> None:
        rule("CORE-09")
        self._ongoing.pop(marker.txn, None)
        self._ended[marker.txn] = marker.action
