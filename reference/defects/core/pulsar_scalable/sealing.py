"""Defects of scalable topics in what becomes of a log that is sealed: a segment that was split."""

import functools
from collections.abc import Iterator

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.defects.sealed import is_sealed
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.pulsar.buffer import BEFORE_ALL_PLACES, Place, Readable
from fencepost.reference.pulsar.producers import Producers
from fencepost.reference.pulsar.values import Action, Message, TxnId


class _IsOpenForEver(MetadataBuffer):
    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        if not is_sealed(self._machine.disk, self._segment):
            super().end(txn, action, low_watermark)


class _ShowsWhatItSealed(MetadataBuffer):
    def is_shown(self, message: Message) -> bool:
        return is_sealed(self._machine.disk, self._segment) or super().is_shown(message)


class _IsNeverFull(Producers):
    @property
    def is_terminated(self) -> bool:
        return False


class _OpensAgain(Producers):
    @functools.cached_property
    def ends_before(self) -> int:
        """How often the segment had ended when somebody first asked in this life of it."""
        return len(self._terminations)

    @property
    def is_terminated(self) -> bool:
        return len(self._terminations) > self.ends_before


class _BeginsAtTheSeal(MetadataBuffer):
    def after(self, place: Place) -> Iterator[Readable]:
        if place == BEFORE_ALL_PLACES and is_sealed(self._machine.disk, self._segment):
            return iter(())
        return super().after(place)


OPEN_FOR_EVER = Defect(
    name="core-scalable-sealed-is-open-for-ever",
    breaks={"CORE-43": Symptom(what="^readers of orders$", expected='^"a1", "a2"$', seen="^nothing$")},
    story="A segment that is sealed follows no end any more, and holds its readers up at what was open in it.",
    origin="as shipped by Apache Pulsar for terminated topics, whose transactions stay COMMITTING",
    parts=MetadataParts(metadata_buffer=_IsOpenForEver),
)

ABORTED_SHOWN = Defect(
    name="core-scalable-sealed-shows-aborted",
    breaks={"CORE-43": Symptom(what="^readers of orders$", expected='^"plain"$', seen='^"a1", "plain"$')},
    story="What is in a sealed segment is given to its readers, whatever became of it.",
    origin="feared by readers of the proposal: a sealed segment read as a file, without its transactions",
    parts=MetadataParts(metadata_buffer=_ShowsWhatItSealed),
)

NEVER_FULL = Defect(
    name="core-scalable-sealed-takes-writes",
    breaks={"CORE-44": Symptom(what="^answer$", expected="^a refusal$", seen="^success$")},
    story="A segment goes on taking messages behind its end, which nobody looks for there.",
    origin="textbook: a fence that is looked at once, when the producer opens",
    parts=MetadataParts(producers=_IsNeverFull),
)

OPEN_AGAIN = Defect(
    name="core-scalable-seal-forgotten-by-reload",
    breaks={"CORE-44": Symptom(what="^answer$", expected="^a refusal$", seen="^success$")},
    story="That a segment is sealed is known for as long as it is loaded.",
    origin="textbook: a fence in memory",
    parts=MetadataParts(producers=_OpensAgain),
)

BEGUN_AT_THE_SEAL = Defect(
    name="core-scalable-subscriptions-begin-at-the-seal",
    breaks={"CORE-45": Symptom(what="^readers of orders$", expected='^"plain", "a1"$', seen="^nothing$")},
    story="Who comes to a segment that is sealed begins behind all that is in it.",
    origin="feared by readers of the proposal: cursors at the earliest message of active segments only",
    parts=MetadataParts(metadata_buffer=_BeginsAtTheSeal),
)
