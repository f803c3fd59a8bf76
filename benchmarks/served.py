"""The reference under `fencepost serve`, for the benchmarks that measure it from outside."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def served(*options: str, ports: int = 1) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """The process of a server with these options, and the loopback ports that it prints first; it is ended afterwards."""
    command = [str(Path(sys.executable).parent / "fencepost"), "serve", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            found: list[str] = []
            while len(found) < ports:
                found += re.findall(r"127\.0\.0\.1:(\d+)", line := server.stdout.readline())
                assert line, "the server has ended"
            yield server, [int(port) for port in found]
        finally:
            server.terminate()
