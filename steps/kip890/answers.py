"""Then: what was answered, and what the coordinator says of the transaction."""

from pytest_bdd import parsers, then

from fencepost.adapters.kafka.values import NO_PRODUCER, Appended, ProducerIdAndEpoch
from fencepost.contract.evidence import Violation
from fencepost.contract.outcomes import Done, Refused, Unknown
from fencepost.steps.outcomes import unanswered

from .world import Producer, World


@then("the answer is success, with the same producer id and the next epoch")
def success_with_the_next_epoch(world: World) -> None:
    """EndTxn v5 answers no error, the producer id that was sent, and the producer's epoch plus one."""
    producer = _asker(world)
    judge_pair(world, producer.next_epoch())


@then(parsers.parse("the answer is success, with the producer id and epoch that {name:w} has"))
def success_with_the_same_pair(world: World, name: str) -> None:
    """EndTxn v5 or InitProducerId answers no error and the pair that the producer already goes by."""
    judge_pair(world, world.producer(name).pair)


@then("the write is accepted")
def the_write_is_accepted(world: World) -> None:
    """Produce answers no error and an offset, and the log ends beyond that offset."""
    match answer_of(world):
        case Done(Appended(base_offset=offset)):
            ends = [world.end_of(partition) for partition in sorted(world.asked.written)] if world.asked else []
            world.evidence.expect(
                offset >= 0 and any(end > offset for end in ends),
                "an offset that the log really has",
                f"offset {offset}, logs end at {ends}",
            )
        case other:
            raise Violation("an accepted write", str(other))


@then(parsers.parse("the request is refused with {error:w}"))
def refused_with(world: World, error: str) -> None:
    """The answer carries this error."""
    answer = answer_of(world)
    world.evidence.expect(isinstance(answer, Refused) and answer.error == error, f"a refusal with {error}", told(answer))


@then("the refusal carries a message")
def the_refusal_carries_a_message(world: World) -> None:
    """The answer has an error message that is not empty."""
    answer = answer_of(world)
    world.evidence.expect(isinstance(answer, Refused) and bool(answer.message), "a refusal with a message", told(answer))


@then("no producer id or epoch is handed out")
def nothing_is_handed_out(world: World) -> None:
    """The answer is a refusal with producer id -1 and epoch -1."""
    answer = answer_of(world)
    fields = answer.fields if isinstance(answer, Refused) else {}
    pair = ProducerIdAndEpoch(fields.get("producer_id", 0), fields.get("producer_epoch", 0))
    world.evidence.expect(pair == NO_PRODUCER, f"a refusal with {NO_PRODUCER}", f"{told(answer)} with {pair}")


@then(parsers.parse("the coordinator knows {name:w} by the producer id and epoch of the answer"))
def knows_by_the_answer(world: World, name: str) -> None:
    """DescribeTransactions shows the pair that was answered, by EndTxn v5 or InitProducerId."""
    match answer_of(world):
        case Done(ProducerIdAndEpoch() as pair):
            known = world.describe(world.producer(name)).producer
            world.evidence.expect(known == pair, f"{pair} at the coordinator", str(known))
        case other:
            raise Violation("an answer with a producer id and an epoch", told(other))


@then(parsers.parse("the coordinator still knows {name:w} by the same producer id and epoch"))
def still_knows(world: World, name: str) -> None:
    """DescribeTransactions shows the pair that it showed before the When."""
    producer = world.producer(name)
    before, known = world.noted().transactions[producer.transactional_id].producer, world.describe(producer).producer
    world.evidence.expect(known == before, f"{before} at the coordinator, as before", str(known))


@then(parsers.parse("the transaction of {name:w} is {state:w}"))
def the_transaction_is(world: World, name: str, state: str) -> None:
    """DescribeTransactions shows this state, once no marker is on its way."""
    world.await_markers()
    seen = world.describe(world.producer(name)).state
    world.evidence.expect(seen == state, f"the transaction of {name} in {state}", seen)


@then(parsers.parse("the transaction of {name:w} is Ongoing in {partition} and nowhere else"))
def the_transaction_is_ongoing_in(world: World, name: str, partition: str) -> None:
    """DescribeTransactions shows Ongoing with exactly this partition."""
    description = world.describe(world.producer(name))
    due = {world.partition(partition)}
    world.evidence.expect(
        description.state == "Ongoing" and description.partitions == due,
        f"an Ongoing transaction in {partition} and nowhere else",
        f"{description.state} in {', '.join(map(str, sorted(description.partitions))) or 'no partition'}",
    )


def judge_pair(world: World, due: ProducerIdAndEpoch) -> None:
    """The answer is success with this pair."""
    answer = answer_of(world)
    world.evidence.expect(answer == Done(due), f"success with {due}", told(answer))


def _asker(world: World) -> Producer:
    assert world.asked is not None, "a sentence about an answer stands before the When"
    return world.asked


def answer_of(world: World) -> Done[object] | Refused:
    """The answer to the When; without one there is nothing to judge."""
    match world.answer:
        case Unknown() as unknown:
            return unanswered(unknown, "the request was made")
        case None:
            raise AssertionError("a sentence about an answer stands before the When")
        case answer:
            return answer


def told(answer: object) -> str:
    """An answer, for people."""
    match answer:
        case Refused():
            return f"a refusal with {answer}"
        case Done(None):
            return "success"
        case Done(value):
            return f"success with {value}"
        case other:
            return str(other)
