"""Batches that no producer sends, or that were damaged in flight."""

from dataclasses import replace

from fencepost.adapters.kafka.kafka_values import Appended
from fencepost.contract.outcomes import Outcome
from fencepost.steps.kafka.judging import answered
from fencepost.steps.kafka.kafka_context import KafkaContext
from fencepost.steps.kafka.producer import ProducerInstance
from fencepost.wire.kafka.batches import EndTransactionMarker, MarkerType, encode, marker_batch

from .vocabulary import KIP890

WRITE_ODD = KIP890.act(
    given="{producer} has sent {odd_batch} to {partition}, whatever was answered",
    when="{producer} writes {odd_batch} to {partition}",
    meaning="Produce of one batch in the producer's transaction, which is correct but for this; as a Given it is sent once, and a refusal"
    " is as good as a success. A damaged one has its last byte changed, so that its checksum is wrong. The beginning of another is half the"
    " bytes of the same batch.",
)


@WRITE_ODD.given
def has_sent_an_odd_batch(context: KafkaContext, producer: str, odd_batch: str, partition: str) -> None:
    answered(_produce(context, context.producers[producer], odd_batch, partition, retry=False), f"writing to {partition}")


@WRITE_ODD.when
def writes_an_odd_batch(context: KafkaContext, producer: str, odd_batch: str, partition: str) -> None:
    one = context.turn_of(producer)
    context.keep(one, _produce(context, one, odd_batch, partition, retry=True), "Produce")


@KIP890.given("{producer} has raised its own epoch")
def has_raised_its_epoch(context: KafkaContext, producer: str) -> None:
    """As an idempotent producer does without a request, when it does not know whether a batch was stored: sequence numbers begin again."""
    one = context.producers[producer]
    one.given.append(one.next_epoch())


def _produce(context: KafkaContext, one: ProducerInstance, odd_batch: str, partition: str, *, retry: bool) -> Outcome[Appended]:
    where = context.partition(partition)
    sequence = one.next_sequence(where)
    batch = one.probe.batch_of(["odd"], producer=one.current, sequence=sequence, transactional=True)
    match odd_batch:
        case "an empty batch":
            batch = replace(batch, records=())
        case "a batch with a base offset of 1":
            batch = replace(batch, base_offset=1)
        case "a batch without a sequence number":
            batch = replace(batch, base_sequence=-1)
        case "a COMMIT marker" | "an ABORT marker":
            marker = EndTransactionMarker(MarkerType.COMMIT if odd_batch == "a COMMIT marker" else MarkerType.ABORT, 0)
            written = marker_batch(marker, one.current.producer_id, one.current.epoch, batch.records[0].timestamp)
            batch = replace(written, base_sequence=sequence)
        case "a batch that leaves a gap":
            batch = replace(batch, base_sequence=batch.base_sequence + 1)
    data = encode(batch)
    match odd_batch:
        case "a damaged batch":
            data = data[:-1] + bytes([data[-1] ^ 1])
        case "a batch with the beginning of another behind it":
            data += data[: len(data) // 2]
    version = context.version(one, "produce")
    return one.probe.produce_bytes(where, data, transactional_id=one.transactional_id, version=version, retry=retry)
