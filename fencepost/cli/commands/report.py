"""`fencepost report`."""

from pathlib import Path
from typing import Annotated

import typer

from fencepost.cli.exit_codes import guarded


def report(
    results: Annotated[
        list[str], typer.Argument(metavar="RESULTS", help="Results folders of runs, folders of them at any depth, or patterns.")
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the report goes.")] = Path("results/report"),
    form: Annotated[str, typer.Option("--format", metavar="FORM", help="table or json.")] = "table",
    columns: Annotated[int, typer.Option(metavar="N", min=1, help="How many systems and versions the page shows in full.")] = 24,
    master: Annotated[str, typer.Option(metavar="URL", help="The Spark master: local[*], spark://HOST:PORT, k8s://...")] = "local[*]",
    memory: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Memory of Spark's driver, such as 512m or 2g. Default: by the size of the input.")
    ] = None,
) -> None:
    """Make one report of the results of many runs: compliance matrix, trends, badges. Needs Java, and pip install 'fencepost[check]'.

    For each requirement, the latest run that judged it counts. The report consists of index.html, compliance.md, report.json,
    badges/ with an SVG for each system and version, and two Parquet tables: table/ (requirement by system, version and run)
    and latest/. The command names files that it cannot read, and leaves them out. Exit code 0 means that the report was made, whatever
    it shows.

    Examples:

        fencepost report results

        fencepost report 'nightly/*/kafka-*' --out public/compliance

        fencepost report results --format json
    """
    from fencepost.report.compliance import command

    guarded(lambda: command.run(command.ReportOptions(tuple(results), out, form, columns, master, memory)))
