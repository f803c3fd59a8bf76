"""Launchers of `tests/fakes/process_broker.py`, and what its processes report."""

import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fencepost.adapters.common.address import LOOPBACK, Address, free_port
from fencepost.adapters.common.launcher import LauncherFile, read
from fencepost.adapters.common.process_node import Filled, ProcessNode

FAKE = Path(__file__).parents[1] / "fakes" / "process_broker.py"
_REPORTS_WITHIN_S = 60.0


class Report:
    """What one process of a fake broker reported: its id, and how often it was started on its data."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        connection.settimeout(_REPORTS_WITHIN_S)
        reported = b""
        while not reported.endswith(b"\n"):
            reported += connection.recv(64)
        self.pid, self.starts = map(int, reported.split())

    def await_end(self) -> None:
        """Return when the process has ended."""
        assert self._connection.recv(1) == b""


class Bench:
    """Where fake brokers report, and the nodes that a test makes."""

    def __init__(self, listener: socket.socket, folder: Path) -> None:
        self._listener = listener
        listener.settimeout(_REPORTS_WITHIN_S)
        self.folder = folder
        self.port = listener.getsockname()[1]
        self.nodes: list[ProcessNode] = []
        self.connections: list[socket.socket] = []

    def next_report(self) -> Report:
        """That of the next process that serves."""
        connection = self._listener.accept()[0]
        self.connections.append(connection)
        return Report(connection)

    def command(self, how: str) -> str:
        """The line that starts a fake broker."""
        return f"{sys.executable} {FAKE} {{port}} {self.port} {{data}} {how}"

    def file(self, start: str, *more: str) -> LauncherFile:
        """A launcher file with these lines."""
        path = self.folder / "broker.yaml"
        path.write_text("\n".join(["name: a fake", f"start: {start}", *more, ""]), encoding="utf-8")
        return read(str(path))

    def node(self, start: str, *more: str) -> ProcessNode:
        """A node of such a broker, not yet started."""
        own = self.folder / "run" / f"node-{len(self.nodes) + 1}"
        data = own / "data"
        data.mkdir(parents=True)
        port = free_port()
        values = {"port": str(port), "data": str(data), "node": "1"}
        node = ProcessNode(self.file(start, *more), Address(LOOPBACK, port), Filled(values), own, self.folder / "run")
        self.nodes.append(node)
        return node

    def fake(self, how: str, *more: str) -> ProcessNode:
        """A node of the fake broker."""
        return self.node(self.command(how), *more)


@contextmanager
def bench(folder: Path) -> Iterator[Bench]:
    """Ends all nodes that are made of it."""
    with socket.create_server((LOOPBACK, 0)) as listener:
        made = Bench(listener, folder)
        try:
            yield made
        finally:
            for node in made.nodes:
                node.stop()
            for connection in made.connections:
                connection.close()
