"""The owner of a transactional id: the decisions of InitProducerId.

The owner of a transactional id has its producer id and its latest epoch. A producer that initialises after it gets the next epoch, which
fences the one before; an owner that repeats a request whose answer was lost gets the same answer again. When the epochs are exhausted, the
owner continues with a new producer id.

Source: "Bump Epoch on Each Transaction for New Clients (1)"; KIP-360 for the producer id and epoch that InitProducerId may give.
"""

from fencepost.reference.kernel.rules import rule

from .kafka_errors import Errors, RequestRefused
from .kafka_types import EXHAUSTED_EPOCH, FIRST_EPOCH, NO_PRODUCER, NOTHING, ProducerIdAndEpoch
from .transaction import KafkaTransaction
from .transaction_log import KafkaTransactionLog

MAX_TIMEOUT_MS = 900_000
"""`transaction.max.timeout.ms`, with Kafka's default."""


class ProducerIdOwnership:
    """Which producer id and epoch InitProducerId answers, and to which producers."""

    def __init__(self, log: KafkaTransactionLog) -> None:
        self._log = log

    def new_idempotent_producer(self) -> ProducerIdAndEpoch:
        """Decision: InitProducerId without a transactional id answers an unused producer id, each time."""
        rule("KIP890-010")
        return ProducerIdAndEpoch(self._log.new_producer_id(), FIRST_EPOCH)

    def check_expected_producer(self, expected: ProducerIdAndEpoch) -> None:
        """Decision: InitProducerId gives both producer id and epoch, or neither.

        Raises RequestRefused: INVALID_REQUEST when one of them is missing.
        """
        if (expected.producer_id == NO_PRODUCER.producer_id) != (expected.epoch == NO_PRODUCER.epoch):
            rule("KIP890-013")
            raise RequestRefused(Errors.INVALID_REQUEST)

    def allows_timeout(self, timeout_ms: int) -> bool:
        """Decision: whether a producer may have this transaction timeout: more than 0, and not above the broker's maximum."""
        return 0 < timeout_ms <= MAX_TIMEOUT_MS

    def first_owner(self, transactional_id: str, expected: ProducerIdAndEpoch, timeout_ms: int) -> KafkaTransaction:  # noqa: ARG002
        """Decision: an unknown transactional id gets an unused producer id, and epoch 0.

        There is nothing to compare `expected` with, so it is dropped.
        """
        return KafkaTransaction(transactional_id, self._log.new_producer_id(), FIRST_EPOCH, timeout_ms)

    def may_initialise(self, expected: ProducerIdAndEpoch, transaction: KafkaTransaction) -> bool:
        """Decision: whether InitProducerId with this producer id and epoch is the owner's: its producer id is the current one, or the one
        before an overflow with the last epoch. Without a producer id, any client may initialise."""
        rule("KIP890-276")
        if expected.producer_id in (NO_PRODUCER.producer_id, transaction.producer_id):
            return True
        rule("KIP890-027")
        return expected.producer_id == transaction.previous_producer_id and expected.epoch >= EXHAUSTED_EPOCH

    def next_owner(self, transaction: KafkaTransaction, expected_epoch: int, timeout_ms: int) -> KafkaTransaction:
        """Decision: the owner of a known transactional id after InitProducerId: the same producer id with the next epoch, or a new
        producer id if the epochs are exhausted.

        Raises RequestRefused: PRODUCER_FENCED when `expected_epoch` is neither the current epoch nor the one before a lost answer.
        """
        # Below level 2 the server's abort leaves 32767, which no client has: then the owner still names 32766.
        if transaction.epoch_is_exhausted and expected_epoch in (NOTHING, EXHAUSTED_EPOCH, transaction.producer_epoch):
            rule("KIP890-026")
            return transaction.rotate_producer_id(self._log.new_producer_id(), timeout_ms, remember_epoch=expected_epoch != NOTHING)
        rule("KIP890-015")
        rule("KIP890-016")
        rule("KIP890-017")
        rule("KIP890-018")
        rule("KIP890-021")
        rule("KIP890-204")
        rule("KIP890-412")
        return transaction.bump_epoch(expected_epoch, timeout_ms)
