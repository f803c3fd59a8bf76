"""Defects in how topics are found by their ids."""

import uuid

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.topics import Topic, Topics


class _FindsTheOneBefore(Topics):
    def with_id(self, topic_id: uuid.UUID | None) -> Topic | None:
        found = super().with_id(topic_id)
        return None if found is None else self.all()[self.all().index(found) - 1]


class _RemembersNames(Topics):
    def with_id(self, topic_id: uuid.UUID | None) -> Topic | None:
        known = (entry for entry in self._journal if isinstance(entry, Topic))
        name = next((topic.name for topic in known if topic.topic_id == topic_id), None)
        return None if name is None else self.named(name)


TOPIC_IDS_MIXED_UP = Defect(
    name="topic-ids-mixed-up",
    breaks={
        "KIP890-250": Symptom(seen=r"^offset 0, logs end at \[0\]|^payments-0: none"),
        "KIP890-252": Symptom(what="records that readers of payments-0 see", seen="^nothing"),
    },
    story="The table of topic ids is one off, so that who names a topic by its id reads and writes another one.",
    origin="textbook: a table that is off by one",
    parts=Parts(topics=_FindsTheOneBefore),
)

DELETED_ID_FOUND_BY_NAME = Defect(
    name="deleted-id-found-by-name",
    breaks={"KIP890-251": Symptom(what="answer to Produce", seen="^success")},
    story="An id is turned into the name that it once belonged to, so that records for a deleted topic land in the new one.",
    origin="KIP-516: what topic ids were made to prevent",
    parts=Parts(topics=_RemembersNames),
)
