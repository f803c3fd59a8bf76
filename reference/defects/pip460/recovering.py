"""Defects of what becomes of a change whose controller has ended."""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata.store import NEW, Version
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar.answers import Answers
from fencepost.reference.pulsar.errors import Error, Refused
from fencepost.reference.scalable import paths
from fencepost.reference.scalable.changes import LayoutChanges, Plan
from fencepost.reference.scalable.layout import Layout
from fencepost.reference.scalable.layout_records import encoded
from fencepost.reference.scalable.layout_store import ChangeNote, LayoutStore, Stored
from fencepost.reference.scalable.leadership import Leadership
from fencepost.reference.scalable.pruning import Pruning
from fencepost.reference.scalable.sessions import Session, Sessions
from fencepost.reference.scalable.topics import ScalableTopics

_TAKES_NOTHING = Symptom(what="^active segments of orders$", expected="^that each takes one$", seen="TopicTerminatedError|TopicNotFound")


class _RecoversWhenItBegins(ScalableTopics):
    def sweep(self) -> None:
        for topic in self._layouts.all_topics():
            if self._layouts.note(topic) is None and self.controller_of(topic) == self.node and self._pruning.prune(topic):
                self._changed(topic)


class _LeavesItToTheOther(ScalableTopics):
    def sweep(self) -> None:
        for topic in self._layouts.all_topics():
            with suppress(Refused):
                if self.controller_of(topic) != self.node:
                    self._changes.recover(topic, lambda: None)
                    self._pruning.prune(topic)


class _KeepsWhoHasRegistered(Sessions):
    def send_away(self, session: Session) -> None:
        """Its client will notice."""


class _WritesOver(LayoutStore):
    def write(self, topic: str, layout: Layout, expected: Version = NEW) -> None:  # noqa: ARG002 - what it should look at
        self._store.put(paths.layout(topic), encoded(layout))


class _TakesAConflictForSuccess(LayoutChanges):
    def is_written(self, topic: str, layout: Layout, expected: Version) -> bool:
        super().is_written(topic, layout, expected)
        return True


class _TrustsItsFirstLook(LayoutChanges):
    def is_as_it_was(self, topic: str, before: Stored) -> bool:
        super().is_as_it_was(topic, before)
        return True


class _PrunesOverWhatIsNew(Pruning):
    def prune(self, topic: str) -> bool:
        layouts = self._layouts
        self._layouts = _WritesOver(layouts._store)
        try:
            return super().prune(topic)
        finally:
            self._layouts = layouts


class _UndoesEveryChange(LayoutChanges):
    def is_to_be_completed(self, note: ChangeNote) -> bool:
        super().is_to_be_completed(note)
        return False


class _WaitsForWhoBegan(LayoutChanges):
    def is_to_be_completed(self, note: ChangeNote) -> bool:
        if not super().is_to_be_completed(note):
            raise Refused(Error.SERVICE_NOT_READY, "a change is under way; try again when it has ended")
        return True


class _LeavesWhatTheLayoutHas(LayoutChanges):
    def recover(self, topic: str, tell: Callable[[], None]) -> None:
        noted, stored = self._layouts.note(topic), self._layouts.find(topic)
        if noted is None or stored is None or stored.layout.segments.keys().isdisjoint(noted[0].children):
            super().recover(topic, tell)


class _GoesOnBehindTheChildren(LayoutChanges):
    def is_to_be_completed(self, note: ChangeNote) -> bool:
        super().is_to_be_completed(note)
        self.is_taken_over = True
        return True

    def make_child(self, child: str, subscriptions: Sequence[str]) -> None:
        if not getattr(self, "is_taken_over", False):
            super().make_child(child, subscriptions)


class _EmptiesWhatItSealsAgain(LayoutChanges):
    def is_to_be_completed(self, note: ChangeNote) -> bool:
        self.is_taken_over = True
        return super().is_to_be_completed(note)

    def seal(self, parents: Sequence[str]) -> None:
        for parent in parents if getattr(self, "is_taken_over", False) else ():
            self._segments.delete(parent)
        super().seal(parents)


class _CompletesOverTheChange(LayoutChanges):
    def is_to_be_completed(self, note: ChangeNote) -> bool:
        self.is_taken_over = super().is_to_be_completed(note)
        return self.is_taken_over

    def completed(self, layout: Layout, note: ChangeNote) -> Layout:
        made = super().completed(layout, note)
        return super().completed(made, note) if getattr(self, "is_taken_over", False) else made


class _CountsItsOwnChanges(LayoutChanges):
    @cached_property
    def made(self) -> Counter[int]:
        """How many changes this controller has made, of each topic, by when that was made."""
        return Counter()

    def completed(self, layout: Layout, note: ChangeNote) -> Layout:
        topic = min(one.created_ms for one in layout.segments.values())
        before = self.made[topic]
        self.made[topic] += 1
        return super().completed(replace(layout, epoch=before), note)


