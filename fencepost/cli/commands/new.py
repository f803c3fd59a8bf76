"""`fencepost new`: proposals, requirements and defects in a checkout, written so that they run."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from fencepost.cli.completion import complete_requirement
from fencepost.cli.exit_codes import guarded
from fencepost.cli.usage_errors import Commands

new = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Add the files of a new proposal, requirement or defect to a checkout of Fencepost. They run as they are; then edit them.",
)
Checkout = Annotated[
    Path, typer.Option(metavar="DIR", help="The checkout of Fencepost to which files are added. Default: the current folder.")
]


@new.command()
def proposal(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of the proposal's folder, such as kip939.")],
    title: Annotated[
        str | None, typer.Option(metavar="TITLE", help="The proposal's name in prose, such as KIP-939. Default: NAME.")
    ] = None,
    source: Annotated[str, typer.Option(metavar="URL", help="The address of the proposal's text.")] = "not published yet",
    protocol: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PROTOCOL", help="Which systems the proposal binds: kafka, pulsar or pulsar-scalable. May be repeated. Default: kafka."
        ),
    ] = None,
    checkout: Checkout = Path(),
) -> None:
    """Add a proposal: its register, vocabulary and defects folders, and its row in the README.

    Example:

        fencepost new proposal kip939 --title KIP-939 --protocol kafka
    """
    from fencepost.scaffolding import proposal as proposals

    _write(
        lambda: proposals.make(checkout, name, title or name, source, protocol or ["kafka"]),
        f"check title, source and protocols in features/{name}/spec.yaml",
        f"fencepost new requirement {name.replace('_', '').upper()}-001 --feature ending --statement '...' --section '...'",
    )


@new.command()
def requirement(
    identifier: Annotated[
        str, typer.Argument(metavar="ID", help="The id of the new requirement, such as KIP939-001. Ids are never reused.")
    ],
    feature: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="The feature file that gets the Rule, without .feature, such as ending. It is created if it is missing; "
            "`fencepost explain` names that of a similar requirement.",
        ),
    ],
    statement: Annotated[
        str,
        typer.Option(
            metavar="TEXT", help="The requirement in one sentence: who does what, under which condition, and what a client observes."
        ),
    ],
    section: Annotated[str, typer.Option(metavar="TEXT", help="The heading of the proposal's section that states it.")],
    level: Annotated[str, typer.Option(metavar="LEVEL", help="How binding it is: MUST, SHOULD or MAY.")] = "MUST",
    why: Annotated[
        str, typer.Option(metavar="TEXT", help="The harm to a user if the requirement does not hold, in one sentence.")
    ] = "Say here which harm it prevents.",
    theme: Annotated[
        list[str] | None,
        typer.Option(
            metavar="THEME", help="A theme of the requirement, such as fencing; `fencepost list --themes` has them. May be repeated."
        ),
    ] = None,
    checkout: Checkout = Path(),
) -> None:
    """Add a requirement: its row in the register, its Rule, and a scenario that passes and that you replace.

    Example:

        fencepost new requirement KIP939-001 --feature preparing --statement 'A prepared transaction survives a crash.' --section Prepare
    """
    from fencepost.scaffolding import requirement as requirements

    _write(
        lambda: requirements.make(checkout, identifier.upper(), feature, statement, section, level.upper(), why, theme or []),
        f'replace the reason, the scenario and `check`, and write rule("{identifier.upper()}") where the reference decides it',
        f"fencepost run --only {identifier.upper()} --edition next",
        f"fencepost new defect NAME --breaks {identifier.upper()} --overrides PART.DECISION --seen REGEX",
    )


@new.command()
def defect(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of the defect, such as no-epoch-bump.")],
    breaks: Annotated[
        str,
        typer.Option(metavar="ID", help="The requirement that the defect breaks, such as KIP890-060.", autocompletion=complete_requirement),
    ],
    overrides: Annotated[
        str,
        typer.Option(
            metavar="PART.DECISION",
            help="The decision of the reference that the defect overrides, such as coordinator.bumps_epoch; "
            "`fencepost list --decisions` has all.",
        ),
    ],
    seen: Annotated[
        str,
        typer.Option(metavar="REGEX", help="A regular expression that the observation in the violation must match, such as '^success'."),
    ],
    story: Annotated[
        str, typer.Option(metavar="TEXT", help="What the broker does wrong, in one sentence.")
    ] = "Say here what it does wrong.",
    origin: Annotated[
        str, typer.Option(metavar="TEXT", help="Where such a bug was seen: the number of an issue, or textbook.")
    ] = "textbook",
    protocol: Annotated[
        str | None,
        typer.Option(
            metavar="PROTOCOL", help="Whose broker the defect breaks, if the proposal binds several protocols. Default: the first."
        ),
    ] = None,
    checkout: Checkout = Path(),
) -> None:
    """Add a defect: a class that overrides one decision of the reference and still answers correctly, until you replace the answer.

    Example:

        fencepost new defect forgets-the-prepare --breaks KIP939-001 --overrides coordinator.bumps_epoch --seen '^success'
    """
    from fencepost.scaffolding import defect as defects

    _write(
        lambda: defects.make(checkout, name, breaks.upper(), overrides, seen, story, origin, protocol),
        "decide it wrongly, and say in the docstring what is wrong",
        f"fencepost run --defect {name} --only {breaks.upper()} --edition next",
    )


def _write(make: Callable[[], list[str]], edit: str, *commands: str) -> None:
    """Write, and print each path, what is to be edited, and the next commands."""

    def act() -> int:
        for path in make():
            print(f"wrote {path}")
        print(f"next: {edit}; then")
        for command in ("ruff check --fix && ruff format", *commands):
            print(f"    {command}")
        return 0

    guarded(act)
