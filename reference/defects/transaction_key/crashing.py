"""Defects of the transaction key in connects that do not come through."""

from collections.abc import Mapping, Sequence
from contextlib import suppress

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.errors import Error, Refused
from fencepost.reference.pulsar.transaction_key.key import TransactionKey
from fencepost.reference.pulsar.transaction_key.key_topic import KeyTopic
from fencepost.reference.pulsar.transaction_key.keys import TransactionKeys
from fencepost.reference.pulsar.transaction_key.records import KeyRecord, Numbers, decoded
from fencepost.reference.pulsar.values import TxnId

from .pair import pair

_STILL_OPEN = Symptom(what="^(status of A|readers of orders)$", expected="^(ABORTED|nothing)$", seen="^(OPEN|.not even the sentinel.)$")


class _OverlooksFailures(KeyTopic):
    def append(self, record: KeyRecord) -> None:
        with suppress(Refused):
            super().append(record)


class _SaysThatItIsStale(KeyTopic):
    def append(self, record: KeyRecord) -> None:
        try:
            super().append(record)
        except Refused as refused:
            raise Refused(Error.NOT_ALLOWED, refused.message) from refused


class _ClosesFirst(TransactionKeys):
    def persist(self, key: TransactionKey, epoch: int, fenced: Sequence[TxnId], txn: Numbers | None) -> None:
        if fenced and (client := self._clients.get(key)) is not None:
            client.send_away()
        super().persist(key, epoch, fenced, txn)


class _AbortsFirst(TransactionKeys):
    def persist(self, key: TransactionKey, epoch: int, fenced: Sequence[TxnId], txn: Numbers | None) -> None:
        for one in fenced:
            self.abort(one)
        super().persist(key, epoch, fenced, txn)


class _RemembersFirst(TransactionKeys):
    def persist(self, key: TransactionKey, epoch: int, fenced: Sequence[TxnId], txn: Numbers | None) -> None:
        now = self._machine.clock.now
        self._records[key] = KeyRecord(owner=key.owner, name=key.name, epoch=epoch, connectedAt=now, open=txn)
        super().persist(key, epoch, fenced, txn)


class _StopsAtTheFirst(KeyTopic):
    def load(self) -> Mapping[TransactionKey, KeyRecord]:
        entries = list(self._entries)
        readable = [isinstance(decoded(entry), KeyRecord) for entry in entries]
        if not all(readable):
            self._entries.replace(entries[: readable.index(False) + 1])
        return super().load()


class _PassesOverInSilence(KeyTopic):
    def load(self) -> Mapping[TransactionKey, KeyRecord]:
        self._entries.replace([entry for entry in self._entries if isinstance(decoded(entry), KeyRecord)])
        return super().load()


class _AbortsOnce(TransactionKeys):
    def sweep(self) -> None:
        self._to_abort.clear()
        super().sweep()


class _TakesUnreadForOver(TransactionKeys):
    def predecessors(self, record: KeyRecord) -> tuple[TxnId, ...]:
        try:
            return super().predecessors(record)
        except Refused:
            return () if record.open_txn is None else (record.open_txn,)


class _AbortsNothing(TransactionKeys):
    def recover(self) -> None:
        """Whoever connects next finds it."""


class _RecoversWhatIsThere(TransactionKeys):
    def recover(self) -> None:
        there = self._records
        self._records = {key: record for key, record in there.items() if not record.deleted}
        super().recover()
        self._records = there


class _FencesLater(TransactionKeys):
    def persist(self, key: TransactionKey, epoch: int, fenced: Sequence[TxnId], txn: Numbers | None) -> None:
        super().persist(key, epoch, fenced[:0], txn)


FAILED_APPENDS_OVERLOOKED = pair(
    "failed-appends-overlooked",
    breaks={"TXKEY-22": Symptom(what="^answer to TC_CLIENT_CONNECT$", expected="^a refusal$", seen="^success$")},
    story="A connect is answered with its epoch, whether its record could be written or not.",
    origin="the proposal's text, O24: it is silent about a failed append",
    key_topic=_OverlooksFailures,
)

CLOSED_BEFORE_DURABLE = pair(
    "closed-before-durable",
    breaks={"TXKEY-22": Symptom(what="^connection of task one$", expected="^open$", seen="^closed$")},
    story="The previous connection is closed before the epoch is durable, and nobody has the key when that fails.",
    origin="the proposal's text, O9: it has no order",
    transaction_keys=_ClosesFirst,
)

