"""`fencepost replay`."""

from pathlib import Path
from typing import Annotated

import typer

from fencepost.cli.completion import complete_requirement
from fencepost.cli.exit_codes import guarded


def replay(
    results: Annotated[Path, typer.Argument(metavar="RESULTS", help="The results folder of a run.")],
    requirement: Annotated[
        str,
        typer.Argument(
            metavar="ID", help="A requirement that this run found not met, such as KIP890-060.", autocompletion=complete_requirement
        ),
    ],
    scenario: Annotated[int | None, typer.Option(metavar="N", help="Which of its scenarios, if several deviate.")] = None,
    form: Annotated[str, typer.Option("--format", metavar="FORM", help="script, frames or picture.")] = "script",
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="The file to write. Default: standard output.")] = None,
) -> None:
    """Write the requests of a red as a Python script that shows the same without Fencepost.

    The script needs only Python. It makes new names and takes producer ids, epochs and nodes from the broker's own answers. It ends
    with exit code 1 if the broker answers as in the red, 0 if it answers as expected, and 2 if neither.

    `frames` shows each request and answer in hexadecimal, one field a line; `picture` is an SVG of the requests and answers.

    Examples:

        fencepost replay results/kafka KIP890-060 --scenario 2 --out red.py

        python3 red.py 127.0.0.1:9092
    """
    from fencepost.replay import replaying

    guarded(lambda: replaying.show(results, requirement, scenario, form, out))
