"""Reports which scenario and step a process is running; read from another thread, at no cost to the scenarios."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from fencepost.console.progress import Now, Planned
from fencepost.contract.brokers import ScheduledScenario
from fencepost.contract.items import PROTOCOL, STEP, WORKER, feature_of, needs_of, requirement_of, scenario_of
from fencepost.contract.progress import doing_of
from fencepost.run.plan import about_seconds

from .worker_mailbox import Posting

FOLDER = "fencepost_mailbox"
"""The name under which a worker receives the mailbox's folder."""


class Looking:
    """The plugin of the process that runs scenarios: knows which item runs."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._item: pytest.Item | None = None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._item = item
        try:
            return (yield)
        finally:
            self._item = None

    def now(self) -> Now:
        """The scenario, its step, and what the systems are doing."""
        item, running = self._item, self._config.pluginmanager.get_plugin("fencepost-running")
        if running is None:
            return Now()
        doing = [doing for system in running.systems.by_protocol.values() for doing in doing_of(system)] + running.playing.doing()
        pace = {"share": running.playing.share, "idle_s": running.playing.idle_s}
        return Now(item.nodeid, item.stash.get(STEP, "") or running.step_of(item), doing, **pace) if item else Now(doing=doing, **pace)


class InWorker(Looking):
    """The same in a worker process, which reports it through the mailbox."""

    def __init__(self, config: pytest.Config, folder: Path, worker: str) -> None:
        super().__init__(config)
        self._posting = Posting(folder, worker, self.now)

    @pytest.hookimpl(tryfirst=True)  # before the systems are waited for
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._posting.plan(planned(session.items))

    def pytest_unconfigure(self) -> None:
        self._posting.close()


def in_worker(config: pytest.Config) -> None:
    """Have a worker process report what it is doing, if the run has a mailbox."""
    reported = getattr(config, "workerinput", {})
    if FOLDER in reported:
        config.pluginmanager.register(InWorker(config, Path(reported[FOLDER]), reported["workerid"]), "fencepost-looking")


def planned(items: Sequence[pytest.Item]) -> dict[str, Planned]:
    """The scenarios among these items, by node id."""
    return {item.nodeid: _planned(item) for item in items if scenario_of(item)}


def _planned(item: pytest.Item) -> Planned:
    several = "fencepost_protocol" in getattr(getattr(item, "callspec", None), "params", ())
    title = scenario_of(item).name + (f" ({item.stash[PROTOCOL]})" if several else "")
    return Planned(feature_of(item), requirement_of(item), title, item.stash.get(WORKER, None), _seconds(item))


def _seconds(item: pytest.Item) -> float:
    """The estimated seconds of a scenario; 1 if its system is not known in this process."""
    running = item.config.pluginmanager.get_plugin("fencepost-running")
    system = running.systems.by_protocol.get(item.stash[PROTOCOL]) if running else None
    return about_seconds(system, ScheduledScenario(feature_of(item), needs_of(item))) if system else 1.0
