"""`fencepost explain`."""

from typing import Annotated

import typer

from fencepost.cli.completion import complete_requirement
from fencepost.cli.exit_codes import guarded


def explain(
    requirement: Annotated[
        str,
        typer.Argument(
            metavar="ID",
            help="A requirement, such as KIP890-060, or a page of docs/, such as your-own-system.",
            autocompletion=complete_requirement,
        ),
    ],
    form: Annotated[str, typer.Option("--format", metavar="FORM", help="table or json.")] = "table",
) -> None:
    """Show a requirement, with the file and line of everything that belongs to it.

    Shows its statement, its source, and where to look when it fails; then its Rule, its scenarios and the sentences that they use,
    the branches of the reference that decide it, the defects that break it, and the releases that are known to deviate.

    Also shows a page of the documentation that a message names: `fencepost explain docs/your-own-system.md`.
    """
    from fencepost.catalogue import explanation

    guarded(lambda: explanation.show(requirement, form))
