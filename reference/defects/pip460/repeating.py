"""Defects of what children know of the producers of their parents."""

from collections.abc import Iterator, Sequence
from functools import cached_property

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kernel.journal import Journal
from fencepost.reference.pulsar.deduplication import Deduplication, Known
from fencepost.reference.pulsar.node_segments import NodeSegments
from fencepost.reference.pulsar.pulsar_types import TxnId
from fencepost.reference.pulsar.topic import PulsarTopic
from fencepost.reference.scalable.changes import LayoutChanges
from fencepost.reference.scalable.layout_store import StoredLayout


@defect({"PIP460-50": seen('^"p1"$', expected="^nothing$", what="^readers of (low|high)$")}, origin="Apache Pulsar 5.0.0-M1")
class ScalableChildrenKnowNothing(LayoutChanges):
    """A child knows only what was sent to itself, so that a repeated message is stored again."""

    def hand_over(self, parents: Sequence[str], children: Sequence[str]) -> None:
        """Children begin without any memory."""


@defect({"PIP460-50": seen('^"p1"$', expected="^nothing$", what="^readers of high$")}, origin="textbook: one heir where there are two")
class ScalableTheFirstChildKnows(LayoutChanges):
    """Only the first child of a split learns what its parent has stored of each producer."""

    def hand_over(self, parents: Sequence[str], children: Sequence[str]) -> None:
        super().hand_over(parents, children[:1])


@defect(
    {"PIP460-50": seen('^"p1"$', expected="^nothing$", what="^readers of low$")},
    origin="feared: a step that is skipped when a change is completed whose layout is written",
)
class ScalableHandedOverInMemory(LayoutChanges):
    """Children learn what their parent has stored and keep it in memory only: after a crash during the change it is not handed over
    again."""

    def hand_over(self, parents: Sequence[str], children: Sequence[str]) -> None:
        known = _known(self._segments, parents)
        of_all = set.intersection(*(set(one) for one in known))
        for child in children:
            heir = _topic(self._segments, child)
            heir.deduplication.inherit({scope: min(one[scope] for one in known) for scope in of_all})


@defect(
    {"PIP460-50": seen("^nothing$", expected='^"p1"$', what="^readers of whole$")},
    origin="feared: a parent that knows nothing of a producer is left out",
)
class ScalableOneParentIsEnough(LayoutChanges):
    """The child of a merge knows a producer's last message only from the one parent to which it has written."""

    def hand_over(self, parents: Sequence[str], children: Sequence[str]) -> None:
        known = _known(self._segments, parents)
        for child in children:
            _topic(self._segments, child).take_over(
                {scope: min(one[scope] for one in known if scope in one) for scope in set().union(*known)}
            )


class _CombinesOtherwise(LayoutChanges):
    """Hands over what `combined` makes of the last messages that the parents have stored, for the producers that all parents know."""

    def combined(self, stored: Sequence[int]) -> int:
        raise NotImplementedError

    def hand_over(self, parents: Sequence[str], children: Sequence[str]) -> None:
        known = _known(self._segments, parents)
        of_all = set.intersection(*(set(one) for one in known))
        for child in children:
            _topic(self._segments, child).take_over({scope: self.combined([one[scope] for one in known]) for scope in of_all})


@defect(
    {"PIP460-50": seen("^nothing$", expected='^"p2"$', what="^readers of whole$")},
    origin="textbook: a maximum, where each parent counts for itself",
)
class ScalableTheHighestHandedOver(_CombinesOtherwise):
    """The child of a merge knows of each producer the last message that any parent has stored, and treats all earlier ones as repeated."""

    def combined(self, stored: Sequence[int]) -> int:
        return max(stored)


@defect(
    {"PIP460-50": seen("^nothing$", expected='^"p2"$', what="^readers of whole$")},
    origin="found by a mutant: the first of several parents speaks for all",
)
class ScalableTheFirstParentCounts(_CombinesOtherwise):
    """The child of a merge knows of each producer that all parents know what the first of them has stored."""

    def combined(self, stored: Sequence[int]) -> int:
        return stored[0]


