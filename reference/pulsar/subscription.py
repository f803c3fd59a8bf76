"""A subscription: which message goes to which consumer, and what an acknowledgement does to it.

PIP-31, "Acknowledgement State Machine". A message is PENDING from its delivery on, PENDING_ACK while an open transaction has
acknowledged it, and DELETED when an acknowledgement is in force; only PENDING goes back to consumers.
"""

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from fencepost.reference.kernel.rules import rule

from .buffer import Buffer, Place, Readable
from .cursor import Cursor
from .errors import Error, Refused
from .pending_acks import PendingAcks, Units
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
    """A consumer of a subscription. `deliver` hands it a message; `active` tells it whether a failover subscription serves it."""

    consumer_id: int
    name: str
    deliver: Callable[[Delivery], None]
    active: Callable[[bool], None] = lambda _: None
    permits: int = 0


class Subscription:
    """One subscription of a topic."""

    def __init__(self, kind: SubscriptionType, buffer: Buffer, cursor: Cursor, pending: PendingAcks, profile: PulsarProfile) -> None:
        self.kind = kind
        self.cursor = cursor
        self.pending = pending
        self.consumers: list[Consumer] = []
        self._buffer = buffer
        self._profile = profile
        self._next = cursor.mark_delete
        """The place of the last message that was looked at; what lies before is held, given back, or done."""
        self._held: dict[Place, dict[int, Consumer]] = {}
        """Who has what: for each place the messages there that were delivered and are not acknowledged."""
        self._again: set[Place] = set()
        self._times: dict[Place, int] = {}
        """How often a message that is not acknowledged was given back."""

    # -- Consumers

    def attach(self, consumer: Consumer, kind: SubscriptionType) -> None:
        """Let a consumer in. Refused CONSUMER_BUSY where there may be only one, or the others share in another way."""
        if self.consumers and (kind is not self.kind or kind is SubscriptionType.EXCLUSIVE):
            raise Refused(Error.CONSUMER_BUSY, f"the subscription is {self.kind.name} and has a consumer")
        self.kind = kind
        self.consumers.append(consumer)

    def detach(self, consumer: Consumer) -> None:
        """A consumer is gone: what it did not acknowledge goes to others. What is pending in a transaction does not."""
        rule("PIP31-61")
        self.consumers.remove(consumer)
        self._give_back(self._held_by(consumer))
        self.tell_who_is_active()

    def flow(self, consumer: Consumer, permits: int) -> None:
        """The consumer takes that many messages more."""
        consumer.permits += permits
        self.dispatch()

    def redeliver(self, consumer: Consumer, places: Sequence[Place] | None) -> None:
        """The consumer gives messages back, or all that it has not acknowledged."""
        rule("PIP31-62")
        everything = places is None or self.kind in (SubscriptionType.EXCLUSIVE, SubscriptionType.FAILOVER)
        self._give_back({place: units for place, units in self._held_by(consumer).items() if everything or place in (places or ())})

    def dispatch(self) -> None:
        """Deliver what may be delivered, for as long as consumers take it."""
        for place in self.redelivery_order():
            readable = self._readable(place)
            if readable is None or self._is_out_of_reach(readable):
                self._again.discard(place)
            elif not self._offer(readable):
                return
        for readable in self._buffer.after(self._next):
            if not self._is_out_of_reach(readable) and not self._offer(readable):
                return
            self._next = readable.place

    def redelivery_order(self) -> list[Place]:
        """In which order messages that were given back go out again."""
        return sorted(self._again)

    # -- Acknowledgements

    def acknowledge(self, wanted: Mapping[Place, Units]) -> None:
        """Delete single messages; what is pending in a transaction is that transaction's."""
        deleted = {place: self._without_pending(place, units) for place, units in wanted.items()}
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
        """Withhold single messages until the transaction ends. Refused TRANSACTION_CONFLICT, and then none of them is."""
        for place, units in wanted.items():
            if not units.isdisjoint(self.cursor.acknowledged(place, max(units, default=0) + 1)):
                rule("PIP31-56")
                raise Refused(Error.TRANSACTION_CONFLICT, f"{place.position} is acknowledged already")
        self.pending.add_individual(txn, wanted)

    def acknowledge_up_to_in(self, txn: TxnId, place: Place) -> None:
        """Withhold everything up to that place until the transaction ends."""
        if place <= self.cursor.mark_delete:
            rule("PIP31-56")
            raise Refused(Error.TRANSACTION_CONFLICT, f"{place.position} is acknowledged already")
        self.pending.add_cumulative(txn, place)

    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        """The transaction has ended: delete what it acknowledged, or give it back."""
        stale = [other for other in self.pending.transactions() if other.most == txn.most and other.least <= low_watermark and other != txn]
        self._end(txn, action)
        for other in stale:  # it ended without this subscription being told, for nobody had added it
            self._end(other, Action.ABORT)
        self.dispatch()

    def _end(self, txn: TxnId, action: Action) -> None:
        waiting = self.pending.end(txn, action)
        if action is Action.COMMIT:
            rule("PIP31-59")
            rule("PIP31-65")
            self.cursor.acknowledge(waiting.individual, self._buffer)
            if waiting.cumulative is not None:
                self.cursor.acknowledge_up_to(waiting.cumulative, self._buffer)
            self._drop_deleted()
        else:
            rule("PIP31-58")
            rule("PIP31-70")
            covered = {
                place: frozenset(owners) for place, owners in self._held.items() if waiting.cumulative and place <= waiting.cumulative
            }
            self._give_back({**covered, **waiting.individual})

    def seek(self, place: Place) -> None:
        """Begin behind that place anew, for all consumers."""
        self.cursor.seek(place)
        self._rewind()

    def erase(self) -> None:
        """It is removed: one of its name begins like a new one."""
        self.cursor.erase()
        self.pending.erase()

    # -- Inside

    def _without_pending(self, place: Place, units: Units) -> Units:
        pending = self.pending.units_at(place)
        if pending and self._profile.plain_ack_of_pending == "dropped":
            rule("PIP31-57")
            return units - pending
        return units

    def _delete(self, wanted: Mapping[Place, Units]) -> None:
        self.cursor.acknowledge(wanted, self._buffer)
        self._drop_deleted()

    def _drop_deleted(self) -> None:
        for place, owners in list(self._held.items()):
            for unit in self.cursor.acknowledged(place, max(owners) + 1) & owners.keys():
                del owners[unit]
            if not owners:
                del self._held[place]
                self._times.pop(place, None)

    def _held_by(self, consumer: Consumer) -> dict[Place, Units]:
        found = {place: frozenset(unit for unit, owner in owners.items() if owner is consumer) for place, owners in self._held.items()}
        return {place: units for place, units in found.items() if units}

    def _give_back(self, wanted: Mapping[Place, Units]) -> None:
        """These messages are with no consumer any more; those that may be delivered go out again."""
        for place, units in wanted.items():
            if place <= self._next:
                owners = {unit: owner for unit, owner in self._held.pop(place, {}).items() if unit not in units}
                if owners:
                    self._held[place] = owners
                self._again.add(place)
                self._times[place] = self._times.get(place, 0) + 1
        self.dispatch()

    def _rewind(self) -> None:
        self._next = self.cursor.mark_delete
        self._held.clear()
        self._again.clear()

    def _is_out_of_reach(self, readable: Readable) -> bool:
        """Whether nobody gets it now: it is with a consumer, deleted, or acknowledged in an open transaction."""
        return self.pending.covers(readable.place) or len(self._missing(readable)) == readable.message.units

    def _missing(self, readable: Readable) -> Units:
        place = readable.place
        return self.cursor.acknowledged(place, readable.message.units) | self.pending.units_at(place) | self._held.get(place, {}).keys()

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
        missing = self._missing(readable)
        consumer.permits -= readable.message.units - len(missing)
        self._held.setdefault(readable.place, {}).update(dict.fromkeys(frozenset(range(readable.message.units)) - missing, consumer))
        self._again.discard(readable.place)
        consumer.deliver(Delivery(readable, self._times.get(readable.place, 0), missing))
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

    def tell_who_is_active(self) -> None:
        """On a failover subscription: the first consumer is served, and the others wait."""
        if self.kind is SubscriptionType.FAILOVER:
            for number, consumer in enumerate(self.consumers):
                consumer.active(number == 0)
