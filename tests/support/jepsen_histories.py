"""Histories of Jepsen's Kafka workload as events: the few of this repository, and all that a user has added to them."""

import os
from pathlib import Path
from typing import Any

from commands import CHECKOUT

from fencepost.pipeline.ingest.edn import event
from fencepost.pipeline.ingest.edn_reader import read

OURS = CHECKOUT / "tests/pipeline/jepsen"
MORE = Path(os.environ.get("FENCEPOST_HISTORIES", CHECKOUT.parent / "shared/histories"))
"""A folder with many more of the same kind, which this repository does not hold."""


def jepsen_histories(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """The events of each history in this folder, by the name of its file."""
    return {path.stem: _events(path) for path in sorted(folder.glob("*.edn"))}


def _events(path: Path) -> list[dict[str, Any]]:
    """A completion belongs to the last invocation of its process; what no process did is alone."""
    events = []
    invoked: dict[str, int] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        made = event(read(line))
        process, number = made["process"], made["idx"]
        if process is not None and made["type"] == "invoke":
            invoked[process] = number
        op = number if process is None else invoked.get(process, number)
        events.append({name: said for name, said in made.items() if said is not None} | {"run_id": path.stem, "op_id": op})
    return events
