"""Defects of metadata-driven transactions in their ends."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.metadata_transactions.coordinator import MetadataCoordinator
from fencepost.reference.metadata_transactions.records import Header, Operation, State
from fencepost.reference.metadata_transactions.transaction_records import TransactionRecords
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.errors import Error, Refused
from fencepost.reference.pulsar.values import Action, Message, Position, TxnId


class _AnyEndIsGood(MetadataCoordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        try:
            super().end(txn, action, reply)
        except Refused as refused:
            if refused.error is not Error.INVALID_TXN_STATUS:
                raise
            reply()


class _WritesBeforeItRefuses(MetadataCoordinator):
    def decide(self, txn: TxnId, action: Action) -> None:
        try:
            super().decide(txn, action)
        except Refused:
            if (found := self._records.header(txn)) is not None:
                self._records.replace(txn, found[0].model_copy(update={"state": State.after(action)}), found[1])
            raise


class _WritesOverAnyVersion(TransactionRecords):
    def replace(self, txn: TxnId, header: Header, version: int) -> None:
        now = self.header(txn)
        super().replace(txn, header, now[1] if now else version)


class _EndsOnlyWhatIsOpen(MetadataCoordinator):
    def decide(self, txn: TxnId, action: Action) -> None:
        found = self._records.header(txn)
        if found and found[0].state is not State.OPEN:
            raise Refused(Error.INVALID_TXN_STATUS, f"transaction {txn} is {found[0].state.value}, and must be OPEN")
        super().decide(txn, action)


class _MakesWhatItEnds(MetadataCoordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        if self._records.header(txn) is None:
            now = self._machine.clock.now
            self._records.create(txn, Header(state=State.after(action), timeout=0, createdAt=now, finalizedAt=now))
        super().end(txn, action, reply)


class _AddsToTheOpen(MetadataCoordinator):
    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        super().add_partitions(txn, names)
        if self.is_over(txn):
            raise Refused(Error.TRANSACTION_NOT_FOUND, f"transaction {txn} is not open")


class _RecordsWhatIsAdded(MetadataCoordinator):
    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        super().add_partitions(txn, names)
        for name in names:
            self._records.record(txn, Operation(kind="WRITE", segment=name))


class _GoesByWhatIsAdded(MetadataBuffer):
    def publish(self, message: Message) -> Position:
        is_added = message.txn is None or message.txn in self._records.writes(self._segment)
        return super().publish(message if is_added else replace(message, txn=None))


class _TakesSilenceForDone(TransactionRecords):
    def replace(self, txn: TxnId, header: Header, version: int) -> None:
        try:
            super().replace(txn, header, version)
        except Refused as refused:
            if refused.error is not Error.SERVICE_NOT_READY:
                raise


class _RefusesWhatTimedOut(MetadataCoordinator):
    def decide(self, txn: TxnId, action: Action) -> None:
        found = self._records.header(txn)
        if found and found[0].state is State.ABORTED and (found[0].finalizedAt or 0) >= found[0].deadline:
            raise Refused(Error.INVALID_TXN_STATUS, f"transaction {txn} has timed out")
        super().decide(txn, action)


ANY_END_IS_GOOD = Defect(
    name="metadata-any-end-is-good",
    breaks={
        "PIP471-02": Symptom(what="^answer to END_TXN$", expected="^a refusal$", seen="^success$"),
        "PIP471-04": Symptom(what="^ends of A$", expected="^one success$", seen="COMMIT: success"),
    },
    story="An end of a transaction that has ended is answered with success, whichever way it has ended.",
    origin="the proposal's text, Q8: nothing is said of the opposite end",
    parts=MetadataParts(metadata_coordinator=_AnyEndIsGood),
)

HEADER_WRITTEN_BEFORE_REFUSAL = Defect(
    name="metadata-header-written-before-refusal",
    breaks={"PIP471-03": Symptom(what="^readers of orders$", expected='^"a1"$', seen="^nothing$")},
    story="The opposite end is refused behind the change of the header: who took part and has not looked yet follows the refused one.",
    origin="textbook: a check behind the write",
    parts=MetadataParts(metadata_coordinator=_WritesBeforeItRefuses),
)

HEADER_WRITTEN_OVER_ANY_VERSION = Defect(
    name="metadata-header-written-over-any-version",
    breaks={"PIP471-03": Symptom(what="^readers of orders$", expected='^"a1", "p1"$', seen='^"p1"$')},
    story="The header is looked at and then written, whatever has become of it in between: who looked too early undoes what was decided.",
    origin="textbook: a check and a write that are not one compare-and-set",
    parts=MetadataParts(transaction_records=_WritesOverAnyVersion),
)

REPEATED_END_REFUSED = Defect(
    name="metadata-repeated-end-refused",
    breaks={"PIP471-05": Symptom(what="^answer to END_TXN$", expected="^success$", seen="InvalidTxnStatus")},
    story="Only open transactions are ended, so that the same end again is refused.",
    origin="PIP-254, apache/pulsar#19744: whose answer was lost could not learn the outcome",
    parts=MetadataParts(metadata_coordinator=_EndsOnlyWhatIsOpen),
)

END_MAKES_A_TRANSACTION = Defect(
    name="metadata-end-makes-a-transaction",
    breaks={"PIP471-06": Symptom(what="^answer to END_TXN$", expected="^a refusal$", seen="^success$")},
    story="The end of a transaction without a header writes one, as of a transaction that was collected.",
    origin="the proposal's text, Q8: nothing is said of unknown transactions",
    parts=MetadataParts(metadata_coordinator=_MakesWhatItEnds),
)

ADDED_BEHIND_THE_END = Defect(
    name="metadata-nothing-added-behind-the-end",
    breaks={"PIP471-45": Symptom(what="^answer to ADD_PARTITION_TO_TXN$", seen="TransactionNotFound")},
    story="Whoever adds a topic to a transaction that has ended is told that there is none.",
    origin="apache/pulsar#19744: a transaction that had ended was not found",
    parts=MetadataParts(metadata_coordinator=_AddsToTheOpen),
)

ONLY_ADDED_TOPICS = Defect(
    name="metadata-only-added-topics",
    breaks={"PIP471-46": Symptom(what="^readers of orders$", expected='^"p1"$', seen='^"a1", "p1"$')},
    story="A topic has to be added to a transaction, as in PIP-31; what is written to another one is outside of it.",
    origin="feared by readers of the proposal: clients still add, and a broker that relies on it looks right",
    parts=MetadataParts(metadata_coordinator=_RecordsWhatIsAdded, metadata_buffer=_GoesByWhatIsAdded),
)

SILENCE_TAKEN_FOR_DONE = Defect(
    name="metadata-silence-taken-for-done",
    breaks={"PIP471-05": Symptom(what="^readers of orders$", expected='^"a1"$', seen='^"?(nothing|not even the sentinel)')},
    story="An end is answered with success when its change of the header was sent, also where the store has not answered: what was not "
    "written is open still, and is aborted when its time is over.",
    origin="textbook: a failure that is logged and passed over",
    parts=MetadataParts(transaction_records=_TakesSilenceForDone),
)

TIMED_OUT_IS_REFUSED = Defect(
    name="metadata-timed-out-is-refused",
    breaks={"PIP471-05": Symptom(what="^answer to END_TXN$", expected="^success$", seen="InvalidTxnStatus")},
    story="Whoever aborts a transaction that was aborted at its time-out is refused, as if that were another end.",
    origin="PIP-31's state TIME_OUT, which is none of the two ends that a client may ask for",
    parts=MetadataParts(metadata_coordinator=_RefusesWhatTimedOut),
)
