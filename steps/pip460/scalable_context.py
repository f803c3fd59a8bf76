"""The scalable topics of a scenario, the names of their segments, the layouts that were seen, and the changes that were requested.

A segment is a topic: clients write to it, read it and subscribe to it by its name in the scenario, as with any other topic. In addition,
this module keeps which segment of which scalable topic a name means.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from fencepost.adapters.pulsar.pulsar_values import LayoutSegment, PendingChange, ReportedLayout, scalable
from fencepost.contract.outcomes import Outcome, Unknown
from fencepost.steps.pulsar.pulsar_context import PulsarContext
from fencepost.steps.step_outcomes import achieved, observed

from .vocabulary import PIP460, SplitOrMerge

_NAMESPACE = "public/default"


@dataclass(frozen=True)
class NumberedSegment:
    """A segment: the name of its scalable topic in the scenario, and its number there."""

    topic: str
    number: int


@dataclass(frozen=True)
class RequestedChange:
    """A change that was requested: the layout before it, and its outcome."""

    change: SplitOrMerge
    topic: str
    numbers: tuple[int, ...]
    before: ReportedLayout
    answer: Outcome[None]


@dataclass
class ScenarioScalableTopics:
    """Those of one scenario, by their names in it."""

    context: PulsarContext
    by_name: dict[str, str] = field(default_factory=dict)
    """Their names in the system."""
    places: dict[str, NumberedSegment] = field(default_factory=dict)
    """The segments, by their names in the scenario."""
    seen: defaultdict[str, list[ReportedLayout]] = field(default_factory=lambda: defaultdict(list))
    """The layouts of each topic that a client or administrator received."""
    asked: list[RequestedChange] = field(default_factory=list)

    def make(self, name: str, segments: int, *, is_deduplicated: bool = False, neighbouring: str | None = None) -> Outcome[None]:
        """A scalable topic that only this scenario uses, or the same again, once it was deleted; in a separate namespace, where that is
        deduplicated, or where its name is to begin with that of the others' namespace; or under a name that begins with that of the first
        one.
        """
        namespace, is_neighbouring = _NAMESPACE, neighbouring == "in a namespace whose name begins with that of others"
        if is_deduplicated or is_neighbouring:
            unique = self.context.session.unique(name)
            namespace = f"{_NAMESPACE}-{unique}" if is_neighbouring else f"public/{unique}"
            achieved(self.context.client.create_namespace(namespace), f"making the namespace {namespace}")
        if is_deduplicated:
            achieved(self.context.client.set_deduplication(namespace, True), f"having {namespace} deduplicated")
        if neighbouring is not None and not is_neighbouring:
            self.by_name[name] = f"{next(iter(self.by_name.values()))}-{name}"
        full = self.by_name.setdefault(name, scalable(self.context.session.unique(name), namespace))
        self.context.topics.by_name[name] = full
        self.seen.pop(name, None)
        return self.context.client.create_scalable_topic(full, segments)

    def name_segments(self, topic: str, names: Sequence[str]) -> None:
        """Name its active segments so, the lowest hashes first."""
        for name, segment in zip(names, self.layout(topic).active, strict=False):
            self.call(name, topic, segment)

    def namespace_of(self, topic: str) -> str:
        """TENANT/NAMESPACE of a scalable topic."""
        return self.by_name[topic].partition("://")[2].rpartition("/")[0]

    def call(self, name: str, topic: str, segment: LayoutSegment) -> None:
        """Name a segment of a topic so."""
        self.places[name] = NumberedSegment(topic, segment.number)
        self.context.topics.by_name[name] = segment.topic
        if segment.is_sealed:
            self.context.topics.sealed.add(name)

    def layout(self, topic: str) -> ReportedLayout:
        """The layout as administrators see it; a broker that does not return it violates the requirement."""
        return self._noted(topic, observed(self.context.client.layout(self.by_name[topic]), f"looking at the layout of {topic}"))

    def given_layout(self, topic: str) -> ReportedLayout:
        """The layout in a set-up. A layout that was seen before, and is refused now, is a violation there too."""
        look = observed if topic in self.seen else achieved
        return self._noted(topic, look(self.context.client.layout(self.by_name[topic]), f"looking at the layout of {topic}"))

    def change(self, change: SplitOrMerge) -> RequestedChange:
        """Request a change, and learn which segments are sealed."""
        before = self.before(change)
        client, numbers = self.context.client, self.numbers(change)
        full = self.by_name[self.topic_of(change)]
        return self.note(change, before, client.split(full, *numbers) if change.is_split else client.merge(full, *numbers))

    def begin(self, change: SplitOrMerge) -> Outcome[PendingChange]:
        """Request a change without waiting for the answer."""
        client, numbers = self.context.client, self.numbers(change)
        full = self.by_name[self.topic_of(change)]
        return client.begin_split(full, *numbers) if change.is_split else client.begin_merge(full, *numbers)

    def before(self, change: SplitOrMerge) -> ReportedLayout:
        """The layout as it is before a change."""
        return self.given_layout(self.topic_of(change))

    def note(self, change: SplitOrMerge, before: ReportedLayout, answer: Outcome[None]) -> RequestedChange:
        """Keep the outcome of a change, and look which segments are sealed now, unless the system may be down."""
        topic = self.topic_of(change)
        asked = RequestedChange(change, topic, self.numbers(change), before, answer)
        self.asked.append(asked)
        if not isinstance(answer, Unknown):
            self.layout(topic)
        return asked

    def topic_of(self, change: SplitOrMerge) -> str:
        """The scalable topic that a change is about."""
        return self.places[change.segments[0]].topic

    def numbers(self, change: SplitOrMerge) -> tuple[int, ...]:
        """The segments of a change."""
        return tuple(self.places[name].number for name in change.segments)

    def name_children(self, asked: RequestedChange, names: Sequence[str]) -> bool:
        """Give these names to the active segments that are new, the lowest hashes first; returns whether there are so many.

        A system may complete an earlier change in the meantime: its children have other parents.
        """
        known = {segment.number for segment in asked.before.segments}
        born = [segment for segment in self.layout(asked.topic).active if segment.number not in known]
        if len(born) > len(names):
            born = [segment for segment in born if not {*asked.numbers}.isdisjoint(segment.parents)]
        for name, segment in zip(names, born, strict=False):
            self.call(name, asked.topic, segment)
        return len(born) == len(names)

    def name_of(self, topic: str, segment: LayoutSegment) -> str:
        """The name of a segment in the scenario; a segment without a name is called by its number."""
        place = NumberedSegment(topic, segment.number)
        found = next((name for name, known in self.places.items() if known == place), f"{topic} {segment.number}")
        self.call(found, topic, segment)
        return found

    def segment(self, layout: ReportedLayout, name: str) -> LayoutSegment | None:
        """The segment of a layout that has this name in the scenario; None where it is not there any more."""
        return layout.named(self.places[name].number)

    def _noted(self, topic: str, layout: ReportedLayout) -> ReportedLayout:
        self.seen[topic].append(layout)
        sealed = {segment.number for segment in layout.sealed}
        self.context.topics.sealed |= {name for name, place in self.places.items() if place.topic == topic and place.number in sealed}
        return layout


@PIP460.state
def scalable_topics(context: PulsarContext) -> ScenarioScalableTopics:
    """The scalable topics of this scenario."""
    return ScenarioScalableTopics(context)