class _LeadsForEver(Sessions):
    def leads(self, topic: str) -> bool:
        return super().leads(topic) or topic in self._led


class _RemembersTheController(Answers):
    @cached_property
    def known(self) -> dict[str, str | None]:
        """What was told of a topic first."""
        return {}

    def controller_told(self, topic: str, find: Callable[[], str | None]) -> str | None:
        return self.known.setdefault(topic, super().controller_told(topic, find))


class _KeepsItsSession(Leadership):
    def lead(self, topic: str) -> None:
        before = self._session
        try:
            super().lead(topic)
        except Refused:
            self._session = before
            raise


class _SealsBehindTheLayout(LayoutChanges):
    due: Sequence[str] = ()

    def seal(self, parents: Sequence[str]) -> None:
        self.due = parents

    def make(self, topic: str, plan: Plan, tell: Callable[[], None]) -> None:
        def seal_and_tell() -> None:
            LayoutChanges.seal(self, self.due)
            tell()

        super().make(topic, plan, seal_and_tell)


class _BelievesItself(Leadership):
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


class _LeadsWithoutASession(Leadership):
    def lead(self, topic: str) -> None:
        try:
            super().lead(topic)
        except Refused:
            self._store.put(paths.controller(topic), str(self.node).encode(), expected=NEW)


EPOCHS_OF_A_CONTROLLER = Defect(
    name="scalable-epochs-of-a-controller",
    breaks={"PIP460-41": Symptom(what="^epoch of orders$", expected="^epoch 2$", seen="^epoch 1")},
    story="Each controller counts the epochs of a layout from its own first change on.",
    origin="feared: what is counted in memory, and begins anew with each fail-over",
    parts=MetadataParts(layout_changes=_CountsItsOwnChanges),
)

LEADS_FOR_EVER = Defect(
    name="scalable-leads-for-ever",
    breaks={"PIP460-41": Symptom(what="^segments of ann$", expected="^low and high and right$")},
    story="Who has been the controller once goes on assigning segments, and gives up consumers that are connected to its successor.",
    origin="textbook: a leader that does not know that its lease is over",
    parts=MetadataParts(sessions=_LeadsForEver),
)

CONTROLLER_REMEMBERED = Defect(
    name="scalable-controller-remembered",
    breaks={
        "PIP460-41": Symptom(what="^controller of orders", expected="^a broker that lives$|^another broker, or nobody$", seen="^pulsar:")
    },
    story="A broker that has once told who the controller of a topic is goes on telling so when that has ended.",
    origin="feared: a cache of what changes without the layout",
    parts=MetadataParts(answers=_RemembersTheController),
)

SESSION_KEPT = Defect(
    name="scalable-session-kept",
    breaks={"PIP460-41": Symptom(what="^controller of orders$", expected="^a broker that lives$", seen="^nobody$")},
    story="A broker whose session with the metadata store has expired goes on asking with it, and is never a controller again.",
    origin="feared: a session that is opened once, when the broker starts",
    parts=MetadataParts(leadership=_KeepsItsSession),
)

EVERY_CHANGE_UNDONE = Defect(
    name="scalable-every-change-undone",
    breaks={"PIP460-51": _TAKES_NOTHING},
    story="What a controller has begun the next one undoes, also where the parent is sealed already.",
    origin="PIP-468, split, step 4: a failed compare-and-set must not lose messages",
    parts=MetadataParts(layout_changes=_UndoesEveryChange),
)

LEFT_WHAT_THE_LAYOUT_HAS = Defect(
    name="scalable-left-what-the-layout-has",
    breaks={"PIP460-51": Symptom(what="^a split of right that is asked for again$", expected="^that it is made$")},
    story="A change whose layout was written is taken for ended, and what was noted of it stays: no other one can be noted any more.",
    origin="feared: a step behind the last one that matters",
    parts=MetadataParts(layout_changes=_LeavesWhatTheLayoutHas),
)

WAITS_FOR_WHO_BEGAN = Defect(
    name="scalable-waits-for-who-began",
    breaks={"PIP460-51": Symptom(what="^a split of right that is asked for again$", expected="^that it is made$")},
    story="A change that was begun and has sealed nothing yet is left to its controller, which has ended: no other one is made any more.",
    origin="textbook: a lock without a lease",
    parts=MetadataParts(layout_changes=_WaitsForWhoBegan),
)

COMPLETED_WITHOUT_CHILDREN = Defect(
    name="scalable-completed-without-children",
    breaks={"PIP460-51": Symptom(what="^waiting for workers in an active segment$")},
    story="The next controller seals the parent, also where no child was made: the first who comes makes one, without subscriptions.",
    origin="feared: a step that is taken for done because the one behind it is next",
    parts=MetadataParts(layout_changes=_GoesOnBehindTheChildren),
)

