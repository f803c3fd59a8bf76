"""What a request to stop does to pytest: the scenario that is running is given up, and those after it are not begun.

pytest's own interruption is not used: it would skip what closes a run, and end the output with a place in the kit's code.
"""

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from .interruption import Stopped, Stopping

WORKERS = "fencepost_workers"
"""Under this name a worker is told the folder in which it leaves its number."""
GIVEN_UP = pytest.StashKey[str]()
"""Why a scenario was not brought to its end. It then has no verdict."""


class StoppingHooks:
    """Around each scenario; in the process that starts workers, also what tells them."""

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
        self._mute()

    def _mute(self) -> None:
        """Allure's plugin would write a result for each scenario that is not begun, for it is around the hook that begins them."""
        manager = self._config.pluginmanager
        if self.stopping.reason and (listener := manager.get_plugin("allure_listener")):
            manager.unregister(listener)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self) -> bool | None:
        """Whatever comes after the request is not begun."""
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
        except Stopped as stopped:
            item.stash[GIVEN_UP] = stopped.reason
            pytest.skip(f"given up: {stopped.reason}")

    # --- worker processes -----------------------------------------------------------------------------------------------

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """A worker is told where it leaves its number, and learns there that the run was stopped before it was there."""
        if not self.stopping.workers:
            self.stopping.tell_workers_in(Path(self._open.enter_context(tempfile.TemporaryDirectory(prefix="fencepost-workers-"))))
        node.workerinput[WORKERS] = str(self.stopping.workers)

    def pytest_unconfigure(self) -> None:
        self._open.close()
