"""Defects of changes whose controller ended before they were complete."""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, expected, seen
from fencepost.reference.defects.inheriting import CopiesIntoTheChildren
from fencepost.reference.metadata.store import NEW, Version
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError
from fencepost.reference.pulsar.transaction_responses import TransactionResponses
from fencepost.reference.scalable import paths
from fencepost.reference.scalable.changes import LayoutChanges, Plan
from fencepost.reference.scalable.layout import Layout
from fencepost.reference.scalable.layout_records import encoded
from fencepost.reference.scalable.layout_store import ChangeNote, LayoutStore, StoredLayout
from fencepost.reference.scalable.leadership import Leadership
from fencepost.reference.scalable.node_scalable_topics import ScalableTopics
from fencepost.reference.scalable.segment_pruning import Pruning
from fencepost.reference.scalable.sessions import ConsumerSession, Sessions

_TAKES_NOTHING = Symptom(what="^active segments of orders$", expected="^that each takes one$", seen="TopicTerminatedError|TopicNotFound")


@defect({"PIP460-51": _TAKES_NOTHING}, origin="feared: a recovery that belongs to the election")
class ScalableLeftUntilTheNextOne(ScalableTopics):
    """A controller resumes what its predecessors left, and never what it left itself when the store failed for a moment."""

    def sweep(self) -> None:
        for topic in self._layouts.all_topics():
            if self._layouts.note(topic) is None and self.controller_of(topic) == self.node and self._pruning.prune(topic):
                self._changed(topic)


@defect(
    {"PIP460-51": seen('^"p1"(, "p2")?$', what="^(readers of low|waiting for workers)$")},
    origin="feared: a recovery that cannot know whether the parent is still read",
)
class ScalableCopiedAtRecovery(CopiesIntoTheChildren):
    """A controller that completes its predecessor's split copies the messages of the parent into the children, where they are read a
    second time."""

    is_recovering = False

    def recover(self, topic: str, notify: Callable[[], None]) -> None:
        self.is_recovering = True
        super().recover(topic, notify)
        self.is_recovering = False

    def seal(self, parents: Sequence[str]) -> None:
        if self.is_recovering:
            super().seal(parents)
        else:
            LayoutChanges.seal(self, parents)


@defect({"PIP460-51": _TAKES_NOTHING}, origin="textbook: a condition the wrong way round")
class ScalableLeftToTheOther(ScalableTopics):
    """Every broker but the controller's resumes interrupted work: if that broker is the only one, the work is never resumed."""

    def sweep(self) -> None:
        for topic in self._layouts.all_topics():
            with suppress(CommandRefused):
                if self.controller_of(topic) != self.node:
                    self._changes.recover(topic, lambda: None)
                    self._pruning.prune(topic)


@defect({"PIP460-41": seen("^neither$", what="^notification to ann of the change$")}, origin="feared: a session that ends on one side")
class ScalableFormerControllerSaysNothing(Sessions):
    """A replaced controller keeps its consumers connected, and notifies them of nothing more."""

    def send_away(self, session: ConsumerSession) -> None:
        """Its client will notice."""


class _WritesOver(LayoutStore):
    def write(self, topic: str, layout: Layout, expected: Version = NEW) -> None:  # noqa: ARG002 - what it should look at
        self._store.put(paths.layout(topic), encoded(layout))


@defect(
    {"PIP460-41": seen("was done, and is not there", what="^layout of orders$")},
    origin="textbook: a compare-and-set whose answer is ignored",
)
class ScalableConflictTakenForSuccess(LayoutChanges):
    """A controller whose layout is not written, since its version is outdated, seals the segment and answers that it was split."""

    def is_written(self, topic: str, layout: Layout, expected: Version) -> bool:
        super().is_written(topic, layout, expected)
        return True


@defect(
    {"PIP460-41": seen("was done, and is not there", what="^layout of orders$")},
    origin="feared: a note that is treated as a lock of what was read before it",
)
class ScalableFirstLookTrusted(LayoutChanges):
    """A controller that has planned a change on an old look does not look again, and takes the change of another one for its own."""

    def is_as_it_was(self, topic: str, before: StoredLayout) -> bool:
        super().is_as_it_was(topic, before)
        return True


