"""Defects in what a broker remembers of the protocol that a client used before."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_types import ProducerIdAndEpoch
from fencepost.reference.kafka.producer_state import ProducerState, ProducerStates
from fencepost.reference.kafka.transaction import Decision, KafkaTransactionState
from fencepost.wire.kafka.batches import Batch


@defect(
    {"KIP890-208": seen("epoch 2", expected="epoch 1", what="^producer id and epoch of A")},
    origin="textbook: the protocol is kept with the producer and not with the request",
)
class NewProtocolRemembered(KafkaCoordinator):
    """Once any producer has used EndTxn v5, the coordinator bumps the epoch with v4 as well, whose answer has no field for it."""

    _was_new = False

    def bumps_epoch(self, end_txn_version: int) -> bool:
        self._was_new |= super().bumps_epoch(end_txn_version)
        return self._was_new


@defect(
    {"KIP890-208": seen("epoch 1", expected="epoch 0", what="^producer id and epoch of A")},
    origin="red team: the protocol is kept with the open transaction and not with the request",
)
class ProtocolOfTheFirstWrite(KafkaCoordinator):
    """A transaction that Produce v12 has begun is bumped by EndTxn v4 as well, so the client is fenced without a new epoch."""

    def end_transaction(
        self, transactional_id: str, producer: ProducerIdAndEpoch, decision: Decision, api_version: int
    ) -> ProducerIdAndEpoch:
        known = self._transactions.get(transactional_id)
        was_new = known is not None and known.state is KafkaTransactionState.ONGOING and known.transaction_version == 2
        return super().end_transaction(transactional_id, producer, decision, 5 if was_new else api_version)


@defect(
    {"KIP890-208": seen(r"^success with \(producer id \d+, epoch 0\)", expected="epoch 1")},
    origin="textbook: the protocol is kept with the producer and not with the request",
)
class OldProtocolRemembered(KafkaCoordinator):
    """Once any producer has used an old EndTxn, the coordinator bumps no epoch any more, so transactions of updated clients cannot be
    distinguished."""

    _was_old = False

    def bumps_epoch(self, end_txn_version: int) -> bool:
        self._was_old |= not super().bumps_epoch(end_txn_version)
        return not self._was_old


@defect(
    {"KIP890-208": Symptom(what="^answer to Produce", error="^OUT_OF_ORDER_SEQUENCE_NUMBER$")},
    origin="textbook: each transaction is treated as one with a separate epoch",
)
class SequencesForgottenWithinAnEpoch(ProducerStates):
    """Sequence numbers begin again after every marker, though an old client keeps its epoch and continues to count."""

    def apply(self, batch: Batch) -> ProducerState | None:
        before = super().apply(batch)
        if batch.marker is not None:
            state = self._states[batch.producer_id]
            self._states[batch.producer_id] = replace(state, batches=())
        return before


@defect(
    {"KIP890-208": seen("^Ongoing", expected="^over", what="^transaction of A")},
    origin="textbook: an end that is searched for among the transactions of its protocol",
)
class OldEndOfANewTransaction(KafkaCoordinator):
    """A client that returns to the old protocol ends a transaction that it began with the new one, is answered with success, and
    nothing ends."""

    def end_transaction(
        self, transactional_id: str, producer: ProducerIdAndEpoch, decision: Decision, api_version: int
    ) -> ProducerIdAndEpoch:
        open_one = next((one for one in self.transactions() if one.transactional_id == transactional_id and not one.is_idle), None)
        if open_one is not None and open_one.transaction_version >= 2 and not self.bumps_epoch(api_version):
            self.check_producer(open_one, producer)
            return open_one.producer
        return super().end_transaction(transactional_id, producer, decision, api_version)
