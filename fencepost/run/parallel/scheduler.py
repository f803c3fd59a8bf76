"""Hands scenarios out to the worker processes to which they were assigned (`assignment.py`).

This module is imported only after pytest has loaded pytest-xdist as a plugin: pytest would warn otherwise.
"""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]  # it has none

from fencepost.console.progress import Planned


class AsDealt(LoadScopeScheduling):  # type: ignore[misc]  # it has no types
    """Hands out to each worker what was assigned to it; what a dead worker has left goes to the next one that starts."""

    def __init__(self, config: pytest.Config, log: Any, planned: Callable[[], Mapping[str, Planned]]) -> None:
        super().__init__(config, log)
        self._read_plan = planned
        self._planned: Mapping[str, Planned] = {}

    def _split_scope(self, nodeid: str) -> str:
        self._planned = self._planned or self._read_plan()
        known = self._planned.get(nodeid)
        return f"gw{known.worker or 0}" if known else nodeid

    def _assign_work_unit(self, node: Any) -> None:
        if node.gateway.id in self.workqueue:
            self.workqueue.move_to_end(node.gateway.id, last=False)
        super()._assign_work_unit(node)

    def remove_node(self, node: Any) -> str | None:
        """As in the base class, but the scenario that ran when the worker died is not run again, as with `-n` elsewhere."""
        died_in: str | None = super().remove_node(node)
        for scope, unit in list(self.workqueue.items()):
            if died_in in unit:
                unit[died_in] = True
            if all(unit.values()):
                del self.workqueue[scope]
        return died_in
