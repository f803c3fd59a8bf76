"""Keeps the environment unchanged while brokers are started in another thread.

pytest sets the variable PYTEST_CURRENT_TEST before each part of a test, and removes it after the test. Docker's client reads all variables
for each of its requests, and fails if one is removed meanwhile: now and then a broker could not be started.
"""

import contextlib
from collections.abc import Iterator

from _pytest import runner


@contextlib.contextmanager
def steady_environment() -> Iterator[None]:
    """pytest changes no variable in this context. It has no option for that, so its function is replaced."""
    before = runner._update_current_test_var
    runner._update_current_test_var = lambda item, when: None  # noqa: ARG005 - called by these names
    try:
        yield
    finally:
        runner._update_current_test_var = before
