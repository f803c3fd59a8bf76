"""Defects in what an administrator changes: topics, leaders, coordinators, levels."""

from collections.abc import Mapping

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.advertised_api_versions import AdvertisedApiVersions
from fencepost.reference.kafka.directory import Directory
from fencepost.reference.kafka.feature_levels import FeatureLevels
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.profile import Feature
from fencepost.reference.kafka.topics import Topics
from fencepost.reference.kafka.values import TopicPartition


class _MakesTopicsAgain(Topics):
    def check_new(self, name: str, partitions: int) -> None:
        if name not in self._by_name:
            super().check_new(name, partitions)


class _EveryNodeLeads(Topics):
    def is_led_by(self, partition: TopicPartition, node: int) -> bool:  # noqa: ARG002 - that is the defect
        return True


class _EveryNodeCoordinates(Directory):
    def coordinates(self, node: int) -> bool:  # noqa: ARG002 - that is the defect
        return True


class _ShowsLevelZero(AdvertisedApiVersions):
    def supported(self, version: int) -> Mapping[str, Feature]:  # noqa: ARG002 - that is the defect
        return self._profile.features


TOPICS_ARE_MADE_AGAIN = Defect(
    name="topics-are-made-again",
    breaks={"KIP890-372": Symptom(what="answer to CreateTopics", seen="^success")},
    story="CreateTopics of a name that is taken makes a topic in the place of the one that is there, and its records are lost.",
    origin="textbook: a check that is missing",
    parts=Parts(topics=_MakesTopicsAgain),
)

EVERY_NODE_LEADS = Defect(
    name="every-node-leads",
    breaks={"KIP890-373": Symptom(what="^answer of node . about accounts-", expected="^a refusal", seen="^success")},
    story="A node that led a partition goes on to answer for it when another one does.",
    origin="textbook: who leads is asked for at the start, and not with each request",
    parts=Parts(topics=_EveryNodeLeads),
)

EVERY_NODE_COORDINATES = Defect(
    name="every-node-coordinates",
    breaks={
        "KIP890-374": Symptom(what="^answer to ", expected="NOT_COORDINATOR", seen="^(success|a refusal with CONCURRENT_TRANSACTIONS)")
    },
    story="A node takes requests for transactional ids that another one coordinates, and both decide.",
    origin="textbook: who coordinates is a matter of the clients alone",
    parts=Parts(directory=_EveryNodeCoordinates),
)

LEVEL_ZERO_FOR_OLD_CLIENTS = Defect(
    name="level-zero-for-old-clients",
    breaks={"KIP890-378": Symptom(what="supported features", seen="transaction.version 0")},
    story="Clients that know ApiVersions v3 alone are told of a level 0, which they take for a broken answer.",
    origin="KAFKA-17011: what version 4 of ApiVersions was made for",
    parts=Parts(advertised_api_versions=_ShowsLevelZero),
)


class _TakesEveryLevel(FeatureLevels):
    def check(self, feature: str, level: int, *, may_lower: bool) -> None:
        if feature not in self._levels:
            super().check(feature, level, may_lower=may_lower)


ANY_LEVEL_IS_TAKEN = Defect(
    name="any-level-is-taken",
    breaks={"KIP890-377": Symptom(what="answer to UpdateFeatures", seen="^success")},
    story="UpdateFeatures puts a feature to a level that no broker knows.",
    origin="textbook: a number that is taken as it comes",
    parts=Parts(feature_levels=_TakesEveryLevel),
)
