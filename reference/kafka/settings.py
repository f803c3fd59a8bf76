"""The settings of a broker that its users choose, under the names of Kafka's configuration and with its defaults.

Kafka bounds a log by bytes and by age, in segments on disk. Here logs are in memory, so there is a setting of our own.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Settings:
    """What the reference obeys of a broker's configuration."""

    clean_up_interval_ms: int = 10_000
    """How often a broker looks for transactions that have timed out, and for markers that have to be sent again."""

    retained_batches: int = 10_000
    """How many batches a partition has at most; then it drops the older half. What is not decided is never dropped."""

    has_authorizer: bool = False
    """Whether access-control lists decide who may do what."""

    super_users: frozenset[str] = frozenset()
    """The principals that may do everything, such as `User:admin`."""

    passwords: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The users that may log in over SASL/PLAIN; without any, nobody has to."""

    @staticmethod
    def names() -> list[str]:
        """The properties that are obeyed."""
        return list(_PROPERTIES)

    @staticmethod
    def of(properties: Mapping[str, str]) -> "Settings":
        """From a configuration; what the reference has no use for is left out."""
        known: dict[str, Any] = {field: convert(properties[name]) for name, (field, convert) in _PROPERTIES.items() if name in properties}
        return Settings(**known)


def _passwords(jaas: str) -> dict[str, str]:
    """The users of Kafka's PlainLoginModule."""
    return dict(re.findall(r'\buser_(\w+)="([^"]*)"', jaas))


_PROPERTIES: Mapping[str, tuple[str, Callable[[str], object]]] = {
    "fencepost.log.retained.batches": ("retained_batches", int),
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": ("clean_up_interval_ms", int),
    "authorizer.class.name": ("has_authorizer", bool),
    "super.users": ("super_users", lambda text: frozenset(filter(None, text.split(";")))),
    "listener.name.clients.plain.sasl.jaas.config": ("passwords", _passwords),
}
"""Each property that is obeyed: the field that holds it, and how its text is read."""
