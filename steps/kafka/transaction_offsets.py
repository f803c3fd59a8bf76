"""The offsets of consumer groups as part of a transaction: TxnOffsetCommit, and the answers of OffsetFetch."""

from collections.abc import Mapping, Sequence
from typing import Any

from fencepost.adapters.kafka.kafka_values import CommittedOffset, GroupMembership, TopicPartition
from fencepost.adapters.kafka.probe import PartitionResults, nothing_of_no_group
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown
from fencepost.steps.step_outcomes import achieved, error_of, observed

from .gathering import member_named
from .identities import claimed
from .judging import answered, reported
from .kafka_context import KafkaContext
from .producer import ProducerInstance
from .requests import put
from .vocabulary import KAFKA

_METADATA = {"metadata that is too large": "x" * 4_097, "metadata that is as large as may be": "x" * 4_096}
"""Metadata of more bytes than a broker stores by default (`offset.metadata.max.bytes`), and of just as many."""

_STRANGER = GroupMembership(1, "a stranger")
"""A generation and a member id that no group has issued."""

SEND = KAFKA.act(
    given="{producer} has sent offset {offset:number} of {partitions} to group {group}"
    "[ with metadata {metadata:value}][ and leader epoch {leader_epoch:number}]",
    when="{producer} sends offset {offset:number} of {partitions} to group {group}[ with {identity}]"
    "[ as {membership}][ and {too_large} for {long:partition}]",
    meaning="TxnOffsetCommit in the producer's transaction, without a member unless a member id is named.",
)


@SEND.given
def has_sent_offset(
    context: KafkaContext,
    producer: str,
    offset: int,
    partitions: tuple[str, ...],
    group: str,
    metadata: str | None,
    leader_epoch: int | None,
) -> None:
    one = context.producers[producer]
    committed = CommittedOffset(offset, metadata, -1 if leader_epoch is None else leader_epoch)
    offsets = dict.fromkeys(context.where(partitions), committed)
    for where, result in achieved(_send(context, one, group, offsets), f"sending an offset to {group}").items():
        achieved(result, f"sending offset {offset} of {where} to {group}")


@SEND.when
def sends_offset(
    context: KafkaContext,
    producer: str,
    offset: int,
    partitions: tuple[str, ...],
    group: str,
    identity: str | None,
    membership: str | None,
    too_large: str | None,
    long: str | None,
) -> None:
    one = context.turn_of(producer)
    offsets = {where: CommittedOffset(offset) for where in context.where(partitions)}
    if too_large and long:
        offsets[context.partition(long)] = CommittedOffset(offset, _METADATA[too_large])
    place = _STRANGER if identity == "an unknown member id" else _place(context, producer, membership)
    put(
        context,
        one,
        "txn_offset_commit",
        lambda retry: _one_answer(context, _send(context, one, group, offsets, identity, place, retry=retry)),
    )


@KAFKA.then("group {group} has {committed_offset} of {partition}[ with metadata {metadata:value}]")
def group_has(context: KafkaContext, group: str, committed_offset: int | None, partition: str, metadata: str | None) -> None:
    """Once no marker is in flight, OffsetFetch that ignores pending offsets answers this; the metadata is that of the offset."""
    context.await_markers()
    committed = nothing_of_no_group(context.observer.committed(context.session.unique(group), context.partition(partition)))
    found = observed(committed, f"fetching the offset of {group}")
    holds = (None if found is None else found.offset) == committed_offset and (
        metadata is None or (found is not None and found.metadata == metadata)
    )
    expected = (
        "no offset"
        if committed_offset is None
        else f"offset {committed_offset}" + ("" if metadata is None else f" with metadata {metadata!r}")
    )
    context.evidence.expect(holds, expected, _shown(found), what=f"committed offset of {partition} in group {group}")


@KAFKA.then("group {group} has {pending} of {partition}")
def group_has_pending(context: KafkaContext, group: str, pending: str, partition: str) -> None:
    """OffsetFetch that requires stable offsets is refused UNSTABLE_OFFSET_COMMIT; or it is not, once no marker is in flight."""
    is_pending = pending == "a pending offset"
    if not is_pending:
        context.await_markers()
    outcome = context.observer.committed(context.session.unique(group), context.partition(partition), require_stable=True)
    stable = answered(nothing_of_no_group(outcome), f"fetching the stable offset of {partition} in {group}")
    _judge_stable(context, group, partition, stable, outcome, is_pending=is_pending)


