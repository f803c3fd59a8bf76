"""What a broker advertises and serves: the versions of each API, and the features."""

from collections.abc import Mapping

from fencepost.reference.kernel.rules import rule

from .feature_levels import FeatureLevels
from .kafka_profile import FeatureRange, Profile

_SHOWS_FEATURES_FROM_LEVEL_0 = 4
"""Before this version of ApiVersions, a supported feature whose lowest level is 0 is left out: clients took 0 for an error."""


class AdvertisedApiVersions:
    """The broker's side of finding a version that both sides know. The profile has the versions."""

    def __init__(self, profile: Profile, levels: FeatureLevels) -> None:
        self._profile = profile
        self._levels = levels

    def serves(self, api: str, version: int) -> bool:
        """Decision: whether a request of that version is answered."""
        return self._profile.offers(api, version)

    def ranges(self) -> Mapping[str, tuple[int, int]]:
        """Decision: the lowest and highest version of each API that ApiVersions advertises, by the API's name."""
        rule("KIP890-004")
        return self._profile.apis

    def finalized(self, version: int) -> Mapping[str, int]:  # noqa: ARG002 - all versions report the same
        """Decision: the finalized levels in ApiVersions of that version. A feature at level 0 is left out."""
        rule("KIP890-001")
        return {name: level for name, level in self._levels.all().items() if level > 0}

    def features_epoch(self) -> int:
        """Decision: the epoch of the finalized features, which shows a client the newer of two answers."""
        return self._levels.epoch

    def supported(self, version: int) -> Mapping[str, FeatureRange]:
        """Decision: the supported levels of each feature in ApiVersions of that version."""
        rule("KIP890-002")
        rule("KIP890-378")
        features = self._profile.features.items()
        return {name: feature for name, feature in features if version >= _SHOWS_FEATURES_FROM_LEVEL_0 or feature.supported[0] > 0}
