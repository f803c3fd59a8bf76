"""Partitions with a replica on another node, and writes that are not complete because that replica lacks them."""

from fencepost.adapters.kafka.kafka_values import TopicPartition
from fencepost.contract.outcomes import Done, Refused
from fencepost.steps.step_outcomes import achieved, unanswered

from .initialising import initialise
from .judging import judge_answer
from .kafka_context import KafkaContext
from .nodes import let_first_node_coordinate
from .phrases import FirstAttempt, NotDone, RefusedWith
from .requests import NOT_WRITTEN
from .vocabulary import KAFKA

_ALL_REPLICAS = {"min.insync.replicas": "2"}


@KAFKA.given(
    "producer {producer} has written {first:value} to {here:partition} on both nodes[ and {second:value} to {there:partition} on node 1]"
)
def has_written_on_both_nodes(context: KafkaContext, producer: str, first: str, here: str, second: str | None, there: str | None) -> None:
    """A producer that node 1 coordinates, and a transaction with these records in new topics of one partition, which node 1 leads.

    On both nodes: node 2 has a replica, and min.insync.replicas is 2.
    """
    _create(context, here, both=True)
    if there is not None:
        _create(context, there, both=False)
    initialise(context, producer, "transfer")
    one = context.producers[producer]
    let_first_node_coordinate(context, one)
    for name, value in ((here, first), (there, second)):
        if name is not None and value is not None:
            written = one.write(context.partition(name), [value], version=context.version(one, "produce"))
            achieved(written, f"writing {value} to {name}")


def _create(context: KafkaContext, partition: str, *, both: bool) -> None:
    topic = partition.rpartition("-")[0]
    name = context.topics[topic] = context.session.unique(topic)
    made = context.observer.create_topic(name, 1, _ALL_REPLICAS if both else {}, leaders=(1,), followers=(2,) if both else ())
    achieved(made, f"creating the topic {topic}")
    where = TopicPartition(name, 0)
    context.partitions.append(where)
    context.leaders[where] = 1
    if both:
        context.replicated.add(where)


@KAFKA.then("the first attempt was {first_attempt}")
def the_first_attempt_was(context: KafkaContext, first_attempt: FirstAttempt) -> None:
    """The request was sent twice, and its first answer was a refusal with one of these errors; or it was no success: too few replicas have
    it or are in sync, or it timed out.
    """
    match first_attempt:
        case RefusedWith(errors):
            seen = [refusal.error for refusal in context.refusals]
            holds = len(seen) == 1 and seen[0] in errors
            context.evidence.expect(holds, " or ".join(errors), ", ".join(seen) or "no refusal", what=f"first answer to {context.request}")
        case NotDone():
            _judge_not_done(context)


def _judge_not_done(context: KafkaContext) -> None:
    match context.first_answer:
        case Done() as done:
            judge_answer(context, False, "no success while a replica lacks it", done)
        case Refused() as refusal:
            judge_answer(context, refusal.error in NOT_WRITTEN, f"a refusal with {' or '.join(sorted(NOT_WRITTEN))}", refusal)
        case None:
            raise AssertionError("a sentence about a first attempt stands where there are two")
        case unknown:
            if unknown.lost:
                unanswered(unknown, f"{context.request} was sent")
