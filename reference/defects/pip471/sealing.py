"""Defects of metadata-driven transactions in segments that are sealed under them."""

from collections.abc import Sequence

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.defects.inheriting import topic_of
from fencepost.reference.defects.sealed import is_sealed
from fencepost.reference.kernel.journal import Disk
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.metadata_transactions.coordinator import MetadataCoordinator
from fencepost.reference.metadata_transactions.participation import Participation
from fencepost.reference.metadata_transactions.pending_ack_records import PendingAckRecords
from fencepost.reference.metadata_transactions.records import State
from fencepost.reference.pulsar.buffer import Readable
from fencepost.reference.pulsar.coordinator import Reply
from fencepost.reference.pulsar.errors import Error, Refused
from fencepost.reference.pulsar.ledger import Marker
from fencepost.reference.pulsar.pending_ack_store import Waiting
from fencepost.reference.pulsar.producers import Producers
from fencepost.reference.pulsar.subscription import Consumer, Subscription
from fencepost.reference.pulsar.values import BEFORE_ALL, Action, Message, Position, SubscriptionName, TxnId
from fencepost.reference.scalable.changes import LayoutChanges


class _WantsAMarker(Producers):
    def check_takes_an_end(self, *, by_marker: bool) -> None:  # noqa: ARG002 - that is the defect
        self.check_open()


class _WaitsForSealed(MetadataCoordinator):
    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        self.decide(txn, action)
        if not any(isinstance(one, str) and is_sealed(self._machine.disk, one) for one in self._records.participants(txn)):
            reply()


def _is_of_sealed(participant: str | SubscriptionName, disk: Disk) -> bool:
    return isinstance(participant, SubscriptionName) and is_sealed(disk, participant.topic)


class _LosesWhatIsCommitted(MetadataBuffer):
    def is_shown(self, message: Message) -> bool:
        return super().is_shown(message) and (message.txn is None or not is_sealed(self._machine.disk, self._segment))


class _TakesSealedForDecided(MetadataBuffer):
    @property
    def max_read_position(self) -> Position:
        return self._ledger.last if is_sealed(self._machine.disk, self._segment) else super().max_read_position


class _NotesNoAbortOfSealed(MetadataBuffer):
    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        super().end(txn, Action.COMMIT if is_sealed(self._machine.disk, self._segment) else action, low_watermark)


class _RemembersAbortsOfSealed(MetadataBuffer):
    def recover(self) -> None:
        super().recover()
        if is_sealed(self._machine.disk, self._segment):
            self._aborted = {}


class _EndsInTheFirstParent(MetadataBuffer):
    """The other parent begins behind the first hash."""

    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        begins_first = self._segment.rpartition("/")[2].startswith("0000-")
        if begins_first or not is_sealed(self._machine.disk, self._segment):
            super().end(txn, action, low_watermark)


class _AbortsInTheFirstParent(MetadataBuffer):
    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        begins_first = self._segment.rpartition("/")[2].startswith("0000-")
        is_whole = begins_first or not is_sealed(self._machine.disk, self._segment)
        super().end(txn, action if is_whole else Action.COMMIT, low_watermark)


class _BeginsAnewInChildren(MetadataBuffer):
    def refuse_what_comes_too_late(self, txn: TxnId) -> None:
        super().refuse_what_comes_too_late(txn)
        if any(isinstance(one, str) and is_sealed(self._machine.disk, one) for one in self._records.participants(txn)):
            raise Refused(Error.NOT_ALLOWED, f"transaction {txn} has ended with the segment that it wrote to")


class _CommitsInParentsAlone(MetadataBuffer):
    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        number = int(self._segment.rpartition("-")[2])
        is_child = number > 1 and not is_sealed(self._machine.disk, self._segment)
        super().end(txn, Action.ABORT if is_child else action, low_watermark)


class _ShowsChildrenAtOnce(MetadataBuffer):
    @property
    def max_read_position(self) -> Position:
        return self._ledger.last if int(self._segment.rpartition("-")[2]) > 1 else super().max_read_position


class _HoldsUpTheFamily(MetadataBuffer):
    @property
    def max_read_position(self) -> Position:
        topic = self._segment.rpartition("/")[0]
        mine = [txn for txn in self._records.all_headers() if self.participation.state_of(txn).value == "OPEN"]
        of_others = (one for txn in mine for one in self._records.participants(txn) if one != self._segment)
        holds = any(isinstance(one, str) and one.startswith(topic) and is_sealed(self._machine.disk, one) for one in of_others)
        return BEFORE_ALL if holds else super().max_read_position


class _TakesWhatComesLate(Producers):
    @property
    def is_terminated(self) -> bool:
        return False

    def is_busy(self, name: str) -> bool:
        return super().is_busy(name) and not super().is_terminated


