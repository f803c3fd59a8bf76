"""The classes of which scalable topics are made. A defect is a broker in which one of them is a subclass with one decision changed."""

from dataclasses import dataclass

from .changes import LayoutChanges
from .leadership import Leadership
from .news import Newsroom
from .node_scalable_topics import ScalableTopics
from .registrations import Registrations
from .segment_pruning import Pruning
from .sessions import Sessions


@dataclass(frozen=True)
class ScalableParts:
    """Each part that belongs to a node."""

    layout_changes: type[LayoutChanges] = LayoutChanges
    leadership: type[Leadership] = Leadership
    newsroom: type[Newsroom] = Newsroom
    pruning: type[Pruning] = Pruning
    registrations: type[Registrations] = Registrations
    scalable_topics: type[ScalableTopics] = ScalableTopics
    sessions: type[Sessions] = Sessions
