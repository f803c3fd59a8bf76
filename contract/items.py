"""Which scenario a pytest item runs, and for which requirement."""

from typing import Any

import pytest
from pytest_bdd.scenario import scenario_wrapper_template_registry

from .evidence import Evidence
from .gherkin import needs_in
from .gherkin import requirement_of as _requirement_in
from .ports import Session
from .verdict import ScenarioResult

EVIDENCE = pytest.StashKey[Evidence]()
SESSION = pytest.StashKey[Session]()
STEP = pytest.StashKey[str]()
PROTOCOL = pytest.StashKey[str]()
"""The protocol under which the scenario runs."""

WORKER = pytest.StashKey[int]()
"""Which of several worker processes runs the scenario, from 0 on; missing if any may."""

PLAYED = pytest.StashKey[Any]()
"""The result of each step of a bundled scenario, as `steps.player.Played`."""

RESULT = pytest.StashKey[ScenarioResult]()
"""What the scenario showed, once it is judged."""


def scenario_in(function: Any) -> Any:
    """pytest-bdd's template of the scenario that a test function runs; None if it runs something else."""
    return scenario_wrapper_template_registry.get(function) if function else None


def scenario_of(item: pytest.Item) -> Any:
    """pytest-bdd's template of the scenario that this item runs; None if it runs something else."""
    return scenario_in(getattr(item, "function", None))


def requirement_in(template: Any) -> str:
    """The requirement that the Rule of a scenario names; the empty text if it names none."""
    return _requirement_in(frozenset(template.rule.tags if template.rule else ())) or ""


def tags_in(template: Any) -> frozenset[str]:
    """The tags of a scenario, of its Rule and of its feature."""
    return frozenset(template.tags | template.feature.tags | (template.rule.tags if template.rule else set()))


def requirement_of(item: pytest.Item) -> str:
    """The requirement that the scenario's Rule names; the empty text if it names none."""
    return requirement_in(scenario_of(item))


def example_of(item: pytest.Item) -> int | None:
    """Which row of its Examples the item runs, from 1 on; None for a scenario without. It is the same under each protocol."""
    params = getattr(getattr(item, "callspec", None), "params", {})
    if "_pytest_bdd_example" not in params:
        return None
    # pytest counts on over the protocols, so its own index is no row of the table.
    rows = [row for table in scenario_of(item).examples for row in table.as_contexts()]
    return rows.index(params["_pytest_bdd_example"]) + 1


def needs_of(item: pytest.Item) -> frozenset[str]:
    """The capabilities that the scenario or its feature asks for with `@needs:...`."""
    template = scenario_of(item)
    return frozenset(needs_in((*template.feature.tags, *template.tags)))


def feature_of(item: pytest.Item) -> str:
    """The feature file below the folder of features, such as `kip890/ending.feature`."""
    return "/".join(scenario_of(item).feature.filename.replace("\\", "/").rsplit("/", 2)[-2:])
