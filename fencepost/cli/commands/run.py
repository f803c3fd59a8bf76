"""`fencepost run`."""

from pathlib import Path
from typing import Annotated

import typer

from fencepost.cli.completion import complete_level, complete_requirement
from fencepost.cli.exit_codes import fail, guarded, guarded_value
from fencepost.cli.selection_options import Proposals, Themes
from fencepost.cli.system_options import Defect, JudgedOptions, Patience, takes_a_system


@takes_a_system
def run(
    judged: JudgedOptions,
    spec: Proposals = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID",
            help="Only this requirement, such as KIP890-060; several with commas, or a pattern such as 'KIP890-06*'. May be repeated.",
            autocompletion=complete_requirement,
        ),
    ] = None,
    skip: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="Not this requirement; written as with --only.", autocompletion=complete_requirement),
    ] = None,
    level: Annotated[
        list[str] | None,
        typer.Option(metavar="LEVEL", help="Only MUST, SHOULD or MAY; a list, or repeated.", autocompletion=complete_level),
    ] = None,
    theme: Themes = None,
    expectations: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="Your own known deviations, in addition to the bundled ones. The word 'none' leaves the bundled ones out, alone or with a "
            "FILE; 'bundled' is the default. May be repeated.",
        ),
    ] = None,
    write_baseline: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the violations of this run, with their symptoms, to a file for --expectations."),
    ] = None,
    verify_expectations: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Run the scenarios of intermittent known deviations N times, and print how often each was seen. Nothing is written.",
        ),
    ] = None,
    verify_all: Annotated[
        bool, typer.Option("--verify-all", help="With --verify-expectations: run every known deviation, not only the intermittent ones.")
    ] = False,
    feature: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Only this feature file, such as `fencepost explore` makes. May be repeated."),
    ] = None,
    features: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The feature files of this folder too, in addition to the bundled ones.")
    ] = None,
    smoke: Annotated[bool, typer.Option("--smoke", help="Only the thirty requirements that show most in the least time.")] = False,
    plan: Annotated[
        bool, typer.Option("--plan", help="Only show what the run would do and how long it would take, and start nothing.")
    ] = False,
    form: Annotated[str, typer.Option("--format", metavar="FORM", help="How the plan is shown: table or json.")] = "table",
    results: Annotated[Path | None, typer.Option(metavar="DIR", help="Where the results go. Default: results/SYSTEM.")] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "-n",
            metavar="N",
            min=1,
            help="How many worker processes run, each with separate brokers and one scenario at a time. Default: 1.",
        ),
    ] = None,
    concurrency: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="How many scenarios run at once, on all brokers together. A scenario that disturbs others runs alone, or together "
            "with others that need the same crash. Default: 8 on a broker, 1 on the reference.",
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="What the system is called in every file and report. Default: SYSTEM.")
    ] = None,
    version: Annotated[
        str | None, typer.Option(metavar="VERSION", help="The system's version in every file and report. Default: what the system reports.")
    ] = None,
    label: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="A label in every file and report, such as commit=1a2b3c. May be repeated."),
    ] = None,
    patience: Patience = 20.0,
    metadata: Annotated[
        str | None,
        typer.Option(
            metavar="STORE",
            help="Where the reference keeps metadata-driven transactions: memory, oxia (starts one in a container) or oxia://HOST:PORT.",
        ),
    ] = None,
    writers: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="How writers of the core identify themselves to the reference of Pulsar: by a name, or by a name and a transaction key, "
            "which fences: name or key.",
        ),
    ] = None,
    defect: Defect = None,
    timeout: Annotated[
        str | None, typer.Option(metavar="TIME", help="Stop the run after this time: 600 or 600s for seconds, 10m, 8h.")
    ] = None,
    max_failures: Annotated[int | None, typer.Option(metavar="N", min=1, help="Stop the run when N scenarios are red.")] = None,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            metavar="VERDICT",
            help="Which verdicts cause exit code 1 besides violated, which always does: inconclusive, blocked, known-deviation, "
            "not-offered, or several with commas. May be repeated. Default: violated,inconclusive.",
        ),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Requirements that are not offered, inconclusive or blocked cause exit code 1 too.")
    ] = False,
    max_not_offered: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="Exit code 1 if more than N requirements are not offered.")
    ] = None,
    parity: Annotated[
        bool | None,
        typer.Option(
            help="Let violations of requirements that only one implementation has (source: implementation) cause exit code 1. Default: on "
            "for the reference and for builds of a release; --strict turns it on.",
        ),
    ] = None,
    edition: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Which requirements count: those of an edition, such as 2026.12, or all with 'next'. Default: the newest. "
            "Requirements outside it are provisional: judged and shown, without effect on the exit code.",
        ),
    ] = None,
    shuffle: Annotated[
        int | None,
        typer.Option(
            metavar="SEED",
            help="Run the scenarios in a random order with this seed; no verdict may depend on the order. Those on one broker stay "
            "together.",
        ),
    ] = None,
    twins: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Play each scenario again with this disturbance, which no client may notice: one name, such as crash, several with "
            "commas, or 'all'. May be repeated; docs/twins.md has the names.",
        ),
    ] = None,
    twins_seed: Annotated[
        int | None, typer.Option(metavar="S", help="The number from which twins are drawn; the same seed draws the same ones. Default: 1.")
    ] = None,
    twins_per_scenario: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="How many twins each scenario has. Default: all on the reference, 3 on a broker."),
    ] = None,
    html: Annotated[bool, typer.Option(help="Make the Allure HTML report, if Allure is installed.")] = True,
    check: Annotated[
        bool,
        typer.Option(
            "--check", help="Judge the histories afterwards: search them for every known anomaly. Needs Java and fencepost[check]."
        ),
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show every scenario as it ends, and the slowest at the end.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Plain lines also on a terminal: one for each feature, and reds.")] = False,
    summary: Annotated[
        str | None, typer.Option(metavar="FILE.md", help='Append a summary of the run, such as to "$GITHUB_STEP_SUMMARY".')
    ] = None,
    previous: Annotated[
        str | None,
        typer.Option(
            metavar="RESULTS",
            help="The results of an earlier run: the summary shows what changed since then, and --plan bases its estimate on it.",
        ),
    ] = None,
) -> None:
    """Judge a system: run the scenarios of the requirements on it, and show which requirements it meets.

    Examples:

        fencepost run

        fencepost run kafka --container apache/kafka:4.3.1 --results results/k431

        fencepost run kafka --bootstrap 127.0.0.1:9092 --only 'KIP890-06*,KIP890-160' --skip KIP890-064

        fencepost run kafka --bootstrap 127.0.0.1:9092 --write-baseline known.yaml

        fencepost run kafka --bootstrap 127.0.0.1:9092 --expectations known.yaml

        fencepost run pulsar --container apachepulsar/pulsar:4.0.7 --verify-expectations 10

        fencepost run pulsar --container apachepulsar/pulsar:4.0.7

        fencepost run pulsar --service-url pulsar://127.0.0.1:6650 --admin-url http://127.0.0.1:8080

        fencepost run kafka --container corp/broker:pr-1234 --name corp-broker --version 2.7 --label commit=1a2b3c

        fencepost run kafka --container corp/kafka:4.3.1 --known-as kafka:4.3.1

        fencepost run --theme sealing

        fencepost run kafka --container apache/kafka:4.3.1 --plan

        fencepost run kafka --container apache/kafka:4.3.1 --smoke

        fencepost run kafka --launcher examples/launchers/kafka-jars.yaml

        fencepost run kafka --bootstrap 127.0.0.1:9092 --restart-command ./kill-or-start.sh --throwaway

        fencepost run kafka --bootstrap 127.0.0.1:9092 --broker-configuration unverified=127.0.0.1:9093

        fencepost run --defect no-epoch-bump

        fencepost run --feature results/explore/reference/found/CORE-31-kafka-1.feature

        fencepost run --twins all --spec kip890

        fencepost run kafka --container apache/kafka:4.4.0 --twins crash,clean-stop --twins-seed 7

        fencepost run --check

        fencepost run kafka --bootstrap 127.0.0.1:9092 --timeout 20m --strict

    Ctrl-C, SIGTERM, --timeout and --max-failures stop a run: the verdicts until then are kept, and the exit code is 4, also if a
    requirement was red. A second Ctrl-C leaves the Allure report out.
    """
    from fencepost.adapters import registry

    if feature and (only or features):
        fail(f"--feature and {'--only' if only else '--features'} exclude each other: a file that is named is played alone and in full")
    if verbose and quiet:
        fail("-v and -q exclude each other: the first shows more of a run, the second less")
    if form != "table" and not plan:
        fail(f"--format {form} is that of a plan: use --plan too, or leave it out")
    if judged.restart_command and workers and workers > 1:
        fail(f"--restart-command and -n {workers} exclude each other: each worker would kill the broker that the others ask")
    judged.need("run")
    system = registry.named(judged.system)
    guarded_value(lambda: _check_names(system, edition, spec, only, level, skip, theme))
    if verify_expectations is None and verify_all:
        fail("--verify-all needs --verify-expectations N, which says how often")
    if verify_expectations is not None and (results or write_baseline or check or (workers or 1) > 1):
        fail("--verify-expectations writes nothing, and has one worker: leave out --results, --write-baseline, --check and -n")
    folder = results or Path("results") / system
    given = {
        "--profile": judged.profile,
        "--name": name,
        "--system-version": version,
        "--known-as": judged.known_as,
        "--metadata": metadata,
        "--writers": writers,
        "--defect": defect,
        "--patience": patience,
        "--write-baseline": write_baseline,
        "--max-not-offered": max_not_offered,
        "--edition": edition,
        "--shuffle": shuffle,
        "--concurrency": concurrency,
        "--summary": summary,
        "--previous": previous,
    }
    given |= {f"--{name}": value for name, value in judged.values().items()}
    arguments = [f"--system={system}", f"--results={folder}", *(f"{name}={value}" for name, value in given.items() if value is not None)]
    arguments += [*([] if html else ["--no-html"]), *(["--check"] if check else []), *(["--strict-verdicts"] if strict else [])]
    arguments += ["--smoke"] if smoke else []
    arguments += [] if parity is None else ["--parity" if parity else "--no-parity"]
    lists = {
        "--set-system": judged.set_system,
        "--spec": spec,
        "--only": only,
        "--skip": skip,
        "--level": level,
        "--expectations": expectations,
    }
    lists |= {"--theme": theme, "--fail-on": fail_on, "--label": label}
    for name, values in lists.items():
        arguments += [f"{name}={value}" for value in values or ()]
    if plan:
        planless = {"--twins": twins, "--feature": feature, "--features": features, "--verify-expectations": verify_expectations}
        if unplanned := next((name for name, value in planless.items() if value is not None), None):
            fail(f"--plan and {unplanned} exclude each other: a plan is of the bundled scenarios, each played once")
        from fencepost.contract import register
        from fencepost.run import plan as planning
        from fencepost.run import pytest_session

        guarded(lambda: planning.show(pytest_session.options_of(arguments), register.bundled(), workers, form))

    if twins is not None:
        from fencepost.twins import twin_run

        others: dict[str, object] = {
            "--write-baseline": write_baseline,
            "--verify-expectations": verify_expectations,
            "--features": features,
            "--check": check,
            "--summary": summary,
            "--previous": previous,
            "--shuffle": shuffle,
            "-n": workers,
        }
        about = [one for one in arguments if results or not one.startswith("--results=")]
        guarded(lambda: twin_run.run_with(about, twins, twins_seed, twins_per_scenario, timeout, max_failures, others, feature or ()))
    elif twins_seed is not None or twins_per_scenario is not None:
        fail(f"--twins-{'per-scenario' if twins_seed is None else 'seed'} is about twins; use --twins NAME too, or leave it out")

    def judge() -> int:
        from fencepost.console.run_reporter import Loudness
        from fencepost.run import pytest_session, user_features
        from fencepost.run.interruption import Stopping

        loudness = Loudness.VERBOSE if verbose else Loudness.QUIET if quiet else Loudness.NORMAL
        own = [user_features.read(file) for file in (*(feature or ()), *(user_features.files_of(features) if features else ()))]
        about = [f"--only={identifier}" for one in own if feature for identifier in one.requirements]
        with user_features.modules_of(own) as modules:
            more = [*([pytest_session.BUNDLED] if not feature else []), *modules]
            return pytest_session.run([*arguments, *about], workers or 1, Stopping(timeout, max_failures), loudness, more)

    def measure() -> int:
        from fencepost.deviations import verification
        from fencepost.run.interruption import Stopping

        nowhere = [argument for argument in arguments if not argument.startswith("--results=")]
        return verification.run(nowhere, verify_expectations or 1, verify_all, Stopping(timeout, max_failures))

    guarded(judge if verify_expectations is None else measure)


def _check_names(system: str, edition: str | None, *said: list[str] | None) -> None:
    """Raises WrongUsage for an unknown system, edition or selection, before anything heavy is loaded."""
    from fencepost.adapters import registry
    from fencepost.contract import editions, register
    from fencepost.run.selection import Selection

    registry.find(system)
    editions.bundled().counting(edition)
    Selection.said(*(names or () for names in said)).check(register.bundled())
