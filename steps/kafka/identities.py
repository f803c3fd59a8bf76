"""Who a request says it is from."""

from fencepost.adapters.kafka.values import NO_PRODUCER, ProducerIdAndEpoch

from .context import ScenarioContext
from .producer import Producer

_FAR_AHEAD = 5


def claimed(context: ScenarioContext, producer: Producer, identity: str | None) -> tuple[str, ProducerIdAndEpoch]:
    """The transactional id, and the producer id and epoch, of a request; earlier epochs are those that the producer was really given."""
    current, transactional_id = producer.current, producer.transactional_id
    match identity:
        case "its previous epoch":
            current = producer.given[-2]
        case "the epoch before its previous one":
            current = producer.given[-3]
        case "its previous producer id and the epoch in force":
            current = producer.given[-2].with_epoch(current.epoch)
        case "an epoch ahead of its own":
            current = current.with_epoch(current.epoch + _FAR_AHEAD)
        case "the next epoch":
            current = producer.next_epoch()
        case "a producer id but no epoch":
            current = current.with_epoch(-1)
        case "an epoch but no producer id":
            current = ProducerIdAndEpoch(-1, current.epoch)
        case "neither producer id nor epoch":
            current = NO_PRODUCER
        case "an empty transactional id":
            transactional_id = ""
        case "an unused transactional id":
            transactional_id = context.session.unique("unused")
        case str() if identity.startswith("the producer id of "):
            current = ProducerIdAndEpoch(context.producers[identity[-1]].current.producer_id, current.epoch)
    return transactional_id, current
