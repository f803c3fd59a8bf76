"""Requests about several partitions or transactional ids, of which one does not exist."""

from fencepost.contract.outcomes import Done, Refused
from fencepost.steps.kafka.judging import answer_of, judge_answer, reported
from fencepost.steps.kafka.kafka_context import KafkaContext
from fencepost.steps.kafka.leaders import let_one_node_lead

from .vocabulary import KIP890

APIS = {"DescribeProducers": "describe_producers", "ListOffsets": "list_offsets", "DeleteRecords": "delete_records"}

_PLACES = {"first": 0, "second": 1, "last": -1}


@KIP890.when("{about_partitions} is sent for {partitions} in one request")
def is_sent_for_several(context: KafkaContext, about_partitions: str, partitions: tuple[str, ...]) -> None:
    """Sent once, to the leader of the first partition, which leads the others too. ListOffsets asks for the latest offsets; DeleteRecords
    deletes the records before offset 0, so none.
    """
    places = context.where(partitions)
    let_one_node_lead(context, *places)
    context.begin()
    context.keep(None, context.observer.ask_leader(APIS[about_partitions], places), about_partitions)


@KIP890.then("the {which_entry} entry alone is refused with {errors}")
def one_alone_is_refused(context: KafkaContext, which_entry: str, errors: tuple[str, ...]) -> None:
    """The answer has one of these errors for this entry of the request, and success for each other one."""
    match answer_of(context):
        case Done((*entries,)):
            refused = entries[_PLACES[which_entry]]
            others = [one for one in entries if one is not refused]
            holds = isinstance(refused, Refused) and refused.error in errors and all(isinstance(one, Done) for one in others)
            expected = f"{' or '.join(errors)} for the {which_entry} entry, and success for each other one"
            context.evidence.expect(holds, expected, ", ".join(map(reported, entries)), what="entries of the answer")
        case other:
            judge_answer(context, False, "an answer for each entry", other)
