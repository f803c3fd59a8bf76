"""`fencepost verify`."""

from pathlib import Path
from typing import Annotated

import typer

from fencepost.cli.exit_codes import guarded


def verify(
    results: Annotated[Path, typer.Argument(metavar="RESULTS", help="The results folder of a run.")],
) -> None:
    """Judge the recorded answers of a run again, without a broker.

    Each scenario is played again, with the same checks, on a session that returns the answers in `exchanges/`. The verdicts must be
    those of compliance.json, the histories those of the exchanges, and junit.xml and the totals must agree. The command names each
    change with its scenario and exchange, and counts scenarios that it cannot judge again, with the reason.

    Exit codes: 0 each scenario that can be judged again has its verdict, 1 something was changed, 2 nothing can be judged again, 4 the run
    itself was not finished.

    Example:

        fencepost verify results/kafka
    """
    from fencepost.replay import verifying

    guarded(lambda: verifying.show(results))
