"""A run as a person sees it: a live line on a terminal, plain lines elsewhere, and red scenarios as they end.

This is a plugin of the process that shows the run. pytest's own output is held back, and shown only if a run ends in a way for which the
kit has no message. `final_summary.py` writes the end of the output.
"""

import io
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any
from warnings import WarningMessage

import pytest

from fencepost.contract import register
from fencepost.contract.brokers import brokers_of, cares_who_asks, most_at_once
from fencepost.contract.items import scenario_of
from fencepost.contract.verdict import Verdict
from fencepost.results.verdict_collector import CollectedResult
from fencepost.run.options import RunOptions
from fencepost.run.parallel.worker_mailbox import Mailbox
from fencepost.run.parallel.worker_status import FOLDER, Looking, planned
from fencepost.run.plan import plan_of
from fencepost.run.previous_run import PREVIOUS
from fencepost.run.refusal import WATCHING

from .live_view import Live, PlainView, RunView
from .phrases import counted, line_of, line_of_red
from .progress import Progress
from .terminal import Screen
from .verdict_matrix import SIGNS


class Loudness(Enum):
    """How much is shown during a run: every scenario as it ends, a live line on a terminal, or plain lines also there."""

    VERBOSE = "-v"
    NORMAL = ""
    QUIET = "-q"


@dataclass
class PrintedResults:
    """What is printed for the user when the run is over."""

    failures: list[str] = field(default_factory=list)
    """The whole text of each red scenario, in the order in which they ended."""
    troubles: list[str] = field(default_factory=list)
    """What went wrong outside scenarios."""
    warnings: dict[str, int] = field(default_factory=dict)
    """Each warning, with how often it was given."""


class RunReporter:
    """The plugin; a context that ends with the run, whatever ended that."""

    __name__ = WATCHING
    """The name under which pytest registers it."""

    def __init__(self, screen: Screen, loudness: Loudness = Loudness.NORMAL) -> None:
        self.screen, self.loudness = screen, loudness
        self.progress = Progress()
        self.reported = PrintedResults()
        self.refused: Exception | None = None
        """Why there was no run, if there was none."""
        self.pytests_own_words = io.StringIO()
        self._mailbox = Mailbox(Path(tempfile.mkdtemp(prefix="fencepost-watching-")))
        self.shown: RunView = Live(screen, self.progress) if screen.is_live else PlainView(screen, self.progress)

    def __enter__(self) -> "RunReporter":
        self.shown.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shown.stop()
        shutil.rmtree(self._mailbox.folder, ignore_errors=True)

    # --- what will be run -----------------------------------------------------------------------------------------------------

    @pytest.hookimpl(tryfirst=True)  # before pytest prints its first line
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        writer: Any = session.config.get_terminal_writer()
        writer._file, writer.hasmarkup = self.pytests_own_words, False
        looking = Looking(session.config)
        session.config.pluginmanager.register(looking, "fencepost-looking")
        self.progress.looks.append(looking.now)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput[FOLDER] = str(self._mailbox.folder)
        self.progress.looks.append(self._mailbox.look_at(node.workerinput["workerid"]))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        """Scenarios go to the workers to which they were assigned; pytest-xdist's own scheduler if their system does not care."""
        from fencepost.run.parallel.scheduler import AsDealt

        systems = RunOptions.of(config).build_systems().values()
        return AsDealt(config, log, self._mailbox.planned) if any(map(cares_who_asks, systems)) else None

    @pytest.hookimpl(tryfirst=True)  # before the system is waited for
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        if any(scenario_of(item) for item in session.items):
            self._begin(session.config, planned(session.items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any) -> None:
        if not self.progress.planned:
            self._begin(node.config, self._mailbox.planned())

    def _begin(self, config: pytest.Config, scenarios: Any) -> None:
        self.progress.plan(scenarios)
        reporting: Any = config.pluginmanager.get_plugin("fencepost-reporting")
        system = reporting.results.identity.called
        self.progress.phase = f"waiting for {system}"
        requirements = len({scenario.requirement for scenario in scenarios.values()})
        self.shown.begin(f"{system}: {counted(len(scenarios), 'scenario')} of {counted(requirements, 'requirement')}")
        if (seconds := _expected(config)) is not None:
            self.progress.expect(seconds)

    # --- what happens ---------------------------------------------------------------------------------------------------------

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.progress.start(nodeid)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self.progress.end(nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        judged = CollectedResult.of(report)
        if judged is None:
            if report.failed and not hasattr(report, "is_anomaly"):  # anomalies are printed with the matrix
                self.reported.troubles.append(f"{report.nodeid} ended without a verdict\n{_text_of(report)}")
            return
        if judged.unreachable:
            return
        result = judged.result
        ended = self.progress.judge(report.nodeid, result)
        colour = SIGNS[result.verdict][1]
        if result.verdict.is_red:
            self.reported.failures.append(_text_of(report, with_output=result.verdict is Verdict.HARNESS_ERROR))
            self.shown.say(line_of_red(result, self.shown.room), **colour)
        elif self.loudness is Loudness.VERBOSE:
            self.shown.say(line_of(result), **colour)
        if ended:
            self.shown.end_of(ended)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.reported.troubles.append(f"{report.nodeid} could not be collected\n{_text_of(report)}")

    def pytest_internalerror(self, excrepr: object) -> None:
        self.reported.troubles.append(str(excrepr))

    def pytest_warning_recorded(self, warning_message: WarningMessage) -> None:
        place = f"{warning_message.filename}:{warning_message.lineno}"
        text = f"{warning_message.message} ({place})"
        self.reported.warnings[text] = self.reported.warnings.get(text, 0) + 1

    @pytest.hookimpl(tryfirst=True)  # what follows writes to the terminal itself
    def pytest_sessionfinish(self) -> None:
        self.shown.stop()


def _expected(config: pytest.Config) -> float | None:
    """The seconds of a run that starts brokers, or of a system that was run before and may have been slow.

    For any other run, its own pace is known before this could be computed.
    """
    rows, previous = register.bundled(), config.stash.get(PREVIOUS, None)
    options = RunOptions.of(config).about_system(rows)
    systems = options.build_systems().values()
    starts_brokers, lives_apart = any(brokers_of(system, ()) for system in systems), max(map(most_at_once, systems)) > 1
    if not starts_brokers and not (previous and lives_apart):
        return None
    plan = plan_of(options, rows, max(len(config.getoption("tx", None) or ()), 1), previous)
    return plan.seconds if starts_brokers or plan.previous else None


def _text_of(report: pytest.TestReport | pytest.CollectReport, with_output: bool = True) -> str:
    captured: Sequence[tuple[str, str]] = report.sections if with_output else ()
    return "\n".join([report.longreprtext.rstrip(), *(f"--- {name}\n{text.rstrip()}" for name, text in captured)])
