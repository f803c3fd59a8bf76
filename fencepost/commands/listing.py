"""`fencepost list`."""

from typing import Annotated

import typer

from .common import guarded


def list_(
    spec: Annotated[list[str] | None, typer.Option(metavar="PROPOSAL", help="Only this proposal. May be repeated.")] = None,
    form: Annotated[str, typer.Option("--format", metavar="FORM", help="table, json or markdown.")] = "table",
) -> None:
    """Show the register: every requirement, and whether it is tested."""
    from fencepost import catalogue
    from fencepost.selection import proposals_named

    guarded(lambda: catalogue.show_list(proposals_named(spec), form))
