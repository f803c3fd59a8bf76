"""`fencepost summary`."""

from pathlib import Path
from typing import Annotated

import typer

from fencepost.cli.exit_codes import guarded


def summary(
    results: Annotated[Path, typer.Argument(metavar="RESULTS", help="The results folder of a run, or its compliance.json.")],
    previous: Annotated[
        Path | None, typer.Option(metavar="RESULTS", help="The results of an earlier run: the summary says what changed since then.")
    ] = None,
) -> None:
    """Print the summary of a run that has ended, as Markdown: what `fencepost run --summary FILE.md` writes.

    Needs neither the system nor Java. Exit code 0 means that the summary was made, whatever it shows.

    Examples:

        fencepost summary results/kafka --previous results/main >> "$GITHUB_STEP_SUMMARY"
    """
    from fencepost.results import markdown_summary

    guarded(lambda: markdown_summary.show(results, previous))
