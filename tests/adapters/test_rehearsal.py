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
    needs = needs_for(configurations)
    return played([(name, ScheduledScenario(feature, need)) for name, need in zip(configurations, needs, strict=True)])


def played(scenarios: list[tuple[str, ScheduledScenario]], at_once: int = 1, most: int = MOST_CONTAINERS) -> Rehearsal:
    line = LineUp({name: kind_of(configuration) for name, configuration in SETTINGS.configurations.items()}, most)
    return rehearse(line, "plain", scenarios, COSTS, at_once)


def wave(number: int | None, configuration: str, scenarios: int, falls: int = 1) -> list[tuple[str, ScheduledScenario]]:
    (needs,) = needs_for([configuration])
    return [(configuration, ScheduledScenario("a/short.feature", needs, number, falls))] * scenarios


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


def test_each_wave_has_one_fresh_broker_and_lasts_as_long_as_its_longest_scenario() -> None:
    """However many share its crash; if the broker crashes twice, twice as long."""
    found = played([*wave(0, "fresh", 30), *wave(1, "fresh", 5, falls=2), *wave(2, "fresh", 1)], at_once=8)

    assert found.started["fresh"] == 3
    assert found.seconds == START_S + 3 * START_S + SCENARIO_S  # the second wave ends before the third broker serves
    assert played(wave(0, "fresh", 30, falls=2), at_once=8).seconds == START_S + START_S + 2 * SCENARIO_S


def test_a_broker_plays_its_waves_in_turn_and_then_several_scenarios_at_once() -> None:
    """It is started once."""
    found = played([*wave(0, "plain", 3), *wave(1, "plain", 1, falls=2), *wave(None, "plain", 40, falls=0)], at_once=8)

    assert found.started == {"plain": 1}
    assert found.seconds == START_S + SCENARIO_S + 2 * SCENARIO_S + 40 * SCENARIO_S / 8


def test_brokers_play_at_the_same_time_where_several_scenarios_do() -> None:
    """The longest of them ends last; a fourth has to wait for one of three, and for its start if there was no room for it."""
    three = [one for name in ("plain", "c", "d") for one in wave(None, name, 400, falls=0)]
    fourth = wave(None, "e", 160, falls=0)

    assert played(three, at_once=8).seconds == 3 * START_S + 400 * SCENARIO_S / 8
    assert played(three + fourth, at_once=8).seconds == 3 * START_S + 400 * SCENARIO_S / 8
    assert played(three + fourth, at_once=8, most=3).seconds == START_S + 400 * SCENARIO_S / 8 + START_S + 160 * SCENARIO_S / 8


@given(sizes=st.lists(st.integers(1, 90), max_size=20))
def test_no_wave_needs_more_room(sizes: list[int]) -> None:
    """Three brokers play at the same time, and those that start in advance make room for one that is needed."""
    found = played([one for number, size in enumerate(sizes) for one in wave(number, ("fresh", "two", "b")[number % 3], size)], at_once=8)

    assert found.containers <= MOST_CONTAINERS
    assert found.started["fresh"] == len(sizes[::3])
