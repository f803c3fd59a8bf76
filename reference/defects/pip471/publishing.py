"""Defects of metadata-driven transactions in publishing."""

import functools
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.metadata_transactions import MetadataParts, paths
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.metadata_transactions.record_models import HeaderState, OperationRecord
from fencepost.reference.metadata_transactions.transaction_records import TransactionRecords
from fencepost.reference.pulsar.buffer import MessagePosition, Readable
from fencepost.reference.pulsar.deduplication import Deduplication
from fencepost.reference.pulsar.ledger import LedgerMarker
from fencepost.reference.pulsar.pulsar_types import EndAction, Message, Position, SubscriptionName, TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError

_FULL = 512
_A_PAGE = 100


@defect(
    {"PIP471-10": seen('"a1"', expected='^"b1"$', what="^readers of orders$")},
    origin="feared by readers of the proposal: /txn-op/<txnId>/<seq>, and no word on who assigns the number",
)
class MetadataParticipantsCountTheirOwn(TransactionRecords):
    """Each participant numbers its operations of a transaction by itself, from 1 on, so that they write over each other's records."""

    @functools.cached_property
    def counts(self) -> Counter[TxnId]:
        """How many records this participant has left."""
        return Counter()

    def record(self, txn: TxnId, operation: OperationRecord) -> str:
        self.counts[txn] += 1
        key = f"{paths.operations(txn)}-{paths.number(self.counts[txn])}"
        partition_key = self.partition_key(paths.key_of(txn))
        return self._store.put(key, operation.encoded(), partition_key=partition_key, indexes=self.operation_indexes(txn, operation)).key


@defect({"PIP471-11": seen('"512"$', expected='"600"$', what="^readers of orders$")}, origin="textbook: a buffer of fixed size")
class MetadataListOfMessagesIsFull(MetadataBuffer):
    """A buffer has room for 512 messages of a transaction; further ones are receipted, and never shown."""

    @functools.cached_property
    def lists(self) -> defaultdict[TxnId, list[Position]]:
        """Where the messages of each transaction are."""
        return defaultdict(list)

    def publish(self, message: Message) -> Position:
        position = super().publish(message)
        if message.txn is not None:
            self.lists[message.txn].append(position)
        return position

    def after(self, place: MessagePosition) -> Iterator[Readable]:
        beyond = {position for positions in self.lists.values() for position in positions[_FULL:]}
        return (readable for readable in super().after(place) if readable.place.position not in beyond)


@defect(
    {"PIP471-14": seen("to 0:4$", expected="^2 entries$", what="^p1 behind a1$")},
    origin="PIP-31, Marker Approach, which shipped for topics that are not scalable",
)
class MetadataEndWritesAMarker(MetadataBuffer):
    """The end of a transaction is also written into each segment, as the buffers of PIP-31 do."""

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        self._ledger.append(LedgerMarker(txn, action))
        super().end(txn, action, low_watermark)


@defect(
    {
        "PIP471-15": seen("^success$", expected="^a refusal$", what="^answer to SEND$"),
        "PIP471-16": seen('^"a1", "late", "p1"$', expected='^"a1", "p1"$', what="^readers of orders$"),
    },
    origin="feared by readers of the proposal: one read of the store for each message is what they would save",
)
class MetadataLateMessagesTaken(MetadataBuffer):
    """A segment stores a message without reading the header, so a message after a commit becomes part of it."""

    def refuse_what_comes_too_late(self, txn: TxnId) -> None:
        """No late message is refused."""


@defect(
    {"PIP471-16": seen('^"a1", "late", "p1"$', expected='^"a1", "p1"$', what="^readers of orders$")},
    origin="the proposal's text, Q4: the entry first",
)
class MetadataRefusedIsStored(MetadataBuffer):
    """A segment stores a message before it reads the header, and keeps it when it refuses the producer."""

    def publish(self, message: Message) -> Position:
        try:
            return super().publish(message)
        except CommandRefused:
            self._ledger.append(message)
            raise


@defect({"PIP471-17": seen('^"a1", "p1"$', expected='^"p2"$', what="^readers of orders$")}, origin="the proposal's text, Q7")
class MetadataEndedOnlyOnce(MetadataBuffer):
    """A segment ends each transaction once; a message that came between the look and the end opens it again, and for ever."""

    @functools.cached_property
    def ended(self) -> set[TxnId]:
        """What has ended here since the segment was loaded."""
        return set()

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        if txn not in self.ended:
            self.ended.add(txn)
            super().end(txn, action, low_watermark)


@defect(
    {"PIP471-14": seen('^"a1", "a1"$', expected='^"a1"$', what="^readers of payments$")},
    origin="textbook: a state that recovery forgets",
    of=MetadataParts,
)
class MetadataRepeatedInATransactionIsStored(Deduplication):
    """A segment that is loaded knows again what producers have sent outside of transactions, and takes the rest once more."""

    def recovered(self, stored: Iterable[Message]) -> Iterable[Message]:
        return (message for message in super().recovered(stored) if message.txn is None)


@defect({"PIP471-17": seen('^"a1", "a2"$', expected='^"a1", since', what="^messages of orders$")}, origin="the proposal's text, Q7")
class MetadataCommittedMeanwhileIsRefused(MetadataBuffer):
    """A message that is stored when its transaction is committed meanwhile is refused, and shown."""

    def check_again(self, txn: TxnId) -> None:
        super().check_again(txn)
        if self.participation.state_of(txn) is HeaderState.COMMITTED:
            raise CommandRefused(ServerError.NOT_ALLOWED, f"TxnConflict: transaction {txn} was committed meanwhile")


@defect(
    {"PIP471-11": seen('"150"$', expected="^nothing$", what="^left for workers$")},
    origin="red team: a list of which the first page is read",
)
class MetadataPageOfAcknowledgementsRecovered(TransactionRecords):
    """A subscription that is loaded recovers the first 100 of its operation records, and a commit deletes no other messages."""

    def acknowledgements(self, name: SubscriptionName) -> list[tuple[TxnId, OperationRecord]]:
        return super().acknowledgements(name)[:_A_PAGE]


@defect(
    {"PIP471-15": seen("^success$", expected="^a refusal$", what="^answer to SEND$")},
    origin="red team: a cache that is emptied when the last of its users has gone",
)
class MetadataHeadersKeptWhileAnyIsOpen(MetadataBuffer):
    """A segment keeps the headers that it has read for as long as any transaction is open there, and takes a message in one that has
    ended since."""

    @functools.cached_property
    def read(self) -> set[TxnId]:
        """Those that were open when their headers were read."""
        return set()

    def refuse_what_comes_too_late(self, txn: TxnId) -> None:
        if not self._waiting - {txn}:
            self.read.clear()
        if txn not in self.read:
            super().refuse_what_comes_too_late(txn)
        self.read.add(txn)
