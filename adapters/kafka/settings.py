"""The part of `fixtures/brokers.yaml` that is Kafka's: its image with the broker configurations, and the releases that are known."""

import functools
from importlib import resources
from typing import Annotated

from pydantic import Field

from fencepost.adapters.common import configurations
from fencepost.adapters.common.configurations import BrokerSettings
from fencepost.contract.datafile import Row, load

from .login import Passwords


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


class BrokerConfiguration(configurations.BrokerConfiguration):
    """The settings of one kind of cluster. Where nobody has to log in, there are no users."""

    users: list[str] = Field(default_factory=list)
    """Who can log in; the first is the kit's own, which clients log in as unless a scenario says otherwise."""

    more_nodes: list[dict[str, str]] = Field(default_factory=list)
    """For each node behind the first: its settings, on top of those of the first."""

    @property
    def nodes(self) -> int:
        """How many nodes there are; they are numbered from 1 on."""
        return 1 + len(self.more_nodes)

    @property
    def containers(self) -> int:
        """Each node has its own."""
        return self.nodes


class KafkaSettings(BrokerSettings[BrokerConfiguration]):
    """How Apache Kafka's image is started, and which of its releases are known."""

    releases: Annotated[list[Release], Field(min_length=1)]

    def users(self, configuration: str) -> list[str]:
        """Who can log in at a broker with that configuration, the kit's own user first; nobody has to where there is none."""
        return self.configuration(configuration).users

    def nodes(self, configuration: str) -> int:
        """How many nodes a cluster with that configuration has."""
        return self.configuration(configuration).nodes

    def environment(
        self,
        configuration: str,
        port: int,
        passwords: Passwords = Passwords({}),  # noqa: B008 - it is immutable
        node: int = 1,
    ) -> dict[str, str]:
        """The environment of that node's container, when its broker is reached at that port of this machine."""
        own = [{}, *self.configuration(configuration).more_nodes][node - 1]
        settings = self.filled_in(configuration, port=port) | {name: value.replace("{port}", str(port)) for name, value in own.items()}
        return {name: passwords.filled_in(value) for name, value in settings.items()}

    def properties(self, configuration: str) -> dict[str, str]:
        """What a configuration sets, by the names of Kafka's properties."""
        return {_property(name): value for name, value in self.configuration(configuration).settings.items()}


class _Brokers(Row):
    kafka: KafkaSettings
    pulsar: object
    scalable: object = Field(alias="pulsar-scalable")


@functools.cache
def kafka_settings() -> KafkaSettings:
    """The settings, read once."""
    return load(resources.files("fencepost.fixtures") / "brokers.yaml", _Brokers).kafka


def _property(variable: str) -> str:
    """The property that Apache's image makes of a variable."""
    name = variable.removeprefix("KAFKA_").lower()
    return name.replace("___", "-").replace("__", "\0").replace("_", ".").replace("\0", "_")
