"""Defects in appending to a partition."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.errors import Error, Refused
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kafka.producer_state import ProducerStates, Standing
from fencepost.reference.kafka.transaction import Transaction
from fencepost.reference.kafka.values import ProducerIdAndEpoch, TopicPartition
from fencepost.reference.kafka.verification import Operation, Verification
from fencepost.wire.kafka.batches import Batch


class _LooksOnlyForAnOpenTransaction(ProducerStates):
    def standing(self, producer: ProducerIdAndEpoch) -> Standing:
        state = self.get(producer.producer_id)
        is_open = state is not None and state.has_open_transaction
        return Standing.IN_OPEN_TRANSACTION if is_open else super().standing(producer)


STALE_EPOCH_ACCEPTED = Defect(
    name="stale-epoch-accepted",
    breaks={"KIP890-100": Symptom(seen="^success with Appended")},
    story="A late batch of an earlier transaction is taken into the one that is open in its partition now, whatever its epoch.",
    origin="textbook: the delayed message of the proposal's introduction",
    parts=Parts(producer_states=_LooksOnlyForAnOpenTransaction),
)


class _AddsNothing(Verification):
    def before_produce(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: Operation) -> int | None:
        if operation is not Operation.ADD:
            return super().before_produce(log, transactional_id, batch, operation)
        producer = ProducerIdAndEpoch(batch.producer_id, batch.producer_epoch)
        return log.guards.draw(producer, batch.base_sequence, bumps_epoch=True).guard


WRITTEN_BUT_NOT_ADDED = Defect(
    name="written-but-not-added",
    breaks={"KIP890-090": Symptom(seen="^Empty in no partition")},
    story="A new client's batch is appended, and the coordinator never hears of the partition: a transaction that nobody can end.",
    origin="hanging transactions, the reason for KIP-890",
    parts=Parts(verification=_AddsNothing),
)


class _TrustsOldClients(Verification):
    def before_produce(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: Operation) -> int | None:
        if operation is not Operation.VERIFY:
            return super().before_produce(log, transactional_id, batch, operation)
        producer = ProducerIdAndEpoch(batch.producer_id, batch.producer_epoch)
        return log.guards.draw(producer, batch.base_sequence, bumps_epoch=False).guard


OLD_CLIENTS_UNVERIFIED = Defect(
    name="old-clients-unverified",
    breaks={"KIP890-095": Symptom(expected="INVALID_TXN_STATE", seen="^success")},
    story="Nobody asks whether an old client has announced the partition, so a late or stray batch opens a transaction for ever.",
    origin="Kafka before 3.6, KAFKA-14402",
    parts=Parts(verification=_TrustsOldClients),
)


class _SaysFatal(Verification):
    def refusal_of_produce(self, error: Error, operation: Operation) -> Refused:
        return super().refusal_of_produce(error, Operation.VERIFY if operation is Operation.VERIFY_ABORTABLE else operation)


ABORTABLE_TOLD_AS_FATAL = Defect(
    name="abortable-told-as-fatal",
    breaks={"KIP890-096": Symptom(seen="^a refusal with INVALID_TXN_STATE")},
    story="A client that would understand TRANSACTION_ABORTABLE is answered INVALID_TXN_STATE, which ends it instead of its transaction.",
    origin="Kafka before 3.8, where the error was new",
    parts=Parts(verification=_SaysFatal),
)


class _KnowsNoMember(Coordinator):
    def is_member(self, transaction: Transaction, partition: TopicPartition) -> bool:  # noqa: ARG002 - that is the defect
        return False


ANNOUNCED_IS_REFUSED = Defect(
    name="announced-is-refused",
    breaks={"KIP890-097": Symptom(what="answer to Produce", error="^(INVALID_TXN_STATE|TRANSACTION_ABORTABLE)$")},
    story="The coordinator says of every partition that it is not in the transaction, and old clients cannot write any longer.",
    origin="textbook: the question is answered from a cache that announcements do not reach",
    parts=Parts(coordinator=_KnowsNoMember),
)


class _WelcomesTheFuture(Coordinator):
    def check_producer(self, transaction: Transaction, producer: ProducerIdAndEpoch) -> None:
        if producer.epoch <= transaction.producer_epoch:
            super().check_producer(transaction, producer)


FUTURE_EPOCH_APPENDED = Defect(
    name="future-epoch-appended",
    breaks={"KIP890-102": Symptom(expected="INVALID_PRODUCER_EPOCH", seen="^success")},
    story="An epoch that nobody was given is taken for a newer one, and the batch fences the producer that owns the transaction.",
    origin="textbook: only older epochs are refused",
    parts=Parts(coordinator=_WelcomesTheFuture),
)


class _DoesNotVerify(Verification):
    def before_produce(self, log: PartitionLog, transactional_id: str, batch: Batch, operation: Operation) -> int | None:
        if operation is not Operation.ADD:
            producer = ProducerIdAndEpoch(batch.producer_id, batch.producer_epoch)
            return log.guards.draw(producer, batch.base_sequence, bumps_epoch=False).guard
        return super().before_produce(log, transactional_id, batch, operation)


NO_VERIFICATION = Defect(
    name="no-verification",
    breaks={"KIP890-095": Symptom(seen="^success with Appended")},
    story="The verification of old clients is off unless somebody switches it on.",
    origin="KAFKA-14561: no broker verified anything before it",
    parts=Parts(verification=_DoesNotVerify),
)


class _LetsTheFutureJoin(ProducerStates):
    def standing(self, producer: ProducerIdAndEpoch) -> Standing:
        state = self.get(producer.producer_id)
        joins = state is not None and state.has_open_transaction and producer.epoch > state.producer.epoch
        return Standing.IN_OPEN_TRANSACTION if joins else super().standing(producer)


FUTURE_EPOCH_JOINS = Defect(
    name="future-epoch-joins",
    breaks={"KIP890-102": Symptom(expected="INVALID_PRODUCER_EPOCH", seen="^success")},
    story="While a transaction is open in a partition, a batch of any newer epoch joins it unverified, and no marker fits any more.",
    origin="textbook: what is open is asked for, and not by whom",
    parts=Parts(producer_states=_LetsTheFutureJoin),
)
