"""The selected red: its verdict in compliance.json, and what the run kept of it."""

import json
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fencepost.contract import history_files
from fencepost.contract.errors import WrongUsage
from fencepost.contract.evidence import Mismatch
from fencepost.results.compliance_document import Compliance, ScenarioEntry, read
from fencepost.results.results_folder import EXCHANGES


@dataclass(frozen=True)
class RecordedRed:
    """A scenario of a run that deviates."""

    run: Compliance
    results: Path
    requirement: str
    scenario: ScenarioEntry
    violation: Mismatch

    @property
    def title(self) -> str:
        return f"{self.requirement} {self.scenario.name}, on {self.run.system}"

    @property
    def feature(self) -> str:
        """The scenario as its feature file names it."""
        return self.scenario.name.removesuffix(" (kafka)").removesuffix(" (pulsar)").removesuffix(" (pulsar-scalable)")

    def exchanges(self) -> tuple[list[dict[str, Any]], str]:
        """The lines of the exchanges, and the file that has them. Raises WrongUsage where the run has not kept all of them."""
        place = self._file()
        lines, is_whole = lines_of(place)
        if not is_whole:
            raise WrongUsage(f"{place} is cut off or damaged after {len(lines)} lines, so its requests cannot be sent again; run again")
        return lines, str(place)

    def _file(self) -> Path:
        beginning = history_files.name_of(f"{self.requirement}-{self.scenario.name}").removesuffix(history_files.ENDING)
        found = sorted(
            path
            for path in (self.results / EXCHANGES).glob(f"{beginning}*{history_files.ENDING}")
            if (rest := history_files.stem_of(path).removeprefix(beginning)) == "" or rest.startswith("-example-")
        )
        if found:
            return found[0]
        if any(history_files.found_in(self.results, self.requirement)) and not (self.results / EXCHANGES).is_dir():
            raise WrongUsage(
                f"{self.results} has histories and no {EXCHANGES}/, which has the requests as they were sent: run it again with this "
                "fencepost. --format picture draws the requests and answers"
            )
        raise WrongUsage(f"{self.results}/{EXCHANGES} has nothing of {self.requirement} {self.scenario.name}; was a file removed?")


def lines_of(path: Path) -> tuple[list[dict[str, Any]], bool]:
    """The lines of JSON in a packed file, and whether that is all of it."""
    try:
        text = history_files.text_of(path)
    except (OSError, EOFError, zlib.error, UnicodeDecodeError):
        return [], False
    lines: list[dict[str, Any]] = []
    for line in text.splitlines():
        try:
            lines.append(json.loads(line))
        except ValueError:
            return lines, False
    return lines, bool(lines)


def find(results: Path, requirement: str, number: int | None) -> RecordedRed:
    """The red of a requirement; `number` is that of the scenario. Raises WrongUsage where there is none, or more than one."""
    run = read(results)
    rows = {row.id: row for row in run.requirements}
    row = rows.get(requirement.upper())
    if row is None:
        raise WrongUsage(f"{results} has no requirement {requirement!r}; fencepost list shows all of them")
    if not row.scenarios:
        unfinished = "" if run.complete else f"; the run did not finish{f': {run.stopped}' if run.stopped else ''}"
        raise WrongUsage(f"{row.id} has no scenario that ran: {row.verdict.words}{f', {row.reason}' if row.reason else ''}{unfinished}")
    reds = [one for one in row.scenarios if one.violation is not None]
    if number is not None:
        wanted = [one for one in row.scenarios if one.name.startswith(f"[{number}]")]
        if not wanted:
            raise WrongUsage(f"{row.id} has no scenario [{number}]; there are {'; '.join(one.name for one in row.scenarios)}")
        reds = [one for one in wanted if one.violation is not None]
        if not reds:
            raise WrongUsage(f"{row.id} {wanted[0].name} is {wanted[0].verdict.words}, so there is no red to show")
    if not reds:
        raise WrongUsage(f"{row.id} is {row.verdict.words}, and none of its scenarios has a violation, so there is no red to show")
    if len(reds) > 1:
        named = "; ".join(one.name for one in reds)
        raise WrongUsage(f"{row.id} has {len(reds)} reds: {named}; choose one with --scenario and its number")
    violation = reds[0].violation
    assert violation is not None
    return RecordedRed(run, results, row.id, reds[0], violation)
