"""What a Kafka system reports about itself, and the capabilities that follow.

ApiVersions v0 comes first, because every version of every broker answers it; then, if it is offered, the version that also has the
features.
"""

from collections.abc import Iterable
from typing import Any

from kio.schema.errors import ErrorCode

from fencepost.adapters.common.genuine import Whose
from fencepost.adapters.common.releases import Identity
from fencepost.adapters.common.wire_faults import WIRE_FAULTS
from fencepost.contract.errors import Malformed
from fencepost.contract.outcomes import Done, Unknown
from fencepost.contract.ports import Handshake, Image
from fencepost.wire.kafka.entities import API_NAMES, request

from .kafka_error_outcomes import refused
from .offer import KafkaOffer, VersionRange
from .transport import KafkaTransport

TRANSACTIONS_V2 = "transactions-v2"
MAY_BE_OFFERED = frozenset({WIRE_FAULTS, TRANSACTIONS_V2})
"""What is offered however the system is reached; TRANSACTIONS_V2 only by a release that has its requests."""

_SHOWN_APIS = (
    "produce",
    "end_txn",
    "txn_offset_commit",
    "init_producer_id",
    "add_partitions_to_txn",
    "add_offsets_to_txn",
    "write_txn_markers",
    "fetch",
    "describe_transactions",
    "describe_producers",
    "list_transactions",
)


def ask(transport: KafkaTransport, deadline_s: float) -> Done[KafkaOffer] | Unknown:
    """Send ApiVersions to a node; returns its offer."""
    match transport.call(request("api_versions", 0), deadline_s):
        case Done(first):
            offer = offer_of(first)
        case Unknown() as unknown:
            return unknown
    if not offer.has("api_versions", 3):
        return Done(offer)
    # v3 leaves out the supported features whose lowest level is 0, and transaction.version is one of them.
    version = offer.highest("api_versions", 3, 4)
    asked = request("api_versions", version, client_software_name="fencepost", client_software_version="1")
    return transport.call(asked, deadline_s).converted(offer_of)


WITHOUT_SEALING = "sealing: Kafka has no request that seals a partition and keeps it readable"


def describe(
    offer: KafkaOffer,
    identity: Identity,
    whose: Whose,
    *,
    image: Image | None = None,
    offered: Iterable[str] = (),
    missing: Iterable[str] = (),
    notes: Iterable[str] = (),
) -> Handshake:
    """The handshake. `offered` has the capabilities of the way to the system, and `missing` lines about what it lacks."""
    lacking = offer.lacking_for_second_part()
    features = ", ".join(f"{name} {level}" for name, level in sorted(offer.finalized.items()))
    return Handshake(
        version=identity.version,
        version_is_exact=identity.exact,
        profile=identity.profile,
        capabilities=frozenset(offered) | (MAY_BE_OFFERED - {TRANSACTIONS_V2} if lacking else MAY_BE_OFFERED),
        judged_as=whose.judged_as,
        looks_like=whose.looks_like,
        deviations=whose.deviations,
        image=image,
        notes=(
            *identity.notes,
            *notes,
            f"finalized features: {features or 'none'}",
            f"APIs: {', '.join(offer.reported(api) for api in _SHOWN_APIS)}",
        ),
        not_offered=(*missing, *([f"transactions-v2: {', '.join(lacking)}"] if lacking else []), WITHOUT_SEALING),
    )


def offer_of(answer: Any) -> KafkaOffer:
    """The offer in an answer to ApiVersions."""
    if answer.error_code is not ErrorCode.none:
        raise Malformed(f"ApiVersions v{answer.__version__} answered {refused(answer.error_code)}, and every broker must understand it")
    apis = {
        API_NAMES[api.api_key]: VersionRange(int(api.min_version), int(api.max_version))
        for api in answer.api_keys
        if api.api_key in API_NAMES
    }
    if answer.__version__ < 3:
        return KafkaOffer(apis)
    return KafkaOffer(
        apis,
        features_reported=True,
        supported={
            str(feature.name): VersionRange(int(feature.min_version), int(feature.max_version)) for feature in answer.supported_features
        },
        finalized={str(feature.name): int(feature.max_version_level) for feature in answer.finalized_features},
        finalized_epoch=int(answer.finalized_features_epoch),
    )
