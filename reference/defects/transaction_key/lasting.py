"""Defects of the transaction key in what is left of keys behind a crash."""

from collections.abc import Mapping
from functools import cached_property

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.metadata_transactions.coordinator import MetadataCoordinator
from fencepost.reference.pulsar.transaction_key.key import TransactionKey
from fencepost.reference.pulsar.transaction_key.key_topic import KeyTopic
from fencepost.reference.pulsar.transaction_key.keys import TransactionKeys
from fencepost.reference.pulsar.transaction_key.records import KeyRecord, decoded
from fencepost.reference.pulsar.values import TxnId

from .pair import pair

_WEEK_MS = 7 * 24 * 60 * 60 * 1000
_EPOCH_AGAIN = Symptom(what="^given to task (two|three)$", expected="^a greater epoch", seen=r"^epoch (\d), where task (one|two) has \1$")
_NOT_FENCED = Symptom(what="^(status of A|readers of orders)$", expected="^(ABORTED|nothing)$", seen="^(OPEN|.not even the sentinel.)$")


class _WritesTheOneBefore(KeyTopic):
    @cached_property
    def held(self) -> list[KeyRecord]:
        """What was answered, and is not written."""
        return []

    def load(self) -> Mapping[TransactionKey, KeyRecord]:
        self.held.clear()
        return super().load()

    def append(self, record: KeyRecord) -> None:
        for held in self.held:
            super().append(held)
        self.held[:] = [record]
        self._take_in(record)


class _DropsIdleKeys(TransactionKeys):
    def recover(self) -> None:
        oldest = self._machine.clock.now - _WEEK_MS
        self._records = {key: record for key, record in self._records.items() if record.connectedAt >= oldest}
        super().recover()


class _KeepsTheFirst(KeyTopic):
    def compact(self) -> None:
        first: dict[TransactionKey, bytes] = {}
        for entry in self._entries:
            if isinstance(record := decoded(entry), KeyRecord):
                first.setdefault(record.key, entry)
        self._entries.replace([*self.unreadable, *first.values()])


class _RecordsNoOwners(KeyTopic):
    def append(self, record: KeyRecord) -> None:
        super().append(record.model_copy(update={"owner": ""}))


class _CountsAnew(KeyTopic):
    def load(self) -> Mapping[TransactionKey, KeyRecord]:
        return {key: record.model_copy(update={"epoch": 0}) for key, record in super().load().items()}


class _ForgetsWhatIsOpen(KeyTopic):
    def append(self, record: KeyRecord) -> None:
        super().append(record.model_copy(update={"open": None}))


class _CompactsWhatIsOpenAway(KeyTopic):
    def compact(self) -> None:
        there = [record.model_copy(update={"open": None}) for record in self._latest.values()]
        self._entries.replace([*self.unreadable, *map(self._encoded, there)])


class _BeginsWithNothingOpen(TransactionKeys):
    def recover(self) -> None:
        super().recover()
        for record in self._records.values():
            for txn in self.to_fence(record):
                self.abort(txn)


class _WaitsForWhoIsAway(MetadataCoordinator):
    def is_applied(self, txn: TxnId) -> bool:
        return self.is_over(txn) and not self._records.participants(txn)


ANSWERED_BEFORE_DURABLE = pair(
    "answered-before-durable",
    breaks={"TXKEY-20": _EPOCH_AGAIN, "TXKEY-21": _NOT_FENCED},
    story="A record is written together with the next one, and the epoch is answered before: a crash in between forgets it.",
    origin="textbook: a write that is put off; every topic with batching",
    key_topic=_WritesTheOneBefore,
)

FIRST_RECORD_KEPT = pair(
    "first-record-kept",
    breaks={"TXKEY-20": _EPOCH_AGAIN},
    story="Compaction keeps the first record of each key, and the epoch goes back.",
    origin="textbook: the wrong one of two records",
    key_topic=_KeepsTheFirst,
)

OWNERS_NOT_RECORDED = pair(
    "owners-not-recorded",
    breaks={"TXKEY-20": Symptom(what="^(list of keys|given to task four)$")},
    story="The record of a key has its name, and behind a crash nobody owns it.",
    origin="the proposal's text, O16: a path that has no owner, and a record that has none",
    key_topic=_RecordsNoOwners,
)

EPOCHS_COUNTED_ANEW = pair(
    "epochs-counted-anew",
    breaks={"TXKEY-20": Symptom(what="^answer to TC_CLIENT_CONNECT$", expected="NotAllowedError", seen="^success$")},
    story="Keys survive a crash, and their epochs begin anew.",
    origin="the proposal's text: an epoch that begins at -1",
    key_topic=_CountsAnew,
)

OPEN_FORGOTTEN_BY_RESTART = pair(
    "open-forgotten-by-restart",
    breaks={"TXKEY-21": _NOT_FENCED},
    story="The record of a key has its epoch alone: behind a crash nobody knows which transaction is to be fenced.",
    origin="feared by readers of the proposal: another write for each transaction, that somebody saves",
    key_topic=_ForgetsWhatIsOpen,
)

OPEN_COMPACTED_AWAY = pair(
    "open-compacted-away",
    breaks={"TXKEY-21": _NOT_FENCED},
    story="Compaction leaves of each key its epoch, and not what it has open.",
    origin="feared by readers of the proposal: a record for each thing, of which the last one is kept",
    key_topic=_CompactsWhatIsOpenAway,
)

OPEN_ABORTED_BY_RESTART = pair(
    "open-aborted-by-restart",
    breaks={"TXKEY-21": Symptom(what='^key "payments"$', expected=r"open: .*\d", seen="open: nothing$")},
    story="A coordinator that is loaded aborts what its keys have open, since their connections are gone.",
    origin="textbook: a client is taken for gone with its connection",
    transaction_keys=_BeginsWithNothingOpen,
)

AWAITED_WHERE_NOBODY_IS = Defect(
    name="scalable-key-awaited-where-nobody-is",
    breaks={"TXKEY-21": Symptom(what="^given to task two$", expected="^a greater epoch", seen="^no answer ")},
    story="A connect waits until a segment has followed the end, also where nobody has it loaded since the crash, and is never answered.",
    origin="feared by readers of the proposal: who waits for everybody waits for those who are gone",
    parts=MetadataParts(metadata_coordinator=_WaitsForWhoIsAway),
)
"""Of classic transactions a coordinator asks each participant by itself, which loads it."""

IDLE_KEYS_DROPPED = pair(
    "idle-keys-dropped",
    breaks={
        "TXKEY-20": Symptom(
            what="^(given to task two|answer to TC_CLIENT_CONNECT)$",
            expected="^(a greater epoch than task one|.*NotAllowedError.*)$",
            seen="^(epoch 0, where task one has 0|success)$",
        )
    },
    story="A coordinator that is loaded leaves out keys that nobody has used for a week, and their epochs begin anew.",
    origin="the proposal's text, O22: a metric of idle keys, and no word of what becomes of them",
    transaction_keys=_DropsIdleKeys,
)
