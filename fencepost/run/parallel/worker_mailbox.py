"""How worker processes report what they are doing, under `-n`: a file each, which the process that shows the run reads.

pytest-xdist transports verdicts, but not what a worker is doing now. So each worker writes that into a folder of the run, a few times a
second if it has changed, and once the scenarios that there are.
"""

import dataclasses
import json
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from fencepost.console.progress import Now, Planned
from fencepost.contract.progress import Activity

_EVERY_S = 0.25
_PLAN = "plan.json"


class Mailbox:
    """The folder, as the process that shows the run reads it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def planned(self) -> dict[str, Planned]:
        """The scenarios that a worker collected: all collect the same. Empty before."""
        reported = _read(self.folder / _PLAN)
        return {nodeid: Planned(**planned) for nodeid, planned in reported.items()} if reported else {}

    def look_at(self, worker: str) -> Callable[[], Now]:
        """A function that returns what that worker is doing."""

        def look() -> Now:
            reported = _read(self.folder / f"{worker}.json")
            return Now(reported["nodeid"], reported["step"], [Activity(**doing) for doing in reported["doing"]]) if reported else Now()

        return look


class Posting:
    """The worker's side: writes what `look` returns until it is closed."""

    def __init__(self, folder: Path, worker: str, look: Callable[[], Now]) -> None:
        self._path = folder / f"{worker}.json"
        self._look = look
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._post_often, name="report what this worker does", daemon=True)
        self._thread.start()

    def plan(self, scenarios: Mapping[str, Planned]) -> None:
        """Report which scenarios there are."""
        _write(self._path.with_name(_PLAN), {nodeid: dataclasses.asdict(planned) for nodeid, planned in scenarios.items()})

    def close(self) -> None:
        """Stop reporting."""
        self._is_over.set()
        self._thread.join()

    def _post_often(self) -> None:
        last: dict[str, Any] = {}
        while True:
            now = dataclasses.asdict(self._look())
            if now != last:
                last = now
                _write(self._path, now)
            if self._is_over.wait(_EVERY_S):
                return


def _write(path: Path, data: dict[str, Any]) -> None:
    """Replace a file in one step. After the run the folder is gone, and nothing reads it."""
    half = path.with_name(f".{path.name}.{threading.get_ident()}")
    try:
        half.write_text(json.dumps(data), encoding="utf-8")
        half.replace(path)
    except FileNotFoundError:
        pass


def _read(path: Path) -> dict[str, Any] | None:
    try:
        reported: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return reported
