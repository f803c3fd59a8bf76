"""A running broker: the parts, put together again at each start from what is on disk.

`KafkaParts` names the classes it is made of. A defect is a broker in which one of them is a subclass with one decision changed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from fencepost.reference.kernel.journal import Disk
from fencepost.reference.kernel.machine import Machine
from fencepost.reference.kernel.network import Network

from .additions import Additions
from .advertised_api_versions import AdvertisedApiVersions
from .authorizer import Authorizer
from .broker_settings import Settings
from .dialect import Dialect
from .directory import Directory
from .feature_levels import FeatureLevels
from .groups import GroupOffsets
from .kafka_coordinator import KafkaCoordinator
from .kafka_errors import Errors, RequestRefused
from .kafka_profile import Profile
from .kafka_topics import FIRST_NODE, INTERNAL, TRANSACTIONS_PARTITION, KafkaTopics
from .kafka_types import PartitionName
from .listing import TransactionFilter
from .log_cleaner import LogCleaner
from .marker_writer import MarkerWriter
from .markers import MarkerSender
from .membership import GroupMembers
from .node_ids import NodeIds
from .ownership import ProducerIdOwnership
from .partition_log import PartitionLog
from .producer_state import ProducerStates
from .replication import Replicas, Replication
from .response_order import ResponseOrder
from .transaction_log import KafkaTransactionLog
from .verification import Verification

_LOOKS_FOR_SILENT_MEMBERS_MS = 1_000


@dataclass(frozen=True)
class AdvertisedListener:
    """Where clients find the broker; a name for people, if no socket listens."""

    host: str = "reference"
    port: int = 9092

    def of_node(self, number: int) -> "AdvertisedListener":
        """The address of another node, when this is the first one's."""
        return AdvertisedListener(self.host, self.port + number - FIRST_NODE)


@dataclass(frozen=True)
class KafkaParts:
    """The classes that a broker is made of; `protocol` says which protocol's broker."""

    protocol: ClassVar[str] = "kafka"

    additions: type[Additions] = Additions
    advertised_api_versions: type[AdvertisedApiVersions] = AdvertisedApiVersions
    authorizer: type[Authorizer] = Authorizer
    coordinator: type[KafkaCoordinator] = KafkaCoordinator
    disk: type[Disk] = Disk
    dialect: type[Dialect] = Dialect
    feature_levels: type[FeatureLevels] = FeatureLevels
    groups: type[GroupOffsets] = GroupOffsets
    directory: type[Directory] = Directory
    log_cleaner: type[LogCleaner] = LogCleaner
    response_order: type[ResponseOrder] = ResponseOrder
    marker_sender: type[MarkerSender] = MarkerSender
    marker_writer: type[MarkerWriter] = MarkerWriter
    membership: type[GroupMembers] = GroupMembers
    network: type[Network] = Network
    node_ids: type[NodeIds] = NodeIds
    ownership: type[ProducerIdOwnership] = ProducerIdOwnership
    partition_log: type[PartitionLog] = PartitionLog
    producer_states: type[ProducerStates] = ProducerStates
    replication: type[Replication] = Replication
    topics: type[KafkaTopics] = KafkaTopics
    transaction_filter: type[TransactionFilter] = TransactionFilter
    transaction_log: type[KafkaTransactionLog] = KafkaTransactionLog
    verification: type[Verification] = Verification


