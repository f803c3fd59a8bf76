"""Defects of the transaction key in what remains of keys after a crash."""

from collections.abc import Mapping
from functools import cached_property

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.metadata_transactions.metadata_coordinator import MetadataCoordinator
from fencepost.reference.pulsar import PulsarParts
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.pulsar_types import EndAction, TxnId
from fencepost.reference.pulsar.transaction_key.coordinator_keys import NEW, TransactionKeys
from fencepost.reference.pulsar.transaction_key.key import TransactionKey
from fencepost.reference.pulsar.transaction_key.key_records import KeyRecord, decoded
from fencepost.reference.pulsar.transaction_key.key_topic import KeyTopic

from .pair import pair

_WEEK_MS = 7 * 24 * 60 * 60 * 1000
_A_PAGE = 100
_EPOCH_AGAIN = Symptom(what="^given to task (two|three)$", expected="^a greater epoch", seen=r"^epoch (\d), where task (one|two) has \1$")
_EPOCH_AGAIN_OF_TWO = Symptom(what="^given to task three$", expected="^a greater epoch", seen=r"^epoch 0, where task one has 0$")
_NOT_FENCED = Symptom(what="^(status of A|readers of orders)$", expected="^(ABORTED|nothing)$", seen="^(OPEN|.not even the sentinel.)$")


@pair({"TXKEY-20": _EPOCH_AGAIN, "TXKEY-21": _NOT_FENCED}, origin="textbook: a write that is deferred; every topic with batching")
class AnsweredBeforeDurable(KeyTopic):
    """A record is written together with the next one, and the epoch is answered before: a crash in between forgets it."""

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


@pair(
    {
        "TXKEY-20": seen(
            "^(epoch 0, where task one has 0|success)$",
            expected="^(a greater epoch than task one|.*NotAllowedError.*)$",
            what="^(given to task two|answer to TC_CLIENT_CONNECT)$",
        )
    },
    origin="the proposal's text, O22: a metric of idle keys, and no word of what becomes of them",
)
class IdleKeysDropped(TransactionKeys):
    """A coordinator that is loaded drops keys that were not used for a week, and their epochs start again."""

    def recover(self) -> None:
        oldest = self._machine.clock.now - _WEEK_MS
        self._records = {key: record for key, record in self._records.items() if record.connectedAt >= oldest}
        super().recover()


@pair({"TXKEY-20": _EPOCH_AGAIN}, origin="textbook: the wrong one of two records")
class FirstRecordKept(KeyTopic):
    """Compaction keeps the first record of each key, and the epoch goes back."""

    def compact(self) -> None:
        first: dict[TransactionKey, bytes] = {}
        for entry in self._entries:
            if isinstance(record := decoded(entry), KeyRecord):
                first.setdefault(record.key, entry)
        self._entries.replace([*self.unreadable, *first.values()])


@pair(
    {"TXKEY-20": Symptom(what="^(list of keys|given to task four)$")},
    origin="the proposal's text, O16: a path that has no owner, and a record that has none",
)
class OwnersNotRecorded(KeyTopic):
    """The record of a key has no owner, so after a crash the key belongs to no client."""

    def append(self, record: KeyRecord) -> None:
        super().append(record.model_copy(update={"owner": ""}))


@pair(
    {"TXKEY-20": seen("^success$", expected="NotAllowedError", what="^answer to TC_CLIENT_CONNECT$")},
    origin="the proposal's text: an epoch that begins at -1",
)
class EpochsCountedAnew(KeyTopic):
    """Keys survive a crash, and their epochs start again."""

    def load(self) -> Mapping[TransactionKey, KeyRecord]:
        return {key: record.model_copy(update={"epoch": 0}) for key, record in super().load().items()}


@pair({"TXKEY-21": _NOT_FENCED}, origin="feared by readers of the proposal: an implementation that saves one write for each transaction")
class OpenForgottenByRestart(KeyTopic):
    """The record of a key has its epoch and not its transaction: after a crash the coordinator does not know which transaction to
    fence."""

    def append(self, record: KeyRecord) -> None:
        super().append(record.model_copy(update={"open": None}))


