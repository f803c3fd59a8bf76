"""`fencepost prove --museum`: the defects of real bugs, each played on the scenarios of the requirements that it breaks."""

import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from fencepost.contract.errors import Exit
from fencepost.proof.defect_proof import Seen, play
from fencepost.proof.proof_folder import MUSEUM, claimed
from fencepost.reference.defects import DEFECTS

from .bugs import Bug, BugKind, Museum, bundled


@dataclass(frozen=True)
class BugResult:
    """The suite's results for the defects of each bug; none for those that were not tried."""

    museum: Museum
    seen: Mapping[str, Seen]

    def is_tried(self, bug: Bug) -> bool:
        """Whether each of its defects has been played."""
        return all(name in self.seen for name in bug.defects)

    def is_caught(self, bug: Bug) -> bool:
        """Whether each requirement that a defect of the bug breaks is violated with the expected symptom."""
        return all(name in self.seen and self.seen[name].is_caught and not self.seen[name].trouble for name in bug.defects)

    @property
    def caught(self) -> tuple[Bug, ...]:
        return tuple(bug for bug in self.museum.played if self.is_caught(bug))

    @property
    def missed(self) -> tuple[Bug, ...]:
        """The bugs that were tried and not caught."""
        return tuple(bug for bug in self.museum.played if self.is_tried(bug) and not self.is_caught(bug))

    @property
    def is_complete(self) -> bool:
        return all(map(self.is_tried, self.museum.played))

    @property
    def headline(self) -> str:
        played = self.museum.played
        return f"caught {len(self.caught)} of {len(played)} real bugs of {len(self.museum.systems_of(played))} systems"


def show(workers: int, results: Path) -> int:
    """Play, print, and write `museum.json`. Returns 0 if every bug that is played is caught, 1 if one is not, 4 if it was stopped."""
    museum = bundled()
    files = claimed(results, MUSEUM)
    console = Console(highlight=False)
    began = time.monotonic()
    names = dict.fromkeys(name for bug in museum.played for name in bug.defects)
    judged = BugResult(museum, {one.defect.name: one for one in play([DEFECTS[name] for name in names], workers)})
    files.put(MUSEUM, json.dumps(as_json(judged), indent=1) + "\n")
    _print(judged, console)
    console.print(f"{time.monotonic() - began:.0f} s; {os.path.relpath(results)}/{MUSEUM}")
    if judged.missed:
        return Exit.DOES_NOT
    return Exit.CONFORMS if judged.is_complete else Exit.NOT_FINISHED


def as_json(judged: BugResult) -> dict[str, Any]:
    """For other programs: each bug with its result."""
    return {
        "schema_version": 1,
        "complete": judged.is_complete,
        "headline": judged.headline,
        "bugs": [
            {
                "system": system,
                "id": bug.id,
                "link": bug.link,
                "caught": judged.is_caught(bug) if bug.defects and judged.is_tried(bug) else None,
                "defects": {name: list(DEFECTS[name].breaks) for name in bug.defects},
                "out_of_reach": bug.out_of_reach and bug.out_of_reach.value,
                "because": bug.because,
                "waits_for": bug.waits_for,
            }
            for system, bugs in judged.museum.systems.items()
            for bug in bugs
        ],
    }


def _print(judged: BugResult, console: Console) -> None:
    museum = judged.museum
    for bug in museum.played:
        _print_bug(judged, bug, console)
    for bug in museum.waiting:
        console.print(Text(f"waits: {bug.id} ({museum.system_of(bug)}): {bug.waits_for}", style="dim"))
    for kind in BugKind:
        if bugs := museum.out_of_reach(kind):
            named = ", ".join(f"{bug.id} ({museum.system_of(bug)})" for bug in bugs)
            console.print(Text(f"not played, for they take {kind.in_words}: {named}", style="dim"))
    console.print()
    console.print(judged.headline)
    out = sum(len(museum.out_of_reach(kind)) for kind in BugKind)
    console.print(f"{len(museum.bugs)} are known: {len(museum.waiting)} of them wait, and {out} are out of reach")
    if not judged.is_complete:
        console.print(Text(f"stopped: {sum(not judged.is_tried(bug) for bug in museum.played)} bugs were not tried", style="bold"))


def _print_bug(judged: BugResult, bug: Bug, console: Console) -> None:
    place = f"{bug.id} ({judged.museum.system_of(bug)})"
    if judged.is_caught(bug):
        console.print(f"  + {place}: {', '.join(bug.requirements)}")
        return
    for name in bug.defects:
        one = judged.seen.get(name)
        if one is None:
            console.print(Text(f"  o {place}: {name} was not tried", style="dim"))
        elif one.trouble:
            console.print(Text(f"  X {place}: {name} does not apply: {one.trouble}", style="bold red"))
        else:
            for row in one.unproved:
                found = one.reasons.get(row) or one.verdicts.get(row, "not judged")
                due = one.defect.breaks[row]
                console.print(Text(f"  X {place}: {name} is not caught by {row}, due: {due}; found: {found}", style="bold red"))
