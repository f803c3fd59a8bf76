"""Defects of Pulsar in what broken and hasty clients send."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.ledger import LedgerMarker
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.marker_buffer import MarkerBuffer
from fencepost.reference.pulsar.pulsar_types import EndAction, Message, Position, TxnId
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer

from .late_messages import KnowsOfNoEnd
from .visibility import StopsReadersWhileOpen

_NAMED_BY_A_MARKER = 7


@defect(
    {"PIP31-111": seen('"7"$', expected='"50"$', what="^readers of orders$")},
    origin="as shipped by Apache Pulsar 4.0.7, where a commit covers what had its receipt",
)
class PulsarMarkerNamesSeven(SidecarBuffer):
    """A commit covers the first seven messages; what a client has sent beyond these is receipted, and never delivered."""

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        del self._messages.setdefault(txn, [])[_NAMED_BY_A_MARKER:]
        super().end(txn, action, low_watermark)


@defect(
    {"PIP31-112": seen("^nothing$", expected='^"a1"$', what="^readers of orders$")}, origin="as shipped by Apache Pulsar, seen on 4.0.7"
)
class PulsarUnparsableNameStopsTheEnd(LogCoordinator):
    """A topic's name is first looked at when the transaction ends; the failure then keeps every other participant from its end."""

    def refuses_names(self) -> bool:
        return False


@defect(
    {"PIP31-110": seen("^nothing$", expected='^"plain"$', what="^readers of orders$")},
    origin="as shipped by Apache Pulsar, seen on 4.0.7 and 5.0.0-M1",
    also=[StopsReadersWhileOpen],
)
class PulsarUnknownWithholdsAll(KnowsOfNoEnd):
    """A message of a transaction that was never begun counts as open for ever, and readers stop before it."""


class _ReceiptsTheOvertakenOfMarkers(MarkerBuffer):
    def publish(self, message: Message) -> Position:
        if message.txn is None or message.txn not in self._ended:
            return super().publish(message)
        return self._ledger.append(LedgerMarker(message.txn, self._ended[message.txn]))


@defect(
    {"PIP31-111": seen('"50"$', expected='"51"', what="^readers of orders$")},
    origin="as shipped by Apache Pulsar 4.0.7, where a commit covers what the storage has",
    also=[_ReceiptsTheOvertakenOfMarkers],
)
class PulsarOvertakenByTheEnd(SidecarBuffer):
    """A message that the end of its transaction overtakes on its way is receipted, and never delivered."""

    def publish(self, message: Message) -> Position:
        return self._sidecar.append(message) if message.txn in self._ended else super().publish(message)
