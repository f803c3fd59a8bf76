"""Defects of metadata-driven transactions in publishing."""

import functools
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata_transactions import MetadataParts, paths
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.metadata_transactions.records import Operation, State
from fencepost.reference.metadata_transactions.transaction_records import TransactionRecords
from fencepost.reference.pulsar.buffer import Place, Readable
from fencepost.reference.pulsar.deduplication import Deduplication
from fencepost.reference.pulsar.errors import Error, Refused
from fencepost.reference.pulsar.ledger import Marker
from fencepost.reference.pulsar.values import Action, Message, Position, TxnId

_FULL = 512


class _CountsItsOwn(TransactionRecords):
    @functools.cached_property
    def counts(self) -> Counter[TxnId]:
        """How many records this participant has left."""
        return Counter()

    def record(self, txn: TxnId, operation: Operation) -> str:
        self.counts[txn] += 1
        key = f"{paths.operations(txn)}-{paths.number(self.counts[txn])}"
        partition_key = self.partition_key(paths.key_of(txn))
        return self._store.put(key, operation.encoded(), partition_key=partition_key, indexes=self.operation_indexes(txn, operation)).key


class _ListIsFull(MetadataBuffer):
    @functools.cached_property
    def lists(self) -> defaultdict[TxnId, list[Position]]:
        """Where the messages of each transaction are."""
        return defaultdict(list)

    def publish(self, message: Message) -> Position:
        position = super().publish(message)
        if message.txn is not None:
            self.lists[message.txn].append(position)
        return position

    def after(self, place: Place) -> Iterator[Readable]:
        beyond = {position for positions in self.lists.values() for position in positions[_FULL:]}
        return (readable for readable in super().after(place) if readable.place.position not in beyond)


class _WritesAMarker(MetadataBuffer):
    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        self._ledger.append(Marker(txn, action))
        super().end(txn, action, low_watermark)


class _TakesTheLate(MetadataBuffer):
    def refuse_what_comes_too_late(self, txn: TxnId) -> None:
        """Nobody is refused."""


class _StoresWhatItRefuses(MetadataBuffer):
    def publish(self, message: Message) -> Position:
        try:
            return super().publish(message)
        except Refused:
            self._ledger.append(message)
            raise


class _EndsATransactionOnce(MetadataBuffer):
    @functools.cached_property
    def ended(self) -> set[TxnId]:
        """What has ended here since the segment was loaded."""
        return set()

    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        if txn not in self.ended:
            self.ended.add(txn)
            super().end(txn, action, low_watermark)


class _KnowsWhatIsInNoTransaction(Deduplication):
    def recovered(self, stored: Iterable[Message]) -> Iterable[Message]:
        return (message for message in super().recovered(stored) if message.txn is None)


class _RefusesWhatIsCommitted(MetadataBuffer):
    def check_again(self, txn: TxnId) -> None:
        super().check_again(txn)
        if self.participation.state_of(txn) is State.COMMITTED:
            raise Refused(Error.NOT_ALLOWED, f"TxnConflict: transaction {txn} was committed meanwhile")


PARTICIPANTS_COUNT_THEIR_OWN = Defect(
    name="metadata-participants-count-their-own",
    breaks={"PIP471-10": Symptom(what="^readers of orders$", expected='^"b1"$', seen='"a1"')},
    story="Each participant numbers its operations of a transaction by itself, from 1 on, so that they write over each other's records.",
    origin="feared by readers of the proposal: /txn-op/<txnId>/<seq>, and nobody says who gives the number",
    parts=MetadataParts(transaction_records=_CountsItsOwn),
)

LIST_OF_MESSAGES_IS_FULL = Defect(
    name="metadata-list-of-messages-is-full",
    breaks={"PIP471-11": Symptom(what="^readers of orders$", expected='"600"$', seen='"512"$')},
    story=f"A buffer has room for {_FULL} messages of a transaction; those beyond are receipted, and never shown.",
    origin="textbook: a buffer of fixed size",
    parts=MetadataParts(metadata_buffer=_ListIsFull),
)

END_WRITES_A_MARKER = Defect(
    name="metadata-end-writes-a-marker",
    breaks={"PIP471-14": Symptom(what="^p1 behind a1$", expected="^2 entries$", seen="to 0:4$")},
    story="The end of a transaction is also written into each segment, as the buffers of PIP-31 do.",
    origin="PIP-31, Marker Approach, which shipped for topics that are not scalable",
    parts=MetadataParts(metadata_buffer=_WritesAMarker),
)

LATE_MESSAGES_TAKEN = Defect(
    name="metadata-late-messages-taken",
    breaks={
        "PIP471-15": Symptom(what="^answer to SEND$", expected="^a refusal$", seen="^success$"),
        "PIP471-16": Symptom(what="^readers of orders$", expected='^"a1", "p1"$', seen='^"a1", "late", "p1"$'),
    },
    story="The header is not looked at before a message is stored, and what comes behind a commit is part of it.",
    origin="feared by readers of the proposal: one read of the store for each message is what they would save",
    parts=MetadataParts(metadata_buffer=_TakesTheLate),
)

REFUSED_IS_STORED = Defect(
    name="metadata-refused-is-stored",
    breaks={"PIP471-16": Symptom(what="^readers of orders$", expected='^"a1", "p1"$', seen='^"a1", "late", "p1"$')},
    story="A message is stored before the header is looked at, and stays where its producer is told no.",
    origin="the proposal's text, Q4: the entry first",
    parts=MetadataParts(metadata_buffer=_StoresWhatItRefuses),
)

ENDED_ONLY_ONCE = Defect(
    name="metadata-ended-only-once",
    breaks={"PIP471-17": Symptom(what="^readers of orders$", expected='^"p2"$', seen='^"a1", "p1"$')},
    story="A segment ends each transaction once; a message that came between the look and the end opens it again, and for ever.",
    origin="the proposal's text, Q7",
    parts=MetadataParts(metadata_buffer=_EndsATransactionOnce),
)

REPEATED_IN_A_TRANSACTION_IS_STORED = Defect(
    name="metadata-repeated-in-a-transaction-is-stored",
    breaks={"PIP471-14": Symptom(what="^readers of payments$", expected='^"a1"$', seen='^"a1", "a1"$')},
    story="A segment that is loaded knows again what producers have sent outside of transactions, and takes the rest once more.",
    origin="textbook: a state that recovery forgets",
    parts=MetadataParts(deduplication=_KnowsWhatIsInNoTransaction),
)

COMMITTED_MEANWHILE_IS_REFUSED = Defect(
    name="metadata-committed-meanwhile-is-refused",
    breaks={"PIP471-17": Symptom(what="^messages of orders$", expected='^"a1", since', seen='^"a1", "a2"$')},
    story="A message that is stored when its transaction is committed meanwhile is refused, and shown.",
    origin="the proposal's text, Q7",
    parts=MetadataParts(metadata_buffer=_RefusesWhatIsCommitted),
)
