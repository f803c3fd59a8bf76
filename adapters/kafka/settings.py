"""`fixtures/brokers.yaml`: the images with their settings, the purposes that brokers are started for, and the releases that are known."""

import contextlib
import functools
from collections.abc import Collection, Iterable
from importlib import resources
from typing import Annotated

from pydantic import Field

from fencepost.adapters.ports import NotOffered, WrongUsage
from fencepost.datafile import Row, load

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


class Purpose(Row):
    """What a broker is started for: the capabilities that it offers to scenarios, and the settings that make it do so.

    Where nobody has to log in, there are no users. A broker of a `fresh` purpose serves one scenario, and is thrown away.
    """

    fresh: bool = False
    offers: list[str]
    users: list[str] = Field(default_factory=list)
    """Who can log in; the first is the kit's own, which clients log in as unless a scenario says otherwise."""

    settings: dict[str, str]

    more_nodes: list[dict[str, str]] = Field(default_factory=list)
    """For each node behind the first: its settings, on top of those of the purpose."""

    @property
    def nodes(self) -> int:
        """How many nodes there are; they are numbered from 1 on."""
        return 1 + len(self.more_nodes)


class KafkaSettings(Row):
    """How Apache Kafka's image is started. A purpose adds to, or replaces, the base settings."""

    image: str
    base: dict[str, str]
    purposes: Annotated[dict[str, Purpose], Field(min_length=1)]
    releases: Annotated[list[Release], Field(min_length=1)]

    @property
    def default_purpose(self) -> str:
        """The purpose of every scenario that needs nothing special."""
        return next(iter(self.purposes))

    @property
    def capabilities(self) -> frozenset[str]:
        """What the purposes offer, all together."""
        return frozenset(capability for purpose in self.purposes.values() for capability in purpose.offers)

    def purposes_for(self, needs: Iterable[Collection[str]]) -> list[str]:
        """The purposes on which scenarios with these needs run, in the order of the file; what no purpose offers is left out."""
        wanted = set()
        for need in needs:
            with contextlib.suppress(NotOffered):  # the session for that scenario says so, with the reason
                wanted.add(self.purpose_for(need))
        return [name for name in self.purposes if name in wanted]

    def purpose_for(self, needs: Collection[str]) -> str:
        """The first purpose that offers what is needed of a purpose; other capabilities are not its matter. Raises NotOffered."""
        wanted = self.capabilities.intersection(needs)
        for name, purpose in self.purposes.items():
            if wanted.issubset(purpose.offers):
                return name
        raise NotOffered(f"fixtures/brokers.yaml has no purpose that offers {', '.join(sorted(wanted))} at once")

    def users(self, purpose: str) -> list[str]:
        """Who can log in at a broker for that purpose, the kit's own user first; nobody has to where there is none."""
        return self._purpose(purpose).users

    def nodes(self, purpose: str) -> int:
        """How many nodes a cluster for that purpose has."""
        return self._purpose(purpose).nodes

    def environment(
        self,
        purpose: str,
        port: int,
        passwords: Passwords = Passwords({}),  # noqa: B008 - it is immutable
        node: int = 1,
    ) -> dict[str, str]:
        """The environment of that node's container for that purpose, when its broker is reached at that port of this machine."""
        own = [{}, *self._purpose(purpose).more_nodes][node - 1]
        settings = self.base | self._purpose(purpose).settings | own
        return {name: passwords.filled_in(value.replace("{port}", str(port))) for name, value in settings.items()}

    def properties(self, purpose: str) -> dict[str, str]:
        """What a purpose sets, by the names of Kafka's configuration."""
        return {_property(name): value for name, value in self._purpose(purpose).settings.items()}

    def _purpose(self, name: str) -> Purpose:
        if name not in self.purposes:
            raise WrongUsage(f"fixtures/brokers.yaml has no settings of Kafka for the purpose {name!r}; it has {', '.join(self.purposes)}")
        return self.purposes[name]


class _Brokers(Row):
    kafka: KafkaSettings


@functools.cache
def kafka_settings() -> KafkaSettings:
    """The settings, read once."""
    return load(resources.files("fencepost.fixtures") / "brokers.yaml", _Brokers).kafka


def _property(variable: str) -> str:
    """The property that Apache's image makes of a variable."""
    name = variable.removeprefix("KAFKA_").lower()
    return name.replace("___", "-").replace("__", "\0").replace("_", ".").replace("\0", "_")
