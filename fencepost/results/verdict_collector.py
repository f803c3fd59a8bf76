"""Collects the verdicts of a run: the results folder, the matrix at the end, and the exit code."""

import dataclasses
import json
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from fencepost.console import verdict_matrix
from fencepost.contract import disk_reserve
from fencepost.contract.evidence import Mismatch
from fencepost.contract.folder import Folder
from fencepost.contract.items import scenario_of
from fencepost.contract.ports import Handshake, Image
from fencepost.contract.verdict import Expectation, ScenarioResult, Verdict
from fencepost.pipeline import suite
from fencepost.report import allure_anomalies, allure_html, allure_overview
from fencepost.report.allure_causes import Grouped
from fencepost.run.interruption import StoppedEarly, Stopping
from fencepost.run.options import RunOptions
from fencepost.run.refusal import WATCHING

from . import history_check
from .compliance_document import Compliance
from .markdown_summary import SummaryRequest
from .results_folder import ALLURE_RESULTS, noting
from .run_results import Results

if TYPE_CHECKING:
    from fencepost.pipeline.spark_session import Ahead

_LETTERS = {
    Verdict.MET: (".", {"green": True}),
    Verdict.VIOLATED: ("F", {"red": True}),
    Verdict.INCONCLUSIVE: ("?", {"red": True}),
    Verdict.BLOCKED: ("b", {"red": True}),
    Verdict.HARNESS_ERROR: ("E", {"red": True}),
    Verdict.KNOWN_DEVIATION: ("d", {"yellow": True}),
    Verdict.NOT_OFFERED: ("o", {"yellow": True}),
}


@dataclass(frozen=True)
class CollectedResult:
    """What travels on a pytest report, also from a worker process: one scenario's result, and the handshake of its system."""

    result: ScenarioResult
    handshake: Handshake | None
    unreachable: str | None

    def dump(self) -> str:
        return json.dumps(dataclasses.asdict(self), default=sorted)

    @classmethod
    def of(cls, report: pytest.TestReport) -> "CollectedResult | None":
        text = getattr(report, "fencepost", None)
        if text is None:
            return None
        data = json.loads(text)
        result, violation = data["result"], data["result"]["violation"]
        result |= {"verdict": Verdict(result["verdict"]), "violation": violation and Mismatch(**violation)}
        result["given"] = result["given"] and Mismatch(**result["given"])
        result["expectation"] = result["expectation"] and Expectation(**result["expectation"])
        return cls(ScenarioResult(**result), _handshake(data["handshake"]), data["unreachable"])


def _handshake(data: dict[str, Any] | None) -> Handshake | None:
    if data is None:
        return None
    tuples = {name: tuple(data[name]) for name in ("notes", "not_offered")}
    tuples |= {name: data[name] and tuple(data[name]) for name in ("judged_as", "looks_like")}
    image = data["image"] and Image(**data["image"])
    return Handshake(**(data | tuples | {"capabilities": frozenset(data["capabilities"]), "image": image}))


