"""Allure results that read as a specification: proposal, requirement, scenario, and every Given, When and Then as a step.

allure-pytest writes the files; these hooks tell it what pytest-bdd knows. What was said on the wire during a step hangs on that
step as an attachment, and so does the violation at which it failed.
"""

import contextlib
import dataclasses
import json
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

import allure
import pytest
from allure_commons.types import AttachmentType, ParameterMode

from fencepost.contract import proposals
from fencepost.contract.evidence import Violation
from fencepost.contract.items import EVIDENCE, PROTOCOL, SESSION, needs_of, requirement_of, scenario_of
from fencepost.contract.ports import Exchange
from fencepost.contract.register import Register

_DYNAMIC: Any = allure.dynamic  # its calls have no types
OPEN = pytest.StashKey[list[AbstractContextManager[None]]]()
TOLD = pytest.StashKey[tuple[int, int]]()
"""How many exchanges and observations of the scenario hang on earlier steps already."""


def place_of(register: Register, requirement: str) -> tuple[str, str]:
    """The epic and the feature under which Allure shows what is said of a requirement."""
    return proposals.bundled().title_of(register.spec_of(requirement)), f"{requirement} {register[requirement].statement}"


class AllureSteps:
    """The hooks. Steps that did not run because an earlier one failed are shown as skipped."""

    def __init__(self, register: Register) -> None:
        self.register = register

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Iterator[None]:
        """Outermost, for allure-pytest writes a title and a description of its own at the end of setup."""
        template = scenario_of(item)
        if template is None:
            return (yield)
        item.stash[OPEN], item.stash[TOLD] = [], (0, 0)
        row = self.register[requirement_of(item)]
        epic, feature = place_of(self.register, row.id)
        _DYNAMIC.epic(epic)
        _DYNAMIC.feature(feature)
        _DYNAMIC.severity("critical" if row.level == "MUST" else "normal")
        _DYNAMIC.tag(row.id, row.level, row.source, *sorted(f"needs:{need}" for need in needs_of(item)))
        callspec = getattr(item, "callspec", None)
        if item.stash.get(PROTOCOL, None):
            _DYNAMIC.tag(item.stash[PROTOCOL])
        if callspec and "_pytest_bdd_example" in callspec.params:
            _DYNAMIC.parameter("_pytest_bdd_example", None, mode=ParameterMode.HIDDEN)
            for name, value in callspec.params["_pytest_bdd_example"].items():
                _DYNAMIC.parameter(name, value)
        try:
            return (yield)
        finally:
            _DYNAMIC.title(template.name)
            _DYNAMIC.description(f"{row.statement}\n\n{row.level}, {row.source}: {row.section}\n\nWhen it fails: {row.check}")

    def pytest_bdd_before_step(self, request: pytest.FixtureRequest, step: Any) -> None:
        opened: AbstractContextManager[None] = allure.step(f"{step.keyword} {step.name}")
        opened.__enter__()
        request.node.stash[OPEN].append(opened)
        if step.datatable is not None:
            allure.attach(_table(step.datatable.raw()), "table", AttachmentType.TEXT)
        if step.docstring is not None:
            allure.attach(step.docstring, "text", AttachmentType.TEXT)

    def pytest_bdd_after_step(self, request: pytest.FixtureRequest) -> None:
        self._tell(request.node)
        request.node.stash[OPEN].pop().__exit__(None, None, None)

    def pytest_bdd_step_error(self, request: pytest.FixtureRequest, scenario: Any, step: Any, exception: BaseException) -> None:
        self._tell(request.node)
        if isinstance(exception, Violation):
            allure.attach(json.dumps(dataclasses.asdict(exception.mismatch), indent=1), "violation", AttachmentType.JSON)
        while request.node.stash[OPEN]:
            request.node.stash[OPEN].pop().__exit__(type(exception), exception, exception.__traceback__)
        _show_not_run(scenario, step)

    def pytest_bdd_step_func_lookup_error(self, scenario: Any, step: Any, exception: Exception) -> None:
        with contextlib.suppress(type(exception)), allure.step(f"{step.keyword} {step.name}"):
            raise exception
        _show_not_run(scenario, step)

    @staticmethod
    def _tell(item: pytest.Item) -> None:
        """Hang what was said and judged since the last step on the step that is open."""
        exchanges = item.stash[SESSION].exchanges() if SESSION in item.stash else []
        observations = item.stash[EVIDENCE].observations
        said, judged = item.stash[TOLD]
        item.stash[TOLD] = (len(exchanges), len(observations))
        parts = [_wire(exchange) for exchange in exchanges[said:]]
        names = [f"{len(parts)} requests and answers"] if parts else []
        if observations[judged:]:
            parts.append("judged\n" + "\n".join(f"  {observation}" for observation in observations[judged:]))
            names.append("judged")
        if parts:  # one file for both: thousands of small files are most of what a report costs
            allure.attach("\n\n".join(parts), ", ".join(names), AttachmentType.TEXT)


def _show_not_run(scenario: Any, failed: Any) -> None:
    steps = list(scenario.steps)
    for step in steps[next(index for index, candidate in enumerate(steps) if candidate is failed) + 1 :]:
        with contextlib.suppress(pytest.skip.Exception), allure.step(f"{step.keyword} {step.name}"):
            pytest.skip("not run, for an earlier step failed")


def _wire(exchange: Exchange) -> str:
    answer = json.dumps(exchange.answer, ensure_ascii=False) if exchange.answer is not None else f"no answer: {exchange.lost}"
    return (
        f"{exchange.name}, {exchange.client} to {exchange.node}, at {exchange.at_ms:.0f} ms, took {exchange.took_ms:.1f} ms\n"
        f"  > {json.dumps(exchange.request, ensure_ascii=False)}\n  < {answer}"
    )


def _table(rows: list[list[str]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in rows)
