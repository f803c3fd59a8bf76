"""A subscription: which message goes to which consumer, and what an acknowledgement does to it.

PIP-31, "Acknowledgement State Machine". A message is PENDING from its delivery on, PENDING_ACK while an open transaction has
acknowledged it, and DELETED when an acknowledgement is in force; only PENDING goes back to consumers.
"""

import zlib
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from fencepost.reference.kernel.rules import rule

from .buffer import MessagePosition, Readable, ReadView
from .cursor import EARLIEST, Cursor
from .pending_ack_store import Units
from .pending_acks import PendingAcks
from .pulsar_types import EndAction, SubscriptionType, TxnId
from .server_errors import CommandRefused, ServerError


@dataclass(frozen=True)
class Delivery:
    """A message for a consumer. `missing` are the messages of a batch that are acknowledged or pending already."""

    readable: Readable
    redelivery_count: int
    missing: Units


@dataclass(eq=False)
class Consumer:
    """A consumer of a subscription. `deliver` sends it a message; `active` informs it whether a failover subscription serves it, and
    `reached_end` that no more will follow."""

    consumer_id: int
    name: str
    deliver: Callable[[Delivery], None]
    active: Callable[[bool], None] = lambda _: None
    reached_end: Callable[[], None] = lambda: None
    permits: int = 0
    knows_the_end: bool = False


