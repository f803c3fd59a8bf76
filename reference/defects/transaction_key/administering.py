"""Defects of the transaction key in what administrators are shown, and in the deletion of keys."""

from contextlib import suppress

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, expected, seen
from fencepost.reference.pulsar import PulsarParts
from fencepost.reference.pulsar.pulsar_types import TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError
from fencepost.reference.pulsar.transaction_key.claims import Claim
from fencepost.reference.pulsar.transaction_key.coordinator_keys import TransactionKeys
from fencepost.reference.pulsar.transaction_key.key import TransactionKey
from fencepost.reference.pulsar.transaction_key.key_records import KeyRecord
from fencepost.reference.pulsar.transaction_key.key_topic import KeyTopic
from fencepost.reference.pulsar.transaction_key.node_keys import NodeKeys

from .pair import SlowerNetwork, pair

_LIST = Symptom(what="^list of keys$")
_DELETED = Symptom(what="^answer to DELETE$", expected="^a refusal$", seen="^success$")
_TAKEN = Symptom(what="^answer to TC_CLIENT_CONNECT$", expected="NotAllowedError", seen="^success$")


@pair({"TXKEY-27": seen("payments", what="^list of keys$")}, origin="textbook: a mark that is not checked")
class DeletedAreListed(TransactionKeys):
    """The list has the keys that were deleted as well, for their epochs are still there."""

    def listed(self) -> tuple[TransactionKey, ...]:
        return tuple(self._records)


@pair({"TXKEY-27": _LIST}, origin="textbook: an answer where a list is due")
class FirstIsListed(TransactionKeys):
    """The list of each coordinator has its first key."""

    def listed(self) -> tuple[TransactionKey, ...]:
        return super().listed()[:1]


@pair({"TXKEY-27": _LIST}, origin="textbook: a list of connections, where a list of keys is due")
class ConnectedAreListed(TransactionKeys):
    """The list has the connected keys only; a key whose client is away is not in it, and still fences."""

    def listed(self) -> tuple[TransactionKey, ...]:
        return tuple(key for key in super().listed() if key in self._clients)


@pair(
    {"TXKEY-27": seen("at epoch 0,", expected="at epoch 1,", what='^key "payments"$')},
    origin="textbook: a value that is read before it is counted up",
)
class EpochBeforeTold(TransactionKeys):
    """Administrators see the epoch before the latest one."""

    def describe(self, key: TransactionKey) -> tuple[KeyRecord, tuple[TxnId, ...]]:
        record, open_ones = super().describe(key)
        return record.model_copy(update={"epoch": max(record.epoch - 1, 0)}), open_ones


@pair(
    {"TXKEY-27": seen("^(OPEN|.not even the sentinel.)$", expected="^(ABORTED|nothing)$", what="^(status of A|readers of orders)$")},
    origin="feared by readers of the proposal: a deletion that removes a record",
)
class DeletedStaysOpen(TransactionKeys):
    """Deleting a key leaves its transaction open until the timeout, and no client can fence it."""

    def abort(self, txn: TxnId) -> None:
        if not any(record.deleted and txn in record.fenced_txns for record in self._records.values()):
            super().abort(txn)


@pair(
    {"TXKEY-27": seen("^open$", expected="^closed$", what="^connection of task one$")},
    origin="feared by readers of the proposal: a deletion that removes a record",
)
class DeletedStaysConnected(TransactionKeys):
    """The connection of a key that is deleted stays open."""

    def delete(self, key: TransactionKey) -> None:
        self._clients.pop(key, None)
        super().delete(key)


@pair(
    {"TXKEY-28": expected("^not found$", what='^key "payments"$')},
    origin="a review of the suite, which did not look there",
    also=[SlowerNetwork],
)
class DeletedComesBack(TransactionKeys):
    """A new transaction that has waited for the one before begins when that is over, and its key is there again, deleted or not."""

    def current(self, claim: Claim) -> KeyRecord:
        return self._records[claim.key]

    def delete(self, key: TransactionKey) -> None:
        waiting = self._waiting
        super().delete(key)
        self._waiting = waiting


@pair({"TXKEY-28": _DELETED}, origin="textbook: a deletion that can be repeated")
class UnknownDeleted(TransactionKeys):
    """Deleting an unused key is answered with success."""

    def delete(self, key: TransactionKey) -> None:
        with suppress(CommandRefused):
            super().delete(key)


