"""How long brokers take to start, how much memory they need, and how long scenarios take, as measured: `fixtures/costs.yaml`."""

import functools
from importlib import resources

from pydantic import Field

from fencepost.contract.brokers import ScheduledScenario
from fencepost.contract.datafile import Row, load


class BrokerCosts(Row):
    """The costs of a broker with one configuration."""

    start_s: float
    memory_mb: int


class Costs(Row):
    """The costs of systems of one kind. A scenario takes the longest time of its needs, else that of its feature, else `scenario_s`."""

    scenario_s: float
    needs: dict[str, float] = Field(default_factory=dict)
    features: dict[str, float] = Field(default_factory=dict)
    configurations: dict[str, BrokerCosts] = Field(default_factory=dict)

    def seconds(self, scenario: ScheduledScenario) -> float:
        """How long a scenario takes on a running broker."""
        if longest := max((self.needs.get(need, 0.0) for need in scenario.needs), default=0.0):
            return longest
        return self.features.get(scenario.feature.removesuffix(".feature"), self.scenario_s)


@functools.cache
def costs() -> dict[str, Costs]:
    """The costs by the name of a protocol, or of the reference, which has no brokers in containers. Read once."""
    return load(resources.files("fencepost.fixtures") / "costs.yaml", dict[str, Costs])
