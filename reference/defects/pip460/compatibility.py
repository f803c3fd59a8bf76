"""Defects of scalable topics beside others."""

from collections.abc import Sequence

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar.errors import Error, Refused
from fencepost.reference.pulsar.kinds import Kinds, TransactionKind
from fencepost.reference.pulsar.node_segments import NodeSegments
from fencepost.reference.pulsar.topic import Topic
from fencepost.reference.pulsar.topics import Topics
from fencepost.reference.scalable.changes import LayoutChanges
from fencepost.reference.scalable.names import TOPIC_DOMAIN


class _MakesExtraTopics(Kinds):
    def of_topic(self, name: str) -> TransactionKind:
        return self.serving(scalable=True) if name.startswith(TOPIC_DOMAIN) else super().of_topic(name)


class _MakesClassicExtraTopics(Kinds):
    def of_topic(self, name: str) -> TransactionKind:
        return self.serving(scalable=False) if name.startswith(TOPIC_DOMAIN) else super().of_topic(name)


class _SaysNotReady(Kinds):
    def of_topic(self, name: str) -> TransactionKind:
        try:
            return super().of_topic(name)
        except Refused as refused:
            if not name.startswith(TOPIC_DOMAIN):
                raise
            raise Refused(Error.SERVICE_NOT_READY, f"{name} is not served here") from refused


class _SealsTheOthersToo(LayoutChanges):
    def seal(self, parents: Sequence[str]) -> None:
        super().seal(parents)
        segments = self._segments
        assert isinstance(segments, NodeSegments), "those of a broker"
        for name in [one for one in segments._topics_of(parents[0]).names if one.startswith("persistent://")]:
            segments.terminate(name)


class _DeletesTheOthersToo(LayoutChanges):
    def seal(self, parents: Sequence[str]) -> None:
        super().seal(parents)
        segments = self._segments
        assert isinstance(segments, NodeSegments), "those of a broker"
        for name in [one for one in segments._topics_of(parents[0]).names if one.startswith("persistent://")]:
            segments.delete(name)


class _TakesTheNameOver(Topics[Topic]):
    def is_taken(self, name: str) -> bool:
        if super().is_taken(name):
            self._record(name, is_there=False)
            self.erase(name)
        return False


EXTRA_TOPIC = Defect(
    name="scalable-extra-topic",
    breaks={"PIP460-48": Symptom(what="^answer to (PRODUCER|SUBSCRIBE)$", expected="^a refusal$", seen="^success")},
    story="A client that takes the name of a scalable topic for that of a topic gets one.",
    origin="Apache Pulsar 5.0.0-M1",
    parts=MetadataParts(kinds=_MakesExtraTopics),
)

CLASSIC_EXTRA_TOPIC = Defect(
    name="scalable-classic-extra-topic",
    breaks={"PIP460-48": Symptom(what="^answer to (PRODUCER|SUBSCRIBE)$", expected="^a refusal$", seen="^success")},
    story="A client that takes the name of a scalable topic for that of a topic gets one of the classic kind.",
    origin="PIP-460, compatibility: what it warns of",
    parts=MetadataParts(kinds=_MakesClassicExtraTopics),
)

NOT_READY_FOR_OLD_CLIENTS = Defect(
    name="scalable-not-ready-for-old-clients",
    breaks={"PIP460-48": Symptom(what="^answer to (PRODUCER|SUBSCRIBE)$", expected="^a refusal for good$", seen="^ServiceNotReady")},
    story="A client that takes the name of a scalable topic for that of a topic is told to come again, and does so for ever.",
    origin="feared: a segment that is elsewhere and a topic that is nowhere, refused in one place",
    parts=MetadataParts(kinds=_SaysNotReady),
)

OTHERS_SEALED_TOO = Defect(
    name="scalable-others-sealed-too",
    breaks={
        "PIP460-49": Symptom(what="^answer$", expected="^an answer when sending a sentinel to ledger$", seen="^a refusal: TopicTerminated")
    },
    story="A split seals what is beside the segment, also topics that are not scalable.",
    origin="feared: a namespace that is taken for a topic",
    parts=MetadataParts(layout_changes=_SealsTheOthersToo),
)

OTHERS_DELETED_TOO = Defect(
    name="scalable-others-deleted-too",
    breaks={"PIP460-49": Symptom(what="^(readers of ledger|received by clerks|answer)$")},
    story="A split removes what is beside the segment, also topics that are not scalable.",
    origin="feared: a namespace that is taken for a topic",
    parts=MetadataParts(layout_changes=_DeletesTheOthersToo),
)

NAME_TAKEN_OVER = Defect(
    name="scalable-name-taken-over",
    breaks={"PIP460-49": Symptom(what="^answer to PRODUCER$", expected="^success$", seen="TopicNotFound")},
    story="A scalable topic that is made under the name of a topic that is there takes its place, and its messages are gone.",
    origin="feared: a name that is one for the administrator, and two for the broker",
    parts=MetadataParts(topics=_TakesTheNameOver),
)
