"""The settings of a broker that its users choose, under the names of Kafka's configuration and with its defaults.

Kafka bounds a log by bytes and by age, in segments on disk. Here logs are in memory, so there is a setting of our own.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """What the reference obeys of a broker's configuration."""

    clean_up_interval_ms: int = 10_000
    """How often a broker looks for transactions that have timed out, and for markers that have to be sent again."""

    retained_batches: int = 10_000
    """How many batches a partition has at most; then it drops the older half. What is not decided is never dropped."""

    @staticmethod
    def names() -> list[str]:
        """The properties that are obeyed."""
        return list(_PROPERTIES)

    @staticmethod
    def of(properties: Mapping[str, str]) -> "Settings":
        """From a configuration; what the reference has no use for is left out."""
        known = {field: convert(properties[name]) for name, (field, convert) in _PROPERTIES.items() if name in properties}
        return Settings(**known)


_PROPERTIES = {
    "fencepost.log.retained.batches": ("retained_batches", int),
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": ("clean_up_interval_ms", int),
}
"""Each property that is obeyed: the field that holds it, and how its text is read."""
