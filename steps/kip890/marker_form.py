"""The form of a marker in a log."""

from fencepost.adapters.kafka.kafka_values import IsolationLevel
from fencepost.contract.evidence import Violation
from fencepost.steps.kafka.kafka_context import LOG, KafkaContext
from fencepost.steps.sentence import compares
from fencepost.wire.kafka.batches import Batch

from .vocabulary import KIP890


@KIP890.then("the marker in {partition} is a transactional control batch with one record, one offset and no sequence")
@compares(LOG, of="partition")
def the_marker_is_a_control_batch(context: KafkaContext, partition: str) -> None:
    """The batch since the When has both attributes, base sequence -1, and one record with a decision and a coordinator epoch in it.

    In its header, the last offset equals the first; which offset comes next, it does not show.
    """
    batch = _new_batch(context, partition)
    holds = batch.transactional and batch.control and len(batch.records) == 1 and batch.base_sequence == -1
    epoch = batch.marker.coordinator_epoch if batch.marker else -1
    context.evidence.expect(
        holds and epoch >= 0,
        "a transactional control batch of one record, with sequence -1 and the epoch of a coordinator",
        f"transactional: {batch.transactional}, control: {batch.control}, records: {len(batch.records)}, "
        f"sequence: {batch.base_sequence}, coordinator epoch: {epoch}",
        what=f"marker in {partition}",
    )
    last = batch.base_offset + (batch.last_offset_delta or 0)
    context.evidence.expect(
        batch.last_offset_delta == 0,
        f"offset {batch.base_offset} and no other",
        f"offsets {batch.base_offset} to {last}",
        what=f"offsets of the marker in {partition}",
    )


@KIP890.then("the markers added to {partition} have no smaller coordinator epoch than those before")
@compares(LOG, of="partition")
def epochs_never_fall(context: KafkaContext, partition: str) -> None:
    """In the order of the log, with at least one marker before the When and one since. One that was in flight in a crash may arrive too,
    with its old epoch.
    """
    where = context.partition(partition)
    markers = [batch for batch in context.read(where, IsolationLevel.READ_UNCOMMITTED).batches if batch.marker]
    epochs = [batch.marker.coordinator_epoch for batch in markers if batch.marker]
    before = sum(batch.base_offset < context.before.ends[where] for batch in markers)
    holds = 0 < before < len(epochs) and epochs == sorted(epochs)
    context.evidence.expect(
        holds,
        "epochs that never fall, before the When and since",
        f"{epochs[:before]} before the When, {epochs[before:]} since",
        what=f"coordinator epochs of the markers in {partition}",
    )


def _new_batch(context: KafkaContext, partition: str) -> Batch:
    """The one batch since the When that is the producer's, or about it."""
    assert context.asked is not None, "a sentence about a marker stands after a When"
    where, producer_id = context.partition(partition), context.asked.current.producer_id
    ended = context.before.ends[where]
    batches = context.read(where, IsolationLevel.READ_UNCOMMITTED).batches
    new = [batch for batch in batches if batch.base_offset >= ended and batch.producer_id == producer_id]
    if len(new) != 1:
        raise Violation("one new batch, the marker", f"{len(new)}", what=f"batches added to {partition}")
    return new[0]