@defect(
    {"PIP460-50": seen('^"a1"$', expected="^nothing$", what="^readers of low$")},
    origin="feared: deduplication in transactions as a part that a split does not know of",
)
class ScalableOnlyTheOutsideHandedOver(LayoutChanges):
    """Children learn only what their parent has stored outside of transactions, so a message repeated in a transaction is stored again."""

    def hand_over(self, parents: Sequence[str], children: Sequence[str]) -> None:
        known = _known(self._segments, parents)
        of_all = {one for one in set.intersection(*(set(one) for one in known)) if one[1] is None}
        for child in children:
            _topic(self._segments, child).take_over({scope: min(one[scope] for one in known) for scope in of_all})


@defect({"PIP460-50": seen('^"p2"$', expected="^nothing$", what="^readers of low$")}, origin="textbook: a loop that ends with the first")
class ScalableOneProducerHandedOver(LayoutChanges):
    """Children learn what their parent has stored of the producer that was first to write to it, and of no other."""

    def hand_over(self, parents: Sequence[str], children: Sequence[str]) -> None:
        known = _known(self._segments, parents)
        first = next((producer for producer, _ in known[0]), None)
        of_all = {one for one in set.intersection(*(set(one) for one in known)) if one[0] == first}
        for child in children:
            _topic(self._segments, child).take_over({scope: min(one[scope] for one in known) for scope in of_all})


class _SaysWhatItHasItself(Deduplication):
    @cached_property
    def handed_over(self) -> dict[tuple[str, TxnId | None], int]:
        """What it has learned from other segments."""
        return {}

    def last(self, producer: str) -> int:
        if all(self.handed_over.get(scope) == highest for scope, highest in self.known().items() if scope[0] == producer):
            return -1
        return super().last(producer)


@defect(
    {"PIP460-50": seen("^-1$", expected="^1$", what="^last sequence id$")},
    origin="feared: a memory with two uses, of which one is about the child's own messages",
    also=[_SaysWhatItHasItself],
)
class ScalableProducersBeginAnew(LayoutChanges):
    """A child notifies a producer that it has stored nothing; the producer starts at 0 again, and the child drops its messages as
    duplicates."""

    def hand_over(self, parents: Sequence[str], children: Sequence[str]) -> None:
        super().hand_over(parents, children)
        for child in children:
            memory = _topic(self._segments, child).deduplication
            assert isinstance(memory, _SaysWhatItHasItself), "its own"
            memory.handed_over.update(memory.known())


def _known(segments: object, parents: Sequence[str]) -> list[Known]:
    """What each of the parents knows of producers."""
    return [_topic(segments, parent).deduplication.known() for parent in parents]


def _topic(segments: object, name: str) -> PulsarTopic:
    assert isinstance(segments, NodeSegments), "those of a broker"
    return segments._topics_of(name).create(name)


@defect(
    {"PIP460-50": seen('^"p1"$', expected="^nothing$", what="^readers of low$")},
    origin="red team: a step that the next controller takes for done",
)
class ScalableHandedOverByTheFirst(LayoutChanges):
    """Only the controller that has begun a change hands over what the parents know; one that completes the change does not."""

    has_begun = False

    def is_as_it_was(self, topic: str, before: StoredLayout) -> bool:
        self.has_begun = super().is_as_it_was(topic, before)
        return self.has_begun

    def hand_over(self, parents: Sequence[str], children: Sequence[str]) -> None:
        if self.has_begun:
            super().hand_over(parents, children)


class _ReadOnce(Journal[Known]):
    def __iter__(self) -> Iterator[Known]:
        records, self._records = self._records, []
        return iter(records)


@defect(
    {"PIP460-50": seen('^"p2", "p1"$', expected='^"p2"$', what="^readers of low$")},
    origin="red team: what is recovered is deleted where it was kept",
)
class ScalableInheritanceReadOnce(LayoutChanges):
    """A child that is loaded reads what its parents knew, and keeps it in memory from then on: the next load lacks it."""

    def hand_over(self, parents: Sequence[str], children: Sequence[str]) -> None:
        super().hand_over(parents, children)
        for child in children:
            heir = _topic(self._segments, child)
            once = _ReadOnce()
            once.replace(heir._inherited)
            heir._machine.disk._journals[f"inherited {child}"] = heir._inherited = once
