"""Allure results that read as a specification: proposal, theme, requirement, scenario, and every Given, When and Then as a step.

A step has what it judged. A scenario that is not met has the violation as its message, a sequence picture, and one page with all that was
said on the wire, the last exchange first; a layout that it changed is drawn over time. The history of each scenario has the same for
programs, so a green one has no page.
"""

import json
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from fencepost.contract import gherkin, history_files
from fencepost.contract.evidence import NoAnswer, SetUpFailed, Violation
from fencepost.contract.items import EVIDENCE, PLAYED, PROTOCOL, RESULT, SESSION, example_of, needs_of, requirement_of, scenario_of
from fencepost.contract.played import Played, StepEnding
from fencepost.contract.ports import Exchange
from fencepost.contract.register import Register
from fencepost.contract.verdict import ScenarioResult, Verdict

from .allure_evidence import StepEvidence, clock, page
from .allure_layouts import pictures
from .allure_results import STATUS, AllureWriter, Node, full_name, labels, message, same, unnoted
from .allure_sequence import picture, steps_of
from .sequence import PicturedStep as SaidInStep

RUNNING = pytest.StashKey["_RunningScenario"]()
_LINE = 600
_STATUS = {StepEnding.DONE: "passed", StepEnding.FAILED: "broken", StepEnding.NOT_REACHED: "skipped"}
_NOT_RUN = {"message": "not run, because an earlier step failed"}


@dataclass
class _RunningScenario:
    """What is known so far of the scenario that runs: its steps, and up to where each has said and judged something."""

    steps: list[Node] = field(default_factory=list)
    said: list[int] = field(default_factory=list)
    judged: int = 0
    explained: str = ""


