"""Defects of the Kafka reference in time-outs, and in what a writer may do that was fenced."""

from collections.abc import Iterable

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.defects.kip890 import recovery
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.ending import Asked, Ending
from fencepost.reference.kafka.guards import Attempt
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.producer_state import ProducerState, ProducerStates, Standing
from fencepost.reference.kafka.transaction import Decision, State
from fencepost.reference.kafka.values import ProducerIdAndEpoch, TopicPartition
from fencepost.wire.kafka.batches import Batch


class _ServesTheFenced(Coordinator):
    def end_of_new_client(self, state: State, decision: Decision, asked: Asked) -> Ending:
        return Ending.ANSWER_AGAIN if asked is Asked.NEITHER else super().end_of_new_client(state, decision, asked)


NEVER_EXPIRES = Defect(
    name="core-kafka-never-expires",
    breaks={"CORE-15": Symptom(expected=r'^over|^"plain"$', seen="^(not over|nothing)")},
    story=recovery.TIMEOUT_IGNORED.story,
    origin=recovery.TIMEOUT_IGNORED.origin,
    parts=recovery.TIMEOUT_IGNORED.parts,
)


LATE_COMMIT_ACCEPTED = Defect(
    name="core-kafka-late-commit-accepted",
    breaks={"CORE-16": Symptom(expected="a refusal", seen="^success")},
    story="The coordinator has no timer, so that a commit which comes far too late finds its transaction open.",
    origin=recovery.TIMEOUT_IGNORED.origin,
    parts=recovery.TIMEOUT_IGNORED.parts,
)


LOST_TRANSACTION_IS_COMMITTED = Defect(
    name="core-kafka-lost-transaction-is-committed",
    breaks={"CORE-18": Symptom(expected="a refusal", seen="^success")},
    story="An instance that was taken over long ago commits, and is told that it is done.",
    origin="textbook: every older epoch taken for a retry",
    parts=Parts(coordinator=_ServesTheFenced),
)


class LetsTheFencedIn(ProducerStates):
    """An older epoch writes on as if its transaction were open."""

    def standing(self, producer: ProducerIdAndEpoch) -> Standing:
        standing = super().standing(producer)
        return Standing.IN_OPEN_TRANSACTION if standing is Standing.FENCED else standing

    def check_sequence(self, batch: Batch, attempt: Attempt | None, *, may_begin_anywhere: bool) -> None:
        if not self.is_late(batch):
            super().check_sequence(batch, attempt, may_begin_anywhere=may_begin_anywhere)

    def is_late(self, batch: Batch) -> bool:
        """Whether its epoch is older than its producer's."""
        state = self.get(batch.producer_id)
        return state is not None and batch.producer_epoch < state.producer.epoch


class _AddsForTheFenced(Coordinator):
    def add_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[TopicPartition], transaction_version: int
    ) -> None:
        if producer.epoch >= self.describe(transactional_id).producer_epoch:
            super().add_partitions(transactional_id, producer, partitions, transaction_version)


class _TakesLateOnesForPlain(LetsTheFencedIn):
    def apply(self, batch: Batch) -> ProducerState | None:
        return self.get(batch.producer_id) if batch.marker is None and self.is_late(batch) else super().apply(batch)


LATE_WRITE_SHOWN = Defect(
    name="core-kafka-late-write-shown",
    breaks={"CORE-17": Symptom(seen='^"late"')},
    story="A batch with an older epoch is stored and opens no transaction, so that everybody reads it.",
    origin="textbook: epochs that are compared for markers only",
    parts=Parts(producer_states=_TakesLateOnesForPlain),
)


LATE_WRITE_HANGS = Defect(
    name="core-kafka-late-write-hangs",
    breaks={"CORE-19": Symptom(expected='^"plain"$', seen="^nothing")},
    story="A batch with an older epoch is stored and opens its transaction anew, and nobody will ever end it.",
    origin="KAFKA-14402: hanging transactions",
    parts=Parts(producer_states=LetsTheFencedIn),
)


LATE_WRITE_HANGS_ELSEWHERE = Defect(
    name="core-kafka-late-write-hangs-elsewhere",
    breaks={"CORE-19": Symptom(what="readers of payments", expected='^"plain"$', seen="^nothing")},
    story="A late batch to a partition of its own opens a transaction there, for the coordinator takes its producer for a slow one.",
    origin="KAFKA-14402: hanging transactions",
    parts=Parts(coordinator=_AddsForTheFenced),
)
