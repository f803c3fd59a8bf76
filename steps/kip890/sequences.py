"""Sequence numbers: batches that come at another number than the one that is next, and producers that are only idempotent."""

import pytest
from pytest_bdd import given, parsers, then, when

from fencepost.adapters.kafka.values import Appended, Isolation
from fencepost.contract.outcomes import Done, Refused, Unknown
from fencepost.steps.outcomes import achieved, unanswered

from .world import Producer, World


@pytest.fixture
def idempotent_producers() -> dict[str, Producer]:
    """The scenario's producers without a transactional id; the world knows only of those that have one."""
    return {}


@given(parsers.parse("idempotent producer {name:w}"))
def an_idempotent_producer(world: World, idempotent_producers: dict[str, Producer], name: str) -> None:
    """InitProducerId without a transactional id: a producer with an id of its own, and no transactions."""
    probe = world.session.client(name)
    idempotent_producers[name] = Producer(name, "", probe, [achieved(probe.init_producer_id(None), f"initialising {name}")])


@given(
    parsers.re(r"the batch of idempotent producer (?P<name>\w+) in (?P<partition>\S+) has sequence (?P<first>\d+)(?: to (?P<last>\d+))?")
)
def has_begun_at(world: World, idempotent_producers: dict[str, Producer], name: str, partition: str, first: str, last: str | None) -> None:
    """Produce v12 of one batch, whose first record has the one sequence number and whose last record has the other one."""
    producer, begin = idempotent_producers[name], int(first)
    count = (int(last or first) - begin) % 2**31 + 1
    outcome = producer.probe.produce(world.partition(partition), _records(count), producer=producer.pair, sequence=begin)
    achieved(outcome, f"writing at sequence {first} to {partition}")


@given(parsers.re(r"(?P<name>\w+) has written (?P<count>\d+) batches to (?P<partition>\S+)"))
def has_written_batches(world: World, name: str, count: str, partition: str) -> None:
    """Produce v12 in the producer's transaction, once for each batch of one record, with sequence numbers from 0 on: "r0", "r1", ..."""
    producer, where = world.producer(name), world.partition(partition)
    for value in _records(int(count)):
        achieved(producer.write(where, value), f"writing {value} to {partition}")


@given(parsers.re(r"(?P<name>\w+) has written a batch of (?P<count>\d+) records to (?P<partition>\S+)"))
def has_written_a_batch(world: World, name: str, count: str, partition: str) -> None:
    """Produce v12 in the producer's transaction: one batch with the records "r0", "r1", ..., with sequence numbers from 0 on."""
    producer = world.producer(name)
    outcome = producer.probe.produce(
        world.partition(partition), _records(int(count)), producer=producer.pair, transactional_id=producer.transactional_id, sequence=0
    )
    achieved(outcome, f"writing {count} records to {partition}")


@when(
    parsers.re(
        r'(?P<name>\w+) writes "(?P<value>[^"]*)" to (?P<partition>\S+) at sequence (?P<sequence>\d+)'
        r"(?P<previous> with its previous epoch)?(?: in Produce v(?P<version>\d+))?"
    )
)
def writes_at(world: World, name: str, value: str, partition: str, sequence: str, previous: str | None, version: str | None) -> None:
    """Produce, v12 unless another version is named: one transactional record with that sequence number."""
    producer = world.turn_of(name)
    _write(world, producer, partition, [value], int(sequence), previous=bool(previous), version=int(version or 12))


@when(parsers.re(r"(?P<name>\w+) writes a batch of (?P<count>\d+) records to (?P<partition>\S+) at sequence (?P<sequence>\d+)"))
def writes_a_batch_at(world: World, name: str, count: str, partition: str, sequence: str) -> None:
    """Produce v12: one transactional batch whose first record has that sequence number."""
    _write(world, world.turn_of(name), partition, _records(int(count)), int(sequence))


@when(parsers.re(r'idempotent producer (?P<name>\w+) writes "(?P<value>[^"]*)" to (?P<partition>\S+) at sequence (?P<sequence>\d+)'))
def idempotent_writes_at(
    world: World, idempotent_producers: dict[str, Producer], name: str, value: str, partition: str, sequence: str
) -> None:
    """Produce v12 without a transactional id: one record with the producer's id and that sequence number."""
    world.note()
    producer, where = idempotent_producers[name], world.partition(partition)
    outcome = producer.probe.produce(where, [value], producer=producer.pair, sequence=int(sequence))
    producer.written.add(where)
    world.ask(producer, outcome)


@then(parsers.parse('the answer is the offset of "{value}"'))
def the_answer_is_the_offset_of(world: World, value: str) -> None:
    """Produce answers no error, and the offset at which the one record with this value stands."""
    match world.answer:
        case Done(Appended(base_offset=offset)):
            views = [world.read(partition, Isolation.READ_UNCOMMITTED) for partition in world.partitions]
            due = [view.offset_of(value) for view in views if view.offset_of(value) is not None]
            world.evidence.expect([offset] == due, f'the offset of "{value}", {due}', f"success with offset {offset}")
        case Unknown() as unknown:
            unanswered(unknown, "the request was made")
        case other:
            world.evidence.expect(False, f'the offset of "{value}"', f"a refusal with {other}")


@then(parsers.parse('{partition} takes "{value}" of {name:w} at sequence 0'))
def takes_at_zero(world: World, partition: str, value: str, name: str) -> None:
    """The same producer's Produce v12 of one record with sequence number 0 is answered without an error."""
    producer = world.producer(name)
    outcome = producer.probe.produce(
        world.partition(partition), [value], producer=producer.pair, transactional_id=producer.transactional_id, sequence=0
    )
    if isinstance(outcome, Unknown):
        unanswered(outcome, f"writing {value} at sequence 0")
    told = f"a refusal with {outcome}" if isinstance(outcome, Refused) else f"success with {outcome.value}"
    world.evidence.expect(isinstance(outcome, Done), f'"{value}" accepted at sequence 0', told)


def _write(
    world: World, producer: Producer, partition: str, values: list[str], sequence: int, *, previous: bool = False, version: int = 12
) -> None:
    where, pair = world.partition(partition), producer.pairs[-2] if previous else producer.pair
    outcome = producer.probe.produce(
        where, values, producer=pair, transactional_id=producer.transactional_id, sequence=sequence, version=version
    )
    producer.written.add(where)
    world.ask(producer, outcome)


def _records(count: int) -> list[str]:
    return [f"r{number}" for number in range(count)]
