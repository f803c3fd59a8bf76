"""InitProducerId in all its forms: who asks, as whom, with which time-out, and which identity comes back."""

from pytest_bdd import given, parsers, then, when

from fencepost.adapters.kafka.values import NO_PRODUCER, ProducerIdAndEpoch
from fencepost.contract.outcomes import Done, Outcome
from fencepost.steps.outcomes import achieved

from .acts import pair_meant
from .answers import answer_of, judge_pair, told
from .setting import LONG_TIMEOUT_MS
from .world import Producer, World

_EPOCH = "its previous epoch|the epoch before its previous one|an epoch ahead of its own"
_IDENTITY = r"its own producer id and epoch|the producer id of \w+|a producer id but no epoch|an epoch but no producer id"
_TIMEOUTS_MS = {
    "of zero": 0,
    "below zero": -1,
    "beyond every maximum": 2**31 - 1,
    "shorter": LONG_TIMEOUT_MS // 2,
    "longer": LONG_TIMEOUT_MS * 2,
}
_AHEAD = {"one": 1, "two": 2}


@given("a client has been given a producer id without a transactional id")
def an_anonymous_producer(world: World) -> None:
    """InitProducerId v5 with no transactional id, as a producer that is idempotent and has no transactions."""
    world.anonymous.append(achieved(world.observer.init_producer_id(None), "initialising without a transactional id"))


@when(parsers.re(r"a client initialises without a transactional id(?:, as (?P<name>\w+))?"))
def initialises_without_an_id(world: World, name: str | None) -> None:
    """InitProducerId v5 with no transactional id; with a name, it carries the producer id and epoch of that producer."""
    world.note()
    current = world.producer(name).pair if name else NO_PRODUCER
    world.ask(None, world.observer.init_producer_id(None, current=current))


@when("a client initialises an empty transactional id")
def initialises_an_empty_id(world: World) -> None:
    """InitProducerId v5 with a transactional id of no characters."""
    world.note()
    world.ask(None, world.observer.init_producer_id(""))


@when(parsers.re(r"a client initialises a transactional id that nobody has used(?:, as (?P<name>\w+))?"))
def initialises_a_new_id(world: World, name: str | None) -> None:
    """InitProducerId v5 for a new transactional id; with a name, it carries the producer id and epoch of that producer."""
    world.note()
    current = world.producer(name).pair if name else NO_PRODUCER
    world.ask(None, world.observer.init_producer_id(world.session.unique("unused"), current=current))


@when(parsers.re(rf"(?P<name>\w+) initialises again with (?P<identity>{_IDENTITY})(?: in InitProducerId v(?P<version>\d+))?"))
def initialises_again_as(world: World, name: str, identity: str, version: str | None) -> None:
    """InitProducerId, v5 or v4 unless another version is named, for the producer's transactional id, with that identity."""
    producer = world.turn_of(name)
    world.ask(producer, _initialise(producer, _identity(world, producer, identity), version))


@when(parsers.re(rf"(?P<name>\w+) initialises again in InitProducerId v(?P<version>\d+) with (?P<epoch>{_EPOCH})"))
def initialises_again_in_version(world: World, name: str, version: str, epoch: str) -> None:
    """InitProducerId of that version, with the producer's id and that epoch."""
    producer = world.turn_of(name)
    world.ask(producer, _initialise(producer, pair_meant(producer, epoch), version))


@when(parsers.re(rf"(?P<name>\w+) initialises again with a time-out (?P<timeout>{'|'.join(_TIMEOUTS_MS)})"))
def initialises_again_with_a_timeout(world: World, name: str, timeout: str) -> None:
    """InitProducerId v5 with the producer's id and epoch, and that time-out in milliseconds, compared with what it asked for before.

    Beyond every maximum is the largest number that the message has room for: a broker is free to allow less.
    """
    producer = world.turn_of(name)
    world.ask(producer, _initialise(producer, producer.pair, timeout_ms=_TIMEOUTS_MS[timeout]))


