"""Defects of Pulsar in which acknowledgements it refuses, and in what a refused one leaves."""

from collections.abc import Mapping

from fencepost.reference.defects.decorator import defect, expected, seen
from fencepost.reference.defects.pip31.batches import AsksWhetherTheEntryIsDeleted
from fencepost.reference.pulsar.buffer import MessagePosition
from fencepost.reference.pulsar.pending_ack_store import PendingAck, Units
from fencepost.reference.pulsar.pending_acks import PendingAcks
from fencepost.reference.pulsar.pulsar_types import SubscriptionType, TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused
from fencepost.reference.pulsar.subscription import Subscription

_ACCEPTED = seen("^success$", expected="^a refusal with TransactionConflict or InvalidTxnStatus$", what="^answer to ACK$")
_NO_CLIENT = TxnId(0, 2**40)


@defect({"PIP31-55": _ACCEPTED}, origin="textbook: a state that is changed without being compared")
class PendingConflictUnseen(PendingAcks):
    """Two transactions acknowledge one message, and both commit what they made of it."""

    def is_pending(self, place: MessagePosition, units: Units) -> bool:  # noqa: ARG002 - any transaction may have it
        return False


@defect({"PIP31-56": _ACCEPTED}, origin="textbook: the pending state compared, and the cursor not")
class DeletedIsTaken(Subscription):
    """A message that is already deleted is acknowledged again in a transaction, whose client has processed it in vain."""

    def acknowledge_in(self, txn: TxnId, wanted: Mapping[MessagePosition, Units]) -> None:
        self.pending.add_individual(txn, wanted)


@defect({"PIP31-55": _ACCEPTED}, origin="apache/pulsar#15832: the size of a batch was treated as 1 on exclusive and failover subscriptions")
class OneConsumerHasNoBatches(Subscription):
    """Where there is one consumer, an entry counts as one message, and the conflict over a message of a batch is not seen."""

    def acknowledge_in(self, txn: TxnId, wanted: Mapping[MessagePosition, Units]) -> None:
        if self.kind in (SubscriptionType.EXCLUSIVE, SubscriptionType.FAILOVER):
            wanted = {place: units - self.pending.units_at(place) for place, units in wanted.items()}
        super().acknowledge_in(txn, wanted)


@defect({"PIP31-56": seen("^success$", expected="^a refusal", what="^answer to ACK$")}, origin="textbook: a state for each entry")
class DeletedInABatchAcknowledged(AsksWhetherTheEntryIsDeleted):
    """A transaction may acknowledge several messages of a batch when one of them is deleted already, for the entry is there still."""


@defect({"PIP31-55": _ACCEPTED}, origin="red team: half of an id is compared")
class ConflictBySequenceAlone(PendingAcks):
    """A transaction takes over what a transaction with the same number at another coordinator has acknowledged, and both commit."""

    def add_individual(self, txn: TxnId, wanted: Mapping[MessagePosition, Units]) -> None:
        for place in wanted:
            owners = self._individual.get(place, {})
            owners.update({unit: txn for unit, owner in owners.items() if owner.sequence == txn.sequence})
        super().add_individual(txn, {place: units - self._taken(txn, place) for place, units in wanted.items()})

    def _taken(self, txn: TxnId, place: MessagePosition) -> Units:
        return frozenset(unit for unit, owner in self._individual.get(place, {}).items() if owner == txn)


@defect(
    {"PIP31-55": _ACCEPTED},
    origin="red team: a request that is answered from a list of requests that were processed, whatever came of them",
)
class RefusedAcknowledgementSucceedsWhenRepeated(PendingAcks):
    """A subscription remembers what a transaction has asked for: a refused acknowledgement is answered with success when it is repeated."""

    def add_individual(self, txn: TxnId, wanted: Mapping[MessagePosition, Units]) -> None:
        requested: set[tuple[TxnId, MessagePosition]] = self.__dict__.setdefault("_requested", set())
        asked = {(txn, place) for place in wanted}
        is_repeated = asked <= requested
        requested |= asked
        try:
            super().add_individual(txn, wanted)
        except CommandRefused:
            if not is_repeated:
                raise


