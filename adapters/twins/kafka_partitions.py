"""Which partitions the open transaction of a producer has, by what its clients were answered, and one that it does not have."""

from dataclasses import replace
from typing import Any, TypeAlias, cast

from kio.static.protocol import RequestPayload

from fencepost.wire.kafka.batches import encode
from fencepost.wire.kafka.entities import api_of

from .kafka_batches import batches_in

_NEW = 12
"""The first version of Produce of clients whose producers begin with sequence number 0 everywhere."""
_Where: TypeAlias = tuple[str, int]


class Partitions:
    """The partitions of a session's topics, and those of each producer."""

    def __init__(self) -> None:
        self._counts = dict[str, int]()
        self._in_transaction = dict[int, set[_Where]]()
        self._written = dict[int, set[_Where]]()

    def note(self, request: RequestPayload) -> None:
        """This request was answered with success."""
        asked = cast(Any, request)
        match api_of(request):
            case "create_topics":
                self._counts |= {topic.name: len(topic.assignments) or topic.num_partitions for topic in asked.topics}
            case "add_partitions_to_txn":
                older = [(getattr(asked, "v3_and_below_producer_id", -1), getattr(asked, "v3_and_below_topics", ()))]
                for producer_id, topics in [*older, *((one.producer_id, one.topics) for one in getattr(asked, "transactions", ()))]:
                    added = {(topic.name, number) for topic in topics for number in topic.partitions}
                    self._in_transaction.setdefault(producer_id, set()).update(added)
            case "produce":
                for topic, part, batch in batches_in(request):
                    for of in (self._in_transaction, self._written):
                        of.setdefault(batch.producer_id, set()).add((getattr(topic, "name", ""), part.index))

    def forget(self, producer_id: int) -> None:
        """The transaction of the producer has ended."""
        self._in_transaction.pop(producer_id, None)

    def elsewhere(self, producer_id: int, produce: RequestPayload) -> RequestPayload | None:
        """This Produce of one batch, to a partition of the same topic in which the producer has nothing; None if there is none."""
        topic, part, batch = next(batches_in(produce))
        name = getattr(topic, "name", "")
        known = self._in_transaction.get(producer_id, set()) | self._written.get(producer_id, set())
        free = next((number for number in range(self._counts.get(name, 0)) if (name, number) not in known), None)
        if free is None:
            return None
        first = replace(batch, base_sequence=0) if produce.__version__ >= _NEW else batch
        stray = replace(topic, partition_data=(replace(part, index=free, records=encode(first)),))
        return cast(RequestPayload, replace(cast(Any, produce), topic_data=(stray,)))
