"""No variable of the environment goes away while another thread reads them all."""

import os

import pytest
from _pytest import runner

from fencepost.run.steady_environment import steady_environment

VARIABLE = "PYTEST_CURRENT_TEST"


def test_pytest_changes_no_variable_in_there(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seen at the variable itself, so that a pytest which does it in another way is noticed."""
    monkeypatch.setenv(VARIABLE, "mine")

    with steady_environment():
        runner.pytest_runtest_teardown(request.node, request.node)
        inside = os.environ.get(VARIABLE)
    runner._update_current_test_var(request.node, "call")

    assert inside == "mine"
    assert os.environ[VARIABLE].endswith("(call)")
