"""The probe: Kafka's requests, each in a given version, as calls that return an outcome.

A step calls one of these and judges the outcome. This module does not know which answers are right.
"""

from collections.abc import Callable
from typing import TypeAlias

from fencepost.contract.errors import NotOffered
from fencepost.contract.outcomes import Outcome
from fencepost.contract.ports import Time

from .access import AccessCalls
from .administration import AdministrationCalls
from .client_kind import ClientKind
from .cluster import Cluster, CoordinatorKind
from .deletion import DeletionCalls
from .group_offsets import GroupOffsetCalls
from .inspection import InspectionCalls
from .kafka_error_outcomes import nothing_of_no_group
from .kafka_transaction_calls import BatchedAddition, KafkaTransactionCalls, PartitionResults
from .kafka_values import NearLastEpoch
from .membership_calls import MembershipCalls
from .offer import KafkaOffer, VersionRange
from .partitions import AppendResults, MarkerToWrite, PartitionCalls
from .several import SeveralCalls
from .topic_creation import TopicCalls

__all__ = [
    "AppendResults",
    "BatchedAddition",
    "ClientKind",
    "CoordinatorKind",
    "KafkaOffer",
    "KafkaProbe",
    "MarkerToWrite",
    "PartitionResults",
    "TakeFromPool",
    "VersionRange",
    "no_pool",
    "nothing_of_no_group",
]

TakeFromPool: TypeAlias = Callable[[], Outcome[NearLastEpoch]]
"""Returns a producer near its last epoch, each for one scenario only."""


def no_pool() -> Outcome[NearLastEpoch]:
    """For systems without a pool of producers near their last epoch."""
    raise NotOffered("aged-ids: this session has no pool of producers near their last epoch")


class KafkaProbe(
    KafkaTransactionCalls,
    TopicCalls,
    PartitionCalls,
    SeveralCalls,
    InspectionCalls,
    AccessCalls,
    AdministrationCalls,
    MembershipCalls,
    GroupOffsetCalls,
    DeletionCalls,
):
    """One client of a Kafka system, with its own connections."""

    def __init__(self, cluster: Cluster, offer: KafkaOffer, time: Time, take_from_pool: TakeFromPool = no_pool) -> None:
        super().__init__(cluster, offer, time)
        self._take_from_pool = take_from_pool

    @property
    def kind(self) -> ClientKind:
        """The kind of client that fits the system's offer."""
        return ClientKind.fitting(self._offer)

    def adopt_aged_id(self) -> Outcome[NearLastEpoch]:
        """A transactional id at epoch 32765 that only this client uses from now on; see `last_epoch` for how it is prepared."""
        return self._take_from_pool()
