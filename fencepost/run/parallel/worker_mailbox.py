"""What worker processes tell of their doing, under `-n`: a file each, which the process that shows the run reads.

pytest-xdist brings verdicts from workers, and has no room for what a worker is at. So each writes that into a folder of the run, a few
times a second where it has changed, and once which scenarios there are.
"""

import dataclasses
import json
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from fencepost.console.progress import Now, Planned
from fencepost.contract.progress import Doing

_EVERY_S = 0.25
_PLAN = "plan.json"


class Mailbox:
    """The folder, as whoever shows the run sees it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def planned(self) -> dict[str, Planned]:
        """What a worker collected: all collect the same. Empty before."""
        told = _read(self.folder / _PLAN)
        return {nodeid: Planned(**planned) for nodeid, planned in told.items()} if told else {}

    def look_at(self, worker: str) -> Callable[[], Now]:
        """How one asks what that worker is at."""

        def look() -> Now:
            told = _read(self.folder / f"{worker}.json")
            return Now(told["nodeid"], told["step"], [Doing(**doing) for doing in told["doing"]]) if told else Now()

        return look


class Posting:
    """A worker's half: writes what `look` finds until it is closed."""

    def __init__(self, folder: Path, worker: str, look: Callable[[], Now]) -> None:
        self._path = folder / f"{worker}.json"
        self._look = look
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._post_often, name="tell what this worker does", daemon=True)
        self._thread.start()

    def plan(self, scenarios: Mapping[str, Planned]) -> None:
        """Tell which scenarios there are."""
        _write(self._path.with_name(_PLAN), {nodeid: dataclasses.asdict(planned) for nodeid, planned in scenarios.items()})

    def close(self) -> None:
        """Tell nothing any more."""
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
    """Replace a file in one step. The folder is gone when the run is over, and then nobody wants to know."""
    half = path.with_name(f".{path.name}.{threading.get_ident()}")
    try:
        half.write_text(json.dumps(data), encoding="utf-8")
        half.replace(path)
    except FileNotFoundError:
        pass


def _read(path: Path) -> dict[str, Any] | None:
    try:
        told: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return told
