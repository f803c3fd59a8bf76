"""Defects of the transaction key in connects that do not come through."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, expected, seen
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar.pulsar_types import TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError
from fencepost.reference.pulsar.transaction_key.claims import Claim
from fencepost.reference.pulsar.transaction_key.coordinator_keys import TransactionKeys
from fencepost.reference.pulsar.transaction_key.key import TransactionKey
from fencepost.reference.pulsar.transaction_key.key_records import KeyRecord, Numbers, decoded
from fencepost.reference.pulsar.transaction_key.key_topic import KeyTopic

from .pair import pair

_STILL_OPEN = Symptom(what="^(status of A|readers of orders)$", expected="^(ABORTED|nothing)$", seen="^(OPEN|.not even the sentinel.)$")


@pair(
    {"TXKEY-22": seen("^success$", expected="^a refusal$", what="^answer to TC_CLIENT_CONNECT$")},
    origin="the proposal's text, O24: it is silent about a failed append",
)
class FailedAppendsOverlooked(KeyTopic):
    """A connect is answered with its epoch, whether its record could be written or not."""

    def append(self, record: KeyRecord) -> None:
        with suppress(CommandRefused):
            super().append(record)


@defect(
    {"TXKEY-22": expected("ServiceNotReady", what="^answer to TC_CLIENT_CONNECT$", error="^NotAllowedError$")},
    origin="a review of the suite, which took any refusal there; one error for all that a connect may fail with",
)
class KeyFailureSaysStale(KeyTopic):
    """A connect that cannot be made durable is refused as if its epoch were stale, so its client gives up for nothing."""

    def append(self, record: KeyRecord) -> None:
        try:
            super().append(record)
        except CommandRefused as refused:
            raise CommandRefused(ServerError.NOT_ALLOWED, refused.message) from refused


@pair({"TXKEY-22": seen("^closed$", expected="^open$", what="^connection of task one$")}, origin="the proposal's text, O9: it has no order")
class ClosedBeforeDurable(TransactionKeys):
    """The coordinator closes the previous connection before the epoch is durable; if storing fails, no client has the key."""

    def persist(self, key: TransactionKey, epoch: int, fenced: Sequence[TxnId], txn: Numbers | None) -> None:
        if fenced and (client := self._clients.get(key)) is not None:
            client.send_away()
        super().persist(key, epoch, fenced, txn)


@pair(
    {"TXKEY-22": seen("^(ABORTED|ABORTING|not known any more)$", expected="^OPEN$", what="^status of A$")},
    origin="the proposal's text, O9: it has no order",
)
class AbortedBeforeDurable(TransactionKeys):
    """The previous transaction is aborted before the epoch is durable, for nothing when that fails."""

    def persist(self, key: TransactionKey, epoch: int, fenced: Sequence[TxnId], txn: Numbers | None) -> None:
        for one in fenced:
            self.abort(one)
        super().persist(key, epoch, fenced, txn)


@pair({"TXKEY-22": seen("refunds", what="^list of keys$")}, origin="textbook: memory that is not restored")
class MemoryBeforeDisk(TransactionKeys):
    """A key is changed in memory and then written, and what could not be written is there until the next crash."""

    def persist(self, key: TransactionKey, epoch: int, fenced: Sequence[TxnId], txn: Numbers | None) -> None:
        now = self._machine.clock.now
        self._records[key] = KeyRecord(owner=key.owner, name=key.name, epoch=epoch, connectedAt=now, open=txn)
        super().persist(key, epoch, fenced, txn)


@pair({"TXKEY-22": expected("^a greater epoch than task two$", what="^given to task three$")}, origin="textbook: an error that ends a loop")
class ReplayStops(KeyTopic):
    """The coordinator treats an unreadable record as the end of the key topic, and loses all records after it."""

    def load(self) -> Mapping[TransactionKey, KeyRecord]:
        entries = list(self._entries)
        readable = [isinstance(decoded(entry), KeyRecord) for entry in entries]
        if not all(readable):
            self._entries.replace(entries[: readable.index(False) + 1])
        return super().load()


@pair(
    {"TXKEY-22": seen("^0$", expected="^at least 1$", what="^records that were named$")},
    origin="textbook: an error that is caught and dropped",
)
class UnreadableIsSilent(KeyTopic):
    """The coordinator removes unreadable records and reports nothing."""

    def load(self) -> Mapping[TransactionKey, KeyRecord]:
        self._entries.replace([entry for entry in self._entries if isinstance(decoded(entry), KeyRecord)])
        return super().load()


@defect(
    {"TXKEY-36": seen("^(no answer.*|OPEN|.not even the sentinel.)$", what="^(given to task three|status of A|readers of orders)$")},
    origin="a review of the suite, in which the store of a key's transactions always answered",
    of=MetadataParts,
)
class ScalableKeyAbortTriedOnce(TransactionKeys):
    """Where the store does not answer, the abort of a fenced transaction is not tried again, and the key waits for the timeout."""

    def sweep(self) -> None:
        self._to_abort.clear()
        super().sweep()


@defect(
    {"TXKEY-36": seen("^(no answer.*|OPEN|.not even the sentinel.)$", what="^(given to task one|status of A|readers of orders)$")},
    origin="feared: three requests that fence, of which two retry",
    of=MetadataParts,
)
class ScalableKeySecondBeginTriesOnce(TransactionKeys):
    """The abort that NEW_TXN has decided for the transaction before is not retried where the store does not answer."""

    def begin(self, claim: Claim, timeout_ms: int, reply: Callable[[TxnId], None], refuse: Callable[[CommandRefused], None]) -> None:
        super().begin(claim, timeout_ms, reply, refuse)
        self._to_abort.clear()


@defect(
    {"TXKEY-37": seen("ExpiredTransaction", what="^answer to END_TXN$", error="^InvalidTxnStatus$")},
    origin="a review of the suite, in which the store of a key's transactions always answered",
    of=MetadataParts,
)
class ScalableKeyUnreadTakenForOver(TransactionKeys):
    """The coordinator takes a header that it cannot read for a removed one: it fences a committed transaction, and answers its client
    so."""

    def predecessors(self, record: KeyRecord) -> tuple[TxnId, ...]:
        try:
            return super().predecessors(record)
        except CommandRefused:
            return () if record.open_txn is None else (record.open_txn,)


@pair({"TXKEY-23": _STILL_OPEN}, origin="the proposal's text, O25: it does not say who aborts then")
class NothingAbortedAtRecovery(TransactionKeys):
    """A coordinator that is loaded aborts nothing: what was fenced just before a crash stays open until its timeout."""

    def recover(self) -> None:
        """The next task that connects finds it."""


@pair({"TXKEY-23": _STILL_OPEN}, origin="a review of the suite, which did not look there")
class DeletionIsNotResumed(TransactionKeys):
    """A coordinator that is loaded looks at the keys that are there: what a deletion was about to abort stays open."""

    def recover(self) -> None:
        there = self._records
        self._records = {key: record for key, record in there.items() if not record.deleted}
        super().recover()
        self._records = there


@pair({"TXKEY-23": _STILL_OPEN}, origin="feared by readers of the proposal: the text keeps the epoch, and the transaction next to it")
class FencedWrittenLater(TransactionKeys):
    """The epoch is written without what it fences, so that a crash after it leaves a transaction that no key has."""

    def persist(self, key: TransactionKey, epoch: int, fenced: Sequence[TxnId], txn: Numbers | None) -> None:
        super().persist(key, epoch, fenced[:0], txn)


@pair({"TXKEY-23": _STILL_OPEN}, origin="red team: a variable that is overwritten for each key that is loaded")
class YoungestKeyRecovered(TransactionKeys):
    """A coordinator that restarts aborts what the youngest of its keys has fenced, and leaves what another key has fenced open."""

    def recover(self) -> None:
        kept, self._records = self._records, dict(list(self._records.items())[-1:])
        super().recover()
        self._records = kept


@defect(
    {"TXKEY-23": seen("^OPEN$", expected="^ABORTED$", what="^status of B$")},
    origin="red team: a loop that ends with the first key that has something to do",
)
class KeyOldestRecovered(TransactionKeys):
    """A coordinator that restarts aborts what the oldest of its keys has fenced, and leaves what another key has fenced open."""

    def recover(self) -> None:
        kept, self._records = self._records, dict(list(self._records.items())[:1])
        super().recover()
        self._records = kept


@defect(
    {"TXKEY-23": seen("^OPEN$", expected="^ABORTED$", what="^status of B$")},
    origin="red team: a record of the first transaction that a key has fenced",
)
class KeyFirstFencedRecovered(TransactionKeys):
    """A coordinator that restarts aborts the first transaction that each key has fenced, and leaves a later one open."""

    def recover(self) -> None:
        kept = self._records
        self._records = {key: record.model_copy(update={"fenced": record.fenced[:1]}) for key, record in kept.items()}
        super().recover()
        self._records = kept
