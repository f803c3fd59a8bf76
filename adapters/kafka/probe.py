"""The probe: Kafka's requests, each pinned to a version, as calls that return an outcome.

A step calls one of these and judges what came back. Nothing here knows what a right answer is.
"""

from .access import AccessCalls
from .inspection import InspectionCalls
from .offer import Offer
from .partitions import PartitionCalls
from .transactions import Addition, PartitionResults, TransactionCalls

__all__ = ["Addition", "KafkaProbe", "PartitionResults"]

__all__ = ["KafkaProbe", "Offer"]


class KafkaProbe(TransactionCalls, PartitionCalls, InspectionCalls, AccessCalls):
    """One client of a Kafka system, with connections of its own."""
