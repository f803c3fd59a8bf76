"""Markers that a client other than the coordinator sends.

A broker cannot distinguish a coordinator's markers from those of an administrator's tool, so a late or outdated coordinator is played by
sending its request.
"""

from fencepost.adapters.kafka.probe import MarkerToWrite
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done, Refused, Unknown
from fencepost.steps.step_outcomes import achieved, unanswered

from .identities import claimed
from .kafka_context import KafkaContext
from .leaders import let_one_node_lead
from .probing import last_coordinator_epoch
from .vocabulary import KAFKA

MARK = KAFKA.act(
    given="{marker} for {producer} has reached {partitions}[ with {identity}][ from coordinator epoch {epoch:number}]",
    when="{marker} for {producer} reaches {partitions}[ with {identity}][ from coordinator epoch {epoch:number}]"
    "[ with transaction version {version:number}]",
    meaning="WriteTxnMarkers v1, or v2 to say a transaction version, with the producer's own epoch and the coordinator epoch that the"
    " partitions saw last of this producer, unless others are named.",
)


@MARK.given
def has_reached(
    context: KafkaContext, marker: str, producer: str, partitions: tuple[str, ...], identity: str | None, epoch: int | None
) -> None:
    one, where = context.producers[producer], context.where(partitions)
    _, claim = claimed(context, one, identity)
    seen = last_coordinator_epoch(context, one, where[0]) if epoch is None else epoch
    achieved(context.observer.write_marker(where[0], claim, commit=marker == "a COMMIT marker", coordinator_epoch=seen), "sending a marker")


@MARK.when
def reaches(
    context: KafkaContext,
    marker: str,
    producer: str,
    partitions: tuple[str, ...],
    identity: str | None,
    epoch: int | None,
    version: int | None,
) -> None:
    one, where = context.turn_of(producer), context.where(partitions)
    _, claim = claimed(context, one, identity)
    seen = last_coordinator_epoch(context, one, *where) if epoch is None else epoch
    commit, request_version = marker == "a COMMIT marker", 1 if version is None else 2
    if len(where) > 1:
        let_one_node_lead(context, *where)
        results = context.observer.write_markers(where, claim, commit=commit, coordinator_epoch=seen, version=request_version)
        context.keep(one, results, "WriteTxnMarkers")
        return
    answer = context.observer.write_marker(
        where[0], claim, commit=commit, coordinator_epoch=seen, version=request_version, transaction_version=version or 0
    )
    context.keep(one, answer, "WriteTxnMarkers")


@KAFKA.given(
    "{partition} has refused {marker} for {producer}[ with {identity}] from coordinator epoch {epoch:number}"
    "[ with transaction version {version:number}]"
)
def has_refused(
    context: KafkaContext, partition: str, marker: str, producer: str, identity: str | None, epoch: int, version: int | None
) -> None:
    """WriteTxnMarkers v1, or v2 to say a transaction version, with the producer's own epoch unless another is named; it must be refused."""
    where, commit, request_version = context.partition(partition), marker == "a COMMIT marker", 1 if version is None else 2
    _, claim = claimed(context, context.producers[producer], identity)
    match context.observer.write_marker(
        where, claim, commit=commit, coordinator_epoch=epoch, version=request_version, transaction_version=version or 0
    ):
        case Refused():
            return
        case Unknown() as unknown:
            unanswered(unknown, "sending a marker")
        case Done():
            raise SetUpFailed(f"{partition} has accepted the marker")


@KAFKA.when(
    "{marker} for {producer} and[, with transaction version {version:number},] {second:marker} for {other:producer} reach {partition}"
    " in one request"
)
def both_reach(context: KafkaContext, marker: str, producer: str, version: int | None, second: str, other: str, partition: str) -> None:
    """WriteTxnMarkers with a marker for each, at its own epoch and with the coordinator epoch that the partition saw last.

    It is v1, or v2 to say a transaction version of the second marker.
    """
    one, where = context.turn_of(producer), context.partition(partition)
    markers = {
        each.transactional_id: MarkerToWrite(each.current, kind == "a COMMIT marker", last_coordinator_epoch(context, each, where), level)
        for each, kind, level in ((one, marker, 0), (context.producers[other], second, version or 0))
    }
    context.keep(one, context.observer.write_each_marker(where, markers), "WriteTxnMarkers")
