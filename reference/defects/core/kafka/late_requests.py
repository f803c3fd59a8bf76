"""Defects of the Kafka reference in requests that come late or twice."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.ending import Asked
from fencepost.reference.kafka.errors import Error, Refused
from fencepost.reference.kafka.guards import Attempt
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.partition_log import Entry, Isolation, PartitionLog
from fencepost.reference.kafka.producer_state import AppendedBatch, ProducerStates
from fencepost.reference.kafka.transaction import State, Transaction
from fencepost.reference.kafka.values import ProducerIdAndEpoch
from fencepost.wire.kafka.batches import Batch

from . import fencing


class _TakesARepeatedEndForTheNext(Coordinator):
    def asked_about(self, transaction: Transaction, producer: ProducerIdAndEpoch) -> Asked | None:
        asked = super().asked_about(transaction, producer)
        return Asked.CURRENT if asked is Asked.RETRY and transaction.state is State.ONGOING else asked


class _LetsTheLateOneHide(PartitionLog):
    late: frozenset[int] = frozenset()

    def append(self, batch: Batch, data: bytes, guard: int | None = None, *, checks_sequence: bool = True) -> int:
        state = self.producers.get(batch.producer_id)
        if state is not None and batch.producer_epoch < state.producer.epoch:
            self.late |= {batch.producer_id}
            raise Refused(Error.INVALID_PRODUCER_EPOCH)
        return super().append(batch, data, guard, checks_sequence=checks_sequence)

    def is_handed_out(self, entry: Entry, isolation: Isolation) -> bool:  # noqa: ARG002 - to no reader does it matter
        return entry.batch.producer_id not in self.late


class _StoresARepetition(ProducerStates):
    def duplicate_of(self, batch: Batch) -> AppendedBatch | None:  # noqa: ARG002 - it does not look
        return None

    def check_sequence(self, batch: Batch, attempt: Attempt | None, *, may_begin_anywhere: bool) -> None:
        if super().duplicate_of(batch) is None:
            super().check_sequence(batch, attempt, may_begin_anywhere=may_begin_anywhere)


REPEATED_END_ENDS_THE_NEXT = Defect(
    name="core-kafka-repeated-end-ends-the-next",
    breaks={"CORE-30": Symptom(what="readers of orders", expected='^"a1"$', seen='^"a1", "a2"$')},
    story="An end with the epoch of the transaction before is taken for one of the transaction that is open now.",
    origin="before KIP-890, where all transactions of an instance have one epoch",
    parts=Parts(coordinator=_TakesARepeatedEndForTheNext),
)

LATE_TO_ITS_COMMIT_SHOWN = Defect(
    name="core-kafka-late-to-its-commit-shown",
    breaks={"CORE-31": Symptom(seen='"late"')},
    story=fencing.LATE_WRITE_SHOWN.story,
    origin=fencing.LATE_WRITE_SHOWN.origin,
    parts=fencing.LATE_WRITE_SHOWN.parts,
)

LATE_TO_ITS_COMMIT_HIDES = Defect(
    name="core-kafka-late-to-its-commit-hides",
    breaks={"CORE-31": Symptom(expected='^"a1"$', seen="^nothing")},
    story="A partition that refuses a late batch takes its producer for broken, and hands out nothing of it any more.",
    origin="textbook: a punishment that meets the wrong one",
    parts=Parts(partition_log=_LetsTheLateOneHide, producer_states=fencing.LetsTheFencedIn),
)

LATE_TO_ITS_COMMIT_HANGS = Defect(
    name="core-kafka-late-to-its-commit-hangs",
    breaks={"CORE-31": Symptom(expected='^"a1", "plain"$', seen='^"a1"$')},
    story=fencing.LATE_WRITE_HANGS.story,
    origin=fencing.LATE_WRITE_HANGS.origin,
    parts=fencing.LATE_WRITE_HANGS.parts,
)

REPEATED_WRITE_IS_STORED = Defect(
    name="core-kafka-repeated-write-is-stored",
    breaks={"CORE-38": Symptom(expected='^"a1", "a2"$', seen='^"a1", "a2", "a2"$')},
    story="A batch that comes again is appended again.",
    origin="textbook: at least once",
    parts=Parts(producer_states=_StoresARepetition),
)
