"""Defects of scalable topics in what becomes of a log that is sealed: a segment that was split."""

import functools
from collections.abc import Iterator

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.defects.sealed import is_sealed
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.pulsar.buffer import BEFORE_ALL_PLACES, MessagePosition, Readable
from fencepost.reference.pulsar.producers import Producers
from fencepost.reference.pulsar.pulsar_types import EndAction, Message, Position, TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError


@defect(
    {"CORE-43": seen("^nothing$", expected='^"a1", "a2"$', what="^readers of orders$")},
    origin="as shipped by Apache Pulsar for terminated topics, whose transactions stay COMMITTING",
)
class CoreScalableSealedIsOpenForEver(MetadataBuffer):
    """A segment that is sealed follows no end any more, and blocks its readers at what was open in it."""

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        if not is_sealed(self._machine.disk, self._segment):
            super().end(txn, action, low_watermark)


@defect(
    {"CORE-43": seen('^"a1", "plain"$', expected='^"plain"$', what="^readers of orders$")},
    origin="feared by readers of the proposal: a sealed segment read as a file, without its transactions",
)
class CoreScalableSealedShowsAborted(MetadataBuffer):
    """A sealed segment delivers all its messages, whatever became of their transactions."""

    def is_shown(self, message: Message) -> bool:
        return is_sealed(self._machine.disk, self._segment) or super().is_shown(message)


@defect(
    {"CORE-43": seen('^"a1", "plain"$', expected='^"plain"$', what="^readers of orders$")},
    origin="red team: a list of aborted transactions that is read once, and is final for a log that takes no writes",
)
class CoreScalableLaterAbortIsShown(MetadataBuffer):
    """A sealed segment that is loaded shows the messages of a transaction that was open then as soon as it ends, also after an abort."""

    def recover(self) -> None:
        super().recover()
        self._undecided_before = frozenset(self._open) if is_sealed(self._machine.disk, self._segment) else frozenset()

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        super().end(txn, EndAction.COMMIT if txn in self._undecided_before else action, low_watermark)


@defect(
    {"CORE-44": seen("^success$", expected="^a refusal$", what="^answer$")},
    origin="textbook: a fence that is checked once, when the producer opens",
    of=MetadataParts,
)
class CoreScalableSealedTakesWrites(Producers):
    """A sealed segment still accepts messages, which no reader looks for after its end."""

    @property
    def is_terminated(self) -> bool:
        return False


@defect(
    {"CORE-44": seen('"plain"$', expected='^"early"$', what="^readers of orders$")},
    origin="red team: a write that is stored first, and then compared with the seal",
    also=[CoreScalableSealedTakesWrites],
)
class CoreScalableRefusedWriteIsStored(MetadataBuffer):
    """A sealed segment refuses a message that it has stored already, and its readers receive the message."""

    def publish(self, message: Message) -> Position:
        position = super().publish(message)
        if is_sealed(self._machine.disk, self._segment):
            raise CommandRefused(ServerError.TOPIC_TERMINATED, f"{self._segment} is sealed")
        return position


@defect({"CORE-44": seen("^success$", expected="^a refusal$", what="^answer$")}, origin="textbook: a fence in memory", of=MetadataParts)
class CoreScalableSealForgottenByReload(Producers):
    """That a segment is sealed is known for as long as it is loaded."""

    @functools.cached_property
    def ends_before(self) -> int:
        """How often the segment had been sealed when it was first used since it was loaded."""
        return len(self._terminations)

    @property
    def is_terminated(self) -> bool:
        return len(self._terminations) > self.ends_before


@defect(
    {"CORE-45": seen("^nothing$", expected='^"plain", "a1"$', what="^readers of orders$")},
    origin="feared by readers of the proposal: cursors at the earliest message of active segments only",
)
class CoreScalableSubscriptionsBeginAtTheSeal(MetadataBuffer):
    """A consumer that subscribes to a sealed segment starts after its last message."""

    def after(self, place: MessagePosition) -> Iterator[Readable]:
        if place == BEFORE_ALL_PLACES and is_sealed(self._machine.disk, self._segment):
            return iter(())
        return super().after(place)
