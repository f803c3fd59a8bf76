"""An administrator's requests to a cluster, where they are judged themselves: new topics, reassignments, feature levels."""

from fencepost.adapters.kafka.kafka_values import TRANSACTIONS, IsolationLevel, TopicMade, TopicPartition
from fencepost.contract.evidence import Evidence
from fencepost.contract.outcomes import Done, Outcome, Refused
from fencepost.steps.step_outcomes import achieved, observed

from .judging import answer_of, judge_answer, reported
from .kafka_context import KafkaContext
from .listing import FEATURE, NEWEST_API_VERSIONS, level_of
from .nodes import MOVE_COORDINATOR
from .topology import CREATE
from .vocabulary import KAFKA

_NO_NODE = 9
_NO_LEVEL = 99
_ALL_OF_OLD = 0
_NONE_OF_NEWER = 1
_BY_ID = 12
"""The versions of Metadata where an empty list stands for all topics, the first where it stands for none, and the first with ids alone."""


@CREATE.when
def is_created(context: KafkaContext, topic: str, partition_count: int | None, oddly: str | None) -> None:
    context.begin()
    name = context.topics.setdefault(topic, context.session.unique(topic))
    if oddly == "under the name of a single dot":
        name = "."
    if partition_count is None:
        context.keep(None, context.observer.make_topic(name, -1, replicas=-1), "CreateTopics")
        return
    leaders = {"on an unknown node": [_NO_NODE], "on a known node": _a_node(context)}.get(oddly or "", [])
    answer = context.observer.make_topic(
        name,
        partition_count,
        replicas=_NO_NODE if oddly == "and more replicas than nodes" else 1,
        leaders=leaders * partition_count,
        validate_only=oddly == "for validation only",
    )
    context.keep(None, answer, "CreateTopics")


@KAFKA.then("topic {topic} has {partition_count:count_or_default}, each with a leader")
def has_partitions(context: KafkaContext, topic: str, partition_count: int | None) -> None:
    """Metadata shows them when asked for the topic's name, its id or all topics, and does not list the topic when asked for no topic.

    CreateTopics, where it was the request, has answered that id, that many partitions, and one replica. The default: as many as Metadata
    shows first, at least one.
    """
    if partition_count is None:
        partition_count = _default_count(context, topic)
    name, observer = context.topics[topic], context.observer
    for _ in context.time.attempts():
        described = observer.topic(name)
        if isinstance(described, Done) and len(described.value.leaders) == described.value.partitions:
            break
    found = observed(described, f"asking for the topic {topic}")
    seen = f"{found.partitions} partitions, {len(found.leaders)} of them with a leader"
    context.evidence.expect(
        sorted(found.leaders) == list(range(partition_count)) and found.partitions == partition_count,
        f"{partition_count} partitions, each with a leader",
        seen,
        what=f"topic {topic}",
    )
    made = context.answer.value if isinstance(context.answer, Done) else None
    if isinstance(made, TopicMade):
        expected = TopicMade(found.topic_id, partition_count, 1)
        context.evidence.expect(made == expected, str(expected), str(made), what="answer to CreateTopics")
    if observer.offers("metadata", _BY_ID):
        by_id = [{"topic_id": found.topic_id, "name": None}]
        _reported(
            context.evidence,
            observer.topics_reported(by_id, _BY_ID),
            {name: partition_count},
            f"topics by id that Metadata v{_BY_ID} answers",
        )
    if observer.offers("metadata", _ALL_OF_OLD):
        _reports_of_all(context.evidence, observer.topics_reported([], _ALL_OF_OLD), name, partition_count, _ALL_OF_OLD)
    newest = observer.newest("metadata", _NONE_OF_NEWER, _BY_ID)
    _reports_of_all(context.evidence, observer.topics_reported(None, newest), name, partition_count, newest)
    for version in {newest, observer.newest("metadata", _NONE_OF_NEWER, _NONE_OF_NEWER) if observer.offers("metadata", 1) else newest}:
        _reported(
            context.evidence, observer.topics_reported([], version), {}, f"topics that Metadata v{version} answers to who asks for none"
        )


