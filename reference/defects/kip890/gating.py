"""Defects in what a broker says that it offers."""

from collections.abc import Mapping

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.advertised_api_versions import AdvertisedApiVersions
from fencepost.reference.kafka.kafka_profile import FeatureRange


@defect(
    {"KIP890-001": seen("^none$", what="finalized level of transaction.version")},
    origin="textbook: a field that an earlier version has too",
)
class FeaturesOnlyInNewest(AdvertisedApiVersions):
    """The finalized features are in the newest version of ApiVersions only, and clients of the one before keep to the old protocol."""

    def finalized(self, version: int) -> Mapping[str, int]:
        return super().finalized(version) if version >= 4 else {}


@defect(
    {"KIP890-002": seen("^none$", what="supported level of transaction.version")},
    origin="https://issues.apache.org/jira/browse/KAFKA-17011: the reason for ApiVersions v4",
)
class SupportNotTold(AdvertisedApiVersions):
    """The broker leaves out for new clients too what old clients could not read, so no administrator learns that the level can be
    raised."""

    def supported(self, version: int) -> Mapping[str, FeatureRange]:
        return {name: feature for name, feature in super().supported(version).items() if feature.supported[0] > 0}


@defect({"KIP890-004": seen("EndTxn v0 to v4")}, origin="textbook: a feature and its requests that are released apart")
class EndTxnNotAdvertised(AdvertisedApiVersions):
    """The level says that the new protocol is in force, and one of its three requests is not advertised."""

    def ranges(self) -> Mapping[str, tuple[int, int]]:
        return {**super().ranges(), "end_txn": (0, 4)}


@defect(
    {"KIP890-008": seen("^success", expected="the connection closed without an answer")},
    origin="textbook: a parser that is newer than the code that it feeds",
)
class UnofferedVersionAnswered(AdvertisedApiVersions):
    """A request in a version that was not offered is read as if it were known, and does something."""

    def serves(self, api: str, version: int) -> bool:  # noqa: ARG002 - that is the defect
        return True
