"""The log that a broker wrote while a session was open. No container is started here."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from docker.errors import NotFound  # type: ignore[import-untyped]  # it has no types

from fencepost.adapters.common.containers import BrokerContainer
from fencepost.adapters.common.node_logs import MOST_BYTES, FileLog, NodeLog, since_now


class Session:
    """A session that can only be closed."""

    def __init__(self) -> None:
        self.closing: list[Callable[[], None]] = []

    def on_close(self, act: Callable[[], None]) -> None:
        self.closing.append(act)

    def close(self) -> None:
        for act in self.closing:
            act()


def test_only_what_is_written_while_the_session_is_open_is_kept(tmp_path: Path) -> None:
    """For each node, also one that starts later, and without what was written before or after."""
    logs = {name: tmp_path / name / "broker.log" for name in ("node-1", "node-2")}
    for log in logs.values():
        log.parent.mkdir()
    logs["node-1"].write_text("before\n")
    known: list[NodeLog] = [FileLog(logs["node-1"])]
    session = Session()

    written = since_now(lambda: known, session)
    known.append(FileLog(logs["node-2"]))
    with logs["node-1"].open("a") as file:
        file.write("meanwhile\n")
    logs["node-2"].write_text("later\n")
    session.close()
    with logs["node-1"].open("a") as file:
        file.write("after\n")

    assert written() == "--- node-1\nmeanwhile\n\n--- node-2\nlater\n\n"


def test_of_much_the_end_is_kept(tmp_path: Path) -> None:
    """A node that writes without pause does not fill a folder of results."""
    log = tmp_path / "broker.log"
    log.write_text("x" * MOST_BYTES + "the end")

    assert (len(kept := FileLog(log).between(0, FileLog(log).now())), kept[-7:]) == (MOST_BYTES, "the end")


class Wrapped:
    """Docker's view of a container that wrote a line at each of these seconds."""

    def __init__(self, *seconds: int) -> None:
        self.lines = [f"{datetime.fromtimestamp(at, UTC).isoformat().replace('+00:00', '.000000001Z')} at {at}" for at in seconds]
        self.is_there = True

    def logs(self, tail: int | str, since: float | None, timestamps: bool) -> bytes:
        assert timestamps
        if not self.is_there:
            raise NotFound("no such container")
        del since  # Docker itself leaves out only what is too early
        return "\n".join(self.lines if tail == "all" else self.lines[-int(tail) :]).encode()

    def remove(self, **_: Any) -> None:
        self.is_there = False


@pytest.mark.parametrize("is_removed", [False, True])
def test_the_log_of_a_container_is_known_when_it_is_removed(is_removed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A broker of a single scenario is gone when the scenario is found red; its lines between two times are kept all the same."""
    monkeypatch.setattr("testcontainers.core.container.DockerClient", lambda **_: type("Client", (), {"client": Session()})())
    container = BrokerContainer("an/image:1", {}, ())
    container._container = Wrapped(100, 200, 300, 400)  # testcontainers' view of a started container
    if is_removed:
        container.stop()

    assert container.between(150.0, 300.5) == "at 200\nat 300"
    assert container.between(500.0, 600.0) == ""
