"""`fencepost findings`."""

from pathlib import Path
from typing import Annotated

import typer

from fencepost.cli.exit_codes import guarded


def findings(
    results: Annotated[Path, typer.Argument(metavar="RESULTS", help="The results folder of a run, or its compliance.json.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the page goes, as SYSTEM.md.")] = Path("findings"),
) -> None:
    """Write what a run found wrong with a broker as a page of Markdown: each cause, its rows, and the shortest scenario that shows it.

    SYSTEM.yaml next to the page has what people checked by hand; the command never changes it. Each entry names requirements or
    scenarios (`rows`), says whether the red is true, the suite's fault or open (`checked`), and has the reason and a link.

        - rows: [KIP890-029, "KIP890-047 [2]"]
          checked: true
          reason: InitProducerId keeps the timeout of the first one.
          link: https://example.org/source#L120

    SYSTEM is the name of the system in the run, which `fencepost run --name` sets. Exit code 0 means that the page was made.

    Examples:

        fencepost findings results/kfake --out docs/findings
    """
    from fencepost.findings import findings_files

    guarded(lambda: findings_files.write(results, out))