@defect(
    {"PIP460-41": _TAKES_NOTHING},
    origin="PIP-468, split, step 4, which says of a split alone that the layout is written by compare-and-set",
)
class ScalablePrunedOverASplit(Pruning):
    """A controller that prunes writes the layout without comparing its version, and undoes a split that came after it read the layout."""

    def prune(self, topic: str) -> bool:
        layouts = self._layouts
        self._layouts = _WritesOver(layouts._store)
        try:
            return super().prune(topic)
        finally:
            self._layouts = layouts


@defect({"PIP460-51": _TAKES_NOTHING}, origin="PIP-468, split, step 4: a failed compare-and-set must not lose messages")
class ScalableEveryChangeUndone(LayoutChanges):
    """The next controller undoes every change that was begun, also where the parent is sealed already."""

    def is_to_be_completed(self, note: ChangeNote) -> bool:
        super().is_to_be_completed(note)
        return False


@defect(
    {"PIP460-51": expected("^that it is made$", what="^a split of right that is asked for again$")},
    origin="textbook: a lock without a lease",
)
class ScalableWaitsForWhoBegan(LayoutChanges):
    """A change that was begun and has sealed nothing yet is left to its controller, which has ended: no other change is
    possible any more.
    """

    def is_to_be_completed(self, note: ChangeNote) -> bool:
        if not super().is_to_be_completed(note):
            raise CommandRefused(ServerError.SERVICE_NOT_READY, "a change is in progress; try again when it has ended")
        return True


@defect(
    {"PIP460-51": expected("^that it is made$", what="^a split of right that is asked for again$")},
    origin="feared: a step after the last one that matters",
)
class ScalableLeftWhatTheLayoutHas(LayoutChanges):
    """A change whose layout was written counts as complete, and its note stays: no other change can be noted any more."""

    def recover(self, topic: str, notify: Callable[[], None]) -> None:
        noted, stored = self._layouts.note(topic), self._layouts.find(topic)
        if noted is None or stored is None or stored.layout.segments.keys().isdisjoint(noted[0].children):
            super().recover(topic, notify)


@defect(
    {"PIP460-51": Symptom(what="^waiting for workers in an active segment$")},
    origin="feared: a step that counts as done because the one after it is next",
)
class ScalableCompletedWithoutChildren(LayoutChanges):
    """The next controller seals the parent, also where no child was created: the first producer creates one, without subscriptions."""

    def is_to_be_completed(self, note: ChangeNote) -> bool:
        super().is_to_be_completed(note)
        self.is_taken_over = True
        return True

    def make_child(self, child: str, subscriptions: Sequence[str]) -> None:
        if not getattr(self, "is_taken_over", False):
            super().make_child(child, subscriptions)


@defect(
    {"PIP460-51": seen("^nothing$", expected='^"p1"$', what="^readers of (left|high)$")},
    origin="feared: a step that is not the same when it is made twice",
)
class ScalableSealedAgainAndEmptied(LayoutChanges):
    """A controller that completes another one's change creates the parents again, empty, before it seals them."""

    def is_to_be_completed(self, note: ChangeNote) -> bool:
        self.is_taken_over = True
        return super().is_to_be_completed(note)

    def seal(self, parents: Sequence[str]) -> None:
        for parent in parents if getattr(self, "is_taken_over", False) else ():
            self._segments.delete(parent)
        super().seal(parents)


@defect(
    {"PIP460-51": Symptom(what="^(layout of orders|answer|active segments of orders)$")},
    origin="feared: a step that is not the same when it is made twice",
)
class ScalableCompletedTwice(LayoutChanges):
    """A controller that completes the change of another one makes its children twice."""

    def is_to_be_completed(self, note: ChangeNote) -> bool:
        self.is_taken_over = super().is_to_be_completed(note)
        return self.is_taken_over

    def completed(self, layout: Layout, note: ChangeNote) -> Layout:
        made = super().completed(layout, note)
        return super().completed(made, note) if getattr(self, "is_taken_over", False) else made


@defect(
    {"PIP460-41": seen("^epoch 1", expected="^epoch 2$", what="^epoch of orders$")},
    origin="feared: a counter in memory that begins again with each failover",
)
class ScalableEpochsOfAController(LayoutChanges):
    """Each controller counts the epochs of a layout from its own first change on."""

    @cached_property
    def made(self) -> Counter[int]:
        """How many changes this controller has made, of each topic, by when that was made."""
        return Counter()

    def completed(self, layout: Layout, note: ChangeNote) -> Layout:
        topic = min(one.created_ms for one in layout.segments.values())
        before = self.made[topic]
        self.made[topic] += 1
        return super().completed(replace(layout, epoch=before), note)


