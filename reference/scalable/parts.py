"""The classes of which scalable topics are made. A defect is a broker in which one of them is a subclass with one decision changed."""

from dataclasses import dataclass

from .changes import LayoutChanges
from .leadership import Leadership
from .news import Newsroom
from .pruning import Pruning
from .registrations import Registrations
from .sessions import Sessions
from .topics import ScalableTopics


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
