"""A marker that is written before the leader has its answer.

The coordinator is on a node that is paused, and the leader of the partition on another: the leader's request is answered when the node goes
on, and what was done at the leader until then has overtaken it.
"""

from fencepost.adapters.kafka.kafka_values import IsolationLevel
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done, Refused, Unknown
from fencepost.steps.kafka.identities import claimed
from fencepost.steps.kafka.kafka_context import KafkaContext
from fencepost.steps.kafka.probing import last_coordinator_epoch
from fencepost.steps.kafka.requests import RETRIABLE
from fencepost.steps.step_outcomes import achieved, observed, unanswered

from .overtaking import Rounds
from .vocabulary import KIP890

_ASKS_WITHIN_S = 1.0
"""A leader that answers a dozen later requests in this time has read Produce from its connection, and asked the coordinator."""


@KIP890.when(
    "{producer} writes {value} to {partition}, and {marker}[ of {other:producer}][ with {identity}]"
    " is there before node {node} notifies its leader"
)
def is_overtaken(
    context: KafkaContext,
    rounds: Rounds,
    producer: str,
    value: str,
    partition: str,
    marker: str,
    other: str | None,
    identity: str | None,
    node: int,
) -> None:
    """Node is paused, Produce is sent, and while its leader waits an operator's WriteTxnMarkers v1 is done there; then the node goes on.

    The marker has the producer's own epoch unless another is named, and the coordinator epoch that the partition saw last. A partition that
    grows before it shows a leader that did not wait. Where the marker is another producer's, a producer that is answered with a retriable
    error retries.
    """
    one, where = context.turn_of(producer), context.partition(partition)
    ended = one if other is None else context.producers[other]
    log = observed(context.observer.read(where, IsolationLevel.READ_UNCOMMITTED), f"reading {partition}")
    rounds.accepted = sum(not batch.marker for batch in log.batches)
    _, claim = claimed(context, ended, identity)
    epoch, end = last_coordinator_epoch(context, ended, where), context.end_of(where)
    batch = one.probe.batch_of([value], producer=one.current, sequence=one.next_sequence(where), transactional=True)
    context.faults.pause(node)
    wait = one.probe.send_produce(where, batch, transactional_id=one.transactional_id, version=context.version(one, "produce"))
    for _ in context.time.attempts(_ASKS_WITHIN_S):
        if context.end_of(where) != end:
            raise SetUpFailed(f"the leader of {partition} took the batch while node {node} was paused, so no answer was awaited")
    commit = marker == "a COMMIT marker"
    marked = context.observer.write_marker(where, claim, commit=commit, coordinator_epoch=epoch)
    context.faults.resume(node)
    achieved(marked, f"writing {marker} to {partition}")
    written = wait()
    if other is not None and isinstance(written, Refused) and written.error in RETRIABLE:
        written = one.write(where, [value], version=context.version(one, "produce"))
        context.keep(one, written, "Produce")
        return
    if isinstance(written, Unknown):
        unanswered(written, f"writing {value} to {partition}")
    if isinstance(written, Done):
        rounds.accepted += 1
        one.has_appended(where, 1)
    context.keep(one, written, "Produce")
