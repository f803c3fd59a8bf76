"""Faults on the wire: what is lost, doubled or late between a client and its broker, and two ends that race each other."""

from pytest_bdd import given, parsers, then, when

from fencepost.adapters.kafka.values import Isolation, ProducerIdAndEpoch
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.steps.outcomes import achieved, unanswered
from fencepost.wire.kafka.batches import MarkerType

from .answers import told
from .world import World

_ENDS = {"commits": True, "aborts": False}
_LOSERS = {"CONCURRENT_TRANSACTIONS", "INVALID_TXN_STATE", "PRODUCER_FENCED", "NOT_COORDINATOR", "COORDINATOR_LOAD_IN_PROGRESS"}
_PARTITIONS = r"\S+-\d+(?: and \S+-\d+)*"


@given(parsers.re(r'(?P<name>\w+)\'s write of "(?P<value>[^"]*)" to (?P<partition>\S+) is held up on its way'))
def a_write_is_held_up(world: World, name: str, value: str, partition: str) -> None:
    """Produce v12 leaves the client and does not reach the leader; the client has lost its connection and does not know."""
    producer = world.producer(name)
    world.session.wire.hold_up(name, "produce")
    _must_be_unknown(producer.write(world.partition(partition), value), f"writing {value} to {partition}")


@when("what was held up arrives")
def it_arrives(world: World) -> None:
    """The leader gets the request now, and has answered it; nobody reads that answer."""
    world.note()
    if not world.session.wire.let_go():
        raise SetUpFailed("nothing was held up")


@when(parsers.re(r"(?P<name>\w+) (?P<verb>commits|aborts), the (?P<what>request|answer) is lost, and (?P=name) asks again"))
def ends_and_loses(world: World, name: str, verb: str, what: str) -> None:
    """EndTxn v5 is lost on its way to the coordinator, or its answer on the way back; then EndTxn v5 once more, with the same epoch."""
    producer = world.turn_of(name)
    lose = world.session.wire.lose_request if what == "request" else world.session.wire.lose_answer
    lose(name, "end_txn")
    _must_be_unknown(producer.end(_ENDS[verb]), f"ending the transaction of {name}")
    world.ask(producer, producer.end(_ENDS[verb]))


@when(parsers.re(r"(?P<name>\w+) (?P<verb>commits|aborts), the broker crashes before it has answered, and (?P=name) asks again"))
def ends_in_a_crash(world: World, name: str, verb: str) -> None:
    """EndTxn v5 is sent and the broker killed before the answer is read; when it serves again, EndTxn v5 with the same epoch."""
    producer = world.turn_of(name)
    wait = producer.probe.send_end_txn(producer.transactional_id, producer.pair, commit=_ENDS[verb])
    world.session.faults.crash()
    _must_be_unknown(wait(), f"ending the transaction of {name}")
    world.session.faults.restart()
    world.ask(producer, producer.end(_ENDS[verb]))


@when(parsers.re(r"(?P<name>\w+) (?P<verb>commits|aborts), and the request arrives twice"))
def ends_twice(world: World, name: str, verb: str) -> None:
    """One EndTxn v5 that the coordinator gets twice in a row; the first answer is the answer."""
    producer = world.turn_of(name)
    world.session.wire.arrive_twice(name, "end_txn")
    world.ask(producer, producer.end(_ENDS[verb]))
    _must_have_happened(world)


@when(parsers.re(r'(?P<name>\w+) writes "(?P<value>[^"]*)" to (?P<partition>\S+), and the request arrives twice'))
def writes_twice(world: World, name: str, value: str, partition: str) -> None:
    """One Produce v12 that the leader gets twice in a row; the first answer is the answer."""
    producer = world.turn_of(name)
    world.session.wire.arrive_twice(name, "produce")
    world.ask(producer, producer.write(world.partition(partition), value))
    _must_have_happened(world)


