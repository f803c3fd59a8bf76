"""The scalable topics that one broker of several knows: requests of administrators, and the work of their controller.

Every broker reads layouts. The topic's controller changes them; if there is none, the broker that is asked first becomes it.
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from fencepost.reference.kernel.rules import rule
from fencepost.reference.metadata.store import VersionConflict
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError

from . import layout as layouts_of
from .changes import LayoutChanges
from .layout import Layout, Segment
from .layout_store import LayoutStore
from .leadership import Leadership
from .names import parse_segment, segment_topic
from .scalable_profile import ScalableProfile
from .segment_owners import Segments
from .segment_pruning import Pruning

_LOG = logging.getLogger("fencepost.scalable")


class ScalableTopics:
    """The scalable topics of one broker. `now` is the time, in ms; `changed` is called with each topic whose layout this broker changed.

    All calls raise CommandRefused: SERVICE_NOT_READY if the metadata store or the owner of a segment is unavailable, and UNKNOWN if the
    stored record is no layout. Those that name a topic raise CommandRefused: TOPIC_NOT_FOUND if it does not exist.
    """

    def __init__(
        self,
        layouts: LayoutStore,
        segments: Segments,
        changes: LayoutChanges,
        pruning: Pruning,
        leadership: Leadership,
        profile: ScalableProfile,
        now: Callable[[], int],
        changed: Callable[[str], None],
    ) -> None:
        self._layouts = layouts
        self._segments = segments
        self._changes = changes
        self._pruning = pruning
        self._leadership = leadership
        self._profile = profile
        self._now = now
        self._changed = changed

    # -- What every broker does

    def layout(self, topic: str) -> Layout:
        """Decision: the layout of a topic, as it is sent to any client."""
        return self._layouts.named(topic).layout

    def find(self, topic: str) -> Layout | None:
        """The layout of a topic; None if there is none."""
        found = self._layouts.find(topic)
        return None if found is None else found.layout

    def names_in(self, namespace: str) -> list[str]:
        """Decision: the topics of TENANT/NAMESPACE."""
        return self._layouts.topics(namespace)

    def subscriptions(self, topic: str) -> list[str]:
        """Decision: the registered subscriptions of a topic."""
        return self._layouts.registered(topic)

    def segment(self, name: str) -> Segment:
        """Decision: the segment of that name, segment://...

        Raises CommandRefused: INVALID_TOPIC_NAME if the hashes are not those of the segment, TOPIC_NOT_FOUND.
        """
        meant = parse_segment(name)
        found = self._layouts.named(meant.topic).layout.segments.get(meant.number)
        if found is None:
            raise CommandRefused(ServerError.TOPIC_NOT_FOUND, f"{meant.topic} has no segment {meant.number}")
        if found.hashes != meant.hashes:
            raise CommandRefused(
                ServerError.INVALID_TOPIC_NAME, f"segment {meant.number} of {meant.topic} has the hashes {found.hashes}, not {meant.hashes}"
            )
        return found

    def create(self, topic: str, segments: int) -> None:
        """Decision: create a topic of that many segments, if there is none.

        Raises CommandRefused: NOT_ALLOWED if it exists, and LayoutRefused for an impossible number.
        """
        made = self.new_layout(segments)
        if self._layouts.find(topic) is None:
            self._changes.recover(topic, partial(self._changed, topic))  # what a deleted topic of that name has left
        try:
            self._layouts.write(topic, made)
        except VersionConflict as conflict:
            raise CommandRefused(ServerError.NOT_ALLOWED, f"{topic} is there already") from conflict
        rule("PIP460-46")
        self._changed(topic)

    # -- What its controller does. Any other broker is refused: SERVICE_NOT_READY, with the number of the controller's node

    def controller_of(self, topic: str) -> int:
        """The node that leads the topic: this one from now on, if none did.

        Raises CommandRefused: TOPIC_NOT_FOUND; SERVICE_NOT_READY if another node was faster, and no longer leads.
        """
        if (leader := self._leadership.leader_of(topic)) is None:
            self._layouts.named(topic)
            self._leadership.lead(topic)
            leader = self._leadership.leader_of(topic)
        if leader is None:
            raise CommandRefused(ServerError.SERVICE_NOT_READY, f"no broker is the controller of {topic}; try again")
        return leader

    def split(self, topic: str, number: int) -> None:
        """Seal a segment, and have two children share its hashes. Raises LayoutRefused."""
        self._must_lead(topic)
        self._changes.make(topic, lambda layout: self.split_of(layout, number), partial(self._changed, topic))

    def merge(self, topic: str, numbers: Iterable[int]) -> None:
        """Seal adjacent segments, and have one child take all their hashes. Raises LayoutRefused."""
        self._must_lead(topic)
        named = tuple(numbers)
        self._changes.make(topic, lambda layout: self.merge_of(layout, named), partial(self._changed, topic))

    def register(self, topic: str, subscription: str) -> None:
        """Decision: create a subscription of the topic: on every active segment, from its earliest message on, and on all later ones."""
        self._must_lead(topic)
        self._changes.recover(topic, partial(self._changed, topic))
        layout = self.layout(topic)
        self._layouts.register(topic, subscription)
        rule("PIP460-55")
        for segment in layout.active:
            self._segments.create(segment_topic(topic, segment), [subscription])

    def unregister(self, topic: str, subscription: str) -> None:
        """Decision: delete a subscription of the topic. Its segments keep their subscriptions of that name."""
        self._must_lead(topic)
        self._layouts.unregister(topic, subscription)

    def delete(self, topic: str) -> None:
        """Decision: delete a topic with its segments, active and sealed, and with the children of a change that has begun."""
        self._must_lead(topic)
        layout = self.layout(topic)
        for name in self.segments_to_delete(topic, layout):
            self._segments.delete(name)
        self._layouts.erase(topic)
        self._changed(topic)

    def segments_to_delete(self, topic: str, layout: Layout) -> list[str]:
        """Decision: the topics that are deleted with a scalable topic."""
        rule("PIP460-47")
        noted = self._changes.children_noted(topic)
        return [*noted, *(segment_topic(topic, segment) for _, segment in sorted(layout.segments.items()))]

    def new_layout(self, segments: int) -> Layout:
        """Decision: the first layout of a topic of that many segments. Raises LayoutRefused."""
        rule("PIP460-01")
        return layouts_of.created(segments, self._now(), self._profile.remainder)

    def split_of(self, layout: Layout, number: int) -> Layout:
        """Decision: the layout after a split. Raises LayoutRefused."""
        rule("PIP460-03")
        rule("PIP460-24")
        return layouts_of.split(layout, number, self._now())

    def merge_of(self, layout: Layout, numbers: Sequence[int]) -> Layout:
        """Decision: the layout after a merge. Raises LayoutRefused."""
        rule("PIP460-10")
        return layouts_of.merge(layout, numbers, self._now(), self._profile.merge, self._profile.merged_at_once)

    def sweep(self) -> None:
        """Decision: what the controller does periodically: complete or undo changes, and prune. It becomes the controller of topics
        without one.

        A topic with something that cannot be read, or asked now, is skipped until the next time.
        """
        for topic in sorted({*self._layouts.all_topics(), *self._layouts.notes()}):
            try:
                self._look_after(topic)
            except CommandRefused as refused:
                _LOG.warning("%s: %s", topic, refused)

    def _must_lead(self, topic: str) -> None:
        rule("PIP460-41")
        if (leader := self.controller_of(topic)) != self.node:
            raise CommandRefused(
                ServerError.SERVICE_NOT_READY, f"node {leader} is the controller of {topic}; look the topic up and ask there"
            )

    def _look_after(self, topic: str) -> None:
        if self._layouts.find(topic) is None:
            self._changes.recover(topic, partial(self._changed, topic))  # a deleted topic can have left a change
        elif self.controller_of(topic) == self.node:
            self._changes.recover(topic, partial(self._changed, topic))
            if self._pruning.prune(topic):
                self._changed(topic)

    @property
    def node(self) -> int:
        """The number of this broker's node."""
        return self._leadership.node

    def close(self) -> None:
        """Stop leading all topics."""
        self._leadership.close()
