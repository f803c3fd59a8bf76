"""Defects of metadata-driven transactions in segments that are loaded again."""

import functools

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.defects.lawful.kafka import SlowNetwork
from fencepost.reference.metadata_transactions import MetadataParts, paths
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.metadata_transactions.participation import Participation
from fencepost.reference.metadata_transactions.records import State
from fencepost.reference.metadata_transactions.transaction_records import TransactionRecords
from fencepost.reference.pulsar.ledger import Ledger
from fencepost.reference.pulsar.values import Action, Message, Position, TxnId

_NO_WATERMARK = -1


class _ForgetsTheAborted(MetadataBuffer):
    def recover(self) -> None:
        super().recover()
        self._aborted = {}


class _KnowsTheLastAbort(MetadataBuffer):
    def recover(self) -> None:
        super().recover()
        self._aborted = dict(sorted(self._aborted.items(), key=lambda one: one[1])[-1:])


class _CleansUpLater(Participation):
    def look_next(self) -> None:
        self.told()


class _HoldsOnlyWhatIsOpen(MetadataBuffer):
    @functools.cached_property
    def decided(self) -> set[TxnId]:
        """What was found by its leftover records, and is for the cleanup to apply."""
        return set()

    def recover(self) -> None:
        super().recover()
        self.decided.update(txn for txn in self._open if self.participation.state_of(txn) is not State.OPEN)

    @property
    def max_read_position(self) -> Position:
        positions = [position for txn, position in self.ongoing().items() if txn not in self.decided]
        return self._ledger.before(min(positions)) if positions else self._ledger.last


class _KnowsOnlyWhoIsOpen(MetadataBuffer):
    def recover(self) -> None:
        super().recover()
        self._open = dict.fromkeys(self._open)


class _GivesUpWhatIsOpen(MetadataBuffer):
    def recover(self) -> None:
        super().recover()
        for txn in list(self._open):
            self.end(txn, Action.ABORT, _NO_WATERMARK)


class _NotesThatItHasReadAll(MetadataBuffer):
    def recover(self) -> None:
        super().recover()
        self._records.set_watermark(self._segment, self._ledger.last)


class _ForgettingRecords(TransactionRecords):
    def forget_aborted(self, segment: str, txn: TxnId) -> None:
        self._store.delete(paths.aborted(segment, txn))


class _ForgetsWhatIsFarBehind(MetadataBuffer):
    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        assert isinstance(self._records, _ForgettingRecords)
        resolved = self._records.watermark(self._segment)
        for aborted, last in self._aborted.items():
            if resolved is not None and last < resolved:
                self._records.forget_aborted(self._segment, aborted)
        super().end(txn, action, low_watermark)


class _WatermarkBehindItsOwn(MetadataBuffer):
    def note_end(self, txn: TxnId) -> None:
        super().note_end(txn)
        if mine := _positions(self._ledger, txn):
            self._records.set_watermark(self._segment, mine[-1])


class _CountsFromTheLast(MetadataBuffer):
    def recover(self) -> None:
        super().recover()
        for txn in self.ongoing():
            self._open[txn] = _positions(self._ledger, txn)[-1]


def _positions(ledger: Ledger, txn: TxnId) -> list[Position]:
    """Where the entries of a transaction stand."""
    return [entry.position for entry in ledger if isinstance(entry.content, Message) and entry.content.txn == txn]


ABORTED_KNOWN_BY_MEMORY = Defect(
    name="metadata-aborted-known-by-memory",
    breaks={"PIP471-25": Symptom(what="^readers of orders$", expected='^"b1"$', seen='^"a1", "b1"$')},
    story="What is aborted is known while the segment is loaded; whoever loads it again shows it.",
    origin="the proposal's text, which has no snapshot of aborted transactions",
    parts=MetadataParts(metadata_buffer=_ForgetsTheAborted),
)

