"""The settings of a broker that its users choose, under the names of Kafka's configuration and with its defaults."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Settings:
    """What the reference obeys of a broker's configuration."""

    clean_up_interval_ms: int = 10_000
    """How often a broker looks for transactions that have timed out, and for markers that have to be sent again."""

    verifies_partitions: bool = True
    """Whether a leader asks the coordinator before it takes the first batch of an old client's transaction."""

    @staticmethod
    def of(properties: Mapping[str, str]) -> "Settings":
        """From a configuration; what the reference has no use for is left out."""
        known: dict[str, Any] = {field: convert(properties[name]) for name, (field, convert) in _PROPERTIES.items() if name in properties}
        return Settings(**known)


def _flag(text: str) -> bool:
    """A switch as Kafka reads it; anything but true and false is refused there too."""
    return {"true": True, "false": False}[text.strip().lower()]


_PROPERTIES: dict[str, tuple[str, Callable[[str], int | bool]]] = {
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": ("clean_up_interval_ms", int),
    "transaction.partition.verification.enable": ("verifies_partitions", _flag),
}
"""Each property that is obeyed: the field that holds it, and how its text is read."""
