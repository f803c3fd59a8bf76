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
    depth: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Play every sequence of at most N acts, the shortest first, such as 3. Default: random sequences."
        ),
    ] = None,
    examples: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Play N random sequences. Default: 1000, or as many as --time allows.")
    ] = None,
    length: Annotated[
        int | None, typer.Option(metavar="N", min=1, max=100, help="How many acts each random sequence has. Default: 10.")
    ] = None,
    acts: Annotated[
        str | None,
        typer.Option(
            metavar="PATTERN;...",
            help="Only the acts with these names, in which * stands for anything, such as 'A *; B writes to orders; a crash'. The fewer "
            "acts, the further --depth reaches.",
        ),
    ] = None,
    limit: Annotated[
        str | None, typer.Option("--time", metavar="TIME", help="Stop after this time: 60 or 60s for seconds, 10m, 8h. Default: no limit.")
    ] = None,
    seed: Annotated[
        int, typer.Option(metavar="S", help="The number from which random sequences are drawn; the same seed draws the same ones.")
    ] = 1,
    crashes: Annotated[
        bool,
        typer.Option(
            "--crashes",
            help="On a broker: crash it and reload its topics too. Sequences that bring it down in the same way share each crash. The "
            "reference is always crashed.",
        ),
    ] = False,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="SYSTEM",
            help="Also play each sequence on this second system, such as reference or kafka, and report the first answer that differs.",
        ),
    ] = None,
    against_set: Annotated[
        list[str] | None,
        typer.Option(
            "--against-set",
            metavar="NAME=VALUE",
            help="An option of the system of --against, such as container=apache/kafka:4.4.0, bootstrap=HOST:PORT, defect=NAME or "
            "profile=NAME. May be repeated.",
        ),
    ] = None,
    results: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The folder for the findings and explored.json. Default: results/explore/SYSTEM.")
    ] = None,
) -> None:
    """Find violations that no scenario covers: play combinations of acts that no author wrote, and save each violation as a scenario.

    An act is one thing that a client, an operator or a fault does: a write, a commit, a retried commit, a late write, a crash during a
    commit. What readers must see afterwards follows from the answers that clients received. --depth plays every sequence up to a length and
    ends with a certificate of what was tried; otherwise sequences are random, and without --against a quarter of them have a disturbance of
    `fencepost run --twins`. Fencepost removes acts and steps from a finding as long as it still shows the same violation, and saves it as a
    feature file, which `fencepost run --feature FILE` plays. Without --spec it explores the core.

    Examples:

        fencepost explore --depth 3

        fencepost explore --examples 5000 --seed 7

        fencepost explore --depth 5 --acts "A writes to orders; A commits; A aborts; B writes to orders; B commits; a crash"

        fencepost explore --defect core-kafka-late-write-hangs

        fencepost explore kafka --container apache/kafka:4.3.1 --time 5m

        fencepost explore pulsar --container apachepulsar/pulsar:4.0.7 --time 5m --crashes

        fencepost explore --spec kip890 --profile kafka-4.3 --against reference

        fencepost explore --spec kip890 --against kafka --against-set container=apache/kafka:4.4.0 --time 5m

    Exit code 1: exploration found a violation, or with --against a difference. Exit code 4: it was stopped before its end.
    """
    if depth is not None and examples is not None:
        fail("--depth and --examples exclude each other: the first tries every sequence, the second random ones")
    if depth is not None and length is not None:
        fail("--depth and --length exclude each other: the first says how long sequences are, the second how long random ones are")
    if against_set and not against:
        fail("--against-set needs --against, the system whose option it sets")
    judged.need("explore")

    def act() -> int:
        from fencepost.console.terminal import Screen
        from fencepost.explore.exploration import Bounds, Exploration
        from fencepost.run.interruption import seconds

        limit_s = None if limit is None else seconds(limit, "--time")
        bounds = Bounds(depth, examples or (10**9 if limit_s else 1_000), length or 10, seed, limit_s)
        patterns = [part.strip() for part in (acts or "").split(";") if part.strip()]
        other = other_system(against, against_set or (), judged.patience)
        return Exploration(judged.options(results), tuple(spec or ("core",)), bounds, crashes, Screen(), other, patterns).run()

    guarded(act)
