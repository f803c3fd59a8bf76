"""Unusual for a Pulsar broker, and lawful: what a suite must not take for a defect.

A broker that counts messages it does not deliver against a consumer's permits is not among them: the client hears of none of them, so
it never asks for more, and is stuck (apache/pulsar#21177).
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.buffer import Place, Readable
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.errors import Error, Refused
from fencepost.reference.pulsar.ledger import Ledger, Marker
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.marker_buffer import MarkerBuffer
from fencepost.reference.pulsar.participants import EndOn
from fencepost.reference.pulsar.pending_ack_store import Units
from fencepost.reference.pulsar.pending_acks import PendingAcks
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer
from fencepost.reference.pulsar.subscription import Delivery, Subscription
from fencepost.reference.pulsar.transaction import Transaction
from fencepost.reference.pulsar.values import Action, Message, Position, SubscriptionType, TxnId

from . import kafka

_ENTRIES_OF_A_LEDGER = 2
_IDS_SKIPPED = 41
_COUNTED_BESIDE = 2
_OTHER_WORDS = "computer says no"


class _LastFirst(Subscription):
    def dispatch(self) -> None:
        waiting = [readable for readable in self._buffer.after(self.cursor.mark_delete) if not self.is_withheld(readable)]
        for readable in waiting[::-1] if self.kind is SubscriptionType.SHARED else ():
            if self._redelivery_counts[readable.place]:
                self.offer(readable)
        super().dispatch()


class _RollsOver(Ledger):
    def append(self, content: Message | Marker) -> Position:
        if self._next_entry >= _ENTRIES_OF_A_LEDGER:
            self._ledger_id, self._next_entry = None, 0
        return super().append(content)


class _SkipsIds(LogCoordinator):
    def next_id(self) -> TxnId:
        self.last_sequence += _IDS_SKIPPED
        return super().next_id()


class _TellsTwice(LogCoordinator):
    def resume_decided(self) -> None:
        super().resume_decided()
        self._machine.network.duplicate(lambda content: isinstance(content, EndOn))


class _AnswersLate(LogCoordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        super().end(txn, action, lambda: self._machine.send(f"answer to {txn}", lambda _: reply()))


class _CountsMore(Subscription):
    def give_back(self, wanted: Mapping[Place, Units]) -> None:
        for place in wanted:
            self._redelivery_counts[place] = self._redelivery_counts.get(place, 0) + _COUNTED_BESIDE
        super().give_back(wanted)


class _RedeliversTwice(Subscription):
    def offer(self, readable: Readable) -> bool:
        missing = self.withheld_units(readable)
        is_taken = super().offer(readable)
        consumer = next(iter(self._held.get(readable.place, {}).values()), None)
        if is_taken and self._redelivery_counts[readable.place] and consumer is not None and self.takes_more(consumer):
            consumer.permits -= readable.message.units
            consumer.deliver(Delivery(readable, self.redelivery_count(readable.place), missing))
        return is_taken


class _ForgetsTheEnded(LogCoordinator):
    def describe(self, txn: TxnId) -> Transaction:
        known = super().describe(txn)
        if known.status.is_complete:
            raise Refused(Error.TRANSACTION_NOT_FOUND, f"coordinator {self.tc_id} does not know transaction {txn} any more")
        return known


class _CallsADeletedOneInvalid(Subscription):
    def acknowledge_in(self, txn: TxnId, wanted: Mapping[Place, Units]) -> None:
        with _conflicts_as_invalid():
            super().acknowledge_in(txn, wanted)


class _CallsAConflictInvalid(PendingAcks):
    def add_cumulative(self, txn: TxnId, place: Place) -> None:
        with _conflicts_as_invalid():
            super().add_cumulative(txn, place)


@contextmanager
def _conflicts_as_invalid() -> Iterator[None]:
    try:
        yield
    except Refused as refused:
        raise Refused(Error.INVALID_TXN_STATUS, refused.message) from refused


class _CoordinatorInOtherWords(LogCoordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        try:
            super().end(txn, action, reply)
        except Refused as refused:
            raise Refused(refused.error, _OTHER_WORDS) from refused


class _SidecarInOtherWords(SidecarBuffer):
    def publish(self, message: Message) -> Position:
        try:
            return super().publish(message)
        except Refused as refused:
            raise Refused(refused.error, _OTHER_WORDS) from refused


class _MarkersInOtherWords(MarkerBuffer):
    def publish(self, message: Message) -> Position:
        try:
            return super().publish(message)
        except Refused as refused:
            raise Refused(refused.error, _OTHER_WORDS) from refused


LATE_ENDS = Defect(
    name="pulsar-late-ends",
    story="Topics and subscriptions hear late how a transaction ended, so that it is decided for a while before anybody sees it.",
    origin="every cluster, where coordinator and topics are with different brokers",
    parts=Parts(network=kafka.SlowNetwork),
)

REDELIVERED_LAST_FIRST = Defect(
    name="pulsar-redelivered-last-first",
    story="A shared subscription sends again what came last, first; PIP-31 promises no order there.",
    origin="brokers that keep what comes again in a hash table",
    parts=Parts(subscription=_LastFirst),
)

SMALL_LEDGERS = Defect(
    name="pulsar-small-ledgers",
    story=f"A ledger takes {_ENTRIES_OF_A_LEDGER} entries, so that the parts of a transaction are in several.",
    origin="managedLedgerMaxEntriesPerLedger, and every change of a topic's owner",
    parts=Parts(ledger=_RollsOver),
)

GAPS_IN_TRANSACTION_IDS = Defect(
    name="pulsar-gaps-in-transaction-ids",
    story="A coordinator gives out numbers with gaps; they grow, and nobody promised that they grow by one.",
    origin="a coordinator that starts behind the last number it may have given out",
    parts=Parts(coordinator=_SkipsIds),
)

ENDS_TOLD_TWICE_AFTER_RESTART = Defect(
    name="pulsar-ends-told-twice-after-restart",
    story="What was decided before a crash is told to each participant twice.",
    origin="a fail-over of the coordinator while ends are on their way",
    parts=Parts(coordinator=_TellsTwice),
)

ANSWERS_LATE = Defect(
    name="pulsar-answers-late",
    story="The answer to an end is some time on its way, as all messages are, also while a participant holds up the completion.",
    origin="every cluster with a proxy between clients and brokers",
    parts=Parts(coordinator=_AnswersLate, network=kafka.SlowNetwork),
)

REDELIVERIES_COUNTED_MORE = Defect(
    name="pulsar-redeliveries-counted-more",
    story=f"A message that comes again says so with a count that has grown by {_COUNTED_BESIDE + 1}: the count is a hint.",
    origin="brokers that count attempts, and not deliveries",
    parts=Parts(subscription=_CountsMore),
)

REDELIVERED_TWICE = Defect(
    name="pulsar-redelivered-twice",
    story="A message that is delivered again comes twice, as long as its consumer takes any; Pulsar delivers at least once.",
    origin="apache/pulsar 4.0.7 on a busy machine, where a read in progress meets a request for redelivery",
    parts=Parts(subscription=_RedeliversTwice),
)

THE_ENDED_ARE_FORGOTTEN = Defect(
    name="pulsar-the-ended-are-forgotten",
    story="A coordinator removes the metadata of a transaction that has ended, as the text allows; whoever asks again finds none.",
    origin="every Pulsar 4 release, which removes the metadata at the end",
    parts=Parts(coordinator=_ForgetsTheEnded),
)

CONFLICTS_ARE_INVALID_STATES = Defect(
    name="pulsar-conflicts-are-invalid-states",
    story="An acknowledgement that meets another transaction is refused with InvalidTxnStatus, as the text has it.",
    origin="PIP-31, Acknowledgement State Machine: InvalidTxnState",
    parts=Parts(subscription=_CallsADeletedOneInvalid, pending_acks=_CallsAConflictInvalid),
)

OTHER_WORDS = Defect(
    name="pulsar-other-words",
    story="Refusals have their error codes and other words beside them.",
    origin="every release words its messages anew",
    parts=Parts(coordinator=_CoordinatorInOtherWords, sidecar_buffer=_SidecarInOtherWords, marker_buffer=_MarkersInOtherWords),
)
