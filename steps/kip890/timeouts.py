"""What is asked after a time-out or a crash."""

from pytest_bdd import parsers, then, when

from fencepost.adapters.kafka.values import ProducerIdAndEpoch
from fencepost.contract.outcomes import Done, Refused, Unknown
from fencepost.steps.outcomes import achieved, unanswered

from .world import World


@then(parsers.re(r"the request is refused with (?P<one>\w+) or (?P<other>\w+)"))
def refused_with_either(world: World, one: str, other: str) -> None:
    """The answer carries one of these errors."""
    holds = isinstance(world.answer, Refused) and world.answer.error in (one, other)
    world.evidence.expect(holds, f"a refusal with {one} or {other}", _told(world.answer))


@then(parsers.re(r"the request is refused with (?P<error>\w+), or answered with the same producer id and the next epoch"))
def refused_or_answered_again(world: World, error: str) -> None:
    """The answer carries this error, or no error and the pair that the retry of an answered request would get."""
    assert world.asked is not None
    due = world.asked.next_epoch()
    holds = world.answer == Done(due) or (isinstance(world.answer, Refused) and world.answer.error == error)
    world.evidence.expect(holds, f"a refusal with {error}, or success with {due}", _told(world.answer))


@when(parsers.re(r"(?P<name>\w+) begins with (?P<partition>\S+), and its time-out does its work"))
def begins_and_times_out(world: World, name: str, partition: str) -> None:
    """A record is written, and time passes until the coordinator says no longer that the transaction is open or being ended."""
    producer = world.turn_of(name)
    achieved(producer.write(world.partition(partition), "abandoned"), f"writing to {partition}")
    for _ in world.time.attempts():
        if world.describe(producer).is_settled:
            break


@when(parsers.re(r'(?P<name>\w+) writes "(?P<value>[^"]*)" to (?P<partition>\S+) and (?P<verb>commits|aborts)'))
def writes_and_ends(world: World, name: str, value: str, partition: str, verb: str) -> None:
    """Produce v12, then EndTxn v5."""
    producer = world.turn_of(name)
    achieved(producer.write(world.partition(partition), value), f"writing {value} to {partition}")
    world.ask(producer, producer.end(verb == "commits"))


@then(parsers.parse("the transaction of {name:w} has become {state:w}, and that of {other:w} is still {held:w}"))
def one_was_ended_one_not(world: World, name: str, state: str, other: str, held: str) -> None:
    """DescribeTransactions shows these states."""
    for producer, due in ((world.producer(name), state), (world.producer(other), held)):
        seen = world.describe(producer).state
        world.evidence.expect(seen == due, f"the transaction of {producer.name} in {due}", seen)


def _told(answer: object) -> str:
    match answer:
        case Done(ProducerIdAndEpoch() as pair):
            return f"success with {pair}"
        case Unknown() as unknown:
            return unanswered(unknown, "the request was made")
        case other:
            return str(other)
