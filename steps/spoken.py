"""How pytest-bdd finds a sentence: a vocabulary is one step definition of each kind, whatever the number of its sentences.

For each step of a scenario, pytest-bdd goes through all step definitions that there are, and pytest works out of each whether it is
visible there. That is half of a run's time when each of some hundred sentences is a definition of its own.
"""

import functools
import inspect
from collections.abc import Callable
from typing import Any, Protocol

import pytest
import pytest_bdd
from pytest_bdd.parsers import StepParser

_DECORATORS = {"Given": pytest_bdd.given, "When": pytest_bdd.when, "Then": pytest_bdd.then}


class _Form(Protocol):
    def parse(self, step: str) -> dict[str, Any] | None: ...


class _Vocabulary(Protocol):
    name: str

    def find(self, kind: str, step: str) -> tuple[_Form, Callable[..., None]] | None: ...


class _Spoken(StepParser):
    """All sentences of a vocabulary that are of one kind."""

    def __init__(self, vocabulary: _Vocabulary, kind: str) -> None:
        super().__init__(vocabulary.name)
        self._vocabulary, self._kind = vocabulary, kind

    def is_matching(self, name: str) -> bool:
        return self._vocabulary.find(self._kind, name) is not None

    def parse_arguments(self, name: str) -> dict[str, Any] | None:
        if (found := self._vocabulary.find(self._kind, name)) is None:
            return None
        form, function = found
        return {"function": function, "values": form.parse(name)}


def tell_pytest(vocabulary: _Vocabulary, caller: int) -> None:
    """Make the step definitions of a vocabulary in the module that is so many calls away from here."""
    for kind, decorator in _DECORATORS.items():
        decorator(_Spoken(vocabulary, kind), stacklevel=caller)(_fulfil)


def _fulfil(request: pytest.FixtureRequest, function: Callable[..., None], values: dict[str, Any]) -> None:
    __tracebackhide__ = True
    fixtures = {name: request.getfixturevalue(name) for name in _parameters(function) if name not in values}
    function(**fixtures, **values)


@functools.cache
def _parameters(function: Callable[..., None]) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters)
