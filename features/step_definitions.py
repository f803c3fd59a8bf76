"""How pytest-bdd finds sentences: a vocabulary is one step definition of each kind, whatever the number of its sentences.

For each step of a scenario, pytest-bdd goes through all step definitions that there are, and pytest works out of each whether it is
visible there. That would be half of a run's time if each of some hundred sentences had a separate definition. A definition does what
the player does: it lets the scenario's stage act.
"""

from collections.abc import Callable
from typing import Any

import pytest
import pytest_bdd
from pytest_bdd.parsers import StepParser

from fencepost.steps import vocabularies
from fencepost.steps.sentence import Vocabulary

_DECORATORS = {"Given": pytest_bdd.given, "When": pytest_bdd.when, "Then": pytest_bdd.then}
_CALLER = 2
"""How far away from pytest-bdd's decorators the module is that calls `define`."""


class _Sentences(StepParser):
    """All sentences of a vocabulary that are of one kind."""

    def __init__(self, vocabulary: Vocabulary, kind: str) -> None:
        super().__init__(vocabulary.name)
        self._vocabulary, self._kind = vocabulary, kind

    def is_matching(self, name: str) -> bool:
        return self._vocabulary.find(self._kind, name) is not None

    def parse_arguments(self, name: str) -> dict[str, Any] | None:
        if (found := self._vocabulary.find(self._kind, name)) is None:
            return None
        form, function = found
        return {"function": function, "values": form.parse(name)}


def define(spec: str) -> None:
    """Make the sentences of a proposal known in the module that calls this, which collects its features, and nowhere else."""
    for vocabulary in vocabularies.vocabularies_of(spec):
        for kind, decorator in _DECORATORS.items():
            decorator(_Sentences(vocabulary, kind), stacklevel=_CALLER)(_act)


def _act(request: pytest.FixtureRequest, function: Callable[..., None], values: dict[str, Any]) -> None:
    __tracebackhide__ = True
    request.getfixturevalue("fencepost_stage").act(function, values)
