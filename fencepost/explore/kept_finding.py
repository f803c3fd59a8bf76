"""A finding that is kept: written as a feature file at once, and once more when it was played again and made small."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fencepost.console.phrases import counted
from fencepost.contract.folder import Folder
from fencepost.contract.register import Register
from fencepost.contract.version import VERSION
from fencepost.steps.acts.act import ActLine, act_title
from fencepost.steps.vocabularies import speech_of

from .finding_scenario import feature, reported
from .reduction import reduced
from .search import Plays, SearchProgress
from .trial import ExploredFinding, Trials, needs_of

FOUND = "found"
PROGRESS_S = 10.0
"""Seconds between two lines about work that goes on."""
_REPEATS = 10
"""How often a finding on a real broker is played again, to say how often it shows."""


@dataclass(frozen=True)
class KeptFinding:
    """A finding that was made small, with its scenario."""

    finding: ExploredFinding
    scenario: str
    file: str
    frequency: str | None = None

    def as_json(self) -> dict[str, Any]:
        found = self.finding
        return {
            "requirement": found.requirement,
            "how": found.how,
            "acts": list(found.acts),
            "disturbance": found.disturbance,
            "what": str(found.error),
            "feature": self.file,
            "frequency": self.frequency,
        }


class FindingKeeper:
    """Keeps a finding in `found/` of the claimed folder, so that it is there however the exploration ends."""

    def __init__(
        self,
        trials: Plays,
        claimed: Folder,
        protocol: str,
        rows: Register,
        say: Callable[[str], None] | None,
        conforming: Trials | None = None,
        names: Callable[[ExploredFinding], str] | None = None,
    ) -> None:
        """`say` reports progress on a system where a play takes time, and whose answers may differ the next time; None elsewhere.

        `conforming` plays on a system that says whether a shorter scenario is one that can be met, and `names` returns the requirement of a
        small finding; None where there is none.
        """
        self._trials, self._claimed, self._protocol, self._rows, self._say = trials, claimed, protocol, rows, say
        self._conforming, self._names = conforming, names
        self._plays, self._last_said = 0, 0.0

    def keep(self, finding: ExploredFinding, progress: SearchProgress) -> KeptFinding:
        """The finding made small, as far as there is time for it, and the system is there."""
        name, again, small = self._new_name(finding.requirement), list[bool](), finding
        if self._say is not None:
            kept = self._written(name, finding, finding.lines, again)
            self._say(f"FOUND {finding.requirement} {finding.how}: {'; '.join(map(act_title, finding.acts))}")
            self._say(f"kept as {kept.file}; now it is played again {_REPEATS} times, and with fewer acts")
        with progress.ending():
            while not progress.stopped and self._say is not None and len(again) < _REPEATS:
                again.append(self._find(finding.acts) is not None)
            if self._say is not None:
                self._written(name, finding, finding.lines, again)
            small = finding if progress.stopped else reduced(finding, self._find)

        def shows(lines: Sequence[ActLine]) -> bool:
            return progress.holds(lambda: self._trials.shows(lines, small))

        def is_met(lines: Sequence[ActLine]) -> bool:
            conforming = self._conforming
            return conforming is not None and progress.holds(lambda: conforming.meets(lines, small))

        lines, about = reported(small, shows, speech_of(self._trials.table.spec), is_met), small.requirement
        with progress.ending():
            if self._names is not None and not progress.stopped:
                small = replace(small, requirement=self._names(small))
                name = self._new_name(small.requirement)
        return self._written(name, small, lines, again, about)

    def _find(self, acts: Iterable[str]) -> ExploredFinding | None:
        self._plays += 1
        found, now = self._trials.find(acts), time.monotonic()
        if self._say is not None and now - self._last_said >= PROGRESS_S:
            self._last_said = now
            self._say(f"played again {counted(self._plays, 'time')}; this time it {'showed' if found else 'did not show'}")
        return found

    def _new_name(self, requirement: str) -> str:
        number = 1
        while (self._claimed.path / (name := f"{FOUND}/{requirement}-{self._protocol}-{number}.feature")).exists():
            number += 1
        return name

    def _written(
        self, name: str, finding: ExploredFinding, lines: Iterable[ActLine], again: Sequence[bool], about: str | None = None
    ) -> KeptFinding:
        frequency = None
        if self._say is not None:
            frequency = f"{sum(again)} of {len(again)} when played again" if again else "not played again"
        disturbing = {one.name for one in self._trials.table.disturbances}
        acts = [act for act in finding.acts if act not in disturbing]
        how = f"fencepost explore {VERSION}: {finding.how} in {counted(len(acts), 'act')}{f', {frequency}' if frequency else ''}"
        if about not in (None, finding.requirement):
            how += f"; its last line is about {about}"
        text = feature(finding, lines, self._rows[finding.requirement], needs_of(self._trials.table, acts), how)
        self._claimed.put(name, text)
        return KeptFinding(finding, text, str(self._claimed.path / name), frequency)
