"""The transaction coordinator: who owns a transactional id, what its transaction covers, and how it ends.

A step is decided, appended to the transaction log, and in force; then its answer may be given. The end of a transaction is two such
steps: Prepare is the decision, and the request is answered; Complete follows when all partitions have their marker. In between a
transition is *pending*, and every request for that transactional id is told CONCURRENT_TRANSACTIONS.

The tables of EndTxn are in `ending`, what each step does to the record in `transaction`. Times are ms since 1970.
"""

import contextlib
from collections.abc import Iterable
from dataclasses import replace

from fencepost.reference.kernel.crash import Crash
from fencepost.reference.kernel.machine import Machine
from fencepost.reference.kernel.rules import rule

from .ending import Asked, Ending, asked_about, end_of_new_client, end_of_old_client
from .errors import Error, Refused
from .feature_levels import FeatureLevels
from .markers import MarkerSender, WriteToPartition
from .profile import Profile
from .transaction import PREPARED, Decision, State, Transaction
from .transaction_log import TransactionLog
from .values import EXHAUSTED_EPOCH, FIRST_EPOCH, MAX_EPOCH, NO_PRODUCER, ProducerIdAndEpoch, TopicPartition

MAX_TIMEOUT_MS = 900_000
"""`transaction.max.timeout.ms`, with Kafka's default."""

_MARKERS_CARRY_THE_VERSION = 2
"""From this version on, WriteTxnMarkers says whether the epoch in a marker was bumped."""


