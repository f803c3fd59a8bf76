"""OffsetFetch in each of its versions, and commits that are sent to the wrong node."""

import uuid
from dataclasses import replace

from fencepost.adapters.kafka.kafka_values import FetchedOffset
from fencepost.adapters.kafka.probe import CoordinatorKind
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done
from fencepost.steps.step_outcomes import achieved

from .judging import answer_of, judge_answer
from .kafka_context import KafkaContext
from .vocabulary import KAFKA

_NOBODYS_ID = uuid.UUID(int=0x0FEC_0000_0000_4000_8000_0000_0000_0000)


@KAFKA.when("OffsetFetch[ v{version:number}] is sent for {fetched} of group {group}")
def offset_fetch_is_sent(context: KafkaContext, version: int | None, fetched: str, group: str) -> None:
    """OffsetFetch for that partition or for all, by a client that is no member; pending offsets do not matter. Version 10 names topics by
    ids. Without a version, it is for one partition, in the newest one that both know.
    """
    context.begin()
    if version is None:
        if fetched in ("all partitions", "a topic id that no topic has"):
            raise SetUpFailed(f"OffsetFetch for {fetched} needs a version")
        context.keep(None, context.observer.committed(context.session.unique(group), context.partition(fetched)), "OffsetFetch")
        return
    partitions = None if fetched in ("all partitions", "a topic id that no topic has") else [context.partition(fetched)]
    ids: dict[str, uuid.UUID] = {}
    for name in {partition.topic for partition in context.partitions}:
        topic_id = achieved(context.observer.topic_id(name), f"asking for the id of {name}")
        if topic_id is not None:
            ids[name] = topic_id
    if fetched == "a topic id that no topic has":
        partitions, ids = context.partitions[:1], dict.fromkeys(ids, _NOBODYS_ID)
    context.keep(None, context.observer.fetch_offsets(context.session.unique(group), partitions, version, ids), "OffsetFetch")


@KAFKA.when("{commit} of {partition} by {producer} for group {group} is sent to a node that does not coordinate it")
def is_sent_elsewhere(context: KafkaContext, commit: str, partition: str, producer: str, group: str) -> None:
    """TxnOffsetCommit v5 of the producer, or OffsetCommit of no member, sent to a node that FindCoordinator does not name."""
    one = context.turn_of(producer)
    probe, name, where = one.probe, context.session.unique(group), context.partition(partition)
    version = probe.newest("find_coordinator", 1, 6)
    coordinator = achieved(probe.coordinator_node(name, version, kind=CoordinatorKind.GROUP), f"looking for the coordinator of {group}")
    elsewhere = next(node for node in achieved(probe.node_numbers(), "asking for the nodes") if node != coordinator)
    achieved(probe.ask_only(elsewhere), f"turning to node {elsewhere}")
    if commit == "TxnOffsetCommit":
        answer = probe.commit_offsets(one.transactional_id, one.current, name, {where: 5}, version=5, retry=False)
    else:
        answer = probe.commit_offset(name, where, 5)
    probe.ask_only(None)
    context.keep(None, answer, commit)


@KAFKA.then("it answers {fetched_offset} for {partitions}[ and for {nothing_else}]")
def it_answers_offsets(context: KafkaContext, fetched_offset: FetchedOffset, partitions: tuple[str, ...], nothing_else: str | None) -> None:
    """OffsetFetch answered these for each of the partitions; leader epochs are in version 5 and later ones."""
    answer = answer_of(context)
    found = answer.value if isinstance(answer, Done) and isinstance(answer.value, dict) else {}
    where = context.where(partitions)
    for name, partition in zip(partitions, where, strict=True):
        one = found.get(partition)
        visible = fetched_offset if one is None or one.leader_epoch is not None else replace(fetched_offset, leader_epoch=None)
        seen = f"{one} for {name}" if isinstance(answer, Done) else None
        judge_answer(context, one == visible, f"{visible} for {name}", answer, seen)
    if nothing_else:
        judge_answer(context, set(found) <= set(where), f"nothing but {' and '.join(partitions)}", answer)
