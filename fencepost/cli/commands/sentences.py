"""`fencepost sentences`."""

from typing import Annotated

import typer

from fencepost.cli.exit_codes import guarded


def sentences(
    spec: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PROPOSAL",
            help="Only the sentences that scenarios of this proposal use, such as kip890. May be repeated. Default: all.",
        ),
    ] = None,
    find: Annotated[
        str | None,
        typer.Option(
            metavar="WORDS",
            help='Only sentences that have all these words, in any form, such as "crash coordinator"; or the nearest ones if none has all.',
        ),
    ] = None,
    form: Annotated[str, typer.Option("--format", metavar="FORM", help="How the list is printed: table, json or markdown.")] = "table",
) -> None:
    """List the sentences of which scenarios are made, what each one means, and how often it is used.

    `{writer}` in a sentence stands for a value; a part in `[...]` is optional. A Given states what has happened before, a When the one
    request that the scenario is about, and a Then what must be observed:

        Given a writer A

        And the system crashes right after its answer to the next commit of A

        When A commits "a1" to orders

        Then readers of orders see "a1"

    Examples:

        fencepost sentences --spec core

        fencepost sentences --spec kip890 --find "abort marker reaches"

        fencepost sentences --format json
    """
    from fencepost.catalogue import sentence_list
    from fencepost.run.selection import proposals_named

    guarded(lambda: sentence_list.show(proposals_named(spec), form, find or ""))
