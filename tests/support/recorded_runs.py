"""What two runs of the suite are compared by."""

import json
from pathlib import Path
from typing import Any

from commands import compliance

from fencepost.contract import history_files, proposals, register


def scenarios(folder: Path, protocol: str) -> dict[tuple[str, str], str]:
    """The verdicts on a system of that protocol; a run that judges several names the protocol behind a scenario of the core."""
    known = proposals.bundled()
    rows = [row for row in compliance(folder)["requirements"] if register.bundled().spec_of(row["id"]) in known.binding(protocol)]
    others = tuple(f" ({other})" for other in known.protocols_of("core") if other != protocol)
    return {
        (row["id"], scenario["name"].removesuffix(f" ({protocol})")): scenario["verdict"]
        for row in rows
        for scenario in row["scenarios"]
        if not scenario["name"].endswith(others)
    }


def histories(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """The events of each scenario, without the words for a lost connection."""
    found = {}
    for path in history_files.found_in(folder):
        events = [json.loads(line) for line in history_files.text_of(path).splitlines()]
        for event in events:
            if event["error"] and event["error"]["class"] == "lost":
                event["error"]["msg"] = None
        found[path.name] = events
    return found
