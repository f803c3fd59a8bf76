"""Acknowledgements that wait for the end of their transaction, on one subscription: what is in conflict with what.

PIP-31, "Acknowledgement State Machine": PENDING_ACK is entered only from PENDING, keeps the message from every consumer, and is left only
when the transaction ends. A batch has a state for each of its messages. The store makes it durable.
"""

from collections.abc import Collection, Mapping

from fencepost.reference.kernel.rules import rule

from .buffer import MessagePosition
from .pending_ack_store import PendingAck, PendingAckStore, Units
from .pulsar_types import EndAction, TxnId
from .server_errors import CommandRefused, ServerError


class PendingAcks:
    """The acknowledgements of open transactions on a subscription."""

    def __init__(self, store: PendingAckStore) -> None:
        self._store = store
        self._individual: dict[MessagePosition, dict[int, TxnId]] = {}
        self._cumulative: dict[TxnId, MessagePosition] = {}
        """Up to where a transaction has acknowledged everything; there is one at most."""
        self._leaving: dict[TxnId, EndAction] = {}
        """Transactions that have ended here, of which the store does not know yet."""
        self.recover()

    def recover(self) -> None:
        """Decision: what was pending before is pending again, with its positions."""
        rule("PIP31-86")
        for waiting in self._store.replay():
            self._hold(waiting)

    def erase(self) -> None:
        """Delete all of them."""
        self._store.erase()

    def add_individual(self, txn: TxnId, wanted: Mapping[MessagePosition, Units]) -> None:
        """Decision: withhold these messages for the transaction, all of them or none.

        Raises CommandRefused: TRANSACTION_CONFLICT when one of them is pending, or is covered by another's cumulative acknowledgement.
        """
        for place, units in wanted.items():
            if self.is_pending(place, units):
                rule("PIP31-55")
                rule("PIP31-154")
                raise CommandRefused(ServerError.TRANSACTION_CONFLICT, f"{place.position} is acknowledged in an open transaction already")
            if self.lies_under_another(txn, place):
                rule("PIP31-64")
                raise CommandRefused(
                    ServerError.TRANSACTION_CONFLICT, f"{place.position} lies under a cumulative acknowledgement of another transaction"
                )
        rule("PIP31-54")
        rule("PIP31-66")
        self._keep(PendingAck(txn, individual=dict(wanted)))

    def add_cumulative(self, txn: TxnId, place: MessagePosition) -> None:
        """Decision: withhold everything up to that place.

        Raises CommandRefused: TRANSACTION_CONFLICT when another transaction has such an acknowledgement, or has one of the messages; also
        when this one's own goes as far already.
        """
        for owner, held in self._cumulative.items():
            if owner != txn or place <= held:
                rule("PIP31-63")
                raise CommandRefused(
                    ServerError.TRANSACTION_CONFLICT, f"transaction {owner} has acknowledged everything up to {held.position}"
                )
        if self.covers_anothers(txn, place):
            rule("PIP31-64")
            raise CommandRefused(
                ServerError.TRANSACTION_CONFLICT, f"something up to {place.position} is acknowledged in another open transaction"
            )
        self._keep(PendingAck(txn, cumulative=place))

    def end(self, txn: TxnId, action: EndAction) -> PendingAck:
        """Decision: the transaction has ended: returns what it held, which is pending no longer, and nothing of others.

        `record_end` notifies the store, when that is deleted or redelivered.
        """
        rule("PIP31-153")
        rule("PIP31-174")
        rule("PIP31-85")
        if self.overlooks_individual() and self._cumulative.keys() - {txn}:
            return PendingAck(txn)
        cumulative = self._cumulative.get(txn)
        individual = {
            place: frozenset(unit for unit, owner in owners.items() if owner == txn)
            for place, owners in self._individual.items()
            if txn in owners.values() and not (cumulative and self.overlooks_individual())
        }
        if individual or cumulative:
            self._leaving[txn] = action
            self._forget(txn, individual)
        return PendingAck(txn, individual, cumulative)

    def record_end(self, txn: TxnId) -> None:
        """Decision: that the transaction has ended here becomes durable, if it held something.

        After a crash before this, the transaction is still pending: it is ended once more, and its repeated deletions do no harm.
        """
        if txn in self._leaving:
            rule("CORE-28")
            self._store.end(txn, self._leaving.pop(txn))

    def units_at(self, place: MessagePosition) -> Units:
        """Decision: the messages at that place which an open transaction has acknowledged one by one."""
        rule("CORE-34")
        return frozenset(self._individual.get(place, ()))

    def covers(self, place: MessagePosition) -> bool:
        """Decision: whether a cumulative acknowledgement of an open transaction covers that place, and withholds it."""
        return any(place <= held for held in self._cumulative.values())

    def has_any_up_to(self, place: MessagePosition) -> bool:
        """Whether an open transaction has acknowledged something up to that place."""
        return bool(self._cumulative) or any(taken <= place for taken in self._individual)

    def transactions(self) -> frozenset[TxnId]:
        """The transactions that have something pending here."""
        owners = {owner for owners in self._individual.values() for owner in owners.values()}
        return frozenset(owners | self._cumulative.keys())

    def is_pending(self, place: MessagePosition, units: Units) -> bool:
        """Decision: whether one of these messages is pending in a transaction, and not only another message of their batch."""
        return not units.isdisjoint(self._individual.get(place, ()))

    def lies_under_another(self, txn: TxnId, place: MessagePosition) -> bool:
        """Decision: whether a place is covered by the cumulative acknowledgement of another transaction."""
        rule("PIP31-121")
        return any(owner != txn and place <= held for owner, held in self._cumulative.items())

    def covers_anothers(self, txn: TxnId, place: MessagePosition) -> bool:
        """Decision: whether a cumulative acknowledgement would cover a message that is pending in another transaction."""
        rule("PIP31-121")
        return any(place >= taken and set(owners.values()) - {txn} for taken, owners in self._individual.items())

    def overlooks_individual(self) -> bool:
        """Decision: whether an end ignores what was acknowledged one by one while a cumulative acknowledgement is pending: never."""
        return False

    def _keep(self, waiting: PendingAck) -> None:
        self._store.append(waiting)
        self._hold(waiting)

    def _hold(self, waiting: PendingAck) -> None:
        for place, units in waiting.individual.items():
            self._individual.setdefault(place, {}).update(dict.fromkeys(units, waiting.txn))
        if waiting.cumulative is not None:
            self._cumulative = {waiting.txn: waiting.cumulative}

    def _forget(self, txn: TxnId, places: Collection[MessagePosition]) -> None:
        kept = {
            place: {unit: owner for unit, owner in owners.items() if owner != txn or place not in places}
            for place, owners in self._individual.items()
        }
        self._individual = {place: owners for place, owners in kept.items() if owners}
        self._cumulative = {owner: held for owner, held in self._cumulative.items() if owner != txn}
