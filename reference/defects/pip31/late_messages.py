"""Defects of Pulsar in messages that come too late, or where nobody expects them."""

from collections.abc import Iterator
from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.buffer import Place, Readable
from fencepost.reference.pulsar.errors import Refused
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer
from fencepost.reference.pulsar.values import Action, Message, Position, TxnId


class _AcceptsAndForgets(SidecarBuffer):
    def publish(self, message: Message) -> Position:
        is_late = message.txn in self._ended
        return self._sidecar.append(message) if is_late else super().publish(message)


class _ShowsTheLate(SidecarBuffer):
    def publish(self, message: Message) -> Position:
        is_late = message.txn in self._ended
        return super().publish(replace(message, txn=None) if is_late else message)


class _TakesTheLateForOpen(SidecarBuffer):
    _open_again: frozenset[TxnId | None] = frozenset()
    _given_up: frozenset[TxnId | None] = frozenset()

    def publish(self, message: Message) -> Position:
        if message.txn not in self._ended:
            return super().publish(message)
        self._open_again |= {message.txn}
        return self._sidecar.append(message)

    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        super().end(txn, action, low_watermark)
        self._given_up |= self._open_again

    def after(self, place: Place) -> Iterator[Readable]:
        return (readable for readable in super().after(place) if readable.message.txn not in self._given_up)


class _IsPoisoned(SidecarBuffer):
    _poison: Refused | None = None

    def publish(self, message: Message) -> Position:
        if self._poison is not None and message.txn is not None:
            raise self._poison
        try:
            return super().publish(message)
        except Refused as refused:
            self._poison = refused
            raise


class KnowsOfNoEnd(LogCoordinator):
    def is_over(self, txn: TxnId) -> bool:  # noqa: ARG002 - nobody is told
        return False


LATE_IS_ACCEPTED = Defect(
    name="late-is-accepted",
    breaks={"PIP31-49": Symptom(what="^answer to SEND$", expected="^a refusal$", seen="^success$")},
    story="A message of a transaction that has ended is receipted, and nobody will ever see it.",
    origin="as shipped by Apache Pulsar above the low watermark, seen on 4.0.7 and 5.0.0-M1",
    parts=Parts(sidecar_buffer=_AcceptsAndForgets),
)

LATE_IS_SHOWN = Defect(
    name="late-is-shown",
    breaks={"PIP31-50": Symptom(what="^readers of orders$", expected='^"a1", "plain"$', seen='^"a1", "late", "plain"$')},
    story="A message that comes after the end of its transaction is taken for one without a transaction.",
    origin="textbook: what is no longer known is let through",
    parts=Parts(sidecar_buffer=_ShowsTheLate),
)

LATE_HIDES_THE_COMMITTED = Defect(
    name="late-hides-the-committed",
    breaks={"PIP31-50": Symptom(what="^readers of orders$", expected='^"a1", "b1"$', seen='^"b1"$')},
    story="A late message opens its transaction again, and with the next end all of it counts as aborted, also what was committed.",
    origin="as shipped by Apache Pulsar, seen on 4.0.7 and 5.0.0-M1",
    parts=Parts(sidecar_buffer=_TakesTheLateForOpen),
)

LATE_POISONS_THE_TOPIC = Defect(
    name="late-poisons-the-topic",
    breaks={"PIP31-50": Symptom(what="^readers of orders$", expected='^"a1", "b1", "c1"$', seen='^"a1", "b1"$')},
    story="The refusal of a late message sticks, and every later transaction on the topic gets it.",
    origin="as shipped by Apache Pulsar, seen on 4.0.7",
    parts=Parts(sidecar_buffer=_IsPoisoned),
)

STRAY_STAYS_OPEN = Defect(
    name="stray-stays-open",
    breaks={"PIP31-51": Symptom(what="^pending in payments$", seen="^A from")},
    story="A topic that nobody had added to a transaction never hears of its end, and holds its message for ever.",
    origin="as shipped by Apache Pulsar, seen on 4.0.7 and 5.0.0-M1",
    parts=Parts(coordinator=KnowsOfNoEnd),
)
