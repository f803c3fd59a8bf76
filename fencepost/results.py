"""The results folder: what other programs read.

`compliance.json` is written whole and then moved into place, so that it is valid at every moment; it says `complete` only when
every selected scenario was reported. Its shape is `compliance.schema.json`.
"""

import dataclasses
import json
import os
import platform
import shutil
import sys
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fencepost import __version__
from fencepost.contract.errors import WrongUsage
from fencepost.contract.ports import Handshake
from fencepost.contract.register import Register, Requirement
from fencepost.contract.verdict import RequirementResult, ScenarioResult, Verdict, conforms, judge, totals

from .histories import Histories
from .narrowed import Narrowed
from .selection import Selection

_WRITE_EVERY_S = 0.5
_OURS = ("compliance.json", "junit.xml", "environment.json")
_UNFINISHED_JUNIT = """<?xml version="1.0" encoding="utf-8"?>
<testsuites><testsuite name="fencepost" tests="1" errors="1" failures="0" skipped="0"><testcase classname="fencepost" name="run">\
<error message="the run has not ended: it is still going on, or it was killed"/></testcase></testsuite></testsuites>
"""


def claim(folder: Path) -> None:
    """Make the folder ready for a run of its own. Raises WrongUsage when it cannot be written to."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in _OURS:
            (folder / name).unlink(missing_ok=True)
        for name in ("allure-results", "allure-report", "history", "check"):
            shutil.rmtree(folder / name, ignore_errors=True)
        _put(folder / "junit.xml", _UNFINISHED_JUNIT)
    except OSError as error:
        raise WrongUsage(f"the results folder {folder} cannot be written to: {error}") from error


@dataclass
class Results:
    """What is known so far of one run; `folder` is None when nothing shall be written."""

    register: Register
    selection: Selection
    folder: Path | None
    system: str
    handshake: Handshake | None = None
    selected: int = 0
    complete: bool = False
    scenarios: list[ScenarioResult] = field(default_factory=list)
    histories: Histories | None = None
    narrowed: Narrowed | None = None
    began: datetime = field(default_factory=lambda: datetime.now(UTC))
    _clock: float = field(default_factory=time.monotonic)
    _written: float = 0.0

    def add(self, result: ScenarioResult) -> None:
        """Take in one scenario; the file follows within half a second."""
        self.scenarios.append(result)
        if time.monotonic() - self._written > _WRITE_EVERY_S:
            self.write()

    def requirements(self) -> list[RequirementResult]:
        """Every registered requirement, once, in the order of the register."""
        ran: dict[str, list[ScenarioResult]] = {}
        for scenario in self.scenarios:
            ran.setdefault(scenario.requirement, []).append(scenario)
        found = []
        for spec, rows in self.register.by_spec.items():
            for row in rows:
                if row.id in ran:
                    judged = judge(row.id, ran[row.id])
                    found.append(self.narrowed.judged(judged) if self.narrowed else judged)
                elif row.excluded:
                    found.append(RequirementResult(row.id, Verdict.EXCLUDED, row.excluded))
                else:
                    found.append(RequirementResult(row.id, Verdict.NOT_RUN, self._why_not_run(row, spec)))
        return found

    def conforms(self) -> bool:
        return conforms(self.requirements(), self.complete) and not (self.histories and self.histories.is_red)

    def write(self) -> None:
        """Bring the folder up to date."""
        self._written = time.monotonic()
        if self.folder is None:
            return
        _put(self.folder / "compliance.json", json.dumps(self.as_json(), indent=1) + "\n")
        _put(self.folder / "environment.json", json.dumps(self._environment(), indent=1) + "\n")

    def as_json(self) -> dict[str, Any]:
        """`compliance.json`; its names are published and stay."""
        results = self.requirements()
        handshake = self.handshake
        return {
            "schema_version": 1,
            "fencepost": __version__,
            "complete": self.complete,
            "started": self.began.isoformat(timespec="seconds"),
            "seconds": round(time.monotonic() - self._clock, 3),
            "system": {
                "name": self.system,
                "version": handshake.version if handshake else None,
                "profile": handshake.profile if handshake else None,
            },
            "selection": {
                "specs": list(self.selection.specs or self.register.by_spec),
                "only": list(self.selection.only),
                "levels": list(self.selection.levels),
                "skip": list(self.selection.skip),
                "pytest": self.narrowed and self.narrowed.by,
            },
            "totals": totals(results),
            "requirements": [self._requirement(result) for result in results],
            "histories": self.histories and self.histories.as_json(),
        }

    def _requirement(self, result: RequirementResult) -> dict[str, Any]:
        row = self.register[result.requirement]
        return {
            "id": row.id,
            "level": row.level,
            "source": row.source,
            "verdict": result.verdict.value,
            "reason": result.reason,
            "evidence": result.evidence,
            "scenarios": [_scenario(scenario) for scenario in result.scenarios],
        }

    def _why_not_run(self, row: Requirement, spec: str) -> str:
        if row.planned:
            return "planned: no scenario tests it yet"
        if not self.selection.holds(row, spec):
            return self.selection.why_not(row, spec)
        if not self.complete:
            return "the run ended before it"
        return f"not selected: left out by pytest {self.narrowed.by}" if self.narrowed else "not collected"

    def _environment(self) -> dict[str, Any]:
        """The machine without its name or paths, and what the system said of itself."""
        handshake = self.handshake
        return {
            "fencepost": __version__,
            "python": platform.python_version(),
            "platform": f"{sys.platform} {platform.machine()}",
            "processors": os.cpu_count(),
            "system": {
                "name": self.system,
                "version": handshake.version if handshake else None,
                "profile": handshake.profile if handshake else None,
                "capabilities": sorted(handshake.capabilities) if handshake else [],
                "notes": list(handshake.notes) if handshake else [],
            },
        }


def _scenario(scenario: ScenarioResult) -> dict[str, Any]:
    one = scenario.expectation
    return {
        "feature": scenario.feature,
        "name": scenario.name,
        "verdict": scenario.verdict.value,
        "seconds": round(scenario.seconds, 4),
        "violation": scenario.violation and dataclasses.asdict(scenario.violation),
        "expectation": one and {"file": one.file, "line": one.line, "own": one.is_own, "stale": one.is_stale},
    }


def _put(path: Path, text: str) -> None:
    """Replace a file in one step, so that a reader or a kill never meets half of it."""
    half = path.with_name(f".{path.name}.tmp")
    half.write_text(text, encoding="utf-8")
    half.replace(path)
