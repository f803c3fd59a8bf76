"""Defects in DeleteTopics."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.kafka_topics import KafkaTopic, KafkaTopics


@defect({"KIP890-368": seen("Metadata knows it", what="^topic ")}, origin="textbook: an answer before the work, which is then forgotten")
class DeletionPromised(KafkaTopics):
    """DeleteTopics says that it is done, and the topic stays."""

    def delete(self, topic: KafkaTopic) -> None:
        pass
