"""The classes that a broker is made of. A defect is a broker in which one of them is a subclass with one decision changed."""

from dataclasses import dataclass
from typing import Any, ClassVar

from fencepost.reference.kernel.journal import Disk
from fencepost.reference.kernel.network import Network

from .compaction import TopicCompaction
from .cursor import Cursor
from .deduplication import Deduplication
from .kinds import Kinds
from .ledger import Ledger
from .log_coordinator import LogCoordinator
from .marker_buffer import MarkerBuffer
from .participants import Participants
from .pending_ack_journal import PendingAckJournal
from .pending_acks import PendingAcks
from .producers import Producers
from .pulsar_topics import PulsarTopics
from .sidecar_buffer import SidecarBuffer
from .subscription import Subscription
from .transaction_key.coordinator_keys import TransactionKeys
from .transaction_key.key_topic import KeyTopic
from .transaction_key.node_keys import NodeKeys
from .transaction_log import PulsarTransactionLog
from .transaction_responses import TransactionResponses


@dataclass(frozen=True)
class PulsarParts:
    """Each part of PIP-31's kind of transactions, and of what all kinds share; a profile chooses between the two buffers.

    `protocol` says which protocol's broker they make.
    """

    protocol: ClassVar[str] = "pulsar"

    answers: type[TransactionResponses] = TransactionResponses
    compaction: type[TopicCompaction] = TopicCompaction
    coordinator: type[LogCoordinator] = LogCoordinator
    cursor: type[Cursor] = Cursor
    deduplication: type[Deduplication] = Deduplication
    disk: type[Disk] = Disk
    kinds: type[Kinds] = Kinds
    key_topic: type[KeyTopic] = KeyTopic
    ledger: type[Ledger] = Ledger
    marker_buffer: type[MarkerBuffer] = MarkerBuffer
    network: type[Network] = Network
    node_keys: type[NodeKeys] = NodeKeys
    participants: type[Participants] = Participants
    pending_ack_journal: type[PendingAckJournal] = PendingAckJournal
    pending_acks: type[PendingAcks] = PendingAcks
    producers: type[Producers] = Producers
    sidecar_buffer: type[SidecarBuffer] = SidecarBuffer
    subscription: type[Subscription] = Subscription
    topics: type[PulsarTopics[Any]] = PulsarTopics
    transaction_keys: type[TransactionKeys] = TransactionKeys
    transaction_log: type[PulsarTransactionLog] = PulsarTransactionLog