@when(parsers.re(r"(?P<name>\w+) (?P<first>commits|aborts) and (?P<second>commits|aborts) at once, on two connections"))
def ends_both_ways(world: World, name: str, first: str, second: str) -> None:
    """Two EndTxn v5 with the same producer id and epoch, in this order, both sent before any answer is read; each is put once."""
    producer = world.turn_of(name)
    other = world.session.client(f"{name}-2")
    # This connects, and finds the coordinator, so that the two requests leave together.
    achieved(other.describe_transaction(producer.transactional_id), f"describing the transaction of {name}")
    waits = [
        (verb, probe.send_end_txn(producer.transactional_id, producer.pair, commit=_ENDS[verb]))
        for verb, probe in ((first, producer.probe), (second, other))
    ]
    world.raced = {verb: wait() for verb, wait in waits}
    world.ask(producer, world.raced[first])


@then(parsers.re(rf"at most one of the two has succeeded, and (?P<partitions>{_PARTITIONS}) hold its markers alone"))
def one_has_won(world: World, partitions: str) -> None:
    """The other is refused CONCURRENT_TRANSACTIONS, INVALID_TXN_STATE or PRODUCER_FENCED, or told to look for its coordinator.

    All markers since are of one type.

    That type is the winner's, and then each of these logs has one. If both were refused, nothing needs to have ended.
    """
    for outcome in world.raced.values():
        if isinstance(outcome, Unknown):
            unanswered(outcome, "two ends raced")
    winners = [verb for verb, outcome in world.raced.items() if isinstance(outcome, Done)]
    lawful = all(
        isinstance(outcome, Done) or (isinstance(outcome, Refused) and outcome.error in _LOSERS) for outcome in world.raced.values()
    )
    answers = ", ".join(f"{verb}: {told(outcome)}" for verb, outcome in world.raced.items())
    world.evidence.expect(lawful and len(winners) <= 1, "at most one of the two ends to succeed", answers)
    found = {name: [kind for _, kind in _markers(world, name)] for name in partitions.split(" and ")}
    kinds = {kind for new in found.values() for kind in new}
    due = {MarkerType.COMMIT if verb == "commits" else MarkerType.ABORT for verb in winners} or kinds
    world.evidence.expect(
        kinds == due and len(kinds) <= 1 and (not winners or all(found.values())),
        f"markers of one decision, the winner's, in {partitions}",
        f"{answers}; " + "; ".join(f"{name}: {', '.join(kind.name for kind in new) or 'none'}" for name, new in found.items()),
    )


@then(
    parsers.re(rf"(?P<partitions>{_PARTITIONS}) hold nothing but (?P<kind>COMMIT|ABORT) markers of the epoch after that of (?P<name>\w+)")
)
def markers_of_one_decision(world: World, partitions: str, kind: str, name: str) -> None:
    """Since the When, each of these logs got at least one marker, and all are of this type and of the producer's epoch plus one."""
    due = (world.producer(name).next_epoch(), MarkerType[kind])
    found = {partition: _markers(world, partition) for partition in partitions.split(" and ")}
    world.evidence.expect(
        all(set(new) == {due} for new in found.values()),
        f"{kind} markers with {due[0]} in {partitions}, and no others",
        "; ".join(f"{where}: {', '.join(f'{type_.name} {pair}' for pair, type_ in new) or 'none'}" for where, new in found.items()),
    )


def _markers(world: World, partition: str) -> list[tuple[ProducerIdAndEpoch, MarkerType]]:
    where = world.partition(partition)
    return world.read(where, Isolation.READ_UNCOMMITTED).markers(since=world.noted().ends[where])


def _must_be_unknown(outcome: Outcome[object], doing: str) -> None:
    """What went wrong on the wire leaves the client not knowing; anything else means that the fault did not happen."""
    if not isinstance(outcome, Unknown):
        raise SetUpFailed(f"{doing} was to get no answer, and got one: {outcome}")


def _must_have_happened(world: World) -> None:
    """A fault that met no request was none."""
    if world.session.wire.outstanding():
        raise SetUpFailed("the request that was to arrive twice was never sent")
