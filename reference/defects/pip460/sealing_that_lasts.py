"""Defects of what must last of a sealed segment and of its children, after a crash and after the retention."""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar
from weakref import WeakKeyDictionary

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.defects.inheriting import topic_of
from fencepost.reference.defects.sealed import is_sealed
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.pulsar.buffer import ReadView
from fencepost.reference.pulsar.cursor import Cursor
from fencepost.reference.pulsar.producers import Producers
from fencepost.reference.pulsar.server_errors import ServerError
from fencepost.reference.pulsar.subscription import Consumer, Subscription
from fencepost.reference.pulsar.transaction_responses import TransactionResponses
from fencepost.reference.scalable.changes import LayoutChanges
from fencepost.reference.scalable.layout import Layout, Segment
from fencepost.reference.scalable.layout_store import ChangeNote
from fencepost.reference.scalable.segment_pruning import Pruning
from fencepost.reference.scalable.sessions import Sessions

from .ordering import has_all_that_is_shown, has_what_is_not_pending
from .sealing import PrunesSooner


class _KnowsTheSealInMemory(Producers):
    is_sealed_now = False

    @property
    def is_terminated(self) -> bool:
        return self.is_sealed_now


@defect(
    {"PIP460-13": seen("^success$", expected="TopicTerminatedError", what="^answer to PRODUCER$")},
    origin="feared: a state that is sent to every connected client, and not kept",
    also=[_KnowsTheSealInMemory],
)
class ScalableSealedInMemory(LayoutChanges):
    """The owner of a sealed segment remembers the seal in memory, so after a crash its next owner admits producers."""

    def seal(self, parents: Sequence[str]) -> None:
        for parent in parents:
            producers = topic_of(self._segments, parent).producers
            assert isinstance(producers, _KnowsTheSealInMemory), "its own"
            producers.is_sealed_now = True
        super().seal(parents)


@defect(
    {"PIP460-19": seen('"late"', expected='^"p1"$', what="^readers of high$")}, origin="feared: an intent that is read as what was done"
)
class ScalableNoteTakenForTheSeal(LayoutChanges):
    """A controller that finds a change noted as being sealed assumes that the parents are sealed, and continues with the layout."""

    is_taken_over = False

    def is_to_be_completed(self, note: ChangeNote) -> bool:
        self.is_taken_over = super().is_to_be_completed(note)
        return self.is_taken_over

    def seal(self, parents: Sequence[str]) -> None:
        if self.is_taken_over:
            self.is_taken_over = False
        else:
            super().seal(parents)


class _SavesUntilTheSeal(Cursor):
    is_sealed = False

    def save(self) -> None:
        if not self.is_sealed:
            super().save()


@defect(
    {"PIP460-16": seen('^"p1"$', expected="^nothing$", what="^left for workers$")},
    origin="feared: a sealed ledger that accepts nothing, and a cursor that is treated as a part of it",
    also=[_SavesUntilTheSeal],
)
class ScalableCursorsSealedToo(LayoutChanges):
    """A segment's cursors are closed when it is sealed, so later acknowledgements are in memory until the segment is reloaded."""

    def seal(self, parents: Sequence[str]) -> None:
        super().seal(parents)
        for parent in parents:
            for subscription in topic_of(self._segments, parent).subscriptions.values():
                assert isinstance(subscription.cursor, _SavesUntilTheSeal), "its own"
                subscription.cursor.is_sealed = True


@defect(
    {"PIP460-14": seen("^nothing of an end$", expected="^that there is no more$", what="^notification to others$")},
    origin="feared: an end that is sent to the active consumer, as a failover subscription has one",
    of=MetadataParts,
)
class ScalableEndToldToOne(Subscription):
    """If several consumers share a subscription of a sealed segment, only the first is notified of its end, and the others wait."""

    def notify_end(self, consumers: Sequence[Consumer]) -> None:
        super().notify_end(consumers[:1])


@defect(
    {"PIP460-14": seen("^not reported yet$", expected="^reported$", what="^end of left$")},
    origin="feared: an end that is an event, and not a state",
    of=MetadataParts,
)
class ScalableWhoComesWaits(TransactionResponses):
    """Only consumers that are connected at the end of a sealed segment are notified of it; one that subscribes later waits for ever,
    and never reads the children."""

    def reports_who_subscribes_the_end(self, *, has_ended: bool, is_sealed: bool, has_more: bool) -> bool:
        return super().reports_who_subscribes_the_end(has_ended=has_ended, is_sealed=is_sealed, has_more=has_more) and not is_sealed


@defect(
    {"PIP460-14": seen("^that there is no more$", expected="^nothing of an end$", what="^notification to others$")},
    origin="feared: the end of what is read, and not of the backlog",
    of=MetadataParts,
)
class ScalableDeliveredIsTheEnd(Subscription):
    """A consumer of a sealed segment is notified of its end when everything is delivered, though another consumer may return a message."""

    def dispatch(self) -> None:
        super().dispatch()
        buffer = self._buffer
        if not isinstance(buffer, MetadataBuffer) or buffer.ongoing() or not is_sealed(buffer._machine.disk, buffer._segment):
            return
        if all(self.is_withheld(readable) for readable in buffer.after(self.cursor.mark_delete)):
            self.notify_end(self.consumers)


