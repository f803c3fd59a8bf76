"""The calls by which an administrator changes a cluster."""

from typing import Any

from fencepost.contract.outcomes import Outcome

from .calls import Calls
from .cluster import AnyNode
from .errors import verdict

_TIMEOUT_MS = 10_000
_UPGRADE, _SAFE_DOWNGRADE = 1, 2
_RESULTS_UP_TO = 1
"""Up to this version UpdateFeatures has a result for each feature; later ones have one for all."""


class AdministrationCalls(Calls):
    """What only an administrator would ask for."""

    def update_feature(self, feature: str, level: int, *, lower: bool) -> Outcome[None]:
        """UpdateFeatures: put a feature to another level. `lower` says that it may be one that is lower than now."""
        version = self._offer.highest("update_features", 1, 2)
        kind = _SAFE_DOWNGRADE if lower else _UPGRADE
        message = self._request(
            "update_features",
            version,
            timeout=_TIMEOUT_MS,
            feature_updates=[{"feature": feature, "max_version_level": level, "upgrade_type": kind}],
            validate_only=False,
        )

        def read(answer: Any) -> Outcome[None]:
            results = answer.results if version <= _RESULTS_UP_TO else ()
            for part in (answer, *results):
                if part.error_code:
                    return verdict(part.error_code, None, part.error_message)
            return verdict(answer.error_code, None)

        return self._write(AnyNode(), message, read, frozenset())
