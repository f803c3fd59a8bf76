"""Runs scenarios on a system: which scenarios, with which capabilities, and which verdict each gets.

The verdict of a scenario travels on its pytest report, as `report.fencepost`, so that it also arrives from a worker process.
"""

import contextlib
import dataclasses
import inspect
import os
import random
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any, cast

import pytest

from fencepost.contract import disk_reserve, gherkin, history_files
from fencepost.contract.brokers import turn_of
from fencepost.contract.datafile import DataFileError
from fencepost.contract.errors import SystemUnreachable, WrongUsage
from fencepost.contract.evidence import Evidence
from fencepost.contract.folder import Folder
from fencepost.contract.gherkin import GherkinStep
from fencepost.contract.items import (
    EVIDENCE,
    PLAYED,
    PROTOCOL,
    RESULT,
    SESSION,
    STEP,
    example_of,
    feature_of,
    needs_of,
    requirement_in,
    requirement_of,
    scenario_in,
    scenario_of,
    tags_in,
)
from fencepost.contract.played import Played
from fencepost.contract.ports import KeepsExchanges, Session, System
from fencepost.contract.register import Register
from fencepost.contract.verdict import ScenarioResult, Verdict
from fencepost.contract.waiting import has_changed
from fencepost.results import junit
from fencepost.results.results_folder import BROKER_LOGS, EXCHANGES, HISTORIES
from fencepost.results.verdict_collector import CollectedResult
from fencepost.run.parallel.assignment import Dealing
from fencepost.steps.player import Player, player_of
from fencepost.steps.stage import Stage

from . import feature_lint, pytest_markers
from .failure_text import explain
from .interruption import StoppedEarly, Stopping
from .interruption_hooks import GIVEN_UP
from .judged_systems import JudgedSystems
from .options import RunOptions
from .plays import Play, ScenarioNames, judged
from .refusal import refuse
from .scenario_items import NOTE, Playing
from .steady_environment import steady_environment
from .verdicts import lacks

ERROR = pytest.StashKey[BaseException]()
PROTOCOL_PARAMETER = "fencepost_protocol"


