"""One Kafka container for all files whose tests use their own names, started when the first test asks.

Files with real brokers follow each other in one worker (the root's conftest.py), in the order of their names, and the container is removed
where the next file does not use it: an idle broker keeps a processor busy, too.
"""

from dataclasses import dataclass, field

import pytest
from docker_here import IMAGE

from fencepost.adapters.kafka.kafka_container_system import KafkaContainerSystem
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
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """After the last test of a file, whatever became of it, unless the next file uses the container."""
    if nextitem is None or (nextitem.path != item.path and not _is_used_in(nextitem)):
        _SHARED.close()


def _is_used_in(item: pytest.Item) -> bool:
    """Whether a test of this test's file asks for the container."""
    name = kafka_container.__name__
    return any(name in getattr(one, "fixturenames", ()) for one in item.session.items if one.path == item.path)
