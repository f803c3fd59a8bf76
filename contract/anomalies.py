"""What the histories of a run show: anomalies, each in the history of one scenario."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from .verdict import ScenarioResult


@dataclass(frozen=True)
class Finding:
    """One anomaly in one scenario's history: how many witnesses, and the first of them in words."""

    run: str
    anomaly: str
    definite: int
    possible: int
    allowed: bool
    witness: str


@dataclass(frozen=True)
class Findings:
    """All of them, with how much was judged, and how many lines could not be read."""

    histories: int
    quarantined: int
    found: Sequence[Finding] = ()


@dataclass(frozen=True)
class ReportedAnomaly:
    """An anomaly with the scenario whose history shows it; `explained` is why it does not count, None if it does."""

    scenario: ScenarioResult
    finding: Finding
    explained: str | None

    @property
    def is_red(self) -> bool:
        return self.explained is None

    @property
    def title(self) -> str:
        """The scenario and the anomaly."""
        return f"{self.scenario.requirement} {self.scenario.name}: {self.finding.anomaly} in its history"

    @property
    def counts(self) -> str:
        return f"{self.finding.definite} definite, {self.finding.possible} possible"

    def as_report(self) -> pytest.TestReport:
        """As a separate failed test: in pytest's count and in junit.xml, where the scenario itself is green."""
        name = self.title.translate(str.maketrans("[]", "()"))  # brackets are parameters to pytest
        return pytest.TestReport(
            nodeid=f"{self.scenario.feature}::{name}",
            location=(self.scenario.feature, None, name),
            keywords={},
            outcome="failed",
            longrepr=f"{self.finding.witness}\n{self.counts}; drawn in check/index.html",
            when="call",
            user_properties=[("requirement", self.scenario.requirement), ("anomaly", self.finding.anomaly)],
            is_anomaly=True,
        )
