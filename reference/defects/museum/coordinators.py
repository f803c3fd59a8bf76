"""Bugs of the field in what a coordinator keeps and takes over."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.additions import Additions
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.kafka_types import NO_PRODUCER, ProducerIdAndEpoch
from fencepost.reference.kafka.transaction import PREPARED, KafkaTransaction, KafkaTransactionState
from fencepost.reference.kafka.transaction_log import KafkaTransactionLog


@defect(
    {"KIP890-422": seen("^nothing", expected='^"a1"', what="^records that readers of accounts-0")},
    origin="redpanda-data/redpanda#6018: offsets that were sent after a change of the leader were committed without the data",
)
class BegunInMemory(KafkaTransactionLog):
    """Open transactions are in memory only, so after a move a producer's offsets begin another transaction, and its records are lost."""

    def must_be_durable(self, transaction: KafkaTransaction) -> bool:
        super().must_be_durable(transaction)
        return transaction.state is not KafkaTransactionState.ONGOING


@defect(
    {"KIP890-423": seen('^"a1", "b1"', expected='^"b1"', what="^records that readers of")},
    origin="twmb/franz-go#1398: kfake left the transaction of the instance before open",
)
class TakeoverKeepsWhatIsOpen(KafkaCoordinator):
    """InitProducerId bumps the epoch over an open transaction, so the next owner commits what the one before it had abandoned."""

    def abort_before_takeover(self, transaction: KafkaTransaction) -> None:
        raise _Overtaken(transaction)

    def init_producer_id(self, transactional_id: str, timeout_ms: int, expected: ProducerIdAndEpoch = NO_PRODUCER) -> ProducerIdAndEpoch:
        try:
            return super().init_producer_id(transactional_id, timeout_ms, expected)
        except _Overtaken as overtaken:
            known = overtaken.transaction
            return self.install(replace(known, producer_epoch=known.producer_epoch + 1, timeout_ms=timeout_ms)).producer


class _Overtaken(Exception):
    def __init__(self, transaction: KafkaTransaction) -> None:
        super().__init__(transaction.transactional_id)
        self.transaction = transaction


@defect(
    {"KIP890-401": seen("^Prepare", expected="over", what="^transaction of")},
    origin="streamnative/kop#1412: InitProducerId waited for a completion that never came after a restart",
)
class PreparedLeftAfterRestart(KafkaCoordinator):
    """A coordinator that starts leaves prepared transactions as they are, so their producers can never initialise again."""

    def resend_markers_of_prepared(self) -> None:
        self._pending |= {name for name, known in self._transactions.items() if known.state in PREPARED}


@defect(
    {"KIP890-046": Symptom(error="^UNKNOWN_SERVER_ERROR$")},
    origin="nisshi-io/nisshi, commit 09a37b8: the request answered an error in every case",
)
class AddOffsetsFails(Additions):
    """AddOffsetsToTxn is answered UNKNOWN_SERVER_ERROR for every client."""

    def add_offsets(self, transactional_id: str, producer: ProducerIdAndEpoch, group: str) -> None:  # noqa: ARG002
        raise RequestRefused(Errors.UNKNOWN_SERVER_ERROR)