@defect({"PIP31-55": _ACCEPTED}, origin="textbook: a variable that is overwritten in each turn of a loop")
class LastOfAListIsPending(PendingAcks):
    """An acknowledgement of several messages is refused for a conflict of the last, and not for one of the others."""

    def add_individual(self, txn: TxnId, wanted: Mapping[MessagePosition, Units]) -> None:
        last = dict(list(wanted.items())[-1:])
        super().add_individual(txn, last)
        self._keep(PendingAck(txn, individual={place: units for place, units in wanted.items() if place not in last}))


@defect({"PIP31-55": _ACCEPTED}, origin="exploration of Pulsar 4.0.7: a transaction with part of a batch is not compared with others")
class OwnPartOfABatchHidesConflicts(PendingAcks):
    """A transaction that has acknowledged one message of a batch takes over the others of the batch from another transaction."""

    def add_individual(self, txn: TxnId, wanted: Mapping[MessagePosition, Units]) -> None:
        known = {place: units for place, units in wanted.items() if txn in self._individual.get(place, {}).values()}
        super().add_individual(txn, {place: units for place, units in wanted.items() if place not in known})
        self._keep(PendingAck(txn, individual=known))


@defect({"PIP31-55": _ACCEPTED}, origin="exploration of Pulsar 4.0.7: of several acknowledgements in a batch one is compared")
class FirstOfABatchIsPending(PendingAcks):
    """A transaction acknowledges the messages of a batch one after the other, and another one can take all of them but the first."""

    def is_pending(self, place: MessagePosition, units: Units) -> bool:
        first = list(self._individual.get(place, {}))[:1]
        return not units.isdisjoint(first)


@defect({"PIP31-56": _ACCEPTED}, origin="textbook: a loop that returns in its first turn")
class FirstOfAListIsDeleted(Subscription):
    """An acknowledgement of several messages is refused if the first is deleted, and not for one of the others."""

    def acknowledge_in(self, txn: TxnId, wanted: Mapping[MessagePosition, Units]) -> None:
        first = dict(list(wanted.items())[:1])
        super().acknowledge_in(txn, first)
        self.pending.add_individual(txn, {place: units for place, units in wanted.items() if place not in first})


@defect(
    {
        "PIP31-70": expected("^success$", what="^answer to ACK$", error="TransactionConflict"),
        "PIP31-154": seen('^(TransactionConflict.*|"i3")$', what="^(answer to ACK|received by workers)$"),
    },
    origin="textbook: a request that is applied and then checked",
)
class ConflictKeepsTheOthers(PendingAcks):
    """When an acknowledgement is refused for a conflict, its other messages stay pending, and no end of a transaction releases them."""

    def add_individual(self, txn: TxnId, wanted: Mapping[MessagePosition, Units]) -> None:
        try:
            super().add_individual(txn, wanted)
        except CommandRefused:
            free = {place: units - self.units_at(place) for place, units in wanted.items()}
            self._hold(PendingAck(_NO_CLIENT, individual=free))
            raise


@defect(
    {"PIP31-154": expected("^success$", what="^answer to ACK$", error="TransactionConflict")},
    origin="red team: the bits of a batch are set before the conflict is seen",
)
class ConflictKeepsTheOthersOfTheBatch(PendingAcks):
    """When an acknowledgement is refused for a pending message of a batch, the other messages of that batch that it names stay pending."""

    def add_individual(self, txn: TxnId, wanted: Mapping[MessagePosition, Units]) -> None:
        for place, units in wanted.items():
            if (free := units - self.units_at(place)) and free != units:
                self._keep(PendingAck(txn, individual={place: free}))
        super().add_individual(txn, wanted)


@defect(
    {"PIP31-154": seen('^"i3"$', expected='^"i2", "i3"$', what="^received by workers$")},
    origin="as Apache Pulsar's source reads: the store is written before the conflict is searched for",
)
class FreeOnesOfTheRefusedReplayed(PendingAcks):
    """An acknowledgement that is refused for a pending message is in the journal all the same: after a crash its free messages are
    pending."""

    def add_individual(self, txn: TxnId, wanted: Mapping[MessagePosition, Units]) -> None:
        try:
            super().add_individual(txn, wanted)
        except CommandRefused:
            free = {place: units - self.units_at(place) for place, units in wanted.items()}
            self._store.append(PendingAck(txn, individual={place: units for place, units in free.items() if units}))
            raise
