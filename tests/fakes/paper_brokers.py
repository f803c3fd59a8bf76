"""Brokers on paper: a host that counts the containers that it has, and brokers that serve as soon as they are started.

They lie about nothing but their substance: the life of a broker and of its system is that of `adapters/common`, threads included.
"""

import threading
from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack, suppress

from fencepost.adapters.common.configurations import BrokerConfiguration, BrokerSettings
from fencepost.adapters.common.container_broker import ContainerBroker, Starting
from fencepost.adapters.common.container_system import ContainerSystem
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done, Outcome
from fencepost.contract.ports import Exchange

NEEDS = {name: frozenset({name}) for name in ("b", "c", "d", "e", "two", "fresh")}
"""What a scenario needs for each configuration but the first, by its name."""


class PaperConfiguration(BrokerConfiguration):
    """A configuration whose brokers hold so many containers."""

    nodes: int = 1

    @property
    def containers(self) -> int:
        return self.nodes


SETTINGS = BrokerSettings[PaperConfiguration](
    project="Paper",
    official=["paper"],
    image="paper",
    base={},
    configurations={
        "plain": PaperConfiguration(offers=[], settings={}),
        "b": PaperConfiguration(offers=["b"], settings={}),
        "c": PaperConfiguration(offers=["c"], settings={}),
        "d": PaperConfiguration(offers=["d"], settings={}),
        "e": PaperConfiguration(offers=["e"], settings={}),
        "two": PaperConfiguration(offers=["two"], settings={}, nodes=2),
        "fresh": PaperConfiguration(offers=["fresh"], settings={}, fresh=True),
    },
)


class Host:
    """What has containers: how many now, and the most that it ever had at one time."""

    def __init__(self) -> None:
        self.now = self.most = 0
        self.began = threading.Event()
        self._lock = threading.Lock()

    def hold(self, change: int) -> None:
        with self._lock:
            self.now += change
            self.most = max(self.most, self.now)
        self.began.set()


class PaperContainers:
    """The containers of one broker, or of one cluster."""

    def __init__(self, host: Host, count: int) -> None:
        self.host, self.count = host, count
        self.is_broken = False
        host.hold(count)

    def kill(self) -> None: ...
    def start_again(self) -> None: ...

    def is_running(self) -> bool:
        return not self.is_broken

    def last_lines(self) -> str:
        return ""

    @property
    def logs(self) -> tuple[()]:
        return ()

    def stop(self) -> None:
        self.host.hold(-self.count)


class PaperSession:
    """A session that knows its broker."""

    def __init__(self, broker: "PaperBroker") -> None:
        self.broker = broker
        self.broker_log: Callable[[], str] | None = None
        self.said: list[Exchange] = []
        self._closing = ExitStack()

    def exchanges(self) -> Sequence[Exchange]:
        return self.said

    def on_close(self, act: Callable[[], None]) -> None:
        self._closing.callback(act)

    def close(self) -> None:
        self._closing.close()


class PaperBroker(ContainerBroker[PaperContainers, str]):
    """A broker that serves when `may_serve` is set, and notes how many sessions it had."""

    in_doubt = "expected paper"

    def __init__(self, configuration: str, host: Host, may_serve: threading.Event, starting: Starting) -> None:
        super().__init__("paper", configuration, 1.0, starting)
        self._host, self._may_serve = host, may_serve
        self.sessions = 0
        self.was_started = False

    def start_containers(self, waits_for: Callable[[str], None]) -> PaperContainers:
        waits_for("paper")
        self.was_started = True
        return PaperContainers(self._host, SETTINGS.configuration(self.configuration).containers)

    def ask(self, containers: PaperContainers) -> Outcome[str]:
        del containers
        assert self._may_serve.wait(20)
        return Done("all")

    @property
    def is_closed(self) -> bool:
        return self._closed

    def session(self) -> PaperSession:
        assert self.offer == "all"
        self.sessions += 1
        return PaperSession(self)

    def die(self) -> None:
        """Do not serve again after a crash."""
        self.crash()
        self.containers.is_broken = True
        with suppress(SetUpFailed):
            self.restart()

    def pause(self, node: int) -> None: ...
    def resume(self, node: int) -> None: ...


class PaperSystem(ContainerSystem[PaperBroker]):
    """A system of such brokers; `made` are all that there ever were. They serve at once, unless `may_serve` is cleared."""

    def __init__(self) -> None:
        super().__init__("paper", 1.0, SETTINGS)
        self.host = Host()
        self.made: list[PaperBroker] = []
        self.may_serve = threading.Event()
        self.may_serve.set()

    def make(self, configuration: str, to_come: int, why: str) -> PaperBroker:
        del to_come
        broker = PaperBroker(configuration, self.host, self.may_serve, Starting(self._board, why))
        self.made.append(broker)
        return broker

    def open(self) -> str:
        offer = self._default_broker().offer
        self._is_open = True
        return offer

    def session(self, configuration: str, title: str = "") -> PaperSession:
        """A session as a scenario gets it whose needs lead to that configuration."""
        return self._session_on(title, needs_for([configuration])[0], lambda broker: broker.session())


def needs_for(configurations: Collection[str]) -> list[frozenset[str]]:
    """The needs of scenarios that run with these configurations."""
    return [NEEDS.get(name, frozenset()) for name in configurations]
