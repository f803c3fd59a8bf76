"""What can be seen from outside: DescribeTransactions, ListTransactions, DescribeProducers and FindCoordinator.

Other scenarios may use the same broker, so a list is judged by this scenario's own transactional ids only.
"""

import re

from pytest_bdd import parsers, then, when

from fencepost.adapters.kafka.values import ActiveProducer, TransactionDescription, TransactionList
from fencepost.contract.evidence import Violation
from fencepost.contract.outcomes import Done, Outcome
from fencepost.steps.outcomes import observed

from .world import World

_LONG_AGO_MS = 3_600_000
_JUST_NOW_MS = 1
_LOOKS_FOR_COORDINATOR_IN = (1, 3, 4)
"""Versions of FindCoordinator: one key in the fields, the same with compact strings, keys in a batch."""


@when(parsers.parse("the coordinator is asked about {name:w}"))
def asked_about(world: World, name: str) -> None:
    """DescribeTransactions for the producer's transactional id."""
    producer = world.turn_of(name)
    world.ask(producer, world.observer.describe_transaction(producer.transactional_id))


@when(parsers.re("the coordinator is asked about an id that (?P<what>nobody has initialised|is empty)"))
def asked_about_another_id(world: World, what: str) -> None:
    """DescribeTransactions for a transactional id that no InitProducerId was for, or for one of no letters."""
    world.note()
    world.answer = world.observer.describe_transaction("" if what == "is empty" else world.session.unique("never-seen"))


@when(parsers.re(r"(?P<name>\w+) (?P<verb>commits|aborts), watched at the coordinator"))
def ends_watched_at_the_coordinator(world: World, name: str, verb: str) -> None:
    """EndTxn v5; from before it on, DescribeTransactions is asked until the transaction is neither open nor being ended."""
    producer = world.turn_of(name)
    seen = [world.noted().transactions[producer.transactional_id].state]
    world.ask(producer, producer.end(verb == "commits"))
    for _ in world.time.attempts():
        state = world.describe(producer).state
        if state != seen[-1]:
            seen.append(state)
        if not state.startswith(("Ongoing", "Prepare")):
            break
    world.history = seen


@when(parsers.re(r'the transactions (?:of (?P<name>\w+) )?in state (?P<states>"[^"]*"(?: or "[^"]*")*) are listed'))
def listed_by_state(world: World, name: str | None, states: str) -> None:
    """ListTransactions with these names as its state filter, and the producer's id as a second filter where one is named."""
    world.note()
    ids = [world.producer(name).pair.producer_id] if name else []
    world.answer = world.observer.list_transactions(states=re.findall('"([^"]*)"', states), producer_ids=ids)


@when("the transactions begun long ago are listed")
def listed_by_a_long_duration(world: World) -> None:
    """ListTransactions v1 with a duration filter far beyond the age of this scenario."""
    world.note()
    world.answer = world.observer.list_transactions(longer_than_ms=_LONG_AGO_MS)


@when(parsers.parse("the transactions begun a moment ago are listed until {name:w} is there"))
def listed_by_a_short_duration(world: World, name: str) -> None:
    """ListTransactions v1 with the smallest duration filter, again and again until that id is listed or patience ends."""
    producer = world.turn_of(name)
    for _ in world.time.attempts():
        world.answer = world.observer.list_transactions(longer_than_ms=_JUST_NOW_MS)
        if not isinstance(world.answer, Done) or producer.transactional_id in _ids(world.answer.value):
            break


@when(parsers.parse('the transactions whose ids match "{pattern}" are listed'))
def listed_by_pattern(world: World, pattern: str) -> None:
    """ListTransactions v2 with this pattern."""
    world.note()
    world.answer = world.observer.list_transactions(pattern=pattern)


@when(parsers.parse('the transactions whose ids match "{pattern}", in state "{state}", are listed'))
def listed_by_pattern_and_state(world: World, pattern: str, state: str) -> None:
    """ListTransactions v2 with this pattern and this name in the state filter."""
    world.note()
    world.answer = world.observer.list_transactions(pattern=pattern, states=[state])


@when(parsers.parse("three clients look for the coordinator of {name:w}"))
def look_for_the_coordinator(world: World, name: str) -> None:
    """FindCoordinator for the producer's transactional id from each of them, in versions 1, 3 and 4, asked again while it is away."""
    producer = world.turn_of(name)
    world.coordinators = [
        observed(world.session.client(f"client-{version}-{number}").coordinator_node(producer.transactional_id, version), "looking for it")
        for number in range(3)
        for version in _LOOKS_FOR_COORDINATOR_IN
    ]


@then("it is Empty, with no partition and no start time")
def it_is_empty(world: World) -> None:
    """The answer's state is Empty, its partitions are none, its start time is -1."""
    match world.answer:
        case Done(TransactionDescription(state=state, partitions=partitions, start_time=start)):
            told = f"{state} with {len(partitions)} partitions, start time {start}"
            world.evidence.expect((state, len(partitions), start) == ("Empty", 0, -1), "Empty with 0 partitions, start time -1", told)
        case other:
            raise Violation("a description", str(other))


@then(parsers.parse("{name:w} has the producer id and epoch that it was given"))
def described_as_given(world: World, name: str) -> None:
    """The answer has the pair of InitProducerId."""
    match world.answer:
        case Done(TransactionDescription(producer=pair)):
            world.evidence.expect(pair == world.producer(name).pair, str(world.producer(name).pair), str(pair))
        case other:
            raise Violation("a description", str(other))