@KAFKA.then("group {group} has {here:pending} of {one:partition} and {there:pending} of {other:partition} by one OffsetFetch")
def group_has_both(context: KafkaContext, group: str, here: str, one: str, there: str, other: str) -> None:
    """One OffsetFetch that requires stable offsets of both partitions answers UNSTABLE_OFFSET_COMMIT for each with a pending offset, and
    for no other."""
    _judge_together(context, ((group, one, here), (group, other, there)))


@KAFKA.then("groups {one:group} and {other:group} have {here:pending} and {there:pending} of {partition} by one OffsetFetch")
def both_groups_have(context: KafkaContext, one: str, other: str, here: str, there: str, partition: str) -> None:
    """One OffsetFetch that requires stable offsets of both groups answers UNSTABLE_OFFSET_COMMIT for each with a pending offset, and for no
    other. One node has to coordinate both."""
    _judge_together(context, ((one, partition, here), (other, partition, there)))


def _judge_together(context: KafkaContext, due: Sequence[tuple[str, str, str]]) -> None:
    """By group, partition and what is pending there."""
    context.await_markers()
    asked = [(context.session.unique(group), context.partition(partition)) for group, partition, _ in due]
    outcome = context.observer.stable_offsets(asked)
    if isinstance(outcome, Refused) and outcome.error == "NOT_COORDINATOR":
        raise SetUpFailed("the groups have different coordinators, so no OffsetFetch can ask for both")
    answers = observed(outcome, "fetching stable offsets")
    for (group, partition, pending), entry in zip(due, asked, strict=True):
        _judge_stable(context, group, partition, answers[entry], answers[entry], is_pending=pending == "a pending offset")


def _judge_stable(
    context: KafkaContext, group: str, partition: str, stable: Outcome[Any], shown: Outcome[Any], *, is_pending: bool
) -> None:
    """Whether an OffsetFetch that requires stable offsets is refused UNSTABLE_OFFSET_COMMIT, or not; `shown` is its answer as it came."""
    is_unstable = isinstance(stable, Refused) and stable.error == "UNSTABLE_OFFSET_COMMIT"
    error, code = error_of(shown)
    context.evidence.expect(
        is_unstable if is_pending else isinstance(stable, Done),
        "UNSTABLE_OFFSET_COMMIT" if is_pending else "a stable offset",
        reported(shown) if isinstance(shown, Refused) else "a stable offset",
        what=f"stable offset of {partition} in group {group}",
        error=error,
        code=code,
    )


def _send(
    context: KafkaContext,
    producer: ProducerInstance,
    group: str,
    offsets: Mapping[TopicPartition, CommittedOffset],
    identity: str | None = None,
    place: GroupMembership | None = None,
    *,
    retry: bool = True,
) -> Outcome[PartitionResults]:
    transactional_id, current = claimed(context, producer, identity)
    if producer.adds_first:
        added = producer.probe.add_offsets(transactional_id, current, context.session.unique(group), retry=retry)
        if not isinstance(added, Done):
            return added
        producer.groups[context.session.unique(group)] = next(iter(offsets))
    return producer.probe.commit_each_offset(
        transactional_id,
        current,
        context.session.unique(group) if group else "",
        offsets,
        generation=None if place is None else place.generation,
        member="" if place is None else place.member,
        instance=None if place is None else place.instance,
        version=context.version(producer, "txn_offset_commit"),
        retry=retry,
    )


def _place(context: KafkaContext, producer: str, membership: str | None) -> GroupMembership | None:
    """The membership that the producer claims in its group; None where it claims none."""
    if membership is None:
        return None
    return member_named(context, producer, membership)


def _one_answer(context: KafkaContext, outcome: Outcome[PartitionResults]) -> Outcome[object]:
    """While the system is starting, a refusal of every partition is the refusal of the request, which is retried."""
    match outcome:
        case Done(results) if context.armed.is_starting:
            return next((result for result in results.values() if isinstance(result, Refused)), Done(None))
        case Done() | Refused() | Unknown():
            return outcome


def _shown(found: CommittedOffset | None) -> str:
    return "no offset" if found is None else f"offset {found.offset} with metadata {found.metadata!r}"
