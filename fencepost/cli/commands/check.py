"""`fencepost check`."""

from pathlib import Path
from typing import Annotated

import typer

from fencepost.cli.exit_codes import guarded


def check(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH...", help="Histories, or folders with histories: JSON lines, Parquet, Jepsen EDN.")
    ],
    results: Annotated[Path, typer.Option(metavar="DIR", help="Where the verdict, the witnesses and the page go.")] = Path("results/check"),
    form: Annotated[str, typer.Option("--format", metavar="FORM", help="table or json.")] = "table",
    anomaly: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this anomaly. May be repeated.")] = None,
    most: Annotated[int, typer.Option("--max-witnesses", metavar="N", min=1, help="How many of an anomaly are kept for a run.")] = 100,
    infer_ww: Annotated[bool, typer.Option("--infer-ww", help="For cycles, infer who wrote before whom from the order of a log.")] = False,
    infer_rw: Annotated[bool, typer.Option("--infer-rw", help="For cycles, infer who read before whom wrote.")] = False,
    master: Annotated[str, typer.Option(metavar="URL", help="The Spark master: local[*], spark://HOST:PORT, k8s://...")] = "local[*]",
    memory: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Memory of the driver, such as 2g; chosen by the input unless given.")
    ] = None,
) -> None:
    """Judge histories for every anomaly that is known, whatever a scenario asked. Needs Java, and pip install 'fencepost[check]'.

    Examples:

        fencepost check results/reference

        fencepost check store/redpanda/latest/history.edn --infer-ww --format json
    """
    from fencepost.pipeline import command

    options = command.Options(tuple(paths), results, master, memory, tuple(anomaly or ()), most, form, infer_ww, infer_rw)
    guarded(lambda: command.run(options))
