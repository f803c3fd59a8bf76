"""The life of a broker in containers, which is the same for all protocols. No container is started here."""

from collections.abc import Callable

import pytest

from fencepost.adapters.common import container_broker
from fencepost.adapters.common.container_broker import ContainerBroker
from fencepost.contract.errors import SystemUnreachable, WrongUsage
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done, Outcome, Unknown


class NotedContainers:
    """Containers that only note the calls."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.runs = True
        self.log = "the password is 1234"

    def kill(self) -> None:
        self.calls.append("kill")
        self.runs = False

    def start_again(self) -> None:
        self.calls.append("start again")
        self.runs = True

    def is_running(self) -> bool:
        return self.runs

    def last_lines(self) -> str:
        return self.log

    @property
    def logs(self) -> tuple[()]:
        return ()

    def stop(self) -> None:
        self.calls.append("stop")


class NotedBroker(ContainerBroker[NotedContainers, int]):
    """A broker that serves when it is asked for the third time, or whose container ends before."""

    in_doubt = "expected an image of this test"

    def __init__(self, ends: bool = False) -> None:
        super().__init__("an/image:1", "short", 1.0)
        self.made = NotedContainers()
        self.asked = 0
        self._ends = ends

    def start_containers(self, waits_for: Callable[[str], None]) -> NotedContainers:
        waits_for("nothing")
        return self.made

    def ask(self, containers: NotedContainers) -> Outcome[int]:
        self.asked += 1
        containers.runs = not self._ends
        return Done(self.asked) if self.asked % 3 == 0 else Unknown("not yet")

    def shown(self, log: str) -> str:
        return log.replace("1234", "...")


def test_a_broker_is_waited_for_when_it_starts_and_after_a_crash() -> None:
    """Both times until it serves; the container stays the same."""
    broker = NotedBroker()

    broker.start()
    offer = broker.offer
    broker.crash()
    broker.restart()
    broker.close()

    assert (offer, broker.asked) == (3, 6)
    assert broker.made.calls == ["kill", "start again", "stop"]


def test_a_broker_whose_container_ends_is_not_waited_for() -> None:
    """A caller that needs it gets an error with the last attempt and the end of the log, without secrets."""
    broker = NotedBroker(ends=True)

    broker.start()

    with pytest.raises(
        SystemUnreachable,
        match=r"an/image:1, configuration short, ended before it served \(expected an image.*not yet.*\nthe password is \.\.\.$",
    ):
        _ = broker.offer


def test_a_broker_that_does_not_serve_again_is_given_up() -> None:
    """It is awaited once; a later restart fails at once with the same reason."""
    broker = NotedBroker()
    broker.start()
    broker.crash()
    broker._ends = True
    reasons = []

    for _ in range(2):
        with pytest.raises(SetUpFailed, match="an/image:1, configuration short, ended before it served") as raised:
            broker.restart()
        reasons.append(str(raised.value))

    assert reasons == [broker.died] * 2
    assert broker.made.calls == ["kill", "start again"]


def test_a_broker_that_is_closed_while_it_starts_is_removed() -> None:
    """Its containers are removed as soon as they exist, and no caller can use it any more."""

    class ClosedAsItStarts(NotedBroker):
        def start_containers(self, waits_for: Callable[[str], None]) -> NotedContainers:
            self.close()
            return super().start_containers(waits_for)

    broker = ClosedAsItStarts()

    broker.start()

    assert broker.made.calls == ["stop"]
    with pytest.raises(WrongUsage, match="is not open"):
        broker.crash()


def test_a_container_that_writes_nothing_and_does_not_serve_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is another kind of image; the error names the expected kind, without class names and colours."""
    monkeypatch.setattr(container_broker, "_QUIET_FOR_S", 0.02)
    monkeypatch.setattr(container_broker, "_LOOKED_AT_EVERY_S", 0.01)

    class Silent(NotedBroker):
        def ask(self, containers: NotedContainers) -> Outcome[int]:
            del containers
            return Unknown("connection refused")

    broker = Silent()
    broker.made.log = "\x1b[31mready\x1b[0m\n" + 400 * "x"

    broker.start()

    with pytest.raises(SystemUnreachable) as raised:
        _ = broker.offer
    said = str(raised.value)
    assert (
        "does not serve, and has written nothing for 0.02 s (expected an image of this test); the last attempt: connection refused." in said
    )
    assert said.endswith("\nready\n" + 300 * "x")


def test_a_container_that_writes_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as for any other broker."""
    monkeypatch.setattr(container_broker, "_QUIET_FOR_S", 0.02)
    monkeypatch.setattr(container_broker, "_LOOKED_AT_EVERY_S", 0.0)

    class Busy(NotedBroker):
        def ask(self, containers: NotedContainers) -> Outcome[int]:
            self.asked += 1
            containers.log += "."
            return Done(1) if self.asked == 10 else Unknown("not yet")

    broker = Busy()
    broker.start()

    assert broker.offer == 1
