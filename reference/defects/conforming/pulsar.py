"""Conforming variants of the Pulsar broker: unusual behaviour that the suite must not report as a defect.

A broker that counts messages it does not deliver against a consumer's permits is not among them: the client does not learn of them, so it
never sends further permits, and is stuck (apache/pulsar#21177).
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from fencepost.reference.defects.decorator import defect
from fencepost.reference.kernel.machine import Machine
from fencepost.reference.pulsar import PulsarParts
from fencepost.reference.pulsar.buffer import MessagePosition, Readable
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.ledger import Ledger, LedgerMarker
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.marker_buffer import MarkerBuffer
from fencepost.reference.pulsar.participants import EndOn
from fencepost.reference.pulsar.pending_ack_store import Units
from fencepost.reference.pulsar.pending_acks import PendingAcks
from fencepost.reference.pulsar.pulsar_types import EndAction, Message, Position, SubscriptionType, TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer
from fencepost.reference.pulsar.subscription import Delivery, Subscription
from fencepost.reference.pulsar.transaction import PulsarTransaction

from . import kafka

_ENTRIES_OF_A_LEDGER = 2
_IDS_SKIPPED = 41
_COUNTED_BESIDE = 2
_OTHER_WORDS = "computer says no"


@defect(origin="brokers that keep what is sent again in a hash table")
class PulsarRedeliveredLastFirst(Subscription):
    """A shared subscription redelivers in reverse order; PIP-31 promises no order there."""

    def dispatch(self) -> None:
        waiting = [readable for readable in self._buffer.after(self.cursor.mark_delete) if not self.is_withheld(readable)]
        for readable in waiting[::-1] if self.kind is SubscriptionType.SHARED else ():
            if self._redelivery_counts[readable.place]:
                self.offer(readable)
        super().dispatch()


@defect(origin="managedLedgerMaxEntriesPerLedger, and every change of a topic's owner")
class PulsarSmallLedgers(Ledger):
    """A ledger takes 2 entries, so that the parts of a transaction are in several."""

    def append(self, content: Message | LedgerMarker) -> Position:
        if self._next_entry >= _ENTRIES_OF_A_LEDGER:
            self._ledger_id, self._next_entry = None, 0
        return super().append(content)


@defect(origin="a coordinator that starts after the last number that it may have assigned")
class PulsarGapsInTransactionIds(LogCoordinator):
    """A coordinator assigns transaction ids with gaps: they grow, and Pulsar does not promise that they grow by one."""

    def next_id(self) -> TxnId:
        self.last_sequence += _IDS_SKIPPED
        return super().next_id()


@defect(origin="a failover of the coordinator while ends are on their way")
class PulsarEndsToldTwiceAfterRestart(LogCoordinator):
    """After a restart the coordinator notifies each participant of a decided transaction twice."""

    def resume_decided(self) -> None:
        super().resume_decided()
        self._machine.network.duplicate(lambda content: isinstance(content, EndOn))


def answer_late(machine: Machine, txn: TxnId, reply: Reply) -> None:
    """Answer once, as soon as the network delivers what a node has sent, and sends again if it is lost."""
    replies = [reply]

    def send(_: object = None) -> None:
        machine.send(f"answer to {txn}", lambda _: replies.pop()() if replies else None, lost=send)

    send()


@defect(origin="every cluster with a proxy between clients and brokers", also=[kafka.SlowNetwork])
class PulsarAnswersLate(LogCoordinator):
    """The answer to an end is some time on its way, as all messages are, also while a participant holds up the completion."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        super().end(txn, action, lambda: answer_late(self._machine, txn, reply))


@defect(origin="brokers that count attempts, and not deliveries")
class PulsarRedeliveriesCountedMore(Subscription):
    """Each redelivery raises the redelivery count of a message by 3: the count is a hint."""

    def give_back(self, wanted: Mapping[MessagePosition, Units]) -> None:
        for place in wanted:
            self._redelivery_counts[place] = self._redelivery_counts.get(place, 0) + _COUNTED_BESIDE
        super().give_back(wanted)


@defect(origin="apache/pulsar 4.0.7 on a busy machine, where a read in progress meets a request for redelivery")
class PulsarRedeliveredTwice(Subscription):
    """A message that is delivered again comes twice, as long as its consumer takes any; Pulsar delivers at least once."""

    def offer(self, readable: Readable) -> bool:
        missing = self.withheld_units(readable)
        is_taken = super().offer(readable)
        consumer = next(iter(self._held.get(readable.place, {}).values()), None)
        if is_taken and self._redelivery_counts[readable.place] and consumer is not None and self.takes_more(consumer):
            consumer.permits -= readable.message.units
            consumer.deliver(Delivery(readable, self.redelivery_count(readable.place), missing))
        return is_taken


@defect(origin="every Pulsar 4 release, which removes the metadata at the end")
class PulsarTheEndedAreForgotten(LogCoordinator):
    """A coordinator removes the metadata of an ended transaction, as the text allows, and answers a repeated end with
    TransactionNotFound."""

    def describe(self, txn: TxnId) -> PulsarTransaction:
        known = super().describe(txn)
        if known.status.is_complete:
            raise CommandRefused(ServerError.TRANSACTION_NOT_FOUND, f"coordinator {self.tc_id} does not know transaction {txn} any more")
        return known


class _CallsAConflictInvalid(PendingAcks):
    def add_cumulative(self, txn: TxnId, place: MessagePosition) -> None:
        with _conflicts_as_invalid():
            super().add_cumulative(txn, place)


@contextmanager
def _conflicts_as_invalid() -> Iterator[None]:
    try:
        yield
    except CommandRefused as refused:
        raise CommandRefused(ServerError.INVALID_TXN_STATUS, refused.message) from refused


class _SidecarInOtherWords(SidecarBuffer):
    def publish(self, message: Message) -> Position:
        try:
            return super().publish(message)
        except CommandRefused as refused:
            raise CommandRefused(refused.error, _OTHER_WORDS) from refused


class _MarkersInOtherWords(MarkerBuffer):
    def publish(self, message: Message) -> Position:
        try:
            return super().publish(message)
        except CommandRefused as refused:
            raise CommandRefused(refused.error, _OTHER_WORDS) from refused


@defect(origin="every cluster, where coordinator and topics are with different brokers", of=PulsarParts)
class PulsarLateEnds(kafka.SlowNetwork):
    """Topics and subscriptions learn late how a transaction ended, so a decided transaction is not visible for a while."""


@defect(origin="PIP-31, Acknowledgement State Machine: InvalidTxnState", also=[_CallsAConflictInvalid])
class PulsarConflictsAreInvalidStates(Subscription):
    """An acknowledgement that meets another transaction is refused with InvalidTxnStatus, as the text has it."""

    def acknowledge_in(self, txn: TxnId, wanted: Mapping[MessagePosition, Units]) -> None:
        with _conflicts_as_invalid():
            super().acknowledge_in(txn, wanted)


@defect(origin="every release rewords its messages", also=[_SidecarInOtherWords, _MarkersInOtherWords])
class PulsarOtherWords(LogCoordinator):
    """Refusals have the same error codes and other messages."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        try:
            super().end(txn, action, reply)
        except CommandRefused as refused:
            raise CommandRefused(refused.error, _OTHER_WORDS) from refused
