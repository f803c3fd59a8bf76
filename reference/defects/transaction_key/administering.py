"""Defects of the transaction key in what administrators are told, and in the deletion of keys."""

from contextlib import suppress

from fencepost.contract.symptom import Symptom
from fencepost.reference.pulsar.errors import Error, Refused
from fencepost.reference.pulsar.transaction_key.claims import Claim
from fencepost.reference.pulsar.transaction_key.key import TransactionKey
from fencepost.reference.pulsar.transaction_key.key_topic import KeyTopic
from fencepost.reference.pulsar.transaction_key.keys import TransactionKeys
from fencepost.reference.pulsar.transaction_key.node_keys import NodeKeys
from fencepost.reference.pulsar.transaction_key.records import KeyRecord
from fencepost.reference.pulsar.values import TxnId

from .pair import SlowerNetwork, pair

_LIST = Symptom(what="^list of keys$")
_STILL_OPEN = Symptom(what="^(status of A|readers of orders)$", expected="^(ABORTED|nothing)$", seen="^(OPEN|.not even the sentinel.)$")
_DELETED = Symptom(what="^answer to DELETE$", expected="^a refusal$", seen="^success$")
_TAKEN = Symptom(what="^answer to TC_CLIENT_CONNECT$", expected="NotAllowedError", seen="^success$")


class _ListsTheDeleted(TransactionKeys):
    def listed(self) -> tuple[TransactionKey, ...]:
        return tuple(self._records)


class _ListsTheFirst(TransactionKeys):
    def listed(self) -> tuple[TransactionKey, ...]:
        return super().listed()[:1]


class _ListsTheConnected(TransactionKeys):
    def listed(self) -> tuple[TransactionKey, ...]:
        return tuple(key for key in super().listed() if key in self._clients)


class _TellsTheEpochBefore(TransactionKeys):
    def describe(self, key: TransactionKey) -> tuple[KeyRecord, tuple[TxnId, ...]]:
        record, open_ones = super().describe(key)
        return record.model_copy(update={"epoch": max(record.epoch - 1, 0)}), open_ones


class _LeavesItToTheTimeOut(TransactionKeys):
    def abort(self, txn: TxnId) -> None:
        if not any(record.deleted and txn in record.fenced_txns for record in self._records.values()):
            super().abort(txn)


class _LeavesTheConnection(TransactionKeys):
    def delete(self, key: TransactionKey) -> None:
        self._clients.pop(key, None)
        super().delete(key)


class _BeginsWhateverBecameOfTheKey(TransactionKeys):
    def current(self, claim: Claim) -> KeyRecord:
        return self._records[claim.key]

    def delete(self, key: TransactionKey) -> None:
        waiting = self._waiting
        super().delete(key)
        self._waiting = waiting


class _ThanksForAll(TransactionKeys):
    def delete(self, key: TransactionKey) -> None:
        with suppress(Refused):
            super().delete(key)


class _FindsTheDeleted(TransactionKeys):
    def describe(self, key: TransactionKey) -> tuple[KeyRecord, tuple[TxnId, ...]]:
        if (record := self._records.get(key)) is None:
            raise Refused(Error.TRANSACTION_NOT_FOUND, f"there is no transaction key {key}")
        return record, self.to_fence(record)


class _ForgetsTheDeleted(TransactionKeys):
    def delete(self, key: TransactionKey) -> None:
        super().delete(key)
        del self._records[key]


class _KeepsTheEpoch(TransactionKeys):
    def delete(self, key: TransactionKey) -> None:
        epoch = self.describe(key)[0].epoch
        super().delete(key)
        self._store(self._records[key].model_copy(update={"epoch": epoch}))

    def check_epoch(self, key: TransactionKey, epoch: int, record: KeyRecord | None) -> None:
        super().check_epoch(key, epoch, None if record is None else record.model_copy(update={"deleted": False}))


class _CompactsTheDeletedAway(KeyTopic):
    def compact(self) -> None:
        there = [record for record in self._latest.values() if not record.deleted]
        self._entries.replace([*self.unreadable, *map(self._encoded, there)])


class _HasNoneThatWasDeleted(KeyTopic):
    def has(self, key: TransactionKey) -> bool:
        return super().has(key) and not self._latest[key].deleted


class _ClosesBeforeItDeletes(TransactionKeys):
    def delete(self, key: TransactionKey) -> None:
        self.describe(key)
        if (client := self._clients.pop(key, None)) is not None:
            client.send_away()
        super().delete(key)


class _DeletesWhoeversItIs(TransactionKeys):
    def delete(self, key: TransactionKey) -> None:
        same = (one for one in self.listed() if not key.owner and one.name == key.name)
        super().delete(next(same, key))


class _FindsWhoeversItIs(NodeKeys):
    def home_of(self, key: TransactionKey, coordinators: range, *, scalable: bool) -> int:
        there = {one.name: tc_id for (kind, tc_id), keys in self._keys.items() if kind is scalable for one in keys.listed()}
        known = None if key.owner else there.get(key.name)
        return super().home_of(key, coordinators, scalable=scalable) if known is None else known


DELETED_ARE_LISTED = pair(
    "deleted-are-listed",
    breaks={"TXKEY-27": Symptom(what="^list of keys$", seen="payments")},
    story="The list has the keys that were deleted as well, for their epochs are still there.",
    origin="textbook: a mark that is not looked at",
    transaction_keys=_ListsTheDeleted,
)

