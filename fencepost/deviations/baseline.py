"""`run --write-baseline FILE`: a file for `--expectations` of what is violated now, so that a later run reports only what is new.

* Each violation is an entry of one scenario, with its symptom. An inconclusive scenario is an entry with its reason, which excuses no
  violation. A scenario in which the kit failed is never excused: nothing is known about it.
* What a bundled entry or another file excuses is not repeated.
* A file that was written so before is rewritten: an entry that still shows is kept as it is, with the reason that the user wrote; one that
  does not show is left out. Entries about scenarios that did not run this time are kept. Any other file is refused.
* An `intermittent` entry is kept, and this run counts as one more try of it.
* A run that was not finished writes nothing: it would leave out what it did not reach.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import yaml

from fencepost.contract.errors import WrongUsage
from fencepost.contract.register import Register
from fencepost.contract.verdict import ScenarioResult, Verdict

from .known_deviations import DeviationEntry, Intermittent, LocatedDeviation, protocols_of
from .symptoms import reason_of, symptom_of
from .user_deviations import asked_by, read_file

MARK = "# Made by fencepost run --write-baseline."
TO_BE_WRITTEN = "TO BE WRITTEN: why this is known, and where it is followed up"
_HEAD = f"""{MARK} Use it with fencepost run --expectations FILE.
# Write the reason of each entry. An entry whose scenario passes makes a run red, and is then to be removed.
"""


@dataclass(frozen=True)
class WrittenBaseline:
    """What was written to a baseline, and what was not."""

    path: Path
    entries: int
    new: int
    left_out: int
    not_excused: int

    def __str__(self) -> str:
        reported = f"{self.entries} known deviations ({self.new} new) in {os.path.relpath(self.path)}"
        reported += f"; {self.left_out} that did not show any more were left out" if self.left_out else ""
        return reported + (f"; harness errors are not in it and stay red: {self.not_excused}" if self.not_excused else "")


@dataclass(frozen=True)
class Baseline:
    """A file that a run will write; `before` is its previous content."""

    path: Path
    before: tuple[LocatedDeviation, ...] = ()

    @classmethod
    def at(cls, path: Path, register: Register) -> "Baseline":
        """Check before the run that the file can be written. Raises WrongUsage."""
        if path.is_dir() or not path.parent.is_dir():
            why = "is a folder" if path.is_dir() else f"there is no folder {path.parent}"
            raise WrongUsage(f"--write-baseline {path}: {why}; name a file in a folder that is there")
        if not path.exists():
            return cls(path)
        try:
            is_ours = path.read_text(encoding="utf-8").startswith(MARK)
        except (OSError, UnicodeDecodeError):
            is_ours = False
        if not is_ours:
            raise WrongUsage(f"--write-baseline {path}: this file is not a baseline that fencepost wrote; name another, or move it away")
        return cls(path, tuple(read_file(str(path), register)))

    def write(self, scenarios: Sequence[ScenarioResult], register: Register) -> WrittenBaseline:
        """Write what these scenarios violate. Raises WrongUsage if that cannot be written."""
        kept = [_tried(known.entry, self._held_against(known, scenarios)) for known in self.before if self._stays(known, scenarios)]
        new = [_entry(one, register) for one in self._unknown(scenarios)]
        order = {identifier: index for index, identifier in enumerate(register.by_id)}
        entries = sorted((*kept, *new), key=lambda entry: (order.get(entry.requirement, -1), entry.scenario or "", entry.example or 0))
        try:
            self.path.write_text(_HEAD + _yaml(entries), encoding="utf-8")
        except OSError as error:
            raise WrongUsage(f"--write-baseline {self.path}: it cannot be written: {error.strerror}") from error
        red = sum(one.verdict is Verdict.HARNESS_ERROR and one.expectation is None for one in scenarios)
        return WrittenBaseline(self.path, len(entries), len(new), len(self.before) - len(kept), red)

    def _stays(self, known: LocatedDeviation, scenarios: Iterable[ScenarioResult]) -> bool:
        """Whether a previous entry still shows, or nothing was found out about it."""
        judged = self._held_against(known, scenarios)
        return not judged or any(map(partial(_shows, known.entry), judged)) or known.entry.intermittent is not None

    @staticmethod
    def _held_against(known: LocatedDeviation, scenarios: Iterable[ScenarioResult]) -> list[ScenarioResult]:
        """The scenarios that an entry is about, and that were judged."""
        return [one for one in scenarios if known.is_about(asked_by(one)) and _was_judged(one)]

    def _unknown(self, scenarios: Iterable[ScenarioResult]) -> Iterator[ScenarioResult]:
        """The scenarios that are violated or inconclusive, and excused neither by this file nor by another."""
        for one in scenarios:
            is_excused_elsewhere = one.verdict is Verdict.KNOWN_DEVIATION and not self._is_here(one)
            is_unknown = one.violation is not None or (one.verdict is Verdict.INCONCLUSIVE and one.reason)
            if is_unknown and not is_excused_elsewhere and not any(self._excuses(known, one) for known in self.before):
                yield one

    def _is_here(self, scenario: ScenarioResult) -> bool:
        """Whether this file excused the scenario."""
        cited = scenario.expectation
        return cited is not None and cited.is_own and Path(cited.file).resolve() == self.path.resolve()

    @staticmethod
    def _excuses(known: LocatedDeviation, scenario: ScenarioResult) -> bool:
        return known.is_about(asked_by(scenario)) and _shows(known.entry, scenario)


def _was_judged(scenario: ScenarioResult) -> bool:
    """Whether the scenario reached a verdict about the system; a stale entry means that the system did what the scenario asks."""
    return scenario.is_stale or scenario.verdict in (Verdict.MET, Verdict.VIOLATED, Verdict.KNOWN_DEVIATION)


def _shows(entry: DeviationEntry, scenario: ScenarioResult) -> bool:
    """Whether an entry matches what a scenario showed."""
    return entry.shows_in(scenario.violation) or (scenario.violation is None and entry.knows_why(scenario.reason))


def _tried(entry: DeviationEntry, judged: Sequence[ScenarioResult]) -> DeviationEntry:
    """An entry after this run: an intermittent one has one more try if its scenario was judged."""
    before = entry.intermittent
    if before is None or not judged:
        return entry
    seen = before.seen + any(_shows(entry, one) for one in judged)
    return entry.model_copy(update={"intermittent": Intermittent(seen=seen, tried=before.tried + 1)})


def _entry(scenario: ScenarioResult, register: Register) -> DeviationEntry:
    """The entry for what is violated or inconclusive now, as narrow as possible."""
    return DeviationEntry(
        requirement=scenario.requirement,
        scenario=scenario.scenario,
        example=scenario.example,
        protocol=scenario.protocol if len(protocols_of(scenario.requirement, register)) > 1 else None,
        symptom=symptom_of(scenario.violation) if scenario.violation else None,
        inconclusive=None if scenario.violation else reason_of(scenario.reason or ""),
        reason=TO_BE_WRITTEN,
    )


def _yaml(entries: Sequence[DeviationEntry]) -> str:
    if not entries:
        return "\n[]\n"
    rows = ([entry.model_dump(exclude_none=True)] for entry in entries)
    return "".join("\n" + yaml.safe_dump(row, sort_keys=False, allow_unicode=True, width=130) for row in rows)
