"""Defects of scalable topics in exactly once from input to output."""

from collections.abc import Sequence

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.core.pulsar.processing import DeletesAtOnce, PendingIsFree
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.metadata_transactions.pending_ack_records import PendingAckRecords
from fencepost.reference.pulsar.pending_ack_store import Waiting

from . import recovery, visibility


class _FindsNoPositions(PendingAckRecords):
    def replay(self) -> Sequence[Waiting]:
        return [Waiting(waiting.txn) for waiting in super().replay()]


INPUT_TAKEN_OUTPUT_GONE = Defect(
    name="core-scalable-input-taken-output-gone",
    breaks={"CORE-33": Symptom(what="readers of results", expected='^"r1"$', seen="^nothing")},
    story="A segment that is loaded aborts what it finds open, and a subscription goes by the header, which says committed.",
    origin="textbook: two participants, of which one decides by itself",
    parts=MetadataParts(metadata_buffer=recovery.AbortsWhatItFinds),
)

OUTPUT_THERE_INPUT_FREE = Defect(
    name="core-scalable-output-there-input-free",
    breaks={"CORE-33": Symptom(what="place of workers in inputs", expected='^"i1"$', seen="^nothing$")},
    story=recovery.END_BEFORE_DELETION.story,
    origin=recovery.END_BEFORE_DELETION.origin,
    parts=recovery.END_BEFORE_DELETION.parts,
)

PENDING_INPUT_GIVEN_AWAY = Defect(
    name="core-scalable-pending-input-given-away",
    breaks={"CORE-34": Symptom(what="inputs processed by workers", seen='^"i1", "i1" in results')},
    story="What an open transaction has acknowledged is given to the next consumer, and may be acknowledged again.",
    origin="textbook: two states where PIP-31 has three",
    parts=MetadataParts(pending_acks=PendingIsFree),
)

OPEN_INPUT_GIVEN = Defect(
    name="core-scalable-open-input-given",
    breaks={"CORE-35": Symptom(what="inputs left for workers", seen='"b1"')},
    story=visibility.DIRTY_READ.story,
    origin=visibility.DIRTY_READ.origin,
    parts=visibility.DIRTY_READ.parts,
)

PLACE_MOVED_TOO_EARLY = Defect(
    name="core-scalable-place-moved-too-early",
    breaks={"CORE-39": Symptom(what="place of workers in inputs", expected="^nothing", seen='^"i1"$')},
    story="What a transaction acknowledges is deleted at once, and given back by an abort.",
    origin="textbook: undone afterwards, where it should be done afterwards",
    parts=MetadataParts(subscription=DeletesAtOnce),
)

TAKEN_INPUT_FORGOTTEN_BY_CRASH = Defect(
    name="core-scalable-taken-input-forgotten-by-crash",
    breaks={"CORE-41": Symptom(what="inputs left for workers", expected="^nothing", seen='^"i1"$')},
    story="A subscription that is loaded knows which transactions have something pending, and not what, so their commit deletes nothing.",
    origin="the first release with PIP-471, whose subscriptions recover no positions (R1)",
    parts=MetadataParts(pending_ack_records=_FindsNoPositions),
)
