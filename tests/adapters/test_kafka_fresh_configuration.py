"""A broker of a fresh configuration serves one scenario."""

import pytest

from fencepost.adapters.kafka import container_system
from fencepost.adapters.kafka.container_system import KafkaContainerSystem
from fencepost.adapters.kafka.settings import kafka_settings


class PaperBroker:
    """Stands for a broker in a container, and is none: it notes what was asked of it."""

    made: list["PaperBroker"]

    def __init__(self, image: str, configuration: str, patience_s: float, producers: int) -> None:
        del image, patience_s, producers
        self.configuration, self.sessions, self.is_closed = configuration, 0, False
        PaperBroker.made.append(self)

    def start(self) -> None:
        """Nothing to start."""

    def session(self, needs: frozenset[str]) -> "PaperBroker":
        del needs
        self.sessions += 1
        return self

    def close(self) -> None:
        self.is_closed = True


def test_each_scenario_on_a_fresh_configuration_gets_a_broker_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one before is removed; other configurations keep theirs, and the last is removed with the system."""
    PaperBroker.made = []
    monkeypatch.setattr(container_system, "KafkaBroker", PaperBroker)
    fresh = frozenset({"feature-levels"})
    system = KafkaContainerSystem("apache/kafka:0")
    system.prepare([fresh])
    system._is_open = True

    sessions = [system.session("one", fresh), system.session("two"), system.session("three", fresh), system.session("four")]
    states = [(broker.configuration, broker.sessions, broker.is_closed) for broker in PaperBroker.made]
    system.close()

    default = kafka_settings().default_configuration
    assert states == [(default, 2, False), ("levels", 1, True), ("levels", 1, False)]
    assert sessions[0] is not sessions[2]
    assert all(broker.is_closed for broker in PaperBroker.made)
