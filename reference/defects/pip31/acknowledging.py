"""Defects of Pulsar in acknowledgements, message by message, that wait for the end of their transaction."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import ClassVar
from weakref import WeakKeyDictionary

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.defects.pip31.batches import AsksWhetherTheEntryIsDeleted, DropsWhatIsOfThatBatch
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.answers import Answers
from fencepost.reference.pulsar.buffer import Place, Readable, Shown
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.cursor import Cursor
from fencepost.reference.pulsar.errors import Refused
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.pending_ack_journal import PendingAckJournal
from fencepost.reference.pulsar.pending_ack_store import Units, Waiting
from fencepost.reference.pulsar.pending_acks import PendingAcks
from fencepost.reference.pulsar.subscription import Consumer, Subscription
from fencepost.reference.pulsar.transaction import Transaction
from fencepost.reference.pulsar.values import Action, SubscriptionType, TxnId

_NOBODY = TxnId(0, 2**40)


class _GivesThePendingOut(PendingAcks):
    def units_at(self, place: Place) -> Units:  # noqa: ARG002 - it does not look
        return frozenset()


class _SpendsPermitsOnThePending(Subscription):
    def detach(self, consumer: Consumer) -> None:
        super().detach(consumer)
        if not self.consumers:
            self._read_position = self.cursor.mark_delete
            self._held.clear()

    def is_withheld(self, readable: Readable) -> bool:
        for consumer in self.consumers[:1]:
            consumer.permits -= len(self.pending.units_at(readable.place))
        return super().is_withheld(readable)


class _SeesNoConflict(PendingAcks):
    def is_pending(self, place: Place, units: Units) -> bool:  # noqa: ARG002 - whoever asks may have it
        return False


class _TakesTheDeleted(Subscription):
    def acknowledge_in(self, txn: TxnId, wanted: Mapping[Place, Units]) -> None:
        self.pending.add_individual(txn, wanted)


class _PlainDeletes(Subscription):
    def without_pending(self, place: Place, units: Units) -> Units:  # noqa: ARG002 - it does not ask what is pending there
        return units


class _AbortKeepsAll(PendingAcks):
    def end(self, txn: TxnId, action: Action) -> Waiting:
        return Waiting(txn) if action is Action.ABORT else super().end(txn, action)


class _AbortGivesOthersBack(Subscription):
    def apply_outcome(self, txn: TxnId, action: Action) -> None:
        for other in self.pending.transactions() - {txn} if action is Action.ABORT else ():
            super().apply_outcome(other, action)
        super().apply_outcome(txn, action)


class _AbortGivesAllBack(Subscription):
    def apply_outcome(self, txn: TxnId, action: Action) -> None:
        super().apply_outcome(txn, action)
        if action is Action.ABORT:
            self.give_back({place: frozenset(owners) for place, owners in self._held.items()})


class _TimeOutForgetsSubscriptions(LogCoordinator):
    def decide(self, transaction: Transaction, action: Action, reply: Reply | None) -> None:
        super().decide(transaction if reply else replace(transaction, subscriptions=()), action, reply)


class _LooksForNoStrays(Subscription):
    def strays(self, is_over: Callable[[TxnId], bool]) -> list[TxnId]:  # noqa: ARG002 - that is the defect
        return []


class _CommitDeletesNothing(Subscription):
    def apply_outcome(self, txn: TxnId, action: Action) -> None:
        if action is Action.ABORT:
            super().apply_outcome(txn, action)
        else:
            self.pending.end(txn, action)


class _IsWrittenLater(Cursor):
    def save(self) -> None:
        pass


class _PendingInMemory(PendingAckJournal):
    def must_be_durable(self, waiting: Waiting) -> bool:  # noqa: ARG002 - whatever it is
        return False


class _LeavingReleases(Subscription):
    def detach(self, consumer: Consumer) -> None:
        for txn in self.pending.transactions():
            self.pending.end(txn, Action.ABORT)
        super().detach(consumer)


class _TakesOlderForOver(Subscription):
    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        super().end(txn, action, max(low_watermark, txn.sequence))


class _RedeliversThePending(Subscription):
    def redeliver(self, consumer: Consumer, places: Collection[Place]) -> None:
        for txn in self.pending.transactions() if places else ():
            self.pending.end(txn, Action.ABORT)
        super().redeliver(consumer, places)


class _SharesAcknowledgements(Subscription):
    _siblings: ClassVar[WeakKeyDictionary[Shown, list[Subscription]]] = WeakKeyDictionary()

    def attach(self, consumer: Consumer, kind: SubscriptionType) -> None:
        super().attach(consumer, kind)
        together = self._siblings.setdefault(self._buffer, [])
        together += [] if self in together else [self]

    def apply_outcome(self, txn: TxnId, action: Action) -> None:
        held = self.pending.end(txn, action)
        for one in self._siblings.get(self._buffer, [self]) if action is Action.COMMIT else ():
            one.acknowledge(held.individual)


class _SaysNothingOfRefusals(Answers):
    def answers_acknowledgement(self, *, is_refusal: bool) -> bool:
        return not is_refusal


class _SwallowsTheConflict(Subscription):
    def acknowledge_in(self, txn: TxnId, wanted: Mapping[Place, Units]) -> None:
        try:
            super().acknowledge_in(txn, wanted)
        except Refused:
            return


class _KeepsWhatItRefused(PendingAcks):
    def add_individual(self, txn: TxnId, wanted: Mapping[Place, Units]) -> None:
        try:
            super().add_individual(txn, wanted)
        except Refused:
            free = {place: units - self.units_at(place) for place, units in wanted.items()}
            self._hold(Waiting(_NOBODY, individual=free))
            raise


class _OneConsumerHasNoBatches(Subscription):
    def acknowledge_in(self, txn: TxnId, wanted: Mapping[Place, Units]) -> None:
        if self.kind in (SubscriptionType.EXCLUSIVE, SubscriptionType.FAILOVER):
            wanted = {place: units - self.pending.units_at(place) for place, units in wanted.items()}
        super().acknowledge_in(txn, wanted)


class _GivesTheCoveredOut(PendingAcks):
    def covers(self, place: Place) -> bool:  # noqa: ARG002 - only single messages are withheld
        return False


PENDING_IS_GIVEN_OUT = Defect(
    name="pending-is-given-out",
    breaks={"PIP31-54": Symptom(what="^received by workers$", expected='^"i2", "i3"$', seen='"i1"')},
    story="Redelivery goes by what is deleted, so that a message of an open transaction is processed twice.",
    origin="textbook: a state that only the acknowledging path knows",
    parts=Parts(pending_acks=_GivesThePendingOut),
)

PENDING_SPENDS_PERMITS = Defect(
    name="pending-spends-permits",
    breaks={"PIP31-54": Symptom(what="^received by workers$", expected='^"i3"$', seen="not even the sentinel")},
    story="Messages that are withheld use up the room of the consumer that does not get them, which then waits for ever.",
    origin="apache/pulsar#21177: filtered messages still consumed permits",
    parts=Parts(subscription=_SpendsPermitsOnThePending),
)

PENDING_CONFLICT_UNSEEN = Defect(
    name="pending-conflict-unseen",
    breaks={
        "PIP31-55": Symptom(what="^answer to ACK$", expected="^a refusal with TransactionConflict or InvalidTxnStatus$", seen="^success$")
    },
    story="Two transactions acknowledge one message, and both commit what they made of it.",
    origin="textbook: a state that is changed without being compared",
    parts=Parts(pending_acks=_SeesNoConflict),
)

DELETED_IS_TAKEN = Defect(
    name="deleted-is-taken",
    breaks={
        "PIP31-56": Symptom(what="^answer to ACK$", expected="^a refusal with TransactionConflict or InvalidTxnStatus$", seen="^success$")
    },
    story="A message that is acknowledged for good is acknowledged once more in a transaction, whose owner has processed it in vain.",
    origin="textbook: the pending state compared, and the cursor not",
    parts=Parts(subscription=_TakesTheDeleted),
)

PLAIN_ACK_DELETES_PENDING = Defect(
    name="plain-ack-deletes-pending",
    breaks={"PIP31-57": Symptom(what="^left for workers$", expected='^"i1", "i2", "i3"$', seen='^"i2", "i3"$')},
    story="A plain acknowledgement moves the cursor over a message that is pending, and the abort cannot give it back.",
    origin="as shipped by Apache Pulsar, seen on 4.0.7 and 5.0.0-M1",
    parts=Parts(subscription=_PlainDeletes),
)

ABORT_GIVES_NOTHING_BACK = Defect(
    name="abort-gives-nothing-back",
    breaks={"PIP31-58": Symptom(what="^received by workers$", expected='^"i1"$', seen="^nothing$")},
    story="The pending state outlives the abort, so that what the transaction had acknowledged is lost for the subscription.",
    origin="textbook: an end that only commits are told",
    parts=Parts(pending_acks=_AbortKeepsAll),
)

ABORT_GIVES_OTHERS_BACK = Defect(
    name="abort-gives-others-back",
    breaks={"PIP31-58": Symptom(what="^received by workers$", expected='^"i2"$', seen='^"i1", "i2"$')},
    story="An abort gives back what another transaction has acknowledged and may still commit.",
    origin="apache/pulsar#14327, apache/pulsar#19451: an abort redelivered what was pending in another transaction",
    parts=Parts(subscription=_AbortGivesOthersBack),
)

ABORT_GIVES_ALL_BACK = Defect(
    name="abort-gives-all-back",
    breaks={"PIP31-58": Symptom(what="^received by workers$", expected='^"i1"$', seen='^"i1"(, "i1")?, "i2", "i3"$')},
    story="An abort delivers again what a consumer is busy with and the transaction never touched.",
    origin="apache/pulsar#25107: an abort after acknowledgements caused duplicate consumption",
    parts=Parts(subscription=_AbortGivesAllBack),
)

TIME_OUT_LEAVES_PENDING = Defect(
    name="time-out-leaves-pending",
    breaks={"PIP31-58": Symptom(what="^received by workers$", expected='^"i1"$', seen="^nothing$")},
    story="A transaction whose client is gone times out, and its messages stay pending for ever.",
    origin="apache/pulsar#10306: messages in pending ack status after the time-out",
    parts=Parts(coordinator=_TimeOutForgetsSubscriptions, subscription=_LooksForNoStrays),
)

COMMIT_DELETES_NOTHING = Defect(
    name="commit-deletes-nothing",
    breaks={"PIP31-59": Symptom(what="^left for workers$", expected='^"i2", "i3"$', seen='"i1"')},
    story="A commit ends the pending state without moving the cursor, and the message is delivered again.",
    origin="textbook: the half of an end that is easy to see",
    parts=Parts(subscription=_CommitDeletesNothing),
)

COMMIT_DELETES_IN_MEMORY = Defect(
    name="commit-deletes-in-memory",
    breaks={"PIP31-59": Symptom(what="^left for workers$", expected='^"i1", "i3"$', seen='^"i1", "i2", "i3"$')},
    story="The cursor is written later than the commit is answered, and a crash in between brings the messages back.",
    origin="textbook: as durable as a plain acknowledgement",
    parts=Parts(cursor=_IsWrittenLater),
)

PENDING_IN_MEMORY = Defect(
    name="pending-in-memory",
    breaks={"PIP31-60": Symptom(what="^received by workers$", expected='^"i2", "i3"$', seen='"i1"')},
    story="What is pending is only known in memory; after a crash others get it, while the transaction is still open.",
    origin="seen on Apache Pulsar 5.0.0-M1, on topics that are segments",
    parts=Parts(pending_ack_journal=_PendingInMemory),
)

LEAVING_ENDS_PENDING = Defect(
    name="leaving-ends-pending",
    breaks={
        "PIP31-61": Symptom(what="^answer to ACK$", expected="^a refusal with TransactionConflict or InvalidTxnStatus$", seen="^success$")
    },
    story="With its consumer, what a transaction acknowledged leaves the pending state, as if it were aborted.",
    origin="textbook: a state that hangs on a connection",
    parts=Parts(subscription=_LeavingReleases),
)

NEWER_END_ENDS_OLDER = Defect(
    name="newer-end-ends-older",
    breaks={"PIP31-61": Symptom(what="^left for workers$", expected='^"i3"$', seen='"i1"')},
    story="The end of a newer transaction counts as the low watermark, and older open ones lose what they have pending.",
    origin="apache/pulsar#15530: the low watermark of pending acknowledgements aborted the wrong transaction",
    parts=Parts(subscription=_TakesOlderForOver),
)

ASKING_ENDS_PENDING = Defect(
    name="asking-ends-pending",
    breaks={"PIP31-62": Symptom(what="^received by workers$", expected='^"i2"$', seen='^"i1", "i2"$')},
    story="Whoever asks for a message by its id gets it, also one that is pending in an open transaction.",
    origin="textbook: two ways to ask for redelivery, and one that checks",
    parts=Parts(subscription=_RedeliversThePending),
)

COMMIT_DELETES_ON_ALL = Defect(
    name="commit-deletes-on-all",
    breaks={"PIP31-65": Symptom(what="^left for others$", expected='^"i1", "i2", "i3"$', seen='^"i2", "i3"$')},
    story="A commit deletes on every subscription of the topic what the transaction acknowledged on one.",
    origin="textbook: a state kept at the topic",
    parts=Parts(subscription=_SharesAcknowledgements),
)

CONFLICT_IS_SWALLOWED = Defect(
    name="conflict-is-swallowed",
    breaks={
        "PIP31-67": Symptom(what="^answer to ACK$", expected="^a refusal with TransactionConflict or InvalidTxnStatus$", seen="^success$")
    },
    story="The answer says success whatever became of the acknowledgement, and the client commits without it.",
    origin="textbook: an error that ends in a log file",
    parts=Parts(subscription=_SwallowsTheConflict),
)

REFUSAL_IS_SILENT = Defect(
    name="acknowledgement-refused-in-silence",
    breaks={"PIP31-67": Symptom(what="^answer to ACK$", expected="^one$", seen="^none, though a later request")},
    story="An acknowledgement that is refused is not answered, and its client waits for ever before it ends the transaction.",
    origin="textbook: an exception that ends where nobody is told",
    parts=Parts(answers=_SaysNothingOfRefusals),
)

CONFLICT_KEEPS_THE_OTHERS = Defect(
    name="conflict-keeps-the-others",
    breaks={
        "PIP31-70": Symptom(what="^answer to ACK$", expected="^success$", error="TransactionConflict"),
        "PIP31-154": Symptom(what="^(answer to ACK|received by workers)$", seen='^(TransactionConflict.*|"i3")$'),
    },
    story="The messages of a refused request that were free stay pending, and no end is ever told of them.",
    origin="textbook: a request that is applied and then checked",
    parts=Parts(pending_acks=_KeepsWhatItRefused),
)

ONE_CONSUMER_HAS_NO_BATCHES = Defect(
    name="one-consumer-has-no-batches",
    breaks={
        "PIP31-55": Symptom(what="^answer to ACK$", expected="^a refusal with TransactionConflict or InvalidTxnStatus$", seen="^success$")
    },
    story="Where there is one consumer, an entry counts as one message, and the conflict over a message of a batch is not seen.",
    origin="apache/pulsar#15832: the size of a batch was taken for 1 on exclusive and failover subscriptions",
    parts=Parts(subscription=_OneConsumerHasNoBatches),
)

COVERED_IS_GIVEN_OUT = Defect(
    name="covered-is-given-out",
    breaks={"PIP31-54": Symptom(what="^received by auditors$", expected='^"i3"$', seen='^"i1", "i2", "i3"$')},
    story="Only messages that were acknowledged one by one are withheld; those below a pending cumulative one come again.",
    origin="as shipped by Apache Pulsar, seen on 4.0.7 and 5.0.0-M1",
    parts=Parts(pending_acks=_GivesTheCoveredOut),
)


class _CountsFromItsStart(LogCoordinator):
    _last_before = -1

    def last_given(self, replayed: Iterable[TxnId]) -> int:
        self._last_before = super().last_given(replayed)
        return self._last_before

    @property
    def low_watermark(self) -> int:
        incomplete = [txn.sequence for txn, known in self._transactions.items() if not known.status.is_complete]
        return min((sequence for sequence in incomplete if sequence > self._last_before), default=self.last_sequence + 1) - 1


RECOVERED_COUNT_AS_OVER = Defect(
    name="recovered-transactions-count-as-over",
    breaks={"PIP31-61": Symptom(what="^left for workers$", expected='^"i3"$', seen='^"i1", "i3"$')},
    story="A coordinator that comes back counts its low watermark without the open transactions that it found, and a newer end ends them.",
    origin="textbook: a counter that is kept up by what happens, and not built from what was recovered",
    parts=Parts(coordinator=_CountsFromItsStart),
)

PLAIN_BESIDE_PENDING_DROPPED = Defect(
    name="plain-beside-pending-dropped",
    breaks={"PIP31-57": Symptom(what="^left for packers$", expected='"b1", "b3", "i1"', seen='"b1", "b2", "b3"')},
    story="While one message of a batch is pending, plain acknowledgements of the others are passed over, and they are processed twice.",
    origin="textbook: a state for each entry",
    parts=Parts(subscription=DropsWhatIsOfThatBatch),
)

DELETED_IN_A_BATCH_ACKNOWLEDGED = Defect(
    name="deleted-in-a-batch-acknowledged",
    breaks={"PIP31-56": Symptom(what="^answer to ACK$", expected="^a refusal", seen="^success$")},
    story="A transaction may acknowledge several messages of a batch when one of them is deleted already, for the entry is there still.",
    origin="textbook: a state for each entry",
    parts=Parts(subscription=AsksWhetherTheEntryIsDeleted),
)
