"""`fencepost soak`."""

from pathlib import Path
from typing import Annotated

import typer

from fencepost.cli.exit_codes import guarded
from fencepost.cli.system_options import PlayedOptions, takes_a_system


@takes_a_system
def soak(
    judged: PlayedOptions,
    limit: Annotated[str, typer.Option("--time", metavar="TIME", help="How long, such as 60 (seconds), 30m or 8h.")] = "5m",
    faults: Annotated[
        str | None,
        typer.Option(
            metavar="FAULT,...",
            help="What goes wrong meanwhile: crash (kill -9 and restart), pause (a node, for 5 s), wire (requests and answers are lost or "
            "doubled), late (clients write or end once more after an end), stall (clients leave transactions open).",
        ),
    ] = None,
    every: Annotated[str, typer.Option("--fault-every", metavar="TIME", help="How long from one fault to the next, on average.")] = "20s",
    rate: Annotated[float, typer.Option(metavar="R", min=0.1, max=100_000, help="At most so many calls a second, of all clients.")] = 100.0,
    writers: Annotated[int, typer.Option(metavar="N", min=1, max=256, help="How many clients write.")] = 8,
    segment: Annotated[str, typer.Option(metavar="TIME", help="After how long the history is judged, and new logs are begun.")] = "60s",
    seed: Annotated[int, typer.Option(metavar="S", help="Another seed draws other transactions and faults.")] = 1,
    results: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where histories and the page go. Default: results/soak/SYSTEM.")
    ] = None,
) -> None:
    """Load a system for a long time, with faults, and judge everything that its clients saw.

    Writers commit and abort transactions of writes and of groups' input while readers of committed data read on. Each value is written
    once, so the history checker can name every record that was lost, shown too early, shown after an abort, or taken twice. The history is
    written in segments, and each one is judged while the next one runs. Needs Spark: pip install 'fencepost[check]'.

    Examples:

        fencepost soak kafka --container apache/kafka:4.3.1 --time 30m --faults crash,pause

        fencepost soak kafka --bootstrap localhost:9092 --time 8h --rate 500

        fencepost soak pulsar --container apachepulsar/pulsar:4.0.7 --time 10m --faults crash

        fencepost soak --time 10s --defect core-kafka-aborted-shown

    Ctrl-C ends it early: what was written is judged all the same. After kill -9, `fencepost check DIR/history` judges what was written.
    Exit code 1 says that a promise was broken, 2 that the system was gone, 4 that the run was stopped before its end.
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
