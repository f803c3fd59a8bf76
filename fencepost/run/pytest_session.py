"""`fencepost run`: pytest, with Fencepost's plugin and without the caller's configuration; its end as an exit code."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources

import pytest

from fencepost.console import final_summary
from fencepost.console.run_reporter import Loudness, RunReporter
from fencepost.console.terminal import Screen
from fencepost.contract.errors import Exit
from fencepost.contract.verdict import Verdict
from fencepost.results.run_results import Results
from fencepost.results.verdict_collector import Reporting

from .interruption import Stopping
from .interruption_hooks import StoppingHooks
from .options import RunOptions

PLUGINS = ("pytest_bdd.plugin", "xdist.plugin", "fencepost.plugin")
BUNDLED = "bundled"
"""Names the bundled features among others."""
_WITHOUT = ("-pno:cacheprovider", "-pno:unraisableexception")
"""Plugins of pytest that a run does not need. The second collects garbage twice at the end of a session, a quarter of a second."""


class _Remember:
    """Keeps the reporting half of the plugin, which pytest drops when it ends."""

    reporting: Reporting | None = None

    def pytest_configure(self, config: pytest.Config) -> None:
        self.reporting = config.pluginmanager.get_plugin("fencepost-reporting")


@dataclass(frozen=True)
class FinishedRun:
    """A run that has ended: its exit code, and the plugin half with its verdicts if it had begun."""

    exit: Exit
    reporting: Reporting | None

    @property
    def results(self) -> Results | None:
        return self.reporting.results if self.reporting else None


def run(arguments: list[str], workers: int, stopping: Stopping, loudness: Loudness = Loudness.NORMAL, features: Sequence[str] = ()) -> int:
    """Run the bundled features with these pytest options, shown to a person, until a signal or an option stops it.

    `features` are modules that collect others instead, or in addition if BUNDLED is one of them. Returns the exit code; raises the reason
    if there was no run.
    """
    with stopping.listening():
        with RunReporter(Screen(may_live=loudness is not Loudness.QUIET), loudness) as watching:
            ended = judge(arguments, workers, stopping, watching, features=features)
        if watching.refused:
            raise watching.refused
        final_summary.write(watching, ended.reporting)
    return ended.exit


def options_of(arguments: list[str]) -> RunOptions:
    """The options of a run with these pytest options; nothing is run."""

    class Heard:
        options = RunOptions()

        @pytest.hookimpl(tryfirst=True)
        def pytest_cmdline_main(self, config: pytest.Config) -> int:
            self.options = RunOptions.of(config)
            return 0

    heard = Heard()
    _pytest(arguments, [heard])
    return heard.options


def judge(
    arguments: list[str],
    workers: int,
    stopping: Stopping | None = None,
    watching: RunReporter | None = None,
    plugins: Iterable[object] = (),
    features: Sequence[str] = (),
) -> FinishedRun:
    """Run the bundled features with these pytest options and plugins, and write the results folder if they name one."""
    remember = _Remember()
    hooks = StoppingHooks(stopping or Stopping())
    of_workers = [f"-n{workers}"] if workers > 1 else []
    code = _pytest(
        ["-q", "--no-header", "--tb=short", *of_workers, *arguments],
        [remember, hooks, *([watching] if watching else []), *plugins],
        features,
    )
    return FinishedRun(_exit_code(code, remember.reporting), remember.reporting)


def _pytest(arguments: list[str], plugins: list[object], more: Sequence[str] = ()) -> int:
    """pytest on the bundled features with these plugins and Fencepost's, without those of the user's environment; its exit code."""
    features = str(resources.files("fencepost.features"))
    ini = f"-c={resources.files('fencepost.run').joinpath('run.ini')}"
    collected = [features if one == BUNDLED else one for one in more] or [features]
    ours = [*collected, ini, f"--rootdir={features}", *(f"-p{name}" for name in PLUGINS), *_WITHOUT]
    before = {name: os.environ.pop(name, None) for name in ("PYTEST_ADDOPTS", "PYTEST_DISABLE_PLUGIN_AUTOLOAD")}
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    try:
        return int(pytest.main([*ours, *arguments], plugins=plugins))
    finally:
        del os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"]
        os.environ.update({name: value for name, value in before.items() if value is not None})


def _exit_code(code: int, reporting: Reporting | None) -> Exit:
    if reporting is None or code == pytest.ExitCode.USAGE_ERROR:
        return Exit.USAGE
    if code == pytest.ExitCode.INTERNAL_ERROR:
        return Exit.KIT_FAILED
    if reporting.unreachable or code == pytest.ExitCode.NO_TESTS_COLLECTED:
        return Exit.USAGE
    results = reporting.results
    if results.stopped or code == pytest.ExitCode.INTERRUPTED:
        return Exit.NOT_FINISHED
    if results.conforms():
        return Exit.CONFORMS
    # A run that was not stopped and is not complete has lost scenarios, such as those of a worker process that died.
    failing = results.failing()
    ours = [one for one in results.scenarios if one.verdict is Verdict.HARNESS_ERROR and not one.is_stale_of_user]
    of_kit = failing <= {Verdict.HARNESS_ERROR} and (ours or not failing)
    return Exit.KIT_FAILED if of_kit and (failing or not results.complete) else Exit.DOES_NOT
