"""The coordinator of metadata-driven transactions. PIP-471, "Transaction Coordinator V5".

It keeps nothing in memory: any broker that has it continues where another one stopped. An end is one compare-and-set of the header; what
follows can be repeated when the end is requested again.
"""

from collections.abc import Callable

from fencepost.contract import transitions
from fencepost.reference.kernel.machine import Machine
from fencepost.reference.kernel.rules import rule
from fencepost.reference.metadata.store import VersionConflict
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.participants import Participant
from fencepost.reference.pulsar.pulsar_types import EndAction, SubscriptionName, TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError
from fencepost.reference.pulsar.transaction import PulsarTransaction

from .collection import Collection
from .metadata_profile import MetadataProfile
from .record_models import Header, HeaderState, MalformedRecord
from .transaction_records import TransactionRecords

SWEEP_INTERVAL_MS = 1_000
"""How often it looks for overdue transactions: each look is a query of the shared store."""

_MOST_TAKEN = 100
"""How many ids are tried for a transaction."""


class MetadataCoordinator:
    """Coordinator `tc_id`."""

    def __init__(
        self, tc_id: int, machine: Machine, records: TransactionRecords, profile: MetadataProfile, collection: type[Collection]
    ) -> None:
        self.tc_id = tc_id
        self._machine = machine
        self._records = records
        self._profile = profile
        self._collection = collection(machine, records, profile, self.notify)
        self._sweeps_at = machine.clock.now
        self.is_loaded: Callable[[Participant], bool] = lambda _: True
        """Whether a participant is in memory anywhere in this broker. One that is not reads the header before it serves a client."""
        self.last_sequence = -1
        """The sequence that this broker gave last; other brokers may have given more."""

    # -- NEW_TXN, ADD_PARTITION_TO_TXN, ADD_SUBSCRIPTION_TO_TXN

    def new(self, timeout_ms: int) -> TxnId:
        """Decision: begin a transaction: its header is stored before its id is returned. An id that has a header is in use.

        Raises CommandRefused: SERVICE_NOT_READY when too many ids in a row are.
        """
        for _ in range(_MOST_TAKEN):
            txn = self.next_id()
            try:
                self._records.create(txn, Header(state=HeaderState.OPEN, timeout=timeout_ms, createdAt=self._machine.clock.now))
            except VersionConflict:
                continue
            self._machine.crash_points.reach("after-header-create")
            return txn
        raise CommandRefused(
            ServerError.SERVICE_NOT_READY, f"each of the last {_MOST_TAKEN} ids of coordinator {self.tc_id} has a header already"
        )

    def next_id(self) -> TxnId:
        """Decision: an id that no broker has given before."""
        self.last_sequence = self._records.next_sequence(self.tc_id)
        return TxnId(self.tc_id, self.last_sequence)

    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:  # noqa: ARG002 - participants leave their own records
        """Decision: nothing is done, for participants are known by their operation records. Raises CommandRefused:
        TRANSACTION_NOT_FOUND.
        """
        rule("PIP471-45")
        self._header(txn)

    def add_subscriptions(self, txn: TxnId, names: tuple[SubscriptionName, ...]) -> None:  # noqa: ARG002 - the same
        """Decision: the same. Raises CommandRefused: TRANSACTION_NOT_FOUND."""
        self._header(txn)

    # -- END_TXN

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        """Decision: commit or abort; the same end again notifies the participants again and succeeds.

        Raises CommandRefused: TRANSACTION_NOT_FOUND, or INVALID_TXN_STATUS when it was ended the other way.
        """
        rule("PIP471-47")
        self.decide(txn, action)
        reply()

    def decide(self, txn: TxnId, action: EndAction) -> None:
        """Decision: one compare-and-set from OPEN to the final state, and the events. Raises CommandRefused: as `end`."""
        wanted = HeaderState.after(action)
        header, version = self._header(txn)
        while header.state is HeaderState.OPEN and not self._finalized(txn, header, version, wanted):
            header, version = self._header(txn)  # another client was first, or the store only says so
            self.check_after_a_lost_race(txn, header.state, wanted)
        if header.state not in (HeaderState.OPEN, wanted):
            rule("PIP471-02")
            rule("PIP471-03")
            rule("PIP471-04")
            rule("PIP471-44")
            raise CommandRefused(
                ServerError.INVALID_TXN_STATUS, f"transaction {txn} is {header.state.value}, cannot transition to {wanted.value}"
            )
        rule("PIP471-05")
        self.notify(txn, wanted)
        self._machine.crash_points.reach("after-event")

    def check_after_a_lost_race(self, txn: TxnId, found: HeaderState, wanted: HeaderState) -> None:
        """Decision: an end whose compare-and-set came second is answered like one that came later."""

    def notify(self, txn: TxnId, decision: HeaderState) -> None:
        """Decision: an event for each participant that has operation records. None of them is asked for an answer."""
        rule("PIP471-58")
        rule("PIP471-22")
        if self._profile.notification == "events":
            for participant in self._reported(txn):
                rule("PIP471-55")
                rule("PIP471-71")
                self._records.notify(participant, txn, decision)

    # -- What it does periodically

    def sweep(self) -> None:
        """The timer's work, when it is time to: overdue transactions, and ended ones.

        The index covers those of all coordinators, so only the first one looks.
        """
        if self.tc_id != 0 or self._machine.clock.now < self._sweeps_at:
            return
        self._sweeps_at = self._machine.clock.now + SWEEP_INTERVAL_MS
        try:
            self.abort_timed_out()
            self._collection.sweep()
        except CommandRefused:
            return  # the store does not answer now

    def abort_timed_out(self) -> None:
        """Decision: abort what is open past its deadline. It is a compare-and-set as any other, so an earlier commit stays."""
        for txn in self._records.overdue(self._machine.clock.now):
            rule("PIP471-43")
            try:
                self.decide(txn, EndAction.ABORT)
            except CommandRefused:
                continue  # a client was first

    def ended_at(self, header: Header) -> int:  # noqa: ARG002 - whatever its deadline was
        """Decision: a transaction ends when that is decided, and its header is kept from then on."""
        return self._machine.clock.now

    # -- What others may know

    def describe(self, txn: TxnId) -> PulsarTransaction:
        header, _ = self._header(txn)
        names = self._records.participants(txn)
        return PulsarTransaction(
            txn,
            header.timeout,
            header.createdAt,
            header.state.status,
            tuple(name for name in names if isinstance(name, str)),
            tuple(name for name in names if isinstance(name, SubscriptionName)),
        )

    def is_over(self, txn: TxnId) -> bool:
        found = self._records.header(txn)
        return found is None or found[0].state is not HeaderState.OPEN

    def is_applied(self, txn: TxnId) -> bool:
        """Decision: whether it has ended, and no loaded participant has operation records of it any more.

        If they cannot be read, it is not.
        """
        try:
            return self.is_over(txn) and not any(self.is_loaded(one) for one in self._records.participants(txn))
        except MalformedRecord:
            return False

    def transactions(self) -> tuple[PulsarTransaction, ...]:
        return tuple(self.describe(txn) for txn in self._records.all_headers() if txn.tc_id == self.tc_id)

    @property
    def low_watermark(self) -> int:
        """There is none: the header says whether a transaction is over."""
        return -1

    # -- Inside

    def _reported(self, txn: TxnId) -> list[str | SubscriptionName]:
        """The participants to notify.

        If a record does not name its participant, all find out by polling, for the end is decided all the same.
        """
        try:
            return self._records.participants(txn)
        except MalformedRecord:
            return []

    def _header(self, txn: TxnId) -> tuple[Header, int]:
        if (found := self._records.header(txn)) is None:
            rule("PIP471-06")
            raise CommandRefused(ServerError.TRANSACTION_NOT_FOUND, f"coordinator {self.tc_id} does not know transaction {txn}")
        return found

    def _finalized(self, txn: TxnId, header: Header, version: int, state: HeaderState) -> bool:
        """Whether the compare-and-set succeeded."""
        self._machine.crash_points.reach("before-header-cas")
        ended = header.model_copy(update={"state": state, "finalizedAt": self.ended_at(header)})
        try:
            self._records.replace(txn, ended, version)
        except VersionConflict:
            return False
        transitions.take(header.state, state)
        self._machine.crash_points.reach("after-header-cas")
        return True
