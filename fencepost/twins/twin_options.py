"""What the options of `fencepost run --twins` ask for."""

import contextlib
from collections.abc import Mapping, Sequence

from fencepost.console.terminal import Screen
from fencepost.contract.errors import WrongUsage
from fencepost.run import pytest_session
from fencepost.run.interruption import seconds

from . import twin_run as running
from .twin_run import Asked


def run(
    arguments: Sequence[str],
    names: Sequence[str],
    seed: int | None,
    per_scenario: int | None,
    timeout: str | None,
    max_failures: int | None,
    others: Mapping[str, object],
) -> int:
    """Run the twins that these options ask for; `others` are those that a run of twins has no use for. Raises WrongUsage for one."""
    if other := next((name for name, value in others.items() if value), None):
        raise WrongUsage(f"{other} and --twins exclude each other: twins are played one after the other, and write {running.JSON} alone")
    limit = None if timeout is None else seconds(timeout)
    asked = Asked(tuple(names), 1 if seed is None else seed, per_scenario, limit, max_failures)
    with contextlib.closing(Screen()) as screen:
        return running.run(pytest_session.options_of(list(arguments)), asked, screen)
