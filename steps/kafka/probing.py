"""The epoch of a coordinator, which shows in the markers that it sends."""

from fencepost.adapters.kafka.kafka_values import TopicPartition
from fencepost.contract.outcomes import Refused
from fencepost.steps.step_outcomes import achieved, observed

from .kafka_context import KafkaContext
from .producer import ProducerInstance

_LAST_OF_OLD_END_TXN = 4


def epoch_of_coordinator(context: KafkaContext, producer: ProducerInstance, partition: TopicPartition) -> int:
    """The epoch of the producer's current coordinator, from the marker of a transaction that is made for this alone.

    An old client runs that transaction, so that the producer keeps its epoch.
    """
    added = producer.probe.add_partitions(producer.transactional_id, producer.current, [partition])
    achieved(added, f"adding {partition}")
    achieved(producer.end(commit=True, version=_LAST_OF_OLD_END_TXN), f"ending a transaction of {producer.name} as an old client")
    achieved(context.observer.settled(producer.transactional_id), f"waiting for the markers of {producer.name}")
    active = achieved(context.observer.describe_producers(partition), f"describing the producers of {partition}")
    return max(entry.coordinator_epoch for entry in active)


def last_coordinator_epoch(context: KafkaContext, producer: ProducerInstance, *partitions: TopicPartition) -> int:
    """The highest coordinator epoch of the producer's last markers in these partitions, 0 if there were none: outdated in none of them.

    Of several partitions, one that does not exist has had none.
    """
    several = len(partitions) > 1
    answers = [context.observer.describe_producers(partition, retry=not several) for partition in partitions]
    known = [answer for answer in answers if not (several and isinstance(answer, Refused))]
    active = [entry for answer in known for entry in observed(answer, "describing producers")]
    return max([entry.coordinator_epoch for entry in active if entry.producer.producer_id == producer.current.producer_id] + [0])