class _GivesBackWhatIsCommitted(Participation):
    def state_of(self, txn: TxnId) -> State:
        state = super().state_of(txn)
        return State.ABORTED if state is State.COMMITTED and _is_of_sealed(self._participant, self._machine.disk) else state


class _KeepsWhatIsAborted(Participation):
    def state_of(self, txn: TxnId) -> State:
        state = super().state_of(txn)
        return State.COMMITTED if state is State.ABORTED and _is_of_sealed(self._participant, self._machine.disk) else state


class _RecordsNothingOfSealed(PendingAckRecords):
    def append(self, waiting: Waiting) -> None:
        if not is_sealed(self._site.machine.disk, self._name.topic):
            super().append(waiting)


class _ForgetsWhatIsPending(PendingAckRecords):
    def replay(self) -> Sequence[Waiting]:
        found = super().replay()
        return [Waiting(one.txn) for one in found] if is_sealed(self._site.machine.disk, self._name.topic) else found


class _WritesAMarker(MetadataBuffer):
    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        super().end(txn, action, low_watermark)
        self._ledger.append(Marker(txn, action))


class _TellsTheEndOfWhatIsVisible(LayoutChanges):
    def seal(self, parents: Sequence[str]) -> None:
        super().seal(parents)
        for parent in parents:
            for subscription in topic_of(self._segments, parent).subscriptions.values():
                if not subscription.has_more():
                    subscription.tell_end(subscription.consumers)


class _TakesPendingForConsumed(Subscription):
    def has_more(self) -> bool:
        behind_the_mark = self._buffer.after(self.cursor.mark_delete)
        return super().has_more() and any(not self.is_taken(readable) for readable in behind_the_mark)

    def is_taken(self, readable: Readable) -> bool:
        """Whether a message is acknowledged, or about to be in an open transaction."""
        everything = frozenset(range(readable.message.units))
        taken = self.cursor.acknowledged(readable.place, everything) | self.pending.units_at(readable.place)
        return self.pending.covers(readable.place) or taken == everything


class _TellsNoEndBehindAnEnd(Subscription):
    has_ended_transactions = False

    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        super().end(txn, action, low_watermark)
        self.has_ended_transactions = True

    def tell_end(self, consumers: Sequence[Consumer]) -> None:
        if not self.has_ended_transactions:
            super().tell_end(consumers)


class _WaitsForTheMark(Subscription):
    def has_more(self) -> bool:
        return next(iter(self._buffer.after(self.cursor.mark_delete)), None) is not None


class _WaitsForTheLastEntry(Subscription):
    def has_more(self) -> bool:
        if super().has_more() or not isinstance(self._buffer, MetadataBuffer):
            return super().has_more()
        is_behind = self.cursor.mark_delete.position < self._buffer.max_read_position
        return is_behind and not any(self._buffer.after(self.cursor.mark_delete))


MARKER_WANTED = Defect(
    name="metadata-sealed-wants-a-marker",
    breaks={"PIP471-49": Symptom(what="^readers of left$", expected='^"a1"$', seen="^nothing$")},
    story="An end that comes to a sealed segment is refused, as if it had to be written there.",
    origin="as shipped by Apache Pulsar for terminated topics, whose transactions stay COMMITTING; the issue of the seed's Motivation",
    parts=MetadataParts(producers=_WantsAMarker),
)

WAITS_FOR_SEALED = Defect(
    name="metadata-commit-waits-for-sealed",
    breaks={"PIP471-49": Symptom(what="^answer to END_TXN$", expected="^success$", seen="^no answer")},
    story="The answer to a commit waits for what a sealed segment answers, and that answers nothing.",
    origin="the stall of thirty seconds that the proposal is there to end",
    parts=MetadataParts(metadata_coordinator=_WaitsForSealed),
)

SEALED_HIDES_COMMITTED = Defect(
    name="metadata-sealed-hides-committed",
    breaks={"PIP471-49": Symptom(what="^readers of left$", expected='"a1"', seen="^nothing$")},
    story="No transaction can be found in a sealed segment any more, and what cannot be found is taken for aborted.",
    origin="the proposal's text, Q5: unknown is aborted",
    parts=MetadataParts(metadata_buffer=_LosesWhatIsCommitted),
)

SEALED_IS_DECIDED = Defect(
    name="metadata-sealed-is-decided",
    breaks={"PIP471-52": Symptom(what="^readers of left$", expected="^nothing$", seen='^"a1"$')},
    story="A sealed segment is taken for complete, and its readers are given what is open in it.",
    origin="feared by readers of the proposal: the end of a segment taken for the end of its transactions",
    parts=MetadataParts(metadata_buffer=_TakesSealedForDecided),
)

