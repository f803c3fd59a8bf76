"""`fencepost prove`."""

from pathlib import Path
from typing import Annotated

import typer

from .common import Proposals, guarded


def prove(
    spec: Proposals = None,
    everything: Annotated[bool, typer.Option("--all", help="Run every scenario on every defect, not only those of its feature.")] = False,
    results: Annotated[Path, typer.Option(metavar="DIR", help="Where prove.json and prove.html go.")] = Path("results/prove"),
    workers: Annotated[int, typer.Option("-n", metavar="N", min=1, help="How many runs at a time.")] = 2,
) -> None:
    """Run the suite on broken references: show that every check can fail, and that nothing lawful does.

    Prints the kill matrix. Exit code 1 names the holes: requirements that no defect turns red for its stated reason, and
    lawful variants that are caught.
    """
    from fencepost import kill_matrix
    from fencepost.selection import proposals_named

    guarded(lambda: kill_matrix.show(proposals_named(spec), everything, workers, results))
