"""A topic: its ledger and buffer, its producers, its subscriptions. It is in memory while it is loaded; its disk stays.

A terminated topic accepts no messages and no markers any more, so a transaction with a part in it waits until the topic is deleted.
"""

from collections.abc import Callable
from dataclasses import dataclass

from fencepost.reference.kernel.journal import Journal
from fencepost.reference.kernel.machine import Machine
from fencepost.reference.kernel.rules import rule

from .buffer import MessagePosition, behind_entry
from .cursor import EARLIEST
from .deduplication import Known
from .kinds import Site, TransactionKind
from .pulsar_parts import PulsarParts
from .pulsar_profile import PulsarProfile
from .pulsar_types import NOWHERE, EndAction, Message, Position, SubscriptionName, SubscriptionType, TxnId
from .server_errors import CommandRefused, ServerError
from .subscription import Subscription

NO_WATERMARK = -1


@dataclass(frozen=True)
class Subscribed:
    """A durable subscription, as it is on disk; `gone` if it was deleted."""

    name: str
    kind: SubscriptionType
    gone: bool


class PulsarTopic:
    """A loaded topic, which takes part in one kind of transactions."""

    def __init__(self, name: str, machine: Machine, profile: PulsarProfile, parts: PulsarParts, kind: TransactionKind) -> None:
        self.name = name
        self.kind = kind
        self._machine = machine
        self._profile = profile
        self._parts = parts
        self.ledger = parts.ledger(machine.disk, name)
        self.buffer = kind.buffer(Site(name, machine, lambda txn, action: self.end(txn, action, NO_WATERMARK)), self.ledger)
        self.deduplication = parts.deduplication(self.buffer.stored())
        self._inherited: Journal[Known] = machine.disk.journal(f"inherited {name}")
        for known in self._inherited:
            self.deduplication.inherit(known)
        self.compaction = parts.compaction(machine.disk, name, self.buffer)
        self.producers = parts.producers(name, machine.disk)
        self._names: Journal[Subscribed] = machine.disk.journal(f"subscriptions {name}")
        latest = {subscribed.name: subscribed for subscribed in self._names}
        self.subscriptions: dict[str, Subscription] = {}
        try:
            for subscribed in latest.values():
                if not subscribed.gone:
                    self.subscriptions[subscribed.name] = self._open_subscription(subscribed.name, subscribed.kind, EARLIEST)
        except CommandRefused:
            self.close()  # it is reloaded when a client asks for it again
            raise

    # -- Messages

    def publish(self, message: Message, *, deduplicated: bool) -> Position:
        """Store a message and show it to the readers that may see it. NOWHERE for a duplicate.

        Raises CommandRefused: TOPIC_TERMINATED, or NOT_ALLOWED when the message's transaction has ended here.
        """
        self.producers.check_open()
        if deduplicated and self.deduplication.is_there(message):
            return NOWHERE
        position = self.buffer.publish(message)
        self._machine.crash_points.reach("after-message-stored")
        self.deduplication.remember(message)
        self.dispatch()
        return position

    def dispatch(self) -> None:
        """Deliver what may be delivered."""
        for subscription in self.subscriptions.values():
            subscription.dispatch()

    def take_over(self, known: Known) -> None:
        """Do not store again what other topics have stored before, by what they know of their producers."""
        if any(known.items() - self.deduplication.known().items()):
            self._inherited.append(known)
            self.deduplication.inherit(known)

    # -- Transactions

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        """A transaction's messages here are committed or aborted. Raises CommandRefused: TOPIC_TERMINATED when no marker can be written."""
        self.producers.check_takes_an_end(by_marker=not self.kind.scalable)
        self.buffer.end(txn, action, low_watermark)
        self.dispatch()
        self.notify_end()

    def end_strays(self, is_over: Callable[[TxnId], bool]) -> None:
        """Abort what is open here of transactions that are over: this topic was not added to them, so no coordinator will end them here."""
        if not self.producers.ends_strays():
            return
        for txn in [txn for txn in self.buffer.ongoing() if is_over(txn)]:
            rule("PIP31-51")
            rule("PIP471-57")
            self.end(txn, EndAction.ABORT, NO_WATERMARK)

    def end_stray_acknowledgements(self, is_over: Callable[[TxnId], bool]) -> None:
        """Redeliver what is pending on a subscription in transactions that are over, or never were: no coordinator will end them there."""
        for subscription in self.subscriptions.values():
            for txn in subscription.strays(is_over):
                rule("PIP31-89")
                subscription.end(txn, EndAction.ABORT, NO_WATERMARK)

    def end_on_subscription(self, name: str, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        """A transaction's acknowledgements on a subscription are committed or aborted.

        Raises CommandRefused: SUBSCRIPTION_NOT_FOUND.
        """
        if self.kind.scalable and self.producers.is_terminated:
            rule("PIP471-53")
        self.subscription(name).end(txn, action, low_watermark)
        self.notify_end()

    # -- The end of a topic

    def seal(self) -> None:
        """No producer writes here any more, and consumers that have acknowledged everything are notified of the end, now or later: the
        topic is a segment."""
        self.producers.terminate()
        self.notify_end()

    def notify_end(self) -> None:
        """Notify the consumers of a sealed segment that no more will follow, if they have acknowledged everything."""
        for subscription in self.subscriptions.values() if self.kind.scalable else ():
            if self.has_ended_for(subscription):
                rule("PIP460-14")
                subscription.notify_end(subscription.consumers)

    def has_ended_for(self, subscription: Subscription) -> bool:
        """Whether that subscription has acknowledged everything, and no more will follow; in a segment, open transactions still may."""
        is_decided = not self.kind.scalable or not self.buffer.ongoing()
        return self.producers.is_terminated and is_decided and not subscription.has_more()

    # -- Subscriptions

    def subscribe(self, name: str, kind: SubscriptionType, start: MessagePosition, *, durable: bool, compacted: bool) -> Subscription:
        """The subscription of that name, a new one from `start` if there is none, which may read the topic as it is compacted."""
        if name not in self.subscriptions:
            if durable:
                self._names.append(Subscribed(name, kind, gone=False))
            self.subscriptions[name] = self._open_subscription(name, kind, start, durable=durable, compacted=compacted)
        return self.subscriptions[name]

    def subscription(self, name: str) -> Subscription:
        """The subscription of that name. Raises CommandRefused: SUBSCRIPTION_NOT_FOUND when there is none."""
        if (subscription := self.subscriptions.get(name)) is None:
            raise CommandRefused(ServerError.SUBSCRIPTION_NOT_FOUND, f"{self.name} has no subscription {name!r}")
        return subscription

    def durable(self) -> tuple[str, ...]:
        """The names of the subscriptions that stay without consumers."""
        latest = {subscribed.name: subscribed for subscribed in self._names}
        return tuple(name for name, subscribed in latest.items() if not subscribed.gone)

    def unsubscribe(self, name: str) -> None:
        """Delete a subscription, which has no consumers any more."""
        self._names.append(Subscribed(name, SubscriptionType.EXCLUSIVE, gone=True))
        self.subscriptions.pop(name).erase()
        self.kind.forget(SubscriptionName(self.name, name), self._machine)

    def close(self) -> None:
        """The topic is unloaded, and gets no more notifications."""
        self.kind.forget(self.name, self._machine)
        for name in self.subscriptions:
            self.kind.forget(SubscriptionName(self.name, name), self._machine)

    def erase(self) -> None:
        """It is deleted, with what it and its subscriptions keep elsewhere than on its disk."""
        self.buffer.erase()
        for subscription in self.subscriptions.values():
            subscription.erase_with_topic()

    # -- Administration

    def latest(self) -> MessagePosition:
        """The place of the last message that readers may see: a subscription from the latest message begins after it."""
        return behind_entry(self.buffer.max_read_position)

    def _open_subscription(
        self, name: str, kind: SubscriptionType, start: MessagePosition, *, durable: bool = True, compacted: bool = False
    ) -> Subscription:
        full = SubscriptionName(self.name, name)
        cursor = self._parts.cursor(self._machine.disk if durable else None, full, start)
        site = Site(full, self._machine, lambda txn, action: self.end_on_subscription(name, txn, action, NO_WATERMARK))
        try:
            pending = self._parts.pending_acks(self.kind.pending_ack_store(site))
        except CommandRefused:
            self.kind.forget(full, self._machine)
            raise
        return self._parts.subscription(kind, self.compaction if compacted else self.buffer, cursor, pending)