@then(
    parsers.re(
        r"the transaction of (?P<name>\w+) went from Ongoing over at most Prepare(?P<decision>Commit|Abort) to Complete(?P=decision)"
    )
)
def went_its_way(world: World, name: str, decision: str) -> None:
    """The states that DescribeTransactions showed, in their order, are these; the one in the middle may be too short to be seen."""
    lawful = (["Ongoing", f"Prepare{decision}", f"Complete{decision}"], ["Ongoing", f"Complete{decision}"])
    told = ", ".join(world.history)
    world.evidence.expect(world.history in lawful, f"the transaction of {name} to be seen in {', '.join(lawful[0])}", told)


@then(parsers.parse("the transaction of {name:w} is {state:w}, and waits for its held-back marker only"))
def waits_for_the_last(world: World, name: str, state: str) -> None:
    """DescribeTransactions shows this state, and sooner or later none of the scenario's own partitions any more, and one other."""
    producer = world.producer(name)
    for _ in world.time.attempts():
        seen = world.describe(producer)
        if not seen.partitions & set(world.partitions):
            break
    told = f"{seen.state} with {', '.join(map(str, sorted(seen.partitions))) or 'no partition'}"
    own = seen.partitions & set(world.partitions)
    world.evidence.expect(
        seen.state == state and len(seen.partitions) == 1 and not own, f"{state} with the partition that holds it back", told
    )


@then(parsers.re(r"(?P<names>\w+(?: and \w+)*) (?:is|are) listed"))
def are_listed(world: World, names: str) -> None:
    """The list has an entry for the transactional id of each, with its producer id."""
    listed = {(entry.transactional_id, entry.producer_id) for entry in _list(world).transactions}
    for name in names.split(" and "):
        producer = world.producer(name)
        holds = (producer.transactional_id, producer.pair.producer_id) in listed
        world.evidence.expect(holds, f"{name} in the list", f"a list without {name}, of {len(listed)}" if not holds else "it")


@then(parsers.re(r"(?P<names>\w+(?: and \w+)*) (?:is|are) not listed"))
def are_not_listed(world: World, names: str) -> None:
    """The list has no entry for the transactional id of any of them."""
    for name in names.split(" and "):
        found = [entry.state for entry in _list(world).transactions if entry.transactional_id == world.producer(name).transactional_id]
        world.evidence.expect(not found, f"a list without {name}", f"{name} in it as {', '.join(found)}" if found else "one")


@then("nothing is listed")
def nothing_is_listed(world: World) -> None:
    """The list is empty, whoever else uses the broker."""
    listed = _list(world).transactions
    world.evidence.expect(not listed, "an empty list", f"one of {len(listed)}: {', '.join(sorted({entry.state for entry in listed}))}")


@then(parsers.re(r'(?P<names>"[^"]*"(?: and "[^"]*")*|nothing) is named as an unknown state'))
def named_as_unknown(world: World, names: str) -> None:
    """The answer's unknown state filters are exactly these."""
    due, seen = set(re.findall('"([^"]*)"', names)), _list(world).unknown_states
    world.evidence.expect(seen == due, f"the unknown states {sorted(due)}", str(sorted(seen)))


@then(parsers.parse("{partition} tells of {name:w} with last sequence {sequence:d} and {markers} marker so far"))
def tells_of_a_producer(world: World, partition: str, name: str, sequence: int, markers: str) -> None:
    """DescribeProducers shows the producer once, with this last sequence; its coordinator epoch is -1 for `no`, and not for `a`."""
    found = _active(world, partition, name)
    seen = [(entry.last_sequence, entry.coordinator_epoch) for entry in found]
    holds = len(seen) == 1 and seen[0][0] == sequence and (seen[0][1] == -1 if markers == "no" else seen[0][1] >= 0)
    due = "coordinator epoch -1" if markers == "no" else "a coordinator epoch from 0 on"
    told = "; ".join(f"last sequence {last}, coordinator epoch {epoch}" for last, epoch in seen)
    world.evidence.expect(holds, f"last sequence {sequence} and {due}", told or "no such producer")


@then(parsers.parse("{partition} tells of no open transaction of {name:w}"))
def tells_of_no_transaction(world: World, partition: str, name: str) -> None:
    """DescribeProducers shows the producer once, with transaction start offset -1."""
    starts = [entry.transaction_start for entry in _active(world, partition, name)]
    world.evidence.expect(starts == [-1], "a transaction start offset of -1", f"{starts or 'no such producer'}")


@then("all are sent to one node")
def one_node(world: World) -> None:
    """Every answer of FindCoordinator names the same node, and one that there is."""
    nodes = set(world.coordinators)
    world.evidence.expect(len(nodes) == 1 and min(nodes) >= 0, "one node for all clients", f"{sorted(nodes)}")


@then(parsers.parse("the coordinator of {name:w} is still that node"))
def still_that_node(world: World, name: str) -> None:
    """FindCoordinator, asked once more, names the node that it named before."""
    identifier = world.producer(name).transactional_id
    node = observed(world.observer.coordinator_node(identifier, max(_LOOKS_FOR_COORDINATOR_IN)), "looking for the coordinator")
    world.evidence.expect(set(world.coordinators) == {node}, f"node {world.coordinators[:1]}", f"node {node}")


def _active(world: World, partition: str, name: str) -> list[ActiveProducer]:
    """The entries of a producer id in DescribeProducers, once no marker is on its way."""
    world.await_markers()
    active = observed(world.observer.describe_producers(world.partition(partition)), f"describing the producers of {partition}")
    return [entry for entry in active if entry.producer.producer_id == world.producer(name).pair.producer_id]


def _list(world: World) -> TransactionList:
    answer: Outcome[object] | None = world.answer
    match answer:
        case Done(TransactionList() as listed):
            return listed
        case other:
            raise Violation("a list of transactions", str(other))


def _ids(listed: object) -> set[str]:
    return {entry.transactional_id for entry in listed.transactions} if isinstance(listed, TransactionList) else set()
