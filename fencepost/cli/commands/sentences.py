"""`fencepost sentences`."""

from typing import Annotated

import typer

from fencepost.cli.exit_codes import guarded


def sentences(
    spec: Annotated[list[str] | None, typer.Option(metavar="PROPOSAL", help="Only what this proposal speaks. May be repeated.")] = None,
    form: Annotated[str, typer.Option("--format", metavar="FORM", help="table, json or markdown.")] = "table",
) -> None:
    """Show what a scenario can say: every sentence, what it means, and how often it is used.

    In a sentence, `{writer}` stands for a value, and a part in `[...]` may be left out. As a Given an act has happened, as a When it
    is asked. A scenario has some Given, one When, and Then what is observed:

        Given a writer A

        And the system crashes right after its answer to the next commit of A

        When A commits "a1" to orders

        Then readers of orders see "a1"

    Examples:

        fencepost sentences --spec core

        fencepost sentences --format json
    """
    from fencepost.catalogue import sentence_list
    from fencepost.run.selection import proposals_named

    guarded(lambda: sentence_list.show(proposals_named(spec), form))
