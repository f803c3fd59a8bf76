"""The Pulsar reference as it is served: its binary protocol on one port, its admin calls on another."""

import socket
from collections.abc import Mapping, Sequence

from fencepost.reference.pulsar import Parts, PulsarProfile, ReferencePulsar

from .offer import Offer, now_ms
from .pulsar import Outgoing, PulsarConnection
from .pulsar_admin import AdminConnection
from .server import HOST

ports = {"port": 6650, "admin-port": 8080}
takes_settings = False
usage = "the Pulsar reference has no settings beside its profile"


def offer(listeners: Mapping[str, socket.socket], profile: str, settings: Sequence[str]) -> Offer:  # noqa: ARG001 - it takes none
    """A broker."""
    binary, admin = listeners["port"], listeners["admin-port"]
    service_url = f"pulsar://{HOST}:{binary.getsockname()[1]}"
    admin_url = f"http://{HOST}:{admin.getsockname()[1]}"
    broker = ReferencePulsar(PulsarProfile.load(profile), Parts(), service_url, now_ms(), nodes=1)
    outgoing = Outgoing()

    def advance(ms: int) -> None:
        try:
            broker.advance(ms)
        finally:
            outgoing.flush()

    return Offer(
        [
            (binary, lambda memory, reader, writer: PulsarConnection(broker, outgoing, memory, reader, writer)),
            (admin, lambda memory, reader, writer: AdminConnection(broker, outgoing, memory, reader, writer)),
        ],
        advance,
        f"The reference, profile {profile}, serves Pulsar's protocol at {service_url} and its admin calls at {admin_url}; "
        f"try: fencepost run pulsar --service-url {service_url} --admin-url {admin_url}",
    )
