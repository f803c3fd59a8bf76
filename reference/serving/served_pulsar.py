"""The Pulsar reference as it is served: its binary protocol on one port, its admin calls on another.

A profile with metadata-driven transactions has scalable topics too, in addition to everything else. Several that are served on one store
continue each other's transactions; the contents of segments are in the memory of each, and so are the layouts, which list the segments.
"""

import os
import socket
from collections.abc import Callable, Mapping

from fencepost.contract.errors import SystemUnreachable, WrongUsage, hint
from fencepost.reference.metadata.memory_data import MemoryData
from fencepost.reference.metadata.memory_store import MemoryStore
from fencepost.reference.metadata.store import MetadataStore, Unavailable
from fencepost.reference.metadata_transactions import MetadataKind, MetadataParts, MetadataProfile
from fencepost.reference.pulsar import PulsarProfile, ReferencePulsar
from fencepost.reference.scalable.scalable_profile import ScalableProfile

from .offer import BrokerRequest, ServedReference, now_ms
from .pulsar import Outgoing, PulsarConnection
from .pulsar_admin import AdminConnection
from .server import HOST

ports = {"port": 6650, "admin-port": 8080}
takes = frozenset({"metadata", "crash-at", "transaction-keys"})

KILLED = 128 + 9
"""The exit code of a process that was killed without warning, as a shell reports it."""


class MortalPulsar(ReferencePulsar):
    """A broker that is this process: a crash of its node ends both, without notice to clients."""

    def node_crashed(self, number: int) -> None:  # noqa: ARG002 - there is one
        os._exit(KILLED)


def check(profile: str, options: Mapping[str, object]) -> None:
    """Only a profile with metadata-driven transactions has a store for them, and the crash points of their code."""
    given = [name for name in ("metadata", "crash-at") if options.get(name) is not None]
    if given and profile not in MetadataProfile.names():
        raise WrongUsage(
            f"--{given[0]} is about metadata-driven transactions, which profile {profile} has not; "
            f"those that have them: {', '.join(MetadataProfile.names())}"
        )
    point = options.get("crash-at")
    points = MetadataKind.crash_points
    if point is not None and point not in points:
        reported = "\n".join(f"  {name}: {what}" for name, what in points.items())
        raise WrongUsage(f"--crash-at {point}: there is no such place{hint(str(point), points)}; expected one of\n{reported}")


def offer(listeners: Mapping[str, socket.socket], wanted: BrokerRequest) -> ServedReference:
    """A broker."""
    binary, admin = listeners["port"], listeners["admin-port"]
    service_url = f"pulsar://{HOST}:{binary.getsockname()[1]}"
    admin_url = f"http://{HOST}:{admin.getsockname()[1]}"
    profile = wanted.profile
    kinds = [_kind(profile, wanted.metadata)] if profile in MetadataProfile.names() else []
    try:
        release = PulsarProfile.load(profile)
        if wanted.transaction_keys and release.transaction_keys == "none":
            release = release.model_copy(update={"transaction_keys": "aborts"})
        broker = MortalPulsar(release, MetadataParts(), service_url, now_ms(), nodes=1, kinds=kinds)
    except Unavailable as error:
        raise SystemUnreachable(f"the metadata store: {error}") from error
    if wanted.crash_at is not None:
        broker.crash_at(wanted.crash_at)
    outgoing = Outgoing()

    def advance(ms: int) -> None:
        try:
            for kind in kinds:
                kind.hear()
            broker.advance(ms)
        finally:
            outgoing.flush()

    return ServedReference(
        [
            (binary, lambda memory, reader, writer: PulsarConnection(broker, outgoing, memory, reader, writer)),
            (admin, lambda memory, reader, writer: AdminConnection(broker, outgoing, memory, reader, writer)),
        ],
        advance,
        f"The reference, profile {profile}, serves Pulsar's protocol at {service_url} and its admin calls at {admin_url}; "
        f"try: fencepost run pulsar --service-url {service_url} --admin-url {admin_url}",
    )


def _kind(profile: str, connect: Callable[[], MetadataStore] | None) -> MetadataKind:
    """Metadata-driven transactions, on a store in memory if none is named, and layouts in memory."""
    transactions, layouts = MemoryData(), MemoryData()
    return MetadataKind(
        MetadataProfile.load(profile),
        MetadataParts(),
        connect or (lambda: MemoryStore(transactions)),
        ScalableProfile.load(profile),
        lambda: MemoryStore(layouts),
    )
