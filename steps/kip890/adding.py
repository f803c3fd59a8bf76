"""Adding partitions to a transaction with AddPartitionsToTxn: as a client does, and as the leader of a partition does."""

from collections.abc import Mapping

from pytest_bdd import given, parsers, then, when

from fencepost.adapters.kafka.probe import Addition, PartitionResults
from fencepost.adapters.kafka.values import ProducerIdAndEpoch, TopicPartition, TransactionDescription
from fencepost.contract.evidence import Violation
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.steps.outcomes import unanswered

from .world import Producer, World

PARTITIONS = r"[^\s\"]+-\d+(?: and [^\s\"]+-\d+)*"
_EPOCH = "its previous epoch|an epoch ahead of its own"
CLAIM = rf"with (?P<epoch>{_EPOCH})|with the producer id of (?P<other>\w+)|under (?P<identifier>an unknown|an empty) transactional id"
"""Who a request says it is from, when that is not the producer by its own id and epoch."""

_BROKERS_VERSION = 4


def partitions_of(world: World, names: str) -> list[TopicPartition]:
    """`payments-0 and payments-1` as the system knows them."""
    return [world.partition(name) for name in names.split(" and ")]


def claimed(
    world: World, producer: Producer, epoch: str | None, other: str | None = None, identifier: str | None = None
) -> tuple[str, ProducerIdAndEpoch]:
    """The transactional id and the pair that a request carries; earlier epochs are those that the producer was really given."""
    pair = producer.pair
    if other is not None:
        pair = ProducerIdAndEpoch(world.producer(other).pair.producer_id, pair.epoch)
    match epoch:
        case "its previous epoch":
            pair = producer.pairs[-2]
        case "an epoch ahead of its own":
            pair = pair.with_epoch(pair.epoch + 5)
    match identifier:
        case "an unknown":
            return world.session.unique("nobody"), pair
        case "an empty":
            return "", pair
    return producer.transactional_id, pair


@given(parsers.parse('there is no topic "{name}"'))
def no_topic(world: World, name: str) -> None:
    """A name that no topic has, for sentences about its partitions."""
    world.topics[name] = world.session.unique(name)


@when(parsers.re(rf"(?P<name>\w+) announces (?P<partitions>{PARTITIONS})(?: (?:{CLAIM}))?(?: in AddPartitionsToTxn v(?P<version>\d+))?"))
def announces(
    world: World,
    name: str,
    partitions: str,
    epoch: str | None,
    other: str | None,
    identifier: str | None,
    version: str | None,
) -> None:
    """AddPartitionsToTxn, v3 unless another version is named, with the producer's own identity unless another is named."""
    producer = world.turn_of(name)
    transactional_id, pair = claimed(world, producer, epoch, other, identifier)
    answer = producer.probe.add_each_partition(
        transactional_id, pair, partitions_of(world, partitions), version=int(version or 3), retry=not producer.is_held_back
    )
    world.ask(producer, answer)


@when(parsers.re(rf"the leader verifies (?P<partitions>{PARTITIONS}) for (?P<name>\w+)(?: (?:{CLAIM}))?"))
def verifies(world: World, partitions: str, name: str, epoch: str | None, other: str | None, identifier: str | None) -> None:
    """AddPartitionsToTxn v4 with verifyOnly, as the leader of a partition asks whether it is in the producer's transaction."""
    producer = world.turn_of(name)
    transactional_id, pair = claimed(world, producer, epoch, other, identifier)
    addition = Addition(transactional_id, pair, tuple(partitions_of(world, partitions)), verify_only=True)
    match producer.probe.add_partitions_batched([addition], version=_BROKERS_VERSION):
        case Done(results):
            world.ask(producer, Done(results[transactional_id]))
        case trouble:
            world.ask(producer, trouble)


