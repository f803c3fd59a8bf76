"""Defects of the Kafka reference in requests that are under way at once."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.ending import Asked, Ending
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kafka.transaction import Decision, State, Transaction
from fencepost.wire.kafka.batches import Batch

from . import fencing


class _AcknowledgesAndDrops(PartitionLog):
    def append(self, batch: Batch, data: bytes, guard: int | None = None, *, checks_sequence: bool = True) -> int:
        state = self.producers.get(batch.producer_id)
        if state is not None and batch.producer_epoch < state.producer.epoch:
            return self.end_offset
        return super().append(batch, data, guard, checks_sequence=checks_sequence)


class _AnswersWhoeverComesSecond(Coordinator):
    def must_wait(self, transaction: Transaction) -> bool:  # noqa: ARG002 - that is the defect
        return False

    def end_of_new_client(self, state: State, decision: Decision, asked: Asked) -> Ending:
        return super().end_of_new_client(state, decision, asked) if state is State.ONGOING else Ending.ANSWER_AGAIN


ACKNOWLEDGED_AND_DROPPED = Defect(
    name="core-kafka-acknowledged-and-dropped",
    breaks={"CORE-36": Symptom(what="readers of orders", expected='^"a1", "a2"$', seen='^"a1";')},
    story="A batch that finds its transaction just ended is dropped and acknowledged, for nobody could see it any more.",
    origin="textbook: a receipt for what was thrown away",
    parts=Parts(partition_log=_AcknowledgesAndDrops, producer_states=fencing.LetsTheFencedIn),
)

BOTH_DECIDERS_WIN = Defect(
    name="core-kafka-both-deciders-win",
    breaks={"CORE-37": Symptom(what="two ends at the same time", seen="success.*success")},
    story="Who asks for an end while the transaction is being ended is told that it is done, whichever end that is.",
    origin="textbook: a check, and then an act",
    parts=Parts(coordinator=_AnswersWhoeverComesSecond),
)