class Reporting:
    """The half of the plugin that receives the verdicts."""

    def __init__(self, options: RunOptions, results: Results, stopping: Stopping, summary: SummaryRequest | None = None) -> None:
        self.html, self.check, self.summary = options.html, options.check, summary
        self.results, self.stopping = results, stopping
        self.collected: set[str] = set()
        self.unreachable: str | None = None
        self.ahead: Ahead | None = None

    @pytest.hookimpl(tryfirst=True)  # before the system is waited for
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.check = self.check and not session.config.option.collectonly
        self._collect({item.nodeid for item in session.items if scenario_of(item)})

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        if self.results.selected is None:  # every worker collects the same
            self._collect(set(ids))

    def _collect(self, ids: set[str]) -> None:
        self.collected = ids
        self.results.selected = len(ids)
        if self.check and ids:
            self.ahead = suite.ahead()  # Spark takes as long to start as some hundred scenarios take to run
        self.results.write()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        judged = CollectedResult.of(report)
        if judged is None:  # also of a scenario whose worker process died, which leaves the run incomplete
            self._leave_to_others(report)
            return
        self.collected.discard(report.nodeid)
        self.results.handshake = judged.handshake or self.results.handshake
        if judged.unreachable:
            self.unreachable = self.results.stopped = judged.unreachable
            return
        self.results.add(judged.result)
        if judged.result.fails:
            self.stopping.failed()

    def _leave_to_others(self, report: pytest.TestReport) -> None:
        """Uncount a collected test that is not a scenario of Fencepost: only its reports show that.

        No report shows that of a scenario that was given up, or whose worker died, so it stays missing.
        """
        if report.nodeid in self.collected and hasattr(report, "is_no_scenario"):
            self.collected.discard(report.nodeid)
            self.results.selected = len(self.collected) + len(self.results.scenarios)

    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, tuple[str, dict[str, bool]]] | None:
        """Scenarios are shown by their verdict, and counted in pytest's categories."""
        if hasattr(report, "is_anomaly"):
            return "failed", "X", ("ANOMALY", {"red": True})
        judged = CollectedResult.of(report)
        if judged is None:
            return None
        letter, colour = _LETTERS[judged.result.verdict]
        category = "xfailed" if hasattr(report, "wasxfail") else report.outcome
        words = judged.result.verdict.words.upper() + (" (PROVISIONAL)" if judged.result.is_provisional else "")
        return category, letter, (words, colour)

    @pytest.hookimpl(tryfirst=True)  # before junit.xml is written, which has anomalies too
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if self.results.folder:
            disk_reserve.give_back(self.results.folder)
        ended = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        if running := session.config.pluginmanager.get_plugin("fencepost-running"):
            self.results.concurrency = running.playing.concurrency
        self.results.complete = ended and not self.collected and bool(self.results.scenarios)
        if not self.results.complete:
            self.results.stopped = self.results.stopped or self.stopping.reason or self.stopping.of_a_worker
        self.results.write()
        try:
            self._judge_histories(session)
        finally:
            if self.ahead:
                self.ahead.close()
        if self.summary:
            self._sum_up(self.summary)

    def _judge_histories(self, session: pytest.Session) -> None:
        if self.check and self.results.complete and self.results.folder:
            if terminal := session.config.pluginmanager.get_plugin("terminalreporter"):
                terminal.ensure_newline()  # what follows is printed while the line of letters is still open
            try:
                with self.stopping.ending_early():
                    self.results.histories = history_check.judge(self.results.folder, self.results.scenarios, self.ahead)
            except KeyboardInterrupt as stopped:  # Spark handles SIGINT itself, and raises this
                self.results.stopped = self.stopping.reason = self.stopping.reason or str(stopped) or "SIGINT"
            self.results.write()
            for reported in filter(lambda reported: reported.is_red, self.results.histories.anomalies if self.results.histories else ()):
                session.config.hook.pytest_runtest_logreport(report=reported.as_report())
                allure_anomalies.add_to_report(
                    reported, self.results.register, self.results.folder / ALLURE_RESULTS, noting(self.results.folder)
                )
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _sum_up(self, wanted: SummaryRequest) -> None:
        """Write the summary; a failure to write it changes no verdict, and so no exit code."""
        try:
            wanted.append(Compliance.model_validate(self.results.as_json()))
        except OSError as error:
            print(f"fencepost: the summary {wanted.path} cannot be written: {error.strerror}", file=sys.stderr)

    def _title(self) -> str:
        return f"Fencepost: {self.results.identity}"

    def made(self) -> list[str]:
        """Write the reports of the whole results, and return the notes and paths to print, a line each."""
        if self.results.claimed is None:
            return self.results.notes
        allure_overview.write(self.results.claimed.path, noting(self.results.claimed.path))
        return [
            *self.results.notes,
            f"results: {os.path.relpath(self.results.claimed.path)}",
            *([self._allure_report(self.results.claimed)] if self.html else []),
        ]

    def _allure_report(self, claimed: Folder) -> str:
        try:
            with self.stopping.ending_early(only_at_once=True):
                causes = {str(cause): cause.scenarios for cause in self.results.causes().found}
                return allure_html.generate(claimed, self._title(), Grouped.of(self.results.settled(), causes))
        except StoppedEarly:
            return "no Allure report: the run was stopped twice"

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Only under pytest itself; `console/final_summary.py` prints the end of `fencepost run`."""
        if terminalreporter.config.pluginmanager.has_plugin(WATCHING):
            return
        if self.unreachable:
            terminalreporter.write_line(self.unreachable, red=True)
        elif self.results.scenarios:
            verdict_matrix.write(self.results, terminalreporter)
            for line in self.made():
                terminalreporter.write_line(f"  {line}")
            verdict_matrix.write_headline(self.results, terminalreporter)
        if self.results.stopped and self.stopping.reason:
            verdict_matrix.write_stopped(self.results, terminalreporter)
