"""Unusual for transaction keys, and lawful: what a suite must not take for a defect."""

import functools
from collections.abc import Sequence

from fencepost.reference.defects.transaction_key.pair import pair
from fencepost.reference.pulsar.errors import Refused
from fencepost.reference.pulsar.transaction_key.claims import Doing
from fencepost.reference.pulsar.transaction_key.key import TransactionKey
from fencepost.reference.pulsar.transaction_key.key_topic import KeyTopic
from fencepost.reference.pulsar.transaction_key.keys import TransactionKeys
from fencepost.reference.pulsar.transaction_key.node_keys import NodeKeys
from fencepost.reference.pulsar.transaction_key.records import KeyRecord, Numbers, numbers_of
from fencepost.reference.pulsar.values import TxnId

from .kafka import SlowNetwork

_EPOCHS_SKIPPED = 6
_ROUNDS = 3
_OTHER_WORDS = "computer says no"


class _SkipsEpochs(TransactionKeys):
    def next_epoch(self, record: KeyRecord | None) -> int:
        return super().next_epoch(record) + (0 if record is None else _EPOCHS_SKIPPED)


class _Keeps(TransactionKeys):
    def keeps(self, record: KeyRecord, epoch: int) -> bool:
        return epoch == record.epoch


class _HashesOtherwise(NodeKeys):
    def home_of(self, key: TransactionKey, coordinators: range, *, scalable: bool) -> int:
        home = super().home_of(key, coordinators, scalable=scalable)
        return home if self._topics.of(home, scalable=scalable).has(key) else coordinators[-1 - home]


class _InOtherWords(TransactionKeys):
    def check_epoch(self, key: TransactionKey, epoch: int, record: KeyRecord | None) -> None:
        try:
            super().check_epoch(key, epoch, record)
        except Refused as refused:
            raise Refused(refused.error, _OTHER_WORDS) from refused

    def refuse_fenced(self, txn: TxnId, doing: Doing) -> None:
        try:
            super().refuse_fenced(txn, doing)
        except Refused as refused:
            raise Refused(refused.error, f"ExpiredTransaction, {_OTHER_WORDS}") from refused


class _ParticipantsInOtherWords(NodeKeys):
    def refuse_fenced(self, txn: TxnId, doing: Doing, coordinators: range, *, scalable: bool) -> None:
        try:
            super().refuse_fenced(txn, doing, coordinators, scalable=scalable)
        except Refused as refused:
            raise Refused(refused.error, f"ExpiredTransaction, {_OTHER_WORDS}") from refused


class _SweepsSeldom(NodeKeys):
    @functools.cached_property
    def rounds(self) -> list[None]:
        """One for each time that it was the timer's turn."""
        return []

    def sweep(self) -> None:
        self.rounds.append(None)
        if len(self.rounds) % _ROUNDS == 0:
            super().sweep()


class _RemembersAll(TransactionKeys):
    def remembered(self, known: Sequence[Numbers], fenced: Sequence[TxnId]) -> tuple[Numbers, ...]:
        return tuple(sorted({*known, *map(numbers_of, fenced)}, reverse=True))


class _CompactsTheUnreadableAway(KeyTopic):
    def compact(self) -> None:
        self._entries.replace([self._encoded(record) for record in self._latest.values()])


class _NeverCompacts(KeyTopic):
    def compact(self) -> None:
        """It is read from its beginning each time."""


class _ListsByName(TransactionKeys):
    def listed(self) -> tuple[TransactionKey, ...]:
        return tuple(sorted(super().listed(), key=lambda key: (key.name, key.owner), reverse=True))


EPOCHS_SKIPPED = pair(
    "epochs-skipped",
    breaks={},
    story=f"Behind the first one an epoch is {_EPOCHS_SKIPPED + 1} higher than the one before; it is greater, and nobody promised more.",
    origin="a coordinator that takes several at once, so that it writes less often",
    transaction_keys=_SkipsEpochs,
)

TRANSACTION_KEPT = pair(
    "transaction-kept",
    breaks={},
    story="A client that comes again with the current epoch goes on with its transaction, each time.",
    origin="docs/transaction-key.md, O5: the other value of the profile",
    transaction_keys=_Keeps,
)

ANOTHER_HASH = pair(
    "another-hash",
    breaks={},
    story="New keys are spread over the coordinators by another hash; one that is recorded stays where it is.",
    origin="the proposal names no hash",
    node_keys=_HashesOtherwise,
)

OTHER_WORDS = pair(
    "other-words",
    breaks={},
    story="Refusals have their error codes, and of a fenced transaction the word that the proposal has, and other words beside it.",
    origin="every release words its messages anew",
    transaction_keys=_InOtherWords,
    node_keys=_ParticipantsInOtherWords,
)

LOOKS_SELDOM = pair(
    "looks-seldom",
    breaks={},
    story=f"A coordinator looks {_ROUNDS} times less often whether what it waits for is over.",
    origin="brokers that spare their timers",
    node_keys=_SweepsSeldom,
)

ENDS_ARE_LATE = pair(
    "ends-are-late",
    breaks={},
    story="Topics and subscriptions hear late of an abort, and whoever connects waits for that.",
    origin="every cluster, where coordinator and topics are with different brokers",
    node_keys=_SweepsSeldom,
    network=SlowNetwork,
)

ALL_REMEMBERED = pair(
    "all-remembered",
    breaks={},
    story="Every fenced transaction is remembered, the one with the highest number first.",
    origin="brokers that have memory enough",
    transaction_keys=_RemembersAll,
)

UNREADABLE_COMPACTED_AWAY = pair(
    "unreadable-compacted-away",
    breaks={},
    story="Records that nobody can read are named when the topic is loaded, and compaction removes them.",
    origin="every compacted topic, where what has no key is removed",
    key_topic=_CompactsTheUnreadableAway,
)

NEVER_COMPACTED = pair(
    "never-compacted",
    breaks={},
    story="The key topic is never compacted, and read from its beginning when it is loaded.",
    origin="the proposal does not say when",
    key_topic=_NeverCompacts,
)

LISTED_BY_NAME = pair(
    "listed-by-name",
    breaks={},
    story="Lists of keys are in another order.",
    origin="brokers that keep keys in a sorted map",
    transaction_keys=_ListsByName,
)
