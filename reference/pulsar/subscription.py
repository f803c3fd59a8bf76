"""A subscription: which message goes to which consumer, and what an acknowledgement does to it.

PIP-31, "Acknowledgement State Machine". A message is PENDING from its delivery on, PENDING_ACK while an open transaction has
acknowledged it, and DELETED when an acknowledgement is in force; only PENDING goes back to consumers.
"""

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from fencepost.reference.kernel.rules import rule

from .buffer import Place, Readable, TransactionBuffer
from .cursor import Cursor
from .errors import Error, Refused
from .pending_ack_store import Units
from .pending_acks import PendingAcks
from .profile import PulsarProfile
from .values import Action, SubscriptionType, TxnId


@dataclass(frozen=True)
class Delivery:
    """A message on its way to a consumer. `missing` are the messages of a batch that are acknowledged or pending already."""

    readable: Readable
    redelivery_count: int
    missing: Units


@dataclass(eq=False)
class Consumer:
    """A consumer of a subscription. `deliver` hands it a message; `active` informs it whether a failover subscription serves it."""

    consumer_id: int
    name: str
    deliver: Callable[[Delivery], None]
    active: Callable[[bool], None] = lambda _: None
    permits: int = 0


class Subscription:
    """One subscription of a topic."""

    def __init__(
        self, kind: SubscriptionType, buffer: TransactionBuffer, cursor: Cursor, pending: PendingAcks, profile: PulsarProfile
    ) -> None:
        self.kind = kind
        self.cursor = cursor
        self.pending = pending
        self.consumers: list[Consumer] = []
        self._buffer = buffer
        self._profile = profile
        self._read_position = cursor.mark_delete
        """The place of the last message that was looked at; what lies before is held, given back, or done."""
        self._unacknowledged: dict[Place, dict[int, Consumer]] = {}
        """Who has what: for each place the messages there that were delivered and are not acknowledged."""
        self._redelivery_queue: set[Place] = set()
        self._redelivery_counts: dict[Place, int] = {}
        """How often a message that is not acknowledged was given back."""

    # -- Consumers

    def attach(self, consumer: Consumer, kind: SubscriptionType) -> None:
        """Decision: let a consumer in.

        Raises Refused: CONSUMER_BUSY when there may be only one, or the others share in another way.
        """
        if self.consumers and (kind is not self.kind or kind is SubscriptionType.EXCLUSIVE):
            raise Refused(Error.CONSUMER_BUSY, f"the subscription is {self.kind.name} and has a consumer")
        self.kind = kind
        self.consumers.append(consumer)

    def detach(self, consumer: Consumer) -> None:
        """Decision: a consumer is gone: what it did not acknowledge goes to others. What is pending in a transaction does not."""
        rule("PIP31-61")
        self.consumers.remove(consumer)
        self.give_back(self._unacknowledged_by(consumer))
        self.announce_active()

    def flow(self, consumer: Consumer, permits: int) -> None:
        """The consumer takes that many messages more."""
        consumer.permits += permits
        self.dispatch()

    def redeliver(self, consumer: Consumer, places: Sequence[Place] | None) -> None:
        """Decision: the consumer gives messages back, or all that it has not acknowledged."""
        rule("PIP31-62")
        everything = places is None or self.kind in (SubscriptionType.EXCLUSIVE, SubscriptionType.FAILOVER)
        self.give_back(
            {place: units for place, units in self._unacknowledged_by(consumer).items() if everything or place in (places or ())}
        )

    def dispatch(self) -> None:
        """Deliver what may be delivered, for as long as consumers take it."""
        for place in self.redelivery_order():
            readable = self._readable(place)
            if readable is None or self.is_withheld(readable):
                self._redelivery_queue.discard(place)
            elif not self._offer(readable):
                return
        for readable in self._buffer.after(self._read_position):
            if not self.is_withheld(readable) and not self._offer(readable):
                return
            self._read_position = readable.place

    def redelivery_order(self) -> list[Place]:
        """Decision: in which order messages that were given back go out again."""
        return sorted(self._redelivery_queue)

    # -- Acknowledgements

    def acknowledge(self, wanted: Mapping[Place, Units]) -> None:
        """Delete single messages; what is pending in a transaction is that transaction's."""
        deleted = {place: self.without_pending(place, units) for place, units in wanted.items()}
        self._delete({place: units for place, units in deleted.items() if units})

    def acknowledge_up_to(self, place: Place) -> None:
        """Delete everything up to that place."""
        pending = [readable for readable in self._buffer.after(self.cursor.mark_delete) if readable.place <= place]
        if any(self.pending.units_at(readable.place) for readable in pending):
            self.acknowledge({readable.place: frozenset(range(readable.message.units)) for readable in pending})
            return
        self.cursor.acknowledge_up_to(place, self._buffer)
        self._drop_deleted()

    def acknowledge_in(self, txn: TxnId, wanted: Mapping[Place, Units]) -> None:
        """Decision: withhold single messages until the transaction ends.

        Raises Refused: TRANSACTION_CONFLICT when one of them is acknowledged or pending; then none of them is withheld.
        """
        for place, units in wanted.items():
            if not units.isdisjoint(self.cursor.acknowledged(place, max(units, default=0) + 1)):
                rule("PIP31-56")
                raise Refused(Error.TRANSACTION_CONFLICT, f"{place.position} is acknowledged already")
        self.pending.add_individual(txn, wanted)

    def acknowledge_up_to_in(self, txn: TxnId, place: Place) -> None:
        """Withhold everything up to that place until the transaction ends.

        Raises Refused: TRANSACTION_CONFLICT when it is acknowledged, or pending in another transaction.
        """
        if place <= self.cursor.mark_delete:
            rule("PIP31-56")
            raise Refused(Error.TRANSACTION_CONFLICT, f"{place.position} is acknowledged already")
        self.pending.add_cumulative(txn, place)

    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        """Decision: the transaction has ended, and every other up to the low watermark is over."""
        stale = [
            other for other in self.pending.transactions() if other.tc_id == txn.tc_id and other.sequence <= low_watermark and other != txn
        ]
        self.apply_outcome(txn, action)
        for other in stale:  # it ended without this subscription, for nobody had added it
            self.apply_outcome(other, Action.ABORT)
        self.dispatch()

    def apply_outcome(self, txn: TxnId, action: Action) -> None:
        """Decision: a commit deletes what the transaction acknowledged, and an abort gives it back."""
        waiting = self.pending.end(txn, action)
        if action is Action.COMMIT:
            rule("PIP31-59")
            rule("CORE-20")
            rule("PIP31-65")
            rule("CORE-23")
            self.cursor.acknowledge(waiting.individual, self._buffer)
            if waiting.cumulative is not None:
                self.cursor.acknowledge_up_to(waiting.cumulative, self._buffer)
            self._drop_deleted()
        else:
            rule("PIP31-58")
            rule("CORE-21")
            rule("PIP31-70")
            covered = {
                place: frozenset(owners)
                for place, owners in self._unacknowledged.items()
                if waiting.cumulative and place <= waiting.cumulative
            }
            self.give_back({**covered, **waiting.individual})

    def seek(self, place: Place) -> None:
        """Begin behind that place anew, for all consumers."""
        self.cursor.seek(place)
        self._rewind()

    def erase(self) -> None:
        """It is removed: one of its name begins like a new one."""
        self.cursor.erase()
        self.pending.erase()

    # -- Inside

    def without_pending(self, place: Place, units: Units) -> Units:
        """Decision: what a plain acknowledgement deletes of these messages, of which some may be pending in a transaction."""
        pending = self.pending.units_at(place)
        if pending and self._profile.plain_ack_of_pending == "dropped":
            rule("PIP31-57")
            return units - pending
        return units

    def _delete(self, wanted: Mapping[Place, Units]) -> None:
        self.cursor.acknowledge(wanted, self._buffer)
        self._drop_deleted()

    def _drop_deleted(self) -> None:
        for place, owners in list(self._unacknowledged.items()):
            for unit in self.cursor.acknowledged(place, max(owners) + 1) & owners.keys():
                del owners[unit]
            if not owners:
                del self._unacknowledged[place]
                self._redelivery_counts.pop(place, None)

    def _unacknowledged_by(self, consumer: Consumer) -> dict[Place, Units]:
        found = {
            place: frozenset(unit for unit, owner in owners.items() if owner is consumer) for place, owners in self._unacknowledged.items()
        }
        return {place: units for place, units in found.items() if units}

    def give_back(self, wanted: Mapping[Place, Units]) -> None:
        """Decision: these messages are with no consumer any more; those that may be delivered go out again."""
        for place, units in wanted.items():
            if place <= self._read_position:
                owners = {unit: owner for unit, owner in self._unacknowledged.pop(place, {}).items() if unit not in units}
                if owners:
                    self._unacknowledged[place] = owners
                self._redelivery_queue.add(place)
                self._redelivery_counts[place] = self._redelivery_counts.get(place, 0) + 1
        self.dispatch()

    def _rewind(self) -> None:
        self._read_position = self.cursor.mark_delete
        self._unacknowledged.clear()
        self._redelivery_queue.clear()

    def is_withheld(self, readable: Readable) -> bool:
        """Decision: whether nobody gets it now: it is with a consumer, deleted, or acknowledged in an open transaction."""
        return self.pending.covers(readable.place) or len(self._missing(readable)) == readable.message.units

    def _missing(self, readable: Readable) -> Units:
        place = readable.place
        return (
            self.cursor.acknowledged(place, readable.message.units)
            | self.pending.units_at(place)
            | self._unacknowledged.get(place, {}).keys()
        )

    def _readable(self, place: Place) -> Readable | None:
        before = (
            Place(place.position, place.number - 1)
            if place.number >= 0
            else Place(place.position._replace(entry=place.position.entry - 1), 2**31)
        )
        return next((readable for readable in self._buffer.after(before) if readable.place == place), None)

    def _offer(self, readable: Readable) -> bool:
        consumer = self._consumer_for(readable)
        if consumer is None:
            return False
        rule("PIP31-52")
        rule("CORE-04")
        missing = self._missing(readable)
        consumer.permits -= readable.message.units - len(missing)
        self._unacknowledged.setdefault(readable.place, {}).update(
            dict.fromkeys(frozenset(range(readable.message.units)) - missing, consumer)
        )
        self._redelivery_queue.discard(readable.place)
        consumer.deliver(Delivery(readable, self._redelivery_counts.get(readable.place, 0), missing))
        return True

    def _consumer_for(self, readable: Readable) -> Consumer | None:
        match self.kind:
            case SubscriptionType.EXCLUSIVE | SubscriptionType.FAILOVER:
                candidates = self.consumers[:1]
            case SubscriptionType.KEY_SHARED if self.consumers:
                key = readable.message.key or b""
                candidates = [self.consumers[zlib.crc32(key) % len(self.consumers)]]
            case _:
                candidates = sorted(self.consumers, key=lambda consumer: -consumer.permits)
        return next((consumer for consumer in candidates if consumer.permits > 0), None)

    def announce_active(self) -> None:
        """Inform each consumer of a failover subscription whether it is active, as the first one is."""
        if self.kind is SubscriptionType.FAILOVER:
            for number, consumer in enumerate(self.consumers):
                consumer.active(number == 0)
