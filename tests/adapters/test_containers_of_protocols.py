"""What is particular to the containers of Kafka and of Pulsar: which brokers there are, and in which order they are best asked.

No container is started here; `test_container_system.py` has what holds for both.
"""

import pytest

from fencepost.adapters.common.container_system import kind_of
from fencepost.adapters.common.line_up import MOST_BESIDE_OTHERS
from fencepost.adapters.kafka.container_system import KafkaContainerSystem
from fencepost.adapters.kafka.settings import kafka_settings
from fencepost.adapters.pulsar.container_broker import PulsarBroker
from fencepost.adapters.pulsar.container_system import PulsarContainerSystem
from fencepost.adapters.pulsar.settings import pulsar_settings
from fencepost.contract.brokers import turn_of
from fencepost.contract.errors import WrongUsage

IMAGE = "apachepulsar/pulsar:4.0.7"


def test_every_configuration_fits_beside_one_that_is_judged() -> None:
    """Otherwise it could only be started when that one is thrown away."""
    for settings in (kafka_settings(), pulsar_settings()):
        assert all(kind_of(configuration).containers < MOST_BESIDE_OTHERS for configuration in settings.configurations.values())


def test_scenarios_of_kafka_come_by_configuration() -> None:
    """A scenario with a broker of its own stays where it was: its broker is started while others are judged."""
    system = KafkaContainerSystem("apache/kafka:0")
    order = sorted(("aged-ids", "two-nodes", "crash", "feature-levels", "authorizer"), key=lambda need: turn_of(system, {need}))

    assert order == ["crash", "feature-levels", "authorizer", "aged-ids", "two-nodes"]


def test_scenarios_of_pulsar_stay_in_order() -> None:
    """Those that kill their broker have it alone."""
    system = PulsarContainerSystem(IMAGE)

    assert len({turn_of(system, needs) for needs in (set(), {"crash"}, {"more-coordinators"}, {"crash-points"})}) == 1


def test_a_broker_that_was_closed_before_it_started_never_starts() -> None:
    """Closing is told at every later use."""
    broker = PulsarBroker(IMAGE, "shared", 1.0)
    broker.close()
    broker.start()

    with pytest.raises(WrongUsage, match="is not open"):
        broker.session()


def test_only_a_fresh_broker_is_killed() -> None:
    """A scenario that forgets to say what it needs must not end the others' broker."""
    with pytest.raises(WrongUsage, match="does not say @needs:crash"):
        PulsarBroker(IMAGE, "shared", 1.0).crash()
