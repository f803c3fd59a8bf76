"""Given: a transaction whose end is decided and does not get through, so that everybody finds it between the two.

The markers of a transaction need a leader that takes them. One partition, of a topic that is made for this alone, is told of a
coordinator so much newer that it refuses the marker of the real one for good. The transaction then stays in PrepareCommit or
PrepareAbort; its other partitions have their markers.
"""

from pytest_bdd import given, parsers

from fencepost.adapters.kafka.values import TopicPartition
from fencepost.steps.outcomes import achieved

from .world import World

_NEWER_COORDINATOR = 1_000


@given(parsers.re(r"the end of (?P<name>\w+)'s transaction is held back"))
def is_held_back(world: World, name: str) -> None:
    """The open transaction, or the one that begins here, goes no further than PrepareCommit or PrepareAbort once it is ended.

    The producer's requests are put once from here on: CONCURRENT_TRANSACTIONS is an answer, and waiting for another is in vain.
    """
    producer = world.producer(name)
    topic = world.session.unique(f"holding-{name}")
    partition = TopicPartition(topic, 0)
    achieved(world.observer.create_topic(topic, 1), f"creating the topic {topic}")
    achieved(producer.probe.add_partitions(producer.transactional_id, producer.pair, [partition]), f"announcing {partition}")
    marker = world.observer.write_marker(partition, producer.pair, commit=False, coordinator_epoch=_NEWER_COORDINATOR)
    achieved(marker, f"telling {partition} of a newer coordinator")
    producer.is_held_back = True