class Coordinator:
    """The transactions of all transactional ids."""

    def __init__(
        self,
        machine: Machine,
        profile: Profile,
        log: TransactionLog,
        marker_sender: type[MarkerSender],
        write_marker: WriteToPartition,
        levels: FeatureLevels,
    ) -> None:
        self._machine = machine
        self._profile = profile
        self._log = log
        self._levels = levels
        self._markers = marker_sender(machine, write_marker, self._complete)
        self._transactions = {name: self._recovered(transaction) for name, transaction in log.replay().items()}
        self._pending: set[str] = set()
        self._loaded_at = machine.clock.now
        self._tell_undecided_partitions()

    def load_for(self, duration_ms: int) -> None:
        """Take that long for reading the transaction log. Until then, requests are told to ask again; nothing else has to be done."""
        self._loaded_at = self._machine.clock.now + duration_ms

    def check_loaded(self) -> None:
        """Refuse COORDINATOR_LOAD_IN_PROGRESS while the log is being read: nothing is known yet, not even what is not there."""
        if self._machine.clock.now < self._loaded_at:
            rule("KIP890-169")
            raise Refused(Error.COORDINATOR_LOAD_IN_PROGRESS)

    # -- InitProducerId

    def init_producer_id(self, transactional_id: str, timeout_ms: int, expected: ProducerIdAndEpoch = NO_PRODUCER) -> ProducerIdAndEpoch:
        """Make the caller the owner of the transactional id. `expected` is who it believes to be, when it says so.

        Whoever owned the id before has an older epoch from now on. Raises Refused: INVALID_REQUEST, INVALID_TRANSACTION_TIMEOUT,
        CONCURRENT_TRANSACTIONS while a transaction is being ended, PRODUCER_FENCED when somebody else owns the id by now.
        """
        if not self._is_named(transactional_id):
            rule("KIP890-011")
            raise Refused(Error.INVALID_REQUEST)
        if not self._allows(timeout_ms):
            rule("KIP890-012")
            raise Refused(Error.INVALID_TRANSACTION_TIMEOUT)
        self.check_loaded()
        if (transaction := self._transactions.get(transactional_id)) is None:
            rule("KIP890-014")
            return self._install(self._first_owner(transactional_id, expected, timeout_ms)).identity
        if self._must_wait(transaction):
            rule("KIP890-025")
            raise Refused(Error.CONCURRENT_TRANSACTIONS)
        if not self._may_be(expected, transaction):
            rule("KIP890-020")
            raise Refused(Error.PRODUCER_FENCED)
        if transaction.state is State.ONGOING:
            self._end_before_a_takeover(transaction)
            raise Refused(Error.CONCURRENT_TRANSACTIONS)
        rule("KIP890-029")
        return self._install(self._next_owner(transaction, expected.epoch, timeout_ms)).identity

    def new_idempotent_producer(self) -> ProducerIdAndEpoch:
        """InitProducerId without a transactional id: a producer id that nobody shares, each time."""
        rule("KIP890-010")
        return ProducerIdAndEpoch(self._log.new_producer_id(), FIRST_EPOCH)

    def check_identity(self, expected: ProducerIdAndEpoch) -> None:
        """Refuse INVALID_REQUEST for half of an identity: a producer says both who it is and its epoch, or neither."""
        if (expected.producer_id == NO_PRODUCER.producer_id) != (expected.epoch == NO_PRODUCER.epoch):
            rule("KIP890-013")
            raise Refused(Error.INVALID_REQUEST)

    def _allows(self, timeout_ms: int) -> bool:
        return 0 < timeout_ms <= MAX_TIMEOUT_MS

    def _first_owner(self, transactional_id: str, expected: ProducerIdAndEpoch, timeout_ms: int) -> Transaction:  # noqa: ARG002
        """Who an unknown transactional id belongs to. There is nothing that `expected` could be compared with, so it is dropped."""
        return Transaction(transactional_id, self._log.new_producer_id(), FIRST_EPOCH, timeout_ms)

    def _end_before_a_takeover(self, transaction: Transaction) -> None:
        """The new owner begins with nothing open; it has to wait until what is open is aborted everywhere."""
        rule("KIP890-022")
        rule("KIP890-023")
        rule("KIP890-024")
        self._abort_by_server(transaction)

    def _may_be(self, expected: ProducerIdAndEpoch, transaction: Transaction) -> bool:
        if expected.producer_id in (NO_PRODUCER.producer_id, transaction.producer_id):
            return True
        rule("KIP890-027")
        return expected.producer_id == transaction.previous_producer_id and expected.epoch >= EXHAUSTED_EPOCH

    def _next_owner(self, transaction: Transaction, expected_epoch: int, timeout_ms: int) -> Transaction:
        if transaction.epoch_is_exhausted and expected_epoch in (-1, transaction.producer_epoch):
            rule("KIP890-026")
            return transaction.rotate_producer_id(self._log.new_producer_id(), timeout_ms, remember_epoch=expected_epoch != -1)
        if transaction.epoch_is_exhausted and self._profile.init_retry_at_last_epoch == "fails":
            raise Refused(Error.UNKNOWN_SERVER_ERROR)
        if expected_epoch == -1:
            rule("KIP890-015")
            rule("KIP890-021")
        elif expected_epoch == transaction.producer_epoch:
            rule("KIP890-016")
        elif expected_epoch == transaction.last_producer_epoch:
            rule("KIP890-017")
        try:
            return transaction.bump_epoch(expected_epoch, timeout_ms)
        except Refused:
            rule("KIP890-018")
            raise

    # -- AddPartitionsToTxn

    def add_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[TopicPartition], transaction_version: int
    ) -> None:
        """Make the partitions part of the transaction, which begins with its first ones.

        `transaction_version` is 2 when the leader of a partition asks for a new client, and 0 when an old client asks.
        """
        transaction = self._known(transactional_id)
        # Pending comes first: after an overflow the next producer id is in force only when the transition is complete.
        if self._is_pending(transaction):
            rule("KIP890-035")
            raise Refused(Error.CONCURRENT_TRANSACTIONS)
        self._check_producer(transaction, producer)
        if transaction.state is State.ONGOING and transaction.partitions.issuperset(partitions):
            rule("KIP890-034")
            return
        if transaction.state in (State.COMPLETE_COMMIT, State.COMPLETE_ABORT):
            rule("KIP890-043")
            rule("KIP890-063")
        self._install(transaction.add(frozenset(partitions), transaction_version, self._machine.clock.now))
        self._machine.crash_points.reach("after-partition-added")

    def verify_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[TopicPartition]
    ) -> dict[TopicPartition, Error]:
        """Whether each partition is in the transaction already. Changes nothing, and does not mind a pending transition."""
        rule("KIP890-040")
        transaction = self._known(transactional_id)
        self._check_producer(transaction, producer)
        if transaction.state in PREPARED:
            rule("KIP890-041")
            raise Refused(Error.CONCURRENT_TRANSACTIONS)
        refusal = self._profile.verification_refusal
        return {partition: Error.NONE if self.is_member(transaction, partition) else refusal for partition in partitions}

    def is_member(self, transaction: Transaction, partition: TopicPartition) -> bool:
        """Whether the partition is in the open transaction. One that is not open has no partitions."""
        if partition in transaction.partitions:
            rule("KIP890-038")
            return True
        rule("KIP890-039" if transaction.state is State.ONGOING else "KIP890-042")
        return False

    # -- EndTxn

    def end_transaction(
        self, transactional_id: str, producer: ProducerIdAndEpoch, decision: Decision, api_version: int
    ) -> ProducerIdAndEpoch:
        """Commit or abort; returns what the producer goes on with. `api_version` is that of EndTxn."""
        transaction = self._known(transactional_id)
        if self.bumps_epoch(api_version):
            # Here too pending comes first, or a producer with its fresh epoch would be told that it is fenced.
            if self._must_wait(transaction):
                rule("KIP890-066")
                rule("KIP890-079")
                rule("KIP890-081")
                raise Refused(Error.CONCURRENT_TRANSACTIONS)
            if (asked := self._asked_about(transaction, producer)) is None:
                raise Refused(Error.INVALID_PRODUCER_ID_MAPPING)
            ending, bumps = self._end_of_new_client(transaction.state, decision, asked), 1
        else:
            self._check_old_client(transaction, producer)
            if self._must_wait(transaction):
                rule("KIP890-088")
                raise Refused(Error.CONCURRENT_TRANSACTIONS)
            ending, bumps = self._end_of_old_client(transaction.state, decision), 0
        if ending is Ending.ANSWER_AGAIN:
            return transaction.identity
        return self._prepare(transaction, decision, bumps).next_identity

    def _asked_about(self, transaction: Transaction, producer: ProducerIdAndEpoch) -> Asked | None:
        return asked_about(transaction, producer)

    def _end_of_new_client(self, state: State, decision: Decision, asked: Asked) -> Ending:
        return end_of_new_client(state, decision, asked)

    def _end_of_old_client(self, state: State, decision: Decision) -> Ending:
        rule("KIP890-006")
        rule("KIP890-089")
        return end_of_old_client(state, decision)

    def _check_old_client(self, transaction: Transaction, producer: ProducerIdAndEpoch) -> None:
        """For old clients only the current epoch is right: none of them asks again with an earlier one."""
        rule("KIP890-087")
        self._check_producer(transaction, producer)

    def bumps_epoch(self, end_txn_version: int) -> bool:
        """Whether the client is a new one, for which each end bumps the epoch. Only the version of its request tells."""
        rule("KIP890-005")
        return end_txn_version >= 5

    def _prepare(self, transaction: Transaction, decision: Decision, bumps: int, *, moves_on: bool = True) -> Transaction:
        """Decide. `moves_on` is whether a producer at its last epoch goes on with a new producer id."""
        overflow = bumps > 0 and moves_on and transaction.epoch_is_exhausted
        if overflow:
            rule("KIP890-028")
            rule("KIP890-076")
            rule("KIP890-078")
            rule("KIP890-124")
        prepared = transaction.prepare(
            decision,
            self._machine.clock.now,
            bumps=min(bumps, MAX_EPOCH - transaction.producer_epoch),
            next_producer_id=self._log.new_producer_id() if overflow else -1,
        )
        self._machine.crash_points.reach("before-decision-logged")
        rule("KIP890-161")
        rule("CORE-27")
        self._install(prepared)
        self._machine.crash_points.reach("after-decision-logged")
        self._send_markers(prepared)
        return prepared

    def _send_markers(self, prepared: Transaction) -> None:
        self._pending.add(prepared.transactional_id)
        carries_version = self._profile.offers("write_txn_markers", _MARKERS_CARRY_THE_VERSION)
        self._markers.send(prepared, self._log.coordinator_epoch, prepared.transaction_version if carries_version else 0)

    def _complete(self, transactional_id: str) -> None:
        self._machine.crash_points.reach("before-complete-logged")
        completed = self._transactions[transactional_id].completed()
        if not self.can_be_stored(completed):
            return
        self._install(completed)
        self._pending.remove(transactional_id)

    # -- What the coordinator does by itself

    def _abort_by_server(self, transaction: Transaction) -> None:
        """End a transaction that its producer did not end, so that its epoch is fenced. Raises Refused where a release cannot.

        Here the level of the cluster counts.
        """
        if self._levels.transaction_version < 2:
            self._prepare(transaction.fenced(), Decision.ABORT, bumps=0)
            return
        if transaction.epoch_is_exhausted and self._profile.server_fence_at_last_epoch == "fails":
            self._transactions[transaction.transactional_id] = replace(transaction, producer_epoch=MAX_EPOCH)
            raise Refused(Error.UNKNOWN_SERVER_ERROR)
        moves_on = self._profile.server_fence_at_last_epoch == "rotates"
        self._prepare(transaction, Decision.ABORT, self._profile.server_fence_bumps, moves_on=moves_on)

    def abort_timed_out(self) -> None:
        """The timer's work: abort what has been open for longer than its producer allowed."""
        for transaction in list(self._transactions.values()):
            if transaction.state in PREPARED:
                rule("KIP890-159")
                continue
            overdue = transaction.started_at + transaction.timeout_ms < self._machine.clock.now
            if transaction.state is State.ONGOING and overdue:
                rule("KIP890-156")
                rule("CORE-15")
                rule("KIP890-157")
                with contextlib.suppress(Refused):  # it stays open, and the next turn of the timer tries again
                    self._abort_by_server(transaction)

    def forget_idle(self, before: int) -> None:
        """The timer's work: forget the transactional ids to which nothing has happened since then."""
        for transaction in list(self._transactions.values()):
            if transaction.updated_at <= before and self.may_be_forgotten(transaction):
                rule("KIP890-165")
                self._log.forget(transaction.transactional_id)
                del self._transactions[transaction.transactional_id]

    def may_be_forgotten(self, transaction: Transaction) -> bool:
        """Whether an idle id may go: never one with a transaction, for nobody else could end that."""
        rule("KIP890-166")
        return transaction.is_idle

    def send_markers_again(self) -> None:
        """The timer's work: markers that did not get through."""
        self._markers.send_again()

    def _recovered(self, transaction: Transaction) -> Transaction:
        """What is known of a transaction after a crash: all that was known before it."""
        if self._profile.producer_ids_after_restart == "forgotten":
            transaction = replace(transaction, previous_producer_id=-1, next_producer_id=-1)
        else:
            rule("KIP890-163")
        if self._profile.last_epoch_after_restart == "forgotten":
            return replace(transaction, last_producer_epoch=-1)
        rule("KIP890-164")
        rule("CORE-24")
        return transaction

    def _tell_undecided_partitions(self) -> None:
        """After a crash: whatever was decided and is not complete, is told to all its partitions again."""
        for transaction in list(self._transactions.values()):
            if transaction.state in PREPARED:
                if self._profile.new_protocol_at_level_0 == "refused, fatal at start" and not self.can_be_stored(transaction):
                    raise Crash(f"the transaction of {transaction.transactional_id} cannot be stored at level 0")
                rule("KIP890-162")
                rule("CORE-28")
                rule("KIP890-007")
                self._send_markers(transaction)

    # -- What others may know

    def describe(self, transactional_id: str) -> Transaction:
        """The transaction. In a Prepare state its partitions are those that are still without a marker."""
        if not transactional_id:
            raise Refused(Error.INVALID_REQUEST)
        self.check_loaded()
        if (transaction := self._transactions.get(transactional_id)) is None:
            rule("KIP890-147")
            raise Refused(Error.TRANSACTIONAL_ID_NOT_FOUND)
        rule("KIP890-148")
        if transaction.state in PREPARED:
            rule("KIP890-149")
            rule("KIP890-080")
            return replace(transaction, partitions=self._markers.unmarked(transactional_id))
        return transaction

    def transactions(self) -> tuple[Transaction, ...]:
        """All of them, in the order in which their ids came up."""
        self.check_loaded()
        return tuple(self._transactions.values())

    # -- Checks and steps that all requests share

    def _known(self, transactional_id: str) -> Transaction:
        if not self._is_named(transactional_id):
            rule("KIP890-075")
            raise Refused(Error.INVALID_REQUEST)
        self.check_loaded()
        if (transaction := self._transactions.get(transactional_id)) is None:
            rule("KIP890-031")
            rule("KIP890-074")
            raise Refused(Error.INVALID_PRODUCER_ID_MAPPING)
        return transaction

    def _is_named(self, transactional_id: str) -> bool:
        """Whether there can be such an id; the empty one belongs to nobody."""
        return transactional_id != ""

    def _must_wait(self, transaction: Transaction) -> bool:
        """Whether a producer that begins, ends or takes over must ask again, since an end is under way."""
        return self._is_pending(transaction)

    def _is_pending(self, transaction: Transaction) -> bool:
        return transaction.transactional_id in self._pending

    def _check_producer(self, transaction: Transaction, producer: ProducerIdAndEpoch) -> None:
        if producer.producer_id != transaction.producer_id:
            rule("KIP890-031")
            rule("KIP890-074")
            raise Refused(Error.INVALID_PRODUCER_ID_MAPPING)
        if producer.epoch > transaction.producer_epoch:
            rule("KIP890-102")
            rule("KIP890-032")
            raise Refused(Error.PRODUCER_FENCED)
        if producer.epoch < transaction.producer_epoch:
            rule("KIP890-032")
            rule("KIP890-087")
            raise Refused(Error.PRODUCER_FENCED)

    def can_be_stored(self, transaction: Transaction) -> bool:
        """Whether a record of the log can hold this. By the text it always can: what an old reader does not know, it passes over."""
        is_old_record = self._levels.transaction_version == 0
        return self._profile.new_protocol_at_level_0 == "served" or not is_old_record or transaction.transaction_version < 2

    def _install(self, transaction: Transaction) -> Transaction:
        if not self.can_be_stored(transaction):
            # What has been seen of the releases: the refused transition stays pending, and with it the transactional id.
            self._pending.add(transaction.transactional_id)
            raise Refused(Error.UNSUPPORTED_VERSION)
        updated = replace(transaction, updated_at=self._machine.clock.now)
        self._log.append(updated)
        self._transactions[transaction.transactional_id] = updated
        return updated
