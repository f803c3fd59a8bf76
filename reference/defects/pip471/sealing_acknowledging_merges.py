"""Defects of metadata-driven transactions in segments that are merged under them."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.metadata_transactions.pending_ack_records import PendingAckRecords
from fencepost.reference.metadata_transactions.record_models import HeaderState
from fencepost.reference.pulsar.pulsar_types import TxnId
from fencepost.reference.scalable.layout_store import LayoutStore
from fencepost.reference.scalable.names import parse_segment


@defect(
    {"PIP471-53": seen("^nothing$", expected='^"i3"$', what="^left for packers$")},
    origin="red team: of the parents of a merge, the first is searched for",
)
class MetadataSecondParentForgotten(PendingAckRecords):
    """After a merge an end is not applied to acknowledgements on its second parent, where they stay pending."""

    def apply(self, txn: TxnId, state: HeaderState) -> None:
        meant = parse_segment(self._name.topic)
        stored = LayoutStore(self._records._store).find(meant.topic)
        children = () if stored is None else stored.layout.segments.values()
        if any(meant.number in child.parents[1:] for child in children):
            self._waiting.discard(txn)
        else:
            super().apply(txn, state)
