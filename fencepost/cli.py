"""The command line: every command of `commands/`, and what they share.

Exit codes: 0 conforms, 1 does not, 2 wrong usage or unreachable system, 3 the kit itself failed, 4 the run was not finished.
"""

import typer

from . import stopping
from .commands import check, compare, doctor, explain, listing, prove, report, run, sentences, serve, summary

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
    help="""Judge a streaming system by the transaction proposals that it claims to follow.

    The requirements of a proposal are Gherkin scenarios. They run against the bundled reference implementation,
    or against a broker that you name, and every requirement gets a verdict with its evidence.

    **Begin with**  `fencepost run`, then `fencepost doctor kafka --bootstrap HOST:PORT` and
    `fencepost run kafka --bootstrap HOST:PORT`.

    Exit codes: 0 conforms; 1 does not: something is violated or inconclusive, unless --fail-on, --strict or --max-not-offered of
    `fencepost run` say otherwise; 2 wrong usage or unreachable system; 3 the kit itself failed; 4 not finished: Ctrl-C, SIGTERM, --timeout
    or --max-failures, also where something was red by then.""",
)

app.command()(run.run)
app.command("list")(listing.list_)
app.command()(explain.explain)
app.command()(sentences.sentences)
app.command()(check.check)
app.command()(report.report)
app.command()(prove.prove)
app.command()(summary.summary)
app.command()(compare.compare)
app.command()(doctor.doctor)
app.command()(serve.serve)


def main() -> None:
    """The `fencepost` command."""
    stopping.before_anything_began()
    try:
        app()
    finally:
        stopping.deaf()


if __name__ == "__main__":
    main()
