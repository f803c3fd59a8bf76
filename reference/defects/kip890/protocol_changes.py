"""Defects in what is kept of the protocol that a client used before."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.producer_state import ProducerState, ProducerStates
from fencepost.reference.kafka.transaction import Decision
from fencepost.reference.kafka.values import ProducerIdAndEpoch
from fencepost.wire.kafka.batches import Batch


class _OnceNewAlwaysNew(Coordinator):
    _was_new = False

    def bumps_epoch(self, end_txn_version: int) -> bool:
        self._was_new |= super().bumps_epoch(end_txn_version)
        return self._was_new


class _OnceOldAlwaysOld(Coordinator):
    _was_old = False

    def bumps_epoch(self, end_txn_version: int) -> bool:
        self._was_old |= not super().bumps_epoch(end_txn_version)
        return not self._was_old


class _BeginsAnewBehindAMarker(ProducerStates):
    def apply(self, batch: Batch) -> ProducerState | None:
        before = super().apply(batch)
        if batch.marker is not None:
            state = self._states[batch.producer_id]
            self._states[batch.producer_id] = replace(state, batches=())
        return before


NEW_PROTOCOL_REMEMBERED = Defect(
    name="new-protocol-remembered",
    breaks={"KIP890-208": Symptom(what="^producer id and epoch of A", expected="epoch 1", seen="epoch 2")},
    story="A producer that once used EndTxn v5 gets a new epoch with v4 as well, which has no field to tell it.",
    origin="textbook: the protocol is kept with the producer and not with the request",
    parts=Parts(coordinator=_OnceNewAlwaysNew),
)

OLD_PROTOCOL_REMEMBERED = Defect(
    name="old-protocol-remembered",
    breaks={"KIP890-208": Symptom(expected="epoch 1", seen=r"^success with \(producer id \d+, epoch 0\)")},
    story="A client that was updated is treated as it was before, so that its transactions cannot be told apart by their epochs.",
    origin="textbook: the protocol is kept with the producer and not with the request",
    parts=Parts(coordinator=_OnceOldAlwaysOld),
)

SEQUENCES_FORGOTTEN_WITHIN_AN_EPOCH = Defect(
    name="sequences-forgotten-within-an-epoch",
    breaks={"KIP890-208": Symptom(what="^answer to Produce", error="^OUT_OF_ORDER_SEQUENCE_NUMBER$")},
    story="Sequence numbers begin again behind every marker, though an old client keeps its epoch and goes on counting.",
    origin="textbook: each transaction is taken for one with an epoch of its own",
    parts=Parts(producer_states=_BeginsAnewBehindAMarker),
)


class _KeepsOpenWhatIsNew(Coordinator):
    def end_transaction(
        self, transactional_id: str, producer: ProducerIdAndEpoch, decision: Decision, api_version: int
    ) -> ProducerIdAndEpoch:
        open_one = next((one for one in self.transactions() if one.transactional_id == transactional_id and not one.is_idle), None)
        if open_one is not None and open_one.transaction_version >= 2 and not self.bumps_epoch(api_version):
            self.check_producer(open_one, producer)
            return open_one.producer
        return super().end_transaction(transactional_id, producer, decision, api_version)


OLD_END_OF_A_NEW_TRANSACTION = Defect(
    name="old-end-of-a-new-transaction",
    breaks={"KIP890-208": Symptom(what="^transaction of A", expected="^over", seen="^Ongoing")},
    story="A client that steps back to the old protocol aborts what it has begun with the new one, is told success, and nothing is ended.",
    origin="textbook: an end that is looked for among the transactions of its own protocol",
    parts=Parts(coordinator=_KeepsOpenWhatIsNew),
)
