"""The pytest plugin: `pytest -p fencepost.plugin --pyargs fencepost.features`, and what `fencepost run` runs.

Two halves, so that they can be in different processes under `-n`: `Running` plays scenarios on a system and judges each;
`Reporting` collects the verdicts, writes the results folder and sums up.
"""

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from fencepost.adapters import registry
from fencepost.contract import disk_reserve, register
from fencepost.contract.datafile import DataFileError
from fencepost.contract.errors import WrongUsage
from fencepost.contract.evidence import Evidence
from fencepost.contract.gherkin import GherkinStep
from fencepost.contract.items import PROTOCOL
from fencepost.contract.ports import Session
from fencepost.contract.register import Register
from fencepost.deviations import user_deviations
from fencepost.deviations.baseline import TO_BE_WRITTEN, Baseline
from fencepost.deviations.user_deviations import OwnExpectations, unmatched
from fencepost.results import history_check, markdown_summary, results_folder
from fencepost.results.junit import Junit
from fencepost.results.run_results import Results
from fencepost.results.verdict_collector import Reporting
from fencepost.run import options, pytest_markers
from fencepost.run.deselection import Narrowed
from fencepost.run.interruption import Stopping
from fencepost.run.interruption_hooks import WORKERS, StoppingHooks
from fencepost.run.judged_systems import JudgedSystems
from fencepost.run.options import RunOptions
from fencepost.run.parallel import worker_status
from fencepost.run.previous_run import PREVIOUS, previous_run
from fencepost.run.refusal import refuse
from fencepost.run.runner import Running
from fencepost.steps import vocabularies
from fencepost.steps.stage import SESSION, Stage

_MOST = 10
"""At most this many entries are named; further ones are counted."""


def pytest_addoption(parser: pytest.Parser) -> None:
    options.add(parser)


@pytest.hookimpl(tryfirst=True)  # before the plugins that write junit.xml and Allure results look for their options
def pytest_configure(config: pytest.Config) -> None:
    in_worker = hasattr(config, "workerinput")
    hands_out = bool(getattr(config.option, "dist", "no") != "no" and getattr(config.option, "tx", None)) and not in_worker
    try:
        chosen, rows = RunOptions.of(config), register.bundled()
        pytest_markers.register_all(config, rows)
        registry.check_proposals()
        chosen = chosen.about_system(rows)
        chosen.selection.check(rows)
        vocabularies.check(chosen.selection.proposals_in(rows))
        _ = chosen.counting  # an unknown edition is reported before anything is started
        stopping = _stopping(config)
        if chosen.check and not in_worker:
            history_check.ready(chosen)
        own = user_deviations.read(chosen.expectations, rows)
        baseline = Baseline.at(chosen.write_baseline, rows) if chosen.write_baseline and not in_worker else None
        # The previous run may be in the folder that is claimed next.
        config.stash[PREVIOUS] = None if in_worker else previous_run(chosen)
        wanted = None if in_worker else markdown_summary.wanted(chosen.summary, chosen.previous, chosen.results)
        if chosen.results and not in_worker:
            results_folder.look(chosen.results, chosen.check)
        # Also if workers start them: errors in them are reported before the folder is claimed.
        systems = JudgedSystems(chosen, rows)
        if not in_worker:
            results = Results(rows, chosen.selection, chosen.system, chosen.named, chosen.defect, chosen.gate)
            results.counting = chosen.counting
            results.narrowed = Narrowed.of(config, chosen)
            if chosen.results:
                results.claimed = results_folder.claim(chosen.results, results.as_text())
                results.has_no_space = stopping.after_this
            config.pluginmanager.register(Reporting(chosen, results, stopping, wanted), "fencepost-reporting")
            config.pluginmanager.register(KnownDeviations(own, baseline, results), "fencepost-known-deviations")
            config.pluginmanager.register(Junit(config, results), "fencepost-junit")
        if not hands_out:
            config.pluginmanager.register(Running(config, chosen, rows, systems, stopping), "fencepost-running")
            worker_status.in_worker(config)
            _report_allure(config, chosen, rows, stopping)
    except (WrongUsage, DataFileError) as error:
        raise refuse(config, error) from error