def _default_count(context: KafkaContext, topic: str) -> int:
    answer = answer_of(context)
    for _ in context.time.attempts():
        described = context.observer.topic(context.topics[topic])
        if isinstance(described, Done):
            break
    if not isinstance(described, Done) or described.value.partitions <= 0:
        judge_answer(context, False, "a topic with partitions", answer, f"{reported(answer)}, and then: {described}")
        raise AssertionError("a topic without partitions was judged")
    return described.value.partitions


@KAFKA.then("there is no topic {topic}")
def is_not_there(context: KafkaContext, topic: str) -> None:
    """Metadata refuses the name, as that of an unknown topic or as an invalid one, at the latest when patience ends."""
    for _ in context.time.attempts():
        described = context.observer.topic(context.topics[topic])
        if isinstance(described, Refused):
            break
    holds = isinstance(described, Refused) and described.error in ("UNKNOWN_TOPIC_OR_PARTITION", "INVALID_TOPIC_EXCEPTION")
    seen = "Metadata knows it" if isinstance(described, Done) else str(described)
    context.evidence.expect(holds, "UNKNOWN_TOPIC_OR_PARTITION", seen, what=f"topic {topic}")


@KAFKA.when("AlterPartitionReassignments sends {partition} to node {node}")
def is_reassigned(context: KafkaContext, partition: str, node: int) -> None:
    """The node is to be the only replica of the partition. The step asks who leads and coordinates what before it sends the request."""
    context.begin()
    where = context.partition(partition)
    described = achieved(context.observer.topic(where.topic), f"asking for the leader of {partition}")
    context.leader_epochs[where] = described.leader_epochs.get(where.partition, -1)
    context.keep(None, context.observer.reassign(where, node), "AlterPartitionReassignments")


@KAFKA.then("{partition} is led by node {node} alone[, in {later} leader epoch]")
def is_led_by(context: KafkaContext, partition: str, node: int, later: str | None) -> None:
    """Metadata comes to name this node as the leader, and only this one of both nodes comes to answer where the log ends. A later leader
    epoch is a larger number.
    """
    where, observer = context.partition(partition), context.observer
    for _ in context.time.attempts():
        leader = observed(observer.leader_nodes(where.topic), f"asking for the leader of {partition}").get(where.partition)
        if leader == node:
            break
    context.evidence.expect(leader == node, f"node {node}", f"node {leader}", what=f"leader of {partition}")
    for asked in (1, 2):
        for _ in context.time.attempts():
            answer = _end_at(context, where, asked)
            if isinstance(answer, Done) == (asked == node):
                break
        context.evidence.expect(
            isinstance(answer, Done) == (asked == node),
            "an offset" if asked == node else "a refusal",
            str(answer),
            what=f"answer of node {asked} about {partition}",
        )
    if later is not None:
        epoch = observed(observer.topic(where.topic), f"asking for the leader epoch of {partition}").leader_epochs.get(where.partition, -1)
        before = context.leader_epochs[where]
        context.evidence.expect(epoch > before, f"above {before}", str(epoch), what=f"leader epoch of {partition}")


@MOVE_COORDINATOR.when
def coordinator_moves(context: KafkaContext, producer: str, node: int) -> None:
    one = context.turn_of(producer)
    where = achieved(context.observer.partition_of(one.transactional_id, TRANSACTIONS), f"looking for the partition of {producer}")
    context.keep(one, context.observer.reassign(where, node), "AlterPartitionReassignments")
    for each in context.producers.values():
        if each.is_blocked_until_restart:
            each.is_blocked_until_restart = each.is_incomplete = False


