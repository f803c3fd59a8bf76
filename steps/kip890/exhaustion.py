"""Producers whose epochs run out.

An epoch is brought to its limit as any client could: by tens of thousands of InitProducerId, done ahead by the system under test's
adapter. The transactional id of such a producer says so in its name. The last bump is made here.
"""

from collections.abc import Iterator

from pytest_bdd import given, parsers, then, when

from fencepost.adapters.kafka.values import LAST_USABLE_EPOCH, ProducerIdAndEpoch, TopicPartition
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done
from fencepost.steps.outcomes import achieved

from .answers import answer_of, told
from .setting import LONG_TIMEOUT_MS, SHORT_TIMEOUT_MS, outlive_timeout
from .world import Producer, World

_HANDS_OUT = ("InitProducerId ", "EndTxn ")


@given(parsers.re(r"producer (?P<name>\w+) at the last usable epoch(?P<short>, with a short time-out)?"))
def at_the_last_usable_epoch(world: World, name: str, short: str | None) -> None:
    """A producer with epoch 32766 and no transaction. Its previous epoch, 32765, was raised by InitProducerId with that identity."""
    probe = world.session.client(name)
    aged = achieved(probe.adopt_aged_id(), f"bringing the epoch of {name} near its end")
    timeout_ms = SHORT_TIMEOUT_MS if short else LONG_TIMEOUT_MS
    outcome = probe.init_producer_id(aged.transactional_id, timeout_ms=timeout_ms, current=aged.producer)
    pair = achieved(outcome, f"initialising {name} for the last time")
    if pair != aged.producer.with_epoch(LAST_USABLE_EPOCH):
        raise SetUpFailed(f"{name} has {pair} after {aged.producer}, and was to have epoch {LAST_USABLE_EPOCH}")
    world.producers[name] = Producer(name, aged.transactional_id, probe, [aged.producer, pair])


@given(parsers.re(r"the end of (?P<name>\w+)'s transaction is held back until the next start"))
def is_held_back_until_the_next_start(world: World, name: str) -> None:
    """The transaction that begins here goes no further than PrepareCommit or PrepareAbort, until the coordinator is started again.

    One partition is told of the coordinator's next life, and refuses the marker of this one. Which life this is, is seen from the
    marker of a transaction before it, of an old client, that keeps the producer's epoch.
    """
    producer = world.producer(name)
    topic = world.session.unique(f"holding-{name}")
    partition = TopicPartition(topic, 0)
    achieved(world.observer.create_topic(topic, 1), f"creating the topic {topic}")
    announced = producer.probe.add_partitions(producer.transactional_id, producer.pair, [partition])
    achieved(announced, f"announcing {partition}")
    achieved(producer.end(commit=True, version=4), f"ending a transaction of {name} as an old client")
    achieved(world.observer.settled(producer.transactional_id), f"waiting for the markers of {name}")
    active = achieved(world.observer.describe_producers(partition), f"describing the producers of {partition}")
    now = max(entry.coordinator_epoch for entry in active)
    announced = producer.probe.add_partitions(producer.transactional_id, producer.pair, [partition])
    achieved(announced, f"announcing {partition} again")
    marker = world.observer.write_marker(partition, producer.pair, commit=False, coordinator_epoch=now + 1)
    achieved(marker, f"telling {partition} of a newer coordinator")
    producer.is_held_back = True


@given(parsers.re(r"the broker has crashed and come back, and the transaction of (?P<name>\w+) is complete"))
def has_come_back_and_completed(world: World, name: str) -> None:
    """Killed without warning and started again; what was held back until then has got through."""
    producer = world.producer(name)
    world.session.faults.crash()
    world.session.faults.restart()
    producer.is_held_back = False
    achieved(world.observer.settled(producer.transactional_id), f"waiting for the markers of {name}")


@when(parsers.re(r"(?P<name>\w+) leaves its transaction open past its time-out, and then aborts"))
def leaves_open_and_aborts(world: World, name: str) -> None:
    """Time passes until the coordinator no longer says Ongoing, or patience ends. Then EndTxn v5, with the producer's own epoch."""
    producer = world.turn_of(name)
    outlive_timeout(world, producer)
    world.history = [world.describe(producer).state]
    world.ask(producer, producer.end(commit=False))


@then(parsers.re(r"the coordinator had ended the transaction of (?P<name>\w+) by itself"))
def had_ended_by_itself(world: World, name: str) -> None:
    """Before the producer asked for the end, DescribeTransactions showed an aborted transaction."""
    seen = world.history[-1]
    world.evidence.expect(seen in ("PrepareAbort", "CompleteAbort"), f"an aborted transaction of {name} after its time-out", seen)


@then("the answer is success, with a new producer id and epoch 0")
def success_with_a_new_producer_id(world: World) -> None:
    """The answer has no error, epoch 0, and a producer id that the producer was not given before."""
    assert world.asked is not None, "a sentence about an answer stands before the When"
    answer = answer_of(world)
    known = {pair.producer_id for pair in world.asked.pairs}
    match answer:
        case Done(ProducerIdAndEpoch(producer_id=producer_id, epoch=epoch)):
            holds = producer_id >= 0 and producer_id not in known and epoch == 0
        case _:
            holds = False
    world.evidence.expect(holds, "success with a new producer id and epoch 0", told(answer))


@then("no answer has handed out epoch 32767")
def never_beyond_the_last(world: World) -> None:
    """Of all answers of the scenario to InitProducerId and EndTxn, none has an epoch above 32766; the answer to the When is one of them."""
    answer, epochs = answer_of(world), list(_epochs(world))
    seen = f"the largest of {len(epochs)} is {max(epochs, default=-1)}; the last answer is {told(answer)}"
    holds = isinstance(answer, Done) and bool(epochs) and max(epochs) <= LAST_USABLE_EPOCH
    world.evidence.expect(holds, f"epochs up to {LAST_USABLE_EPOCH}", seen)


def _epochs(world: World) -> Iterator[int]:
    for exchange in world.session.exchanges():
        if exchange.name.startswith(_HANDS_OUT) and exchange.answer is not None and "producer_epoch" in exchange.answer:
            yield exchange.answer["producer_epoch"]
