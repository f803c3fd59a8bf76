"""Which scenario a pytest item runs, and for which requirement."""

from typing import Any

import pytest
from pytest_bdd.scenario import scenario_wrapper_template_registry

from fencepost.adapters.ports import Session

from .evidence import Evidence
from .gherkin import requirement_of as _requirement_in

EVIDENCE = pytest.StashKey[Evidence]()
SESSION = pytest.StashKey[Session]()
STEP = pytest.StashKey[str]()


def scenario_of(item: pytest.Item) -> Any:
    """pytest-bdd's template of the scenario that this item runs; None where it runs something else."""
    function = getattr(item, "function", None)
    return scenario_wrapper_template_registry.get(function) if function else None


def requirement_of(item: pytest.Item) -> str:
    """The requirement that the scenario's Rule names; the empty text where it names none."""
    template = scenario_of(item)
    return _requirement_in(frozenset(template.rule.tags if template.rule else ())) or ""


def example_of(item: pytest.Item) -> int | None:
    """Which row of its Examples the item runs, from 1 on; None for a scenario without."""
    indices = getattr(getattr(item, "callspec", None), "indices", {})
    return indices["_pytest_bdd_example"] + 1 if "_pytest_bdd_example" in indices else None


def needs_of(item: pytest.Item) -> set[str]:
    """The capabilities that the scenario or its Rule asks for with `@needs:...`."""
    template = scenario_of(item)
    tags = set(template.tags) | set(template.rule.tags if template.rule else ())
    return {tag.removeprefix("needs:") for tag in tags if tag.startswith("needs:")}


def feature_of(item: pytest.Item) -> str:
    """The feature file below the features room, such as `kip890/ending.feature`."""
    return "/".join(scenario_of(item).feature.filename.replace("\\", "/").rsplit("/", 2)[-2:])
