"""`fencepost prove`."""

from pathlib import Path
from typing import Annotated

import typer

from fencepost.cli.exit_codes import guarded
from fencepost.cli.selection_options import Proposals

_MUTANTS = "Instead of the defects, change the reference in N places drawn by lot, one at a time, and see which changes the suite finds."


def prove(
    spec: Proposals = None,
    everything: Annotated[
        bool,
        typer.Option(
            "--all",
            help="Run every scenario on every defect, not only those of its feature; on every mutant, not only those that come across "
            "the change, until the first finds it.",
        ),
    ] = False,
    results: Annotated[Path, typer.Option(metavar="DIR", help="Where prove.json and prove.html go.")] = Path("results/prove"),
    workers: Annotated[int, typer.Option("-n", metavar="N", min=1, help="How many runs at a time.")] = 2,
    mutants: Annotated[int | None, typer.Option(metavar="N", min=1, help=_MUTANTS)] = None,
    explore: Annotated[
        bool, typer.Option("--explore", help="Instead of scenarios, random sequences of acts: which defects does `fencepost explore` find?")
    ] = False,
    twins: Annotated[
        bool,
        typer.Option("--twins", help="Instead of defects, losses of one field of a durable record at a replay: which do twins notice?"),
    ] = False,
    profile: Annotated[
        str | None,
        typer.Option(metavar="P", help="Which defects of Kafka's reference are found on a broker of this profile, such as kip98?"),
    ] = None,
    sample: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="With --profile or --explore: only N defects, drawn by --seed.")
    ] = None,
    museum: Annotated[
        bool,
        typer.Option(
            "--museum", help="Only the defects that make bugs of released brokers again: how many of these bugs does the suite find?"
        ),
    ] = False,
    examples: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="With --explore: how many sequences for each variant. Default: 2000.")
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="S", help="Another seed draws other mutants, or sequences. Default: 1.")] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="PATH", help="Draw mutants only here: reference/kafka, reference/scalable, or a file. May be repeated."),
    ] = None,
    write_killed: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write down the mutants that were killed, as fixtures/mutants/killed.yaml has them.")
    ] = None,
) -> None:
    """Run the suite on broken references: show that every check can fail, and that no conforming variant does.

    Prints the kill matrix. Exit code 1 names the holes: requirements that no defect turns red for its stated reason, and
    conforming variants that are caught.

    With --mutants the reference is broken at random: a comparison, a condition, a constant, a statement that is left out.
    A mutant is killed when a requirement is violated that is met without the change; a run that only breaks shows a user nothing.
    Changes that break no promise are listed with a reason in fixtures/mutants/lawful.yaml. Exit code 1: fewer than 90 % of the others
    were killed, one that breaks no promise was, or one survived that was killed before. The same seed draws the same mutants on every
    machine.

    Examples:

        fencepost prove

        fencepost prove --mutants 200 --seed 7

        fencepost prove --mutants 50 --only reference/kafka/coordinator.py --all

        fencepost prove --explore --spec core

        fencepost prove --twins --spec kip890

        fencepost prove --profile kip98 --spec core --spec kip890 --sample 40
        fencepost prove --museum

    With --explore each defect is explored until something is found, and each conforming variant to the end. Exit code 1: something was
    found in one that conforms.

    With --twins each field of each durable record is lost in turn when the record is read again, and scenarios are played with restarts
    until a twin differs. On what conforms twins with all disturbances are played, two of each scenario, or all with --all. Exit code 1:
    less than 95 % of the losses were noticed, or something was in what conforms.

    With --profile each defect is asked on a broker of that profile what it breaks, as far as the profile offers that. Exit code 1: all
    that was asked is met, and fixtures/missed.yaml has no reason why.

    With --museum each bug of fixtures/museum.yaml is caught if the requirements that its defects break are violated with their symptoms.
    Exit code 1: one was not caught.
    """
    from fencepost.contract.errors import WrongUsage
    from fencepost.proof import kill_matrix
    from fencepost.proof.mutants import mutant_report
    from fencepost.run.selection import proposals_named

    def act() -> int:
        if sample and profile is None and not explore:
            raise WrongUsage(f"--sample {sample} is about one profile or exploration; say --profile or --explore too")
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
                raise WrongUsage(f"{one} and --profile exclude each other: the second asks each defect what it breaks, and no more")
            return profile_proof.show(profile, proposals_named(spec), sample, 1 if seed is None else seed, workers, results)
        if museum:
            from fencepost.museum import proof as museum_proof

            asked: dict[str, object] = {"--spec": spec, "--all": everything, "--explore": explore, "--twins": twins, "--mutants": mutants}
            asked |= {"--seed": seed, "--only": only, "--write-killed": write_killed, "--examples": examples}
            if other := next((name for name, value in asked.items() if value not in (None, False, [])), None):
                raise WrongUsage(f"{other} and --museum exclude each other: the second plays the defects of real bugs, and nothing else")
            return museum_proof.show(workers, results)
        if twins:
            from fencepost.proof import twin_proof

            others = {"--explore": explore, "--mutants": mutants, "--only": only, "--write-killed": write_killed, "--examples": examples}
            if other := next((name for name, value in others.items() if value), None):
                raise WrongUsage(f"{other} and --twins exclude each other: the second loses fields of records, and nothing else")
            return twin_proof.show(tuple(spec or ()), 1 if seed is None else seed, everything, workers, results)
        if explore:
            from fencepost.proof import exploration_proof

            given = {"--mutants": mutants, "--only": only, "--write-killed": write_killed, "--all": everything}
            if other := next((name for name, value in given.items() if value), None):
                raise WrongUsage(f"{other} and --explore exclude each other: the second asks no scenario")
            return exploration_proof.show(tuple(spec or ()), examples or 2_000, 10, 1 if seed is None else seed, workers, results, sample)
        if examples:
            raise WrongUsage(f"--examples {examples} is about exploration; say --explore too")
        mutant_report.check(mutants, seed, only, write_killed, spec)
        if mutants is None:
            return kill_matrix.show(proposals_named(spec), everything, workers, results)
        return kill_matrix.show_mutants(mutants, 1 if seed is None else seed, only or (), everything, workers, results, write_killed)

    guarded(act)
