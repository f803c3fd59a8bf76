"""Scenarios are dealt to several processes so that each starts few brokers and none has much more to do than another."""

from hypothesis import given
from hypothesis import strategies as st
from paper_brokers import NEEDS, SETTINGS, PaperSystem, needs_for

from fencepost.adapters.common.container_system import kind_of
from fencepost.adapters.common.dealing import deal
from fencepost.adapters.common.line_up import MOST_BESIDE_OTHERS
from fencepost.adapters.kafka.kafka_container_system import KafkaContainerSystem
from fencepost.contract.brokers import ScheduledScenario, brokers_of
from fencepost.contract.brokers import deal as deal_of

KINDS = {name: kind_of(configuration) for name, configuration in SETTINGS.configurations.items()}
START_S = 7.0
STARTS_S = dict.fromkeys(KINDS, START_S)
ASKED = st.lists(st.tuples(st.sampled_from(["plain", *NEEDS]), st.floats(0.0, 20.0)), max_size=40)


@given(asked=ASKED, workers=st.integers(1, 5))
def test_scenarios_on_one_broker_stay_together(asked: list[tuple[str, float]], workers: int) -> None:
    """Each scenario goes to one worker; a shared broker other than the default one is started by one worker."""
    dealt = deal(asked, "plain", KINDS, STARTS_S, workers)

    assert len(dealt) == len(asked)
    assert set(dealt) <= set(range(workers))
    for configuration in NEEDS:
        if not KINDS[configuration].fresh:
            assert len({worker for (name, _), worker in zip(asked, dealt, strict=True) if name == configuration}) <= 1


@given(seconds=st.lists(st.floats(0.0, 20.0), max_size=40), workers=st.integers(1, 5))
def test_no_worker_has_more_to_do_than_one_scenario_above_the_others(seconds: list[float], workers: int) -> None:
    """If scenarios need not stay together."""
    dealt = deal([("plain", one) for one in seconds], "plain", KINDS, STARTS_S, workers)

    busy = [sum(one for one, its in zip(seconds, dealt, strict=True) if its == worker) for worker in range(workers)]
    assert max(busy) - min(busy) <= max(seconds, default=0.0) + 1e-6


def test_a_scenario_with_a_broker_of_its_own_takes_its_start_too() -> None:
    """So two of them go to two workers, together with one equally long scenario on a running broker."""
    assert deal([("fresh", 5.0), ("fresh", 5.0), ("plain", 5.0)], "plain", KINDS, STARTS_S, 2) == [0, 1, 0]


def test_crashes_of_kafka_are_shared_out() -> None:
    """They are most of a run, and a single process would mostly wait for them."""
    system = KafkaContainerSystem("apache/kafka:0")
    asked = [ScheduledScenario("kip890/recovery.feature", frozenset({"crash"}))] * 10 + [
        ScheduledScenario("kip890/ending.feature", frozenset())
    ] * 100

    dealt = deal_of(system, asked, 2) or []

    assert sorted(dealt[:10]) == [0] * 5 + [1] * 5


def test_scenarios_that_are_not_offered_are_dealt_like_the_rest() -> None:
    """Its session reports that."""
    system = KafkaContainerSystem("apache/kafka:0")

    assert deal_of(system, [ScheduledScenario("core/recovery.feature", frozenset({"crash-points"}))], 2) == [0]


def test_a_process_next_to_others_holds_fewer_containers() -> None:
    """Also in a plan."""
    system = PaperSystem()
    configurations = ["plain"] * 3 + [name for name in NEEDS if not KINDS[name].fresh] * 2
    system.share_machine(2)
    system.prepare()
    system.prepare(needs_for(configurations))
    system.open()
    for configuration in configurations:
        system.session(configuration).close()
    system.close()

    assert system.host.most <= MOST_BESIDE_OTHERS
    kafka = KafkaContainerSystem("apache/kafka:0")
    kafka.share_machine(2)
    needs = (set(), {"authorizer"}, {"short-expiry"}, {"verification-off"}, {"aged-ids"}, {"two-nodes"})
    plan = brokers_of(kafka, [ScheduledScenario("kip890/ending.feature", frozenset(need)) for need in needs])
    assert plan is not None
    assert plan.containers_at_once <= MOST_BESIDE_OTHERS