class AllureSteps:
    """The hooks. Steps that did not run because an earlier one failed are shown as skipped."""

    def __init__(
        self,
        register: Register,
        folder: Path,
        note: Callable[[str], None] = unnoted,
        writing: Callable[[], AbstractContextManager[None]] = nullcontext,
        brings_down: Callable[[str, gherkin.GherkinStep], str | None] = lambda _spec, _step: None,
    ) -> None:
        self.register, self._writing, self._brings_down = register, writing, brings_down
        self.writer = AllureWriter(folder, note)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Write the scenario's result when it is over, instead of what allure-pytest would write."""
        if scenario_of(item) is None:
            return (yield)
        reported = item.stash[RUNNING] = _RunningScenario()
        began = _now()
        with ExitStack() as stack:
            _muted(stack)
            done = yield
        if PLAYED in item.stash:
            _show(item.stash[PLAYED], reported)
        if RESULT in item.stash:
            with self._writing():
                self._write(item, item.stash[RESULT], reported, began)
        return done

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Any:
        report: pytest.TestReport = yield
        if RUNNING in item.stash and RESULT in item.stash and item.stash[RESULT].verdict.is_red:
            item.stash[RUNNING].explained = report.longreprtext or item.stash[RUNNING].explained
        return report

    def pytest_bdd_before_step(self, request: pytest.FixtureRequest, step: Any) -> None:
        opened = _step(step, "passed")
        shown = {"table": step.datatable and _table(step.datatable.raw()), "text": step.docstring}
        if parameters := [{"name": name, "value": value} for name, value in shown.items() if value]:
            opened["parameters"] = parameters
        request.node.stash[RUNNING].steps.append(opened)

    def pytest_bdd_after_step(self, request: pytest.FixtureRequest) -> None:
        _end(request.node)

    def pytest_bdd_step_error(self, request: pytest.FixtureRequest, scenario: Any, step: Any, exception: BaseException) -> None:
        opened = _end(request.node)
        opened["status"] = _status_of(exception)
        opened["statusDetails"] = {"message": str(exception) or type(exception).__name__}
        self._show_not_run(request.node, scenario, step)

    def pytest_bdd_step_func_lookup_error(self, request: pytest.FixtureRequest, scenario: Any, step: Any, exception: Exception) -> None:
        request.node.stash[RUNNING].steps.append(_step(step, "broken") | {"statusDetails": {"message": str(exception)}})
        self._show_not_run(request.node, scenario, step)

    @staticmethod
    def _show_not_run(item: pytest.Item, scenario: Any, failed: Any) -> None:
        steps = list(scenario.steps)
        rest = steps[next(index for index, candidate in enumerate(steps) if candidate is failed) + 1 :]
        item.stash[RUNNING].steps += [_step(step, "skipped") | {"statusDetails": _NOT_RUN} for step in rest]

    def _write(self, item: pytest.Item, result: ScenarioResult, reported: _RunningScenario, began: int) -> None:
        row, template = self.register[requirement_of(item)], scenario_of(item)
        example = f", example {example_of(item)}" if example_of(item) else ""
        tags = (item.stash[PROTOCOL], *sorted(f"needs:{need}" for need in needs_of(item)))
        known = same(result.run)
        written: Node = {
            "historyId": known,
            "testCaseId": known,
            "fullName": full_name(result),
            "name": _named(result, template.name, example),
            "status": STATUS[result.verdict],
            "description": (
                f"{row.statement}\n\n{gherkin.why_of(row.id)}\n\n"
                f"{row.level}, {row.source}: {row.section}\n\nWhen it fails: {row.check}\n\n"
                f"All requests and answers: history/{history_files.name_of(result.run)}"
            ),
            "labels": labels(self.register, result, tags),
            "parameters": [{"name": name, "value": str(value)} for name, value in _example(item).items()],
            "steps": reported.steps,
            "start": began,
            "stop": _now(),
            "titlePath": [*result.feature.split("/")],
        }
        if result.verdict is not Verdict.MET:
            written["statusDetails"] = {
                "message": "\n".join([message(result), *_last_said(_said_by(item))]),
                "trace": _without_paths(reported.explained),
                "known": result.verdict is Verdict.KNOWN_DEVIATION,
            }
            written["attachments"] = self._pages(item, result, reported)
        self.writer.result(written)

    def _pages(self, item: pytest.Item, result: ScenarioResult, reported: _RunningScenario) -> list[Node]:
        exchanges = _said_by(item)
        if not exchanges:
            return []
        bounds = [0, *reported.said]
        parts = [
            StepEvidence(step["name"], step["status"], exchanges[first:last], [inner["name"] for inner in step.get("steps", ())])
            for step, first, last in zip(reported.steps, bounds, reported.said, strict=False)
        ]
        history = item.stash[SESSION].history(result.run)
        first = picture(self.writer, result, self._steps(item, result, reported), exchanges, history)
        said = self.writer.page("Requests and answers, the last exchange first", page(result, parts))
        return [first, said, *pictures(self.writer, history)]

    def _steps(self, item: pytest.Item, result: ScenarioResult, reported: _RunningScenario) -> list[SaidInStep]:
        """The steps for the sequence picture. For a scenario that pytest-bdd plays, it is unknown what the system goes through in one."""
        if PLAYED in item.stash:
            spec = result.feature.partition("/")[0]
            return steps_of(item.stash[PLAYED], lambda step: self._brings_down(spec, step))
        outcomes = {"passed": "done", "skipped": "not reached"}
        said = [*reported.said, *[reported.said[-1] if reported.said else 0] * (len(reported.steps) - len(reported.said))]
        return [
            SaidInStep(step["name"], count, None, outcomes.get(step["status"], "failed"))
            for step, count in zip(reported.steps, said, strict=True)
        ]


