"""The bundled reference as a Kafka system: the same probe and the same handshake, without bytes and without waiting.

Every session has a separate reference broker, on a virtual clock that moves only when a client waits. So a run is the same each time, and a
scenario that waits for a minute takes no time.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection
from importlib.metadata import version as version_of

from kio.static.protocol import RequestPayload, ResponsePayload

from fencepost.adapters.common.address import Address
from fencepost.adapters.common.genuine import Whose, of_imitation
from fencepost.adapters.common.patience import ANSWER_WITHIN_S, PATIENCE_S
from fencepost.adapters.common.releases import Identity
from fencepost.adapters.common.time import VirtualTime
from fencepost.adapters.common.wire_faults import WIRE_FAULTS
from fencepost.adapters.kafka.handshake import ask, describe
from fencepost.adapters.kafka.inprocess import InProcessKafkaTransport, InProcessWire
from fencepost.adapters.kafka.kafka_session import KafkaSession
from fencepost.adapters.kafka.kafka_settings import kafka_settings
from fencepost.adapters.kafka.kafka_values import EPOCH_BEFORE_LAST, RAISED_NAME, NearLastEpoch, ProducerIdentity
from fencepost.adapters.kafka.offer import KafkaOffer
from fencepost.adapters.kafka.probe import no_pool
from fencepost.adapters.kafka.producer_pool import NEAR_LAST_EPOCH
from fencepost.adapters.kafka.transport import Connect
from fencepost.adapters.reference_faults import ReferenceFaults
from fencepost.contract.errors import SystemUnreachable, WrongUsage
from fencepost.contract.outcomes import Done, Outcome
from fencepost.contract.ports import Handshake
from fencepost.reference.defects import Defect
from fencepost.reference.kafka import ANONYMOUS, KafkaParts, Profile, ReferenceKafka, Settings, disk_after_bumps
from fencepost.reference.kafka.kafka_errors import Errors
from fencepost.reference.kafka.markers import MarkerAnswer, WriteMarker
from fencepost.reference.kafka.transaction import TRANSITIONS
from fencepost.reference.kernel.journal import Disk
from fencepost.wire.kafka.acl_codes import principal_of

_BOOTSTRAP = Address("reference", 9092)


class _NodeAt:
    """A reference broker as a connection to that address reaches it, with a logged-in user or without."""

    def __init__(self, broker: ReferenceKafka, address: Address, user: str | None = None) -> None:
        self._broker = broker
        self._number = number_of(address)
        self._principal = ANONYMOUS if user is None else principal_of(user)

    def handle(self, request: RequestPayload) -> ResponsePayload | None:
        return self._broker.handle(request, self._principal, self._number)

    def send(self, request: RequestPayload) -> Callable[[], ResponsePayload | None]:
        """Send the request; the answer may have to wait for another node."""
        return self._broker.send(request, self._principal, self._number).read

    def connect(self) -> InProcessKafkaTransport:
        """A connection to it."""
        return InProcessKafkaTransport(self, self.send)


def number_of(address: Address) -> int:
    """The number of the node at an address that the reference has reported."""
    return 1 + address.port - _BOOTSTRAP.port


class _Faults(ReferenceFaults):
    """The faults of a reference cluster."""

    def __init__(self, broker: ReferenceKafka, patience_s: float) -> None:
        super().__init__(broker, patience_s)
        self._cluster = broker
        self._doubles_answers = False

    def crash(self) -> None:
        if self._doubles_answers:
            self._doubles_answers = False
            self._let_answers_arrive()
        super().crash()

    def double_answers(self) -> None:
        self._doubles_answers = True
        first: dict[WriteMarker, MarkerAnswer] = {}

        def is_second(content: object) -> bool:
            if not isinstance(content, MarkerAnswer) or content.error is not Errors.NONE:
                return False
            return first.setdefault(content.asked, content) is not content

        self._cluster.network.repeat(lambda content: 2 if _is_marker(content) else 1)
        self._cluster.network.hold(is_second)

    def refuse_append(self, log: str, number: int) -> None:
        self._cluster.refuse_append(log, number)

    def append_is_to_be_refused(self, log: str) -> bool:
        return self._cluster.append_is_to_be_refused(log)

    def _let_answers_arrive(self) -> None:
        network = self._cluster.network
        network.release()
        network.repeat(lambda _: 1)
        network.hold(_is_marker)
        self._cluster.advance(0)
        network.release()

    def start_again(self) -> None:
        self.await_crash()
        self._cluster.start_again()

    def pause(self, node: int) -> None:
        self._cluster.pause(node)

    def resume(self, node: int) -> None:
        self._cluster.resume(node)


def _is_marker(content: object) -> bool:
    return isinstance(content, WriteMarker)


class ReferenceSystem:
    """The reference with the behaviour of a profile, or a deliberately broken variant of it."""

    name = "reference"
    has_broker_each = True
    transitions = TRANSITIONS

    def __init__(self, profile_name: str = "seed", variant: Defect | None = None, patience_s: float = PATIENCE_S) -> None:
        self._profile_name = profile_name
        self._profile = Profile.load(profile_name)
        self._variant = variant
        self._patience_s = patience_s
        self._offer: KafkaOffer | None = None

    def prepare(self, needs: Collection[frozenset[str]] = ()) -> None:
        """There is nothing to start."""

    def open(self) -> Handshake:
        """Send ApiVersions to a broker, as to any other system."""
        match ask(InProcessKafkaTransport(self._broker()), ANSWER_WITHIN_S):
            case Done(offer):
                self._offer = offer
            case unknown:
                raise SystemUnreachable(f"the reference with profile {self._profile_name} does not answer ApiVersions: {unknown.reason}")
        imitates = self._profile.imitates
        return describe(
            offer,
            Identity(version_of("fencepost"), True, self._profile_name),
            of_imitation(self._profile_name, (imitates.system, imitates.version)) if imitates else Whose(),
            offered={"crash-points", "doubled-answers", "failed-appends", "node-messages", "virtual-time"} | kafka_settings().capabilities,
            notes=[f"variant {self._variant.name}: {self._variant.story}"] if self._variant else [],
        )

    def session(self, title: str, needs: frozenset[str] = frozenset()) -> KafkaSession:
        """A fresh broker with the settings for these needs; its names come from the title, so that they are the same in every run."""
        if self._offer is None:
            raise WrongUsage("a session with the reference was requested before open()")
        suffix = f"{zlib.crc32(title.encode()) & 0xFFFFFF:06x}"
        transactional_id = f"{RAISED_NAME}-{suffix}"
        disk, owner = disk_after_bumps(transactional_id, EPOCH_BEFORE_LAST, self._parts.disk) if NEAR_LAST_EPOCH in needs else (None, None)
        broker = self._broker(needs, disk)

        def take_from_pool() -> Outcome[NearLastEpoch]:
            return no_pool() if owner is None else Done(NearLastEpoch(transactional_id, ProducerIdentity(owner.producer_id, owner.epoch)))

        return KafkaSession(
            _BOOTSTRAP,
            self._connect(broker),
            self._offer,
            VirtualTime(broker, self._patience_s),
            _Faults(broker, self._patience_s),
            suffix,
            connect_as=lambda user: self._connect(broker, user),
            take_from_pool=take_from_pool,
            wire=InProcessWire(lambda address: _NodeAt(broker, address)) if WIRE_FAULTS in needs else None,
        )

    def close(self) -> None:
        """There is nothing to release."""

    def _connect(self, broker: ReferenceKafka, user: str | None = None) -> Connect:
        """How the clients of a session reach its broker, logged in as a user if one is named."""
        return lambda _client, address: _NodeAt(broker, address, user).connect()

    @property
    def _parts(self) -> KafkaParts:
        parts = self._variant.parts if self._variant else KafkaParts()
        assert isinstance(parts, KafkaParts), "a variant of the Kafka reference is made of its parts"
        return parts

    def _broker(self, needs: frozenset[str] = frozenset(), disk: Disk | None = None) -> ReferenceKafka:
        known = kafka_settings()
        configuration = known.configuration_for(needs)
        settings = Settings.of(known.properties(configuration))
        return ReferenceKafka(self._profile, self._parts, settings, disk, nodes=known.nodes(configuration))
