"""`fencepost list`."""

from typing import Annotated

import typer

from fencepost.cli.exit_codes import fail, guarded
from fencepost.cli.selection_options import Proposals, Themes


def list_(
    spec: Proposals = None,
    theme: Themes = None,
    systems: Annotated[bool, typer.Option("--systems", help="List the systems that Fencepost can judge, instead of requirements.")] = False,
    profiles: Annotated[
        bool, typer.Option("--profiles", help="List the release profiles, such as kafka-4.3, instead of requirements.")
    ] = False,
    defects: Annotated[
        bool,
        typer.Option(
            "--defects", help="List the defects, which are deliberately broken variants of the reference, instead of requirements."
        ),
    ] = False,
    decisions: Annotated[
        bool, typer.Option("--decisions", help="List the decisions of the reference that a defect may override, instead of requirements.")
    ] = False,
    capabilities: Annotated[
        bool, typer.Option("--capabilities", help="List the capabilities that a scenario may need of a system, instead of requirements.")
    ] = False,
    themes: Annotated[
        bool, typer.Option("--themes", help="List the themes, which are topics across all proposals, instead of requirements.")
    ] = False,
    find: Annotated[
        str | None,
        typer.Option(
            metavar="WORDS",
            help="Only requirements that have all these words, in any form, in their statement, reason, section or scenarios, such as "
            '"zombie epoch"; or the nearest ones if none has all.',
        ),
    ] = None,
    form: Annotated[
        str, typer.Option("--format", metavar="FORM", help="How the list is printed: table or json; requirements also as markdown.")
    ] = "table",
) -> None:
    """List every requirement and whether scenarios test it; or systems, profiles, defects, decisions, capabilities or themes.

    Examples:

        fencepost list --spec kip890

        fencepost list --theme sealing

        fencepost list --find "zombie epoch"

        fencepost list --defects --format json
    """
    given = {
        "systems": systems,
        "profiles": profiles,
        "defects": defects,
        "decisions": decisions,
        "capabilities": capabilities,
        "themes": themes,
    }
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
