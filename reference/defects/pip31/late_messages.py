"""Defects of Pulsar in messages that come too late, or to a topic that does not expect them."""

from collections.abc import Iterator
from dataclasses import replace

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.buffer import MessagePosition, Readable
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.pulsar_types import EndAction, Message, Position, TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer


@defect(
    {"PIP31-49": seen("^success$", expected="^a refusal$", what="^answer to SEND$")},
    origin="as shipped by Apache Pulsar above the low watermark, seen on 4.0.7 and 5.0.0-M1",
)
class LateIsAccepted(SidecarBuffer):
    """The broker sends a receipt for a message of an ended transaction, and the message never becomes visible."""

    def publish(self, message: Message) -> Position:
        is_late = message.txn in self._ended
        return self._sidecar.append(message) if is_late else super().publish(message)


@defect(
    {"PIP31-50": seen('^"a1", "late", "plain"$', expected='^"a1", "plain"$', what="^readers of orders$")},
    origin="textbook: what is no longer known is let through",
)
class LateIsShown(SidecarBuffer):
    """A message that comes after the end of its transaction is taken for one without a transaction."""

    def publish(self, message: Message) -> Position:
        is_late = message.txn in self._ended
        return super().publish(replace(message, txn=None) if is_late else message)


@defect(
    {"PIP31-50": seen('^"b1"$', expected='^"a1", "b1"$', what="^readers of orders$")},
    origin="as shipped by Apache Pulsar, seen on 4.0.7 and 5.0.0-M1",
)
class LateHidesTheCommitted(SidecarBuffer):
    """A late message opens its transaction again, and with the next end the whole transaction counts as aborted, also what
    was committed.
    """

    _open_again: frozenset[TxnId | None] = frozenset()
    _given_up: frozenset[TxnId | None] = frozenset()

    def publish(self, message: Message) -> Position:
        if message.txn not in self._ended:
            return super().publish(message)
        self._open_again |= {message.txn}
        return self._sidecar.append(message)

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        super().end(txn, action, low_watermark)
        self._given_up |= self._open_again

    def after(self, place: MessagePosition) -> Iterator[Readable]:
        return (readable for readable in super().after(place) if readable.message.txn not in self._given_up)


@defect(
    {"PIP31-50": seen('^"a1", "b1"$', expected='^"a1", "b1", "c1"$', what="^readers of orders$")},
    origin="as shipped by Apache Pulsar, seen on 4.0.7",
)
class LatePoisonsTheTopic(SidecarBuffer):
    """The refusal of a late message sticks, and every later transaction on the topic gets it."""

    _poison: CommandRefused | None = None

    def publish(self, message: Message) -> Position:
        if self._poison is not None and message.txn is not None:
            raise self._poison
        try:
            return super().publish(message)
        except CommandRefused as refused:
            self._poison = refused
            raise


class KnowsOfNoEnd(LogCoordinator):
    def is_over(self, txn: TxnId) -> bool:  # noqa: ARG002 - no client is answered
        return False


@defect({"PIP31-51": seen("^A from", what="^pending in payments$")}, origin="as shipped by Apache Pulsar, seen on 4.0.7 and 5.0.0-M1")
class StrayStaysOpen(KnowsOfNoEnd):
    """A topic that was not added to a transaction never learns of its end, and withholds its message for ever."""


class ForgetsItsFences(SidecarBuffer):
    """A topic that is loaded does not know for which transactions it has to refuse messages."""

    def recover(self) -> None:
        super().recover()
        self._ended_before = frozenset(self._ended)


@defect(
    {"PIP31-49": seen("^success$", expected="^a refusal$", what="^answer to SEND$")},
    origin="red team: a fence that is in memory only",
)
class LateIsAcceptedAfterAReload(ForgetsItsFences):
    """After a reload of the topic, the broker sends a receipt for a message of a transaction that had ended before."""

    def publish(self, message: Message) -> Position:
        return self._sidecar.append(message) if message.txn in self._ended_before else super().publish(message)


@defect(
    {"PIP31-50": seen('^"a1", "late", "plain"$', expected='^"a1", "plain"$', what="^readers of orders$")},
    origin="red team: a fence that is in memory only",
)
class LateIsShownAfterAReload(ForgetsItsFences):
    """After a reload of the topic, a message of a transaction that had ended before is taken for one without a transaction."""

    def publish(self, message: Message) -> Position:
        return super().publish(replace(message, txn=None) if message.txn in self._ended_before else message)


@defect(
    {"PIP31-50": seen('^"late", "plain"$', expected='^"plain"$', what="^readers of orders$")},
    origin="red team: a fence that a commit raises and an abort forgets",
)
class LateIsShownAfterAnAbort(SidecarBuffer):
    """A message that arrives after the abort of its transaction is taken for one without a transaction."""

    def publish(self, message: Message) -> Position:
        is_late = message.txn is not None and self.is_aborted(message.txn)
        return super().publish(replace(message, txn=None) if is_late else message)


@defect(
    {"PIP31-49": seen("^success$", expected="^a refusal$", what="^answer to SEND$")},
    origin="red team: a snapshot of one place",
)
class LateIsAcceptedBeforeTheLastEnd(SidecarBuffer):
    """A reloaded topic refuses messages of the transaction that has ended there last, and accepts those of earlier ones."""

    def recover(self) -> None:
        super().recover()
        self._ended_earlier = frozenset([*self._ended][:-1])

    def publish(self, message: Message) -> Position:
        return self._sidecar.append(message) if message.txn in self._ended_earlier else super().publish(message)
