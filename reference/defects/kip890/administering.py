"""Defects in what an administrator changes: topics, leaders, coordinators, levels."""

from collections.abc import Mapping

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.advertised_api_versions import AdvertisedApiVersions
from fencepost.reference.kafka.directory import Directory
from fencepost.reference.kafka.feature_levels import FeatureLevels
from fencepost.reference.kafka.kafka_profile import FeatureRange
from fencepost.reference.kafka.kafka_topics import KafkaTopics
from fencepost.reference.kafka.kafka_types import PartitionName


@defect({"KIP890-372": seen("^success", what="answer to CreateTopics")}, origin="textbook: a check that is missing")
class TopicsAreMadeAgain(KafkaTopics):
    """CreateTopics of a name that is taken makes a topic in the place of the one that is there, and its records are lost."""

    def check_new(self, name: str, partitions: int) -> None:
        if name not in self._by_name:
            super().check_new(name, partitions)


@defect(
    {"KIP890-373": seen("^success", expected="^a refusal", what="^answer of node . about accounts-")},
    origin="textbook: leadership that is checked at the start, and not at each request",
)
class EveryNodeLeads(KafkaTopics):
    """A node that led a partition continues to answer requests for it when another node leads it."""

    def is_led_by(self, partition: PartitionName, node: int) -> bool:  # noqa: ARG002 - that is the defect
        return True


@defect(
    {"KIP890-374": seen("^(success|a refusal with CONCURRENT_TRANSACTIONS)", expected="NOT_COORDINATOR", what="^answer to ")},
    origin="textbook: only clients look for the right coordinator",
)
class EveryNodeCoordinates(Directory):
    """A node takes requests for transactional ids that another one coordinates, and both decide."""

    def coordinates(self, node: int) -> bool:  # noqa: ARG002 - that is the defect
        return True


@defect(
    {"KIP890-378": seen("transaction.version 0", what="supported features")},
    origin="KAFKA-17011: what version 4 of ApiVersions was made for",
)
class LevelZeroForOldClients(AdvertisedApiVersions):
    """Clients that know ApiVersions v3 alone are answered a level 0, which they take for a broken answer."""

    def supported(self, version: int) -> Mapping[str, FeatureRange]:  # noqa: ARG002 - that is the defect
        return self._profile.features


@defect({"KIP890-377": seen("^success", what="answer to UpdateFeatures")}, origin="textbook: a number that is used without a check")
class AnyLevelIsTaken(FeatureLevels):
    """UpdateFeatures puts a feature to a level that no broker knows."""

    def check(self, feature: str, level: int, *, may_lower: bool) -> None:
        if feature not in self._levels:
            super().check(feature, level, may_lower=may_lower)
