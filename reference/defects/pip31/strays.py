"""Defects of Pulsar in what broken and hasty clients send."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.ledger import Marker
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.marker_buffer import MarkerBuffer
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer
from fencepost.reference.pulsar.values import Action, Message, Position, TxnId

from .late_messages import KnowsOfNoEnd
from .visibility import StopsReaders

_NAMED_BY_A_MARKER = 7


class _NamesSeven(SidecarBuffer):
    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        del self._messages.setdefault(txn, [])[_NAMED_BY_A_MARKER:]
        super().end(txn, action, low_watermark)


class _TakesAnyName(LogCoordinator):
    def refuses_names(self) -> bool:
        return False


UNKNOWN_WITHHOLDS_ALL = Defect(
    name="pulsar-unknown-withholds-all",
    breaks={"PIP31-110": Symptom(what="^readers of orders$", expected='^"plain"$', seen="^nothing$")},
    story="A message of a transaction that nobody began is open for ever, and readers go no further than to there.",
    origin="as shipped by Apache Pulsar, seen on 4.0.7 and 5.0.0-M1",
    parts=Parts(coordinator=KnowsOfNoEnd, sidecar_buffer=StopsReaders),
)

MARKER_NAMES_SEVEN = Defect(
    name="pulsar-marker-names-seven",
    breaks={"PIP31-111": Symptom(what="^readers of orders$", expected='"50"$', seen='"7"$')},
    story="A commit covers the first seven messages; what a client has sent beyond these is receipted, and never delivered.",
    origin="as shipped by Apache Pulsar 4.0.7, where a commit covers what had its receipt",
    parts=Parts(sidecar_buffer=_NamesSeven),
)

UNPARSABLE_NAME_STOPS_THE_END = Defect(
    name="pulsar-unparsable-name-stops-the-end",
    breaks={"PIP31-112": Symptom(what="^readers of orders$", expected='^"a1"$', seen="^nothing$")},
    story="A topic's name is first looked at when the transaction ends; the failure then keeps every other participant from its end.",
    origin="as shipped by Apache Pulsar, seen on 4.0.7",
    parts=Parts(coordinator=_TakesAnyName),
)


class _ReceiptsTheOvertaken(SidecarBuffer):
    def publish(self, message: Message) -> Position:
        return self._sidecar.append(message) if message.txn in self._ended else super().publish(message)


class _ReceiptsTheOvertakenOfMarkers(MarkerBuffer):
    def publish(self, message: Message) -> Position:
        if message.txn is None or message.txn not in self._ended:
            return super().publish(message)
        return self._ledger.append(Marker(message.txn, self._ended[message.txn]))


OVERTAKEN_BY_THE_END = Defect(
    name="pulsar-overtaken-by-the-end",
    breaks={"PIP31-111": Symptom(what="^readers of orders$", expected='"51"', seen='"50"$')},
    story="A message that the end of its transaction overtakes on its way is receipted, and never delivered.",
    origin="as shipped by Apache Pulsar 4.0.7, where a commit covers what the storage has",
    parts=Parts(sidecar_buffer=_ReceiptsTheOvertaken, marker_buffer=_ReceiptsTheOvertakenOfMarkers),
)
