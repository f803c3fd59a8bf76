"""`fencepost compare`."""

from pathlib import Path
from typing import Annotated

import typer

from fencepost.cli.exit_codes import guarded


def compare(
    left: Annotated[Path, typer.Argument(metavar="LEFT", help="The results of a run, such as of the reference with --profile kafka-4.0.")],
    right: Annotated[Path, typer.Argument(metavar="RIGHT", help="The results of another run, such as of that release.")],
    verdicts: Annotated[
        bool,
        typer.Option("--verdicts", help="Compare verdicts, not answers: what changed from LEFT to RIGHT, two runs of one system."),
    ] = False,
) -> None:
    """Compare what two systems answered, request by request: is the reference like the release that it imitates?

    Exit code 1: no entry in fixtures/comparisons explains some of the differences. The command names them.

        fencepost run --profile kafka-4.0 --results results/ours

        fencepost run kafka --container apache/kafka:4.0.0 --results results/theirs

        fencepost compare results/ours results/theirs

    With --verdicts, exit code 1 means that a requirement is red in RIGHT and was not in LEFT.

        fencepost compare --verdicts results/monday results/tuesday
    """
    from fencepost.results import comparison, verdict_changes

    guarded(lambda: (verdict_changes if verdicts else comparison).show(left, right))
