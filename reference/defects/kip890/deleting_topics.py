"""Defects in DeleteTopics."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.topics import Topic, Topics


class _DeletesLater(Topics):
    def delete(self, topic: Topic) -> None:
        pass


DELETION_PROMISED = Defect(
    name="deletion-promised",
    breaks={"KIP890-368": Symptom(what="^topics$", seen="Metadata knows it")},
    story="DeleteTopics says that it is done, and the topic stays.",
    origin="textbook: an answer before the work, which is then forgotten",
    parts=Parts(topics=_DeletesLater),
)
