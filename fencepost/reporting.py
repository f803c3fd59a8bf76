"""Collecting the verdicts of a run: the results folder, the matrix at the end, and what the command line exits with."""

import dataclasses
import json
from dataclasses import dataclass
from typing import Any

import pytest

from fencepost.contract.evidence import Mismatch
from fencepost.contract.items import scenario_of
from fencepost.contract.ports import Handshake
from fencepost.contract.register import Register
from fencepost.contract.verdict import ScenarioResult, Verdict
from fencepost.report import allure_anomalies, allure_html, allure_overview

from . import histories, matrix
from .options import Options
from .results import Results

_LETTERS = {
    Verdict.MET: (".", {"green": True}),
    Verdict.VIOLATED: ("F", {"red": True}),
    Verdict.INCONCLUSIVE: ("?", {"red": True}),
    Verdict.HARNESS_ERROR: ("E", {"red": True}),
    Verdict.KNOWN_DEVIATION: ("d", {"yellow": True}),
    Verdict.NOT_OFFERED: ("o", {"yellow": True}),
}


@dataclass(frozen=True)
class Judged:
    """What travels on a pytest report, also from a worker process: one scenario's result, and the system that gave it."""

    result: ScenarioResult
    handshake: Handshake | None
    unreachable: str | None

    def dump(self) -> str:
        return json.dumps(dataclasses.asdict(self), default=sorted)

    @classmethod
    def of(cls, report: pytest.TestReport) -> "Judged | None":
        text = getattr(report, "fencepost", None)
        if text is None:
            return None
        data = json.loads(text)
        result, violation = data["result"], data["result"]["violation"]
        result |= {"verdict": Verdict(result["verdict"]), "violation": violation and Mismatch(**violation)}
        return cls(ScenarioResult(**result), _handshake(data["handshake"]), data["unreachable"])


def _handshake(data: dict[str, Any] | None) -> Handshake | None:
    if data is None:
        return None
    lists = {name: tuple(data[name]) for name in ("notes", "not_offered")} | {"judged_as": data["judged_as"] and tuple(data["judged_as"])}
    return Handshake(**(data | lists | {"capabilities": frozenset(data["capabilities"])}))


class Reporting:
    """The half of the plugin that hears what was judged."""

    def __init__(self, options: Options, register: Register) -> None:
        self.html, self.check = options.html, options.check
        self.results = Results(register, options.selection, options.results, options.system)
        self.collected: set[str] = set()
        self.unreachable: str | None = None
        self.results.write()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.collected |= {item.nodeid for item in session.items if scenario_of(item)}

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        self.collected |= set(ids)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.collected.discard(report.nodeid)
        judged = Judged.of(report)
        if judged is None:
            return
        self.results.handshake = judged.handshake or self.results.handshake
        if judged.unreachable:
            self.unreachable = judged.unreachable
            return
        self.results.add(judged.result)

    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, tuple[str, dict[str, bool]]] | None:
        """Scenarios are shown by their verdict, and counted as pytest counts."""
        if hasattr(report, "is_anomaly"):
            return "failed", "X", ("ANOMALY", {"red": True})
        judged = Judged.of(report)
        if judged is None:
            return None
        letter, colour = _LETTERS[judged.result.verdict]
        category = "xfailed" if judged.result.verdict is Verdict.KNOWN_DEVIATION else report.outcome
        return category, letter, (judged.result.verdict.words.upper(), colour)

    @pytest.hookimpl(tryfirst=True)  # before junit.xml is written, which tells of anomalies too
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        ended = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        self.results.complete = ended and not self.collected and bool(self.results.scenarios)
        self.results.write()
        if self.check and self.results.complete and self.results.folder:
            if terminal := session.config.pluginmanager.get_plugin("terminalreporter"):
                terminal.ensure_newline()  # what follows is told while the line of letters is still open
            self.results.histories = histories.judge(self.results.folder, self.results.scenarios)
            self.results.write()
            for told in filter(lambda told: told.is_red, self.results.histories.anomalies):
                session.config.hook.pytest_runtest_logreport(report=told.as_report())
                allure_anomalies.tell(told, self.results.register, self.results.folder / "allure-results")
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _title(self) -> str:
        handshake = self.results.handshake
        return f"Fencepost: {self.results.system} {handshake.version}, profile {handshake.profile}" if handshake else "Fencepost"

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.unreachable:
            terminalreporter.write_line(self.unreachable, red=True)
        elif self.results.scenarios:
            matrix.write(self.results, terminalreporter)
            if self.results.folder:
                allure_overview.write(self.results.folder)
            if self.results.folder and self.html:
                terminalreporter.write_line(f"  {allure_html.generate(self.results.folder, self._title())}")
