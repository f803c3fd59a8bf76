"""The broker configurations that an image is started with, as `fixtures/brokers.yaml` has them for every protocol."""

import contextlib
from collections.abc import Collection, Iterable
from typing import Annotated, Generic, TypeVar

from pydantic import Field

from fencepost.contract.datafile import Row
from fencepost.contract.errors import NotOffered, WrongUsage

from .genuine import Project

_RESTARTS = {"crash", "clean-stop"}


class BrokerConfiguration(Row):
    """The settings of one kind of broker, and the capabilities that it therefore offers to scenarios.

    A broker with a `fresh` configuration serves one scenario, and is thrown away.
    """

    fresh: bool = False
    offers: list[str]
    settings: dict[str, str]

    @property
    def containers(self) -> int:
        """The number of containers of a broker with this configuration."""
        return 1


B = TypeVar("B", bound=BrokerConfiguration)


class BrokerSettings(Row, Generic[B]):
    """How an image is started. A configuration adds to, or replaces, the base settings.

    `project` is the title of the project whose releases are known, and `official` has the names of its images.
    """

    project: str
    official: Annotated[list[str], Field(min_length=1)]
    image: str
    base: dict[str, str]
    configurations: Annotated[dict[str, B], Field(min_length=1)]

    def project_of(self, system: str) -> Project:
        """The project whose releases that system may be."""
        return Project(self.project, system, self.official)

    @property
    def default_configuration(self) -> str:
        """The configuration for every scenario that needs nothing special."""
        return next(iter(self.configurations))

    @property
    def capabilities(self) -> frozenset[str]:
        """All capabilities that the configurations offer."""
        return frozenset(capability for configuration in self.configurations.values() for capability in configuration.offers)

    def configurations_for(self, needs: Iterable[Collection[str]]) -> list[str]:
        """The configurations with which scenarios with these needs run, in the order of the file; needs that none offers are left out."""
        wanted = set()
        for need in needs:
            with contextlib.suppress(NotOffered):  # the session for that scenario reports the reason
                wanted.add(self.configuration_for(need))
        return [name for name in self.configurations if name in wanted]

    def configuration_for(self, needs: Collection[str]) -> str:
        """The first configuration that offers all needs that any configuration offers; other capabilities are not considered.

        Raises NotOffered if none offers all of it.
        """
        wanted = self.capabilities.intersection(needs)
        for name, configuration in self.configurations.items():
            if wanted.issubset(configuration.offers):
                return name
        raise NotOffered(f"fixtures/brokers.yaml has no configuration that offers {', '.join(sorted(wanted))} at once")

    def turn(self, needs: Collection[str], *, several: bool) -> int:
        """The best order of scenarios, by their needs: a lower number first. `several` is whether several brokers are judged at a time.

        Scenarios on one configuration come together, so that its broker can be released; of these, those that crash or stop the broker come
        first, while it has little to read when it restarts. If one broker is judged after the other, scenarios with a separate broker stay
        among those without special needs, so that their broker starts while these run.
        """
        names = list(self.configurations)
        try:
            name = self.configuration_for(needs)
        except NotOffered:
            name = names[0]
        return 1 if self.configurations[name].fresh and not several else 2 * names.index(name) + _RESTARTS.isdisjoint(needs)

    def filled_in(self, configuration: str, **values: object) -> dict[str, str]:
        """The container's environment, with a value for each {name} in the settings."""
        settings = self.base | self.configuration(configuration).settings
        for name, value in values.items():
            settings = {variable: setting.replace(f"{{{name}}}", str(value)) for variable, setting in settings.items()}
        return settings

    def configuration(self, name: str) -> B:
        """The configuration of that name. Raises WrongUsage if there is none."""
        if name not in self.configurations:
            raise WrongUsage(f"fixtures/brokers.yaml has no configuration {name!r}; it has {', '.join(self.configurations)}")
        return self.configurations[name]
