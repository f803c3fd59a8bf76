"""Given: a transaction on two nodes."""

from fencepost.contract.evidence import SetUpFailed
from fencepost.steps.outcomes import achieved

from .context import ScenarioContext
from .ending import finish
from .initialising import initialise
from .vocabulary import KAFKA


@KAFKA.given("producer {producer} has {done} {first:value} to {here:partition} on node 1 and {second:value} to {there:partition} on node 2")
def has_written_on_two_nodes(context: ScenarioContext, producer: str, done: str, first: str, here: str, second: str, there: str) -> None:
    """A new topic of two partitions with these leaders, a producer that node 1 coordinates, and a transaction with a record in each."""
    topic = here.rpartition("-")[0]
    context.topics[topic] = context.session.unique(topic)
    achieved(context.observer.create_topic(context.topics[topic], 2, leaders=(1, 2)), f"creating the topic {topic}")
    both = [context.partition(here), context.partition(there)]
    context.partitions += both
    context.leaders = dict(zip(both, (1, 2), strict=True))
    initialise(context, producer, "transfer")
    one = context.producers[producer]
    version = context.observer.newest("find_coordinator", 1, 6)
    node = achieved(context.observer.coordinator_node(one.transactional_id, version), f"looking for the coordinator of {producer}")
    if node != 1:
        raise SetUpFailed(f"the coordinator of {producer} is on node {node}; expected node 1, which was there first")
    for where, value in zip(both, (first, second), strict=True):
        achieved(one.write(where, [value], version=context.version(one, "produce")), f"writing {value} to {where}")
    if done == "committed":
        finish(context, one, commit=True)
