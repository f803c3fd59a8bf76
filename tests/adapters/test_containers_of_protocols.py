"""The containers of Kafka and of Pulsar: which brokers there are, and the best order of scenarios."""

from typing import Any

import pytest

from fencepost.adapters.common.container_system import ContainerSystem, kind_of
from fencepost.adapters.common.line_up import MOST_BESIDE_OTHERS
from fencepost.adapters.kafka.kafka_container_system import KafkaContainerSystem
from fencepost.adapters.kafka.kafka_settings import kafka_settings
from fencepost.adapters.pulsar.pulsar_container_broker import PulsarBroker
from fencepost.adapters.pulsar.pulsar_container_system import PulsarContainerSystem
from fencepost.adapters.pulsar.pulsar_settings import pulsar_settings
from fencepost.contract.brokers import turn_of
from fencepost.contract.errors import WrongUsage

IMAGE = "apachepulsar/pulsar:4.0.7"


def test_every_configuration_fits_next_to_one_that_is_judged() -> None:
    """Otherwise it could start only after that one is removed."""
    for settings in (kafka_settings(), pulsar_settings()):
        assert all(kind_of(configuration).containers < MOST_BESIDE_OTHERS for configuration in settings.configurations.values())


@pytest.mark.parametrize(
    ("system", "at_once", "in_order"),
    [
        (KafkaContainerSystem("apache/kafka:0"), 8, "crash, none, two-nodes, feature-levels, crash+feature-levels, aged-ids, authorizer"),
        (KafkaContainerSystem("apache/kafka:0"), 1, "crash, none = crash+feature-levels, two-nodes, feature-levels, aged-ids, authorizer"),
        (PulsarContainerSystem(IMAGE), 8, "none, more-coordinators, crash"),
        (PulsarContainerSystem(IMAGE), 1, "none = crash, more-coordinators"),
    ],
)
def test_scenarios_come_by_configuration(system: ContainerSystem[Any], at_once: int, in_order: str) -> None:
    """In the order of the file. If one broker is judged after the other, scenarios with a separate broker stay among those without needs,
    so that their broker starts while others are judged.
    """
    system.most_at_once = at_once
    turns = [
        {turn_of(system, set() if need == "none" else set(need.split("+"))) for need in together.split(" = ")}
        for together in in_order.split(", ")
    ]

    assert [len(together) for together in turns] == [1] * len(turns)
    assert sorted(turn for (turn,) in turns) == [turn for (turn,) in turns]
    assert len({turn for (turn,) in turns}) == len(turns)


def test_a_broker_that_was_closed_before_it_started_never_starts() -> None:
    """Every later use reports that it is closed."""
    broker = PulsarBroker(IMAGE, "shared", 1.0)
    broker.close()
    broker.start()

    with pytest.raises(WrongUsage, match="is not open"):
        broker.session()


def test_only_a_fresh_broker_is_killed() -> None:
    """A scenario that does not declare its need must not end the broker of others."""
    with pytest.raises(WrongUsage, match="does not say @needs:crash"):
        PulsarBroker(IMAGE, "shared", 1.0).crash()