ABORT_NOT_NOTED_IN_SEALED = Defect(
    name="metadata-abort-not-noted-in-sealed",
    breaks={"PIP471-50": Symptom(what="^readers of left$", expected="^nothing$", seen='^"a1"$')},
    story="An abort lets go what a sealed segment holds back, and notes nothing there, since the segment is closed for writing.",
    origin="feared by readers of the proposal: a guard against writes that stops the note beside them",
    parts=MetadataParts(metadata_buffer=_NotesNoAbortOfSealed),
)

ABORTS_OF_SEALED_FORGOTTEN = Defect(
    name="metadata-aborts-of-sealed-forgotten",
    breaks={"PIP471-50": Symptom(what="^readers of left$", expected='^"p1"$', seen='^"a1", "p1"$')},
    story="What was aborted in a segment is not recovered when a sealed one is loaded again.",
    origin="textbook: recovery that is left out for what cannot change any more",
    parts=MetadataParts(metadata_buffer=_RemembersAbortsOfSealed),
)

ENDS_IN_FIRST_PARENT = Defect(
    name="metadata-ends-in-first-parent",
    breaks={"PIP471-51": Symptom(what="^readers of right$", expected='^"a2"$', seen="^nothing$")},
    story="Of two segments that were merged only the first follows an end.",
    origin="feared by readers of the proposal: a child with one parent, as behind a split",
    parts=MetadataParts(metadata_buffer=_EndsInTheFirstParent),
)

ABORTS_IN_FIRST_PARENT = Defect(
    name="metadata-aborts-in-first-parent",
    breaks={"PIP471-51": Symptom(what="^readers of right$", expected="^nothing$", seen='^"(a2|b1)"$')},
    story="Of two segments that were merged only the first notes what is aborted.",
    origin="feared by readers of the proposal: a child with one parent, as behind a split",
    parts=MetadataParts(metadata_buffer=_AbortsInTheFirstParent),
)

ENDS_WITH_ITS_SEGMENT = Defect(
    name="metadata-ends-with-its-segment",
    breaks={"PIP471-52": Symptom(what="^answer to SEND$", expected="^success$", seen="NotAllowed")},
    story="A transaction that has written to a segment can write nothing more once that is sealed.",
    origin="feared by readers of the proposal: a client cannot know when a segment is split",
    parts=MetadataParts(metadata_buffer=_BeginsAnewInChildren),
)

COMMITS_IN_PARENTS_ALONE = Defect(
    name="metadata-commits-in-parents-alone",
    breaks={"PIP471-52": Symptom(what="^readers of low$", expected='^"a2"$', seen="^nothing$")},
    story="A segment that was made by a split or a merge does not know transactions that are older, and takes them for aborted.",
    origin="feared by readers of the proposal: a transaction that is torn apart by a split",
    parts=MetadataParts(metadata_buffer=_CommitsInParentsAlone),
)

CHILDREN_SHOW_AT_ONCE = Defect(
    name="metadata-children-show-at-once",
    breaks={"PIP471-52": Symptom(what="^readers of low$", expected="^nothing$", seen='^"a1"$')},
    story="A segment that was made by a split gives its readers what is open.",
    origin="textbook: a buffer that was made before its watches were set up",
    parts=MetadataParts(metadata_buffer=_ShowsChildrenAtOnce),
)

SEALED_HOLDS_UP_CHILDREN = Defect(
    name="metadata-sealed-holds-up-children",
    breaks={"PIP471-52": Symptom(what="^readers of low$", expected='^"b1"$', seen="not even the sentinel")},
    story="What is open in a sealed segment holds up the readers of all segments of its topic.",
    origin="feared by readers of the proposal: an order over segments where there is one within each",
    parts=MetadataParts(metadata_buffer=_HoldsUpTheFamily),
)

SEALED_TAKES_LATE_MESSAGES = Defect(
    name="metadata-sealed-takes-late-messages",
    breaks={
        "PIP471-52": Symptom(what="^answer to SEND$", expected="^a refusal", seen="^success$"),
        "PIP471-54": Symptom(what="^length of left$", expected="^1$", seen="^2$"),
    },
    story="A segment goes on taking messages behind its end.",
    origin="textbook: a fence that is looked at once, when the producer opens",
    parts=MetadataParts(producers=_TakesWhatComesLate),
)

COMMIT_GIVES_BACK_ON_SEALED = Defect(
    name="metadata-commit-gives-back-on-sealed",
    breaks={"PIP471-53": Symptom(what="^left for workers$", expected='^"i2"$', seen='^"i1", "i2"$')},
    story="A subscription of a sealed segment takes every end for an abort.",
    origin="feared by readers of the proposal: a cursor that cannot be moved in a closed ledger",
    parts=MetadataParts(participation=_GivesBackWhatIsCommitted),
)

