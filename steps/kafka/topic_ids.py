"""Topics by their ids: a name may be used again, an id may not."""

from fencepost.contract.errors import NotOffered

from .context import ScenarioContext
from .vocabulary import KAFKA


@KAFKA.when("{producer} writes {value} to {partition} by the id of the deleted topic")
def writes_by_an_old_id(context: ScenarioContext, producer: str, value: str, partition: str) -> None:
    """Produce v13 of one record, as sent by a producer that has not learned of the deletion."""
    one, where = context.turn_of(producer), context.partition(partition)
    topic_id = context.deleted.get(where.topic)
    if topic_id is None:
        raise NotOffered(f"topic ids: DeleteTopics did not answer that of {where.topic}")
    batch = one.probe.batch_of([value], producer=one.current, sequence=0, transactional=True)
    answer = one.probe.produce_one_batch(where, batch, transactional_id=one.transactional_id, version=13, topic_id=topic_id)
    context.keep(one, answer, "Produce")
