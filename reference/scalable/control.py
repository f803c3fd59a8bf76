"""The parts of one node that deal with scalable topics, put together."""

from dataclasses import dataclass

from fencepost.reference.kernel.machine import Machine
from fencepost.reference.metadata.store import MetadataStore

from .layout_store import LayoutStore
from .news import Newsroom
from .node_scalable_topics import ScalableTopics
from .scalable_parts import ScalableParts
from .scalable_profile import ScalableProfile
from .segment_owners import Segments
from .sessions import Sessions


@dataclass(frozen=True)
class Control:
    """The scalable topics of one node, in one life of it."""

    profile: ScalableProfile
    topics: ScalableTopics
    newsroom: Newsroom
    sessions: Sessions


def control(parts: ScalableParts, machine: Machine, store: MetadataStore, segments: Segments, profile: ScalableProfile) -> Control:
    """Builds the parts for the node that runs on this machine, with its client of the metadata store."""
    layouts, leadership = LayoutStore(store), parts.leadership(machine.node, store)

    def now() -> int:
        return machine.clock.now

    def changed(topic: str) -> None:
        """The stream consumers have other segments; the store notifies the watches."""
        sessions.look(topic)

    topics = parts.scalable_topics(
        layouts,
        segments,
        parts.layout_changes(layouts, segments, machine.crash_points, now),
        parts.pruning(layouts, segments, profile, now),
        leadership,
        profile,
        now,
        changed,
    )
    sessions = parts.sessions(topics, layouts, parts.registrations(store), segments, leadership, profile, now)
    return Control(profile, topics, parts.newsroom(machine, store, topics.layout, topics.names_in), sessions)
