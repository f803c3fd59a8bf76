"""What the histories of a run show, independently of what its scenarios judge (`--check`).

A definite anomaly that breaks a promise makes the run red if the scenario of that history found nothing wrong. A known deviation explains
it, and it adds nothing to a red scenario. Possible and permitted anomalies are only reported.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fencepost.contract import history_files
from fencepost.contract.anomalies import Finding, ReportedAnomaly
from fencepost.contract.errors import WrongUsage
from fencepost.contract.verdict import ScenarioResult, Verdict
from fencepost.pipeline import suite
from fencepost.run.options import Options

from .results_folder import HISTORIES, VERDICT_OF_HISTORIES

if TYPE_CHECKING:
    from fencepost.pipeline.session import Ahead


@dataclass(frozen=True)
class Histories:
    """All that the histories of a run show."""

    judged: int
    quarantined: int
    anomalies: Sequence[ReportedAnomaly]

    @property
    def is_red(self) -> bool:
        return any(told.is_red for told in self.anomalies)

    def as_json(self) -> dict[str, Any]:
        """For compliance.json."""
        return {"judged": self.judged, "quarantined": self.quarantined, "anomalies": [_anomaly(told) for told in self.anomalies]}

    def write(self, out: Any) -> None:
        """Print to pytest's terminal reporter."""
        out.write_line("")
        for told in sorted(self.anomalies, key=lambda told: not told.is_red):
            out.write(f"  {'X' if told.is_red else '~'} {told.title}", red=told.is_red, yellow=not told.is_red)
            out.write_line(f", {told.counts}" + (f"; {told.explained}" if told.explained else ""))
            out.write_line(f"      {told.finding.witness}")
        unread = f", lines that could not be read: {self.quarantined}" if self.quarantined else ""
        out.write_line(
            f"  histories judged: {self.judged}, anomalies: {len(self.anomalies)}{unread}", red=self.is_red, green=not self.is_red
        )


def ready(options: Options) -> None:
    """Raises WrongUsage, before the run, where its histories could not be judged."""
    if options.results is None:
        raise WrongUsage("--check judges the histories that a run writes, so it needs --results DIR")
    suite.ready()


def judge(folder: Path, scenarios: Sequence[ScenarioResult], session: "Ahead | None" = None) -> Histories:
    """Judge the histories in this results folder, which are those of these scenarios."""
    own = [folder / HISTORIES / history_files.name_of(scenario.run) for scenario in scenarios]
    findings = suite.judge([file for file in own if file.is_file()], folder / VERDICT_OF_HISTORIES, session)
    by_run = {scenario.run: scenario for scenario in scenarios}
    deviating = {
        finding.anomaly: by_run[finding.run].requirement
        for finding in findings.found
        if finding.definite and by_run[finding.run].verdict is Verdict.KNOWN_DEVIATION
    }
    told = [
        ReportedAnomaly(by_run[finding.run], finding, _explained(by_run[finding.run], finding, deviating)) for finding in findings.found
    ]
    return Histories(findings.histories, findings.quarantined, told)


def _explained(scenario: ScenarioResult, finding: Finding, deviating: Mapping[str, str]) -> str | None:
    """`deviating` has the anomalies that histories of known deviations show, each with a requirement that is deviated from."""
    if finding.lawful:
        return "no proposal promises otherwise"
    if not finding.definite:
        return "it may have an innocent reason"
    match scenario.verdict:
        case Verdict.KNOWN_DEVIATION:
            return f"a known deviation: {scenario.reason}"
        case Verdict.MET if finding.anomaly in deviating:
            return f"the same as in {deviating[finding.anomaly]}, a known deviation"
        case Verdict.MET:
            return None
        case red:
            return f"the scenario is {red.words} itself"


def _anomaly(told: ReportedAnomaly) -> dict[str, Any]:
    return {
        "requirement": told.scenario.requirement,
        "scenario": told.scenario.name,
        "history": told.scenario.run,
        "anomaly": told.finding.anomaly,
        "definite": told.finding.definite,
        "possible": told.finding.possible,
        "red": told.is_red,
        "explained": told.explained,
        "witness": told.finding.witness,
    }
