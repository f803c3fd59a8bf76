"""The pending acknowledgements of a subscription of a segment, as operation records. PIP-471, "MetadataPendingAckStore".

Each acknowledged position is a record, and a cumulative acknowledgement is one. The positions are recovered: in a subscription that only
knows which transactions are open, their commit would do nothing (as in the first release, R1).
"""

import contextlib
from collections.abc import Sequence

from fencepost.reference.kernel.rules import rule
from fencepost.reference.pulsar.buffer import MessagePosition
from fencepost.reference.pulsar.kinds import Site
from fencepost.reference.pulsar.pending_ack_store import PendingAck
from fencepost.reference.pulsar.pulsar_types import EndAction, SubscriptionName, TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError

from .metadata_profile import MetadataProfile
from .participation import Participation
from .record_models import HeaderState, OperationRecord
from .transaction_records import TransactionRecords


class PendingAckRecords:
    """The store of one subscription."""

    def __init__(self, site: Site, records: TransactionRecords, profile: MetadataProfile, participation: type[Participation]) -> None:
        assert isinstance(site.participant, SubscriptionName), "acknowledgements are a subscription's"
        self._name = site.participant
        self._site = site
        self._records = records
        self._profile = profile
        self._waiting = {txn for txn, _ in records.acknowledgements(self._name)}
        self.participation = participation(site.participant, site.machine, records, profile, lambda: list(self._waiting), self.apply)
        for txn in self._waiting:
            self.participation.takes_part(txn)
        if self._waiting:
            self.participation.look_next()

    def append(self, waiting: PendingAck) -> None:
        """Decision: one operation record for each position. Raises CommandRefused: NOT_ALLOWED when the transaction is not open."""
        self.refuse_what_comes_too_late(waiting.txn)
        self._waiting.add(waiting.txn)
        self.participation.takes_part(waiting.txn)
        self._record_all(waiting.txn, self.operations_of(waiting))
        self._site.machine.crash_points.reach("after-op-record")
        # An end since then has not notified this subscription.
        if self.refuses_late_ones() and self.participation.state_of(waiting.txn) is not HeaderState.OPEN:
            self.participation.look_next()

    def refuse_what_comes_too_late(self, txn: TxnId) -> None:
        """Decision: no acknowledgement is accepted in a transaction that has ended, or never began. Raises CommandRefused: NOT_ALLOWED."""
        if self.refuses_late_ones() and (state := self.participation.state_of(txn)) is not HeaderState.OPEN:
            rule("PIP471-68")
            raise CommandRefused(ServerError.NOT_ALLOWED, f"TxnConflict: transaction {txn} is {state.value}")

    def operations_of(self, waiting: PendingAck) -> list[OperationRecord]:
        """Decision: the records of an acknowledgement: for single messages one per entry, with the messages of a batch."""
        if waiting.cumulative is not None:
            rule("PIP471-09")
            return [self._operation(waiting.cumulative, cumulative=True)]
        rule("PIP471-08")
        return [self._operation(place, units=tuple(sorted(units))) for place, units in waiting.individual.items()]

    def refuses_late_ones(self) -> bool:
        """Decision: whether it is looked whether the transaction is open, before and after its acknowledgement is recorded."""
        return True

    def replay(self) -> Sequence[PendingAck]:
        """Decision: what is pending, with its positions."""
        rule("PIP471-30")
        rule("PIP471-31")
        rule("PIP471-32")
        return [_waiting(txn, operation) for txn, operation in self._records.acknowledgements(self._name)]

    def end(self, txn: TxnId, action: EndAction) -> None:
        """Decision: the subscription has applied the end: its records of that transaction can be deleted."""
        rule("PIP471-28" if action is EndAction.COMMIT else "PIP471-29")
        self._site.machine.crash_points.reach("after-cursor-apply")
        self._site.machine.crash_points.reach("before-op-delete")
        self._records.delete_operations(txn, self._name)

    def erase(self) -> None:
        """Decision: its records are deleted with it: no participant would follow an end for it, and a new one of its name would find
        them."""
        for txn in self._waiting:
            self._records.delete_operations(txn, self._name)
        self._records.forget_events(self._name)

    def apply(self, txn: TxnId, state: HeaderState) -> None:
        """Decision: the end takes effect on what this subscription has pending, and the store keeps nothing of it here."""
        rule("PIP471-63")
        self._site.end(txn, state.action)
        self._records.delete_operations(txn, self._name)  # also if the subscription had nothing of it any more
        self._waiting.discard(txn)

    def _record_all(self, txn: TxnId, operations: Sequence[OperationRecord]) -> None:
        """All of them or none, as far as the store answers: what is refused must not be acknowledged after the next load."""
        try:
            for operation in operations:
                self._records.record(txn, operation)
        except CommandRefused:
            with contextlib.suppress(CommandRefused):
                self._records.take_back(txn, operations)
            raise

    def _operation(
        self, place: MessagePosition, *, units: tuple[int, ...] | None = None, cumulative: bool | None = None
    ) -> OperationRecord:
        return OperationRecord(
            kind="ACK",
            segment=self._name.topic,
            subscription=self._name.name,
            ledgerId=place.position.ledger,
            entryId=place.position.entry,
            units=units,
            cumulative=cumulative,
        )


def _waiting(txn: TxnId, operation: OperationRecord) -> PendingAck:
    place = MessagePosition(operation.position)
    if operation.cumulative:
        return PendingAck(txn, cumulative=place)
    return PendingAck(txn, individual={place: frozenset(operation.units or ())})
