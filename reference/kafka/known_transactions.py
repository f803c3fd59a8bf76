"""The transactions that a coordinator knows: read from the transaction log, kept in step with it, reported, forgotten when idle.

A transition is appended to the log first and in force then. The one that sends markers is *pending* until every partition has its marker; a
coordinator that starts sends the markers of all prepared transactions again.
"""

from collections.abc import Callable
from dataclasses import replace

from fencepost.contract import transitions
from fencepost.reference.kernel.machine import Machine
from fencepost.reference.kernel.rules import rule

from .feature_levels import FeatureLevels
from .kafka_errors import Errors, RequestRefused
from .kafka_profile import Profile
from .markers import MarkerSender, WriteToPartition
from .ownership import ProducerIdOwnership
from .transaction import PREPARED, KafkaTransaction
from .transaction_log import KafkaTransactionLog

_MARKERS_CARRY_THE_VERSION = 2
"""From this version on, WriteTxnMarkers says whether the epoch in a marker was bumped."""


class KnownTransactions:
    """The transactions of all transactional ids, as one coordinator knows them."""

    def __init__(
        self,
        machine: Machine,
        profile: Profile,
        log: KafkaTransactionLog,
        ownership: ProducerIdOwnership,
        marker_sender: type[MarkerSender],
        write_marker: WriteToPartition,
        levels: FeatureLevels,
    ) -> None:
        self._machine = machine
        self._profile = profile
        self._ownership = ownership
        self._levels = levels
        self._new_markers: Callable[[], MarkerSender] = lambda: marker_sender(machine, write_marker, self.complete)
        self._loaded_at = machine.clock.now
        self._load(log)

    def take_over(self, log: KafkaTransactionLog) -> None:
        """Decision: a coordinator on another node begins with what the log has, as this one does after a crash."""
        rule("KIP890-264")
        rule("KIP890-422")
        self._load(log)

    def _load(self, log: KafkaTransactionLog) -> None:
        self._log = log
        self._markers = self._new_markers()
        self._transactions = {name: self.recovered(transaction) for name, transaction in log.replay().items()}
        self._pending: set[str] = set()
        self._incomplete: list[str] = []
        """Transactions whose partitions have their markers, but which are not complete in the log."""

        self.resend_markers_of_prepared()

    def stop(self) -> None:
        """Decision: what the coordinator does last in a clean stop: nothing, for its log has all that it knows."""
        rule("KIP890-267")

    def compact_log(self) -> None:
        """Keep the latest record of each transactional id in the log, and no other."""
        self._log.compact()

    def load_for(self, duration_ms: int) -> None:
        """Spend that long on reading the transaction log. Until then, requests are refused, and clients retry."""
        self._loaded_at = self._machine.clock.now + duration_ms

    def check_loaded(self) -> None:
        """Decision: while the transaction log is being read nothing is known, not even which ids are missing.

        Raises RequestRefused: COORDINATOR_LOAD_IN_PROGRESS when it is.
        """
        if self._machine.clock.now < self._loaded_at:
            rule("KIP890-169")
            raise RequestRefused(Errors.COORDINATOR_LOAD_IN_PROGRESS)

    # -- Their steps

    def _send_markers(self, prepared: KafkaTransaction) -> None:
        self._pending.add(prepared.transactional_id)
        carries_version = self._profile.offers("write_txn_markers", _MARKERS_CARRY_THE_VERSION)
        self._markers.send(prepared, self._log.coordinator_epoch, prepared.transaction_version if carries_version else 0)

    def complete(self, transactional_id: str) -> None:
        """Decision: when every partition has its marker, the transaction is complete, and its transactional id accepts requests again."""
        self._machine.crash_points.reach("before-complete-logged")
        completed = self._transactions[transactional_id].completed()
        if not self.can_be_stored(completed):
            return
        try:
            self.install(completed)
        except RequestRefused:
            self.completion_failed(transactional_id)
        else:
            self._pending.remove(transactional_id)

    def completion_failed(self, transactional_id: str) -> None:
        """Decision: the timer retries what the log did not accept; until then the transaction stays prepared."""
        rule("KIP890-463")
        self._incomplete.append(transactional_id)

    def _is_pending(self, transaction: KafkaTransaction) -> bool:
        return transaction.transactional_id in self._pending

    def can_be_stored(self, transaction: KafkaTransaction) -> bool:  # noqa: ARG002 - what releases look at
        """Decision: whether a record of the transaction log can hold this.

        By the text it always can: an old reader skips what it does not know.
        """
        rule("KIP890-271")
        return True

    def install(self, transaction: KafkaTransaction) -> KafkaTransaction:
        """Decision: the new state of a transaction is stored, with the time of this change, before anything else follows from it."""
        if not self.can_be_stored(transaction):
            # Seen in the releases: the refused transition stays pending, and with it the transactional id.
            self._pending.add(transaction.transactional_id)
            raise RequestRefused(Errors.UNSUPPORTED_VERSION)
        updated = replace(transaction, updated_at=self._machine.clock.now)
        before = self._transactions.get(transaction.transactional_id)
        self._log.append(updated)
        if before is not None:
            transitions.take(before.state, updated.state)
        self._transactions[transaction.transactional_id] = updated
        return updated

    # -- After a crash, and when nothing happens any more

    def recovered(self, transaction: KafkaTransaction) -> KafkaTransaction:
        """Decision: what is known of a transaction after a crash: all that was known before it."""
        rule("KIP890-351")
        rule("KIP890-163")
        rule("KIP890-164")
        rule("CORE-24")
        rule("CORE-41")
        return transaction

    def resend_markers_of_prepared(self) -> None:
        """Decision: after a crash, the markers of every prepared transaction are sent again to all its partitions."""
        for transaction in list(self._transactions.values()):
            if transaction.state in PREPARED:
                self.check_before_resending(transaction)
                rule("KIP890-162")
                rule("KIP890-340")
                rule("KIP890-401")
                rule("KIP890-217")
                rule("CORE-28")
                rule("CORE-33")
                rule("KIP890-007")
                self._send_markers(transaction)

    def check_before_resending(self, transaction: KafkaTransaction) -> None:
        """Decision: nothing keeps a broker that starts from completing a prepared transaction."""

    def forget_idle(self, before: int) -> None:
        """Decision: at each turn of the timer, forget the transactional ids without a change since then."""
        for transaction in list(self._transactions.values()):
            if transaction.updated_at <= before and self.may_be_forgotten(transaction):
                rule("KIP890-165")
                if self.forgets(transaction):
                    del self._transactions[transaction.transactional_id]

    def forgets(self, transaction: KafkaTransaction) -> bool:
        """Decision: whether the log accepts the tombstone of an id; if not, the id stays until the timer's next turn."""
        try:
            self._log.forget(transaction.transactional_id)
        except RequestRefused:
            rule("KIP890-464")
            return False
        return True

    def may_be_forgotten(self, transaction: KafkaTransaction) -> bool:
        """Decision: whether an idle transactional id may expire: never one with a transaction, which could not be ended then."""
        rule("KIP890-166")
        return transaction.is_idle

    def send_markers_again(self) -> None:
        """The timer's work: markers that did not get through, and completions that the log did not accept."""
        self._markers.send_again()
        incomplete, self._incomplete = self._incomplete, []
        for transactional_id in incomplete:
            self.complete(transactional_id)

    # -- What others may know

    def describe(self, transactional_id: str) -> KafkaTransaction:
        """Decision: what DescribeTransactions returns. In a Prepare state the partitions are those that are still without a marker.

        Raises RequestRefused: INVALID_REQUEST when the transactional id is empty, TRANSACTIONAL_ID_NOT_FOUND when it is not known, and as
        `check_loaded`.
        """
        if not transactional_id:
            raise RequestRefused(Errors.INVALID_REQUEST)
        self.check_loaded()
        if (transaction := self._transactions.get(transactional_id)) is None:
            rule("KIP890-147")
            raise RequestRefused(Errors.TRANSACTIONAL_ID_NOT_FOUND)
        rule("KIP890-148")
        if transaction.state in PREPARED:
            rule("KIP890-149")
            rule("KIP890-080")
            return replace(transaction, partitions=self._markers.unmarked(transactional_id))
        return transaction

    def transactions(self) -> tuple[KafkaTransaction, ...]:
        """All of them, in the order in which their ids were first used."""
        self.check_loaded()
        return tuple(self._transactions.values())
