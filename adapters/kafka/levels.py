"""The levels of features: a scenario that changes one does not restore it; the next begins at the levels of the broker's start."""

from fencepost.adapters.common.address import Address
from fencepost.adapters.common.system_faults import NoFaults
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done

from .offer import KafkaOffer
from .reach import Users, wall_session

FEATURE_LEVELS = "feature-levels"
"""The capability: a scenario may change levels."""

_API_VERSIONS = 3, 4
"""The versions of ApiVersions that have features."""


def put_back(bootstrap: Address, started: KafkaOffer, patience_s: float, users: Users) -> None:
    """Set every feature to its level in `started`, and wait until ApiVersions shows it. Raises SetUpFailed."""
    session = wall_session(bootstrap, started, patience_s, NoFaults(str(bootstrap)), users=users)
    probe, version = session.client("levels"), started.highest("api_versions", *_API_VERSIONS)
    try:
        for _ in session.time.attempts():
            now = probe.api_versions(version)
            found = now.value.finalized if isinstance(now, Done) else now
            if found == started.finalized:
                return
            if isinstance(now, Done):
                for feature, level in started.finalized.items():
                    if level != (there := now.value.finalized.get(feature, 0)):
                        probe.update_feature(feature, level, lower=level < there)
    finally:
        session.close()
    raise SetUpFailed(f"the broker was started with the levels {dict(started.finalized)}, which cannot be restored: {found}")