@pair({"TXKEY-28": _DELETED}, origin="textbook: a mark that is not checked")
class DeletedTwice(TransactionKeys):
    """A key that was deleted is found, and can be deleted again."""

    def describe(self, key: TransactionKey) -> tuple[KeyRecord, tuple[TxnId, ...]]:
        if (record := self._records.get(key)) is None:
            raise CommandRefused(ServerError.TRANSACTION_NOT_FOUND, f"there is no transaction key {key}")
        return record, self.to_fence(record)


@pair({"TXKEY-29": _TAKEN}, origin="the proposal's text, O18")
class DeletionResets(TransactionKeys):
    """A deletion forgets the epoch, and a client from before is taken for the one that was given it since."""

    def delete(self, key: TransactionKey) -> None:
        super().delete(key)
        del self._records[key]


@pair({"TXKEY-29": _TAKEN}, origin="textbook: a mark next to a value that still counts")
class DeletionKeepsTheEpoch(TransactionKeys):
    """A deletion does not raise the epoch, so the previous client of the key can reconnect as if nothing had happened."""

    def delete(self, key: TransactionKey) -> None:
        epoch = self.describe(key)[0].epoch
        super().delete(key)
        self._store(self._records[key].model_copy(update={"epoch": epoch}))

    def check_epoch(self, key: TransactionKey, epoch: int, record: KeyRecord | None) -> None:
        super().check_epoch(key, epoch, None if record is None else record.model_copy(update={"deleted": False}))


@pair(
    {"TXKEY-29": seen("^epoch 0, ", expected="^a greater epoch than task one$", what="^given to task two$")},
    origin="every compacted topic, where what is deleted is removed",
)
class DeletedCompactedAway(KeyTopic):
    """Compaction removes the keys that were deleted, and their epochs start again."""

    def compact(self) -> None:
        there = [record for record in self._latest.values() if not record.deleted]
        self._entries.replace([*self.unreadable, *map(self._encoded, there)])


@pair(
    {"TXKEY-29": seen("^epoch 0, ", expected="^a greater epoch than task one$", what="^given to task two$")},
    origin="a review of the suite, which did not look there",
)
class DeletedHasNoHome(KeyTopic):
    """A key that was deleted is looked for as a new one, and where coordinators were added, at one that does not know its epoch."""

    def has(self, key: TransactionKey) -> bool:
        return super().has(key) and not self._latest[key].deleted


@pair(
    {"TXKEY-27": seen("^closed$", expected="^open$", what="^connection of task one$")},
    origin="the proposal's text, O24: it is silent about a failed append",
)
class ClosedBeforeDeletion(TransactionKeys):
    """A deletion closes the key's connection before it is stored; if storing fails, the client has lost its key although no other
    client has it."""

    def delete(self, key: TransactionKey) -> None:
        self.describe(key)
        if (client := self._clients.pop(key, None)) is not None:
            client.send_away()
        super().delete(key)


class _FindsWhoeversItIs(NodeKeys):
    def home_of(self, key: TransactionKey, coordinators: range, *, scalable: bool) -> int:
        there = {one.name: tc_id for (kind, tc_id), keys in self._keys.items() if kind is scalable for one in keys.listed()}
        known = None if key.owner else there.get(key.name)
        return super().home_of(key, coordinators, scalable=scalable) if known is None else known


@pair({"TXKEY-28": _DELETED}, origin="the proposal's text, O16: the path of the call has no owner", also=[_FindsWhoeversItIs])
class DeletionFindsAnyOwner(TransactionKeys):
    """A deletion that names no owner deletes the key of that name of any owner."""

    def delete(self, key: TransactionKey) -> None:
        same = (one for one in self.listed() if not key.owner and one.name == key.name)
        super().delete(next(same, key))


@defect(
    {"TXKEY-27": Symptom(what="^status of A$", expected="^ABORTED$", seen="^OPEN$")},
    origin="red team: an abort that is sent to participants, and there are none",
    of=PulsarParts,
)
class IdleOutlivesItsKey(TransactionKeys):
    """The deletion of a key leaves a transaction open to which no participant was added: its client may go on with it."""

    is_deleting = False

    def delete(self, key: TransactionKey) -> None:
        self.is_deleting = True
        try:
            super().delete(key)
        finally:
            self.is_deleting = False

    def abort(self, txn: TxnId) -> None:
        known = self._coordinator.describe(txn)
        if not self.is_deleting or known.partitions or known.subscriptions:
            super().abort(txn)
