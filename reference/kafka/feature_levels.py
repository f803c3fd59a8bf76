"""The levels of features that are in force, which an administrator moves up and down on a running broker; journalled.

Only one level means something here: `transaction.version`. At 2 a client that reads it uses the new protocol, at 1 the transaction log has
room for it, at 0 the log is as it was before. Even so, a client's own protocol shows in the versions of its requests.

Source: "Transaction Feature Version (0)".
"""

from collections.abc import Mapping
from typing import TypeAlias

from fencepost.reference.kernel.journal import Disk, Journal
from fencepost.reference.kernel.rules import rule

from .kafka_errors import Errors, RequestRefused
from .kafka_profile import Profile

_Change: TypeAlias = tuple[str, int]
"""A feature and its new level."""


class FeatureLevels:
    """The finalized level of each feature, and how often one was changed."""

    def __init__(self, disk: Disk, profile: Profile) -> None:
        self._profile = profile
        self._changes: Journal[_Change] = disk.journal("feature-levels")
        self._levels = {name: feature.finalized for name, feature in profile.features.items()} | self.kept()

    def kept(self) -> dict[str, int]:
        """Decision: the levels that a restart finds: for each feature that was ever changed, the last one."""
        if self._changes:
            rule("KIP890-220")
        return dict(self._changes)

    @property
    def epoch(self) -> int:
        """Grows with every change."""
        return 1 + len(self._changes)

    def all(self) -> Mapping[str, int]:
        """Every feature's level; 0 is a level too."""
        return self._levels

    @property
    def transaction_version(self) -> int:
        """0 also if the broker does not have the feature."""
        return self._levels.get("transaction.version", 0)

    def change(self, feature: str, level: int) -> None:
        """Put a feature to another level that it may have, at once."""
        rule("KIP890-003")
        if level != self._levels[feature]:
            self._changes.append((feature, level))
            self._levels[feature] = level

    def check(self, feature: str, level: int, *, may_lower: bool) -> None:
        """Decision: whether the level may be changed to this one.

        Raises RequestRefused: INVALID_UPDATE_VERSION when there is no such feature or level, or the level falls and must not.
        """
        rule("KIP890-377")
        if feature not in self._levels:
            raise RequestRefused(Errors.INVALID_UPDATE_VERSION, f"there is no feature {feature!r}")
        lowest, highest = self._profile.features[feature].supported
        if not lowest <= level <= highest:
            raise RequestRefused(Errors.INVALID_UPDATE_VERSION, f"{feature} {level}; supported are {lowest} to {highest}")
        if level < self._levels[feature] and not may_lower:
            raise RequestRefused(Errors.INVALID_UPDATE_VERSION, f"{feature} is at {self._levels[feature]}; a downgrade has to be asked for")
