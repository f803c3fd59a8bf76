"""The part of `fixtures/brokers.yaml` that is Pulsar's: its image with the broker configurations, and the known releases."""

import functools
from importlib import resources
from typing import Annotated

from packaging.specifiers import SpecifierSet
from packaging.version import Version
from pydantic import Field

from fencepost.adapters.common.configurations import BrokerConfiguration, BrokerSettings
from fencepost.contract.datafile import Row, load


class PulsarRelease(Row):
    """A release line of Apache Pulsar, with the versions that belong to it."""

    release: str
    versions: str
    profile: str

    def holds(self, version: Version) -> bool:
        """Whether the version is of this line; a milestone is a version before the first of its line."""
        return SpecifierSet(self.versions).contains(version, prereleases=True)


class PulsarSettings(BrokerSettings[BrokerConfiguration]):
    """How Apache Pulsar's image is started, and which of its releases are known."""

    releases: Annotated[list[PulsarRelease], Field(min_length=1)]

    def environment(self, configuration: str, port: int, admin_port: int) -> dict[str, str]:
        """The container's environment, with these ports on this machine."""
        return self.filled_in(configuration, port=port, admin_port=admin_port)


class _Brokers(Row):
    kafka: object
    pulsar: PulsarSettings
    scalable: PulsarSettings = Field(alias="pulsar-scalable")


@functools.cache
def _brokers() -> _Brokers:
    return load(resources.files("fencepost.fixtures") / "brokers.yaml", _Brokers)


def pulsar_settings() -> PulsarSettings:
    """The settings, read once."""
    return _brokers().pulsar


def scalable_settings() -> PulsarSettings:
    """The settings of brokers that are judged with scalable topics."""
    return _brokers().scalable
