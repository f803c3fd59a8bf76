"""The buffer of the proposal's text: messages of a transaction are in a separate log until they are committed.

They delay nothing in the topic. A commit writes one marker into the topic, which holds what to read there: its readers find the transaction
at the marker, in the order of commits. PIP-31, "Sidecar Approach" and "Transaction Buffer".
"""

from collections.abc import Iterator

from fencepost.reference.kernel.machine import Machine
from fencepost.reference.kernel.rules import rule

from .buffer import MessagePosition, Readable
from .ledger import Ledger, LedgerMarker
from .pulsar_types import EndAction, Message, Position, TxnId
from .server_errors import CommandRefused, ServerError

SIDECAR_SUFFIX = "/_txnlog"


class SidecarBuffer:
    """The buffer of one topic, with its sidecar log, named after the topic with `SIDECAR_SUFFIX`."""

    def __init__(self, ledger: Ledger, sidecar: Ledger, machine: Machine) -> None:
        self._ledger = ledger
        self._sidecar = sidecar
        self._machine = machine
        self._messages: dict[TxnId, list[tuple[Position, Message]]] = {}
        self._ended: dict[TxnId, EndAction] = {}
        self.recover()

    def recover(self) -> None:
        """Decision: a topic that is loaded knows from its two logs what is open and how the others ended."""
        for entry in (
            *self._ledger,
            *self._sidecar,
        ):  # the topic first: a commit that it holds is certain, even if the log does not know it
            if isinstance(entry.content, LedgerMarker):
                rule("CORE-32")
                rule("PIP31-171")
                self._ended.setdefault(entry.content.txn, entry.content.action)
            elif entry.content.txn is not None:
                rule("CORE-40")
                self._messages.setdefault(entry.content.txn, []).append((entry.position, entry.content))

    def publish(self, message: Message) -> Position:
        """Decision: append it to the topic, or in a transaction to the sidecar log.

        Raises CommandRefused: NOT_ALLOWED when its transaction has ended here.
        """
        if message.txn is None:
            rule("PIP31-08")
            rule("CORE-05")
            rule("CORE-06")
            return self._ledger.append(message)
        if message.txn in self._ended:
            rule("PIP31-49")
            rule("CORE-17")
            rule("CORE-19")
            rule("CORE-31")
            rule("PIP31-50")
            raise CommandRefused(ServerError.NOT_ALLOWED, f"transaction {message.txn} has been ended")
        rule("PIP31-05")
        rule("PIP31-82")
        rule("CORE-02")
        rule("CORE-35")
        rule("CORE-36")
        rule("PIP31-155")
        rule("PIP31-172")
        position = self._sidecar.append(message)
        self._messages.setdefault(message.txn, []).append((position, message))
        return position

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:  # noqa: ARG002 - late messages are refused without it
        """Decision: write the marker: a commit into the topic first, then into the log, so that it is written there once."""
        rule("PIP31-111")
        if txn in self._ended:
            rule("PIP31-36")
            rule("PIP31-37")
            return
        if action is EndAction.COMMIT and self._messages.get(txn):
            rule("PIP31-53")
            rule("PIP31-170")
            rule("CORE-04")
            rule("CORE-08")
            rule("CORE-09")
            self._ledger.append(LedgerMarker(txn, action, tuple(message for _, message in self._messages[txn])))
            self._machine.crash_points.reach("after-marker-written")
        rule("PIP31-02")
        rule("PIP31-132")
        rule("CORE-03")
        self._sidecar.append(LedgerMarker(txn, action))
        self._ended[txn] = action
        self._machine.crash_points.reach("after-marker-written")

    def after(self, place: MessagePosition) -> Iterator[Readable]:
        """Decision: what is in the topic: messages outside of transactions, and at each marker what it commits."""
        rule("PIP31-81")
        entries = [entry for entry in self._ledger.after(self._ledger.before(place.position)) if entry.position >= place.position]
        for entry in entries:
            for readable in self._at(entry.position, entry.content):
                if readable.place > place:
                    yield readable

    def erase(self) -> None:
        """Decision: what a deleted topic leaves elsewhere: nothing, since all of it is on the topic's disk."""

    def stored(self) -> Iterator[Message]:
        return (entry.content for ledger in (self._ledger, self._sidecar) for entry in ledger if isinstance(entry.content, Message))

    def is_aborted(self, txn: TxnId) -> bool:
        return self._ended.get(txn) is EndAction.ABORT

    def ongoing(self) -> dict[TxnId, Position]:
        """Decision: what is open here: transactions without a marker, whose coordinators are asked when the topic is loaded."""
        return {txn: messages[0][0] for txn, messages in self._messages.items() if txn not in self._ended}

    @property
    def aborted(self) -> int:
        return list(self._ended.values()).count(EndAction.ABORT)

    @property
    def max_read_position(self) -> Position:
        """Decision: readers may go to the end, for nothing undecided is in the topic."""
        rule("PIP31-06")
        return self._ledger.last

    def _at(self, position: Position, content: Message | LedgerMarker) -> Iterator[Readable]:
        if isinstance(content, Message):
            yield Readable(MessagePosition(position), content)
        else:
            rule("PIP31-01")
            rule("PIP31-80")
            rule("CORE-01")
            for index, message in enumerate(content.messages):
                yield Readable(MessagePosition(position, index), message)
