"""One Kafka container for all files whose tests use their own names, started when the first test asks.

Files with real brokers follow each other in one worker (the root's conftest.py), and the container is removed behind the last of them:
an idle broker keeps a processor busy, too.
"""

from dataclasses import dataclass, field

import pytest
from docker_here import IMAGE

from fencepost.adapters.kafka.container_system import KafkaContainerSystem
from fencepost.contract.ports import Handshake


@dataclass
class Shared:
    """The container, while there is one."""

    _opened: list[tuple[KafkaContainerSystem, Handshake]] = field(default_factory=list)

    def opened(self) -> tuple[KafkaContainerSystem, Handshake]:
        """The system and what it said when it was opened; it is as good after a crash, since a session brings its broker back."""
        if not self._opened:
            system = KafkaContainerSystem(IMAGE)
            try:
                self._opened.append((system, system.open()))
            except BaseException:
                system.close()
                raise
        return self._opened[0]

    def close(self) -> None:
        while self._opened:
            self._opened.pop()[0].close()


_SHARED = Shared()


@pytest.fixture
def kafka_container() -> tuple[KafkaContainerSystem, Handshake]:
    """A test that asks for it is marked with `docker`. What the container is asked to do otherwise than by name is undone by the test."""
    return _SHARED.opened()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """Behind the last test with real brokers, whatever became of it."""
    if nextitem is None or not nextitem.path.name.startswith("test_real_"):
        _SHARED.close()
