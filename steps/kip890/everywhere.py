"""Steps about every partition of a topic."""

from fencepost.adapters.kafka.kafka_values import IsolationLevel, TopicPartition
from fencepost.steps.kafka.adding import add_first
from fencepost.steps.kafka.kafka_context import KafkaContext
from fencepost.steps.step_outcomes import achieved

from .vocabulary import KIP890, Added, Everywhere, Written


@KIP890.given("{producer} has {everywhere} every partition of {topic}")
def has_used_every_partition(context: KafkaContext, producer: str, everywhere: Everywhere, topic: str) -> None:
    """Produce in the producer's transaction, once for each partition; or one AddPartitionsToTxn v3 with all partitions of the topic."""
    one, every = context.producers[producer], _partitions(context, topic)
    match everywhere:
        case Written(value):
            for where in every:
                achieved(add_first(context, one, where), f"adding {where}")
                achieved(one.write(where, [value], version=context.version(one, "produce")), f"writing {value} to {where}")
        case Added():
            achieved(one.probe.add_partitions(one.transactional_id, one.current, every), f"adding all partitions of {topic}")
            one.added.update(every)


@KIP890.then("every partition of {topic} holds one {marker_kind} marker of {producer}, and its last stable offset is its high watermark")
def is_decided_everywhere(context: KafkaContext, topic: str, marker_kind: str, producer: str) -> None:
    """Each log has exactly one marker of the producer's id, of this type, and nothing in it is undecided."""
    producer_id = context.producers[producer].current.producer_id
    wrong = []
    for where in _partitions(context, topic):
        view = context.read(where, IsolationLevel.READ_UNCOMMITTED)
        # A reader of uncommitted data may be answered -1 for the last stable offset.
        ends = context.read(where, IsolationLevel.READ_COMMITTED)
        kinds = [kind.name for identity, kind in view.markers(since=0) if identity.producer_id == producer_id]
        if kinds != [marker_kind] or ends.last_stable_offset != ends.high_watermark:
            markers = f"markers {', '.join(kinds) or 'none'}"
            wrong.append(f"{where}: {markers}, last stable offset {ends.last_stable_offset}, high watermark {ends.high_watermark}")
    partitions = len(_partitions(context, topic))
    context.evidence.expect(
        not wrong,
        f"one {marker_kind} marker and nothing undecided in each of {partitions} partitions",
        f"otherwise in {len(wrong)}: {'; '.join(wrong)}" if wrong else "that",
        what=f"partitions of {topic}",
    )


def _partitions(context: KafkaContext, topic: str) -> list[TopicPartition]:
    return [partition for partition in context.partitions if partition.topic == context.topics[topic]]
