"""`fencepost list`."""

from typing import Annotated

import typer

from fencepost.cli.exit_codes import fail, guarded
from fencepost.cli.selection_options import Proposals, Themes


def list_(
    spec: Proposals = None,
    theme: Themes = None,
    systems: Annotated[bool, typer.Option("--systems", help="Show what can be judged instead.")] = False,
    profiles: Annotated[bool, typer.Option("--profiles", help="Show the release profiles instead.")] = False,
    defects: Annotated[bool, typer.Option("--defects", help="Show the defects of the reference instead.")] = False,
    capabilities: Annotated[bool, typer.Option("--capabilities", help="Show what a scenario may need of a system instead.")] = False,
    themes: Annotated[bool, typer.Option("--themes", help="Show the themes that run through all proposals instead.")] = False,
    find: Annotated[
        str | None,
        typer.Option(metavar="WORDS", help="Only requirements with all these words in their statement, reason, section or scenarios."),
    ] = None,
    form: Annotated[str, typer.Option("--format", metavar="FORM", help="table or json; of requirements also markdown.")] = "table",
) -> None:
    """Show the register: every requirement, and whether it is tested. Or what else can be named, one kind at a time.

    Examples:

        fencepost list --spec kip890

        fencepost list --theme sealing

        fencepost list --find "zombie epoch"

        fencepost list --defects --format json
    """
    given = {"systems": systems, "profiles": profiles, "defects": defects, "capabilities": capabilities, "themes": themes}
    kinds = [kind for kind, is_given in given.items() if is_given]
    if len(kinds) > 1:
        fail(f"{' and '.join(f'--{kind}' for kind in kinds)} exclude each other: each shows a separate table")
    for option, said in (("--spec", spec and spec[0]), ("--theme", theme and theme[0]), ("--find", find)):
        if kinds and said:
            fail(f"{option} {said} is about requirements, and --{kinds[0]} shows none")
    if kinds:
        from fencepost.catalogue import name_lists

        guarded(lambda: name_lists.show(kinds[0], form))
    from fencepost.catalogue import requirement_list
    from fencepost.run.selection import proposals_named, themes_named

    guarded(lambda: requirement_list.show_list(proposals_named(spec), form, themes_named(theme), find or ""))
