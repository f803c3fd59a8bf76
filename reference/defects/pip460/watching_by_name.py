"""Defects of the names by which clients ask for scalable topics."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.metadata.store import NEW
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar.server_errors import CommandRefused
from fencepost.reference.pulsar.transaction_responses import TransactionResponses
from fencepost.reference.scalable import paths
from fencepost.reference.scalable.layout import Layout, created
from fencepost.reference.scalable.layout_records import encoded
from fencepost.reference.scalable.news import LayoutWatch, Newsroom, Said


@defect(
    {"PIP460-31": seen("^success", expected="^a refusal with TopicNotFound$", what="^answer to SCALABLE_TOPIC_LOOKUP$")},
    origin="Apache Pulsar 5.0.0-M1, for the names of persistent topics",
)
class ScalableUnknownIsMadeUp(Newsroom):
    """A lookup of a missing topic answers with a layout of one segment, which is missing as well."""

    def first_reported(self, topic: str) -> Layout:
        try:
            return super().first_reported(topic)
        except CommandRefused:
            return created(1, 0)


@defect(
    {"PIP460-28": seen("^epoch 0", expected="^TopicNotFound, or epoch 0", what="^notification to A of orders$")},
    origin="feared: a watch of a name that is treated as one of what it names",
)
class ScalableNextTopicTakenForTheSame(Newsroom):
    """A broker that learns of a new topic and not of the deletion of its predecessor compares their epochs, and notifies no client."""

    def look_behind_a_deletion(self, topic: str, watch: LayoutWatch[Said]) -> None:
        try:
            self._layout_of(topic)
        except CommandRefused:
            super().look_behind_a_deletion(topic, watch)
        else:
            self.look(topic, watch)

    def is_of_another_topic(self, *_: object) -> bool:
        return False


@defect({"PIP460-31": seen("^is$", expected="^is not$", what="^payments in the list$")}, origin="feared: topics that are made by a look")
class ScalableUnknownIsMade(Newsroom):
    """A lookup of a missing topic is refused, and creates the topic."""

    def first_reported(self, topic: str) -> Layout:
        try:
            return super().first_reported(topic)
        except CommandRefused:
            self._store.put(paths.layout(topic), encoded(created(1, 0)), expected=NEW)
            raise


@defect(
    {"PIP460-31": seen("^success", expected="^a refusal$", what="^answer to SCALABLE_TOPIC_LOOKUP$")},
    origin="textbook: a default for what is missing, also where something else is there",
    of=MetadataParts,
)
class ScalableNamespaceIsGuessed(TransactionResponses):
    """A lookup by a name without a namespace answers with a topic of another namespace that has the rest of the name."""

    def topic_asked_for(self, name: str) -> str:
        return super().topic_asked_for(name.rpartition("/")[2] if name.count("/") == len("//") else name)


@defect(
    {"PIP460-27": seen("^epoch 0: 0 .0000-ffff", what="^layout that A receives")},
    origin="feared: clients that keep the name which their topic had before it was made scalable",
    of=MetadataParts,
)
class ScalablePersistentIsOneSegment(TransactionResponses):
    """A lookup by a persistent name answers with one segment, even if the topic has become scalable."""

    def topic_asked_for(self, name: str) -> str:
        found = super().topic_asked_for(name)
        return f"{found}-that-nobody-made" if name.startswith("persistent://") else found
