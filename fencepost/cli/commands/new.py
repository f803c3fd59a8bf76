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
    help="Write a proposal, a requirement or a defect into a checkout of Fencepost, as something that runs.",
)
Checkout = Annotated[Path, typer.Option(metavar="DIR", help="The checkout that is written to. Default: this folder.")]


@new.command()
def proposal(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of its folder, such as kip939.")],
    title: Annotated[str | None, typer.Option(metavar="TITLE", help="As people write it, such as KIP-939. Default: NAME.")] = None,
    source: Annotated[str, typer.Option(metavar="URL", help="Where its text stands.")] = "not published yet",
    protocol: Annotated[
        list[str] | None,
        typer.Option(metavar="PROTOCOL", help="Whose systems it binds: kafka, pulsar or pulsar-scalable. May be repeated."),
    ] = None,
    checkout: Checkout = Path(),
) -> None:
    """Write the folders of a proposal: register, vocabulary, defects, and its row in the README.

    Example:

        fencepost new proposal kip939 --title KIP-939 --protocol kafka
    """
    from fencepost.scaffolding import proposal as proposals

    _write(
        lambda: proposals.make(checkout, name, title or name, source, protocol or ["kafka"]),
        f"fencepost new requirement {name.replace('_', '').upper()}-001 --feature ending --statement '...' --section '...'",
    )


@new.command()
def requirement(
    identifier: Annotated[str, typer.Argument(metavar="ID", help="A new id, such as KIP939-001; ids are never reused.")],
    feature: Annotated[
        str, typer.Option(metavar="NAME", help="The feature file of its theme, without its ending; made where there is none.")
    ],
    statement: Annotated[str, typer.Option(metavar="TEXT", help="Actor, condition and observable result, in one sentence.")],
    section: Annotated[str, typer.Option(metavar="TEXT", help="The heading in the proposal that says so.")],
    level: Annotated[str, typer.Option(metavar="LEVEL", help="MUST, SHOULD or MAY.")] = "MUST",
    why: Annotated[
        str, typer.Option(metavar="TEXT", help="The harm that it prevents, in a sentence.")
    ] = "Say here which harm it prevents.",
    theme: Annotated[list[str] | None, typer.Option(metavar="THEME", help="A theme that it belongs to. May be repeated.")] = None,
    checkout: Checkout = Path(),
) -> None:
    """Write a row of a register, its Rule, and a scenario that passes and is to be replaced.

    Example:

        fencepost new requirement KIP939-001 --feature preparing --statement 'A prepared transaction survives a crash.' --section Prepare
    """
    from fencepost.scaffolding import requirement as requirements

    _write(
        lambda: requirements.make(checkout, identifier.upper(), feature, statement, section, level.upper(), why, theme or []),
        f"fencepost run --only {identifier.upper()}",
    )


@new.command()
def defect(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What it is called, such as no-epoch-bump.")],
    breaks: Annotated[str, typer.Option(metavar="ID", help="The requirement that it breaks.", autocompletion=complete_requirement)],
    overrides: Annotated[
        str, typer.Option(metavar="PART.DECISION", help="The decision of the reference that it overrides, such as coordinator.bumps_epoch.")
    ],
    seen: Annotated[str, typer.Option(metavar="REGEX", help="What the violation must show as seen.")],
    story: Annotated[str, typer.Option(metavar="TEXT", help="What the broker does wrong, in a sentence.")] = "Say here what it does wrong.",
    origin: Annotated[str, typer.Option(metavar="TEXT", help="Where such a broker was seen: an issue's number, or textbook.")] = "textbook",
    protocol: Annotated[
        str | None, typer.Option(metavar="PROTOCOL", help="Whose broker it is, where the proposal binds several. Default: the first.")
    ] = None,
    checkout: Checkout = Path(),
) -> None:
    """Write a broken variant of the reference: a class that overrides one decision, with the honest answer to be replaced.

    Example:

        fencepost new defect forgets-the-prepare --breaks KIP939-001 --overrides coordinator.bumps_epoch --seen '^success'
    """
    from fencepost.scaffolding import defect as defects

    _write(
        lambda: defects.make(checkout, name, breaks.upper(), overrides, seen, story, origin, protocol),
        f"fencepost run --defect {name} --only {breaks.upper()}",
    )


def _write(make: Callable[[], list[str]], then: str) -> None:
    """Write, and print each path and the next command."""

    def act() -> int:
        for path in make():
            print(f"wrote {path}")
        print(f"next: ruff check --fix && ruff format, make docs, and {then}")
        return 0

    guarded(act)
