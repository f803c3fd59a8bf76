"""What pytest knows in this checkout: the plugin, how hard Hypothesis tries, where the tests' helpers stand, Docker and Java."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytest_plugins = ["fencepost.plugin"]

TESTS = Path(__file__).parent / "tests"
sys.path[:0] = [str(TESTS / "support"), str(TESTS / "fakes")]  # so that tests import their helpers by name, whatever the import mode

def pytest_configure(config: pytest.Config) -> None:
    if told := os.environ.get("FENCEPOST_SPENT"):
        from spent import Spent

        config.pluginmanager.register(Spent(Path(told)))


settings.register_profile("quick", max_examples=20)
settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("thorough", max_examples=1_500, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "default"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with real brokers come first: they take minutes, and at the end the short ones keep both of `make test`'s workers busy."""
    items.sort(key=lambda item: not item.path.name.startswith("test_real_"))


@pytest.fixture(scope="session")
def java() -> None:
    """Skips where Spark has no Java to run on, as tests with containers do where there is no Docker."""
    from fencepost.contract.errors import WrongUsage
    from fencepost.pipeline.java import find

    try:
        find()
    except WrongUsage as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def spark(java: None) -> "Iterator[SparkSession]":  # noqa: ARG001 it only skips
    """One Spark session for all tests; small, since so are their histories."""
    from fencepost.pipeline.session import Size, session

    with session(Size(1, "local[2]")) as started:
        yield started
