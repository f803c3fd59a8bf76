"""Defects in changing the level of the transaction feature, and in what the level decides."""

from collections.abc import Mapping

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.advertised_api_versions import AdvertisedApiVersions
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.feature_levels import FeatureLevels
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.profile import Profile
from fencepost.reference.kafka.transaction import Transaction


class _TellsWhatItStartedWith(AdvertisedApiVersions):
    def __init__(self, profile: Profile, levels: FeatureLevels) -> None:
        super().__init__(profile, levels)
        self._at_start = dict(super().finalized(4))

    def finalized(self, version: int) -> Mapping[str, int]:  # noqa: ARG002 - all versions tell the same
        return self._at_start


LEVEL_SHOWN_AFTER_RESTART = Defect(
    name="level-shown-after-restart",
    breaks={"KIP890-003": Symptom(seen="^2 in epoch 2")},
    story="The level is changed, and clients are told of it by the next life of the broker only.",
    origin="textbook: an answer that is built once",
    parts=Parts(advertised_api_versions=_TellsWhatItStartedWith),
)


class _StandsStill(AdvertisedApiVersions):
    def features_epoch(self) -> int:
        return 1


FEATURES_EPOCH_STANDS_STILL = Defect(
    name="features-epoch-stands-still",
    breaks={"KIP890-003": Symptom(seen="^0 in epoch 1")},
    story="Levels change and their epoch does not, so a client takes an old answer for the newer one.",
    origin="textbook: a version number that nobody raises",
    parts=Parts(advertised_api_versions=_StandsStill),
)


class _FindsTheFirstChange(FeatureLevels):
    def kept(self) -> dict[str, int]:
        return dict(reversed(list(self._changes)))


LEVEL_PUT_BACK_BY_RESTART = Defect(
    name="level-put-back-by-restart",
    breaks={"KIP890-220": Symptom(what="finalized level of transaction.version", seen="^[01] in epoch")},
    story="A restart finds the first change of a level instead of the last, and clients are told what nobody wants any more.",
    origin="textbook: a log of changes that is read from the wrong end",
    parts=Parts(feature_levels=_FindsTheFirstChange),
)


class _AsksForLevelTwo(Coordinator):
    def bumps_epoch(self, end_txn_version: int) -> bool:
        return super().bumps_epoch(end_txn_version) and self._levels.transaction_version >= 2


LEVEL_OVERRULES_REQUEST = Defect(
    name="level-overrules-request",
    breaks={"KIP890-005": Symptom(seen=r"^success with \(producer id \d+, epoch 0\)")},
    story="Below level 2 a new client's EndTxn is taken for an old one's, and the epoch stays where late writes of it are let in.",
    origin="textbook: the level of the cluster taken for the protocol of the client",
    parts=Parts(coordinator=_AsksForLevelTwo),
)


class _HasNoRoom(Coordinator):
    def can_be_stored(self, transaction: Transaction) -> bool:
        return self._levels.transaction_version > 0 or transaction.transaction_version < 2


OLD_RECORD_HAS_NO_ROOM = Defect(
    name="old-record-has-no-room",
    breaks={"KIP890-007": Symptom(seen="^PrepareCommit")},
    story="After a downgrade the end of a newer transaction cannot be written, and its id is stuck for good.",
    origin="Apache Kafka 4.0.0 to 4.2.0",
    parts=Parts(coordinator=_HasNoRoom),
)
