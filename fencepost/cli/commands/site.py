"""`fencepost site`."""

from pathlib import Path
from typing import Annotated

import typer

from fencepost.cli.completion import complete_proposal
from fencepost.cli.exit_codes import guarded


def site(
    results: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RESULTS", help="Results folders of runs, folders of them at any depth, or patterns; none for the specification alone."
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Where the site goes: a new or empty folder, or one that this command made.")
    ] = Path("results/site"),
    spec: Annotated[
        list[str] | None, typer.Option(metavar="PROPOSAL", help="Only the pages of this proposal.", autocompletion=complete_proposal)
    ] = None,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="What the site is called, such as your broker's name.")] = None,
) -> None:
    """Build the specification, the reference and the results of runs as a static site.

    Each requirement has a page with its scenarios, the code of the reference that decides it, the defects that break it, a sequence
    picture of one play on the reference, and its verdict in each run, in the order in which the runs are named. The site opens from a
    disk or any web server, and loads nothing from elsewhere.

    Examples:

        fencepost site --out public

        fencepost site results/ours results/kafka --out public --title 'Our broker'
    """

    def build() -> int:
        from fencepost.run.selection import proposals_named
        from fencepost.site import builder

        return builder.build(builder.SiteOptions(tuple(results or ()), out, proposals_named(spec or ()), title))

    guarded(build)