@when(
    parsers.re(
        rf"(?P<partition>[^\s\"]+-\d+) is added for (?P<first>\w+)(?: with (?P<first_epoch>{_EPOCH}))?"
        rf" and for (?P<second>\w+)(?: with (?P<second_epoch>{_EPOCH}))? in one request"
    )
)
def added_in_one_request(world: World, partition: str, first: str, first_epoch: str | None, second: str, second_epoch: str | None) -> None:
    """AddPartitionsToTxn v4 with one entry for each of these producers, in this order."""
    producer = world.turn_of(first)
    wanted = ((producer, first_epoch), (world.producer(second), second_epoch))
    additions = [Addition(*claimed(world, one, epoch), (world.partition(partition),)) for one, epoch in wanted]
    world.ask(producer, producer.probe.add_partitions_batched(additions, version=_BROKERS_VERSION))


@then(parsers.re(rf"(?P<partitions>{PARTITIONS}) (?:is|are) accepted(?: for (?P<name>\w+))?"))
def partitions_are_accepted(world: World, partitions: str, name: str | None) -> None:
    """The answer has an entry without an error for each of these partitions; where several ask in one request, in that producer's."""
    results = _results(world, name)
    named = _named(world, partitions, results)
    world.evidence.expect(all(isinstance(result, Done) for result in named.values()), f"{partitions} without an error", _told(named))


@then(parsers.re(rf"(?P<partitions>{PARTITIONS}) (?:is|are) refused(?: for (?P<name>\w+))? with (?P<errors>\w+(?: or \w+)*)"))
def partitions_are_refused(world: World, partitions: str, name: str | None, errors: str) -> None:
    """The answer has this error for each of these partitions, one of those that are named where there are several."""
    results = _results(world, name)
    named = _named(world, partitions, results)
    world.evidence.expect(
        all(isinstance(result, Refused) and result.error in errors.split(" or ") for result in named.values()),
        f"{partitions} refused with {errors}",
        _told(named),
    )


@then(parsers.parse("the transaction of {name:w} is as it was"))
def the_transaction_is_as_it_was(world: World, name: str) -> None:
    """DescribeTransactions shows the state, producer id, epoch, partitions, start and time-out that it showed before the When.

    Of a transaction that is being ended, partitions that were waiting for their marker may have got it.
    """
    producer = world.producer(name)
    before, now = world.noted().transactions[producer.transactional_id], world.describe(producer)
    world.evidence.expect(_is_unchanged(before, now), f"the transaction of {name} as it was, {_shown(before)}", _shown(now))


def _is_unchanged(before: TransactionDescription, now: TransactionDescription) -> bool:
    same = (before.state, before.producer, before.timeout_ms, before.start_time) == (
        now.state,
        now.producer,
        now.timeout_ms,
        now.start_time,
    )
    if before.state.startswith("Prepare"):
        return same and now.partitions <= before.partitions
    return same and now.partitions == before.partitions


def _results(world: World, name: str | None) -> PartitionResults:
    """The verdicts on partitions in the answer to the When, in the entry of that producer where the request had several."""
    outcome: Outcome[object] | None = world.answer
    match outcome:
        case Done(dict() as results):
            return results[world.producer(name).transactional_id] if name is not None else results
        case Unknown():
            return unanswered(outcome, "the request was made")
        case Refused():
            raise Violation("an answer for each partition", f"a refusal of the whole request: {outcome}")
        case _:
            raise AssertionError("a sentence about partitions stands after a When that has a verdict for each")


def _named(world: World, names: str, results: PartitionResults) -> Mapping[str, Done[None] | Refused]:
    return {name: results[world.partition(name)] for name in names.split(" and ")}


def _told(results: Mapping[str, Done[None] | Refused]) -> str:
    return "; ".join(f"{name}: {'no error' if isinstance(result, Done) else result}" for name, result in results.items())


def _shown(description: TransactionDescription) -> str:
    where = ", ".join(map(str, sorted(description.partitions))) or "no partition"
    return f"{description.state} in {where} of {description.producer}, begun at {description.start_time}, time-out {description.timeout_ms}"
