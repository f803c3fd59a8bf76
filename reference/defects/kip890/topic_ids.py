"""Defects in how topics are found by their ids."""

import uuid

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.kafka_topics import KafkaTopic, KafkaTopics


@defect(
    {
        "KIP890-250": seen(r"^offset 0, logs end at \[0\]|^payments-0: none"),
        "KIP890-252": seen("^nothing", what="records that readers of payments-0 see"),
    },
    origin="textbook: a table that is off by one",
)
class TopicIdsMixedUp(KafkaTopics):
    """The table of topic ids is one off, so that a client that names a topic by its id reads and writes another one."""

    def with_id(self, topic_id: uuid.UUID | None) -> KafkaTopic | None:
        found = super().with_id(topic_id)
        return None if found is None else self.all()[self.all().index(found) - 1]


@defect({"KIP890-251": seen("^success", what="answer to Produce")}, origin="KIP-516: what topic ids were made to prevent")
class DeletedIdFoundByName(KafkaTopics):
    """A topic id is resolved to the name that it once had, so that records for a deleted topic are appended to the new one."""

    def with_id(self, topic_id: uuid.UUID | None) -> KafkaTopic | None:
        known = (entry for entry in self._journal if isinstance(entry, KafkaTopic))
        name = next((topic.name for topic in known if topic.topic_id == topic_id), None)
        return None if name is None else self.named(name)