ABORTED_BEFORE_DURABLE = pair(
    "aborted-before-durable",
    breaks={"TXKEY-22": Symptom(what="^status of A$", expected="^OPEN$", seen="^(ABORTED|ABORTING|not known any more)$")},
    story="The previous transaction is aborted before the epoch is durable, for nothing when that fails.",
    origin="the proposal's text, O9: it has no order",
    transaction_keys=_AbortsFirst,
)

MEMORY_BEFORE_DISK = pair(
    "memory-before-disk",
    breaks={"TXKEY-22": Symptom(what="^list of keys$", seen="refunds")},
    story="A key is changed in memory and then written, and what could not be written is there until the next crash.",
    origin="textbook: memory that is not put back",
    transaction_keys=_RemembersFirst,
)

REPLAY_STOPS = pair(
    "replay-stops",
    breaks={"TXKEY-22": Symptom(what="^given to task three$", expected="^a greater epoch than task two$")},
    story="A record that nobody can read is taken for the end of the topic, and all behind it are lost.",
    origin="textbook: an error that ends a loop",
    key_topic=_StopsAtTheFirst,
)

UNREADABLE_IS_SILENT = pair(
    "unreadable-is-silent",
    breaks={"TXKEY-22": Symptom(what="^records that were named$", expected="^at least 1$", seen="^0$")},
    story="Records that nobody can read are removed, and nobody is told.",
    origin="textbook: an error that is caught and dropped",
    key_topic=_PassesOverInSilence,
)

NOTHING_ABORTED_AT_RECOVERY = pair(
    "nothing-aborted-at-recovery",
    breaks={"TXKEY-23": _STILL_OPEN},
    story="A coordinator that is loaded aborts nothing: what was fenced just before a crash stays open until its time-out.",
    origin="the proposal's text, O25: nobody says who aborts then",
    transaction_keys=_AbortsNothing,
)

FENCED_WRITTEN_LATER = pair(
    "fenced-written-later",
    breaks={"TXKEY-23": _STILL_OPEN},
    story="The epoch is written without what it fences, so that a crash behind it leaves a transaction that no key has.",
    origin="feared by readers of the proposal: the text keeps the epoch, and the transaction beside it",
    transaction_keys=_FencesLater,
)

DELETION_IS_NOT_RESUMED = pair(
    "deletion-is-not-resumed",
    breaks={"TXKEY-23": _STILL_OPEN},
    story="A coordinator that is loaded looks at the keys that are there: what a deletion was about to abort stays open.",
    origin="a review of the suite, which did not look there",
    transaction_keys=_RecoversWhatIsThere,
)

FAILURE_SAYS_STALE = Defect(
    name="key-failure-says-stale",
    breaks={"TXKEY-22": Symptom(what="^answer to TC_CLIENT_CONNECT$", expected="ServiceNotReady", error="^NotAllowedError$")},
    story="A connect that cannot be made durable is refused like one with a stale epoch, so its client gives up for nothing.",
    origin="a review of the suite, which took any refusal there; one error for all that a connect may fail with",
    parts=Parts(key_topic=_SaysThatItIsStale),
)

ABORT_TRIED_ONCE = Defect(
    name="scalable-key-abort-tried-once",
    breaks={
        "TXKEY-36": Symptom(
            what="^(given to task three|status of A|readers of orders)$", seen="^(no answer.*|OPEN|.not even the sentinel.)$"
        )
    },
    story="Where the store does not answer, the abort of what was fenced is not tried again, and the key waits for the time-out.",
    origin="a review of the suite, in which the store of a key's transactions always answered",
    parts=MetadataParts(transaction_keys=_AbortsOnce),
)

UNREAD_TAKEN_FOR_OVER = Defect(
    name="scalable-key-unread-taken-for-over",
    breaks={"TXKEY-37": Symptom(what="^answer to END_TXN$", error="^InvalidTxnStatus$", seen="ExpiredTransaction")},
    story="A header that cannot be read is taken for one that is gone: what was committed is fenced, and its client is told so.",
    origin="a review of the suite, in which the store of a key's transactions always answered",
    parts=MetadataParts(transaction_keys=_TakesUnreadForOver),
)
