"""What pytest knows in this checkout: the plugin, how hard Hypothesis tries, what CI leaves to `make test-all`, where the tests' helpers
stand, how files are given to workers, Docker and Java.
"""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from xdist.scheduler import LoadScopeScheduling

pytest_plugins = ["fencepost.plugin"]

TESTS = Path(__file__).parent / "tests"
sys.path[:0] = [str(TESTS / "support"), str(TESTS / "fakes")]  # so that tests import their helpers by name, whatever the import mode

MARKERS = (
    "docker(image): the test needs Docker and this image; it is skipped without, or fails where FENCEPOST_REQUIRE_CONTAINERS=1",
    "thorough: only `make test-all` runs the test (--thorough); docs/decisions/0029 says why that loses nothing that CI must see",
)
REAL = "tests/systems/test_real_"
"""How the files with real brokers begin."""

LIGHT = tuple(f"{REAL}{name}.py" for name in ("oxia", "run_on_oxia", "served_on_oxia"))
"""Those of these that wait for a small container only."""

ON_SPARK = ("tests/pipeline/", "tests/report/test_report_")
"""How the files begin of which most need a Spark session: it takes 20 seconds of a processor before it is warm, so one worker has them."""

LONGEST = ("tests/fencepost/test_defects.py", "tests/fencepost/test_mutants_judged.py", "tests/systems/test_parity", "tests/pipeline/")
"""Without a real broker these take longest (docs/decisions/0029): begun last, one of them would run alone at the end."""

settings.register_profile("quick", max_examples=20, deadline=None)
settings.register_profile("ci", max_examples=40, derandomize=True, deadline=None)
settings.register_profile("thorough", max_examples=1_500, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "default"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--thorough", action="store_true", help="also the tests that CI leaves out: `make test-all`")


def pytest_configure(config: pytest.Config) -> None:
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell has it ignored by what it runs in the background
    if file := os.environ.get("FENCEPOST_SPENT"):
        from spent import Spent

        config.pluginmanager.register(Spent(Path(file)))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with real brokers come first, so that one worker begins with them, and then the longest of the others.

    Raises UsageError where a test elsewhere needs Docker.
    """
    from docker_here import image_for

    for item in items:
        if image_for(item) and not item.nodeid.startswith(REAL):
            raise pytest.UsageError(f"{item.nodeid} needs Docker, so it belongs to a file {REAL}*.py")
    items.sort(
        key=lambda item: (
            not item.nodeid.startswith(REAL) or item.nodeid.startswith(LIGHT),
            not item.path.name.endswith("_suite.py"),
            not item.nodeid.startswith(LONGEST),
        )
    )


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Before any fixture: what is not for this run, or cannot be had here, is skipped with its reason."""
    from docker_here import image_for, require_docker

    if item.get_closest_marker("thorough") and not item.config.getoption("--thorough"):
        pytest.skip("CI leaves it to `make test-all`")
    if image := image_for(item):
        require_docker(image)


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> "LoadScopeScheduling":
    """A file is one worker's, and nearly all files with real brokers are the same worker's: they mostly wait, while the others compute.
    So are the files that need Spark.
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            if nodeid.startswith(REAL) and not nodeid.startswith(LIGHT):
                return REAL
            return ON_SPARK[0] if nodeid.startswith(ON_SPARK) else nodeid.partition("::")[0]

    return ByFile(config, log)


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
def one_spark(java: None) -> "Iterator[SparkSession]":  # noqa: ARG001 it only skips
    """One Spark session for all tests; small, since so are their histories."""
    from fencepost.pipeline.spark_session import Size, session

    with session(Size(1, "local[2]")) as started:
        yield started


@pytest.fixture(scope="module")
def spark(one_spark: "SparkSession") -> "Iterator[SparkSession]":
    """The same; the next file's tests have its 1 GB to themselves, and plans that are not compiled, as a check has at its beginning."""
    from fencepost.pipeline.spark_session import COMPILED

    as_begun = {name: one_spark.conf.get(name) for name in COMPILED}
    yield one_spark
    one_spark.catalog.clearCache()
    for name, value in as_begun.items():
        one_spark.conf.set(name, value or "")


@pytest.fixture(scope="session")
def reference_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The results of one run of everything on the bundled reference, and what it printed. All workers share it, and none writes there."""
    from commands import fencepost
    from once import made_once

    def make(folder: Path) -> None:
        printed = fencepost("run", "--results", folder / "results", expect=0).out
        (folder / "printed.txt").write_text(printed, encoding="utf-8")

    folder = made_once(tmp_path_factory, "reference-run", make)
    return folder / "results", (folder / "printed.txt").read_text(encoding="utf-8")
