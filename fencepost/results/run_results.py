"""The results folder: what other programs read.

`compliance.json` is written whole and then moved into place, so that it is valid at every moment; it is `complete` only when every
selected scenario was reported. Its schema is `compliance.schema.json`.
"""

import dataclasses
import functools
import itertools
import json
import os
import platform
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fencepost import __version__
from fencepost.adapters import registry
from fencepost.contract import disk_reserve, parity
from fencepost.contract.editions import ALL_COUNT, Counting
from fencepost.contract.folder import Folder
from fencepost.contract.parity import Parity
from fencepost.contract.ports import Handshake
from fencepost.contract.register import Register, Requirement
from fencepost.contract.verdict import Gate, RequirementResult, ScenarioResult, Verdict, judge, totals
from fencepost.run.deselection import Narrowed
from fencepost.run.identity import DeclaredSystem, RunIdentity
from fencepost.run.selection import Selection

from .history_check import CheckedHistories
from .likely_causes import Cause, Causes, blocked, causes
from .results_folder import COMPLIANCE, ENVIRONMENT

_WRITE_EVERY_S = 0.5
_PART_OF_THE_TIME = 20
"""At most one of twenty seconds is spent on updating the folder."""


@dataclass
class Results:
    """What is known so far of one run; `claimed` is None if nothing is written.

    `selected` counts the scenarios to be run, once they have been collected. `stopped` is why the run ended early.
    """

    register: Register
    selection: Selection
    system: str
    named: DeclaredSystem = field(default_factory=DeclaredSystem)
    defect: str | None = None
    gate: Gate = field(default_factory=Gate)
    counting: Counting = ALL_COUNT
    """Which requirements the edition counts."""
    claimed: Folder | None = None
    handshake: Handshake | None = None
    selected: int | None = None
    complete: bool = False
    stopped: str | None = None
    scenarios: list[ScenarioResult] = field(default_factory=list)
    histories: CheckedHistories | None = None
    narrowed: Narrowed | None = None
    notes: list[str] = field(default_factory=list)
    """Lines printed at the end in addition to the verdicts."""
    concurrency: dict[str, int] | None = None
    """How many scenarios ran concurrently at most, and how often brokers were brought down for those that share this."""
    has_no_space: Callable[[str], None] = lambda _: None
    """Called with the reason if the disk is full."""
    began: datetime = field(default_factory=lambda: datetime.now(UTC))
    _clock: float = field(default_factory=time.monotonic)
    _due: float = 0.0

    def add(self, result: ScenarioResult) -> None:
        """Add one scenario; the file follows within half a second, or later if the machine is so busy that writing takes long."""
        self.scenarios.append(result)
        began = time.monotonic()
        if began >= self._due:
            self.write()
            self._due = time.monotonic() + max(_WRITE_EVERY_S, _PART_OF_THE_TIME * (time.monotonic() - began))

    def requirements(self) -> list[RequirementResult]:
        """Every registered requirement, once, in the order of the register."""
        ran: dict[str, list[ScenarioResult]] = {}
        for scenario in self.settled():
            ran.setdefault(scenario.requirement, []).append(scenario)
        left_out_by = functools.cache(self._left_out_by)  # the same for every row, and found by reading all of them
        found = []
        for spec, rows in self.register.by_spec.items():
            for row in rows:
                if row.id in ran:
                    judged = judge(row.id, sorted(ran[row.id], key=lambda scenario: scenario.number))
                    found.append(self.narrowed.judged(judged, lambda: self._why_in_part(left_out_by)) if self.narrowed else judged)
                elif row.excluded:
                    found.append(RequirementResult(row.id, Verdict.EXCLUDED, row.excluded))
                else:
                    found.append(RequirementResult(row.id, Verdict.NOT_RUN, self._why_not_run(row, spec, left_out_by)))
        return found

    def settled(self) -> list[ScenarioResult]:
        """The scenarios so far; once all are judged, those that a deviation found elsewhere kept from being judged are blocked."""
        return blocked(self.scenarios, self.register) if self.complete else self.scenarios

    def causes(self) -> Causes:
        """The red scenarios so far, grouped by what they have in common."""
        return causes(self.settled(), self.register)

    @property
    def folder(self) -> Path | None:
        return self.claimed.path if self.claimed else None

    def objections(self) -> list[str]:
        """What prevents the run, so far, from conforming, in words; empty if nothing does."""
        reported = [] if self.asks_only_provisional else self.gate.objections(self._counted())
        anomalies = sum(reported.is_red for reported in self.histories.anomalies) if self.histories else 0
        return [*reported, f"{anomalies} {'anomaly' if anomalies == 1 else 'anomalies'} in the histories"] if anomalies else reported

    def failing(self) -> set[Verdict]:
        """The verdicts that prevent the run from conforming; an anomaly in a history is a violation."""
        return self.gate.failing(self._counted()) | ({Verdict.VIOLATED} if self.histories and self.histories.is_red else set())

    @property
    def are_stale(self) -> bool:
        """Whether each harness error is an entry of known deviations that is out of date."""
        errors = [one for one in self.scenarios if one.verdict is Verdict.HARNESS_ERROR]
        return bool(errors) and all(one.is_stale for one in errors)

    @property
    def counts_parity(self) -> bool:
        """Whether parity rows can prevent the run from conforming: by the user's option, else for the reference and builds of a release."""
        if self.gate.parity is not None:
            return self.gate.parity
        is_build = self.handshake is None or self.handshake.judged_as is not None
        return is_build or self.gate.strict or self.system == registry.REFERENCE

    @property
    def parity(self) -> Parity:
        """How many parity rows were asked, and how many are odd."""
        rows = (one for one in self.requirements() if self._is_parity(one) and not self.is_provisional(one))
        return Parity.of(result.verdict for result in rows)

    def _is_parity(self, result: RequirementResult) -> bool:
        return self.register[result.requirement].source == parity.SOURCE

    def counts(self, result: RequirementResult) -> bool:
        """Whether this result can prevent the run from conforming; a parity row cannot if only proposals count, a provisional one never."""
        if self.is_provisional(result):
            return result.verdict is Verdict.HARNESS_ERROR
        return self.counts_parity or not (self._is_parity(result) and result.verdict in parity.MAY_DIFFER)

    def is_provisional(self, result: RequirementResult) -> bool:
        """Whether the requirement is in no edition yet."""
        row = self.register[result.requirement]
        return self.counting.is_provisional(row, self.register.spec_of(row.id))

    @property
    def asks_only_provisional(self) -> bool:
        """Whether no requirement that was asked is in the edition, so that there is nothing to conclude."""
        asked = [one for one in self.requirements() if one.verdict not in (Verdict.NOT_RUN, Verdict.EXCLUDED)]
        return bool(asked) and all(map(self.is_provisional, asked))

    def _counted(self) -> list[RequirementResult]:
        """The results that can prevent the run from conforming, and those that are met."""
        return list(filter(self.counts, self.requirements()))

    @property
    def identity(self) -> RunIdentity:
        """The system that is judged, as far as it is known now."""
        return RunIdentity.of(self.system, self.named, self.defect, self.handshake)

    def conforms(self) -> bool:
        return self.complete and not self.stopped and not self.objections()

    def write(self) -> None:
        """Update the folder."""
        if self.claimed is None:
            return
        with disk_reserve.writing(self.claimed.path, self.has_no_space):
            self.claimed.put(COMPLIANCE, self.as_text())
            self.claimed.put(ENVIRONMENT, json.dumps(self._environment(), indent=1) + "\n")

    def as_text(self) -> str:
        """The text of `compliance.json`."""
        return json.dumps(self.as_json(), indent=1) + "\n"

    def as_json(self) -> dict[str, Any]:
        """`compliance.json`; its names are published and do not change."""
        results = self.requirements()
        return {
            "schema_version": 1,
            "fencepost": __version__,
            "complete": self.complete,
            "stopped": self.stopped,
            "started": self.began.isoformat(timespec="seconds"),
            "seconds": round(time.monotonic() - self._clock, 3),
            "system": self.identity.as_json(),
            "selection": {
                "specs": list(self.selection.specs or self.register.by_spec),
                "only": list(self.selection.only or self.selection.smoke),
                "levels": list(self.selection.levels),
                "skip": list(self.selection.skip),
                "themes": list(self.selection.themes),
                "pytest": self._left_out_by(),
                "smoke": bool(self.selection.smoke),
            },
            "editions": self.counting.names(self.selection.specs or self.register.by_spec),
            "gate": self.gate.as_json() | {"parity": self.counts_parity},
            "scenarios": {"selected": self.selected, "judged": len(self.scenarios)},
            "concurrency": self.concurrency,
            "totals": totals(itertools.filterfalse(self.is_provisional, results)),
            "parity": totals(one for one in results if self._is_parity(one) and not self.is_provisional(one)),
            "provisional": totals(filter(self.is_provisional, results)),
            "requirements": [self._requirement(result) for result in results],
            "causes": [_cause(one) for one in self.causes().found] if self.complete else [],
            "histories": self.histories and self.histories.as_json(),
        }

    def is_selected(self, requirement: str) -> bool:
        """Whether the run selects this requirement, with or without a scenario."""
        return self.selection.holds(self.register[requirement], self.register.spec_of(requirement))

    def _requirement(self, result: RequirementResult) -> dict[str, Any]:
        row = self.register[result.requirement]
        return {
            "id": row.id,
            "level": row.level,
            "source": row.source,
            "selected": self.is_selected(row.id),
            "provisional": self.is_provisional(result),
            "verdict": result.verdict.value,
            "reason": result.reason,
            "evidence": result.evidence,
            "scenarios": [_scenario(scenario) for scenario in result.scenarios],
        }

    def _why_not_run(self, row: Requirement, spec: str, left_out_by: Callable[[], str | None]) -> str:
        if row.planned:
            return "planned: no scenario tests it yet"
        if not self.selection.holds(row, spec):
            return self.selection.why_not(row, spec)
        if self.complete:
            by = left_out_by()
            return f"not selected: left out by pytest {by}" if by else "not collected"
        return f"the run was stopped before it: {self.stopped}" if self.stopped else "the run ended before it"

    def _why_in_part(self, left_out_by: Callable[[], str | None]) -> str:
        """Why not all scenarios of a requirement were asked."""
        if self.complete or (self.narrowed and self.narrowed.said):
            return f"left out by pytest {left_out_by()}"
        return f"not reached: the run was stopped ({self.stopped})" if self.stopped else "not reached"

    def _left_out_by(self) -> str | None:
        """What left scenarios out, other than the selection; for a run that did not finish, only pytest's options."""
        if self.narrowed is None:
            return None
        if not self.complete:
            return self.narrowed.said or None
        due = {spec: [row.id for row in rows if self.selection.holds(row, spec)] for spec, rows in self.register.by_spec.items()}
        return self.narrowed.by(self.scenarios, due)

    def _environment(self) -> dict[str, Any]:
        """The machine without its name or paths, and what the system reported about itself."""
        handshake = self.handshake
        return {
            "fencepost": __version__,
            "python": platform.python_version(),
            "platform": f"{sys.platform} {platform.machine()}",
            "processors": os.cpu_count(),
            "system": self.identity.as_json()
            | {
                "capabilities": sorted(handshake.capabilities) if handshake else [],
                "notes": list(handshake.notes) if handshake else [],
                "deviations": handshake.deviations if handshake else None,
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
        "blocked_by": scenario.blocked_by,
    }


def _cause(cause: Cause) -> dict[str, Any]:
    explains = [{"id": requirement, "scenarios": list(names)} for requirement, names in cause.scenarios.items()]
    return {"title": cause.title, "requirement": cause.requirement, "explains": explains}
