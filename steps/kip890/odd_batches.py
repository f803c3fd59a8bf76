"""Batches that no producer sends, or that were damaged in flight."""

from dataclasses import replace

from fencepost.steps.kafka.context import ScenarioContext
from fencepost.steps.kafka.judging import answered
from fencepost.wire.kafka.batches import encode

from .vocabulary import KIP890


@KIP890.when("{producer} writes {odd_batch} to {partition}")
def writes_an_odd_batch(context: ScenarioContext, producer: str, odd_batch: str, partition: str) -> None:
    """Produce of one batch in the producer's transaction, which is correct but for this. A damaged one has its last byte changed, so that
    its checksum is wrong.
    """
    one, where = context.turn_of(producer), context.partition(partition)
    batch = one.probe.batch_of(["odd"], producer=one.current, sequence=one.next_sequence(where), transactional=True)
    match odd_batch:
        case "an empty batch":
            batch = replace(batch, records=())
        case "a batch with an offset of its own":
            batch = replace(batch, base_offset=1)
        case "a batch without a sequence number":
            batch = replace(batch, base_sequence=-1)
    data = bytearray(encode(batch))
    if odd_batch == "a damaged batch":
        data[-1] ^= 1
    version = context.version(one, "produce")
    answer = one.probe.produce_bytes(where, bytes(data), transactional_id=one.transactional_id, version=version, retry=True)
    context.keep(one, answer, "Produce")


@KIP890.given("{producer} has sent a batch with the beginning of another behind it to {partition}, whatever was answered")
def has_sent_more_than_a_batch(context: ScenarioContext, producer: str, partition: str) -> None:
    """Produce of one whole batch in the producer's transaction, and of half the bytes of one more, sent once; a refusal is as good as a
    success.
    """
    one, where = context.producers[producer], context.partition(partition)
    data = encode(one.probe.batch_of(["odd"], producer=one.current, sequence=one.next_sequence(where), transactional=True))
    version = context.version(one, "produce")
    outcome = one.probe.produce_bytes(where, data + data[: len(data) // 2], transactional_id=one.transactional_id, version=version)
    answered(outcome, f"writing to {partition}")


@KIP890.given("{producer} has raised its own epoch")
def has_raised_its_epoch(context: ScenarioContext, producer: str) -> None:
    """As an idempotent producer does without a request, when it does not know whether a batch was stored: sequence numbers begin again."""
    one = context.producers[producer]
    one.given.append(one.next_epoch())
