"""When: the one request that a scenario is about. What it answers is kept for the Then.

Each begins with `world.turn_of`, which notes the world as it is, so that a Then can say what has not changed.
"""

from pytest_bdd import parsers, when

from fencepost.adapters.kafka.values import ProducerIdAndEpoch
from fencepost.steps.outcomes import achieved

from .setting import LONG_TIMEOUT_MS, outlive_timeout
from .world import Producer, World

_EPOCH = "its previous epoch|the epoch before its previous one|an epoch ahead of its own"
_ENDS = {"commits": True, "aborts": False}


@when(parsers.re(rf"(?P<name>\w+) (?P<verb>commits|aborts)(?: with (?P<epoch>{_EPOCH}))?(?: in EndTxn v(?P<version>\d+))?"))
def ends(world: World, name: str, verb: str, epoch: str | None, version: str | None) -> None:
    """EndTxn, v5 unless another version is named, with the producer's own epoch unless another is named."""
    producer = world.turn_of(name)
    world.ask(producer, producer.end(_ENDS[verb], pair_meant(producer, epoch), int(version or 5)))


@when(parsers.re(r"(?P<name>\w+) (?P<verb>commits|aborts), and the broker crashes right after the answer"))
def ends_before_a_crash(world: World, name: str, verb: str) -> None:
    """EndTxn v5 is answered with success, the broker is killed at once, started again, and serves transactions."""
    producer = world.turn_of(name)
    achieved(producer.end(_ENDS[verb]), f"ending the transaction of {name}")
    world.session.faults.crash()
    world.session.faults.restart()


@when(
    parsers.re(
        rf'(?P<name>\w+) writes "(?P<value>[^"]*)" to (?P<partition>\S+)(?: with (?P<epoch>{_EPOCH}))?(?: in Produce v(?P<version>\d+))?'
    )
)
def writes(world: World, name: str, value: str, partition: str, epoch: str | None, version: str | None) -> None:
    """Produce, v12 unless another version is named: one transactional record, with the sequence number that is next."""
    producer = world.turn_of(name)
    world.ask(producer, producer.write(world.partition(partition), value, pair_meant(producer, epoch), int(version or 12)))


@when(parsers.re(rf"(?P<name>\w+) initialises again with (?P<epoch>{_EPOCH})"))
def initialises_again(world: World, name: str, epoch: str) -> None:
    """InitProducerId v5, or v4 where that is the newest, with the producer's id and that epoch."""
    producer = world.turn_of(name)
    pair, version = pair_meant(producer, epoch), producer.probe.newest("init_producer_id", 4, 5)
    answer = producer.probe.init_producer_id(producer.transactional_id, timeout_ms=LONG_TIMEOUT_MS, current=pair, version=version)
    world.ask(producer, answer)


@when(parsers.re(r"(?P<name>\w+) leaves its transaction open past its time-out"))
def leaves_open(world: World, name: str) -> None:
    """Nothing is asked; time passes until the coordinator no longer says Ongoing, or patience ends."""
    outlive_timeout(world, world.turn_of(name))


@when(parsers.re(r'a plain record "(?P<value>[^"]*)" is written to (?P<partition>\S+)'))
def a_plain_record_is_written(world: World, value: str, partition: str) -> None:
    """A record without a producer id, outside of every transaction."""
    world.note()
    achieved(world.write_plain(world.partition(partition), value), f"writing {value} to {partition}")


def pair_meant(producer: Producer, epoch: str | None) -> ProducerIdAndEpoch:
    """The pair that a sentence means; earlier epochs are those that the producer was really given."""
    match epoch:
        case "its previous epoch":
            return producer.pairs[-2]
        case "the epoch before its previous one":
            return producer.pairs[-3]
        case "an epoch ahead of its own":
            return producer.pair.with_epoch(producer.pair.epoch + 5)
        case _:
            return producer.pair