@defect(
    {"PIP460-13": seen("ServiceNotReady", expected="TopicTerminatedError", what="^answer to SEND$")},
    origin="feared: one answer to all messages of producers that the broker has closed",
    of=MetadataParts,
)
class ScalableSealedIsNotReady(TransactionResponses):
    """A message for a sealed segment is answered as something to be tried again, as its client does for ever."""

    def says_of_what_is_sealed(self) -> ServerError:
        super().says_of_what_is_sealed()
        return ServerError.SERVICE_NOT_READY


@defect(
    {"PIP460-13": seen("TopicTerminatedError", expected="^success$", what="^answer to SEND$")},
    origin="feared: closed producers that are remembered by their numbers until their connection ends",
    of=MetadataParts,
)
class ScalableNumberStaysSealed(TransactionResponses):
    """A producer of a child is refused as one of its parent, whose producer number on that connection it has."""

    def forgets_the_seal(self) -> bool:
        super().forgets_the_seal()
        return False


@defect(
    {"PIP460-14": seen("^left is not there$", what="^edges$")},
    origin="feared: acknowledgements that are counted when they are taken, and not when they are in force",
)
class ScalablePrunedWhilePending(PrunesSooner):
    """A sealed segment is removed after its retention when all of it is acknowledged, also in a transaction that may abort."""

    def has_enough(self, topic: str, name: str) -> bool:  # noqa: ARG002 - all that the segment has, not only the topic's
        return all(has_what_is_not_pending(self._segments, name, subscription) for subscription in self._segments.subscriptions_of(name))


@defect(
    {"PIP460-14": Symptom(what="^answer$|^waiting for workers$")},
    origin="feared: a backlog of what may be delivered now, and not of what still may be",
)
class ScalablePrunedBeforeTheEnd(PrunesSooner):
    """A sealed segment is removed after its retention with the messages of a transaction that commits later."""

    def has_enough(self, topic: str, name: str) -> bool:  # noqa: ARG002 - all that the segment has, not only the topic's
        return all(has_all_that_is_shown(self._segments, name, subscription) for subscription in self._segments.subscriptions_of(name))


@defect(
    {"PIP460-14": seen("^left and right and high", expected="^low$", what="^segments of ann$")},
    origin="red team: the ends of a chain, and not what is between them",
)
class ScalableBetweenNotAssigned(Sessions):
    """A consumer that keeps its own positions is assigned active segments and the first ones, and never reads segments that were sealed in
    between.
    """

    def segments_for_checkpoints(self, layout: Layout) -> list[Segment]:
        return [one for one in super().segments_for_checkpoints(layout) if one.is_active or not one.parents]


@defect(
    {"PIP460-14": seen("^right and low and high", expected="^left$", what="^segments of ann$")},
    origin="red team: a controller that walks the layout from the active segments, and only one step",
)
class ScalableGrandparentsNotAssigned(Sessions):
    """A consumer that keeps its own positions is assigned active segments and their parents, and never reads what was sealed before."""

    def segments_for_checkpoints(self, layout: Layout) -> list[Segment]:
        near = {number for one in layout.active for number in (one.number, *one.parents)}
        return [one for one in super().segments_for_checkpoints(layout) if one.number in near]


class _PassesOnUntilTheSeal(Subscription):
    is_sealed = False

    def detach(self, consumer: Consumer) -> None:
        if self.is_sealed and len(self.consumers) > 1:
            self.consumers.remove(consumer)
        else:
            super().detach(consumer)


@defect(
    {"PIP460-14": seen("^nothing$", expected='^"p1"$', what="^received by others$")},
    origin="feared: a segment that is closed with its last message delivered",
    also=[_PassesOnUntilTheSeal],
)
class ScalableNothingPassedOn(LayoutChanges):
    """When a consumer leaves a sealed segment, what it has not acknowledged is not delivered to the consumers that are attached."""

    def seal(self, parents: Sequence[str]) -> None:
        super().seal(parents)
        for subscription in (one for parent in parents for one in topic_of(self._segments, parent).subscriptions.values()):
            assert isinstance(subscription, _PassesOnUntilTheSeal), "its own"
            subscription.is_sealed = True


@defect(
    {"PIP460-14": seen("names the parent", expected="^success$", what="^answer to layout$")},
    origin="textbook: the first entry of a list is deleted, where one entry was meant",
)
class ScalableFirstParentForgotten(Pruning):
    """When a parent of a merged segment is removed, the child forgets its first parent, whichever was removed: the layout cannot be read
    if that was the second."""

    def without(self, layout: Layout, gone: Sequence[Segment]) -> Layout:
        left, before = super().without(layout, gone), layout.segments
        lost = {number: one for number, one in left.segments.items() if one.parents != before[number].parents}
        made = {number: replace(one, parents=before[number].parents[1:]) for number, one in lost.items()}
        return replace(left, segments={**left.segments, **made})


@defect(
    {"PIP460-14": seen("^nothing of an end$", expected="^that there is no more$", what=" to auditors$")},
    origin="textbook: a loop that ends with the first subscription",
    of=MetadataParts,
)
class ScalableOneSubscriptionLearnsOfTheEnd(Subscription):
    """When a segment is sealed, the consumers of one of its subscriptions are notified of the end, and those of the others wait."""

    _notified: ClassVar[WeakKeyDictionary[ReadView, Subscription]] = WeakKeyDictionary()

    def notify_end(self, consumers: Sequence[Consumer]) -> None:
        if not consumers or self._notified.setdefault(self._buffer, self) is self:
            super().notify_end(consumers)
