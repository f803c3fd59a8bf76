"""The classes of which metadata-driven transactions are made. A defect is a broker in which one of them is a subclass."""

from dataclasses import dataclass
from typing import ClassVar

from fencepost.reference.metadata.plain import PlainStore
from fencepost.reference.pulsar.pulsar_parts import PulsarParts
from fencepost.reference.scalable.scalable_parts import ScalableParts

from .buffer import MetadataBuffer
from .collection import Collection
from .metadata_coordinator import MetadataCoordinator
from .participation import Participation
from .pending_ack_records import PendingAckRecords
from .store_client import StoreClient
from .transaction_records import TransactionRecords


@dataclass(frozen=True)
class MetadataParts(ScalableParts, PulsarParts):
    """The parts of a broker that has both kinds of transactions, and scalable topics.

    `plain_store` is for a metadata store that has no indexes.
    """

    protocol: ClassVar[str] = "pulsar-scalable"

    collection: type[Collection] = Collection
    metadata_buffer: type[MetadataBuffer] = MetadataBuffer
    metadata_coordinator: type[MetadataCoordinator] = MetadataCoordinator
    participation: type[Participation] = Participation
    pending_ack_records: type[PendingAckRecords] = PendingAckRecords
    plain_store: type[PlainStore] = PlainStore
    store_client: type[StoreClient] = StoreClient
    transaction_records: type[TransactionRecords] = TransactionRecords
