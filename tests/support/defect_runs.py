"""Runs of the suite for their histories: each in a forked process that has imported everything, since a new interpreter takes longer."""

import io
from collections.abc import Iterable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

WORKERS = 2


def run_all(runs: Iterable[tuple[Path, tuple[str, ...]]]) -> dict[str, int]:
    """Make these runs, each with its results folder and options. The answer is the exit code of each by its folder's name."""
    from fencepost.warmed import forking

    with forking().Pool(WORKERS, maxtasksperchild=1) as pool:
        return dict(pool.imap_unordered(_run, runs))


def _run(task: tuple[Path, tuple[str, ...]]) -> tuple[str, int]:
    from fencepost import suite

    folder, options = task
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        ended = suite.judge([f"--results={folder}", "--no-html", "--tb=no", *options], workers=1)
    return folder.name, int(ended.exit)
