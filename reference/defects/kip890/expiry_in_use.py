"""Defects in how long a transactional id that is in use is known."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.transaction import State, Transaction


class _CountsIdleTimeFromTheStart(Coordinator):
    def install(self, transaction: Transaction) -> Transaction:
        before = self._transactions.get(transaction.transactional_id)
        installed = super().install(transaction)
        if before is None or transaction.state is State.EMPTY:
            return installed
        kept = replace(installed, updated_at=before.updated_at)
        self._log.append(kept)
        self._transactions[transaction.transactional_id] = kept
        return kept


IDLE_TIME_FROM_INIT_PRODUCER_ID = Defect(
    name="idle-time-from-init-producer-id",
    breaks={"KIP890-165": Symptom(expected="^an answer when describing", seen="TRANSACTIONAL_ID_NOT_FOUND")},
    story="The time after which an id expires counts from InitProducerId, also while its producer commits again and again.",
    origin="red team: a time that only InitProducerId writes down",
    parts=Parts(coordinator=_CountsIdleTimeFromTheStart),
)
