"""Requests that a producer's client sends by its own user, over its own connections."""

from fencepost.adapters.kafka.probe import CoordinatorKind
from fencepost.contract.outcomes import Outcome

from .acls import asked
from .context import ScenarioContext
from .producer import Producer
from .rights import ForGroup, ForItsId, ForPartition, ForRight, OwnRequest
from .vocabulary import KAFKA


@KAFKA.when("{producer} itself sends {own_request}")
def sends_itself(context: ScenarioContext, producer: str, own_request: OwnRequest) -> None:
    """Sent over the producer's own connections, so as its own user. A request about a right is about the right of another user."""
    one = context.turn_of(producer)
    context.keep(one, _answer(context, one, own_request), own_request.request)


@KAFKA.when("{producer} itself sends {marker} to {partition}")
def sends_a_marker_itself(context: ScenarioContext, producer: str, marker: str, partition: str) -> None:
    """WriteTxnMarkers v1 over the producer's own connections, so as its own user, with its own epoch, from coordinator epoch 0."""
    one = context.turn_of(producer)
    commit = marker == "a COMMIT marker"
    answer = one.probe.write_marker(context.partition(partition), one.current, commit=commit, coordinator_epoch=0)
    context.keep(one, answer, "WriteTxnMarkers")


def _answer(context: ScenarioContext, one: Producer, own_request: OwnRequest) -> Outcome[object]:
    match own_request:
        case ForItsId("DescribeTransactions"):
            return one.probe.describe_transaction(one.transactional_id)
        case ForItsId("ListTransactions"):
            return one.probe.list_transactions()
        case ForItsId("FindCoordinator v3"):
            return one.probe.coordinator_node(one.transactional_id, 3)
        case ForItsId():
            return one.probe.coordinator_node(one.transactional_id, one.probe.newest("find_coordinator", 4, 6))
        case ForGroup(version, group):
            return one.probe.coordinator_node(context.session.unique(group), version, kind=CoordinatorKind.GROUP)
        case ForPartition(partition):
            return one.probe.describe_producers(context.partition(partition))
        case ForRight(request, topic):
            return asked(one.probe, request, context.topics[topic])
