"""What a Kafka system offers: for each API the range of versions, and its features."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from fencepost.contract.errors import NotOffered
from fencepost.wire.kafka.entities import API_KEYS, title

_SECOND_PART = {"produce": 12, "end_txn": 5, "txn_offset_commit": 5}
"""From these versions on, a request belongs to the second version of the transaction protocol."""

TOPIC_IDS_FROM = 13
"""The version from which on Produce and Fetch name topics by id; it happens to be the same."""
_OLDEST_FETCH = 4
"""The first version of Fetch with an isolation level."""

_SECOND_LEVEL = 2
"""From this finalized transaction.version on, clients use that protocol."""


@dataclass(frozen=True)
class VersionRange:
    """Versions or levels from `lowest` to `highest`, both included."""

    lowest: int
    highest: int

    def __str__(self) -> str:
        return f"v{self.lowest} to v{self.highest}" if self.lowest != self.highest else f"only v{self.lowest}"


@dataclass(frozen=True)
class KafkaOffer:
    """The answer to ApiVersions. `features_reported` is False if the answer's version has no features."""

    apis: Mapping[str, VersionRange]
    features_reported: bool = False
    supported: Mapping[str, VersionRange] = field(default_factory=dict)
    finalized: Mapping[str, int] = field(default_factory=dict)
    finalized_epoch: int = -1
    """Grows with every change of the finalized levels; -1 for none."""
    by_id: Callable[[], bool] = field(default=lambda: False, kw_only=True)
    """Whether clients name topics by id now, in a Fetch for which no version is asked."""

    def has(self, api: str, version: int) -> bool:
        """Whether that version of that API may be sent."""
        offered = self.apis.get(api)
        return offered is not None and offered.lowest <= version <= offered.highest

    def check(self, api: str, version: int) -> None:
        """Raises NotOffered if that version of that API may not be sent."""
        if not self.has(api, version):
            raise NotOffered(f"{title(api)} v{version}: the broker offers {self._reported(api)}")

    def highest(self, api: str, lowest: int, highest: int) -> int:
        """The highest version from `lowest` to `highest` that the broker offers. Raises NotOffered if there is none."""
        for version in range(highest, lowest - 1, -1):
            if self.has(api, version):
                return version
        raise NotOffered(f"{title(api)} {VersionRange(lowest, highest)}: the broker offers {self._reported(api)}")

    def fetching(self) -> int:
        """The version of Fetch where no version is asked. Raises NotOffered if there is none."""
        if self.by_id():
            return self.highest("fetch", TOPIC_IDS_FROM, TOPIC_IDS_FROM)
        return self.highest("fetch", _OLDEST_FETCH, TOPIC_IDS_FROM - 1)

    def up_to(self, api: str, highest: int) -> "KafkaOffer":
        """The same offer, with no version of that API above `highest`."""
        return replace(self, apis={**self.apis, api: VersionRange(self.apis[api].lowest, highest)})

    def reported(self, api: str) -> str:
        """The API with its versions, as text."""
        return f"{title(api)} {self._reported(api)}"

    def lacking_for_second_part(self) -> list[str]:
        """What the broker lacks for KIP-890's second part, a line for each; empty if clients use that protocol."""
        lacking = [
            f"needs version {needed}, and the broker offers {self.reported(api)}"
            for api, needed in _SECOND_PART.items()
            if not self.has(api, needed)
        ]
        level = self.finalized.get("transaction.version", 0)
        if self.features_reported and level < _SECOND_LEVEL:
            lacking.append(f"needs the finalized transaction.version {_SECOND_LEVEL}, and the broker has {level}")
        return lacking

    def _reported(self, api: str) -> str:
        assert api in API_KEYS, f"{api} is not the name of an API"
        return str(self.apis[api]) if api in self.apis else "no version of it"
