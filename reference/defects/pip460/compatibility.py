"""Defects of scalable topics in the presence of other topics."""

from collections.abc import Sequence

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar.kinds import Kinds, TransactionKind
from fencepost.reference.pulsar.node_segments import NodeSegments
from fencepost.reference.pulsar.pulsar_topics import PulsarTopics
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError
from fencepost.reference.pulsar.topic import PulsarTopic
from fencepost.reference.scalable.changes import LayoutChanges
from fencepost.reference.scalable.names import TOPIC_DOMAIN


@defect(
    {"PIP460-48": seen("^success", expected="^a refusal$", what="^answer to (PRODUCER|SUBSCRIBE)$")},
    origin="Apache Pulsar 5.0.0-M1",
    of=MetadataParts,
)
class ScalableExtraTopic(Kinds):
    """A client that takes the name of a scalable topic for that of a topic gets one."""

    def of_topic(self, name: str) -> TransactionKind:
        return self.serving(scalable=True) if name.startswith(TOPIC_DOMAIN) else super().of_topic(name)


@defect(
    {"PIP460-48": seen("^success", expected="^a refusal$", what="^answer to (PRODUCER|SUBSCRIBE)$")},
    origin="PIP-460, compatibility: what it warns of",
    of=MetadataParts,
)
class ScalableClassicExtraTopic(Kinds):
    """A client that takes the name of a scalable topic for that of a topic gets one of the classic kind."""

    def of_topic(self, name: str) -> TransactionKind:
        return self.serving(scalable=False) if name.startswith(TOPIC_DOMAIN) else super().of_topic(name)


@defect(
    {"PIP460-48": seen("^ServiceNotReady", expected="^a refusal for good$", what="^answer to (PRODUCER|SUBSCRIBE)$")},
    origin="feared: a segment that is elsewhere and a topic that is nowhere, refused in one place",
    of=MetadataParts,
)
class ScalableNotReadyForOldClients(Kinds):
    """A client that opens a scalable topic as a classic topic gets a retriable error, and retries for ever."""

    def of_topic(self, name: str) -> TransactionKind:
        try:
            return super().of_topic(name)
        except CommandRefused as refused:
            if not name.startswith(TOPIC_DOMAIN):
                raise
            raise CommandRefused(ServerError.SERVICE_NOT_READY, f"{name} is not served here") from refused


@defect(
    {"PIP460-49": seen("^a refusal: TopicTerminated", expected="^an answer when sending a sentinel to ledger$", what="^answer$")},
    origin="feared: a namespace that is treated as a topic",
)
class ScalableOthersSealedToo(LayoutChanges):
    """A split also seals other topics on the segment's broker, which are not scalable."""

    def seal(self, parents: Sequence[str]) -> None:
        super().seal(parents)
        segments = self._segments
        assert isinstance(segments, NodeSegments), "those of a broker"
        for name in [one for one in segments._topics_of(parents[0]).names if one.startswith("persistent://")]:
            segments.terminate(name)


@defect(
    {"PIP460-49": Symptom(what="^(readers of ledger|received by clerks|answer)$")}, origin="feared: a namespace that is treated as a topic"
)
class ScalableOthersDeletedToo(LayoutChanges):
    """A split also deletes other topics on the segment's broker, which are not scalable."""

    def seal(self, parents: Sequence[str]) -> None:
        super().seal(parents)
        segments = self._segments
        assert isinstance(segments, NodeSegments), "those of a broker"
        for name in [one for one in segments._topics_of(parents[0]).names if one.startswith("persistent://")]:
            segments.delete(name)


@defect(
    {"PIP460-49": seen("TopicNotFound", expected="^success$", what="^answer to PRODUCER$")},
    origin="feared: a name that is one for the administrator, and two for the broker",
    of=MetadataParts,
)
class ScalableNameTakenOver(PulsarTopics[PulsarTopic]):
    """A scalable topic that is made under the name of a topic that is there takes its place, and its messages are gone."""

    def is_taken(self, name: str) -> bool:
        if super().is_taken(name):
            self._record(name, is_there=False)
            self.erase(name)
        return False
