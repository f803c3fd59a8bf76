"""Defects of queue and checkpoint consumers."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar.buffer import MessagePosition
from fencepost.reference.pulsar.cursor import EARLIEST, Cursor
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError
from fencepost.reference.pulsar.transaction_responses import TransactionResponses
from fencepost.reference.scalable.layout import Layout, Segment
from fencepost.reference.scalable.node_scalable_topics import ScalableTopics
from fencepost.reference.scalable.segment_pruning import Pruning
from fencepost.reference.scalable.sessions import Sessions


@defect(
    {"PIP460-42": seen('^"p2"$', expected='^"p1", "p2"$', what="^reading of ann$")},
    origin="feared: a sealed segment that is treated as a deleted one",
)
class ScalableActiveSegmentsOnly(ScalableTopics):
    """Consumers attach to active segments only, and only those that were attached before read what is left in a sealed one."""

    def segment(self, name: str) -> Segment:
        found = super().segment(name)
        if not found.is_active:
            raise CommandRefused(ServerError.TOPIC_NOT_FOUND, f"{name} is sealed; expected an active segment")
        return found


@defect(
    {"PIP460-44": seen('"p1", "p2", "p1"', what="^reading of ann$")},
    origin="textbook: a start position that only durable subscriptions have",
    of=MetadataParts,
)
class ScalablePositionsForgotten(Cursor):
    """A reader that begins at a position is given the segment from its beginning."""

    def begins_behind(self, start: MessagePosition) -> MessagePosition:
        return super().begins_behind(EARLIEST if start != EARLIEST else start)


@defect(
    {"PIP460-44": seen("^right and low and high$", expected="^left$", what="^segments of ann$")},
    origin="feared: a controller that knows of active segments only",
)
class ScalableSealedNotAssigned(Sessions):
    """A consumer that keeps its own positions is assigned active segments only, and never reads the rest of a sealed one."""

    def segments_for_checkpoints(self, layout: Layout) -> list[Segment]:
        super().segments_for_checkpoints(layout)
        return list(layout.active)


@defect(
    {"PIP460-44": Symptom(what="^answer$|^segments of ann$")},
    origin="feared: a retention that is the time of a record, which was written when the segment was made",
)
class ScalableKeptFromTheBeginning(Pruning):
    """The retention of a sealed segment counts from its creation, so that an old one is removed as soon as it is sealed."""

    def is_over(self, topic: str, segment: Segment) -> bool:
        return super().is_over(topic, replace(segment, sealed_ms=segment.created_ms))


@defect(
    {"PIP460-42": seen("^that there is no more$", expected="^nothing of an end$", what="^notification to others$")},
    origin="feared: an end that is a question of the backlog, and not of the seal",
    of=MetadataParts,
)
class ScalableEndToldOfTheActive(TransactionResponses):
    """A consumer that subscribes to a fully acknowledged segment is notified of its end, even if the segment is active."""

    def reports_who_subscribes_the_end(self, *, has_ended: bool, is_sealed: bool, has_more: bool) -> bool:
        return super().reports_who_subscribes_the_end(has_ended=has_ended, is_sealed=is_sealed, has_more=has_more) or not has_more