class KafkaNode:
    """One life of the broker, from its start to its crash.

    The nodes of a cluster differ only at its edge: each node answers for the partitions that it leads, the first for what groups commit,
    and it or the one that it was moved to for transactions. Inside they are one machine, in which only markers travel.
    """

    def __init__(
        self,
        machine: Machine,
        profile: Profile,
        parts: KafkaParts,
        settings: Settings,
        address: AdvertisedListener,
        replicas: Replicas,
        numbers: Sequence[int] = (FIRST_NODE,),
    ) -> None:
        self.machine = machine
        self.address = address
        self.numbers = numbers
        self.ids = parts.node_ids(numbers)
        self.here = FIRST_NODE
        """The number of the node that has been asked."""

        self.profile = profile
        self.settings = settings
        self._parts = parts
        self._replicas = replicas
        self.levels = parts.feature_levels(machine.disk, profile)
        self.advertised_api_versions = parts.advertised_api_versions(profile, self.levels)
        self.authorizer = parts.authorizer(settings, machine.disk)
        self.dialect = parts.dialect()
        self.response_order = parts.response_order()
        self.topics = parts.topics(machine.disk, self._open_log)
        is_known = TRANSACTIONS_PARTITION in self.topics
        self.directory = parts.directory(self.topics.leader_of(TRANSACTIONS_PARTITION) if is_known else FIRST_NODE)
        self.transaction_filter = parts.transaction_filter
        self.markers = parts.marker_writer(self.topics)
        log = parts.transaction_log(machine.disk)
        self.ownership = parts.ownership(log)
        self.coordinator = parts.coordinator(machine, profile, log, self.ownership, parts.marker_sender, self.markers.write, self.levels)
        self.verification = parts.verification(self.coordinator, profile, settings)
        self.additions = parts.additions(self.topics, self.coordinator)
        self.membership = parts.membership(machine.clock, log.earlier_starts)
        self.groups = parts.groups(self.topics, self.verification, self.membership, machine.clock)
        self.log_cleaner = parts.log_cleaner(machine.clock)
        self._forget_idle_producers()
        machine.every(settings.clean_up_interval_ms, self.coordinator.abort_timed_out)
        machine.every(settings.clean_up_interval_ms, self.coordinator.send_markers_again)
        machine.every(settings.expired_id_clean_up_interval_ms, self._forget_idle_ids)
        machine.every(settings.expired_producer_clean_up_interval_ms, self._forget_idle_producers)
        machine.every(settings.log_cleaner_backoff_ms, self._clean_logs)
        machine.every(_LOOKS_FOR_SILENT_MEMBERS_MS, self.membership.remove_the_silent)

    @property
    def coordinates(self) -> bool:
        """Whether the transaction coordinator's own node has been asked."""
        return self.directory.coordinates(self.here)

    def check_coordinates(self) -> None:
        """Raises RequestRefused: NOT_COORDINATOR when another node than the transaction coordinator's has been asked."""
        if not self.coordinates:
            raise RequestRefused(Errors.NOT_COORDINATOR)

    def check_coordinates_groups(self) -> None:
        """Raises RequestRefused: NOT_COORDINATOR when another node than the group coordinator's has been asked, which is always the
        first.
        """
        if not self.directory.coordinates_groups(self.here):
            raise RequestRefused(Errors.NOT_COORDINATOR)

    def move(self, partition: PartitionName, number: int) -> None:
        """Let another node lead the partition; with that of the transaction log goes the coordinator."""
        self.topics.move(partition, number)
        if partition == TRANSACTIONS_PARTITION:
            self.directory.coordinator = number
            self.machine.network.lose_all()
            self.coordinator.take_over(self._parts.transaction_log(self.machine.disk))

    def leads(self, partition: PartitionName) -> bool:
        """Whether the node that has been asked leads the partition; true for a missing one, which no other node leads."""
        return partition not in self.topics or self.topics.is_led_by(partition, self.here)

    def log_led_here(self, partition: PartitionName) -> PartitionLog:
        """The log of a partition. Raises RequestRefused: as `KafkaTopics.log`, and NOT_LEADER_OR_FOLLOWER when another node leads it."""
        log = self.topics.log(partition)
        if not self.leads(partition):
            raise RequestRefused(Errors.NOT_LEADER_OR_FOLLOWER)
        return log

    def _forget_idle_ids(self) -> None:
        self.coordinator.forget_idle(before=self.machine.clock.now - self.settings.transactional_id_expiration_ms)

    def _forget_idle_producers(self) -> None:
        for log in self.topics.logs():
            log.producers.forget_idle(before=self.machine.clock.now - self.settings.producer_expiration_ms)

    def _clean_logs(self) -> None:
        for log in self.topics.logs():
            if log.compaction is not None:
                self.log_cleaner.clean(log)
        if self.settings.cleans_own_logs:
            self.coordinator.compact_log()
            self.groups.compact()

    def _open_log(self, partition: PartitionName) -> PartitionLog:
        log = self._parts.partition_log(self.machine, self._parts.producer_states, partition)
        log.replication = self._replicas.of(partition)
        if partition.topic not in INTERNAL:
            log.retained_batches = self.settings.retained_batches
        return log
