"""Defects of metadata-driven transactions in pending acknowledgements of a subscription that is loaded again."""

from collections.abc import Sequence

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.metadata_transactions.pending_ack_records import PendingAckRecords
from fencepost.reference.metadata_transactions.records import Operation
from fencepost.reference.metadata_transactions.transaction_records import TransactionRecords
from fencepost.reference.pulsar.buffer import Place, Shown
from fencepost.reference.pulsar.cursor import Cursor
from fencepost.reference.pulsar.pending_ack_store import Waiting
from fencepost.reference.pulsar.pending_acks import PendingAcks
from fencepost.reference.pulsar.values import Action, SubscriptionName, TxnId


class _RecoversTheIds(PendingAckRecords):
    def replay(self) -> Sequence[Waiting]:
        return [Waiting(waiting.txn) for waiting in super().replay()]


class _NeverReleasesTheRecovered(PendingAcks):
    def recover(self) -> None:
        super().recover()
        self._of_before = self.transactions()

    def end(self, txn: TxnId, action: Action) -> Waiting:
        return Waiting(txn) if txn in self._of_before and action is Action.ABORT else super().end(txn, action)


class _TakesItForAPersistentTopic(TransactionRecords):
    def acknowledgements(self, name: SubscriptionName) -> list[tuple[TxnId, Operation]]:
        domain, _, path = name.topic.partition("://")
        topic = f"persistent://{path}" if domain == "segment" else name.topic
        return super().acknowledgements(SubscriptionName(topic, name.name))


class _KeepsTheLastOfABatch(PendingAckRecords):
    def replay(self) -> Sequence[Waiting]:
        last: dict[tuple[TxnId, Place], Waiting] = {}
        for waiting in super().replay():
            place = next(iter(waiting.individual), None) or waiting.cumulative
            assert place is not None, "a record is about a place"
            last[waiting.txn, place] = waiting
        return list(last.values())


class _DeletesThoseOfTheName(TransactionRecords):
    def delete_operations(self, txn: TxnId, participant: str | SubscriptionName) -> None:
        for whose in self.participants(txn):
            if isinstance(participant, str) or (isinstance(whose, SubscriptionName) and whose.name == participant.name):
                super().delete_operations(txn, participant if isinstance(participant, str) else whose)


class _LeavesWhatWasRefused(TransactionRecords):
    def take_back(self, txn: TxnId, refused: Sequence[Operation]) -> None:
        """Nobody is told of it, and it is there at the next load."""


class _ListsWhatIsShown(Cursor):
    def acknowledge_up_to(self, place: Place, buffer: Shown) -> None:
        shown = [readable for readable in buffer.after(self.mark_delete) if readable.place <= place]
        self.acknowledge({readable.place: frozenset(range(readable.message.units)) for readable in shown}, buffer)


class _RecoversOneWay(PendingAckRecords):
    def replay(self) -> Sequence[Waiting]:
        recovered = super().replay()
        cumulative = {waiting.txn for waiting in recovered if waiting.cumulative is not None}
        return [waiting for waiting in recovered if waiting.cumulative is not None or waiting.txn not in cumulative]


class _RecoversOnePosition(PendingAckRecords):
    def replay(self) -> Sequence[Waiting]:
        recovered = super().replay()
        last = {waiting.txn: waiting.individual.keys() for waiting in recovered if waiting.individual}
        return [waiting for waiting in recovered if waiting.cumulative is not None or waiting.individual.keys() == last[waiting.txn]]


RECOVERED_WITHOUT_POSITIONS = Defect(
    name="metadata-recovered-without-positions",
    breaks={
        "PIP471-30": Symptom(what="^left for workers$", expected='^"i2", "i3"$', seen='^"i1", "i2", "i3"$'),
        "PIP471-32": Symptom(what="^answer to ACK$", expected="^a refusal$", seen="^success$"),
    },
    story="A subscription that is loaded learns which transactions have acknowledged something, and not what: their commit does nothing.",
    origin="code reading, R1; as shipped by Apache Pulsar for segments of scalable topics, seen on 5.0.0-M1",
    parts=MetadataParts(pending_ack_records=_RecoversTheIds),
)

