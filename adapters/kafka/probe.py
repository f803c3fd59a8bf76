"""The probe: Kafka's requests, each pinned to a version, as calls that return an outcome.

A step calls one of these and judges what came back. Nothing here knows what a right answer is.
"""

from collections.abc import Callable
from typing import TypeAlias

from fencepost.contract.errors import NotOffered
from fencepost.contract.outcomes import Outcome
from fencepost.contract.ports import Time

from .access import AccessCalls
from .administration import AdministrationCalls
from .cluster import Cluster
from .inspection import InspectionCalls
from .offer import Offer
from .partitions import PartitionCalls
from .transactions import Addition, PartitionResults, TransactionCalls
from .values import AgedId

__all__ = ["Addition", "KafkaProbe", "Offer", "PartitionResults", "TakeAged", "no_aged_ids"]

TakeAged: TypeAlias = Callable[[], Outcome[AgedId]]
"""Hands out an aged id, each to one scenario only."""


def no_aged_ids() -> Outcome[AgedId]:
    """For systems on which nothing is aged."""
    raise NotOffered("aged-ids: no transactional id is aged for this session")


class KafkaProbe(TransactionCalls, PartitionCalls, InspectionCalls, AccessCalls, AdministrationCalls):
    """One client of a Kafka system, with connections of its own."""

    def __init__(self, cluster: Cluster, offer: Offer, time: Time, take_aged: TakeAged = no_aged_ids) -> None:
        super().__init__(cluster, offer, time)
        self._take_aged = take_aged

    def adopt_aged_id(self) -> Outcome[AgedId]:
        """A transactional id at epoch 32765 that belongs to this client from now on; see `ageing` for how it came that far."""
        return self._take_aged()