class Running:
    """The half of the plugin that talks to the systems under test."""

    def __init__(self, config: pytest.Config, options: RunOptions, register: Register, systems: JudgedSystems, stopping: Stopping) -> None:
        self.config, self.options, self.register, self.systems, self.stopping = config, options, register, systems, stopping
        self.counting, self.specs = options.counting, options.selection.proposals_in(register)
        self._features = Path(str(resources.files("fencepost.features")))
        self.claimed = Folder(options.results) if options.results else None
        self.unreachable: str | None = None
        self.is_fit = True
        self.playing = Playing(config, options, register, systems, stopping)
        self.steady = contextlib.ExitStack()
        if "container" in options.asked.options:
            self.steady.enter_context(steady_environment())
        self.dealing = Dealing(config)
        self.dealing.notify_of_workers(systems.by_protocol.values())
        self.systems.prepare()

    # --- which scenarios ------------------------------------------------------------------------------------------------

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Ignore the bundled features of a proposal without a selected requirement: reading them would be most of a short run."""
        spec = collection_path.name
        is_bundled = spec in self.register.by_spec and collection_path.parent == self._features
        if is_bundled and spec not in self.specs:
            return True
        return None

    @pytest.hookimpl(tryfirst=True)
    def pytest_pycollect_makeitem(self, collector: pytest.Collector, obj: object) -> list[pytest.Item] | None:
        """Make no item of a bundled scenario that is not selected: for one requirement, that would take as long as its scenarios.

        The others get pytest's marks.
        """
        template = scenario_in(obj) if inspect.isfunction(obj) else None
        if template is None:
            return None
        if collector.path.is_relative_to(self._features) and not self._is_asked(requirement_in(template)):
            return []
        for tag in tags_in(template):
            pytest_markers.mark(cast(Callable[..., Any], obj), tag, self.register)
        return None

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """A scenario becomes one item for each protocol under which it is asked."""
        template = scenario_in(metafunc.function)
        protocols = self._protocols(requirement_in(template)) if template else ()
        if len(protocols) > 1:
            metafunc.fixturenames.append(PROTOCOL_PARAMETER)
            metafunc.parametrize(PROTOCOL_PARAMETER, protocols, indirect=True)

    def _protocols(self, requirement: str) -> tuple[str, ...]:
        return self.systems.protocols(requirement) if requirement in self.register.by_id else ()

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        scenarios = [item for item in items if scenario_of(item)]
        if not scenarios:
            return
        for item in scenarios:
            self._note_protocol(item)
        if faults := [fault for spec in sorted(self.specs) for fault in feature_lint.faults_of_bundled(spec)]:
            # pytest reports the end of the collection also after this.
            self.is_fit = False
            raise refuse(config, WrongUsage("the features are not fit to be run:\n  " + "\n  ".join(faults)))
        selected = {item: PROTOCOL in item.stash and self._is_asked(requirement_of(item)) for item in scenarios}
        chosen = [item for item in scenarios if selected[item]]
        if len(chosen) < len(scenarios):
            config.hook.pytest_deselected(items=[item for item in scenarios if not selected[item]])
        order = {identifier: place for place, identifier in enumerate(self.register.by_id)}
        if self.options.shuffle is not None:
            random.Random(self.options.shuffle).shuffle(chosen)  # noqa: S311 - no secret
            order = dict.fromkeys(order, 0)
        # Scenarios on one broker come together; those for which a system needs long to get ready come last.
        chosen.sort(key=lambda item: (turn_of(self._system(item), needs_of(item)), order[requirement_of(item)]))
        self.dealing.deal(chosen, self.systems.by_protocol)
        items[:] = chosen + [item for item in items if not scenario_of(item)]

    def _is_asked(self, requirement: str) -> bool:
        row = self.register.by_id.get(requirement)
        return row is not None and self.options.selection.holds(row, self.register.spec_of(requirement))

    def _note_protocol(self, item: pytest.Item) -> None:
        """Note under which protocol a scenario is asked; none if no system of this run speaks a protocol of its proposal."""
        protocols = self._protocols(requirement_of(item))
        if len(protocols) == 1:
            item.stash[PROTOCOL] = protocols[0]
        elif protocols:
            item.stash[PROTOCOL] = item.callspec.params[PROTOCOL_PARAMETER]  # type: ignore[attr-defined]  # its type is pytest's own

    # --- the system -----------------------------------------------------------------------------------------------------

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Wait for the system, which started while the scenarios were collected."""
        if not (self.is_fit and any(scenario_of(item) for item in session.items)) or self.config.option.collectonly:
            return
        try:
            needs: dict[str, list[frozenset[str]]] = {}
            for item in self.dealing.of_this_process(filter(scenario_of, session.items)):
                needs.setdefault(item.stash[PROTOCOL], []).append(needs_of(item))
            with self.stopping.ending_early():
                self.systems.open(needs)
        except StoppedEarly:
            pass  # no scenario is begun
        except (SystemUnreachable, WrongUsage, DataFileError) as error:
            self._give_up(error)

    def _give_up(self, reason: Exception) -> None:
        """End the run; a worker process can only pass the reason on with its first scenario."""
        if not hasattr(self.config, "workerinput"):
            self.config.pluginmanager.get_plugin("fencepost-reporting").results.stopped = str(reason)  # type: ignore[union-attr]  # it is there
            raise refuse(self.config, reason)
        self.unreachable = str(reason)

    @pytest.hookimpl(trylast=True)  # after the last scenario was cleaned up, and before a worker reports its end
    def pytest_sessionfinish(self) -> None:
        self.playing.close()
        self.systems.close()

    def pytest_unconfigure(self) -> None:
        self.systems.close()  # also if the session never began
        self.steady.close()

    def stage(self, item: pytest.Item) -> Stage:
        """Fresh state for this scenario, from the vocabularies of its requirement's proposal; otherwise it has its own fixtures."""

        def open_session() -> Session:
            session = item.stash[SESSION] = self._system(item).session(self._asked(item).run, needs_of(item))
            return session

        return self._player(item).stage(open_session, item.stash[EVIDENCE])

    def _player(self, item: pytest.Item) -> Player:
        requirement = requirement_of(item)
        return player_of(self.register.spec_of(requirement)) if requirement in self.register.by_id else Player(())

    def keep_history(self, item: pytest.Item) -> None:
        """Write the scenario's history for the checkers, one event a line. A scenario without events has no file."""
        if self.claimed is None or SESSION not in item.stash:
            return
        name = self._asked(item).run
        if history := item.stash[SESSION].history(name):
            with disk_reserve.writing(self.claimed.path, self.stopping.after_this):
                self.claimed.put(f"{HISTORIES}/{history_files.name_of(name)}", history_files.packed(history))

    def _keep_broker_log(self, item: pytest.Item) -> str:
        """Write the broker's log of a red scenario, if known, into the results; returns a line with its path."""
        reported = getattr(item.stash.get(SESSION, None), "broker_log", None)
        if self.claimed is None or reported is None or not (text := reported()):
            return ""
        name = f"{BROKER_LOGS}/{Path(history_files.name_of(self._asked(item).run)).name.partition('.')[0]}.log"
        self.claimed.put(name, text)
        return f"\n  broker log:   {os.path.relpath(self.claimed.path / name)}"

    def _keep_exchanges(self, item: pytest.Item) -> None:
        """Write the exchanges of a scenario as they went over the wire, if the session keeps them."""
        session: object = item.stash.get(SESSION, None)
        if self.claimed is not None and isinstance(session, KeepsExchanges):
            name = f"{EXCHANGES}/{history_files.name_of(self._asked(item).run)}"
            with disk_reserve.writing(self.claimed.path, self.stopping.after_this):
                self.claimed.put(name, history_files.packed(session.kept_exchanges()))

    def _system(self, item: pytest.Item) -> System:
        return self.systems.by_protocol[item.stash[PROTOCOL]]

    def _name(self, item: pytest.Item) -> str:
        """The scenario's name, with the protocol if it is asked under several."""
        several = len(self.systems.protocols(requirement_of(item))) > 1
        return f"{scenario_of(item).name} ({item.stash[PROTOCOL]})" if several else str(scenario_of(item).name)

    # --- one scenario ---------------------------------------------------------------------------------------------------

    def pytest_bdd_apply_tag(self, tag: str) -> bool:
        """Fencepost gives pytest marks with other names, to the scenarios that are asked; as they are, pytest would not know the tags."""
        return tag.startswith("needs:") or gherkin.requirement_of((tag,)) is not None or pytest_markers.is_known(tag)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if not scenario_of(item):
            return
        item.stash[EVIDENCE] = Evidence()
        if self.unreachable:
            pytest.fail(self.unreachable, pytrace=False)
        handshake = self.systems.handshakes.get(item.stash[PROTOCOL])
        if not_offered := lacks(self._system(item).name, needs_of(item), handshake):
            item.stash[ERROR] = not_offered
            pytest.skip(str(not_offered))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """Start the scenarios, if several run concurrently: the result of each is then asked for in its turn."""
        if not self.unreachable and not self.stopping.reason and not self.config.option.collectonly:
            self.playing.begin([play for item in session.items if (play := self._play_of(item))])

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool | None:
        """The player plays a bundled scenario, and its error is raised here; pytest-bdd runs a team's own steps."""
        if (play := self._play_of(pyfuncitem)) is None:
            return None
        played = self.playing.play(pyfuncitem, play)
        self.keep_history(pyfuncitem)
        if played.error is not None:
            raise played.error
        return True

    def step_of(self, item: pytest.Item) -> str:
        """The step that the player is running in a bundled scenario; called from another thread."""
        play = self._play_of(item)
        return self.playing.at.get(play.run, "") if play else ""

    def _play_of(self, item: pytest.Item) -> Play | None:
        return self.playing.play_of(item, self._asked(item).run) if scenario_of(item) and PROTOCOL in item.stash else None

    def pytest_bdd_before_step(self, request: pytest.FixtureRequest, scenario: Any, step: Any, step_func: Any) -> None:
        request.node.stash[STEP] = f"{step.keyword} {step.name}"
        if step.type != "then":  # a Then only reads, as in the player
            has_changed(getattr(request.node.stash.get(SESSION, None), "time", None))
        if inspect.iscoroutinefunction(step_func):
            raise TypeError(f"the sentence {step.name!r} is an async function; pytest-bdd would not await it, and it would pass")
        if EVIDENCE in request.node.stash:
            following = [_said(one) for one in scenario.steps[scenario.steps.index(step) :]]
            stage: Stage = request.getfixturevalue("fencepost_stage")
            stage.comparisons.ahead = self._player(request.node).compared(following[0], following[1:])

    @pytest.hookimpl(wrapper=True, trylast=True)  # innermost, so that plugins that write reports get the verdict
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
        report: pytest.TestReport = yield
        if not scenario_of(item):  # the process that receives it from a worker cannot see the item
            report.is_no_scenario = True  # type: ignore[attr-defined]
        was_asked = scenario_of(item) and EVIDENCE in item.stash and GIVEN_UP not in item.stash
        if was_asked and not (call.when == "setup" and call.excinfo is None):
            self._judge(item, call, report)
        elif GIVEN_UP in item.stash and report.skipped:  # pytest would show where in the kit that was decided
            report.longrepr = (str(report.location[0]), report.location[1] or 0, f"Skipped: given up: {item.stash[GIVEN_UP]}")
        return report

    def _judge(self, item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport) -> None:
        error = item.stash.get(ERROR, None) or (call.excinfo.value if call.excinfo else None)
        if call.when == "teardown" and (call.excinfo is None or error is not call.excinfo.value):
            return
        asked = self._asked(item)
        session, note = item.stash.get(SESSION, None), item.stash.get(NOTE, None)
        played = item.stash.get(PLAYED, None)
        if played is None or call.when != "call":  # a team's own steps, or setup and teardown, which pytest-bdd and pytest run
            played = Played((), error, call.duration, item.stash[EVIDENCE], session)
        result, alike = judged(asked, played, self.systems, note)
        row = self.register[asked.requirement]
        result = dataclasses.replace(result, is_provisional=self.counting.is_provisional(row, self.register.spec_of(row.id)))
        item.stash[RESULT] = result
        report.duration = played.seconds
        reported = junit.properties(asked.requirement, result.feature, result.name, asked.example, result.verdict.value)
        item.user_properties[:] = [*(one for one in item.user_properties if one[0] not in dict(reported)), *reported]
        report.fencepost = CollectedResult(result, self.systems.handshakes.get(asked.protocol), self.unreachable).dump()  # type: ignore[attr-defined]
        self._colour(report, result)
        if result.verdict.is_red:
            is_bug = result.verdict is Verdict.HARNESS_ERROR and call.excinfo and not isinstance(error, WrongUsage)
            traceback = report.longreprtext if is_bug else ""
            said = session.exchanges() if session else ()
            text = explain(row, result, item.stash.get(STEP, None), said, traceback, alike, note)
            report.longrepr = text + self._keep_broker_log(item)
        self._keep_exchanges(item)

    def _asked(self, item: pytest.Item) -> ScenarioNames:
        protocol, example = item.stash[PROTOCOL], example_of(item)
        return ScenarioNames(requirement_of(item), feature_of(item), scenario_of(item).name, self._name(item), protocol, example)

    @staticmethod
    def _colour(report: pytest.TestReport, result: ScenarioResult) -> None:
        """Set the report's outcome to the one that the verdict has in pytest's terms."""
        reason = result.reason
        match result.verdict:
            case Verdict.MET:
                report.outcome = "passed"
            case Verdict.NOT_OFFERED:
                report.outcome = "skipped"
                report.longrepr = (str(report.location[0]), report.location[1] or 0, f"Skipped: not offered: {reason}")
            case Verdict.KNOWN_DEVIATION:
                report.outcome = "skipped"
                report.wasxfail = reason or ""
            case _ if not result.fails:
                report.outcome = "skipped"
                report.wasxfail = f"provisional, {result.verdict.words}: {reason}"
            case _:
                report.outcome = "failed"


def _said(step: Any) -> GherkinStep:
    """A step of pytest-bdd's, as the player knows it."""
    return GherkinStep(step.keyword, step.type.capitalize(), step.name, step.line_number)
