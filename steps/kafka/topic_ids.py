"""Topics by their ids: a name may be used again, an id may not."""

from fencepost.adapters.kafka.kafka_values import TopicPartition
from fencepost.contract.errors import NotOffered

from .kafka_context import KafkaContext
from .producer import ProducerInstance


def write_by_old_id(context: KafkaContext, one: ProducerInstance, value: str, where: TopicPartition) -> None:
    """Send Produce v13 of one record, as a producer does that has not learned of the deletion."""
    topic_id = context.deleted.get(where.topic)
    if topic_id is None:
        raise NotOffered(f"topic ids: DeleteTopics did not answer that of {where.topic}")
    batch = one.probe.batch_of([value], producer=one.current, sequence=0, transactional=True)
    answer = one.probe.produce_one_batch(where, batch, transactional_id=one.transactional_id, version=13, topic_id=topic_id)
    context.keep(one, answer, "Produce")
