"""What a client of the first protocol does: it announces each partition, and keeps one epoch for all its transactions.

It uses the newest versions of that protocol which the system offers, so these sentences also hold for systems that know no other.
"""

from pytest_bdd import given, parsers, when

from fencepost.adapters.kafka.values import Appended, TopicPartition
from fencepost.contract.outcomes import Outcome
from fencepost.steps.outcomes import achieved

from .setting import announced
from .world import Producer, World

_PRODUCE = (3, 11)
_END_TXN = (0, 4)
_ENDS = {"commits": True, "aborts": False}


@given(parsers.re(r'in the first protocol (?P<name>\w+) has written "(?P<value>[^"]*)" to (?P<partition>\S+)'))
def has_written(world: World, name: str, value: str, partition: str) -> None:
    """AddPartitionsToTxn up to v3, then Produce up to v11: the newest that are offered."""
    producer, where = world.producer(name), world.partition(partition)
    achieved(announced(producer, where), f"announcing {partition}")
    achieved(_write(producer, where, value), f"writing {value} to {partition}")


@when(parsers.re(r'in the first protocol (?P<name>\w+) writes "(?P<value>[^"]*)" to (?P<partition>\S+)'))
def writes(world: World, name: str, value: str, partition: str) -> None:
    """Produce up to v11, the newest that is offered, to a partition that the producer announced before."""
    producer = world.turn_of(name)
    world.ask(producer, _write(producer, world.partition(partition), value))


@when(parsers.re(r"in the first protocol (?P<name>\w+) (?P<verb>commits|aborts)"))
def ends(world: World, name: str, verb: str) -> None:
    """EndTxn up to v4, the newest that is offered."""
    producer = world.turn_of(name)
    world.ask(producer, producer.end(_ENDS[verb], version=producer.probe.newest("end_txn", *_END_TXN)))


def _write(producer: Producer, where: TopicPartition, value: str) -> Outcome[Appended]:
    return producer.write(where, value, version=producer.probe.newest("produce", *_PRODUCE))
