"""Defects in changing the level of the transaction feature, and in what the level decides."""

from collections.abc import Mapping

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.advertised_api_versions import AdvertisedApiVersions
from fencepost.reference.kafka.feature_levels import FeatureLevels
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.kafka_profile import Profile
from fencepost.reference.kafka.kafka_types import ProducerIdAndEpoch
from fencepost.reference.kafka.transaction import Decision, KafkaTransaction, KafkaTransactionState


@defect({"KIP890-003": seen("^2 in epoch 2")}, origin="textbook: an answer that is built once")
class LevelShownAfterRestart(AdvertisedApiVersions):
    """The broker changes the level, and clients see the change only after its next restart."""

    def __init__(self, profile: Profile, levels: FeatureLevels) -> None:
        super().__init__(profile, levels)
        self._at_start = dict(super().finalized(4))

    def finalized(self, version: int) -> Mapping[str, int]:  # noqa: ARG002 - all versions show the same
        return self._at_start


@defect({"KIP890-003": seen("^0 in epoch 1")}, origin="textbook: a version number that is never raised")
class FeaturesEpochStandsStill(AdvertisedApiVersions):
    """Levels change and their epoch does not, so a client treats an old answer as the newer one."""

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
    origin="textbook: the level of the cluster treated as the protocol of the client",
)
class LevelOverrulesRequest(KafkaCoordinator):
    """Below level 2 a new client's EndTxn is treated as an old client's, and the epoch stays, so that late writes are accepted."""

    def bumps_epoch(self, end_txn_version: int) -> bool:
        return super().bumps_epoch(end_txn_version) and self._levels.transaction_version >= 2


@defect({"KIP890-005": seen(r"^\(producer id \d+, epoch 1\)")}, origin="textbook: a level that is treated as the protocol of all clients")
class LevelOneRaisesForAll(KafkaCoordinator):
    """At level 1 the end of each transaction raises the epoch, also for an old client, whose next transaction is fenced."""

    def bumps_epoch(self, end_txn_version: int) -> bool:
        return super().bumps_epoch(end_txn_version) or self._levels.transaction_version == 1


@defect(
    {"KIP890-005": seen(r"^success with \(producer id \d+, epoch 0\)")},
    origin="red team: the level at the begin of a transaction compared with that at its end",
)
class LoweredLevelStopsTheBump(KafkaCoordinator):
    """A transaction that is open when the level falls below 2 ends like an old client's, and late writes of it are accepted afterwards."""

    _begun_at_2: frozenset[str] = frozenset()

    def install(self, transaction: KafkaTransaction) -> KafkaTransaction:
        if transaction.state is KafkaTransactionState.ONGOING and self._levels.transaction_version >= 2:
            self._begun_at_2 |= {transaction.transactional_id}
        return super().install(transaction)

    def end_transaction(
        self, transactional_id: str, producer: ProducerIdAndEpoch, decision: Decision, api_version: int
    ) -> ProducerIdAndEpoch:
        was_lowered = transactional_id in self._begun_at_2 and self._levels.transaction_version < 2
        return super().end_transaction(transactional_id, producer, decision, 4 if was_lowered else api_version)


@defect({"KIP890-007": seen("^PrepareCommit")}, origin="Apache Kafka 4.0.0 to 4.2.0")
class OldRecordHasNoRoom(KafkaCoordinator):
    """After a downgrade the end of a newer transaction cannot be written, and its id is stuck for good."""

    def can_be_stored(self, transaction: KafkaTransaction) -> bool:
        return self._levels.transaction_version > 0 or transaction.transaction_version < 2
