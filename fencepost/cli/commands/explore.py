"""`fencepost explore`."""

from pathlib import Path
from typing import Annotated

import typer

from fencepost.cli.exit_codes import fail, guarded
from fencepost.cli.selection_options import Proposals
from fencepost.cli.system_options import PlayedOptions, other_system, takes_a_system


@takes_a_system
def explore(
    judged: PlayedOptions,
    spec: Proposals = None,
    depth: Annotated[int | None, typer.Option(metavar="N", min=1, help="Every sequence of at most N acts.")] = None,
    examples: Annotated[int | None, typer.Option(metavar="N", min=1, help="N random sequences. Default: 1000.")] = None,
    length: Annotated[int, typer.Option(metavar="N", min=1, max=100, help="How many acts a random sequence has.")] = 10,
    limit: Annotated[str | None, typer.Option("--time", metavar="TIME", help="Stop after so long, such as 60 (seconds) or 10m.")] = None,
    seed: Annotated[int, typer.Option(metavar="S", help="Another seed draws other sequences.")] = 1,
    crashes: Annotated[
        bool,
        typer.Option("--crashes", help="On a broker: crashes and reloads too, one sequence after the other. On the reference always."),
    ] = False,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="SYSTEM",
            help="Play each sequence on this system too, and find the first answer that is another.",
        ),
    ] = None,
    against_set: Annotated[
        list[str] | None,
        typer.Option(
            "--against-set",
            metavar="NAME=VALUE",
            help="An option of that system, such as container=IMAGE, bootstrap=HOST:PORT, defect=NAME, or profile=NAME. May be repeated.",
        ),
    ] = None,
    results: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where the certificate and findings go. Default: results/explore/SYSTEM.")
    ] = None,
) -> None:
    """Look for what no scenario asks: go through sequences of acts, and give back what does not hold as a scenario.

    An act is what a client, an operator or a fault does: a write, an end, an end that is asked for again, a late write, a crash in the
    middle of a commit. What is due afterwards follows from what clients were answered. With --depth every sequence is tried, the
    shortest first, and the run ends with a certificate; otherwise random ones are. A finding is made small, and kept as a feature file
    that `fencepost run --feature FILE` plays.

    Examples:

        fencepost explore --depth 3

        fencepost explore --examples 5000 --seed 7

        fencepost explore --defect core-kafka-late-write-hangs

        fencepost explore kafka --container apache/kafka:4.3.1 --time 5m

        fencepost explore pulsar --container apachepulsar/pulsar:4.0.7 --time 5m --crashes

        fencepost explore --spec kip890 --profile kafka-4.3 --against reference

        fencepost explore --spec kip890 --against kafka --against-set container=apache/kafka:4.4.0 --time 5m

    Exit code 1 says that something was found, 4 that it was stopped before its end.
    """
    if depth is not None and examples is not None:
        fail("--depth and --examples exclude each other: the first tries every sequence, the second random ones")
    if against_set and not against:
        fail("--against-set says an option of the system of --against, which is not given")
    judged.need("explore")

    def act() -> int:
        from fencepost.console.terminal import Screen
        from fencepost.explore.exploration import Bounds, Exploration
        from fencepost.run.interruption import seconds

        limit_s = None if limit is None else seconds(limit, "--time")
        bounds = Bounds(depth, examples or (10**9 if limit_s else 1_000), length, seed, limit_s)
        other = other_system(against, against_set or (), judged.patience)
        return Exploration(judged.options(results), tuple(spec or ("core",)), bounds, crashes, Screen(), other).run()

    guarded(act)
