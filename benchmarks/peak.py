"""The peak memory of a process and all its descendants together."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_EVERY_S = 0.2


@dataclass
class Peak:
    """The most megabytes that were measured so far."""

    mb: float = 0.0


@contextmanager
def peak_of(root: int) -> Iterator[Peak]:
    """Measure repeatedly while the `with` block runs."""
    peak, done = Peak(), threading.Event()

    def watch() -> None:
        while not done.wait(_EVERY_S):
            peak.mb = max(peak.mb, _resident_mb(root))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield peak
    finally:
        done.set()
        watcher.join()


def _resident_mb(root: int) -> float:
    """The resident memory of a process and all its descendants."""
    children: dict[int, list[int]] = {}
    sizes: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
            except OSError:
                continue  # it has ended in between
            children.setdefault(int(fields[1]), []).append(int(entry.name))
            sizes[int(entry.name)] = int(fields[21]) * 4096
    total, todo = 0, [root]
    while todo:
        pid = todo.pop()
        total += sizes.get(pid, 0)
        todo += children.get(pid, [])
    return total / 1e6
