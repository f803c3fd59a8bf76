"""The transaction coordinator: what the transaction of a transactional id covers, and how it ends.

A step is decided, appended to the transaction log, and in force; then its answer may be given. The end of a transaction is two such
steps: Prepare is the decision, and the request is answered; Complete follows when all partitions have their marker. In between a
transition is *pending*, and every request for that transactional id is answered CONCURRENT_TRANSACTIONS.

How transactions are stored and loaded is in `known_transactions`, who owns a transactional id is decided in `ownership`, the tables of
EndTxn are in `end_txn_rules`, what each step does to the record is in `transaction`. Times are ms since 1970.
"""

import contextlib
from collections.abc import Iterable

from fencepost.reference.kernel.rules import rule

from .end_txn_rules import EndTxnEffect, RequestedTransaction, asked_about, end_of_new_client, end_of_old_client
from .kafka_errors import Errors, RequestRefused
from .kafka_types import MAX_EPOCH, NO_PRODUCER, NOTHING, PartitionName, ProducerIdAndEpoch
from .known_transactions import KnownTransactions
from .transaction import PREPARED, Decision, KafkaTransaction, KafkaTransactionState


class KafkaCoordinator(KnownTransactions):
    """What the requests of producers and of leaders, and the time, do to the transactions."""

    # -- InitProducerId

    def init_producer_id(self, transactional_id: str, timeout_ms: int, expected: ProducerIdAndEpoch = NO_PRODUCER) -> ProducerIdAndEpoch:
        """Decision: InitProducerId makes the caller the owner of the transactional id; `expected` is the producer that it claims to be, if
        any.

        The previous owner of the id has an older epoch from now on. Raises RequestRefused: INVALID_REQUEST when the transactional id is
        empty, INVALID_TRANSACTION_TIMEOUT when the timeout is not allowed, CONCURRENT_TRANSACTIONS when a transaction is being ended,
        PRODUCER_FENCED when another producer owns the id by now.
        """
        if not self.is_valid_id(transactional_id):
            rule("KIP890-011")
            raise RequestRefused(Errors.INVALID_REQUEST)
        if not self._ownership.allows_timeout(timeout_ms):
            rule("KIP890-012")
            raise RequestRefused(Errors.INVALID_TRANSACTION_TIMEOUT)
        self.check_loaded()
        if (transaction := self._transactions.get(transactional_id)) is None:
            rule("KIP890-014")
            return self.install(self._ownership.first_owner(transactional_id, expected, timeout_ms)).producer
        if self.must_wait(transaction):
            rule("KIP890-025")
            raise RequestRefused(Errors.CONCURRENT_TRANSACTIONS)
        if not self._ownership.may_initialise(expected, transaction):
            rule("KIP890-020")
            rule("KIP890-403")
            rule("KIP890-408")
            raise RequestRefused(Errors.PRODUCER_FENCED)
        if transaction.state is KafkaTransactionState.ONGOING:
            if not self.may_end_what_is_open(transaction, expected):
                raise RequestRefused(Errors.PRODUCER_FENCED)
            self.abort_before_takeover(transaction)
            raise RequestRefused(Errors.CONCURRENT_TRANSACTIONS)
        rule("KIP890-029")
        return self.install(self._ownership.next_owner(transaction, expected.epoch, timeout_ms)).producer

    def may_end_what_is_open(self, transaction: KafkaTransaction, expected: ProducerIdAndEpoch) -> bool:
        """Decision: the owner may, by its current epoch, and a new instance, which has none; one that was fenced may not."""
        rule("KIP890-272")
        return expected.epoch in (NO_PRODUCER.epoch, transaction.producer_epoch)

    def abort_before_takeover(self, transaction: KafkaTransaction) -> None:
        """Decision: a new owner begins with nothing open, so what is open is aborted first, and the new owner has to wait for that."""
        rule("KIP890-022")
        rule("KIP890-023")
        rule("KIP890-024")
        rule("KIP890-203")
        rule("KIP890-423")
        self.abort_by_server(transaction)

    # -- AddPartitionsToTxn

    def add_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[PartitionName], transaction_version: int
    ) -> None:
        """Decision: the partitions become part of the transaction, which begins with its first ones.

        `transaction_version` is 2 when the leader of a partition asks for a new client, and 0 when an old client asks.

        Raises RequestRefused: CONCURRENT_TRANSACTIONS when the end before is not complete, and as `check_producer`.
        """
        transaction, partitions = self._known(transactional_id), frozenset(partitions)
        # Pending comes first: after an overflow the next producer id is in force only when the transition is complete.
        if self._is_pending(transaction):
            rule("KIP890-035")
            raise RequestRefused(Errors.CONCURRENT_TRANSACTIONS)
        self.check_producer(transaction, producer)
        if not self.begins(partitions):
            rule("KIP890-275")
            return
        rule("CORE-42")
        if transaction.state is KafkaTransactionState.ONGOING and transaction.partitions.issuperset(partitions):
            rule("KIP890-034")
            return
        rule("KIP890-043")
        rule("KIP890-063")
        rule("KIP890-350")
        rule("KIP890-402")
        self.install(transaction.add(partitions, transaction_version, self._machine.clock.now))
        self._machine.crash_points.reach("after-partition-added")

    def begins(self, partitions: frozenset[PartitionName]) -> bool:
        """Decision: whether an addition is one: without a partition it changes nothing."""
        return bool(partitions)

    def verify_partitions(
        self, transactional_id: str, producer: ProducerIdAndEpoch, partitions: Iterable[PartitionName]
    ) -> dict[PartitionName, Errors]:
        """Decision: whether each partition is in the transaction already. Changes nothing, and ignores a pending transition.

        Raises RequestRefused: CONCURRENT_TRANSACTIONS when the transaction is prepared, and as `check_producer`.
        """
        rule("KIP890-040")
        transaction = self._known(transactional_id)
        self.check_producer(transaction, producer)
        if transaction.state in PREPARED:
            rule("KIP890-041")
            raise RequestRefused(Errors.CONCURRENT_TRANSACTIONS)
        refusal = self._profile.verification_refusal
        return {partition: Errors.NONE if self.is_member(transaction, partition) else refusal for partition in partitions}

    def is_member(self, transaction: KafkaTransaction, partition: PartitionName) -> bool:
        """Decision: whether the partition is in the open transaction. One that is not open has no partitions."""
        if partition in transaction.partitions:
            rule("KIP890-038")
            return True
        rule("KIP890-039" if transaction.state is KafkaTransactionState.ONGOING else "KIP890-042")
        return False

    # -- EndTxn

    def end_transaction(
        self, transactional_id: str, producer: ProducerIdAndEpoch, decision: Decision, api_version: int
    ) -> ProducerIdAndEpoch:
        """Decision: EndTxn commits or aborts; returns the producer id and epoch to continue with. `api_version` is that of EndTxn.

        Raises RequestRefused: CONCURRENT_TRANSACTIONS when the end before is not complete, INVALID_PRODUCER_ID_MAPPING and PRODUCER_FENCED
        when another producer owns the transactional id, INVALID_TXN_STATE when the state does not allow this end.
        """
        transaction = self._known(transactional_id)
        if self.bumps_epoch(api_version):
            # Here too pending comes first, or a producer with its fresh epoch would be answered PRODUCER_FENCED.
            if self.must_wait(transaction):
                rule("KIP890-066")
                rule("CORE-37")
                rule("KIP890-079")
                rule("KIP890-081")
                rule("KIP890-202")
                raise RequestRefused(Errors.CONCURRENT_TRANSACTIONS)
            if (asked := self.asked_about(transaction, producer)) is None:
                raise RequestRefused(Errors.INVALID_PRODUCER_ID_MAPPING)
            ending, bumps = self.end_of_new_client(transaction.state, decision, asked), 1
        else:
            self.check_old_client(transaction, producer)
            if self.must_wait(transaction):
                rule("KIP890-088")
                raise RequestRefused(Errors.CONCURRENT_TRANSACTIONS)
            ending, bumps = self.end_of_old_client(transaction.state, decision), 0
        if ending is EndTxnEffect.ANSWER_AGAIN:
            return transaction.producer
        return self.prepare(transaction, decision, bumps).next_producer

    def asked_about(self, transaction: KafkaTransaction, producer: ProducerIdAndEpoch) -> RequestedTransaction | None:
        """Decision: which transaction EndTxn of a new client means, the current one or the one that ended last.

        None for a foreign producer id.
        """
        return asked_about(transaction, producer)

    def end_of_new_client(self, state: KafkaTransactionState, decision: Decision, asked: RequestedTransaction) -> EndTxnEffect:
        """Decision: what follows from EndTxn v5 and later in this state. Raises RequestRefused: as `end_txn_rules.end_of_new_client`."""
        return end_of_new_client(state, decision, asked)

    def end_of_old_client(self, state: KafkaTransactionState, decision: Decision) -> EndTxnEffect:
        """Decision: what follows from EndTxn v0 to v4 in this state. Raises RequestRefused: as `end_txn_rules.end_of_old_client`."""
        rule("KIP890-089")
        return end_of_old_client(state, decision)

    def check_old_client(self, transaction: KafkaTransaction, producer: ProducerIdAndEpoch) -> None:
        """Decision: for old clients only the current epoch is right, since none of them retries with an earlier one."""
        rule("KIP890-087")
        self.check_producer(transaction, producer)

    def bumps_epoch(self, end_txn_version: int) -> bool:
        """Decision: whether the client is a new one, for which each end bumps the epoch. Only the version of its EndTxn shows that."""
        rule("KIP890-005")
        rule("KIP890-060")
        return end_txn_version >= 5

    def prepare(self, transaction: KafkaTransaction, decision: Decision, bumps: int, *, moves_on: bool = True) -> KafkaTransaction:
        """Decision: the transaction is prepared with its epoch raised by `bumps`, and its end cannot be changed any more.

        `moves_on` is whether a producer at its last epoch continues with a new producer id.
        """
        overflow = bumps > 0 and moves_on and transaction.epoch_is_exhausted
        if overflow:
            rule("KIP890-028")
            rule("KIP890-076")
            rule("KIP890-078")
            rule("KIP890-124")
            rule("KIP890-276")
        prepared = transaction.prepare(
            decision,
            bumps=min(bumps, MAX_EPOCH - transaction.producer_epoch),
            next_producer_id=self._log.new_producer_id() if overflow else NOTHING,
        )
        self._machine.crash_points.reach("before-decision-logged")
        rule("KIP890-161")
        rule("CORE-27")
        self.install(prepared)
        self._machine.crash_points.reach("after-decision-logged")
        self._send_markers(prepared)
        return prepared

    # -- What the coordinator does periodically

    def abort_by_server(self, transaction: KafkaTransaction) -> None:
        """Decision: a transaction that its producer did not end is aborted with a bumped epoch, so that the producer is fenced.

        Here the level of the cluster counts.
        """
        if self._levels.transaction_version < 2:
            self.prepare(transaction.fenced(), Decision.ABORT, bumps=0)
            return
        self.prepare(transaction, Decision.ABORT, self.fence_bumps(), moves_on=self.fence_moves_on())

    def fence_bumps(self) -> int:
        """Decision: by how much the epoch grows when the server ends a transaction: by one, as when its client ends it."""
        return 1

    def fence_moves_on(self) -> bool:
        """Decision: whether a producer at its last epoch moves to a new producer id when the server ends its transaction. The text has the
        overflow of a client's EndTxn only; we choose the same."""
        return True

    def abort_timed_out(self) -> None:
        """Decision: at each turn of its timer, the coordinator aborts what has been open for longer than its producer's transaction
        timeout."""
        for transaction in list(self._transactions.values()):
            overdue = transaction.started_at + transaction.timeout_ms < self._machine.clock.now
            if transaction.state is KafkaTransactionState.ONGOING and overdue:
                rule("KIP890-156")
                rule("KIP890-159")
                rule("KIP890-215")
                rule("CORE-15")
                rule("KIP890-157")
                rule("KIP890-213")
                with contextlib.suppress(RequestRefused):  # it stays open, and the next turn of the timer tries again
                    self.abort_by_server(transaction)

    # -- Checks and steps that all requests share

    def _known(self, transactional_id: str) -> KafkaTransaction:
        if not self.is_valid_id(transactional_id):
            rule("KIP890-075")
            rule("KIP890-214")
            raise RequestRefused(Errors.INVALID_REQUEST)
        self.check_loaded()
        if (transaction := self._transactions.get(transactional_id)) is None:
            rule("KIP890-031")
            rule("KIP890-074")
            raise RequestRefused(Errors.INVALID_PRODUCER_ID_MAPPING)
        return transaction

    def is_valid_id(self, transactional_id: str) -> bool:
        """Decision: whether a transactional id is valid; the empty one is not."""
        return transactional_id != ""

    def must_wait(self, transaction: KafkaTransaction) -> bool:
        """Decision: whether InitProducerId and EndTxn have to be retried, since the end of a transaction is not complete."""
        return self._is_pending(transaction)

    def check_producer(self, transaction: KafkaTransaction, producer: ProducerIdAndEpoch) -> None:
        """Decision: only the current producer id and epoch of the transactional id may go on with its transaction.

        Raises RequestRefused: INVALID_PRODUCER_ID_MAPPING when the producer id is another, PRODUCER_FENCED when the epoch is.
        """
        if producer.producer_id != transaction.producer_id:
            rule("KIP890-031")
            rule("KIP890-074")
            raise RequestRefused(Errors.INVALID_PRODUCER_ID_MAPPING)
        if producer.epoch != transaction.producer_epoch:
            rule("KIP890-032")
            rule("KIP890-206")
            rule("KIP890-102" if producer.epoch > transaction.producer_epoch else "KIP890-087")
            raise RequestRefused(Errors.PRODUCER_FENCED)