RECOVERED_NEVER_RELEASED = Defect(
    name="metadata-recovered-never-released",
    breaks={"PIP471-31": Symptom(what="^left for workers$", expected='^"i1", "i2", "i3"$', seen='^"i2", "i3"$')},
    story="An abort gives back only what was acknowledged since the subscription was loaded; what was recovered stays pending.",
    origin="textbook: handles of before the restart are looked for, and none is found",
    parts=MetadataParts(pending_acks=_NeverReleasesTheRecovered),
)

NAME_OF_A_SEGMENT_MISREAD = Defect(
    name="metadata-name-of-a-segment-misread",
    breaks={"PIP471-32": Symptom(what="^answer to ACK$", expected="^a refusal$", seen="^success$")},
    story="The name of a segment is read as that of a persistent topic, under which no pending acknowledgements are found.",
    origin="apache/pulsar#25631: the name of a segment's pending acknowledgements could not be read",
    parts=MetadataParts(transaction_records=_TakesItForAPersistentTopic),
)

LAST_OF_A_BATCH_RECOVERED = Defect(
    name="metadata-last-of-a-batch-recovered",
    breaks={"PIP471-30": Symptom(what="^left for packers$", expected='^"b3", "i1", "i2", "i3"$', seen='^"b1", "b3", "i1", "i2", "i3"$')},
    story="Of several records about one entry the last one is recovered: what was acknowledged of its batch before comes again.",
    origin="the proposal's text, Q9: positions that say nothing of the messages of a batch, as keys of a map",
    parts=MetadataParts(pending_ack_records=_KeepsTheLastOfABatch),
)

DELETED_BY_NAME = Defect(
    name="metadata-deleted-by-the-subscription-name",
    breaks={"PIP471-30": Symptom(what="^left for auditors$", expected='^"o2"$', seen='^"o1", "o2"$')},
    story="A subscription deletes the transaction's records of all subscriptions of its name, also those of other segments.",
    origin="feared by readers of the proposal: a consumer group has one name on all segments of its topic",
    parts=MetadataParts(transaction_records=_DeletesThoseOfTheName),
)

WHAT_IS_SHOWN_ACKNOWLEDGED = Defect(
    name="metadata-only-what-is-shown-acknowledged",
    breaks={"PIP471-30": Symptom(what="^left for auditors$", expected="^nothing$", seen='^"a1"$')},
    story="A commit of everything up to a message takes away what readers are shown at that moment, and deletes the operation record: what "
    "an earlier end holds up there for a second more is delivered again.",
    origin="the reference of this suite, until a red team found it: the range of a cumulative acknowledgement taken from what readers see",
    parts=MetadataParts(cursor=_ListsWhatIsShown),
)

REFUSED_IS_RECOVERED = Defect(
    name="metadata-refused-is-recovered",
    breaks={"PIP471-30": Symptom(what="^left for workers$", expected='^"i2", "i3"$', seen='^"i3"$')},
    story="An acknowledgement that is refused since the store does not answer leaves its record: behind the next load it is pending, and a "
    "commit loses a message that its client has not processed.",
    origin="the reference of this suite, until a red team found it: a record that was written, and of which only the answer was lost",
    parts=MetadataParts(transaction_records=_LeavesWhatWasRefused),
)

RECOVERED_ONE_WAY = Defect(
    name="metadata-recovered-one-way",
    breaks={"PIP471-30": Symptom(what="^left for auditors$", expected='^"i2"$', seen='^"i2", "i3"$')},
    story="A transaction acknowledges in one way on a subscription, it is believed: where one is recovered that has a cumulative "
    "acknowledgement, its single ones are passed over, and their commit does nothing.",
    origin="textbook: two things of one record's form, of which the reader expects one",
    parts=MetadataParts(pending_ack_records=_RecoversOneWay),
)

ONE_POSITION_RECOVERED = Defect(
    name="metadata-one-position-recovered",
    breaks={"PIP471-30": Symptom(what="^left for workers$", expected='^"i3"$', seen='^"i1", "i3"$')},
    story="Of each transaction the last position is recovered that it has acknowledged: a commit takes away that message, and the others "
    "come again.",
    origin="textbook: records grouped by transaction into a map that has room for one position each",
    parts=MetadataParts(pending_ack_records=_RecoversOnePosition),
)
