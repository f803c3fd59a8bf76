"""A run without brokers takes the measured times of its brokers and scenarios, and holds as many containers as the real one."""

from hypothesis import given, settings
from hypothesis import strategies as st
from paper_brokers import NEEDS, SETTINGS, PaperSystem, needs_for

from fencepost.adapters.common.container_system import kind_of
from fencepost.adapters.common.costs import BrokerCosts, Costs
from fencepost.adapters.common.line_up import MOST_CONTAINERS, LineUp
from fencepost.adapters.common.rehearsal import Rehearsal, rehearse
from fencepost.contract.brokers import ScheduledScenario

START_S, SCENARIO_S = 10.0, 1.0
COSTS = Costs(
    scenario_s=SCENARIO_S,
    needs={"b": 5.0},
    features={"a/long": 30.0},
    configurations={
        name: BrokerCosts(start_s=START_S, memory_mb=100 * configuration.containers)
        for name, configuration in SETTINGS.configurations.items()
    },
)
CONFIGURATIONS = st.lists(st.sampled_from(["plain", *NEEDS]), max_size=25)


def rehearsed(configurations: list[str], feature: str = "a/short.feature") -> Rehearsal:
    line = LineUp({name: kind_of(configuration) for name, configuration in SETTINGS.configurations.items()})
    asked = [(name, ScheduledScenario(feature, need)) for name, need in zip(configurations, needs_for(configurations), strict=True)]
    return rehearse(line, "plain", asked, COSTS)


@settings(deadline=None)
@given(configurations=CONFIGURATIONS)
def test_as_many_brokers_are_started_as_in_a_run(configurations: list[str]) -> None:
    """And never more than five containers."""
    system = PaperSystem()
    system.prepare()
    system.prepare(needs_for(configurations))
    system.open()

    for configuration in configurations:
        system.session(configuration).close()
    system.close()
    found = rehearsed(configurations)

    assert found.containers <= MOST_CONTAINERS
    assert found.memory_mb == 100 * found.containers
    in_order = sorted(configurations, key=lambda name: system.turn(needs_for([name])[0])) == configurations
    if in_order:
        assert sum(found.started.values()) == sum(broker.was_started for broker in system.made)


def test_starts_are_hidden_behind_scenarios() -> None:
    """The run waits only for brokers that start while none is judged."""
    assert rehearsed(["plain"] * 30 + ["b"]).seconds == START_S + 30 * SCENARIO_S + 5
    assert rehearsed(["plain", "b"]).seconds == START_S + START_S + 5  # the second start, of which one second coincides with a scenario


def test_a_fresh_broker_is_waited_for_where_scenarios_are_quicker_than_starts() -> None:
    """One starts after the other."""
    assert rehearsed(["fresh"] * 3).seconds == START_S + 3 * START_S + SCENARIO_S


def test_a_feature_says_how_long_its_scenarios_take() -> None:
    """Unless a need takes longer."""
    assert rehearsed(["plain", "plain"], "a/long.feature").seconds == START_S + 60
    assert rehearsed(["plain"] * 2 + ["b"], "a/long.feature").seconds == START_S + 60 + 5
