"""The settings of a broker that its users choose, under the names of Kafka's configuration and with its defaults.

Kafka bounds a log by bytes and by age, in segments on disk. Here logs are in memory, so there is a setting that Kafka does not have.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Settings:
    """The part of a broker's configuration that the reference uses."""

    clean_up_interval_ms: int = 10_000
    """How often a broker looks for transactions that have timed out, and for markers that have to be sent again."""

    retained_batches: int = 10_000
    """How many batches a partition has at most; then it drops the older half. Undecided batches are never dropped."""

    has_authorizer: bool = False
    """Whether access-control lists apply."""

    super_users: frozenset[str] = frozenset()
    """The principals that may do everything, such as `User:admin`."""

    passwords: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The users that may log in over SASL/PLAIN; without any, no client has to."""
    verifies_partitions: bool = True
    """Whether a leader asks the coordinator before it accepts the first batch of an old client's transaction."""

    transactional_id_expiration_ms: int = 7 * 24 * 3_600_000
    """How long an idle transactional id is kept."""

    expired_id_clean_up_interval_ms: int = 3_600_000
    """How often a broker looks for transactional ids that have expired."""

    producer_expiration_ms: int = 24 * 3_600_000
    """How long a partition knows a producer that has no transaction open there, after its last record or marker."""

    expired_producer_clean_up_interval_ms: int = 600_000
    """How often a broker looks for producers that partitions may forget."""

    log_cleaner_backoff_ms: int = 15_000
    """How often the log cleaner passes over the logs of compacted topics."""

    cleans_own_logs: bool = False
    """Whether each pass compacts the logs of transactions and of groups' offsets too, however short they are."""

    @staticmethod
    def names() -> list[str]:
        """The properties that are used."""
        return list(_PROPERTIES)

    @staticmethod
    def of(properties: Mapping[str, str]) -> "Settings":
        """From a configuration; properties that the reference does not use are left out."""
        known: dict[str, Any] = {field: convert(properties[name]) for name, (field, convert) in _PROPERTIES.items() if name in properties}
        return Settings(**known)


def _passwords(jaas: str) -> dict[str, str]:
    """The users of Kafka's PlainLoginModule."""
    return dict(re.findall(r'\buser_(\w+)="([^"]*)"', jaas))


def _flag(text: str) -> bool:
    """A boolean as Kafka reads it, which accepts only true or false."""
    return text.strip().lower() == "true"


_PROPERTIES: Mapping[str, tuple[str, Callable[[str], object]]] = {
    "fencepost.log.retained.batches": ("retained_batches", int),
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": ("clean_up_interval_ms", int),
    "authorizer.class.name": ("has_authorizer", bool),
    "super.users": ("super_users", lambda text: frozenset(filter(None, text.split(";")))),
    "listener.name.clients.plain.sasl.jaas.config": ("passwords", _passwords),
    "transactional.id.expiration.ms": ("transactional_id_expiration_ms", int),
    "transaction.remove.expired.transaction.cleanup.interval.ms": ("expired_id_clean_up_interval_ms", int),
    "producer.id.expiration.ms": ("producer_expiration_ms", int),
    "producer.id.expiration.check.interval.ms": ("expired_producer_clean_up_interval_ms", int),
    "log.cleaner.backoff.ms": ("log_cleaner_backoff_ms", int),
    "log.cleaner.min.cleanable.ratio": ("cleans_own_logs", lambda text: float(text) == 0),
    "transaction.partition.verification.enable": ("verifies_partitions", _flag),
}
"""Each property that is used: the field that holds it, and how its text is read."""
