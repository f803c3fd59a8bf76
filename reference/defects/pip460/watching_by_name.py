"""Defects of the names by which clients ask for scalable topics."""

from collections.abc import Callable

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata.plain import PlainStore
from fencepost.reference.metadata.store import NEW, Change, ChangeKind, Watch
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar.answers import Answers
from fencepost.reference.pulsar.errors import Refused
from fencepost.reference.scalable import paths
from fencepost.reference.scalable.layout import Layout, created
from fencepost.reference.scalable.layout_records import encoded
from fencepost.reference.scalable.news import LayoutWatch, Newsroom, Said


class _MakesUpWhatIsNotThere(Newsroom):
    def first_told(self, topic: str) -> Layout:
        try:
            return super().first_told(topic)
        except Refused:
            return created(1, 0)


class _TakesTheNextForTheSame(Newsroom):
    def look_behind_a_deletion(self, topic: str, watch: LayoutWatch[Said]) -> None:
        try:
            self._layout_of(topic)
        except Refused:
            super().look_behind_a_deletion(topic, watch)
        else:
            self.look(topic, watch)


class _MakesWhatIsAskedFor(Newsroom):
    def first_told(self, topic: str) -> Layout:
        try:
            return super().first_told(topic)
        except Refused:
            self._store.put(paths.layout(topic), encoded(created(1, 0)), expected=NEW)
            raise


class _GuessesTheNamespace(Answers):
    def topic_asked_for(self, name: str) -> str:
        return super().topic_asked_for(name.rpartition("/")[2] if name.count("/") == len("//") else name)


class _LooksForNoScalableOne(Answers):
    def topic_asked_for(self, name: str) -> str:
        found = super().topic_asked_for(name)
        return f"{found}-that-nobody-made" if name.startswith("persistent://") else found


class _TellsOfChangesAlone(PlainStore):
    def watch(self, first: str, behind: str, told: Callable[[Change], None]) -> Watch:
        def of_what_stays(change: Change) -> None:
            if change.kind is ChangeKind.MODIFIED:
                told(change)

        return super().watch(first, behind, of_what_stays)


UNKNOWN_IS_MADE_UP = Defect(
    name="scalable-unknown-is-made-up",
    breaks={"PIP460-31": Symptom(what="^answer to SCALABLE_TOPIC_LOOKUP$", expected="^a refusal with TopicNotFound$", seen="^success")},
    story="Who asks for a topic that there is not is told of one segment, which there is not either.",
    origin="Apache Pulsar 5.0.0-M1, for the names of persistent topics",
    parts=MetadataParts(newsroom=_MakesUpWhatIsNotThere),
)

UNKNOWN_IS_MADE = Defect(
    name="scalable-unknown-is-made",
    breaks={"PIP460-31": Symptom(what="^payments in the list$", expected="^is not$", seen="^is$")},
    story="Who asks for a topic that there is not is refused, and there it is.",
    origin="feared: topics that are made by a look",
    parts=MetadataParts(newsroom=_MakesWhatIsAskedFor),
)

NAMESPACE_IS_GUESSED = Defect(
    name="scalable-namespace-is-guessed",
    breaks={"PIP460-31": Symptom(what="^answer to SCALABLE_TOPIC_LOOKUP$", expected="^a refusal$", seen="^success")},
    story="Who asks for a topic by a name that has no namespace is told of another one, which has the rest of the name.",
    origin="textbook: a default for what is missing, also where something else is there",
    parts=MetadataParts(answers=_GuessesTheNamespace),
)

PERSISTENT_IS_ONE_SEGMENT = Defect(
    name="scalable-persistent-is-one-segment",
    breaks={"PIP460-27": Symptom(what="^layout that A is told", seen="^epoch 0: 0 .0000-ffff")},
    story="Who asks for a topic by the name of a persistent one is told of one segment, also where the topic is scalable by now.",
    origin="feared: clients that keep the name which their topic had before it was made scalable",
    parts=MetadataParts(answers=_LooksForNoScalableOne),
)

NEXT_TOPIC_TAKEN_FOR_THE_SAME = Defect(
    name="scalable-next-topic-taken-for-the-same",
    breaks={"PIP460-28": Symptom(what="^told to A of orders$", expected="^TopicNotFound, or epoch 0", seen="^epoch 0")},
    story="A broker that was told of a topic's beginning, and not of the end of the one before, compares their epochs and tells nobody.",
    origin="feared: a watch of a name that is taken for one of what it names",
    parts=MetadataParts(newsroom=_TakesTheNextForTheSame),
)

PLAIN_STORE_TELLS_OF_CHANGES_ALONE = Defect(
    name="layout-of-a-plain-store-is-only-changed",
    breaks={"PIP460-28": Symptom(what="^told to A of orders$", expected="^TopicNotFound, or epoch 0", seen="^epoch 0")},
    story="On a store without sequences and indexes a watch is told that a layout changed, and neither that it was deleted nor that it is "
    "new: a topic that was made again under its name stays the old one.",
    origin="textbook: a listener of changes alone",
    parts=MetadataParts(plain_store=_TellsOfChangesAlone),
)
