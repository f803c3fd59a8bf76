"""Defects of the Kafka reference in what lasts when a log is served again."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.kafka_types import PartitionName
from fencepost.reference.kafka.partition_log import AbortedTxn, PartitionLog
from fencepost.reference.kafka.producer_state import ProducerState, ProducerStates
from fencepost.reference.kernel.machine import Machine
from fencepost.wire.kafka.batches import Batch


@defect({"CORE-32": seen('^"plain"$', expected='^"a1", "plain"$')}, origin="textbook: a second place for one decision, which was forgotten")
class CoreKafkaSeenIsGoneAfterReload(PartitionLog):
    """The index of aborted transactions is built from the log when it is loaded, and every end that is found there goes into it, commits
    too.
    """

    is_loaded = False

    def __init__(self, machine: Machine, producer_states: type[ProducerStates], name: PartitionName) -> None:
        super().__init__(machine, producer_states, name)
        self.is_loaded = True

    def aborted_by(self, marker: Batch, before: ProducerState | None) -> AbortedTxn | None:
        if self.is_loaded or before is None or not before.has_open_transaction:
            return super().aborted_by(marker, before)
        return AbortedTxn(marker.producer_id, before.transaction_start, marker.base_offset)


@defect({"CORE-40": seen('^"a1"', expected='^("a1", "a2"|"plain")$')}, origin="textbook: a state that recovery forgets")
class CoreKafkaOpenForgottenByReload(PartitionLog):
    """A partition that is loaded has lost its open transactions: what they wrote before is shown, and what they write is refused."""

    def __init__(self, machine: Machine, producer_states: type[ProducerStates], name: PartitionName) -> None:
        super().__init__(machine, producer_states, name)
        self.producers.restore(state for state in self.producers.all() if not state.has_open_transaction)
