"""Producing in ways that only the leader of a partition can judge: several partitions in one request, and requests that no client sends."""

from dataclasses import replace

from pytest_bdd import given, parsers, then, when

from fencepost.adapters.kafka.values import Appended
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.steps.outcomes import achieved, observed, unanswered
from fencepost.wire.kafka.batches import Marker, MarkerType, marker_batch

from .world import World


@given(parsers.parse('{name:w} has committed "{value}" to {partition} as an old client'))
def has_committed_as_an_old_client(world: World, name: str, value: str, partition: str) -> None:
    """AddPartitionsToTxn v3, Produce v11, EndTxn v4, and all markers are written; the producer keeps its epoch."""
    producer, where = world.producer(name), world.partition(partition)
    achieved(producer.probe.add_partitions(producer.transactional_id, producer.pair, [where]), f"announcing {partition}")
    achieved(producer.write(where, value, version=11), f"writing {value} to {partition}")
    achieved(producer.end(commit=True, version=4), f"ending the transaction of {name}")
    state = achieved(world.observer.settled(producer.transactional_id), f"waiting for the markers of {name}").state
    if state != "CompleteCommit":
        raise SetUpFailed(f"ending the transaction of {name} left it in {state}")


@when(
    parsers.re(
        r'(?P<name>\w+) writes "(?P<one>[^"]*)" to (?P<first>\S+) and "(?P<other>[^"]*)" to (?P<second>\S+)'
        r" in one Produce v(?P<version>\d+)"
    )
)
def writes_to_both(world: World, name: str, one: str, first: str, other: str, second: str, version: str) -> None:
    """One Produce request with a transactional record for each partition, with the sequence numbers that are next."""
    producer = world.turn_of(name)
    batches = {
        where: producer.probe.batch_of([value], producer=producer.pair, sequence=producer.next_sequence(where), transactional=True)
        for where, value in ((world.partition(first), one), (world.partition(second), other))
    }
    world.ask(producer, producer.probe.produce_batches(batches, transactional_id=producer.transactional_id, version=int(version)))


@when(parsers.re(r"(?P<name>\w+) writes to (?P<first>\S+), and in the same request for (?P<other>\w+) to (?P<second>\S+)"))
def writes_for_two_producers(world: World, name: str, first: str, other: str, second: str) -> None:
    """One Produce v12 with the first producer's transactional id, and in it a batch of each producer."""
    producer, stranger = world.turn_of(name), world.producer(other)
    batches = {
        where: producer.probe.batch_of([f"of {owner.name}"], producer=owner.pair, sequence=owner.next_sequence(where), transactional=True)
        for where, owner in ((world.partition(first), producer), (world.partition(second), stranger))
    }
    world.ask(producer, producer.probe.produce_batches(batches, transactional_id=producer.transactional_id))


@when(
    parsers.re(
        r'(?P<name>\w+) writes "(?P<value>[^"]*)" to (?P<partition>\S+) with the producer id of (?P<other>\w+)'
        r"(?: in Produce v(?P<version>\d+))?"
    )
)
def writes_as_another(world: World, name: str, value: str, partition: str, other: str, version: str | None) -> None:
    """Produce, v12 unless another version is named, with the producer's transactional id and the other one's producer id and epoch."""
    producer = world.turn_of(name)
    world.ask(producer, producer.write(world.partition(partition), value, world.producer(other).pair, int(version or 12)))


@when(
    parsers.re(
        r'(?P<name>\w+) writes "(?P<value>[^"]*)" to (?P<partition>\S+) without its transactional id(?: in Produce v(?P<version>\d+))?'
    )
)
def writes_without_its_id(world: World, name: str, value: str, partition: str, version: str | None) -> None:
    """Produce, v12 unless another version is named: a transactional batch in a request whose transactional id is null."""
    _send(world, name, value, partition, transactional=True, version=int(version or 12))


@when(parsers.re(r'(?P<name>\w+) writes "(?P<value>[^"]*)" to (?P<partition>\S+) outside of its transaction'))
def writes_outside(world: World, name: str, value: str, partition: str) -> None:
    """Produce v12 without a transactional id: a batch that is not transactional, with the producer's pair and its next sequence number."""
    _send(world, name, value, partition, transactional=False, version=12)


