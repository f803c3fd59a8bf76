"""Defects of Pulsar in what consumers rely on without any transaction."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.buffer import MessagePosition, behind_entry
from fencepost.reference.pulsar.cursor import Cursor, Moved
from fencepost.reference.pulsar.pulsar_types import EndAction, SubscriptionType, TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused
from fencepost.reference.pulsar.subscription import Consumer, Subscription
from fencepost.reference.pulsar.transaction_responses import TransactionResponses


@defect({"PIP31-133": seen("^none to SEEK$", what="^answers$")}, origin="textbook: an answer to what was closed before it was answered")
class SeekIsNotAnswered(TransactionResponses):
    """A consumer is closed because it seeks, and receives no answer: its client waits until the request times out."""

    def answers(self, request: str) -> bool:
        return request != "CommandSeek"


@defect(
    {"PIP31-134": seen('^"i1", "i2", "i3"$', expected='^"i1", "i2"$', what="^received by workers$")},
    origin="textbook: a comparison that is off by one",
)
class SentWithoutAPermit(Subscription):
    """A consumer that has asked for two messages is sent three."""

    def takes_more(self, consumer: Consumer) -> bool:
        return consumer.permits >= 0


@defect(
    {"PIP31-135": seen('"i1 for the first time"', what="^received by workers$")}, origin="textbook: a field that is left at its default"
)
class RedeliveryIsNotCounted(Subscription):
    """A message that fails is redelivered for ever with the count 0, so no client moves it to a dead-letter topic."""

    def redelivery_count(self, place: MessagePosition) -> int:  # noqa: ARG002 - it does not look
        return 0


@defect(
    {"PIP31-138": seen("^success$", expected="^a refusal with ConsumerBusy$", what="^answer to SUBSCRIBE$")},
    origin="textbook: a check that is only in the client",
)
class EverybodyJoins(Subscription):
    """A second consumer joins an exclusive subscription, and both believe to be the only one."""

    def attach(self, consumer: Consumer, kind: SubscriptionType) -> None:
        self.kind = kind
        self.consumers.append(consumer)


@defect(
    {"PIP31-138": seen('^"i1", "i2", "i3"$', expected='^"i2", "i3"$', what="^left for workers$")},
    origin="textbook: a state that is prepared for a consumer before the consumer is accepted",
)
class PendingReleasedForTheRefused(Subscription):
    """A consumer of another type is refused after all that was pending on the subscription has been released for it."""

    def attach(self, consumer: Consumer, kind: SubscriptionType) -> None:
        for txn in self.pending.transactions() if self.consumers and kind is not self.kind else ():
            self.pending.end(txn, EndAction.ABORT)
        super().attach(consumer, kind)


@defect(
    {"PIP31-139": seen("^that there is no more$", expected="^nothing of an end$", what="^notification to workers$")},
    origin="textbook: the topic is asked where the subscription should be",
)
class EndIsToldTooSoon(Subscription):
    """A consumer of a terminated topic is notified of the end at once, and stops before it has read anything."""

    def has_more(self) -> bool:
        return False


@defect(
    {"PIP31-140": seen('^"i2", "i3"$', expected='^"i3"$', what="^left for workers$")}, origin="textbook: a range whose end is not in it"
)
class CumulativeStopsBeforeItsMessage(Subscription):
    """An acknowledgement of everything up to a message leaves out that message itself, which is processed twice."""

    def acknowledge_up_to(self, place: MessagePosition) -> None:
        self.acknowledge({before: units for before, units in self._all_up_to(place).items() if before != place})


@defect(
    {"PIP31-140": seen("^nothing$", expected='"a2", "a3"$', what="^left for workers$")},
    origin="textbook: a state in memory that is finer than the one on disk",
)
class CursorSavesEntries(Cursor):
    """A cursor saves the entry up to which all is acknowledged: after a crash, the rest of a committed transaction is passed by."""

    def save(self) -> None:
        self._journal.append(Moved(behind_entry(self.mark_delete.position), dict(self._beyond)))


@defect(
    {"PIP31-158": seen("^nothing$", expected='^"i3"$', what="^received by workers$")},
    origin="apache/pulsar#21177: messages that are filtered out use permits",
)
class PendingUsesPermits(Subscription):
    """Each message that the broker reads uses a permit, also one that it then withholds, so the consumer waits for messages that are
    never sent."""

    def dispatch(self) -> None:
        for readable in self._buffer.after(self._read_position):
            if self.consumers and self.pending.units_at(readable.place):
                self.consumers[0].permits -= 1
        super().dispatch()


@defect(
    {"PIP31-138": seen('^"i1", "i2", "i3"$', expected='^"i2", "i3"$', what="^left for workers$")},
    origin="textbook: a state that is reset before the check that refuses",
)
class RefusedConsumerReleasesThePending(Subscription):
    """A second consumer of an exclusive subscription is refused, and what a transaction has acknowledged there is pending no longer."""

    def attach(self, consumer: Consumer, kind: SubscriptionType) -> None:
        try:
            super().attach(consumer, kind)
        except CommandRefused:
            for txn in self.pending.transactions():
                self.apply_outcome(txn, EndAction.ABORT)
            raise


@defect(
    {"PIP31-134": seen('^"i1", "i2"', expected="^nothing$", what="^received by workers$")},
    origin="red team: a queue of redelivered messages with a separate way to the consumer",
)
class AbortIgnoresPermits(Subscription):
    """What an abort redelivers is sent at once, also to a consumer that has used its permits."""

    _aborts = False

    def apply_outcome(self, txn: TxnId, action: EndAction) -> None:
        self._aborts = action is EndAction.ABORT
        super().apply_outcome(txn, action)
        self._aborts = False

    def takes_more(self, consumer: Consumer) -> bool:
        return self._aborts or super().takes_more(consumer)
