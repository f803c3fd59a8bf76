"""How a participant learns that transactions have ended. PIP-471, "Notification mechanism".

The store is the only source of truth: an event, or a watch on a header, makes the participant read the header, which decides. A
notification may be lost or late (the text has no remedy, Q14), so a participant also polls.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from fencepost.reference.kernel.machine import Machine
from fencepost.reference.kernel.rules import rule
from fencepost.reference.metadata.store import StoreWatch
from fencepost.reference.pulsar.pulsar_types import SubscriptionName, TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused

from .metadata_profile import MetadataProfile
from .record_models import HeaderState, MalformedRecord
from .transaction_records import TransactionRecords

LOOK_INTERVAL_MS = 1_000
"""How often a participant polls."""


@dataclass(frozen=True)
class Look:
    """A notification in flight to a participant: it may have something to do."""

    participant: str | SubscriptionName

    @property
    def topic(self) -> str:
        """The segment that the participant is, or belongs to."""
        return self.participant.topic if isinstance(self.participant, SubscriptionName) else self.participant


class Participation:
    """One participant's view of the transactions in which it takes part. `waiting` are those that it has open, `end` ends one here."""

    def __init__(
        self,
        participant: str | SubscriptionName,
        machine: Machine,
        records: TransactionRecords,
        profile: MetadataProfile,
        waiting: Callable[[], Iterable[TxnId]],
        end: Callable[[TxnId, HeaderState], None],
    ) -> None:
        self._participant = participant
        self._machine = machine
        self._records = records
        self._profile = profile
        self._waiting = waiting
        self._end = end
        self._headers: dict[TxnId, StoreWatch] = {}
        self._events = records.watch_events(participant, self.reported) if profile.notification == "events" else None
        self._stop = machine.every(LOOK_INTERVAL_MS, self.look_by_itself)
        self._closed = False

    def takes_part(self, txn: TxnId) -> None:
        """A transaction has records here."""
        if self._profile.notification == "headers" and txn not in self._headers:
            self._headers[txn] = self._records.watch_header(txn, self.reported)

    def reported(self) -> None:
        """Decision: the store reports a change: look, as soon as what is in flight arrives."""
        self._machine.send(Look(self._participant), lambda _: self.look())

    def look_next(self) -> None:
        """Decision: a participant that is loaded, or finds an end by itself, looks before it serves another request, and waits for no
        event."""
        self._machine.do_next(self.look)

    def look(self) -> None:
        """Decision: end here what has ended, by the headers of all that is open here."""
        if self._closed:
            return
        for txn in sorted(self._waiting()):
            try:
                self._end_what_is_over(txn)
            except MalformedRecord:
                continue  # a malformed record does not delay the others
            except CommandRefused:
                return  # the store does not answer now

    def look_by_itself(self) -> None:
        """Decision: look without a notification, for notifications can be lost."""
        rule("PIP471-62")
        self.look()

    def state_of(self, txn: TxnId) -> HeaderState:
        """Decision: how a transaction stands.

        One without a header never was, or is collected, and then no participant has records of it left.
        """
        found = self._records.header(txn)
        return found[0].state if found else HeaderState.ABORTED

    def _end_what_is_over(self, txn: TxnId) -> None:
        state = self.state_of(txn)
        if state is HeaderState.OPEN:
            return
        rule("PIP471-21")
        rule("PIP471-33")
        self._end(txn, state)
        if (watch := self._headers.pop(txn, None)) is not None:
            watch.close()

    def close(self) -> None:
        """Decision: the participant is unloaded here, and does nothing more: another broker may have it."""
        rule("PIP471-28")
        self._closed = True
        self._stop()
        for watch in [*self._headers.values(), *([self._events] if self._events else [])]:
            watch.close()
