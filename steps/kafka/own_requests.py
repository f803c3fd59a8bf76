"""Requests that a producer's client sends by its own user, over its own connections."""

from fencepost.adapters.kafka.probe import CoordinatorKind
from fencepost.contract.outcomes import Outcome

from .acls import asked
from .context import ScenarioContext
from .producer import Producer
from .vocabulary import KAFKA


@KAFKA.when("{producer} itself sends {own_request}")
def sends_itself(context: ScenarioContext, producer: str, own_request: str) -> None:
    """Sent over the producer's own connections, so as its own user. A marker is WriteTxnMarkers v1 with the producer's own epoch, from
    coordinator epoch 0. A request about a right is about the right of another user.
    """
    one = context.turn_of(producer)
    if own_request.startswith(("a COMMIT", "an ABORT")):
        marker, _, partition = own_request.partition(" marker to ")
        commit = marker == "a COMMIT"
        answer = one.probe.write_marker(context.partition(partition), one.current, commit=commit, coordinator_epoch=0)
        context.keep(one, answer, "WriteTxnMarkers")
        return
    request, _, about = own_request.partition(" for ")
    context.keep(one, _answer(context, one, request, about), request)


def _answer(context: ScenarioContext, one: Producer, request: str, about: str) -> Outcome[object]:
    api, _, version = request.partition(" v")
    match api:
        case "FindCoordinator":
            wanted = int(version) if version else one.probe.newest("find_coordinator", 4, 6)
            if about.startswith("group "):
                return one.probe.coordinator_node(context.session.unique(about.split('"')[1]), wanted, kind=CoordinatorKind.GROUP)
            return one.probe.coordinator_node(one.transactional_id, wanted)
        case "DescribeTransactions":
            return one.probe.describe_transaction(one.transactional_id)
        case "ListTransactions":
            return one.probe.list_transactions()
        case "DescribeProducers":
            return one.probe.describe_producers(context.partition(about))
        case _:
            return asked(one.probe, api, context.topics[about.split('"')[1]])
