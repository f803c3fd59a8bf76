"""Defects in what a broker says that it offers."""

from collections.abc import Mapping

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.advertised_api_versions import AdvertisedApiVersions
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.profile import Feature


class _TellsOnlyTheNewest(AdvertisedApiVersions):
    def finalized(self, version: int) -> Mapping[str, int]:
        return super().finalized(version) if version >= 4 else {}


FEATURES_ONLY_IN_NEWEST = Defect(
    name="features-only-in-newest",
    breaks={"KIP890-001": Symptom(what="finalized level of transaction.version", seen="^none$")},
    story="The finalized features are in the newest version of ApiVersions only, and clients of the one before keep to the old protocol.",
    origin="textbook: a field that an earlier version has too",
    parts=Parts(advertised_api_versions=_TellsOnlyTheNewest),
)


class _FearsLevelZero(AdvertisedApiVersions):
    def supported(self, version: int) -> Mapping[str, Feature]:
        return {name: feature for name, feature in super().supported(version).items() if feature.supported[0] > 0}


SUPPORT_NOT_TOLD = Defect(
    name="support-not-told",
    breaks={"KIP890-002": Symptom(what="supported level of transaction.version", seen="^none$")},
    story="What old clients could not read is left out for new ones too, so nobody learns that the level may be raised.",
    origin="https://issues.apache.org/jira/browse/KAFKA-17011: the reason for ApiVersions v4",
    parts=Parts(advertised_api_versions=_FearsLevelZero),
)


class _HidesTheNewEndTxn(AdvertisedApiVersions):
    def ranges(self) -> Mapping[str, tuple[int, int]]:
        return {**super().ranges(), "end_txn": (0, 4)}


END_TXN_NOT_ADVERTISED = Defect(
    name="end-txn-not-advertised",
    breaks={"KIP890-004": Symptom(seen="EndTxn v0 to v4")},
    story="The level says that the new protocol is in force, and one of its three requests is not advertised.",
    origin="textbook: a feature and its requests that are released apart",
    parts=Parts(advertised_api_versions=_HidesTheNewEndTxn),
)


class _AnswersWhateverComes(AdvertisedApiVersions):
    def serves(self, api: str, version: int) -> bool:  # noqa: ARG002 - that is the defect
        return True


UNOFFERED_VERSION_ANSWERED = Defect(
    name="unoffered-version-answered",
    breaks={"KIP890-008": Symptom(expected="the connection closed without an answer", seen="^success")},
    story="A request in a version that was not offered is read as if it were known, and does something.",
    origin="textbook: a parser that is newer than the code behind it",
    parts=Parts(advertised_api_versions=_AnswersWhateverComes),
)
