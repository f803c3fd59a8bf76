"""Acknowledgements that wait for the end of their transaction, on one subscription.

PIP-31, "Acknowledgement State Machine": PENDING_ACK is entered only from PENDING, is durable, keeps the message from every consumer,
and is left only when the transaction ends. A batch has a state for each of its messages.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from fencepost.reference.kernel.journal import Disk, Journal
from fencepost.reference.kernel.rules import rule

from .buffer import Place
from .errors import Error, Refused
from .profile import PulsarProfile
from .values import Action, SubscriptionName, TxnId

Units: TypeAlias = frozenset[int]
"""Messages of a batch by their numbers; the one message of an entry that is no batch is number 0."""


@dataclass(frozen=True)
class Waiting:
    """What a transaction acknowledged: messages one by one, or all up to a place."""

    txn: TxnId
    individual: Mapping[Place, Units] = field(default_factory=dict)
    cumulative: Place | None = None


@dataclass(frozen=True)
class Ended:
    """That a transaction ended on this subscription."""

    txn: TxnId
    action: Action


class PendingAcks:
    """The acknowledgements of open transactions on a subscription."""

    def __init__(self, disk: Disk, name: SubscriptionName, profile: PulsarProfile) -> None:
        self._journal: Journal[Waiting | Ended] = disk.journal(f"pending-acks {name.topic} {name.name}")
        self._profile = profile
        self._individual: dict[Place, dict[int, TxnId]] = {}
        self._cumulative: tuple[TxnId, Place] | None = None
        for record in self._journal:
            rule("PIP31-60")
            if isinstance(record, Waiting):
                self._hold(record)
            else:
                self._forget(record.txn)

    def erase(self) -> None:
        """Nothing of them is to be found again."""
        self._journal.replace(())

    def add_individual(self, txn: TxnId, wanted: Mapping[Place, Units]) -> None:
        """Withhold these messages for the transaction, all of them or none. Refused TRANSACTION_CONFLICT."""
        for place, units in wanted.items():
            if self._is_pending(place, units):
                rule("PIP31-55")
                raise Refused(Error.TRANSACTION_CONFLICT, f"{place.position} is acknowledged in an open transaction already")
            if self._lies_under_another(txn, place):
                rule("PIP31-64")
                raise Refused(
                    Error.TRANSACTION_CONFLICT, f"{place.position} lies under a cumulative acknowledgement of another transaction"
                )
        rule("PIP31-54")
        rule("PIP31-66")
        self._keep(Waiting(txn, individual=dict(wanted)))

    def add_cumulative(self, txn: TxnId, place: Place) -> None:
        """Withhold everything up to that place. One transaction at a time has such an acknowledgement."""
        if self._cumulative is not None:
            owner, held = self._cumulative
            if owner != txn or place <= held:
                rule("PIP31-63")
                raise Refused(Error.TRANSACTION_CONFLICT, f"transaction {owner} has acknowledged everything up to {held.position}")
        if self._covers_anothers(txn, place):
            rule("PIP31-64")
            raise Refused(Error.TRANSACTION_CONFLICT, f"something up to {place.position} is acknowledged in another open transaction")
        self._keep(Waiting(txn, cumulative=place))

    def end(self, txn: TxnId, action: Action) -> Waiting:
        """The transaction has ended: what it held, which is pending no longer."""
        individual = {
            place: frozenset(unit for unit, owner in owners.items() if owner == txn)
            for place, owners in self._individual.items()
            if txn in owners.values()
        }
        cumulative = self._cumulative[1] if self._cumulative and self._cumulative[0] == txn else None
        if individual or cumulative:
            self._journal.append(Ended(txn, action))
            self._forget(txn)
        return Waiting(txn, individual, cumulative)

    def units_at(self, place: Place) -> Units:
        """The messages at that place which an open transaction has acknowledged one by one."""
        return frozenset(self._individual.get(place, ()))

    def covers(self, place: Place) -> bool:
        """Whether that place lies under a cumulative acknowledgement of an open transaction, which withholds it."""
        return self._cumulative is not None and place <= self._cumulative[1] and self._profile.pending_cumulative_redelivery == "withheld"

    def transactions(self) -> frozenset[TxnId]:
        """Those that have something pending here."""
        owners = {owner for owners in self._individual.values() for owner in owners.values()}
        return frozenset(owners | ({self._cumulative[0]} if self._cumulative else set()))

    def _is_pending(self, place: Place, units: Units) -> bool:
        return not units.isdisjoint(self._individual.get(place, ()))

    def _lies_under_another(self, txn: TxnId, place: Place) -> bool:
        if self._cumulative is None or self._profile.individual_under_cumulative == "accepted":
            return False
        owner, held = self._cumulative
        return owner != txn and place <= held

    def _covers_anothers(self, txn: TxnId, place: Place) -> bool:
        if self._profile.cumulative_over_individual == "accepted":
            return False
        return any(place >= taken and set(owners.values()) - {txn} for taken, owners in self._individual.items())

    def _keep(self, waiting: Waiting) -> None:
        self._journal.append(waiting)
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