SEALED_AGAIN_AND_EMPTIED = Defect(
    name="scalable-sealed-again-and-emptied",
    breaks={"PIP460-51": Symptom(what="^readers of (left|high)$", expected='^"p1"$', seen="^nothing$")},
    story="A controller that completes the change of another one makes the parents anew before it seals them.",
    origin="feared: a step that is not the same when it is made twice",
    parts=MetadataParts(layout_changes=_EmptiesWhatItSealsAgain),
)

COMPLETED_TWICE = Defect(
    name="scalable-completed-twice",
    breaks={"PIP460-51": Symptom(what="^(layout of orders|answer|active segments of orders)$")},
    story="A controller that completes the change of another one makes its children twice.",
    origin="feared: a step that is not the same when it is made twice",
    parts=MetadataParts(layout_changes=_CompletesOverTheChange),
)

SEALED_BEHIND_THE_LAYOUT = Defect(
    name="scalable-sealed-behind-the-layout",
    breaks={"PIP460-51": Symptom(what="^readers of high$", expected='^"p1"$', seen='"late"')},
    story="The parent is sealed behind the layout with its children; after a crash in between, who is connected goes on writing to it.",
    origin="PIP-468, split, steps 3 and 4, in the other order",
    parts=MetadataParts(layout_changes=_SealsBehindTheLayout),
)

CONTROLLER_BELIEVES_ITSELF = Defect(
    name="scalable-controller-believes-itself",
    breaks={"PIP460-41": Symptom(what="^controller of orders behind its session$", expected="^another broker", seen="^pulsar:")},
    story="Who has become the controller of a topic takes itself for that ever after, whatever the metadata store says.",
    origin="textbook: a leader that does not know that its lease is over",
    parts=MetadataParts(leadership=_BelievesItself),
)

LED_WITHOUT_A_SESSION = Defect(
    name="scalable-led-without-a-session",
    breaks={"PIP460-41": Symptom(what="^answer$", seen="^the broker is down$")},
    story="A broker whose session has expired takes the lead by a record that no session ends: when it crashes, nobody can follow it.",
    origin="textbook: a lock without a lease",
    parts=MetadataParts(leadership=_LeadsWithoutASession),
)

LEFT_UNTIL_THE_NEXT_ONE = Defect(
    name="scalable-left-until-the-next-one",
    breaks={"PIP460-51": _TAKES_NOTHING},
    story="A controller takes up what its predecessors left, and never what it has left itself when the store failed for a moment.",
    origin="feared: a recovery that belongs to the election",
    parts=MetadataParts(scalable_topics=_RecoversWhenItBegins),
)

FORMER_SAYS_NOTHING = Defect(
    name="scalable-former-controller-says-nothing",
    breaks={"PIP460-41": Symptom(what="^told to ann of the change$", seen="^neither$")},
    story="A controller that has been replaced keeps its consumers connected, and tells them nothing any more.",
    origin="feared: a session that ends on one side",
    parts=MetadataParts(sessions=_KeepsWhoHasRegistered),
)

PRUNED_OVER_A_SPLIT = Defect(
    name="scalable-pruned-over-a-split",
    breaks={"PIP460-41": _TAKES_NOTHING},
    story="A controller that prunes writes the layout without a look at its version, and undoes a split that came behind its look.",
    origin="PIP-468, split, step 4, which says of a split alone that the layout is written by compare-and-set",
    parts=MetadataParts(pruning=_PrunesOverWhatIsNew),
)

CONFLICT_TAKEN_FOR_SUCCESS = Defect(
    name="scalable-conflict-taken-for-success",
    breaks={"PIP460-41": Symptom(what="^layout of orders$", seen="was done, and is not there")},
    story="A controller whose layout is not written, since its version is another one, seals the segment and says that it was split.",
    origin="textbook: a compare-and-set whose answer nobody looks at",
    parts=MetadataParts(layout_changes=_TakesAConflictForSuccess),
)

FIRST_LOOK_TRUSTED = Defect(
    name="scalable-first-look-trusted",
    breaks={"PIP460-41": Symptom(what="^layout of orders$", seen="was done, and is not there")},
    story="A controller that has planned a change on an old look does not look again, and takes the change of another one for its own.",
    origin="feared: a note that is taken for a lock of what was read before it",
    parts=MetadataParts(layout_changes=_TrustsItsFirstLook),
)

LEFT_TO_THE_OTHER = Defect(
    name="scalable-left-to-the-other",
    breaks={"PIP460-51": _TAKES_NOTHING},
    story="What a controller has left is taken up by every broker but the controller's: nobody does where that is alone.",
    origin="textbook: a condition the wrong way round",
    parts=MetadataParts(scalable_topics=_LeavesItToTheOther),
)