@when(
    parsers.re(
        r"(?P<successor>\w+) takes over the transactional id of (?P<name>\w+)"
        r"(?: with a time-out (?P<timeout>shorter|longer))?(?: in InitProducerId v(?P<version>\d+))?"
    )
)
def takes_over(world: World, successor: str, name: str, timeout: str | None, version: str | None) -> None:
    """A second instance asks InitProducerId, v5 or v4 unless another version is named, for the same transactional id, with no identity.

    It asks again for as long as it is told CONCURRENT_TRANSACTIONS, unless the end of the transaction is held back.
    """
    owner = world.turn_of(name)
    instance = Producer(successor, owner.transactional_id, world.session.client(successor), [], is_held_back=owner.is_held_back)
    answer = _initialise(instance, NO_PRODUCER, version, _TIMEOUTS_MS[timeout] if timeout else LONG_TIMEOUT_MS)
    if isinstance(answer, Done):
        instance.pairs.append(answer.value)
        world.producers[successor] = instance
    world.ask(owner, answer)


@then("the answer is success, with a producer id that nobody had and epoch 0")
def success_with_a_fresh_pair(world: World) -> None:
    """InitProducerId answers no error, epoch 0, and a producer id that no other client of the scenario was given."""
    known = {pair.producer_id for producer in world.producers.values() for pair in producer.pairs}
    known |= {pair.producer_id for pair in world.anonymous}
    match answer_of(world):
        case Done(ProducerIdAndEpoch(producer_id=producer_id, epoch=epoch)) as done:
            seen = told(done) + (", a producer id that was handed out before" if producer_id in known else "")
            fresh = producer_id >= 0 and producer_id not in known and epoch == 0
        case other:
            seen, fresh = told(other), False
    world.evidence.expect(fresh, "success with a producer id that nobody had and epoch 0", seen)


@then(parsers.re(r"the answer is success, with the producer id of (?P<name>\w+) and an epoch (?P<ahead>one|two) ahead"))
def success_with_an_epoch_ahead(world: World, name: str, ahead: str) -> None:
    """InitProducerId answers no error, the producer id of that producer, and the epoch that it goes by plus one or two."""
    pair = world.producer(name).pair
    judge_pair(world, pair.with_epoch(pair.epoch + _AHEAD[ahead]))


@then(parsers.re(r"the coordinator grants (?P<name>\w+) the (?P<timeout>shorter|longer) time-out"))
def grants_the_timeout(world: World, name: str, timeout: str) -> None:
    """DescribeTransactions shows the time-out that the When asked for."""
    due, known = _TIMEOUTS_MS[timeout], world.describe(world.producer(name)).timeout_ms
    world.evidence.expect(known == due, f"a time-out of {due} ms for {name}", f"{known} ms")


def _initialise(
    producer: Producer, current: ProducerIdAndEpoch, version: str | None = None, timeout_ms: int = LONG_TIMEOUT_MS
) -> Outcome[ProducerIdAndEpoch]:
    return producer.probe.init_producer_id(
        producer.transactional_id,
        timeout_ms=timeout_ms,
        current=current,
        version=int(version or producer.probe.newest("init_producer_id", 4, 5)),
        retry=not producer.is_held_back,
    )


def _identity(world: World, producer: Producer, identity: str) -> ProducerIdAndEpoch:
    """The pair that a sentence means."""
    match identity:
        case "a producer id but no epoch":
            return producer.pair.with_epoch(-1)
        case "an epoch but no producer id":
            return ProducerIdAndEpoch(-1, producer.pair.epoch)
        case "its own producer id and epoch":
            return producer.pair
        case _:
            other = world.producer(identity.rpartition(" ")[2])
            return ProducerIdAndEpoch(other.pair.producer_id, producer.pair.epoch)
