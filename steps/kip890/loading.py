"""While a coordinator loads: a request that is put again and again from the very start of a broker that had crashed."""

from collections.abc import Callable

from pytest_bdd import parsers, then, when

from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.steps.outcomes import unanswered

from .answers import told
from .setting import LONG_TIMEOUT_MS
from .world import Producer, World

_MEANWHILE = "while the broker comes back from a crash"
_A_START_S = 120.0
"""How long is waited for a broker that starts, which other scenarios leave to the system; some take a minute on a busy machine."""

_ENDS = {"commits": True, "aborts": False}
_COORDINATOR_AWAY = {"COORDINATOR_LOAD_IN_PROGRESS", "COORDINATOR_NOT_AVAILABLE", "NOT_COORDINATOR"}
_FOR_LATER = _COORDINATOR_AWAY | {
    "CONCURRENT_TRANSACTIONS",
    "NOT_ENOUGH_REPLICAS",
    "LEADER_NOT_AVAILABLE",
    "NOT_LEADER_OR_FOLLOWER",
    "UNKNOWN_TOPIC_OR_PARTITION",
}


@when(parsers.re(rf"(?P<name>\w+) (?P<verb>commits|aborts) {_MEANWHILE}"))
def ends_meanwhile(world: World, name: str, verb: str) -> None:
    """EndTxn v5, from the moment at which the killed broker is started again until it succeeds or is refused for good."""
    producer = world.turn_of(name)
    _insist(
        world,
        producer,
        lambda: producer.probe.end_txn(producer.transactional_id, producer.pair, commit=_ENDS[verb], retry=False),
    )


@when(parsers.re(rf"(?P<name>\w+) initialises again {_MEANWHILE}"))
def initialises_meanwhile(world: World, name: str) -> None:
    """The same for InitProducerId v5, in which the producer does not say who it was."""
    producer = world.turn_of(name)
    _insist(
        world,
        producer,
        lambda: producer.probe.init_producer_id(producer.transactional_id, timeout_ms=LONG_TIMEOUT_MS, retry=False),
    )


@when(parsers.re(rf'(?P<name>\w+) writes "(?P<value>[^"]*)" to (?P<partition>\S+) {_MEANWHILE}'))
def writes_meanwhile(world: World, name: str, value: str, partition: str) -> None:
    """The same for Produce v12."""
    producer, where = world.turn_of(name), world.partition(partition)
    _insist(
        world,
        producer,
        lambda: producer.probe.produce(
            where,
            [value],
            producer=producer.pair,
            transactional_id=producer.transactional_id,
            sequence=producer.next_sequence(where),
            retry=False,
        ),
    )


@when(
    parsers.re(
        rf'(?P<name>\w+) sends offset (?P<offset>\d+) of (?P<partition>\S+) for group "(?P<group>[^"]*)"'
        rf" in TxnOffsetCommit v(?P<version>\d+) {_MEANWHILE}"
    )
)
def sends_an_offset_meanwhile(world: World, name: str, offset: str, partition: str, group: str, version: str) -> None:
    """The same for TxnOffsetCommit of that version."""
    producer, offsets = world.turn_of(name), {world.partition(partition): int(offset)}
    _insist(
        world,
        producer,
        lambda: producer.probe.commit_offsets(
            producer.transactional_id, producer.pair, world.session.unique(group), offsets, version=int(version), retry=False
        ),
    )


@then("nobody was told anything but to ask again, and the request has succeeded")
def only_for_later(world: World) -> None:
    """Each refusal on the way was a retriable one of a coordinator or a leader; the last answer is success."""
    _judge(world, _FOR_LATER, "refusals that say to ask again")


@then("nobody was told anything but that the coordinator is away, and the request has succeeded")
def only_of_the_coordinator(world: World) -> None:
    """Each refusal was COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE or NOT_COORDINATOR; the last answer is success."""
    _judge(world, _COORDINATOR_AWAY, "refusals of a coordinator that is away")


def _insist(world: World, producer: Producer, ask: Callable[[], Outcome[object]]) -> None:
    world.session.faults.crash()
    world.session.faults.start_again()
    for _ in world.time.attempts(_A_START_S):
        answer = ask()
        world.ask(producer, answer)
        if isinstance(answer, Refused):
            world.refusals.append(answer)
        if isinstance(answer, Done) or (isinstance(answer, Refused) and answer.error not in _FOR_LATER):
            return


def _judge(world: World, lawful: set[str], named: str) -> None:
    if isinstance(world.answer, Unknown):
        unanswered(world.answer, "the request was put again and again")
    told_on_the_way = sorted({refusal.error for refusal in world.refusals})
    world.evidence.expect(
        isinstance(world.answer, Done) and lawful.issuperset(told_on_the_way),
        f"{named}, and success in the end",
        f"{', '.join(told_on_the_way) or 'no refusal'}; in the end {told(world.answer)}",
    )