class Subscription:
    """One subscription of a topic."""

    def __init__(self, kind: SubscriptionType, buffer: ReadView, cursor: Cursor, pending: PendingAcks) -> None:
        self.kind = kind
        self.cursor = cursor
        self.pending = pending
        self.consumers: list[Consumer] = []
        self._buffer = buffer
        self._read_position = cursor.mark_delete
        """The place of the last message that was looked at; earlier ones are with a consumer, pending, or done."""
        self._held: dict[MessagePosition, dict[int, Consumer]] = {}
        """The holders: for each place the messages there that were delivered and are not acknowledged."""
        self._redelivery_counts: Counter[MessagePosition] = Counter()
        """How often a message was returned for redelivery."""

    # -- Consumers

    def attach(self, consumer: Consumer, kind: SubscriptionType) -> None:
        """Decision: accept a consumer.

        Raises CommandRefused: CONSUMER_BUSY when there may be only one, or the others share in another way.
        """
        rule("PIP31-138")
        rule("PIP460-54")
        if self.consumers and (kind is not self.kind or kind is SubscriptionType.EXCLUSIVE):
            raise CommandRefused(ServerError.CONSUMER_BUSY, f"the subscription is {self.kind.name} and has a consumer")
        self.kind = kind
        self.consumers.append(consumer)

    def detach(self, consumer: Consumer) -> None:
        """Decision: a consumer is gone: what it did not acknowledge goes to others. What is pending in a transaction does not."""
        rule("PIP31-61")
        self.consumers.remove(consumer)
        self.give_back(self._held_by(consumer))
        self.announce_active()

    def check_is_alone(self, consumer: Consumer) -> None:
        """Decision: only its last consumer may remove a subscription. Raises CommandRefused: CONSUMER_BUSY while there are others."""
        if any(other is not consumer for other in self.consumers):
            rule("PIP31-176")
            raise CommandRefused(ServerError.CONSUMER_BUSY, "the subscription has other consumers")

    def flow(self, consumer: Consumer, permits: int) -> None:
        """The consumer accepts that many messages more."""
        consumer.permits += permits
        self.dispatch()

    def redeliver(self, consumer: Consumer, places: Collection[MessagePosition]) -> None:
        """Decision: the consumer returns messages for redelivery; if it names none, all that it has."""
        rule("PIP31-62")
        held = self._held_by(consumer)
        self.give_back({place: units for place, units in held.items() if place in (places or held)})

    def dispatch(self) -> None:
        """Decision: deliver what may be delivered, in the order of the topic, for as long as consumers accept it."""
        for readable in self._buffer.after(self._read_position):
            if not self.is_withheld(readable) and not self.offer(readable):
                return
            self._read_position = readable.place

    # -- Acknowledgements

    def acknowledge(self, wanted: Mapping[MessagePosition, Units]) -> None:
        """Decision: delete single messages; those pending in a transaction stay that transaction's."""
        self.cursor.acknowledge({place: self.without_pending(place, units) for place, units in wanted.items()}, self._buffer)

    def acknowledge_up_to(self, place: MessagePosition) -> None:
        """Decision: delete everything up to that place, except what is pending in a transaction and stays that transaction's."""
        rule("PIP31-140")
        if self.pending.has_any_up_to(place):
            self.acknowledge(self._all_up_to(place))
        else:
            self.cursor.acknowledge_up_to(place, self._buffer)

    def acknowledge_in(self, txn: TxnId, wanted: Mapping[MessagePosition, Units]) -> None:
        """Decision: withhold single messages until the transaction ends.

        Raises CommandRefused: TRANSACTION_CONFLICT when one of them is acknowledged or pending; then none of them is withheld.
        """
        rule("PIP31-93")
        for place, units in wanted.items():
            if self.cursor.acknowledged(place, units):
                rule("PIP31-56")
                raise CommandRefused(ServerError.TRANSACTION_CONFLICT, f"{place.position} is acknowledged already")
        self.pending.add_individual(txn, wanted)

    def acknowledge_up_to_in(self, txn: TxnId, place: MessagePosition) -> None:
        """Decision: withhold everything up to that place until the transaction ends.

        Raises CommandRefused: TRANSACTION_CONFLICT when it is acknowledged, or pending in another transaction.
        """
        if place <= self.cursor.mark_delete:
            rule("PIP31-56")
            raise CommandRefused(ServerError.TRANSACTION_CONFLICT, f"{place.position} is acknowledged already")
        self.pending.add_cumulative(txn, place)

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        """Decision: the transaction has ended, and every other up to the low watermark is over."""
        stale = [
            other for other in self.pending.transactions() if other.tc_id == txn.tc_id and other.sequence <= low_watermark and other != txn
        ]
        self.apply_outcome(txn, action)
        for other in stale:  # it ended without this subscription, which was not added to it
            self.apply_outcome(other, EndAction.ABORT)

    def apply_outcome(self, txn: TxnId, action: EndAction) -> None:
        """Decision: a commit deletes what the transaction acknowledged, and an abort redelivers it."""
        waiting = self.pending.end(txn, action)
        if action is EndAction.COMMIT:
            rule("PIP31-59")
            rule("PIP31-83")
            rule("CORE-20")
            rule("CORE-39")
            rule("PIP31-65")
            rule("CORE-23")
            self.cursor.acknowledge(waiting.individual, self._buffer)
            self.cursor.acknowledge_up_to(waiting.cumulative or EARLIEST, self._buffer)
            self.pending.record_end(txn)
        else:
            rule("PIP31-58")
            rule("PIP31-84")
            rule("CORE-21")
            rule("PIP31-70")
            rule("PIP31-173")
            given_back = self._all_up_to(waiting.cumulative or EARLIEST)
            for place, units in waiting.individual.items():
                given_back[place] = given_back.get(place, frozenset()) | units
            self.give_back(given_back)
            self.pending.record_end(txn)  # last, for a store that does not answer must not keep them from all consumers

    def seek(self, place: MessagePosition) -> None:
        """Decision: begin again after that place, for all consumers. What is pending in a transaction stays so."""
        rule("PIP31-95")
        self.cursor.seek(place)
        self._held.clear()

    def strays(self, is_over: Callable[[TxnId], bool]) -> list[TxnId]:
        """Decision: the transactions that have something pending here and will not end here any more."""
        return [txn for txn in self.pending.transactions() if is_over(txn)]

    def has_more(self) -> bool:
        """Decision: whether there is something that consumers may get and have not acknowledged.

        What was acknowledged while an earlier transaction blocked readers is after the mark, and is not waited for.
        """
        rule("PIP31-139")
        return any(not self.is_acknowledged(readable) for readable in self._buffer.after(self.cursor.mark_delete))

    def is_acknowledged(self, readable: Readable) -> bool:
        """Whether all of that message is acknowledged."""
        everything = frozenset(range(readable.message.units))
        return self.cursor.acknowledged(readable.place, everything) == everything

    def notify_end(self, consumers: Sequence[Consumer]) -> None:
        """Decision: notify consumers, each once, that the topic has no more for them and gets no more."""
        for consumer in [consumer for consumer in consumers if not consumer.knows_the_end]:
            consumer.knows_the_end = True
            consumer.reached_end()

    def last_message(self) -> Readable | None:
        """Decision: the last message that readers may get."""
        rule("PIP31-94")
        *_, last = (None, *self._buffer.after(EARLIEST))
        return last

    def erase(self) -> None:
        """Decision: it is deleted: one with its name begins like a new one."""
        rule("PIP31-96")
        self.cursor.erase()
        self.pending.erase()

    def erase_with_topic(self) -> None:
        """Decision: its topic is deleted, and its disk with it: what is pending may be kept elsewhere."""
        rule("PIP471-38")
        self.pending.erase()

    # -- Inside

    def without_pending(self, place: MessagePosition, units: Units) -> Units:
        """Decision: what a plain acknowledgement deletes of these messages, some of which may be pending in a transaction."""
        pending = units if self.pending.covers(place) else self.pending.units_at(place)
        if pending:
            rule("PIP31-57")
            return units - pending
        return units

    def _all_up_to(self, last: MessagePosition) -> dict[MessagePosition, Units]:
        behind_the_mark = self._buffer.after(self.cursor.mark_delete)
        return {readable.place: frozenset(range(readable.message.units)) for readable in behind_the_mark if readable.place <= last}

    def _held_by(self, consumer: Consumer) -> dict[MessagePosition, Units]:
        found = {place: frozenset(unit for unit, owner in owners.items() if owner is consumer) for place, owners in self._held.items()}
        return {place: units for place, units in found.items() if units}

    def give_back(self, wanted: Mapping[MessagePosition, Units]) -> None:
        """Decision: no consumer has these messages any more; those that may be delivered are redelivered."""
        for place, units in wanted.items():
            held = self._held.get(place, {})
            self._held[place] = {unit: owner for unit, owner in held.items() if unit not in units}
        self._redelivery_counts.update(wanted.keys())
        self._read_position = self.cursor.mark_delete
        self.dispatch()

    def is_withheld(self, readable: Readable) -> bool:
        """Decision: whether no consumer gets it now: it is with a consumer, deleted, or acknowledged in an open transaction."""
        rule("PIP31-54")
        return self.pending.covers(readable.place) or len(self.withheld_units(readable)) == readable.message.units

    def withheld_units(self, readable: Readable) -> Units:
        """Decision: the units of a message that no consumer gets now: deleted, pending, or with a consumer."""
        place = readable.place
        return (
            self.cursor.acknowledged(place, frozenset(range(readable.message.units)))
            | self.pending.units_at(place)
            | self._held.get(place, {}).keys()
        )

    def offer(self, readable: Readable) -> bool:
        """Decision: a message goes to the consumer that is served first, if it accepts more; whether it went."""
        consumer = self._consumer_for(readable)
        if consumer is None:
            return False
        rule("PIP31-52")
        rule("CORE-04")
        rule("CORE-29")
        missing = self.withheld_units(readable)
        rule("PIP31-158")
        consumer.permits -= readable.message.units
        self._held.setdefault(readable.place, {}).update(dict.fromkeys(frozenset(range(readable.message.units)) - missing, consumer))
        consumer.deliver(Delivery(readable, self.redelivery_count(readable.place), missing))
        return True

    def _consumer_for(self, readable: Readable) -> Consumer | None:
        match self.served_first(readable):
            case [consumer, *_] if self.takes_more(consumer):
                return consumer
        return None

    def takes_more(self, consumer: Consumer) -> bool:
        """Decision: whether a consumer has permits left."""
        rule("PIP31-134")
        return consumer.permits > 0

    def redelivery_count(self, place: MessagePosition) -> int:
        """Decision: the redelivery count of a message that consumers get."""
        rule("PIP31-135")
        return self._redelivery_counts[place]

    def served_first(self, readable: Readable) -> Sequence[Consumer]:
        """Decision: the consumers in order; the first gets the message as soon as it accepts any."""
        match self.kind:
            case SubscriptionType.SHARED:
                rule("PIP31-137")
                return sorted(self.consumers, key=lambda consumer: -consumer.permits)
            case SubscriptionType.KEY_SHARED:
                rule("PIP31-137")
                rule("PIP460-54")
                if (holder := self.holder_of(readable.message.key)) is not None:
                    return [holder]
                return sorted(self.consumers, key=lambda consumer: zlib.crc32(repr((readable.message.key, consumer.name)).encode()))
            case _:
                rule("PIP31-136")
                return self.consumers

    def holder_of(self, key: bytes | None) -> Consumer | None:
        """Decision: which consumer has unacknowledged messages of a key: at any other one the next messages would overtake them.

        As draining hashes in PIP-379, whichever consumer the key is assigned to.
        """
        rule("PIP460-54")
        for readable in self._buffer.after(self.cursor.mark_delete) if len(self.consumers) > 1 else ():
            if readable.message.key == key and (held := self._held.get(readable.place)):
                acknowledged = self.cursor.acknowledged(readable.place, frozenset(held))
                if holders := [owner for unit, owner in held.items() if unit not in acknowledged]:
                    return holders[0]
        return None

    def announce_active(self) -> None:
        """Decision: inform each consumer of a failover subscription whether it is active, as the first one is."""
        rule("PIP31-136")
        match self.consumers:
            case [first, *others] if self.kind is SubscriptionType.FAILOVER:
                first.active(True)
                for other in others:
                    other.active(False)
