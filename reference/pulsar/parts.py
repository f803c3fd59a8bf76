"""The classes that a broker is made of. A defect is a broker in which one of them is a subclass with one decision changed."""

from dataclasses import dataclass
from typing import ClassVar

from fencepost.reference.kernel.network import Network

from .answers import Answers
from .coordinator import Coordinator
from .cursor import Cursor
from .deduplication import Deduplication
from .ledger import Ledger
from .marker_buffer import MarkerBuffer
from .participants import Participants
from .pending_acks import PendingAcks
from .sidecar_buffer import SidecarBuffer
from .subscription import Subscription
from .transaction_log import TransactionLog


@dataclass(frozen=True)
class Parts:
    """Each part by what it is for; a profile chooses between the two buffers. `protocol` says whose broker they make."""

    protocol: ClassVar[str] = "pulsar"

    answers: type[Answers] = Answers
    coordinator: type[Coordinator] = Coordinator
    cursor: type[Cursor] = Cursor
    deduplication: type[Deduplication] = Deduplication
    ledger: type[Ledger] = Ledger
    marker_buffer: type[MarkerBuffer] = MarkerBuffer
    network: type[Network] = Network
    participants: type[Participants] = Participants
    pending_acks: type[PendingAcks] = PendingAcks
    sidecar_buffer: type[SidecarBuffer] = SidecarBuffer
    subscription: type[Subscription] = Subscription
    transaction_log: type[TransactionLog] = TransactionLog
