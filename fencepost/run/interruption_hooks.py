"""What a request to stop does to pytest: the running scenario is given up, and those after it are not started.

pytest's own interruption is not used: it would skip the closing of a run, and end the output with a place in the kit's code.
"""

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from .interruption import StoppedEarly, Stopping

WORKERS = "fencepost_workers"
"""The name under which a worker receives the folder for its process id."""
GIVEN_UP = pytest.StashKey[str]()
"""Why a scenario was given up. It then has no verdict."""


class StoppingHooks:
    """Hooks around each scenario; in the process that starts workers, they also notify these."""

    def __init__(self, stopping: Stopping) -> None:
        self.stopping = stopping
        self._open = ExitStack()

    def pytest_configure(self, config: pytest.Config) -> None:
        self._config = config

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self) -> None:
        self._mute()

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logfinish(self) -> None:
        self.stopping.with_other_workers()
        self._mute()

    def _mute(self) -> None:
        """Mute Allure's plugin: it wraps the hook that starts scenarios, and would write a result for each that is not started."""
        manager = self._config.pluginmanager
        if self.stopping.reason and (listener := manager.get_plugin("allure_listener")):
            manager.unregister(listener)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self) -> bool | None:
        """Do not start any scenario after the request."""
        return True if self.stopping.reason else None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Iterator[None]:
        with self._given_up(item), self.stopping.ending_early():
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        with self._given_up(item), self.stopping.ending_early():
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Iterator[None]:
        with self._given_up(item), self.stopping.ending_early(only_at_once=True):
            return (yield)

    @contextmanager
    def _given_up(self, item: pytest.Item) -> Iterator[None]:
        try:
            yield
        except StoppedEarly as stopped:
            item.stash[GIVEN_UP] = stopped.reason
            pytest.skip(f"given up: {stopped.reason}")

    # --- worker processes -----------------------------------------------------------------------------------------------

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Give a worker the folder for its process id, where it also learns if the run was stopped before it started."""
        if not self.stopping.workers:
            self.stopping.report_workers_in(Path(self._open.enter_context(tempfile.TemporaryDirectory(prefix="fencepost-workers-"))))
        node.workerinput[WORKERS] = str(self.stopping.workers)

    def pytest_unconfigure(self) -> None:
        self._open.close()
