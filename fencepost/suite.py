"""`fencepost run`: pytest, with our plugin and nothing of the caller's configuration, and its end as an exit code."""

import os
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import pytest

from fencepost.contract.errors import Exit

from . import expectations
from .contract import register
from .reporting import Reporting
from .results import Results

PLUGINS = ("pytest_bdd.plugin", "xdist.plugin", "fencepost.plugin")


class _Remember:
    """Keeps hold of the reporting half of the plugin, which pytest forgets when it is done."""

    reporting: Reporting | None = None

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        self.reporting = session.config.pluginmanager.get_plugin("fencepost-reporting")


@dataclass(frozen=True)
class Ended:
    """A run that has ended: its exit code, and its results where it had begun."""

    exit: Exit
    results: Results | None


def run(arguments: list[str], workers: int) -> int:
    """Run the bundled features with these pytest options. Answers the exit code."""
    return judge(arguments, workers).exit


def judge(arguments: list[str], workers: int) -> Ended:
    """Run the bundled features with these pytest options, and write the results folder where they name one."""
    expectations.check(register.bundled())  # a faulty data file of ours is not the user's doing, so it is told before pytest starts
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.environ.pop("PYTEST_ADDOPTS", None)
    features = Path(str(resources.files("fencepost.features")))
    remember = _Remember()
    code = pytest.main(
        [
            str(features),
            f"-c={resources.files('fencepost').joinpath('run.ini')}",
            f"--rootdir={features}",
            *(f"-p{name}" for name in PLUGINS),
            "-pno:cacheprovider",
            "-q",
            "--no-header",
            "--tb=short",
            *([f"-n{workers}"] if workers > 1 else []),
            *arguments,
        ],
        plugins=[remember],
    )
    return Ended(_exit_code(int(code), remember.reporting), remember.reporting.results if remember.reporting else None)


def _exit_code(code: int, reporting: Reporting | None) -> Exit:
    if reporting is None or code == pytest.ExitCode.USAGE_ERROR:
        return Exit.USAGE
    if code == pytest.ExitCode.INTERNAL_ERROR:
        return Exit.KIT_FAILED
    if reporting.unreachable or code == pytest.ExitCode.NO_TESTS_COLLECTED:
        return Exit.USAGE
    counts = reporting.results.as_json()["totals"]
    if reporting.results.conforms():
        return Exit.CONFORMS
    found = reporting.results.histories
    judged = counts["violated"] or counts["inconclusive"] or (found and found.is_red)
    return Exit.KIT_FAILED if counts["harness_error"] and not judged else Exit.DOES_NOT
