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
from fencepost.run.options import RunOptions

from .results_folder import HISTORIES, VERDICT_OF_HISTORIES

if TYPE_CHECKING:
    from fencepost.pipeline.spark_session import Ahead


@dataclass(frozen=True)
class CheckedHistories:
    """All that the histories of a run show."""

    judged: int
    quarantined: int
    anomalies: Sequence[ReportedAnomaly]

    @property
    def is_red(self) -> bool:
        return any(reported.is_red for reported in self.anomalies)

    def as_json(self) -> dict[str, Any]:
        """For compliance.json."""
        return {"judged": self.judged, "quarantined": self.quarantined, "anomalies": [_anomaly(reported) for reported in self.anomalies]}

    def write(self, out: Any) -> None:
        """Print to pytest's terminal reporter."""
        out.write_line("")
        for reported in sorted(self.anomalies, key=lambda reported: not reported.is_red):
            out.write(f"  {'X' if reported.is_red else '~'} {reported.title}", red=reported.is_red, yellow=not reported.is_red)
            out.write_line(f", {reported.counts}" + (f"; {reported.explained}" if reported.explained else ""))
            out.write_line(f"      {reported.finding.witness}")
        unread = f", lines that could not be read: {self.quarantined}" if self.quarantined else ""
        out.write_line(
            f"  histories judged: {self.judged}, anomalies: {len(self.anomalies)}{unread}", red=self.is_red, green=not self.is_red
        )


def ready(options: RunOptions) -> None:
    """Raises WrongUsage, before the run, where its histories could not be judged."""
    if options.results is None:
        raise WrongUsage("--check judges the histories that a run writes, so it needs --results DIR")
    suite.ready()


def judge(folder: Path, scenarios: Sequence[ScenarioResult], session: "Ahead | None" = None) -> CheckedHistories:
    """Judge the histories in this results folder, which are those of these scenarios."""
    own = [folder / HISTORIES / history_files.name_of(scenario.run) for scenario in scenarios]
    findings = suite.judge([file for file in own if file.is_file()], folder / VERDICT_OF_HISTORIES, session)
    by_run = {scenario.run: scenario for scenario in scenarios}
    deviating = {
        finding.anomaly: by_run[finding.run].requirement
        for finding in findings.found
        if finding.definite and by_run[finding.run].verdict is Verdict.KNOWN_DEVIATION
    }
    reported = [
        ReportedAnomaly(by_run[finding.run], finding, _explained(by_run[finding.run], finding, deviating)) for finding in findings.found
    ]
    return CheckedHistories(findings.histories, findings.quarantined, reported)


def _explained(scenario: ScenarioResult, finding: Finding, deviating: Mapping[str, str]) -> str | None:
    """`deviating` has the anomalies that histories of known deviations show, each with a requirement that is deviated from."""
    if finding.allowed:
        return "no proposal promises otherwise"
    if not finding.definite:
        return "it may have a harmless explanation"
    match scenario.verdict:
        case Verdict.KNOWN_DEVIATION:
            return f"a known deviation: {scenario.reason}"
        case Verdict.MET if finding.anomaly in deviating:
            return f"the same as in {deviating[finding.anomaly]}, a known deviation"
        case Verdict.MET:
            return None
        case red:
            return f"the scenario is {red.words} itself"


def _anomaly(reported: ReportedAnomaly) -> dict[str, Any]:
    return {
        "requirement": reported.scenario.requirement,
        "scenario": reported.scenario.name,
        "history": reported.scenario.run,
        "anomaly": reported.finding.anomaly,
        "definite": reported.finding.definite,
        "possible": reported.finding.possible,
        "red": reported.is_red,
        "explained": reported.explained,
        "witness": reported.finding.witness,
    }
