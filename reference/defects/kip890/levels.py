"""Defects in changing the level of the transaction feature, and in what the level decides."""

from collections.abc import Mapping

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.advertised_api_versions import AdvertisedApiVersions
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.feature_levels import FeatureLevels
from fencepost.reference.kafka.profile import Profile
from fencepost.reference.kafka.transaction import Transaction


@defect({"KIP890-003": seen("^2 in epoch 2")}, origin="textbook: an answer that is built once")
class LevelShownAfterRestart(AdvertisedApiVersions):
    """The broker changes the level, and clients see the change only after its next restart."""

    def __init__(self, profile: Profile, levels: FeatureLevels) -> None:
        super().__init__(profile, levels)
        self._at_start = dict(super().finalized(4))

    def finalized(self, version: int) -> Mapping[str, int]:  # noqa: ARG002 - all versions tell the same
        return self._at_start


@defect({"KIP890-003": seen("^0 in epoch 1")}, origin="textbook: a version number that nobody raises")
class FeaturesEpochStandsStill(AdvertisedApiVersions):
    """Levels change and their epoch does not, so a client takes an old answer for the newer one."""

    def features_epoch(self) -> int:
        return 1


@defect(
    {"KIP890-220": seen("^[01] in epoch", what="finalized level of transaction.version")},
    origin="textbook: a log of changes that is read from the wrong end",
)
class LevelPutBackByRestart(FeatureLevels):
    """A restart restores the first change of a level instead of the last one, so clients see a level that an administrator has
    replaced."""

    def kept(self) -> dict[str, int]:
        return dict(reversed(list(self._changes)))


@defect(
    {"KIP890-005": seen(r"^success with \(producer id \d+, epoch 0\)")},
    origin="textbook: the level of the cluster taken for the protocol of the client",
)
class LevelOverrulesRequest(Coordinator):
    """Below level 2 a new client's EndTxn is taken for an old one's, and the epoch stays where late writes of it are let in."""

    def bumps_epoch(self, end_txn_version: int) -> bool:
        return super().bumps_epoch(end_txn_version) and self._levels.transaction_version >= 2


@defect({"KIP890-007": seen("^PrepareCommit")}, origin="Apache Kafka 4.0.0 to 4.2.0")
class OldRecordHasNoRoom(Coordinator):
    """After a downgrade the end of a newer transaction cannot be written, and its id is stuck for good."""

    def can_be_stored(self, transaction: Transaction) -> bool:
        return self._levels.transaction_version > 0 or transaction.transaction_version < 2
