"""The command line: every command of `commands/`, and what they share.

Exit codes: 0 conforms, 1 does not, 2 wrong usage or unreachable system, 3 Fencepost itself failed, 4 the run was not finished.
"""

import io
import sys
from pathlib import Path
from typing import Annotated

import typer

from fencepost import __version__
from fencepost.cli.commands import (
    check,
    compare,
    doctor,
    explain,
    explore,
    findings,
    list_,
    new,
    prove,
    replay_,
    report,
    run,
    sentences,
    serve,
    site,
    soak,
    summary,
    verify,
)
from fencepost.contract.errors import Exit, WrongUsage
from fencepost.run import interruption

from . import configuration
from .configuration import ConfiguredCommand
from .exit_codes import guarded_value, print_error
from .usage_errors import Commands


def _show_version(is_asked: bool) -> None:
    if is_asked:
        print(f"fencepost {__version__}")
        raise typer.Exit


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="""Judge a streaming system by the transaction proposals that it claims to follow.

    The requirements of a proposal are Gherkin scenarios. They run against the bundled reference implementation,
    or against a broker that you name, and every requirement gets a verdict with its evidence.

    **Begin with**  `fencepost run`, then `fencepost doctor kafka --bootstrap HOST:PORT` and
    `fencepost run kafka --bootstrap HOST:PORT`.

    **Options** can also be set in `fencepost.toml` or under `[tool.fencepost]` in `pyproject.toml`, in a table for the command such as
    `[run]`, and in the environment, such as `FENCEPOST_RUN_BOOTSTRAP`. The command line overrides the environment, and the environment
    overrides the file.

    Exit codes: 0 conforms; 1 a requirement is violated or inconclusive (--fail-on, --strict and --max-not-offered of `fencepost run`
    change this); 2 wrong usage or unreachable system; 3 Fencepost itself failed; 4 the run stopped early, even if something was red:
    Ctrl-C, SIGTERM, --timeout, --max-failures or a system that stopped answering.""",
)


@app.callback()
def _fencepost(
    ctx: typer.Context,
    config: Annotated[
        Path | None, typer.Option(metavar="FILE", envvar="FENCEPOST_CONFIG", help="Where options are set: a TOML file.", show_envvar=False)
    ] = None,
    version: Annotated[  # noqa: ARG001 - its callback has shown it
        bool, typer.Option("--version", help="Show the version of fencepost and exit.", is_eager=True, callback=_show_version)
    ] = False,
) -> None:
    guarded_value(lambda: configuration.apply(ctx, config))


app.command(cls=ConfiguredCommand)(run.run)
app.command("list", cls=ConfiguredCommand)(list_.list_)
app.command(cls=ConfiguredCommand)(explain.explain)
app.command(cls=ConfiguredCommand)(sentences.sentences)
app.command(cls=ConfiguredCommand)(check.check)
app.command(cls=ConfiguredCommand)(report.report)
app.command(cls=ConfiguredCommand)(prove.prove)
app.command(cls=ConfiguredCommand)(explore.explore)
app.command(cls=ConfiguredCommand)(soak.soak)
app.command(cls=ConfiguredCommand)(summary.summary)
app.command(cls=ConfiguredCommand)(findings.findings)
app.command(cls=ConfiguredCommand)(site.site)
app.command(cls=ConfiguredCommand)(compare.compare)
app.command(cls=ConfiguredCommand)(replay_.replay)
app.command(cls=ConfiguredCommand)(verify.verify)
app.command(cls=ConfiguredCommand)(doctor.doctor)
app.command(cls=ConfiguredCommand)(serve.serve)
app.add_typer(new.new, name="new")


def main() -> None:
    """The `fencepost` command, once it has been imported: see `__main__.py`."""
    _speak_whatever_can_be_spoken()
    try:
        code = app(standalone_mode=False)
    except WrongUsage as error:
        if sys.argv[1:]:  # else all of the help was shown
            print_error(str(error))
        code = Exit.USAGE
    finally:
        interruption.deaf()
    sys.exit(code)


def _speak_whatever_can_be_spoken() -> None:
    """If a stream's encoding lacks a character, such as ASCII, it shows the character's number: that must not make a command fail."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")
