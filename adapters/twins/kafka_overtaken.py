"""Batches that overtake the one before them, as one does whose predecessor was lost with its connection.

The leader refuses a batch whose predecessor it does not have, and nothing is left of it. The client sends both again, in order.
"""

from typing import Any, cast

from kio.static.protocol import RequestPayload

from fencepost.adapters.common.patience import ANSWER_WITHIN_S
from fencepost.adapters.kafka.transport import KafkaTransport
from fencepost.contract.evidence import Violation
from fencepost.contract.outcomes import Done
from fencepost.wire.kafka.batches import Batch
from fencepost.wire.kafka.entities import api_of

from .kafka_batches import Where, following, next_batches, where_of
from .kafka_repeat import errors_in
from .kafka_way import Heard, RequestPerformer

_NEW = 12
"""The first version of Produce of clients whose first batch in a partition has sequence number 0; that of others may have any."""


def _names(deleted: Any) -> tuple[object, ...]:
    """The name and the id of a topic, as far as an answer has them."""
    return deleted.name, getattr(deleted, "topic_id", None)


class Overtaken(RequestPerformer):
    """Before each batch that is due the one that follows it arrives, and is refused."""

    idle = "no client wrote a batch that a leader knows to be next"

    def begin(self) -> None:
        super().begin()
        self._due = dict[tuple[int, Where], tuple[int, int]]()
        """The epoch and the sequence number that follow the last batch of a producer in a partition."""

    def before(self, client: str, transport: KafkaTransport, request: RequestPayload) -> None:  # noqa: ARG002 - of every client
        if api_of(request) != "produce":
            return
        for batch, where, overtaking in next_batches(request):
            if self._is_due(batch, where, is_new=batch.transactional and request.__version__ >= _NEW):
                answer = transport.call(overtaking, ANSWER_WITHIN_S)
                if isinstance(answer, Done) and not any(errors_in(answer.value)):
                    what = "answer to a batch that comes before the one that is due"
                    raise Violation("a refusal", "success", what=what, requirement="KIP890-113")
                self.did("sent", "batch out of order")

    def finish(self, transport: KafkaTransport, request: RequestPayload, answer: Heard, deadline_s: float) -> Heard:  # noqa: ARG002
        if not isinstance(answer, Done):
            return answer
        if api_of(request) == "delete_topics":
            gone = {said for one in cast(Any, answer.value).responses if not one.error_code for said in _names(one)}
            self._due = {known: due for known, due in self._due.items() if known[1][0] not in gone}
        if api_of(request) == "produce":
            responses = cast(Any, answer.value).responses
            answers = ((where_of(topic, one), one.error_code) for topic in responses for one in topic.partition_responses)
            appended = {where for where, error in answers if not error}
            for batch, where, _ in next_batches(request):
                is_next = (batch.producer_id, where) not in self._due or self._is_due(batch, where, is_new=False)
                if where in appended and is_next:
                    self._due[batch.producer_id, where] = batch.producer_epoch, following(batch).base_sequence
        return answer

    def _is_due(self, batch: Batch, where: Where, *, is_new: bool) -> bool:
        """Whether the leader expects this batch. Of another batch the one after it could be due, as it is where a batch is repeated."""
        if (known := self._due.get((batch.producer_id, where))) is None:
            return is_new and batch.base_sequence == 0
        epoch, sequence = known
        return batch.base_sequence == (sequence if batch.producer_epoch == epoch else 0) and batch.producer_epoch >= epoch
