"""What the tests spend, file by file: the seconds that pass, and the seconds that a processor works for this process, for those that it
starts and for the containers that they own.

Loaded where FENCEPOST_SPENT names a file, which gets a table in Markdown at the end of the run. The processor's seconds are the ones to
compare: on a machine that others share, the elapsed seconds depend on the others.
"""

import json
import os
import subprocess
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from fencepost.adapters.common import owners

_EVERY_S = 1.0
"""What a container or an orphan works is known as long as it lives, so it is looked at that often; what it works after that is lost."""
_TICKS = os.sysconf("SC_CLK_TCK")
_USAGES = ("cpuacct/docker/*/cpuacct.usage", "docker/*/cpu.stat", "system.slice/docker-*/cpu.stat")
_WORKER = "PYTEST_XDIST_WORKER"
GROUPS = {
    "tests/systems/test_real_": "real brokers",
    "tests/fencepost/test_defects.py": "the proof: every defect and every conforming variant",
    "tests/pipeline/": "the history checker, on Spark",
    "tests/report/": "reports, on Spark",
    "tests/systems/": "the suite on served and on lying brokers, parity",
    "tests/reference/": "the reference, fuzz of the served one",
    "": "everything else",
}
"""Beginnings of files, the first that fits."""
_NOT_IN_TESTS = "(collection, and what is left at the end)"


@dataclass(frozen=True)
class Process:
    """One that this process started, or one of these did: its parent, and its seconds with those of the children that it has waited for."""

    parent: int
    has_ended: bool
    seconds: float


class Meter:
    """The processor seconds of this process, of those that it started, and of the containers that one of them owns."""

    def __init__(self) -> None:
        self._processes: dict[int, Process] = {}
        self._orphans = 0.0
        self._containers: dict[Path, float] = {}
        self._is_ours: dict[Path, bool] = {}
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._watching = threading.Thread(target=self._watch, daemon=True)

    def watch(self) -> None:
        """From now on it is looked at often; a process that gives its tests to others has nothing to look at."""
        if not self._watching.is_alive():
            self._watching.start()

    def seconds(self) -> tuple[float, float]:
        """Of processes, and of containers, until now."""
        with self._lock:
            living = tree_of(os.getpid())
            # A process that ended before its parent was waited for, and is in the parent's count; Spark's Java outlives it, and is not.
            parents = {pid for pid, one in living.items() if not one.has_ended}
            gone = [one for pid, one in self._processes.items() if pid not in living]
            self._orphans += sum(one.seconds for one in gone if one.parent not in parents)
            self._processes = living
            self._look_at_containers()
            return self._orphans + sum(one.seconds for one in living.values()), sum(self._containers.values())

    def close(self) -> None:
        self._ended.set()

    def _look_at_containers(self) -> None:
        for usage in (path for pattern in _USAGES for path in Path("/sys/fs/cgroup").glob(pattern)):
            if usage not in self._is_ours:
                self._is_ours[usage] = _owner(usage.parent.name.removeprefix("docker-").removesuffix(".scope")) in self._processes
            if self._is_ours[usage] and (seconds := _usage(usage)) is not None:
                self._containers[usage] = seconds

    def _watch(self) -> None:
        while not self._ended.wait(_EVERY_S):
            self.seconds()


class Spent:
    """A process of the tests: each moment belongs to the file of the test that runs, or of the one that ran last."""

    def __init__(self, to: Path) -> None:
        self._to = to
        if _WORKER not in os.environ:
            for left in to.parent.glob(f"{to.stem}.*.json"):  # of a run that was ended by force
                left.unlink()
        self._meter = Meter()
        self._by_file: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._before = dict[str, float]()
        self._goes_on = False
        """Whether the next test is of the same file as the last one. To ask the system about all processes takes longer than most tests."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
        if not self._goes_on:
            self._meter.watch()
            self._book(_NOT_IN_TESTS)
        self._goes_on = nextitem is not None and nextitem.path == item.path
        try:
            return (yield)
        finally:
            if not self._goes_on:
                self._book(item.path.relative_to(item.config.rootpath).as_posix())

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        self._book(_NOT_IN_TESTS)
        self._meter.close()
        worker = os.environ.get(_WORKER, "main")
        self._to.with_suffix(f".{worker}.json").write_text(json.dumps(self._by_file))
        if not hasattr(session.config, "workerinput"):
            self._to.write_text(tables(self._to.parent.glob(f"{self._to.stem}.*.json")))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """The table stands before the line in which pytest sums up, which is the last that CI reads."""
        terminalreporter.section("what the tests spent")
        terminalreporter.write_line(self._to.read_text())

    def _book(self, to: str) -> None:
        processes, containers = self._meter.seconds()
        now = {"passed": time.monotonic(), "processes": processes, "containers": containers}
        self._by_file[to].update({what: max(0.0, now[what] - self._before.get(what, now[what])) for what in now})
        self._before = now


def tables(files: Iterator[Path]) -> str:
    """What every process of the tests spent: by groups of files, and by files, the dearest first."""
    by_file: defaultdict[str, Counter[str]] = defaultdict(Counter)
    by_group: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for file in files:
        for name, spent in json.loads(file.read_text()).items():
            by_file[name].update(spent)
            by_group[next(group for start, group in GROUPS.items() if name.startswith(start))].update(spent)
        file.unlink()
    return _table("group", by_group) + "\n" + _table("file", by_file)


def _table(of: str, spent: dict[str, Counter[str]]) -> str:
    rows = sorted(spent.items(), key=lambda row: -_worked(row[1]))
    rows.append(("all", sum(spent.values(), Counter[str]())))
    lines = [f"| {name} | {_worked(one):.0f} | {one['containers']:.0f} | {one['passed']:.0f} |" for name, one in rows]
    return "\n".join([f"| {of} | processor s | of these in containers | s that passed |", "|---|---|---|---|", *lines, ""])


def _worked(spent: Counter[str]) -> float:
    return spent["processes"] + spent["containers"]


def tree_of(root: int) -> dict[int, Process]:
    """This process, and those that descend from it."""
    children: defaultdict[int, list[int]] = defaultdict(list)
    every: dict[int, Process] = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdecimal():
            try:
                state, parent, *fields = _stat(entry.path).rpartition(b")")[2].split()
            except OSError:  # it is gone
                continue
            children[int(parent)].append(int(entry.name))
            every[int(entry.name)] = Process(int(parent), state == b"Z", sum(map(int, fields[9:13])) / _TICKS)
    found, waiting = {}, [root]
    while waiting:
        pid = waiting.pop()
        if pid in every:
            found[pid] = every[pid]
            waiting += children[pid]
    return found


def _stat(process: str) -> bytes:
    """Without a file object, which takes longer than to read it."""
    file = os.open(f"{process}/stat", os.O_RDONLY)
    try:
        return os.read(file, 4096)
    finally:
        os.close(file)


def _usage(path: Path) -> float | None:
    """The seconds of a control group, of its first or second kind; None when it is gone."""
    try:
        reported = path.read_text().split()
    except OSError:
        return None
    return int(reported[0]) / 1e9 if len(reported) == 1 else int(reported[1]) / 1e6


def _owner(container: str) -> int | None:
    """The process that the container's label names."""
    asked = ["docker", "inspect", "--format", f'{{{{index .Config.Labels "{owners.LABEL}"}}}}', container]
    reported = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.split()
    return int(reported[1]) if len(reported) == 3 else None