@KAFKA.then("{producer} is coordinated by node {node} alone")
def is_coordinated_by(context: KafkaContext, producer: str, node: int) -> None:
    """FindCoordinator comes to name this node, and only this one of both nodes comes to describe the producer's transaction."""
    one, observer = context.producers[producer], context.observer
    version = observer.newest("find_coordinator", 1, 6)
    for _ in context.time.attempts():
        named = observer.coordinator_node(one.transactional_id, version)
        if named == Done(node):
            break
    context.evidence.expect(named == Done(node), f"node {node}", str(named), what=f"coordinator of {producer}")
    for asked in (1, 2):
        for _ in context.time.attempts():
            answer = _described_at(context, one.transactional_id, asked)
            right = isinstance(answer, Done) if asked == node else isinstance(answer, Refused) and answer.error == "NOT_COORDINATOR"
            if right:
                break
        context.evidence.expect(
            right,
            "a description" if asked == node else "NOT_COORDINATOR",
            str(answer),
            what=f"answer of node {asked} about {producer}",
        )


@KAFKA.when("UpdateFeatures {feature_update}")
def features_are_updated(context: KafkaContext, feature_update: str) -> None:
    """One UpdateFeatures request, whose answer is judged. The levels in force are read before it."""
    context.begin()
    observer = context.observer
    context.features_before = achieved(observer.api_versions(NEWEST_API_VERSIONS), "asking for the features")
    below = level_of(context.features_before) - 1
    match feature_update:
        case "asks for level 99 of transaction.version":
            answer = observer.update_feature(FEATURE, _NO_LEVEL, lower=False)
        case "asks for level 1 of a feature that there is not":
            answer = observer.update_feature("no.such.feature", 1, lower=False)
        case "asks for the level of transaction.version that is there":
            answer = observer.update_feature(FEATURE, below + 1, lower=False)
        case "lowers transaction.version as an upgrade":
            answer = observer.update_feature(FEATURE, below, lower=False)
        case _:
            answer = observer.update_feature(FEATURE, below, lower=True, validate_only=True)
    context.keep(None, answer, "UpdateFeatures")


@KAFKA.then("the levels of features are unchanged")
def levels_are_unchanged(context: KafkaContext) -> None:
    """ApiVersions shows the same levels as before; their epoch may have grown for another reason."""
    assert context.features_before is not None, "a sentence about a change stands after one"
    before = context.features_before.finalized
    now = observed(context.observer.api_versions(NEWEST_API_VERSIONS), "asking for the features").finalized
    context.evidence.expect(now == before, str(before), str(now), what="levels of features")


def _a_node(context: KafkaContext) -> list[int]:
    return achieved(context.observer.node_numbers(), "asking for the nodes")[:1]


def _reported(evidence: Evidence, described: Outcome[dict[str, int]], expected: dict[str, int], what: str) -> None:
    evidence.expect(described == Done(expected), str(expected), str(described), what=what)


def _reports_of_all(evidence: Evidence, described: Outcome[dict[str, int]], name: str, partitions: int, version: int) -> None:
    """Ignores other topics, which belong to other scenarios."""
    found = described.value.get(name) if isinstance(described, Done) else None
    seen = reported(described) if not isinstance(described, Done) else "it is not among them" if found is None else f"{found} partitions"
    what = f"all topics that Metadata v{version} answers"
    evidence.expect(found == partitions, f"{name} with {partitions} partitions among them", seen, what=what)


def _end_at(context: KafkaContext, where: TopicPartition, node: int) -> Outcome[int]:
    achieved(context.observer.ask_only(node), f"turning to node {node}")
    answer = context.observer.end_offset(where, IsolationLevel.READ_UNCOMMITTED)
    context.observer.ask_only(None)
    return answer


def _described_at(context: KafkaContext, transactional_id: str, node: int) -> Outcome[object]:
    achieved(context.observer.ask_only(node), f"turning to node {node}")
    answer = context.observer.describe_transaction(transactional_id)
    context.observer.ask_only(None)
    return answer