def _show(played: Played, reported: _RunningScenario) -> None:
    """The steps of a scenario that the player has played."""
    for one in played.steps:
        start = round(one.began * 1000)
        stop = start + round(one.seconds * 1000)
        shown: Node = {"name": f"{one.step.keyword} {one.step.text}", "status": _STATUS[one.ending], "start": start, "stop": stop}
        if one.error is not None:
            shown["status"] = _status_of(one.error)
            shown["statusDetails"] = {"message": str(one.error) or type(one.error).__name__}
        if one.ending is StepEnding.NOT_REACHED:
            shown["statusDetails"] = _NOT_RUN
        else:
            reported.said.append(one.said)
        if one.observations:
            shown["steps"] = [{"name": what, "status": "passed", "start": stop, "stop": stop} for what in one.observations]
        reported.steps.append(shown)


def _step(step: Any, status: str) -> Node:
    return {"name": f"{step.keyword} {step.name}", "status": status, "start": _now(), "stop": _now()}


def _end(item: pytest.Item) -> Node:
    """Close the step that is open, with what was judged in it."""
    reported: _RunningScenario = item.stash[RUNNING]
    opened = reported.steps[-1]
    opened["stop"] = now = _now()
    observations = item.stash[EVIDENCE].observations
    if judged := observations[reported.judged :]:
        opened["steps"] = [{"name": what, "status": "passed", "start": now, "stop": now} for what in judged]
    reported.judged = len(observations)
    reported.said.append(len(item.stash[SESSION].exchanges()) if SESSION in item.stash else 0)
    return opened


def _status_of(exception: BaseException) -> str:
    """A violation blames the system; what is not offered was not asked; the rest leaves the question open."""
    match exception:
        case Violation():
            return "failed"
        case SetUpFailed() | NoAnswer():
            return "broken"
        case _:
            return "skipped" if type(exception).__name__ == "NotOffered" else "broken"


def _named(result: ScenarioResult, name: str, example: str) -> str:
    """The scenario's name; where it was not asked, or is excused, that follows it in every list."""
    excused = result.verdict in (Verdict.NOT_OFFERED, Verdict.KNOWN_DEVIATION)
    provisional = " (provisional)" if result.is_provisional else ""
    return f"{name}{example}{provisional}" + (f" ({result.verdict.words})" if excused else "")


def _said_by(item: pytest.Item) -> Sequence[Exchange]:
    return item.stash[SESSION].exchanges() if SESSION in item.stash else ()


def _last_said(exchanges: Sequence[Exchange]) -> list[str]:
    """The last exchange in two lines."""
    if not exchanges:
        return []
    last = exchanges[len(exchanges) - 1]
    answer = f"none: {last.lost}" if last.answer is None else json.dumps(last.answer, ensure_ascii=False)
    asked = f"{last.client} to {last.node}, {last.name}: {json.dumps(last.request, ensure_ascii=False)}"
    return [f"last request, at {clock(last.at_ms)}: {asked[:_LINE]}", f"its answer: {answer[:_LINE]}"]


def _without_paths(text: str) -> str:
    """A report does not say where it was made."""
    places = sorted({str(Path(__file__).resolve().parents[1]), sys.prefix, str(Path.cwd()), str(Path.home())}, key=len, reverse=True)
    return re.sub("|".join(rf"{re.escape(place)}/" for place in places if place != "/"), "", text)


def _example(item: pytest.Item) -> dict[str, Any]:
    return dict(getattr(getattr(item, "callspec", None), "params", {}).get("_pytest_bdd_example") or {})


def _now() -> int:
    return time.time_ns() // 1_000_000


def _table(rows: list[list[str]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in rows)


def _muted(stack: ExitStack) -> None:
    """Take allure-pytest's writers out until the stack is left, since each would write a scenario a second time; the user's own tests are
    written as ever.
    """
    if "allure_pytest" not in sys.modules:
        return
    from allure_commons import plugin_manager
    from allure_commons.logger import AllureFileLogger

    for writer in [plugin for plugin in plugin_manager.get_plugins() if isinstance(plugin, AllureFileLogger)]:
        plugin_manager.unregister(writer)
        stack.callback(plugin_manager.register, writer)
