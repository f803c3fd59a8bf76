"""What a Pulsar broker reports about itself when a client connects: its release, and so its profile and its capabilities.

CONNECTED has the version and the features. An unknown release gets the profile of the nearest older one and a note about it; a system that
reports no version gets the profile of the proposal's text.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from packaging.version import Version

from fencepost.adapters.common.genuine import Whose
from fencepost.adapters.common.releases import TEXT, Identity, nearest
from fencepost.contract.ports import Handshake, Image
from fencepost.contract.releases import version_of
from fencepost.wire.pulsar import messages_pb2 as pb

from .connection import features_of
from .pulsar_settings import PulsarRelease

MAY_BE_OFFERED = frozenset({"reload"})
"""What every broker offers: unloading a topic."""

_VERSION = re.compile(r"\d+\.\d+\S*")


@dataclass(frozen=True)
class PulsarOffer:
    """The content of CONNECTED. `features` are the names of the flags that are set."""

    server: str
    protocol_version: int
    max_message_size: int | None
    features: tuple[str, ...]

    @classmethod
    def of(cls, connected: pb.CommandConnected) -> "PulsarOffer":
        size = connected.max_message_size if connected.HasField("max_message_size") else None
        return cls(connected.server_version, connected.protocol_version, size, features_of(connected))


WITHOUT_SEALING = "sealing: a terminated topic without segments accepts no end of a transaction either, until it is deleted"
"""What a system lacks whose topics are not scalable."""


def identify(server: str, releases: Iterable[PulsarRelease]) -> Identity:
    """Find the profile by the version in the server's name for itself, such as `Pulsar Server4.0.7`."""
    found = _VERSION.search(server)
    known = version_of(found.group()) if found else None
    if found is None or known is None:
        note = f"the system calls itself {server!r}, which has no version in it; judged by the profile {TEXT}"
        return Identity("unknown", False, TEXT, (note,))
    by_age = list(releases)
    for release in by_age:
        if release.holds(known):
            return Identity(found.group(), True, release.profile)
    like = nearest(by_age, lambda release: Version(release.release) > known)
    note = f"{found.group()} is of no known release; judged by the profile of the nearest, {like.release}"
    return Identity(found.group(), True, like.profile, (note,))


def reported_by(identity: Identity) -> str | None:
    """The version that the broker reported, in comparable form; None if it reported none."""
    known = version_of(identity.version)
    return None if known is None else str(known)


def describe(
    offer: PulsarOffer,
    identity: Identity,
    whose: Whose,
    *,
    image: Image | None = None,
    offered: Iterable[str] = (),
    missing: Iterable[str] = (),
    notes: Iterable[str] = (),
) -> Handshake:
    """The handshake. `offered` has the capabilities of the way to the system, and `missing` lines about what it lacks."""
    offers = frozenset(offered)
    size = "none reported" if offer.max_message_size is None else f"{offer.max_message_size} bytes"
    return Handshake(
        version=identity.version,
        version_is_exact=identity.exact,
        profile=identity.profile,
        capabilities=offers | MAY_BE_OFFERED,
        judged_as=whose.judged_as,
        looks_like=whose.looks_like,
        deviations=whose.deviations,
        image=image,
        notes=(
            *identity.notes,
            *notes,
            f"protocol version: {offer.protocol_version}; largest message: {size}",
            f"features: {', '.join(offer.features) or 'none'}",
        ),
        not_offered=(*missing, *([] if "sealing" in offers else [WITHOUT_SEALING])),
    )
