"""`fencepost soak`."""

from pathlib import Path
from typing import Annotated

import typer

from fencepost.cli.exit_codes import guarded
from fencepost.cli.system_options import PlayedOptions, takes_a_system


@takes_a_system
def soak(
    judged: PlayedOptions,
    limit: Annotated[str, typer.Option("--time", metavar="TIME", help="How long the load runs: 60 or 60s for seconds, 30m, 8h.")] = "5m",
    faults: Annotated[
        str | None,
        typer.Option(
            metavar="FAULT,...",
            help="Which faults happen during the load, with commas: crash (kill -9 and restart), pause (one node is frozen for 5 s), wire "
            "(requests and answers are lost, requests are sent twice), late (clients write or end again after an end), stall (clients "
            "leave transactions open). Default: none. Example: --faults crash,late.",
        ),
    ] = None,
    every: Annotated[
        str, typer.Option("--fault-every", metavar="TIME", help="The average time from one fault to the next, such as 20s or 2m.")
    ] = "20s",
    rate: Annotated[
        float,
        typer.Option(
            metavar="R",
            min=0.1,
            max=100_000,
            help="The most requests per second that all clients send together. The reference's seconds are virtual.",
        ),
    ] = 100.0,
    writers: Annotated[int, typer.Option(metavar="N", min=1, max=256, help="How many clients write concurrently.")] = 8,
    segment: Annotated[
        str,
        typer.Option(metavar="TIME", help="How long one segment of the history is; each is judged while the next one runs, on new logs."),
    ] = "60s",
    seed: Annotated[
        int, typer.Option(metavar="S", help="The number from which transactions and faults are drawn; the same seed draws the same ones.")
    ] = 1,
    results: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The folder for histories, soak.json and the page. Default: results/soak/SYSTEM.")
    ] = None,
) -> None:
    """Load a system for a long time, inject faults, and judge everything that its clients observed.

    Writers commit and abort transactions that write records and acknowledge input, while other clients read committed data. Each value is
    written once, so the history checker can name every record that was lost, visible before its commit, visible after an abort, or
    processed twice. The history has segments; each segment is judged while the next one runs. Needs Java, and
    pip install 'fencepost[check]'.

    Examples:

        fencepost soak kafka --container apache/kafka:4.3.1 --time 30m --faults crash,pause

        fencepost soak kafka --bootstrap localhost:9092 --time 8h --rate 500

        fencepost soak pulsar --container apachepulsar/pulsar:4.0.7 --time 10m --faults crash

        fencepost soak --time 10s --defect core-kafka-aborted-shown

    Ctrl-C ends the load early, and the history until then is judged. After kill -9, `fencepost check DIR/history` judges it.
    Exit code 1: a promise was broken. Exit code 2: the system no longer answered. Exit code 4: the run was stopped before its end.
    """
    judged.need("soak")

    def act() -> int:
        from fencepost.console.terminal import Screen
        from fencepost.run.interruption import seconds
        from fencepost.soak.soak_document import SoakOptions
        from fencepost.soak.soak_run import Soak

        asked = SoakOptions(
            seconds(limit, "--time"), faults, rate, writers, seconds(segment, "--segment"), seconds(every, "--fault-every"), seed
        )
        return Soak(judged.options(results), asked, Screen()).run()

    guarded(act)