ABORTED_SHOWN_UNTIL_CLEANUP = Defect(
    name="metadata-aborted-shown-until-cleanup",
    breaks={"PIP471-59": Symptom(what="^received by workers$", expected="^nothing$", seen='^"a1"$')},
    story="An aborted transaction that a load finds by its leftover records holds nobody up, and is shown until the cleanup comes to it.",
    origin="apache/pulsar#25821, found in its review",
    parts=MetadataParts(metadata_buffer=_HoldsOnlyWhatIsOpen, participation=_CleansUpLater, network=SlowNetwork),
)

OPEN_WITHOUT_POSITION = Defect(
    name="metadata-open-without-position",
    breaks={"PIP471-60": Symptom(what="^readers of orders$", expected="^nothing$", seen='^"a1", "p1"$')},
    story="A segment that is loaded learns which transactions are open, and not where they begin, so that they hold nobody up.",
    origin="feared by readers of the proposal: a write leaves its record before it has a position",
    parts=MetadataParts(metadata_buffer=_KnowsOnlyWhoIsOpen),
)

OPEN_GIVEN_UP_AT_LOAD = Defect(
    name="metadata-open-given-up-at-load",
    breaks={"PIP471-61": Symptom(what="^readers of orders$", expected='^"a1", "a2"$', seen="^nothing$")},
    story="Whoever loads a segment aborts there what was open, and the coordinator knows nothing of it.",
    origin="textbook: a new owner that takes its predecessor's transactions for abandoned",
    parts=MetadataParts(metadata_buffer=_GivesUpWhatIsOpen),
)

LOAD_MOVES_THE_WATERMARK = Defect(
    name="metadata-load-moves-the-watermark",
    breaks={"PIP471-60": Symptom(what="^readers of orders$", expected='^"a1"$', seen='^"a1", "b1", "p1", "p2"$')},
    story="Whoever loads a segment notes that it has read all that is there, and the next load looks for open transactions behind that.",
    origin="textbook: a checkpoint of what was read where one of what is decided is due",
    parts=MetadataParts(metadata_buffer=_NotesThatItHasReadAll),
)

ABORTED_FORGOTTEN_FAR_BEHIND = Defect(
    name="metadata-aborted-forgotten-far-behind",
    breaks={"PIP471-25": Symptom(what="^readers of orders$", expected='^"p1", "b1", "p2"$', seen='^"a1", "p1", "b1", "p2"$')},
    story="The note of an abort is deleted when all that lies before the watermark is decided, as if nobody read that any more.",
    origin="feared by readers of the proposal: it says how long a header is kept, and not how long an abort is known",
    parts=MetadataParts(metadata_buffer=_ForgetsWhatIsFarBehind, transaction_records=_ForgettingRecords),
)

WATERMARK_BEHIND_ITS_OWN = Defect(
    name="metadata-watermark-behind-its-own",
    breaks={"PIP471-60": Symptom(what="^readers of orders$", expected='^"a1"$', seen='^"a1", "b1", "a2", "p1"$')},
    story="The watermark moves to the last entry of whoever ends, past the first one of another transaction that is open between them.",
    origin="textbook: what one has done with taken for what all have done with",
    parts=MetadataParts(metadata_buffer=_WatermarkBehindItsOwn),
)

OPEN_COUNTS_FROM_ITS_LAST = Defect(
    name="metadata-open-counts-from-its-last",
    breaks={"PIP471-60": Symptom(what="^readers of orders$", expected='^"a1"$', seen='^"a1", "b1"$')},
    story="A segment that is loaded keeps the last entry of each open transaction that it comes across, and readers get those before.",
    origin="textbook: a loop that overwrites what it has found",
    parts=MetadataParts(metadata_buffer=_CountsFromTheLast),
)

THE_LAST_ABORT_KNOWN = Defect(
    name="metadata-the-last-abort-known",
    breaks={"PIP471-70": Symptom(what="^readers of orders$", expected='^"p1"$', seen='"a1"')},
    story="A segment that is loaded again knows of its aborted transactions the last one alone.",
    origin="red team: of two records under one prefix, one is read",
    parts=MetadataParts(metadata_buffer=_KnowsTheLastAbort),
)