FIRST_IS_LISTED = pair(
    "first-is-listed",
    breaks={"TXKEY-27": _LIST},
    story="The list of each coordinator has its first key.",
    origin="textbook: an answer where a list is due",
    transaction_keys=_ListsTheFirst,
)

CONNECTED_ARE_LISTED = pair(
    "connected-are-listed",
    breaks={"TXKEY-27": _LIST},
    story="The list has the keys that are connected; one whose client is away is not in it, and fences all the same.",
    origin="textbook: a list of connections, where a list of keys is due",
    transaction_keys=_ListsTheConnected,
)

EPOCH_BEFORE_TOLD = pair(
    "epoch-before-told",
    breaks={"TXKEY-27": Symptom(what='^key "payments"$', expected="at epoch 1,", seen="at epoch 0,")},
    story="Administrators are told the epoch before the latest.",
    origin="textbook: a value that is read before it is counted up",
    transaction_keys=_TellsTheEpochBefore,
)

DELETED_STAYS_OPEN = pair(
    "deleted-stays-open",
    breaks={
        "TXKEY-27": Symptom(
            what="^(status of A|readers of orders)$", expected="^(ABORTED|nothing)$", seen="^(OPEN|.not even the sentinel.)$"
        )
    },
    story="A key is deleted, and its transaction stays open until the time-out, with nobody who could fence it.",
    origin="feared by readers of the proposal: a deletion that removes a record",
    transaction_keys=_LeavesItToTheTimeOut,
)

DELETED_STAYS_CONNECTED = pair(
    "deleted-stays-connected",
    breaks={"TXKEY-27": Symptom(what="^connection of task one$", expected="^closed$", seen="^open$")},
    story="The connection of a key that is deleted stays open.",
    origin="feared by readers of the proposal: a deletion that removes a record",
    transaction_keys=_LeavesTheConnection,
)

DELETED_COMES_BACK = pair(
    "deleted-comes-back",
    breaks={"TXKEY-28": Symptom(what='^key "payments"$', expected="^not found$")},
    story="A new transaction that has waited for the one before begins when that is over, and its key is there again, deleted or not.",
    origin="a review of the suite, which did not look there",
    transaction_keys=_BeginsWhateverBecameOfTheKey,
    network=SlowerNetwork,
)

UNKNOWN_DELETED = pair(
    "unknown-deleted",
    breaks={"TXKEY-28": _DELETED},
    story="To delete a key that nobody has used is a success.",
    origin="textbook: a deletion that can be repeated",
    transaction_keys=_ThanksForAll,
)

DELETED_TWICE = pair(
    "deleted-twice",
    breaks={"TXKEY-28": _DELETED},
    story="A key that was deleted is found, and can be deleted again.",
    origin="textbook: a mark that is not looked at",
    transaction_keys=_FindsTheDeleted,
)

DELETION_RESETS = pair(
    "deletion-resets",
    breaks={"TXKEY-29": _TAKEN},
    story="A deletion forgets the epoch, and a client from before is taken for the one that was given it since.",
    origin="the proposal's text, O18",
    transaction_keys=_ForgetsTheDeleted,
)

DELETION_KEEPS_THE_EPOCH = pair(
    "deletion-keeps-the-epoch",
    breaks={"TXKEY-29": _TAKEN},
    story="A deletion leaves the epoch as it is, and who had it can come again as if nothing had happened.",
    origin="textbook: a mark beside a value that still counts",
    transaction_keys=_KeepsTheEpoch,
)

DELETED_COMPACTED_AWAY = pair(
    "deleted-compacted-away",
    breaks={"TXKEY-29": Symptom(what="^given to task two$", expected="^a greater epoch than task one$", seen="^epoch 0, ")},
    story="Compaction removes the keys that were deleted, and their epochs begin anew.",
    origin="every compacted topic, where what is deleted is removed",
    key_topic=_CompactsTheDeletedAway,
)

CLOSED_BEFORE_DELETION = pair(
    "closed-before-deletion",
    breaks={"TXKEY-27": Symptom(what="^connection of task one$", expected="^open$", seen="^closed$")},
    story="A deletion closes the key's connection before it is stored; where that fails, the client has lost its key to nobody.",
    origin="the proposal's text, O24: it is silent about a failed append",
    transaction_keys=_ClosesBeforeItDeletes,
)

DELETION_FINDS_ANY_OWNER = pair(
    "deletion-finds-any-owner",
    breaks={"TXKEY-28": _DELETED},
    story="A deletion that names no owner takes the key of that name of whoever has one.",
    origin="the proposal's text, O16: the path of the call has no owner",
    transaction_keys=_DeletesWhoeversItIs,
    node_keys=_FindsWhoeversItIs,
)

DELETED_HAS_NO_HOME = pair(
    "deleted-has-no-home",
    breaks={"TXKEY-29": Symptom(what="^given to task two$", expected="^a greater epoch than task one$", seen="^epoch 0, ")},
    story="A key that was deleted is looked for as a new one, and where coordinators were added, at one that does not know its epoch.",
    origin="a review of the suite, which did not look there",
    key_topic=_HasNoneThatWasDeleted,
)
