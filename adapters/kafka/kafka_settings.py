"""The part of `fixtures/brokers.yaml` that is Kafka's: its image with the broker configurations, and the known releases."""

import functools
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib import resources
from typing import Annotated

from pydantic import Field

from fencepost.adapters.common import configurations
from fencepost.adapters.common.configurations import BrokerSettings
from fencepost.contract.datafile import Row, load

from .kafka_login import Passwords


class KafkaRelease(Row):
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


@dataclass(frozen=True)
class NodeAddresses:
    """The ports and addresses of a node, which the settings name in braces. `controller` is node 1's controller address."""

    port: int
    bind: str
    controller_port: int
    internal_port: int
    internal: str
    controller: str

    @classmethod
    def in_container(cls, port: int, node: int, nodes: int) -> "NodeAddresses":
        """Each container has its own ports; nodes reach each other by names in their network."""
        host = "localhost" if nodes == 1 else "node-1"
        return cls(port, "", 9093, 9094, f"node-{node}:9094", f"{host}:9093")


class KafkaConfiguration(configurations.BrokerConfiguration):
    """The settings of one kind of cluster. Without users, no client has to log in."""

    users: list[str] = Field(default_factory=list)
    """The users that can log in; clients log in as the first one unless a scenario names another."""

    more_nodes: list[dict[str, str]] = Field(default_factory=list)
    """For each node after the first: its settings, which are added to those of the first."""

    @property
    def nodes(self) -> int:
        """The number of nodes, which are numbered from 1."""
        return 1 + len(self.more_nodes)

    @property
    def containers(self) -> int:
        """The number of containers: one for each node."""
        return self.nodes


class KafkaSettings(BrokerSettings[KafkaConfiguration]):
    """How Apache Kafka's image is started, and which of its releases are known."""

    releases: Annotated[list[KafkaRelease], Field(min_length=1)]

    def users(self, configuration: str) -> list[str]:
        """The users that can log in at a broker with that configuration, the default one first; without users no client has to."""
        return self.configuration(configuration).users

    def nodes(self, configuration: str) -> int:
        """The number of nodes of a cluster with that configuration."""
        return self.configuration(configuration).nodes

    def environment(
        self,
        configuration: str,
        port: int,
        passwords: Passwords = Passwords({}),  # noqa: B008 - it is immutable
        node: int = 1,
    ) -> dict[str, str]:
        """The environment of that node's container, whose broker has that port on this machine."""
        return self.at(configuration, NodeAddresses.in_container(port, node, self.nodes(configuration)), passwords, node)

    def at(self, configuration: str, place: NodeAddresses, passwords: Passwords, node: int) -> dict[str, str]:
        """All settings of a node at that place, by the names of the image's variables."""
        own = [{}, *self.configuration(configuration).more_nodes][node - 1]
        settings = self.base | self.configuration(configuration).settings | own
        return {name: passwords.filled_in(_filled_in(value, asdict(place))) for name, value in settings.items()}

    def properties_at(self, configuration: str, place: NodeAddresses, passwords: Passwords, node: int) -> dict[str, str]:
        """The same settings by the names of Kafka's properties, without those that only the image knows."""
        settings = self.at(configuration, place, passwords, node)
        return {_property(name): value for name, value in settings.items() if name not in _OF_THE_IMAGE}

    def properties(self, configuration: str) -> dict[str, str]:
        """The settings of a configuration, by the names of Kafka's properties."""
        return {_property(name): value for name, value in self.configuration(configuration).settings.items()}


class _Brokers(Row):
    kafka: KafkaSettings
    pulsar: object
    scalable: object = Field(alias="pulsar-scalable")


@functools.cache
def kafka_settings() -> KafkaSettings:
    """The settings, read once."""
    return load(resources.files("fencepost.fixtures") / "brokers.yaml", _Brokers).kafka


_OF_THE_IMAGE = ("KAFKA_OPTS", "KAFKA_LOG4J_LOGGERS")


def _filled_in(text: str, values: Mapping[str, object]) -> str:
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", str(value))
    return text


def _property(variable: str) -> str:
    """The property for which Apache's image uses a variable."""
    name = variable.removeprefix("KAFKA_").lower()
    return name.replace("___", "-").replace("__", "\0").replace("_", ".").replace("\0", "_")
