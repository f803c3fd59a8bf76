"""`fencepost prove`."""

import random
from pathlib import Path
from typing import Annotated

import typer

from fencepost.cli.exit_codes import guarded
from fencepost.cli.selection_options import Proposals

_MUTANTS = "Judge N random changes to the code of the reference instead of the defects: which does the suite find? Example: --mutants 200."


def prove(
    spec: Proposals = None,
    everything: Annotated[
        bool,
        typer.Option(
            "--all",
            help="Run every scenario on every defect; the default is the scenarios of the features that it breaks. With --mutants: every "
            "scenario until one finds the mutant; the default is the scenarios that execute the changed line. With --twins: all twins on "
            "conforming brokers; the default is two of each scenario.",
        ),
    ] = False,
    results: Annotated[Path, typer.Option(metavar="DIR", help="The folder for prove.json and prove.html.")] = Path("results/prove"),
    workers: Annotated[int, typer.Option("-n", metavar="N", min=1, help="How many processes run variants at the same time.")] = 2,
    mutants: Annotated[int | None, typer.Option(metavar="N", min=1, help=_MUTANTS)] = None,
    explore: Annotated[
        bool, typer.Option("--explore", help="Explore each defect instead of running scenarios: which ones does `fencepost explore` find?")
    ] = False,
    twins: Annotated[
        bool,
        typer.Option(
            "--twins", help="Lose one field of one durable record at each restart, instead of using defects: which losses do twins notice?"
        ),
    ] = False,
    part: Annotated[
        str | None,
        typer.Option(metavar="I/N", help="With --twins or --explore: only one of N parts, with some of each kind of broker. Example: 2/3."),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Put each defect of Kafka's reference into a broker of this release profile, such as kip98: which does the suite find?",
        ),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="With --profile, --explore or --museum --twins: use only N defects, drawn at random by --seed. Default: all.",
        ),
    ] = None,
    holes: Annotated[
        bool,
        typer.Option(
            "--holes", help="With --museum --twins: in place of real bugs, defects of red teams that the suite did not find then."
        ),
    ] = False,
    museum: Annotated[
        bool,
        typer.Option(
            "--museum", help="Run only the defects that rebuild real bugs of released brokers: how many of these bugs does the suite find?"
        ),
    ] = False,
    examples: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="With --explore: how many random sequences to play on each variant. Default: 2000."),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="S",
            help="The number from which mutants, sequences, twins and samples are drawn; the same seed draws the same on "
            "every machine. Default: 1.",
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH|KIND|NAME",
            help="With --mutants: change only this folder or file, such as reference/kafka, or make only changes of this kind, such as "
            "loop, or only those that are listed as harmless, with harmless. With --twins: play only brokers with such names, such as "
            "'replay-pulsar-*', or with --museum only such defects. May be repeated.",
        ),
    ] = None,
    write_killed: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="With --mutants: write the mutants that were killed to this file, in the form of fixtures/mutants/killed.yaml.",
        ),
    ] = None,
) -> None:
    """Show that every check can fail: run the suite on deliberately broken variants of the reference, and on conforming ones.

    Without a mode, `fencepost prove` runs every bundled defect (a variant of the reference that breaks a requirement on purpose) and every
    conforming variant, and prints the kill matrix: which requirements each defect violated. Exit code 1: the proof has a hole, which is a
    requirement that no defect violates with the symptom that the defect states; or a conforming variant was red.

    One of these options chooses another proof:

    --mutants N makes N random changes to the code of the reference, one at a time: a comparison, a condition, a constant, or a statement
    that is left out. A mutant is killed when it violates a requirement that the reference meets. A mutant that only makes the run fail is
    not killed. fixtures/mutants/harmless.yaml lists the changes that break no promise, with reasons. Exit code 1: fewer than 90 % of
    the other mutants were killed, a change that breaks no promise was killed, or a mutant survived that was killed before. With --only
    loop, a loop takes only the first of several items, or leaves out the last; not all harmless ones of these are listed yet. A survivor
    where no scenario comes, or none to a second item of the loop, is marked so and counted apart. With --only harmless, only the changes
    of fixtures/mutants/harmless.yaml are judged.

    --explore plays random sequences of acts on each defect until one violates a requirement, and a fixed number of sequences on each
    conforming variant. Exit code 1: exploration found something in a conforming variant. --part 1/3 explores a third of the variants.

    --twins makes the reference lose one field of one durable record whenever it reads that record again, one field after the other. It
    plays scenarios with restarts until a twin (the same scenario with a disturbance) answers differently, or 20 s of CPU time are over;
    with --all, no time ends that. On conforming brokers it plays two twins of each scenario with every disturbance, or all twins with
    --all. Exit code 1: twins noticed fewer than 95 % of the losses, differed on a conforming broker, or did not need an exception that
    names a conforming variant. --part 1/3 plays a third of the brokers.

    --profile NAME puts each defect into a broker of that release profile and runs the scenarios of the requirements that the defect
    breaks, as far as the profile offers what they need. Exit code 1: a defect met all of them, and fixtures/missed.yaml gives no reason.

    --museum runs only the defects that rebuild real bugs of released brokers (fixtures/museum.yaml). A bug is caught when the requirements
    that its defects break are violated with the stated symptoms. Exit code 1: a bug was not caught. With --twins too, each defect is
    played without the scenarios of the requirements that it breaks, until a twin differs or 7 s of CPU time are over. --holes plays the
    defects of red teams in the same way. What is found does not change the exit code, which is 0, or 4 if it was stopped.

    Exit code 4: Ctrl-C or SIGTERM stopped the proof, or one of its processes was killed, for example because memory was short. A message
    names what that process played. What was found before is in the results folder; use -n 1, or --part I/N, to go on with less memory.

    Examples:

        fencepost prove

        fencepost prove --mutants 200 --seed 7

        fencepost prove --mutants 50 --only reference/kafka/kafka_coordinator.py --all

        fencepost prove --mutants 100 --only loop

        fencepost prove --mutants 1000 --only harmless --only reference/pulsar

        fencepost prove --explore --spec core

        fencepost prove --twins --spec kip890

        fencepost prove --twins --part 1/3

        fencepost prove --twins --only 'replay-pulsar-*'

        fencepost prove --profile kip98 --spec core --spec kip890 --sample 40

        fencepost prove --museum

        fencepost prove --museum --twins --part 1/3

        fencepost prove --museum --twins --holes --spec pip31 --sample 60
    """
    from fencepost.contract.errors import WrongUsage
    from fencepost.proof import kill_matrix, twin_proof
    from fencepost.proof.mutants import mutant_report
    from fencepost.proof.proof_part import ProofPart
    from fencepost.proof.proof_part import only as only_named
    from fencepost.run.selection import proposals_named

    def act() -> int:
        if sample and profile is None and not explore and not museum:
            raise WrongUsage(f"--sample {sample} is about one profile or exploration; use --profile or --explore too")
        if holes and not (museum and twins):
            raise WrongUsage("--holes is about twins without the scenarios for a defect; use --museum --twins too")
        if part is not None and not (twins or explore):
            raise WrongUsage(f"--part {part} is about twins or exploration; use --twins or --explore too, or leave it out")
        asked_part = ProofPart.named(part) if part else ProofPart()
        if profile is not None:
            from fencepost.proof import profile_proof

            excluded: dict[str, object] = {
                "--museum": museum,
                "--twins": twins,
                "--explore": explore,
                "--mutants": mutants,
                "--all": everything,
            }
            if one := next((name for name, value in excluded.items() if value), None):
                raise WrongUsage(f"{one} and --profile exclude each other: the second plays only the requirements that each defect breaks")
            return profile_proof.show(profile, proposals_named(spec), sample, 1 if seed is None else seed, workers, results)
        if museum:
            from fencepost.museum import museum_twins
            from fencepost.museum import proof as museum_proof

            asked: dict[str, object] = {"--all": everything, "--explore": explore, "--mutants": mutants, "--examples": examples}
            asked |= {"--write-killed": write_killed}
            asked |= {} if twins else {"--spec": spec, "--seed": seed, "--only": only, "--holes": holes, "--sample": sample}
            if other := next((name for name, value in asked.items() if value not in (None, False, [])), None):
                raise WrongUsage(f"{other} and --museum exclude each other: the second plays only the defects of real bugs")
            if not twins:
                return museum_proof.show(workers, results)
            number = 1 if seed is None else seed
            names = only_named(museum_twins.defects(proposals_named(spec), holes=holes), only or (), str)
            if sample and sample < len(names):
                names = random.Random(number).sample(names, sample)  # noqa: S311 - which ones is no secret
            return museum_twins.show(names, number, workers, results, asked_part)
        if twins:
            others = {"--explore": explore, "--mutants": mutants, "--write-killed": write_killed, "--examples": examples}
            if other := next((name for name, value in others.items() if value), None):
                raise WrongUsage(f"{other} and --twins exclude each other: the second plays no defects")
            return twin_proof.show(tuple(spec or ()), 1 if seed is None else seed, everything, workers, results, asked_part, only or ())
        if explore:
            from fencepost.proof import exploration_proof

            given = {"--mutants": mutants, "--only": only, "--write-killed": write_killed, "--all": everything}
            if other := next((name for name, value in given.items() if value), None):
                raise WrongUsage(f"{other} and --explore exclude each other: the second plays no scenarios")
            return exploration_proof.show(
                tuple(spec or ()), examples or 2_000, 10, 1 if seed is None else seed, workers, results, sample, asked_part
            )
        if examples:
            raise WrongUsage(f"--examples {examples} is about exploration; use --explore too")
        mutant_report.check(mutants, seed, only, write_killed, spec)
        if mutants is None:
            return kill_matrix.show(proposals_named(spec), everything, workers, results)
        return mutant_report.show(mutants, 1 if seed is None else seed, only or (), everything, workers, results, write_killed)

    guarded(act)
