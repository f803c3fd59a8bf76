"""The purposes that brokers of an image are started for, as `fixtures/brokers.yaml` has them for every protocol."""

import contextlib
from collections.abc import Collection, Iterable
from typing import Annotated, Generic, TypeVar

from pydantic import Field

from fencepost.contract.datafile import Row
from fencepost.contract.errors import NotOffered, WrongUsage


class Purpose(Row):
    """What a broker is started for: the capabilities that it offers to scenarios, and the settings that make it do so.

    A broker of a `fresh` purpose serves one scenario, and is thrown away.
    """

    fresh: bool = False
    offers: list[str]
    settings: dict[str, str]


P = TypeVar("P", bound=Purpose)


class BrokerSettings(Row, Generic[P]):
    """How an image is started. A purpose adds to, or replaces, the base settings."""

    image: str
    base: dict[str, str]
    purposes: Annotated[dict[str, P], Field(min_length=1)]

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

    def filled_in(self, purpose: str, **values: object) -> dict[str, str]:
        """The container's environment for that purpose, with a value for each {name} that stands in the settings."""
        settings = self.base | self.purpose(purpose).settings
        for name, value in values.items():
            settings = {variable: setting.replace(f"{{{name}}}", str(value)) for variable, setting in settings.items()}
        return settings

    def purpose(self, name: str) -> P:
        """The purpose of that name. Raises WrongUsage."""
        if name not in self.purposes:
            raise WrongUsage(f"fixtures/brokers.yaml has no settings for the purpose {name!r}; it has {', '.join(self.purposes)}")
        return self.purposes[name]