@pair({"TXKEY-21": _NOT_FENCED}, origin="feared by readers of the proposal: a record for each thing, of which the last one is kept")
class OpenCompactedAway(KeyTopic):
    """Compaction keeps the epoch of each key, and not its open transaction."""

    def compact(self) -> None:
        there = [record.model_copy(update={"open": None}) for record in self._latest.values()]
        self._entries.replace([*self.unreadable, *map(self._encoded, there)])


@pair(
    {"TXKEY-21": seen("open: nothing$", expected=r"open: .*\d", what='^key "payments"$')},
    origin="textbook: a client is treated as gone with its connection",
)
class OpenAbortedByRestart(TransactionKeys):
    """A coordinator that is loaded aborts what its keys have open, since their connections are gone."""

    def recover(self) -> None:
        super().recover()
        for record in self._records.values():
            for txn in self.to_fence(record):
                self.abort(txn)


@defect(
    {"TXKEY-21": seen("^no answer ", expected="^a greater epoch", what="^given to task two$")},
    origin="feared by readers of the proposal: a wait for all participants also waits for those that are gone",
)
class ScalableKeyAwaitedWhereNobodyIs(MetadataCoordinator):
    """A connect waits until a segment has applied the end, even if no broker has loaded the segment since the crash, and is never
    answered."""

    def is_applied(self, txn: TxnId) -> bool:
        return self.is_over(txn) and not self._records.participants(txn)


"""The coordinator asks each participant of a classic transaction, which loads it."""


@pair({"TXKEY-20": _EPOCH_AGAIN_OF_TWO}, origin="red team: a compaction that keeps the latest record of the topic, and not of each key")
class CompactedToOneKey(KeyTopic):
    """The compaction of a key topic keeps the latest record of one key alone, so that another key begins afresh after the second crash."""

    def compact(self) -> None:
        kept, self._latest = self._latest, dict(list(self._latest.items())[-1:])
        super().compact()
        self._latest = kept


@pair(
    {"TXKEY-21": seen("^(OPEN|not known any more)$", expected="^ABORTED$", what="^status of B$")},
    origin="textbook: a list of which the first page is read",
)
class PageOfTheKeyTopicLoaded(KeyTopic):
    """A coordinator that is loaded reads the first 100 records of its key topic, and does not know what its keys had later."""

    def load(self) -> Mapping[TransactionKey, KeyRecord]:
        self._entries.replace(list(self._entries)[:_A_PAGE])
        return super().load()


@pair(
    {"TXKEY-20": seen("^epoch 0, where task two has 1$", expected="^a greater epoch", what="^given to task three$")},
    origin="the proposal's text, which has a separate topic because the entries of the transaction log are cleared at the end",
)
class EpochGoesWithItsTransaction(TransactionKeys):
    """When the transaction of a key has ended, the record of the key is cleared like that of the transaction: after a crash its epochs
    start again."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        super().end(txn, action, reply)
        for record in self._records.values():
            if record.open_txn == txn:
                self._topic.append(record.model_copy(update={"epoch": NEW, "open": None}))


@pair({"TXKEY-21": _NOT_FENCED}, origin="red team: a loop over keys that keeps what the last one has")
class OneOpenTransactionRecovered(TransactionKeys):
    """A coordinator that is loaded knows the open transaction of the newest of its keys that have one, and of no other key."""

    def recover(self) -> None:
        opened = [key for key, record in self._records.items() if record.open is not None]
        self._records |= {key: self._records[key].model_copy(update={"open": None}) for key in opened[:-1]}
        super().recover()


@defect(
    {"TXKEY-20": seen("^epoch 0, where task (one|two) has 0$", expected="^a greater epoch", what="^given to task (three|four)$")},
    origin="red team: compaction by the key of the message, which is the name that the client sent",
    of=PulsarParts,
)
class OneOwnerOfANameCompacted(KeyTopic):
    """Compaction keeps one record for each name of a key, and the next load but one lacks the keys of the other owners."""

    def compact(self) -> None:
        there = {record.name: record for record in self._latest.values()}
        self._entries.replace([*self.unreadable, *map(self._encoded, there.values())])
