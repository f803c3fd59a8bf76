"""The producer id and epoch that a request claims."""

from fencepost.adapters.kafka.kafka_values import NO_PRODUCER, ProducerIdentity
from fencepost.contract.errors import NotOffered

from .kafka_context import KafkaContext
from .producer import ProducerInstance

_FAR_AHEAD = 5
_EARLIER = {"its previous epoch": 2, "the epoch before its previous one": 3, "its previous producer id and the epoch in force": 2}
"""How many epochs a producer must have been given to have these."""


def claimed(context: KafkaContext, producer: ProducerInstance, identity: str | None) -> tuple[str, ProducerIdentity]:
    """The transactional id, and the producer id and epoch, of a request; earlier epochs are those that the producer was really given."""
    current, transactional_id = producer.current, producer.transactional_id
    if identity in _EARLIER and producer.is_old and len(producer.given) < _EARLIER[identity]:
        raise NotOffered(f"{identity}: with transaction version 0 an end hands out no other")
    match identity:
        case "its previous epoch":
            current = producer.given[-2]
        case "the epoch before its previous one":
            current = producer.given[-3]
        case "its previous producer id and the epoch in force":
            current = producer.given[-2].with_epoch(current.epoch)
        case "an epoch ahead of the current one":
            current = current.with_epoch(current.epoch + _FAR_AHEAD)
        case "the next epoch":
            current = producer.next_epoch()
        case "a producer id but no epoch":
            current = current.with_epoch(-1)
        case "an epoch but no producer id":
            current = ProducerIdentity(-1, current.epoch)
        case "neither producer id nor epoch":
            current = NO_PRODUCER
        case "an empty transactional id":
            transactional_id = ""
        case "an unused transactional id":
            transactional_id = context.session.unique("unused")
        case str() if identity.startswith("the producer id of "):
            current = ProducerIdentity(context.producers[identity[-1]].current.producer_id, current.epoch)
    return transactional_id, current
