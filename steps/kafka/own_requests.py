"""Requests that a producer's client sends by its own user, over its own connections."""

from fencepost.adapters.kafka.probe import CoordinatorKind
from fencepost.contract.outcomes import Outcome
from fencepost.steps.step_outcomes import achieved

from .acls import asked
from .kafka_context import KafkaContext
from .leaders import let_one_node_lead
from .producer import ProducerInstance
from .rights import ForGroup, ForIds, ForItsId, ForPartitions, ForRight, MarkerTo, OwnRequest, ToNode
from .vocabulary import KAFKA


@KAFKA.when("{producer} itself sends {own_request}")
def sends_itself(context: KafkaContext, producer: str, own_request: OwnRequest) -> None:
    """Sent over the producer's own connections, so as its own user. A request about a right is about the right of another user. A marker is
    for WriteTxnMarkers v1, with the producer's own epoch, from coordinator epoch 0.

    A request to a node is sent once, to this node, even if another one should get it. AddPartitionsToTxn names every partition of the
    scenario, AddOffsetsToTxn a group of this name alone, and EndTxn commits. DescribeTransactions and FindCoordinator for several producers
    are one request, and so is DescribeProducers for several partitions. It is sent once, to the coordinator of the first producer or to the
    leader of the first partition; FindCoordinator to any node.
    """
    one = context.turn_of(producer)
    context.keep(one, _answer(context, one, own_request), own_request.request)


def _answer(context: KafkaContext, one: ProducerInstance, own_request: OwnRequest) -> Outcome[object]:
    match own_request:
        case ForItsId("DescribeTransactions"):
            return one.probe.describe_transaction(one.transactional_id)
        case ForItsId("ListTransactions"):
            return one.probe.list_transactions()
        case ForItsId("FindCoordinator v3"):
            return one.probe.coordinator_node(one.transactional_id, 3)
        case ForItsId():
            return one.probe.coordinator_node(one.transactional_id, one.probe.newest("find_coordinator", 4, 6))
        case ForIds(request, producers):
            ids = [context.producers[name].transactional_id for name in producers]
            if request == "FindCoordinator":
                return one.probe.find_coordinators(ids)
            return one.probe.describe_transactions(ids)
        case ForGroup(version, group):
            return one.probe.coordinator_node(context.session.unique(group), version, kind=CoordinatorKind.GROUP)
        case ForPartitions((partition,)):
            return one.probe.describe_producers(context.partition(partition))
        case ForPartitions(partitions):
            places = context.where(partitions)
            let_one_node_lead(context, *places)
            return one.probe.ask_leader("describe_producers", places)
        case ForRight(request, topic):
            return asked(one.probe, request, context.topics[topic])
        case MarkerTo(marker, partition):
            commit = marker == "a COMMIT marker"
            return one.probe.write_marker(context.partition(partition), one.current, commit=commit, coordinator_epoch=0)
        case ToNode(api, node):
            return _answer_of_node(context, one, api, node)


def _answer_of_node(context: KafkaContext, one: ProducerInstance, api: str, node: int) -> Outcome[object]:
    probe, name, now = one.probe, one.transactional_id, one.current
    group = context.session.unique("astray")
    achieved(probe.ask_only(node), f"turning to node {node}")
    answer: Outcome[object]
    match api:
        case "InitProducerId":
            answer = probe.init_producer_id(name, current=now, retry=False)
        case "AddPartitionsToTxn":
            answer = probe.add_partitions(name, now, context.partitions, retry=False)
        case "AddOffsetsToTxn":
            answer = probe.add_offsets(name, now, group, retry=False)
        case _:
            answer = probe.end_txn(name, now, commit=True, version=context.version(one, "end_txn"), retry=False)
    probe.ask_only(None)
    return answer