@defect(
    {"PIP460-41": expected("^low and high and right$", what="^segments of ann$")},
    origin="textbook: a leader that does not know that its lease is over",
)
class ScalableLeadsForEver(Sessions):
    """A former controller continues to assign segments, and gives up consumers that are connected to its successor."""

    def leads(self, topic: str) -> bool:
        return super().leads(topic) or topic in self._led


@defect(
    {"PIP460-41": seen("^pulsar:", expected="^a broker that lives$|^another broker, or none$", what="^controller of orders")},
    origin="feared: a cache of what changes without the layout",
    of=MetadataParts,
)
class ScalableControllerRemembered(TransactionResponses):
    """A broker keeps naming the first controller that it found for a topic, even after that one has ended."""

    @cached_property
    def known(self) -> dict[str, str | None]:
        """The first layout that was sent of each topic."""
        return {}

    def controller_reported(self, topic: str, find: Callable[[], str | None]) -> str | None:
        return self.known.setdefault(topic, super().controller_reported(topic, find))


@defect(
    {"PIP460-41": seen("^no broker$", expected="^a broker that lives$", what="^controller of orders$")},
    origin="feared: a session that is opened once, when the broker starts",
)
class ScalableSessionKept(Leadership):
    """A broker whose session with the metadata store has expired continues to use it, and is never a controller again."""

    def lead(self, topic: str) -> None:
        before = self._session
        try:
            super().lead(topic)
        except CommandRefused:
            self._session = before
            raise


@defect(
    {"PIP460-51": seen('"late"', expected='^"p1"$', what="^readers of high$")}, origin="PIP-468, split, steps 3 and 4, in the other order"
)
class ScalableSealedBehindTheLayout(LayoutChanges):
    """The parent is sealed after the layout with its children is written; after a crash in between, connected producers continue to write
    to it.
    """

    due: Sequence[str] = ()

    def seal(self, parents: Sequence[str]) -> None:
        self.due = parents

    def make(self, topic: str, plan: Plan, notify: Callable[[], None]) -> None:
        def seal_and_notify() -> None:
            LayoutChanges.seal(self, self.due)
            notify()

        super().make(topic, plan, seal_and_notify)


@defect(
    {"PIP460-41": seen("^pulsar:", expected="^another broker", what="^controller of orders after its session$")},
    origin="textbook: a leader that does not know that its lease is over",
)
class ScalableControllerBelievesItself(Leadership):
    """A broker that was once the controller of a topic still considers itself the controller, whatever the metadata store says."""

    @cached_property
    def led(self) -> set[str]:
        """The topics that this broker has led."""
        return set()

    def leader_of(self, topic: str) -> int | None:
        return self.node if topic in self.led else super().leader_of(topic)

    def lead(self, topic: str) -> None:
        super().lead(topic)
        if super().leader_of(topic) == self.node:
            self.led.add(topic)


@defect({"PIP460-41": seen("^the broker is down$", what="^answer$")}, origin="textbook: a lock without a lease")
class ScalableLedWithoutASession(Leadership):
    """A broker whose session has expired takes the lead with a record that belongs to no session: when it crashes, no broker can
    succeed it."""

    def lead(self, topic: str) -> None:
        try:
            super().lead(topic)
        except CommandRefused:
            self._store.put(paths.controller(topic), str(self.node).encode(), expected=NEW)


@defect({"PIP460-51": _TAKES_NOTHING}, origin="red team: a sweep that returns after the first topic")
class ScalableFirstTopicResumed(ScalableTopics):
    """A controller that takes over resumes the interrupted change of the first of its topics, by their names, and of no other one."""

    def sweep(self) -> None:
        for topic in sorted(self._layouts.all_topics())[:1]:
            self._look_after(topic)


@defect({"PIP460-51": _TAKES_NOTHING}, origin="red team: a variable that is overwritten for each topic")
class ScalableLastTopicResumed(ScalableTopics):
    """A controller that takes over resumes the interrupted change of the last of its topics, by their names, and of no other one."""

    def sweep(self) -> None:
        for topic in sorted(self._layouts.all_topics())[-1:]:
            self._look_after(topic)
