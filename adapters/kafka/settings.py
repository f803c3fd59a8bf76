"""`fixtures/brokers.yaml`: the images with their settings, and the releases that are known."""

import functools
from importlib import resources
from typing import Annotated

from pydantic import Field

from fencepost.adapters.ports import WrongUsage
from fencepost.datafile import Row, load


class Release(Row):
    """A release of Apache Kafka, known by the metadata.versions that were added for it, from the first to the last."""

    release: str
    metadata_version: Annotated[list[int], Field(min_length=2, max_length=2)]
    profile: str

    @property
    def lowest(self) -> int:
        return self.metadata_version[0]

    @property
    def highest(self) -> int:
        return self.metadata_version[1]


class KafkaSettings(Row):
    """How Apache Kafka's image is started. A purpose adds to, or replaces, the base settings."""

    image: str
    base: dict[str, str]
    purposes: dict[str, dict[str, str]]
    releases: Annotated[list[Release], Field(min_length=1)]

    def environment(self, purpose: str, port: int) -> dict[str, str]:
        """The container's environment for that purpose, when its broker is reached at that port of this machine."""
        if purpose not in self.purposes:
            raise WrongUsage(
                f"fixtures/brokers.yaml has no settings of Kafka for the purpose {purpose!r}; it has {', '.join(self.purposes)}"
            )
        return {name: value.replace("{port}", str(port)) for name, value in (self.base | self.purposes[purpose]).items()}


class _Brokers(Row):
    kafka: KafkaSettings


@functools.cache
def kafka_settings() -> KafkaSettings:
    """The settings, read once."""
    return load(resources.files("fencepost.fixtures") / "brokers.yaml", _Brokers).kafka
