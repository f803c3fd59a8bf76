"""The bundled reference as a Pulsar system: the same probe, frames without bytes, and a virtual clock."""

import zlib
from collections.abc import Collection
from importlib.metadata import version as version_of

from fencepost.adapters.common.address import Address
from fencepost.adapters.common.genuine import Whose, of_imitation
from fencepost.adapters.common.patience import PATIENCE_S
from fencepost.adapters.common.system_faults import OneNode
from fencepost.adapters.common.time import VirtualTime
from fencepost.adapters.pulsar.handshake import WITHOUT_SEALING
from fencepost.adapters.pulsar.inprocess import InProcessAdmin, InProcessPulsarTransport
from fencepost.adapters.pulsar.pulsar_core import PulsarLog
from fencepost.adapters.pulsar.pulsar_session import PulsarSession
from fencepost.adapters.pulsar.transport import Connect, ConnectAdmin
from fencepost.adapters.reference_faults import ReferenceFaults
from fencepost.contract.errors import SystemUnreachable, WrongUsage
from fencepost.contract.ports import Handshake
from fencepost.reference.defects import Defect
from fencepost.reference.kernel.clock import FIRST_NODE
from fencepost.reference.metadata_transactions import MetadataProfile
from fencepost.reference.pulsar import PulsarParts, PulsarProfile, ReferencePulsar
from fencepost.reference.pulsar.connection import ServerConnection
from fencepost.reference.pulsar.transaction import TRANSITIONS
from fencepost.wire.pulsar.admin import AdminAnswer, AdminRequest

SERVICE = Address("reference", 6650)
NODES = 2
"""Coordinators and topics are on different nodes, as in a cluster."""
_LEVERS = frozenset({"held-ends", "participant-ends", "buffer-statistics", "batch-index-acknowledgement"})
_OFFERED = _LEVERS | {"clean-stop", "crash", "crash-points", "hold-markers", "late-ends", "more-coordinators", "node-messages"}
_OFFERED |= {"own-broker", "reload", "virtual-time"}

KEYS = frozenset({"transaction-keys", "principals", "key-topic-faults"})
"""The capabilities of transaction keys."""


class PulsarFaults(ReferenceFaults, OneNode):
    """The faults of a reference broker, which is one node and restarts at once, and of the topics of its transaction keys."""

    def __init__(self, broker: ReferencePulsar, patience_s: float) -> None:
        super().__init__(broker, patience_s)
        self._key_topics = broker.key_topics

    def fail_key_topic(self) -> None:
        self._key_topics.next_write.fails = True

    def damage_key_topic(self, record: bytes) -> None:
        for topic in self._key_topics.all():
            topic.damage(record)

    def compact_key_topic(self) -> None:
        for topic in self._key_topics.all():
            topic.compact()

    def unreadable_key_records(self) -> int:
        return sum(len(topic.unreadable) for topic in self._key_topics.all())

    def start_again(self) -> None:
        self.restart()


def number_of(address: Address) -> int:
    """The node that the reference has at this address."""
    return FIRST_NODE + address.port - SERVICE.port


class _NodeAt:
    """The node at an address that the reference has reported."""

    def __init__(self, broker: ReferencePulsar, address: Address) -> None:
        self._broker = broker
        self._number = number_of(address)
        self.advance = broker.advance

    def connect(self) -> ServerConnection | None:
        return self._broker.connect(number=self._number)

    def admin(self, request: AdminRequest) -> AdminAnswer | None:
        return self._broker.admin(request, self._number)


class PulsarReferenceSystem:
    """The reference with the behaviour of a profile, or a deliberately broken variant of it."""

    name = "reference"
    has_broker_each = True
    transitions = TRANSITIONS
    log_of_writers: type[PulsarLog] = PulsarLog
    """The class by which the core's writers write."""
    lacks: tuple[str, ...] = (WITHOUT_SEALING,)
    """The capabilities that it lacks, each with the reason."""

    def __init__(self, profile_name: str = "seed", variant: Defect | None = None, patience_s: float = PATIENCE_S) -> None:
        self._profile = PulsarProfile.load(profile_name)
        self.variant = variant
        self.patience_s = patience_s
        self._is_open = False

    @property
    def profile(self) -> PulsarProfile | MetadataProfile:
        """The profile that is reported in the handshake."""
        return self._profile

    @property
    def offered(self) -> frozenset[str]:
        """The capabilities of the reference with this profile."""
        sidecar = {"sidecar-buffer"} if self._profile.buffer == "sidecar" else set()
        return _OFFERED | sidecar | self.of_keys

    @property
    def of_keys(self) -> frozenset[str]:
        """The capabilities of transaction keys, if the profile has transaction keys."""
        return KEYS if self._profile.transaction_keys != "none" else frozenset()

    def prepare(self, needs: Collection[frozenset[str]] = ()) -> None:
        """There is nothing to start."""

    def open(self) -> Handshake:
        """Connect to a broker. Raises SystemUnreachable if it accepts no connection."""
        if self.broker().connect() is None:
            raise SystemUnreachable(f"the reference with profile {self.profile.name} takes no connection")
        self._is_open = True
        imitates = self.profile.imitates
        whose = of_imitation(self.profile.name, (imitates.system, imitates.version)) if imitates else Whose()
        return Handshake(
            version=version_of("fencepost"),
            version_is_exact=True,
            profile=self.profile.name,
            capabilities=self.offered,
            judged_as=whose.judged_as,
            deviations=whose.deviations,
            not_offered=self.lacks,
            notes=(f"variant {self.variant.name}: {self.variant.story}",) if self.variant else (),
        )

    def session(self, title: str, needs: frozenset[str] = frozenset()) -> PulsarSession:  # noqa: ARG002 - one broker has them all
        """A fresh broker; its names come from the title, so that they are the same in every run."""
        self.check_is_open()
        broker = self.broker()
        connect, connect_admin = self.ways_to(broker)
        session = PulsarSession(
            SERVICE,
            connect,
            connect_admin,
            VirtualTime(broker, self.patience_s),
            PulsarFaults(broker, self.patience_s),
            f"{zlib.crc32(title.encode()) & 0xFFFFFF:06x}",
        )
        session.log_of_writers = self.log_of_writers
        return session

    def check_is_open(self) -> None:
        """Raises WrongUsage before `open`."""
        if not self._is_open:
            raise WrongUsage("a session with the reference was requested before open()")

    def close(self) -> None:
        """There is nothing to release."""

    def ways_to(self, broker: ReferencePulsar) -> tuple[Connect, ConnectAdmin]:
        """How clients and administrators reach a broker."""
        return lambda _client, address: InProcessPulsarTransport(_NodeAt(broker, address)), lambda: InProcessAdmin(broker)

    def broker(self) -> ReferencePulsar:
        """A new broker."""
        parts = self.variant.parts if self.variant else PulsarParts()
        assert isinstance(parts, PulsarParts), "a variant of the Pulsar reference is made of its parts"
        return ReferencePulsar(self._profile, parts, nodes=NODES)
