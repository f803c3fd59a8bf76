"""`fencepost check`."""

from pathlib import Path
from typing import Annotated

import typer

from fencepost.cli.exit_codes import guarded


def check(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="PATH...", help="Files of histories, or folders that have them: JSON lines, Parquet, or Jepsen's EDN."),
    ],
    results: Annotated[Path, typer.Option(metavar="DIR", help="The folder for the verdict, the witnesses and the page.")] = Path(
        "results/check"
    ),
    form: Annotated[str, typer.Option("--format", metavar="FORM", help="How the verdict is printed: table or json.")] = "table",
    anomaly: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Look only for this anomaly, such as lost-write. May be repeated. Default: all."),
    ] = None,
    most: Annotated[
        int, typer.Option("--max-witnesses", metavar="N", min=1, help="How many witnesses of each anomaly are kept for each run.")
    ] = 100,
    infer_ww: Annotated[
        bool,
        typer.Option(
            "--infer-ww", help="When looking for cycles, conclude from the order of records in a log which transaction wrote first."
        ),
    ] = False,
    infer_rw: Annotated[
        bool,
        typer.Option(
            "--infer-rw",
            help="When looking for cycles, conclude that a poll read before the record after its last one was written.",
        ),
    ] = False,
    master: Annotated[
        str, typer.Option(metavar="URL", help="Where Spark runs: local[*] (all cores of this machine), spark://HOST:PORT or k8s://...")
    ] = "local[*]",
    memory: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Memory of Spark's driver, such as 512m or 2g. Default: by the size of the input.")
    ] = None,
) -> None:
    """Search recorded histories for every known anomaly. Needs Java, and pip install 'fencepost[check]'.

    A history is every request and answer of a run: of Fencepost, or of Jepsen. An anomaly is what no correct system can show, such as a
    dirty read. Each anomaly is printed with its witness, the operations that show it. --infer-ww and --infer-rw add orders that the
    history suggests but does not prove; G0 needs the first, G-single and G2 need the second.

    Examples:

        fencepost check results/reference

        fencepost check store/redpanda/latest/history.edn --infer-ww --format json
    """
    from fencepost.pipeline import command

    options = command.PipelineOptions(tuple(paths), results, master, memory, tuple(anomaly or ()), most, form, infer_ww, infer_rw)
    guarded(lambda: command.run(options))
