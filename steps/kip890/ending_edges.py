"""EndTxn off the beaten track: for somebody else, as an old client, and at once before the next request."""

from pytest_bdd import given, parsers, then, when

from fencepost.adapters.kafka.values import ProducerIdAndEpoch
from fencepost.contract.outcomes import Done, Outcome, Refused
from fencepost.steps.outcomes import achieved

from .answers import answer_of, told
from .setting import has_ended
from .world import World

_ENDS = {"commits": True, "aborts": False}
_ENDED = {"committed": True, "aborted": False}
_LAST_OF_OLD_PRODUCE = 11
_LAST_OF_OLD_END_TXN = 4


@given(parsers.re(r'old client (?P<name>\w+) has written "(?P<value>[^"]*)" to (?P<partition>\S+)'))
def an_old_client_has_written(world: World, name: str, value: str, partition: str) -> None:
    """AddPartitionsToTxn v3, then Produce v11: the newest versions that a client of the first protocol uses."""
    producer, where = world.producer(name), world.partition(partition)
    announced = producer.probe.add_partitions(producer.transactional_id, producer.pair, [where])
    achieved(announced, f"announcing {partition}")
    achieved(producer.write(where, value, version=_LAST_OF_OLD_PRODUCE), f"writing {value} to {partition}")


@given(parsers.re(r"old client (?P<name>\w+) has (?P<ended>committed|aborted)"))
def an_old_client_has_ended(world: World, name: str, ended: str) -> None:
    """EndTxn v4, and all markers are written but those held back; the producer keeps its epoch."""
    has_ended(world, world.producer(name), _ENDED[ended], _LAST_OF_OLD_END_TXN)


@when(parsers.re(r"(?P<name>\w+) (?P<verb>commits|aborts) with the producer id of (?P<other>\w+)(?: in EndTxn v(?P<version>\d+))?"))
def ends_as_another(world: World, name: str, verb: str, other: str, version: str | None) -> None:
    """EndTxn, v5 unless another version is named, for the producer's transactional id, with its own epoch and that producer id."""
    producer = world.turn_of(name)
    pair = ProducerIdAndEpoch(world.producer(other).pair.producer_id, producer.pair.epoch)
    world.ask(producer, producer.end(_ENDS[verb], pair, int(version or 5)))


@when(
    parsers.re(
        r"(?P<name>\w+) (?P<verb>commits|aborts) (?P<which>an empty transactional id|a transactional id that nobody has used)"
        r"(?: in EndTxn v(?P<version>\d+))?"
    )
)
def ends_another_id(world: World, name: str, verb: str, which: str, version: str | None) -> None:
    """EndTxn, v5 unless another version is named, with the producer's id and epoch, for a transactional id that is not its own."""
    producer = world.turn_of(name)
    identifier = "" if which.startswith("an empty") else world.session.unique("unused")
    world.ask(producer, producer.probe.end_txn(identifier, producer.pair, commit=_ENDS[verb], version=int(version or 5)))


@when(parsers.re(r'(?P<name>\w+) (?P<verb>commits|aborts), and at once writes "(?P<value>[^"]*)" to (?P<partition>\S+)'))
def ends_and_writes(world: World, name: str, verb: str, value: str, partition: str) -> None:
    """EndTxn v5 is answered with success; Produce v12 follows without a pause, with the pair that was answered.

    A producer that is told to wait waits and asks again.
    """
    producer = world.turn_of(name)
    pair = achieved(producer.end(_ENDS[verb]), f"ending the transaction of {name}")
    if pair is not None:
        producer.pairs.append(pair)
    world.ask(producer, producer.write(world.partition(partition), value))


@when(parsers.re(r"(?P<name>\w+) (?P<verb>commits|aborts), and at once aborts"))
def ends_and_aborts(world: World, name: str, verb: str) -> None:
    """EndTxn v5 is answered with success; an abort follows without a pause, with the pair that was answered.

    A producer that is told to wait waits and asks again.
    """
    producer = world.turn_of(name)
    pair = achieved(producer.end(_ENDS[verb]), f"ending the transaction of {name}")
    if pair is not None:
        producer.pairs.append(pair)
    world.ask(producer, producer.end(commit=False))


@when(parsers.re(r'old client (?P<name>\w+) writes "(?P<value>[^"]*)" to (?P<partition>\S+) and commits'))
def an_old_client_commits(world: World, name: str, value: str, partition: str) -> None:
    """AddPartitionsToTxn v3, Produce v11, EndTxn v4; the first refusal is the answer, or else the answer is that of EndTxn."""
    producer, where = world.turn_of(name), world.partition(partition)
    answer: Outcome[object] = producer.probe.add_partitions(producer.transactional_id, producer.pair, [where])
    if isinstance(answer, Done):
        answer = producer.write(where, value, version=_LAST_OF_OLD_PRODUCE)
    if isinstance(answer, Done):
        answer = producer.end(commit=True, version=_LAST_OF_OLD_END_TXN)
    world.ask(producer, answer)


@then("the answer is success")
def success(world: World) -> None:
    """The answer carries no error."""
    answer = answer_of(world)
    world.evidence.expect(isinstance(answer, Done), "success", told(answer))


@then(parsers.re(r"the request is refused with (?P<one>\w+) or (?P<other>\w+)"))
def refused_with_either(world: World, one: str, other: str) -> None:
    """The answer carries one of these errors."""
    answer = answer_of(world)
    refused = isinstance(answer, Refused) and answer.error in (one, other)
    world.evidence.expect(refused, f"a refusal with {one} or {other}", told(answer))


@then(parsers.re(r"the coordinator knows (?P<name>\w+) by the producer id and epoch that it began with"))
def knows_by_the_first(world: World, name: str) -> None:
    """DescribeTransactions shows the pair that the producer was given first."""
    producer = world.producer(name)
    first, known = producer.pairs[0], world.describe(producer).producer
    world.evidence.expect(known == first, f"{first} at the coordinator, as in the beginning", str(known))