def _stopping(config: pytest.Config) -> Stopping:
    """The one of `fencepost run`, or of the process that started this worker; otherwise pytest's own ways to stop hold."""
    hooks = next((one for one in config.pluginmanager.get_plugins() if isinstance(one, StoppingHooks)), None)
    if reported := getattr(config, "workerinput", {}).get(WORKERS):
        hooks = StoppingHooks(Stopping())
        config.pluginmanager.register(hooks)
        hooks.stopping.listen_to(Path(reported))
    return hooks.stopping if hooks else Stopping()


def _report_allure(config: pytest.Config, chosen: RunOptions, rows: Register, stopping: Stopping) -> None:
    """Write Allure results, into the results folder, or where allure-pytest's option points."""
    reported = getattr(config.option, "allure_report_dir", None)
    if not reported and not chosen.results:
        return
    from fencepost.report.allure_steps import AllureSteps
    from fencepost.steps.player import player_of

    def brings_down(spec: str, step: GherkinStep) -> str | None:
        return player_of(spec).brings_down(step)

    if reported:
        steps = AllureSteps(rows, Path(reported), brings_down=brings_down)
    elif chosen.results:
        results = chosen.results

        def writing() -> AbstractContextManager[None]:
            return disk_reserve.writing(results, stopping.after_this)

        steps = AllureSteps(rows, results / results_folder.ALLURE_RESULTS, results_folder.noting(results), writing, brings_down)
    config.pluginmanager.register(steps, "fencepost-allure")


@pytest.fixture
def fencepost_protocol(request: pytest.FixtureRequest) -> str:
    """The protocol under which this scenario is asked; a parameter if there are several."""
    protocol: str = request.node.stash[PROTOCOL]
    return protocol


@pytest.fixture
def fencepost_stage(request: pytest.FixtureRequest) -> Iterator[Stage]:
    """The state of this scenario, by the factories of its vocabularies."""
    running: Any = request.config.pluginmanager.get_plugin("fencepost-running")
    stage = running.stage(request.node)
    yield stage
    try:
        stage.close()
    finally:
        running.keep_history(request.node)


@pytest.fixture
def fencepost_evidence(fencepost_stage: Stage) -> Evidence:
    """What the Then steps of this scenario have judged."""
    return fencepost_stage.evidence


@pytest.fixture
def fencepost_session(fencepost_stage: Stage) -> Session:
    """This scenario's own view of the system under test."""
    session: Session = fencepost_stage.value(SESSION)
    return session


class KnownDeviations:
    """At the end of a run: reports the user's own entries that it was not compared with, and writes the baseline."""

    def __init__(self, own: OwnExpectations, baseline: Baseline | None, results: Results) -> None:
        self.own, self.baseline, self.results = own, baseline, results

    @pytest.hookimpl(trylast=True)  # once it is known whether the run was finished
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.results.complete:
            self.results.notes += self._unmatched()
        self.results.notes += self._without_a_reason()
        if self.baseline is None:
            return
        if not self.results.complete:
            self.results.notes.append(f"no baseline was written to {os.path.relpath(self.baseline.path)}: the run was not finished")
            return
        try:
            self.results.notes.append(f"baseline: {self.baseline.write(self.results.scenarios, self.results.register)}")
        except WrongUsage as error:
            self.results.notes.append(str(error))
            session.exitstatus = pytest.ExitCode.USAGE_ERROR

    def _without_a_reason(self) -> list[str]:
        """A warning for each known deviation that still lacks a reason."""
        files = Counter(one.file for one in self.own.known if one.entry.reason == TO_BE_WRITTEN)
        return [f"warning: entries without a reason in {file}: {number}; replace TO BE WRITTEN" for file, number in files.items()]

    def _unmatched(self) -> list[str]:
        register, chosen = self.results.register, self.results.selection
        selected = (row.id for row in register.rows() if chosen.holds(row, register.spec_of(row.id)))
        handshake = self.results.handshake
        version = (handshake.judged_as or ("", handshake.version))[1] if handshake else ""
        found = list(unmatched(self.own, self.results.scenarios, selected, version))
        more = [f"and {len(found) - _MOST} more"] if len(found) > _MOST else []
        return [f"{len(found)} known deviations were not looked for: {'; '.join(found[:_MOST] + more)}"] if found else []
