"""A split or a merge, step by step: after a crash at any step, the next controller completes or undoes it. PIP-468, "Split", "Merge".

1. The controller finds the subscriptions of the parents, and stores a note of the change with them. 2. It creates the children with these
subscriptions, from their first message on. 3. It writes into the note that the parents are being sealed, and seals them. 4. It writes
the layout over the version that it has read. 5. It notifies the subscribers.

A controller that finds the note of another one first rewrites it, and from then on only this controller can continue the change: the next
write of the note by the former controller fails on its version. Before step 3 the children are deleted, and their numbers are never used
again; from step 3 on the change is completed.
"""

from collections.abc import Callable, Mapping, Sequence

from fencepost.reference.kernel.crash import CrashPoints
from fencepost.reference.kernel.rules import rule
from fencepost.reference.metadata.store import Version, VersionConflict
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError

from . import paths
from .layout import HashRange, Layout, Segment, replaced, skipped
from .layout_records import MalformedLayout
from .layout_store import ChangeNote, LayoutStore, StoredLayout
from .names import segment_topic
from .segment_owners import Segments

Plan = Callable[[Layout], Layout]
"""Computes the new layout. Raises LayoutRefused."""


class LayoutChanges:
    """The changes of layouts, made by the controller of a topic. `now` is the time, in ms."""

    def __init__(
        self,
        layouts: LayoutStore,
        segments: Segments,
        crash_points: CrashPoints,
        now: Callable[[], int],
    ) -> None:
        self._layouts = layouts
        self._segments = segments
        self._crash_points = crash_points
        self._now = now

    def make(self, topic: str, plan: Plan, notify: Callable[[], None]) -> None:
        """Decision: change the topic's layout as planned, and have its consumers notified.

        Raises LayoutRefused, and then nothing has changed; CommandRefused: SERVICE_NOT_READY if another controller was faster, or a
        segment's owner cannot be asked: `recover` then completes or undoes what has begun.
        """
        self.recover(topic, notify)
        before = self._layouts.named(topic)
        note = self._planned(topic, before.layout, plan)
        rule("PIP460-20")  # while the note is there, another controller fails, or completes the change first
        version = self._noted(topic, note)
        if not self.is_as_it_was(topic, before):
            self._ended(topic, version, {})
            raise _overtaken(topic)
        self._crash_points.reach("after-subscriptions")
        self._make_children(topic, note)
        self._crash_points.reach("after-children")
        self._seal(topic, note, version, notify)

    def recover(self, topic: str, notify: Callable[[], None]) -> None:
        """Decision: complete or undo a change that has begun and not ended; if the topic is gone, remove what the change has made.

        Raises CommandRefused: SERVICE_NOT_READY if that cannot be done now, and MalformedLayout for a note that does not fit the layout.
        """
        if (found := self._layouts.note(topic)) is None:
            return
        note, version = found
        rule("PIP460-41")
        version = self._noted(topic, note, version)
        stored = self._layouts.find(topic)
        if stored is not None and self.is_to_be_completed(note):
            if not _is_in(stored.layout, note):
                _check(topic, stored.layout, note)
                self._make_children(topic, note)
            self._seal(topic, note, version, notify)
        else:
            self._undo(topic, note)
            self._ended(topic, version, {})

    def children_noted(self, topic: str) -> list[str]:
        """The topics of the children of a change that has begun and not ended."""
        found = self._layouts.note(topic)
        return [] if found is None else list(_children(topic, found[0]).values())

    # -- Decisions

    def is_as_it_was(self, topic: str, before: StoredLayout) -> bool:
        """Decision: whether a change whose note is stored can go on: only if the layout is still the one that it was planned for.

        Otherwise another change was completed, or the topic was deleted, since the layout was read: parents and numbers may be wrong.
        """
        rule("PIP460-41")
        return self._layouts.find(topic) == before

    def subscriptions_for(self, topic: str, parents: Sequence[Segment]) -> set[str]:
        """Decision: the subscriptions that the children get: all that any of the parents has, and those of the scalable topic."""
        rule("PIP460-17")
        rule("PIP460-18")
        found = set(self._layouts.registered(topic))
        for parent in parents:
            found |= set(self._segments.subscriptions_of(segment_topic(topic, parent)))
        return found

    def late_for(self, topic: str, parents: Sequence[Segment], note: ChangeNote) -> set[str]:
        """Decision: the subscriptions that were created on any of the parents since the change began."""
        rule("PIP460-18")
        return self.subscriptions_for(topic, parents) - set(note.subscriptions)

    def seal(self, parents: Sequence[str]) -> None:
        """Decision: the parents accept no more messages before the layout has children that do."""
        rule("PIP460-19")
        for parent in parents:
            self._segments.terminate(parent)

    def make_child(self, child: str, subscriptions: Sequence[str]) -> None:
        """Decision: create a child, with its subscriptions from its first message on."""
        rule("PIP460-16")
        self._segments.create(child, subscriptions)

    def hand_over(self, parents: Sequence[str], children: Sequence[str]) -> None:
        """Decision: a child does not store a message again that a parent has stored, when its producer resends it."""
        rule("PIP460-50")
        for child in children:
            self._segments.inherit(parents, child)

    def is_to_be_completed(self, note: ChangeNote) -> bool:
        """Decision: whether a change that its controller did not end is completed: if a parent may be sealed already."""
        rule("PIP460-15")
        rule("PIP460-51")
        return note.step == "sealing"

    def completed(self, layout: Layout, note: ChangeNote) -> Layout:
        """Decision: the layout with the change in it."""
        ranges = [HashRange(*bounds) for bounds in note.ranges]
        return replaced(layout, [layout.segments[number] for number in note.parents], ranges, self._now())

    def undone(self, layout: Layout, note: ChangeNote) -> Layout:
        """Decision: the layout after an undone change, at the same epoch: the numbers of its children are not used again."""
        return skipped(layout, note.children)

    def is_written(self, topic: str, layout: Layout, expected: Version) -> bool:
        """Decision: whether a layout was written. It does not replace one that pruning has written meanwhile; that one is read first."""
        rule("PIP460-41")
        try:
            self._layouts.write(topic, layout, expected)
        except VersionConflict:
            return False
        return True

    # -- Inside

    def _planned(self, topic: str, before: Layout, plan: Plan) -> ChangeNote:
        after = plan(before)
        children = [after.segments[number] for number in range(before.next_number, after.next_number)]
        parents = [before.segments[number] for number in children[0].parents]
        return ChangeNote(
            parents=tuple(one.number for one in parents),
            children=tuple(one.number for one in children),
            ranges=tuple((one.hashes.first, one.hashes.last) for one in children),
            subscriptions=tuple(sorted(self.subscriptions_for(topic, parents))),
        )

    def _seal(self, topic: str, note: ChangeNote, version: Version, notify: Callable[[], None]) -> None:
        """The part of a change that is completed by any controller, once it has begun."""
        note = note.model_copy(update={"step": "sealing"})
        made = _children(topic, note)
        try:
            version = self._layouts.put_note(topic, note, version)
        except VersionConflict as conflict:
            self._leave(topic, made)
            raise _overtaken(topic) from conflict
        self._crash_points.reach("before-terminate")
        while (stored := self._layouts.find(topic)) is not None and not _is_in(stored.layout, note):
            _check(topic, stored.layout, note)
            parents = [stored.layout.segments[number] for number in note.parents]
            made |= {one.number: segment_topic(topic, one) for one in parents}
            note = self._sealed(topic, note, parents)
            self._crash_points.reach("after-terminate")
            if self.is_written(topic, self.completed(stored.layout, note), stored.version):
                break
        self._crash_points.reach("after-layout")
        notify()
        self._crash_points.reach("after-told")
        self._ended(topic, version, made)

    def _sealed(self, topic: str, note: ChangeNote, parents: Sequence[Segment]) -> ChangeNote:
        """Seal the parents, which get no more subscriptions then; those created since the change began are added to the children."""
        self.seal([segment_topic(topic, one) for one in parents])
        if late := self.late_for(topic, parents, note):
            note = note.model_copy(update={"subscriptions": (*note.subscriptions, *sorted(late))})
            self._make_children(topic, note)
        self.hand_over([segment_topic(topic, one) for one in parents], list(_children(topic, note).values()))
        return note

    def _make_children(self, topic: str, note: ChangeNote) -> None:
        rule("PIP460-16")  # they begin empty: the messages of the parents are read there, once
        for child in _children(topic, note).values():
            self.make_child(child, note.subscriptions)

    def _undo(self, topic: str, note: ChangeNote) -> None:
        """First skip the children's numbers in the layout, so that a controller that still creates them knows that they must go."""
        while (stored := self._layouts.find(topic)) is not None and (without := self.undone(stored.layout, note)) != stored.layout:
            if self.is_written(topic, without, stored.version):
                break
        for child in _children(topic, note).values():
            self._segments.delete(child)

    def _leave(self, topic: str, made: Mapping[int, str]) -> None:
        """Delete those of these segments that no other controller can know: another one undid the change, or the topic was deleted."""
        stored = self._layouts.find(topic)
        for number, name in made.items():
            if stored is None or (number < stored.layout.next_number and number not in stored.layout.segments):
                self._segments.delete(name)

    def _noted(self, topic: str, note: ChangeNote, *version: Version) -> Version:
        try:
            return self._layouts.put_note(topic, note, *version)
        except VersionConflict as conflict:
            raise _overtaken(topic) from conflict

    def _ended(self, topic: str, version: Version, made: Mapping[int, str]) -> None:
        try:
            self._layouts.delete_note(topic, version)
        except VersionConflict as conflict:
            self._leave(topic, made)
            raise _overtaken(topic) from conflict


def _children(topic: str, note: ChangeNote) -> dict[int, str]:
    """The topics of the children by their numbers."""
    made = zip(note.children, note.ranges, strict=True)
    return {number: segment_topic(topic, Segment(number, HashRange(*bounds))) for number, bounds in made}


def _is_in(layout: Layout, note: ChangeNote) -> bool:
    return layout.next_number > note.children[0]


def _check(topic: str, layout: Layout, note: ChangeNote) -> None:
    """Raises MalformedLayout if the change cannot be made of this layout, whichever controller wrote the note."""
    active = {segment.number for segment in layout.active}
    if not active.issuperset(note.parents) or note.children[0] != layout.next_number:
        why = f"it seals {list(note.parents)} and makes {list(note.children)}"
        raise MalformedLayout(
            paths.change(topic), f"{why}; expected active segments of the layout, and numbers from {layout.next_number} on"
        )


def _overtaken(topic: str) -> CommandRefused:
    return CommandRefused(ServerError.SERVICE_NOT_READY, f"another controller changes {topic}; look its layout up and try again")
