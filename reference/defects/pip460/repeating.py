"""Defects of what children know of the producers of their parents."""

from collections.abc import Sequence
from functools import cached_property

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar.deduplication import Deduplication, Known
from fencepost.reference.pulsar.node_segments import NodeSegments
from fencepost.reference.pulsar.topic import Topic
from fencepost.reference.pulsar.values import TxnId
from fencepost.reference.scalable.changes import LayoutChanges


class _HandsNothingOver(LayoutChanges):
    def hand_over(self, parents: Sequence[str], children: Sequence[str]) -> None:
        """Children begin without any memory."""


class _HandsOverToTheFirst(LayoutChanges):
    def hand_over(self, parents: Sequence[str], children: Sequence[str]) -> None:
        super().hand_over(parents, children[:1])


class _HandsOverInMemory(LayoutChanges):
    def hand_over(self, parents: Sequence[str], children: Sequence[str]) -> None:
        known = _known(self._segments, parents)
        of_all = set.intersection(*(set(one) for one in known))
        for child in children:
            heir = _topic(self._segments, child)
            heir.deduplication.inherit({scope: min(one[scope] for one in known) for scope in of_all})


class _HandsOverWhatOneHas(LayoutChanges):
    def hand_over(self, parents: Sequence[str], children: Sequence[str]) -> None:
        known = _known(self._segments, parents)
        for child in children:
            _topic(self._segments, child).take_over(
                {scope: min(one[scope] for one in known if scope in one) for scope in set().union(*known)}
            )


class _HandsOverTheHighest(LayoutChanges):
    def hand_over(self, parents: Sequence[str], children: Sequence[str]) -> None:
        known = _known(self._segments, parents)
        of_all = set.intersection(*(set(one) for one in known))
        for child in children:
            _topic(self._segments, child).take_over({scope: max(one[scope] for one in known) for scope in of_all})


class _HandsOverWhatIsOutside(LayoutChanges):
    def hand_over(self, parents: Sequence[str], children: Sequence[str]) -> None:
        known = _known(self._segments, parents)
        of_all = {one for one in set.intersection(*(set(one) for one in known)) if one[1] is None}
        for child in children:
            _topic(self._segments, child).take_over({scope: min(one[scope] for one in known) for scope in of_all})


class _SaysWhatItHasItself(Deduplication):
    @cached_property
    def handed_over(self) -> dict[tuple[str, TxnId | None], int]:
        """What it knows of others."""
        return {}

    def last(self, producer: str) -> int:
        if all(self.handed_over.get(scope) == highest for scope, highest in self.known().items() if scope[0] == producer):
            return -1
        return super().last(producer)


class _HandsOverForItself(LayoutChanges):
    def hand_over(self, parents: Sequence[str], children: Sequence[str]) -> None:
        super().hand_over(parents, children)
        for child in children:
            memory = _topic(self._segments, child).deduplication
            assert isinstance(memory, _SaysWhatItHasItself), "its own"
            memory.handed_over.update(memory.known())


def _known(segments: object, parents: Sequence[str]) -> list[Known]:
    """What each of the parents knows of producers."""
    return [_topic(segments, parent).deduplication.known() for parent in parents]


def _topic(segments: object, name: str) -> Topic:
    assert isinstance(segments, NodeSegments), "those of a broker"
    return segments._topics_of(name).create(name)


CHILDREN_KNOW_NOTHING = Defect(
    name="scalable-children-know-nothing",
    breaks={"PIP460-50": Symptom(what="^readers of (low|high)$", expected="^nothing$", seen='^"p1"$')},
    story="A child knows only what was sent to itself, so that what is repeated there is stored again.",
    origin="Apache Pulsar 5.0.0-M1",
    parts=MetadataParts(layout_changes=_HandsNothingOver),
)

THE_FIRST_CHILD_KNOWS = Defect(
    name="scalable-the-first-child-knows",
    breaks={"PIP460-50": Symptom(what="^readers of high$", expected="^nothing$", seen='^"p1"$')},
    story="The first child of a split is told what its parent has stored of its producers, and the second is not.",
    origin="textbook: one heir where there are two",
    parts=MetadataParts(layout_changes=_HandsOverToTheFirst),
)

HANDED_OVER_IN_MEMORY = Defect(
    name="scalable-handed-over-in-memory",
    breaks={"PIP460-50": Symptom(what="^readers of low$", expected="^nothing$", seen='^"p1"$')},
    story="Children are told what their parent has stored, and do not write it down: behind a crash of the change nobody tells them again.",
    origin="feared: a step that is skipped when a change is completed whose layout is written",
    parts=MetadataParts(layout_changes=_HandsOverInMemory),
)

THE_HIGHEST_HANDED_OVER = Defect(
    name="scalable-the-highest-handed-over",
    breaks={"PIP460-50": Symptom(what="^readers of whole$", expected='^"p2"$', seen="^nothing$")},
    story="The child of a merge knows of each producer the last message that any parent has stored, and takes all before it for repeated.",
    origin="textbook: a maximum, where each parent counts for itself",
    parts=MetadataParts(layout_changes=_HandsOverTheHighest),
)

ONE_PARENT_IS_ENOUGH = Defect(
    name="scalable-one-parent-is-enough",
    breaks={"PIP460-50": Symptom(what="^readers of whole$", expected='^"p1"$', seen="^nothing$")},
    story="The child of a merge knows of a producer what the only parent has stored that it ever wrote to.",
    origin="feared: a parent that knows nothing of a producer is left out",
    parts=MetadataParts(layout_changes=_HandsOverWhatOneHas),
)

ONLY_THE_OUTSIDE_HANDED_OVER = Defect(
    name="scalable-only-the-outside-handed-over",
    breaks={"PIP460-50": Symptom(what="^readers of low$", expected="^nothing$", seen='^"a1"$')},
    story="Children are told what their parent has stored outside of transactions, so that what is repeated in one is stored again.",
    origin="feared: deduplication in transactions as a part that a split does not know of",
    parts=MetadataParts(layout_changes=_HandsOverWhatIsOutside),
)

PRODUCERS_BEGIN_ANEW = Defect(
    name="scalable-producers-begin-anew",
    breaks={"PIP460-50": Symptom(what="^last sequence id$", expected="^1$", seen="^-1$")},
    story="A child tells a producer that it has stored nothing, which begins at 0 again, and takes all that comes then for repeated.",
    origin="feared: a memory with two questions, of which one is asked of the child's own messages",
    parts=MetadataParts(layout_changes=_HandsOverForItself, deduplication=_SaysWhatItHasItself),
)
