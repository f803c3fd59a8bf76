"""Logs of several segments: not seen from outside, but brought about by a topic's configuration and the times of its records."""

from dataclasses import replace

from pytest_bdd import given, parsers, then

from fencepost.adapters.kafka.values import AbortedTransaction, Isolation, TopicPartition
from fencepost.contract.evidence import SetUpFailed
from fencepost.steps.outcomes import achieved, observed

from .world import World

_NEW_SEGMENT_AFTER_MS = 1
_BETWEEN_BATCHES_MS = 1_000
"""Between the times that the records carry; nobody waits for that long."""


@given(parsers.parse('a topic "{name}" whose log begins a new segment for each batch'))
def a_topic_of_segments(world: World, name: str) -> None:
    """A new topic of one partition, whose segment.ms is smaller than any two batches of the scenario are apart."""
    world.topics[name] = world.session.unique(name)
    configs = {"segment.ms": str(_NEW_SEGMENT_AFTER_MS)}
    achieved(world.observer.create_topic(world.topics[name], 1, configs), f"creating the topic {name}")
    world.partitions.append(TopicPartition(world.topics[name], 0))


@given(parsers.parse("{name:w} has written {count:d} batches to {partition}, each in a segment of its own"))
def has_written_segments(world: World, name: str, count: int, partition: str) -> None:
    """Produce v12 in the producer's transaction, once for each batch: its one record says that it is a second younger than the last."""
    producer, where = world.producer(name), world.partition(partition)
    for number in range(count):
        batch = producer.probe.batch_of([f"r{number}"], producer=producer.pair, sequence=number, transactional=True)
        aged = tuple(replace(record, timestamp=record.timestamp - (count - number) * _BETWEEN_BATCHES_MS) for record in batch.records)
        outcome = producer.probe.produce_one_batch(where, replace(batch, records=aged), transactional_id=producer.transactional_id)
        achieved(outcome, f"writing r{number} to {partition}")
    producer.written.add(where)


@then(parsers.parse("each batch of {name:w} in {partition}, fetched alone, comes with its aborted transaction"))
def each_batch_is_told(world: World, name: str, partition: str) -> None:
    """For each data batch of the producer: a read_committed Fetch from its offset, with room for no more, lists the producer's id with
    the offset of its first batch."""
    where, producer_id = world.partition(partition), world.producer(name).pair.producer_id
    batches = [batch for batch in world.read(where, Isolation.READ_UNCOMMITTED).batches if batch.producer_id == producer_id]
    offsets = [batch.base_offset for batch in batches if not batch.control]
    if not offsets:
        raise SetUpFailed(f"{partition} holds no batch of {name}")
    due = AbortedTransaction(producer_id, offsets[0])
    for offset in offsets:
        page = observed(world.observer.page(where, Isolation.READ_COMMITTED, offset, max_bytes=1), f"reading {partition} from {offset}")
        listed = ", ".join(f"producer id {entry.producer_id} from offset {entry.first_offset}" for entry in page.aborted) or "none"
        fetched = [batch.base_offset for batch in page.batches]
        world.evidence.expect(
            due in page.aborted and fetched[:1] == [offset],
            f"the aborted transaction of producer id {producer_id} from offset {due.first_offset} beside the batch at {offset}",
            f"{listed}, beside batches at {fetched}",
        )