ABORT_KEEPS_ON_SEALED = Defect(
    name="metadata-abort-keeps-on-sealed",
    breaks={"PIP471-53": Symptom(what="^left for workers$", expected='^"i1", "i2"$', seen='^"i2"$')},
    story="A subscription of a sealed segment deletes what was acknowledged in it, however the transaction ends.",
    origin="feared by readers of the proposal: a segment that is drained so that it can be deleted",
    parts=MetadataParts(participation=_KeepsWhatIsAborted),
)

NOTHING_RECORDED_ON_SEALED = Defect(
    name="metadata-nothing-recorded-on-sealed",
    breaks={"PIP471-53": Symptom(what="^left for workers$", expected='^"i1", "i2"$', seen='^"i2"$')},
    story="An acknowledgement on a sealed segment leaves no operation record, and its end comes to nobody.",
    origin="feared by readers of the proposal: a guard against writes that stops the record beside them",
    parts=MetadataParts(pending_ack_records=_RecordsNothingOfSealed),
)

PENDING_ON_SEALED_FORGOTTEN = Defect(
    name="metadata-pending-on-sealed-forgotten",
    breaks={"PIP471-53": Symptom(what="^left for workers$", expected='^"i2"$', seen='^"i1", "i2"$')},
    story="A subscription of a sealed segment that is loaded again knows which transactions are open, and not what they acknowledged.",
    origin="as shipped by Apache Pulsar for all segments of scalable topics, seen on 5.0.0-M1",
    parts=MetadataParts(pending_ack_records=_ForgetsWhatIsPending),
)

END_LEAVES_A_MARKER = Defect(
    name="metadata-end-leaves-a-marker",
    breaks={"PIP471-54": Symptom(what="^length of left$", expected="^2$", seen="^3$")},
    story="An end is also written into the segment, as on classic topics.",
    origin="the markers of PIP-31, which the proposal does without",
    parts=MetadataParts(metadata_buffer=_WritesAMarker),
)

END_OF_THE_PENDING_TOLD = Defect(
    name="metadata-end-told-before-the-pending",
    breaks={"PIP471-53": Symptom(what="^end of left$", expected="^not told yet$", seen="^told$")},
    story="A consumer of a sealed segment is told that it has no more when all is acknowledged, also where that is pending: what an abort "
    "gives back finds nobody.",
    origin="feared: pending acknowledgements taken off the backlog, so that it shows what is left to do",
    parts=MetadataParts(subscription=_TakesPendingForConsumed),
)

END_OF_THE_VISIBLE_TOLD = Defect(
    name="metadata-end-told-before-the-open",
    breaks={"PIP471-49": Symptom(what="^end of left$", expected="^not told yet$", seen="^told$")},
    story="Whoever seals a segment tells its consumers that it has no more where they have all that is visible, and a transaction is open.",
    origin="feared: two places that tell the end, of which one looks at what is visible",
    parts=MetadataParts(layout_changes=_TellsTheEndOfWhatIsVisible),
)

END_WAITS_FOR_THE_MARK = Defect(
    name="metadata-end-of-sealed-waits-for-the-mark",
    breaks={"PIP471-53": Symptom(what="^end of right$", expected="^told$", seen="^not told yet$")},
    story="A consumer is told the end when its subscription's mark is behind all messages: one that was taken while an earlier end was not "
    "followed lies beyond the mark, which nobody moves any more.",
    origin="the reference of this suite, until a red team read it",
    parts=MetadataParts(subscription=_WaitsForTheMark),
)

NO_END_BEHIND_A_COMMIT = Defect(
    name="metadata-no-end-behind-a-commit",
    breaks={"PIP471-53": Symptom(what="^end of right$", expected="^told$", seen="^not told yet$")},
    story="When the last messages of a sealed segment are acknowledged in a transaction, no commit tells the consumer of the end.",
    origin="feared: an end that is looked for where messages are acknowledged, and not where transactions end",
    parts=MetadataParts(subscription=_TellsNoEndBehindAnEnd),
)

END_WAITS_FOR_THE_ABORTED = Defect(
    name="metadata-end-waits-for-the-aborted",
    breaks={"PIP471-50": Symptom(what="^told to workers$", expected="^that there is no more$", seen="^nothing of an end$")},
    story="A consumer is told the end of a sealed segment when its subscription has come to the last entry. Where that is aborted, nobody "
    "acknowledges it, and the consumer never goes on to the children.",
    origin="feared: an abort writes nothing into the segment, so that what was withdrawn is its end",
    parts=MetadataParts(subscription=_WaitsForTheLastEntry),
)
