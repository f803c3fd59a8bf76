"""The options by which several commands name proposals and themes."""

from typing import Annotated

import typer

from .completion import complete_proposal, complete_theme

Proposals = Annotated[
    list[str] | None,
    typer.Option(metavar="PROPOSAL", help="Only this proposal, such as kip890. May be repeated.", autocompletion=complete_proposal),
]
Themes = Annotated[
    list[str] | None,
    typer.Option(
        metavar="THEME",
        help="Only requirements of this theme, in all proposals: commits, aborts, fencing, recovery, retention or sealing. Several with "
        "commas, or repeat the option. Default: all.",
        autocompletion=complete_theme,
    ),
]
