"""Unusual for transaction keys, and conforming: what a suite must not take for a defect."""

import functools
from collections.abc import Sequence

from fencepost.reference.defects.transaction_key.pair import pair
from fencepost.reference.pulsar.pulsar_types import TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused
from fencepost.reference.pulsar.transaction_key.claims import KeyedRequest
from fencepost.reference.pulsar.transaction_key.coordinator_keys import TransactionKeys
from fencepost.reference.pulsar.transaction_key.key import TransactionKey
from fencepost.reference.pulsar.transaction_key.key_records import KeyRecord, Numbers, numbers_of
from fencepost.reference.pulsar.transaction_key.key_topic import KeyTopic
from fencepost.reference.pulsar.transaction_key.node_keys import NodeKeys

from .kafka import SlowNetwork

_EPOCHS_SKIPPED = 6
_ROUNDS = 3
_OTHER_WORDS = "computer says no"


@pair({}, origin="a coordinator that takes several at once, so that it writes less often")
class EpochsSkipped(TransactionKeys):
    """After the first connection each epoch is 7 higher than the one before: it is greater, and the proposal promises no more."""

    def next_epoch(self, record: KeyRecord | None) -> int:
        return super().next_epoch(record) + (0 if record is None else _EPOCHS_SKIPPED)


@pair({}, origin="docs/transaction-key-design.md, O5: the other value of the profile")
class TransactionKept(TransactionKeys):
    """A client that reconnects with the current epoch keeps its transaction, each time."""

    def keeps(self, record: KeyRecord, epoch: int) -> bool:
        return epoch == record.epoch


@pair({}, origin="the proposal names no hash")
class AnotherHash(NodeKeys):
    """New keys are spread over the coordinators by another hash; one that is recorded stays where it is."""

    def home_of(self, key: TransactionKey, coordinators: range, *, scalable: bool) -> int:
        home = super().home_of(key, coordinators, scalable=scalable)
        return home if self._topics.of(home, scalable=scalable).has(key) else coordinators[-1 - home]


class _ParticipantsInOtherWords(NodeKeys):
    def refuse_fenced(self, txn: TxnId, doing: KeyedRequest, coordinators: range, *, scalable: bool) -> None:
        try:
            super().refuse_fenced(txn, doing, coordinators, scalable=scalable)
        except CommandRefused as refused:
            raise CommandRefused(refused.error, f"ExpiredTransaction, {_OTHER_WORDS}") from refused


@pair({}, origin="brokers that spare their timers")
class LooksSeldom(NodeKeys):
    """A coordinator checks a third as often whether what it waits for is over."""

    @functools.cached_property
    def rounds(self) -> list[None]:
        """One for each time that it was the timer's turn."""
        return []

    def sweep(self) -> None:
        self.rounds.append(None)
        if len(self.rounds) % _ROUNDS == 0:
            super().sweep()


@pair({}, origin="brokers that have memory enough")
class AllRemembered(TransactionKeys):
    """Every fenced transaction is remembered, the one with the highest number first."""

    def remembered(self, known: Sequence[Numbers], fenced: Sequence[TxnId]) -> tuple[Numbers, ...]:
        return tuple(sorted({*known, *map(numbers_of, fenced)}, reverse=True))


@pair({}, origin="every compacted topic, where what has no key is removed")
class UnreadableCompactedAway(KeyTopic):
    """A coordinator reports unreadable records when it loads the key topic, and compaction removes them."""

    def compact(self) -> None:
        self._entries.replace([self._encoded(record) for record in self._latest.values()])


@pair({}, origin="the proposal does not say when")
class NeverCompacted(KeyTopic):
    """The key topic is never compacted, and read from its beginning when it is loaded."""

    def compact(self) -> None:
        """It is read from its beginning each time."""


@pair({}, origin="brokers that keep keys in a sorted map")
class ListedByName(TransactionKeys):
    """Lists of keys are in another order."""

    def listed(self) -> tuple[TransactionKey, ...]:
        return tuple(sorted(super().listed(), key=lambda key: (key.name, key.owner), reverse=True))


@pair({}, origin="every release rewords its messages", also=[_ParticipantsInOtherWords])
class OtherKeyRefusals(TransactionKeys):
    """Refusals have the same error codes and other messages; that of a fenced transaction keeps the word from the proposal."""

    def check_epoch(self, key: TransactionKey, epoch: int, record: KeyRecord | None) -> None:
        try:
            super().check_epoch(key, epoch, record)
        except CommandRefused as refused:
            raise CommandRefused(refused.error, _OTHER_WORDS) from refused

    def refuse_fenced(self, txn: TxnId, doing: KeyedRequest) -> None:
        try:
            super().refuse_fenced(txn, doing)
        except CommandRefused as refused:
            raise CommandRefused(refused.error, f"ExpiredTransaction, {_OTHER_WORDS}") from refused


@pair({}, origin="every cluster, where coordinator and topics are with different brokers", also=[SlowNetwork])
class EndsAreLate(LooksSeldom):
    """Topics and subscriptions learn late of an abort, and a client that connects waits for that."""
