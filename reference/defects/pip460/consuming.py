"""Defects of queue and checkpoint consumers."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar.answers import Answers
from fencepost.reference.pulsar.buffer import Place
from fencepost.reference.pulsar.cursor import EARLIEST, Cursor
from fencepost.reference.pulsar.errors import Error, Refused
from fencepost.reference.scalable.layout import Layout, Segment
from fencepost.reference.scalable.pruning import Pruning
from fencepost.reference.scalable.sessions import Sessions
from fencepost.reference.scalable.topics import ScalableTopics


class _ActiveOnly(ScalableTopics):
    def segment(self, name: str) -> Segment:
        found = super().segment(name)
        if not found.is_active:
            raise Refused(Error.TOPIC_NOT_FOUND, f"{name} is sealed; expected an active segment")
        return found


class _BeginsAtTheBeginning(Cursor):
    def begins_behind(self, start: Place) -> Place:
        return super().begins_behind(EARLIEST if start != EARLIEST else start)


class _ForgetsTheSealed(Sessions):
    def segments_for_checkpoints(self, layout: Layout) -> list[Segment]:
        super().segments_for_checkpoints(layout)
        return list(layout.active)


class _CountsFromTheBeginning(Pruning):
    def is_over(self, topic: str, segment: Segment) -> bool:
        return super().is_over(topic, replace(segment, sealed_ms=segment.created_ms))


class _TellsTheEndOfWhatIsTaken(Answers):
    def tells_who_subscribes_the_end(self, *, has_ended: bool, is_sealed: bool, has_more: bool) -> bool:
        return super().tells_who_subscribes_the_end(has_ended=has_ended, is_sealed=is_sealed, has_more=has_more) or not has_more


ACTIVE_ONLY = Defect(
    name="scalable-active-segments-only",
    breaks={"PIP460-42": Symptom(what="^reading of ann$", expected='^"p1", "p2"$', seen='^"p2"$')},
    story="Consumers attach to active segments only, and what is left in a sealed one is for those who were there.",
    origin="feared: a sealed segment that is taken for a deleted one",
    parts=MetadataParts(scalable_topics=_ActiveOnly),
)

POSITIONS_FORGOTTEN = Defect(
    name="scalable-positions-forgotten",
    breaks={"PIP460-44": Symptom(what="^reading of ann$", seen='"p1", "p2", "p1"')},
    story="A reader that begins at a position is given the segment from its beginning.",
    origin="textbook: a start position that only durable subscriptions have",
    parts=MetadataParts(cursor=_BeginsAtTheBeginning),
)

SEALED_NOT_ASSIGNED = Defect(
    name="scalable-sealed-not-assigned",
    breaks={"PIP460-44": Symptom(what="^segments of ann$", expected="^left$", seen="^right and low and high$")},
    story="Who keeps its positions itself is assigned active segments only, and never comes to the rest of a sealed one.",
    origin="feared: a controller that knows of active segments only",
    parts=MetadataParts(sessions=_ForgetsTheSealed),
)

KEPT_FROM_THE_BEGINNING = Defect(
    name="scalable-kept-from-the-beginning",
    breaks={"PIP460-44": Symptom(what="^answer$|^segments of ann$")},
    story="How long a sealed segment is kept counts from when it was made, so that an old one goes as soon as it is sealed.",
    origin="feared: a retention that is the time of a record, which was written when the segment was made",
    parts=MetadataParts(pruning=_CountsFromTheBeginning),
)

END_TOLD_OF_THE_ACTIVE = Defect(
    name="scalable-end-told-of-the-active",
    breaks={"PIP460-42": Symptom(what="^told to others$", expected="^nothing of an end$", seen="^that there is no more$")},
    story="Who subscribes to a segment of which all is acknowledged is told that there is no more, also where it is active.",
    origin="feared: an end that is a question of the backlog, and not of the seal",
    parts=MetadataParts(answers=_TellsTheEndOfWhatIsTaken),
)
