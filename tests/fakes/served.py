"""The reference over TCP for tests: as the command that users start, or in a thread of this process on a virtual clock.

It does not lie; in a thread only its clock is not the world's.
"""

import asyncio
import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from commands import begun_fencepost
from forked_process import ForkedProcess

from fencepost.reference.kafka import AdvertisedListener, KafkaParts, Profile, ReferenceKafka, Settings
from fencepost.reference.serving.kafka import KafkaConnection
from fencepost.reference.serving.server import HOST, Meet, Server, listen

T = TypeVar("T")
ENDS_WITHIN_S = 20.0


@dataclass(frozen=True)
class Command:
    """A running `fencepost serve`."""

    process: "subprocess.Popen[str] | ForkedProcess"
    greeting: str
    log: Path

    @property
    def port(self) -> int:
        return self._ports[0]

    @property
    def admin_port(self) -> int:
        return self._ports[1]

    @property
    def _ports(self) -> list[int]:
        found = re.findall(r"127\.0\.0\.1:(\d+)", self.greeting)
        assert found, self.greeting
        return [int(port) for port in found]

    def memory_kb(self) -> int:
        """The most memory that the process has had at a time."""
        found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{self.process.pid}/status").read_text())
        assert found
        return int(found[1])


@contextlib.contextmanager
def serve_command(
    folder: Path,
    *arguments: str,
    system: str = "kafka",
    end_with: signal.Signals = signal.SIGTERM,
    dies_with: int | None = None,
    itself: bool = False,
) -> Iterator[Command]:
    """`fencepost serve` on free ports. It must end with 0 when it is asked to end, or have ended with that exit code by itself.

    It is forked from a process that is ready, or begun as its users begin it, with nothing in its memory but what it needs.
    """
    log = folder / "serve.log"
    ports = ["--port", "0", *(["--admin-port", "0"] if system == "pulsar" else [])]
    command = ["serve", system, *ports, *arguments]
    forked = None if itself else begun_fencepost(*command, errors=log)
    with forked or _begun(command, log) as process:
        try:
            assert process.stdout is not None
            yield Command(process, process.stdout.readline(), log)
            if dies_with is None:
                process.send_signal(end_with)
            assert process.wait(ENDS_WITHIN_S) == (dies_with or 0), log.read_text()
        finally:
            process.kill()


def _begun(command: list[str], log: Path) -> "subprocess.Popen[str]":
    program = str(Path(sys.executable).parent / "fencepost")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV_"))}
    with log.open("w") as errors:
        return subprocess.Popen([program, *command], stdout=subprocess.PIPE, stderr=errors, text=True, env=environment)


class EventLoop:
    """An event loop in a thread."""

    def __enter__(self) -> "EventLoop":
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(ENDS_WITHIN_S)
        self._loop.close()

    def do(self, act: Callable[[], T]) -> T:
        """Do something where nothing else is being done."""

        async def acted() -> T:
            return act()

        return self.wait_for(acted())

    def wait_for(self, awaited: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(awaited, self._loop).result(ENDS_WITHIN_S)


class Door:
    """A port of this process, where an event loop serves each client that connects."""

    def __init__(self, loop: EventLoop, listener: socket.socket, meet: Meet) -> None:
        self.port: int = listener.getsockname()[1]
        self._loop = loop
        self._serving = loop.do(lambda: asyncio.get_running_loop().create_task(Server(meet).serve(listener)))

    def close(self) -> None:
        """End it, with all its connections."""

        async def ended() -> None:
            self._serving.cancel()
            await asyncio.gather(self._serving, return_exceptions=True)

        self._loop.wait_for(ended())


class Served:
    """A broker of this process, each of its nodes at a separate port. Its time passes only when it is advanced."""

    def __init__(self, loop: EventLoop, make_broker: Callable[[AdvertisedListener], ReferenceKafka]) -> None:
        listener = listen(0)
        self.broker = make_broker(AdvertisedListener(HOST, listener.getsockname()[1]))
        self._loop = loop
        self._doors = {1: self._door(listener, 1)}
        self.port = self._doors[1].port

    def port_of(self, node: int) -> int:
        """Where a node is served; from when it is first asked for."""
        if node not in self._doors:
            self._doors[node] = self._door(listen(0), node)
        return self._doors[node].port

    def do(self, act: Callable[[ReferenceKafka], T]) -> T:
        """Do something to the broker, between two requests."""
        return self._loop.do(lambda: act(self.broker))

    def close(self) -> None:
        """End it, with all its connections."""
        for door in self._doors.values():
            door.close()

    def _door(self, listener: socket.socket, node: int) -> Door:
        return Door(self._loop, listener, lambda memory, reader, writer: KafkaConnection(self.broker, memory, reader, writer, node))


@contextlib.contextmanager
def served_here(
    profile: str = "seed",
    parts: KafkaParts = KafkaParts(),  # noqa: B008 - immutable, as the settings are
    settings: Settings = Settings(),  # noqa: B008
) -> Iterator[Served]:
    """A reference in this process."""
    with EventLoop() as loop:
        served = Served(loop, lambda address: ReferenceKafka(Profile.load(profile), parts, settings, address=address))
        try:
            yield served
        finally:
            served.close()
