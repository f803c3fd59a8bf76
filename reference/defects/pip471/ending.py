"""Defects of metadata-driven transactions in their ends."""

import functools
from dataclasses import replace

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.metadata.store import under
from fencepost.reference.metadata_transactions import paths
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.metadata_transactions.metadata_coordinator import MetadataCoordinator
from fencepost.reference.metadata_transactions.record_models import Header, HeaderState, OperationRecord
from fencepost.reference.metadata_transactions.transaction_records import TransactionRecords
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.pulsar_types import EndAction, Message, Position, SubscriptionName, TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError


@defect(
    {
        "PIP471-02": seen("^success$", expected="^a refusal$", what="^answer to END_TXN$"),
        "PIP471-04": seen("COMMIT: success", expected="^one success$", what="^ends of A$"),
    },
    origin="the proposal's text, Q8: it does not speak of the opposite end",
)
class MetadataAnyEndIsGood(MetadataCoordinator):
    """An end of a transaction that has ended is answered with success, whichever way it has ended."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        try:
            super().end(txn, action, reply)
        except CommandRefused as refused:
            if refused.error is not ServerError.INVALID_TXN_STATUS:
                raise
            reply()


@defect({"PIP471-03": seen("^nothing$", expected='^"a1"$', what="^readers of orders$")}, origin="textbook: a check after the write")
class MetadataHeaderWrittenBeforeRefusal(MetadataCoordinator):
    """The opposite end is refused after the header was changed: a participant that has not looked yet follows the refused end."""

    def decide(self, txn: TxnId, action: EndAction) -> None:
        try:
            super().decide(txn, action)
        except CommandRefused:
            if (found := self._records.header(txn)) is not None:
                self._records.replace(txn, found[0].model_copy(update={"state": HeaderState.after(action)}), found[1])
            raise


@defect(
    {"PIP471-03": seen('^"p1"$', expected='^"a1", "p1"$', what="^readers of orders$")},
    origin="textbook: a check and a write that are not one compare-and-set",
)
class MetadataHeaderWrittenOverAnyVersion(TransactionRecords):
    """The header is read and then written, whatever has changed in between: a writer that read too early undoes the decision."""

    def replace(self, txn: TxnId, header: Header, version: int) -> None:
        now = self.header(txn)
        super().replace(txn, header, now[1] if now else version)


@defect(
    {"PIP471-05": seen("InvalidTxnStatus", expected="^success$", what="^answer to END_TXN$")},
    origin="PIP-254, apache/pulsar#19744: whose answer was lost could not learn the outcome",
)
class MetadataRepeatedEndRefused(MetadataCoordinator):
    """Only open transactions can be ended, so that a repetition of the same end is refused."""

    def decide(self, txn: TxnId, action: EndAction) -> None:
        found = self._records.header(txn)
        if found and found[0].state is not HeaderState.OPEN:
            raise CommandRefused(ServerError.INVALID_TXN_STATUS, f"transaction {txn} is {found[0].state.value}, and must be OPEN")
        super().decide(txn, action)


@defect(
    {"PIP471-06": seen("^success$", expected="^a refusal$", what="^answer to END_TXN$")},
    origin="the proposal's text, Q8: it does not speak of unknown transactions",
)
class MetadataEndMakesATransaction(MetadataCoordinator):
    """The end of a transaction without a header writes one, as of a transaction that was collected."""

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        if self._records.header(txn) is None:
            now = self._machine.clock.now
            self._records.create(txn, Header(state=HeaderState.after(action), timeout=0, createdAt=now, finalizedAt=now))
        super().end(txn, action, reply)


@defect(
    {"PIP471-45": seen("TransactionNotFound", what="^answer to ADD_PARTITION_TO_TXN$")},
    origin="apache/pulsar#19744: a transaction that had ended was not found",
)
class MetadataNothingAddedBehindTheEnd(MetadataCoordinator):
    """Adding a topic to an ended transaction is refused as if the transaction did not exist."""

    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        super().add_partitions(txn, names)
        if self.is_over(txn):
            raise CommandRefused(ServerError.TRANSACTION_NOT_FOUND, f"transaction {txn} is not open")


@defect(
    {"PIP471-45": seen("TransactionNotFound", what="^answer to ADD_SUBSCRIPTION_TO_TXN$")},
    origin="apache/pulsar#19744: a transaction that had ended was not found",
)
class MetadataNoSubscriptionAddedAfterTheEnd(MetadataCoordinator):
    """Adding a subscription to an ended transaction is refused as if the transaction did not exist."""

    def add_subscriptions(self, txn: TxnId, names: tuple[SubscriptionName, ...]) -> None:
        super().add_subscriptions(txn, names)
        if self.is_over(txn):
            raise CommandRefused(ServerError.TRANSACTION_NOT_FOUND, f"transaction {txn} is not open")


class _GoesByWhatIsAdded(MetadataBuffer):
    def publish(self, message: Message) -> Position:
        is_added = message.txn is None or message.txn in self._records.writes(self._segment)
        return super().publish(message if is_added else replace(message, txn=None))


@defect(
    {"PIP471-05": seen('^"?(nothing|not even the sentinel)', expected='^"a1"$', what="^readers of orders$")},
    origin="textbook: a failure that is logged and passed over",
)
class MetadataSilenceTakenForDone(TransactionRecords):
    """An end is answered with success when its change of the header was sent, also where the store has not answered: if the change is lost,
    the transaction is still open, and is aborted at its timeout.
    """

    def replace(self, txn: TxnId, header: Header, version: int) -> None:
        try:
            super().replace(txn, header, version)
        except CommandRefused as refused:
            if refused.error is not ServerError.SERVICE_NOT_READY:
                raise


@defect(
    {"PIP471-05": seen("InvalidTxnStatus", expected="^success$", what="^answer to END_TXN$")},
    origin="PIP-31's state TIME_OUT, which is none of the two ends that a client may ask for",
)
class MetadataTimedOutIsRefused(MetadataCoordinator):
    """Aborting a transaction that was aborted at its timeout is refused, as if it had been committed."""

    def decide(self, txn: TxnId, action: EndAction) -> None:
        found = self._records.header(txn)
        if found and found[0].state is HeaderState.ABORTED and (found[0].finalizedAt or 0) >= found[0].deadline:
            raise CommandRefused(ServerError.INVALID_TXN_STATUS, f"transaction {txn} has timed out")
        super().decide(txn, action)


@defect(
    {"PIP471-46": seen('^"a1", "p1"$', expected='^"p1"$', what="^readers of orders$")},
    origin="feared by readers of the proposal: clients still add, and a broker that relies on it looks right",
    also=[_GoesByWhatIsAdded],
)
class MetadataOnlyAddedTopics(MetadataCoordinator):
    """A topic has to be added to a transaction, as in PIP-31; messages that are written to another one are outside of it."""

    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        super().add_partitions(txn, names)
        for name in names:
            self._records.record(txn, OperationRecord(kind="WRITE", segment=name))


@defect(
    {"PIP471-03": seen('^"i2"$', expected='^"i1", "i2"$', what="^left for workers$")},
    origin="textbook: a check after the write, where one direction was tested",
)
class MetadataRefusedCommitWritten(MetadataHeaderWrittenBeforeRefusal):
    """The header of an aborted transaction is changed before a commit is refused: a participant that has not yet applied the abort
    commits."""

    def decide(self, txn: TxnId, action: EndAction) -> None:
        if action is EndAction.COMMIT:
            super().decide(txn, action)
        else:
            MetadataCoordinator.decide(self, txn, action)


class _OpensWhatIsAdded(MetadataBuffer):
    @functools.cached_property
    def blocked(self) -> dict[TxnId, Position]:
        """The transactions that were added to this segment, each with the first position since then."""
        return {}

    def publish(self, message: Message) -> Position:
        position = super().publish(message)
        for record in self._records._store.scan(*under(_added(self._segment))):
            self.blocked.setdefault(paths.txn_of(record.key.rpartition("/")[2]), position)
        return position

    @property
    def max_read_position(self) -> Position:
        is_open = [at for txn, at in self.blocked.items() if self.participation.state_of(txn) is HeaderState.OPEN]
        return min([super().max_read_position, *(self._ledger.before(at) for at in is_open)])


@defect(
    {"PIP471-45": seen("not even the sentinel", expected='^"p1"$', what="^readers of orders$")},
    origin="PIP-31, where a participant that was added is notified of the end",
    also=[_OpensWhatIsAdded],
)
class MetadataAddedBlocks(MetadataCoordinator):
    """A segment that was added to a transaction treats the transaction as open there, and withholds all messages until its end."""

    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        super().add_partitions(txn, names)
        for name in names:
            self._records._store.put(_added(name) + paths.key_of(txn), b"{}")


def _added(segment: str) -> str:
    """Below which key the store has the transactions that a segment was added to."""
    return f"/added/{segment.replace('/', '-')}/"
