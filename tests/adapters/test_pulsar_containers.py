"""Which container a scenario on Pulsar gets: one that all share, or one of its own. No container is started here."""

import threading
from collections.abc import Callable, Iterator

import pytest

from fencepost.adapters.pulsar import container_system
from fencepost.adapters.pulsar.container_broker import PulsarBroker
from fencepost.adapters.pulsar.container_system import PulsarContainerSystem
from fencepost.adapters.pulsar.handshake import Offer
from fencepost.contract.errors import WrongUsage

CRASH = frozenset({"crash"})
IMAGE = "apachepulsar/pulsar:4.0.7"


class NotedSession:
    """A session that only remembers what closes with it."""

    def __init__(self, broker: "NotedBroker") -> None:
        self.broker = broker
        self._closing: list[Callable[[], None]] = []

    def on_close(self, act: Callable[[], None]) -> None:
        self._closing.append(act)

    def close(self) -> None:
        for act in self._closing:
            act()


class NotedBroker:
    """A broker that is only noted, and serves at once."""

    made: list["NotedBroker"]
    offer = Offer("Pulsar Server4.0.7", 21, None, ())
    place = "nowhere"

    def __init__(self, _image: str, configuration: str, _patience_s: float) -> None:
        self.configuration = configuration
        self.is_started = threading.Event()
        self.is_closed = False
        self.made.append(self)

    def start(self) -> None:
        self.is_started.set()

    def session(self) -> NotedSession:
        return NotedSession(self)

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[NotedBroker]:
    """The brokers that were made, in order."""
    made: list[NotedBroker] = []
    monkeypatch.setattr(NotedBroker, "made", made, raising=False)
    monkeypatch.setattr(container_system, "PulsarBroker", NotedBroker)
    return made


@pytest.fixture
def system(made: list[NotedBroker]) -> Iterator[PulsarContainerSystem]:
    """A system of noted brokers."""
    assert made == []
    system = PulsarContainerSystem(IMAGE)
    yield system
    system.close()


def test_only_what_scenarios_need_is_started(system: PulsarContainerSystem, made: list[NotedBroker]) -> None:
    """The shared broker always, the first fresh one when a scenario will kill its broker; each once, and in a thread."""
    system.prepare()
    first = [broker.configuration for broker in made]
    system.prepare([frozenset(), CRASH, CRASH, frozenset({"virtual-time"})])

    assert first == ["shared"]
    assert [broker.configuration for broker in made] == ["shared", "fresh"]
    assert all(broker.is_started.wait(10) for broker in made)


def test_a_scenario_that_kills_its_broker_has_it_alone(system: PulsarContainerSystem, made: list[NotedBroker]) -> None:
    """The next one is already being started while it runs, as long as there is another scenario to come."""
    system.prepare([CRASH, frozenset(), CRASH])
    system.open()

    shared = [system.session("a"), system.session("b")]
    first = system.session("c", CRASH)
    ahead = made[2].is_started.wait(10)
    fresh = [first, system.session("d", CRASH)]

    assert shared[0].broker is shared[1].broker  # type: ignore[attr-defined]
    assert fresh[0].broker is not fresh[1].broker  # type: ignore[attr-defined]
    assert ahead
    assert [broker.configuration for broker in made] == ["shared", "fresh", "fresh"]


def test_a_fresh_broker_goes_with_its_session(system: PulsarContainerSystem, made: list[NotedBroker]) -> None:
    """The shared one stays."""
    system.open()
    system.session("a").close()
    system.session("b", CRASH).close()

    assert [(broker.configuration, broker.is_closed) for broker in made] == [("shared", False), ("fresh", True)]


def test_closing_gives_back_all_of_them(system: PulsarContainerSystem, made: list[NotedBroker]) -> None:
    """Those too that nobody used; twice is as good as once, and nothing can be asked afterwards."""
    system.prepare([CRASH])
    system.open()
    system.close()
    system.close()

    assert [broker.is_closed for broker in made] == [True, True]
    with pytest.raises(WrongUsage, match="before open\\(\\), or after close"):
        system.session("late")


def test_a_session_before_the_system_is_open_is_wrong_usage(system: PulsarContainerSystem) -> None:
    """It would wait for a broker that nobody started."""
    with pytest.raises(WrongUsage, match="before open"):
        system.session("early")


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