@when(parsers.re(r"(?P<name>\w+) writes (?:a|an) (?P<kind>COMMIT|ABORT) marker to (?P<partition>\S+) by itself"))
def writes_a_marker(world: World, name: str, kind: str, partition: str) -> None:
    """Produce v12 in the producer's transaction: a control batch that looks like a coordinator's, but for its sequence number."""
    producer = world.turn_of(name)
    where, pair = world.partition(partition), producer.pair
    now = producer.probe.batch_of([""], transactional=True).records[0].timestamp
    marker = marker_batch(Marker(MarkerType[kind], 0), pair.producer_id, pair.epoch, now)
    batch = replace(marker, base_sequence=producer.next_sequence(where))
    world.ask(producer, producer.probe.produce_one_batch(where, batch, transactional_id=producer.transactional_id))


@then(parsers.re(r"the write to (?P<partition>\S+) is accepted"))
def the_write_to_is_accepted(world: World, partition: str) -> None:
    """In the answer, this partition has no error and an offset, and its log ends beyond that offset."""
    match _answer_for(world, partition):
        case Done(Appended(base_offset=offset)):
            end = world.end_of(world.partition(partition))
            world.evidence.expect(0 <= offset < end, f"an offset that {partition} really has", f"offset {offset}, the log ends at {end}")
        case other:
            world.evidence.expect(False, f"an accepted write to {partition}", f"{partition}: {other}")


@then(parsers.re(r"the write to (?P<partition>\S+) is refused with (?P<error>\w+)"))
def the_write_to_is_refused(world: World, partition: str, error: str) -> None:
    """In the answer, this partition has this error."""
    answer = _answer_for(world, partition)
    holds = isinstance(answer, Refused) and answer.error == error
    world.evidence.expect(holds, f"{error} for {partition}", f"{partition}: {answer}")


@then(parsers.parse("{partition} holds no open transaction of {name:w}"))
def holds_no_open_transaction(world: World, partition: str, name: str) -> None:
    """DescribeProducers shows no transaction start for the producer's id in this partition, once no marker is on its way."""
    world.await_markers()
    active = observed(world.observer.describe_producers(world.partition(partition)), f"describing the producers of {partition}")
    starts = [entry.transaction_start for entry in active if entry.producer.producer_id == world.producer(name).pair.producer_id]
    told = f"a transaction of {name} that starts at {max(starts)}" if any(start >= 0 for start in starts) else f"none; starts {starts}"
    world.evidence.expect(all(start == -1 for start in starts), f"no open transaction of {name} in {partition}", told)


@then("the refusal has no offset, and no start of the log")
def refusal_without_offsets(world: World) -> None:
    """The answer is a refusal with base offset -1 and log start offset -1."""
    _judge_offsets(world, -1)


@then(parsers.parse("the refusal has no offset, and the start of the log of {partition}"))
def refusal_with_log_start(world: World, partition: str) -> None:
    """The answer is a refusal with base offset -1, and its log start offset is what ListOffsets answers for the earliest."""
    _judge_offsets(world, observed(world.observer.start_offset(world.partition(partition)), f"asking where {partition} starts"))


def _judge_offsets(world: World, log_start: int) -> None:
    match world.answer:
        case Refused(fields=fields):
            seen = (fields.get("base_offset"), fields.get("log_start_offset"))
            told = f"base offset {seen[0]}, log start offset {seen[1]}"
            world.evidence.expect(seen == (-1, log_start), f"a refusal with base offset -1, log start offset {log_start}", told)
        case Unknown() as unknown:
            unanswered(unknown, "the request was made")
        case other:
            world.evidence.expect(False, "a refusal", str(other))


def _send(world: World, name: str, value: str, partition: str, *, transactional: bool, version: int) -> None:
    producer, where = world.turn_of(name), world.partition(partition)
    sequence = producer.next_sequence(where)
    batch = producer.probe.batch_of([value], producer=producer.pair, sequence=sequence, transactional=transactional)
    world.ask(producer, producer.probe.produce_one_batch(where, batch, transactional_id=None, version=version))


def _answer_for(world: World, partition: str) -> Outcome[Appended]:
    match world.answer:
        case Unknown() as unknown:
            return unanswered(unknown, "the request was made")
        case Done(dict() as results):
            answer: Outcome[Appended] = results[world.partition(partition)]
            return answer
        case other:
            assert isinstance(other, Refused), "a sentence about one partition's answer stands before the When"
            return other
