"""Acknowledgements that wait for the end of their transaction, on one subscription: what is in conflict with what.

PIP-31, "Acknowledgement State Machine": PENDING_ACK is entered only from PENDING, keeps the message from every consumer, and is left
only when the transaction ends. A batch has a state for each of its messages. What makes it durable is the store's affair.
"""

from collections.abc import Mapping

from fencepost.reference.kernel.rules import rule

from .buffer import Place
from .errors import Error, Refused
from .pending_ack_store import PendingAckStore, Units, Waiting
from .profile import PulsarProfile
from .values import Action, TxnId


class PendingAcks:
    """The acknowledgements of open transactions on a subscription."""

    def __init__(self, store: PendingAckStore, profile: PulsarProfile) -> None:
        self._store = store
        self._profile = profile
        self._individual: dict[Place, dict[int, TxnId]] = {}
        self._cumulative: tuple[TxnId, Place] | None = None
        for waiting in store.replay():
            self._hold(waiting)

    def erase(self) -> None:
        """Nothing of them is to be found again."""
        self._store.erase()

    def add_individual(self, txn: TxnId, wanted: Mapping[Place, Units]) -> None:
        """Decision: withhold these messages for the transaction, all of them or none.

        Raises Refused: TRANSACTION_CONFLICT when one of them is pending, or lies under another's cumulative acknowledgement.
        """
        for place, units in wanted.items():
            if self.is_pending(place, units):
                rule("PIP31-55")
                raise Refused(Error.TRANSACTION_CONFLICT, f"{place.position} is acknowledged in an open transaction already")
            if self.lies_under_another(txn, place):
                rule("PIP31-64")
                raise Refused(
                    Error.TRANSACTION_CONFLICT, f"{place.position} lies under a cumulative acknowledgement of another transaction"
                )
        rule("PIP31-54")
        rule("PIP31-66")
        self._keep(Waiting(txn, individual=dict(wanted)))

    def add_cumulative(self, txn: TxnId, place: Place) -> None:
        """Decision: withhold everything up to that place.

        Raises Refused: TRANSACTION_CONFLICT when another transaction has such an acknowledgement, or has one of the messages; also when
        this one's own goes as far already.
        """
        if self._cumulative is not None:
            owner, held = self._cumulative
            if owner != txn or place <= held:
                rule("PIP31-63")
                raise Refused(Error.TRANSACTION_CONFLICT, f"transaction {owner} has acknowledged everything up to {held.position}")
        if self.covers_anothers(txn, place):
            rule("PIP31-64")
            raise Refused(Error.TRANSACTION_CONFLICT, f"something up to {place.position} is acknowledged in another open transaction")
        self._keep(Waiting(txn, cumulative=place))

    def end(self, txn: TxnId, action: Action) -> Waiting:
        """Decision: the transaction has ended: what it held, which is pending no longer, and nothing of others."""
        individual = {
            place: frozenset(unit for unit, owner in owners.items() if owner == txn)
            for place, owners in self._individual.items()
            if txn in owners.values()
        }
        cumulative = self._cumulative[1] if self._cumulative and self._cumulative[0] == txn else None
        if individual or cumulative:
            self._store.end(txn, action)
            self._forget(txn)
        return Waiting(txn, individual, cumulative)

    def units_at(self, place: Place) -> Units:
        """Decision: the messages at that place which an open transaction has acknowledged one by one."""
        return frozenset(self._individual.get(place, ()))

    def covers(self, place: Place) -> bool:
        """Decision: whether that place lies under a cumulative acknowledgement of an open transaction, which withholds it."""
        return self._cumulative is not None and place <= self._cumulative[1] and self._profile.pending_cumulative_redelivery == "withheld"

    def transactions(self) -> frozenset[TxnId]:
        """Those that have something pending here."""
        owners = {owner for owners in self._individual.values() for owner in owners.values()}
        return frozenset(owners | ({self._cumulative[0]} if self._cumulative else set()))

    def is_pending(self, place: Place, units: Units) -> bool:
        """Decision: whether one of these messages is pending in a transaction, and not only another message of their batch."""
        return not units.isdisjoint(self._individual.get(place, ()))

    def lies_under_another(self, txn: TxnId, place: Place) -> bool:
        """Decision: whether a place is covered by the cumulative acknowledgement of another transaction."""
        if self._cumulative is None or self._profile.individual_under_cumulative == "accepted":
            return False
        owner, held = self._cumulative
        return owner != txn and place <= held

    def covers_anothers(self, txn: TxnId, place: Place) -> bool:
        """Decision: whether a cumulative acknowledgement would cover a message that is pending in another transaction."""
        if self._profile.cumulative_over_individual == "accepted":
            return False
        return any(place >= taken and set(owners.values()) - {txn} for taken, owners in self._individual.items())

    def _keep(self, waiting: Waiting) -> None:
        self._store.append(waiting)
        self._hold(waiting)

    def _hold(self, waiting: Waiting) -> None:
        for place, units in waiting.individual.items():
            self._individual.setdefault(place, {}).update(dict.fromkeys(units, waiting.txn))
        if waiting.cumulative is not None:
            self._cumulative = (waiting.txn, waiting.cumulative)

    def _forget(self, txn: TxnId) -> None:
        kept = {place: {unit: owner for unit, owner in owners.items() if owner != txn} for place, owners in self._individual.items()}
        self._individual = {place: owners for place, owners in kept.items() if owners}
        if self._cumulative and self._cumulative[0] == txn:
            self._cumulative = None
