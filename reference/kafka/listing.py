"""Which transactions a ListTransactions request wants: all of its filters have to let a transaction pass."""

import re
from collections.abc import Sequence

from fencepost.reference.kernel.rules import rule

from .kafka_errors import Errors, RequestRefused
from .transaction import KafkaTransaction, KafkaTransactionState

_STATE_NAMES = frozenset({state.value for state in KafkaTransactionState} | {"Dead", "PrepareEpochFence"})
"""The names that a filter may have; Kafka's own has two states that no transaction here is ever in."""


class TransactionFilter:
    """The filters of one request. Empty ones, a duration of -1 and no pattern let everything pass."""

    def __init__(self, states: Sequence[str], producer_ids: Sequence[int], longer_than_ms: int, pattern: str | None) -> None:
        """Raises RequestRefused: INVALID_REGULAR_EXPRESSION when the pattern is invalid."""
        self._states = states
        self._producer_ids = producer_ids
        self._longer_than_ms = longer_than_ms
        self._pattern = self.compiled(pattern) if pattern else None

    def compiled(self, pattern: str) -> re.Pattern[str]:
        """The pattern, ready to match."""
        rule("KIP890-152")
        try:
            return re.compile(pattern)
        except re.error as error:
            raise RequestRefused(Errors.INVALID_REGULAR_EXPRESSION, str(error)) from error

    @property
    def unknown_states(self) -> list[str]:
        """The names in the filter that are not those of a state."""
        return [name for name in self._states if not self.is_state(name)]

    def is_state(self, name: str) -> bool:
        """Decision: whether a name is that of a state. The comparison is case-sensitive."""
        rule("KIP890-150")
        return name in _STATE_NAMES

    def passes(self, transaction: KafkaTransaction, now: int) -> bool:
        """Whether every filter lets the transaction pass."""
        return (
            (not self._states or self.has_state(transaction, self._states))
            and (not self._producer_ids or self.has_producer_id(transaction, self._producer_ids))
            and (self._longer_than_ms < 0 or self.began_longer_ago(transaction, now, self._longer_than_ms))
            and (self._pattern is None or self._pattern.fullmatch(transaction.transactional_id) is not None)
        )

    def has_state(self, transaction: KafkaTransaction, states: Sequence[str]) -> bool:
        """Decision: whether the transaction's state is one of these."""
        rule("KIP890-150")
        return transaction.state.value in states

    def has_producer_id(self, transaction: KafkaTransaction, producer_ids: Sequence[int]) -> bool:
        """Decision: whether the producer id in force is one of these: one from before an overflow is no longer its own."""
        rule("KIP890-150")
        return transaction.producer_id in producer_ids

    def began_longer_ago(self, transaction: KafkaTransaction, now: int, duration_ms: int) -> bool:
        """Decision: whether a transaction began longer ago. An id in Empty has no start, -1, and so is older than every duration."""
        rule("KIP890-151")
        return now - transaction.started_at > duration_ms
