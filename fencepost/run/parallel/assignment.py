"""Scenarios are assigned to worker processes before the first one runs, so that each worker starts only the brokers that it needs.

Every worker assigns all scenarios in the same way and reports that through the mailbox; the process that hands them out follows it. If a
system does not care which worker asks what, pytest-xdist hands out its scenarios, a few at a time.
"""

from collections.abc import Iterable, Mapping

import pytest

from fencepost.contract.brokers import ScheduledScenario, deal, share_machine
from fencepost.contract.items import PROTOCOL, WORKER, feature_of, needs_of
from fencepost.contract.ports import System

from .worker_status import FOLDER


class Dealing:
    """A process's share of the scenarios: all of them in a process that runs alone."""

    def __init__(self, config: pytest.Config) -> None:
        reported = getattr(config, "workerinput", {})
        self._workers: int = reported.get("workercount", 1)
        self._number = _number_of(reported.get("workerid", "gw0"))
        self._is_heard = FOLDER in reported

    def notify_of_workers(self, systems: Iterable[System]) -> None:
        """Notify the systems how many processes have systems like them."""
        for system in systems:
            share_machine(system, self._workers)

    def deal(self, items: Iterable[pytest.Item], systems: Mapping[str, System]) -> None:
        """Note on each scenario which worker runs it, if its system cares and the process that hands them out reads it."""
        by_protocol: dict[str, list[pytest.Item]] = {}
        for item in items if self._is_heard else ():
            by_protocol.setdefault(item.stash[PROTOCOL], []).append(item)
        for protocol, of_it in by_protocol.items():
            asked = [ScheduledScenario(feature_of(item), needs_of(item)) for item in of_it]
            for item, worker in zip(of_it, deal(systems[protocol], asked, self._workers) or (), strict=False):
                item.stash[WORKER] = worker

    def of_this_process(self, items: Iterable[pytest.Item]) -> list[pytest.Item]:
        """The scenarios that this process will run, as far as is known. A worker that replaces a dead one may get any."""
        items = list(items)
        return [item for item in items if item.stash.get(WORKER, self._number) == self._number] or items


def _number_of(worker: str) -> int:
    return int(worker.removeprefix("gw"))
