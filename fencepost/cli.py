"""The command line. Nothing heavy is imported before a command needs it, so that `--help` is at hand at once.

Exit codes: 0 conforms, 1 does not, 2 wrong usage or unreachable system, 3 the kit itself failed.
"""

import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, NoReturn, TypeVar

import typer

from fencepost.contract.errors import Exit

T = TypeVar("T")
SYSTEM_HELP = "What is judged: reference (bundled, the default), kafka, pulsar, or a system that an installed package registers."
app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
    help="""Judge a streaming system by the transaction proposals that it claims to follow.

    The requirements of a proposal are Gherkin scenarios. They run against the bundled reference implementation,
    or against a broker that you name, and every requirement gets a verdict with its evidence.

    **Begin with**  `fencepost run`, then `fencepost doctor kafka --bootstrap HOST:PORT` and
    `fencepost run kafka --bootstrap HOST:PORT`.

    Exit codes: 0 conforms, 1 does not, 2 wrong usage or unreachable system, 3 the kit itself failed.""",
)


System = Annotated[str, typer.Argument(metavar="SYSTEM", help=SYSTEM_HELP)]
Bootstrap = Annotated[str | None, typer.Option(metavar="HOST:PORT", help="A Kafka broker that listens there.")]
ServiceUrl = Annotated[str | None, typer.Option(metavar="URL", help="A Pulsar broker, such as pulsar://127.0.0.1:6650.")]
AdminUrl = Annotated[str | None, typer.Option(metavar="URL", help="Its admin interface, such as http://127.0.0.1:8080.")]
Container = Annotated[str | None, typer.Option(metavar="IMAGE", help="Start this image for the run, such as apache/kafka:4.3.1.")]
Broker = Annotated[
    str | None, typer.Option(metavar="NAME:VERSION", help="A release, such as kafka:4.1.1 or pulsar:4.0.7; short for --container.")
]
SetSystem = Annotated[
    list[str] | None, typer.Option(metavar="NAME=VALUE", help="Any other option of the system, such as its address. May be repeated.")
]
Profile = Annotated[str | None, typer.Option(metavar="NAME", help="The release profile; found out from the system unless given.")]


@app.command()
def run(
    system: System = "reference",
    bootstrap: Bootstrap = None,
    service_url: ServiceUrl = None,
    admin_url: AdminUrl = None,
    container: Container = None,
    broker: Broker = None,
    set_system: SetSystem = None,
    spec: Annotated[list[str] | None, typer.Option(metavar="PROPOSAL", help="Only this proposal, such as kip890. May be repeated.")] = None,
    only: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Only this requirement, such as KIP890-060. May be repeated.")
    ] = None,
    level: Annotated[list[str] | None, typer.Option(metavar="LEVEL", help="Only MUST, SHOULD or MAY. May be repeated.")] = None,
    results: Annotated[Path | None, typer.Option(metavar="DIR", help="Where the results go. Default: results/SYSTEM.")] = None,
    workers: Annotated[int, typer.Option("-n", metavar="N", min=1, help="Worker processes, each with a broker of its own.")] = 1,
    profile: Profile = None,
    patience: Annotated[float, typer.Option(metavar="S", min=0.1, help="How long to wait for what must come.")] = 20.0,
    defect: Annotated[str | None, typer.Option(metavar="NAME", help="Break the reference in this way, to see the suite find it.")] = None,
    html: Annotated[bool, typer.Option(help="Make the Allure HTML report, where Allure is found.")] = True,
    check: Annotated[
        bool,
        typer.Option("--check", help="Judge the histories afterwards, for every anomaly that is known. Needs Java and fencepost[check]."),
    ] = False,
) -> None:
    """Put the requirements to a system, and say which it meets.

    Examples:

        fencepost run

        fencepost run kafka --container apache/kafka:4.3.1 --results results/k431

        fencepost run kafka --bootstrap 127.0.0.1:9092 --only KIP890-060 --only KIP890-160

        fencepost run pulsar --container apachepulsar/pulsar:4.0.7

        fencepost run pulsar --service-url pulsar://127.0.0.1:6650 --admin-url http://127.0.0.1:8080

        fencepost run --defect no-epoch-bump

        fencepost run --check
    """
    from . import suite

    folder = results or Path("results") / system
    given = {
        "--bootstrap": bootstrap,
        "--service-url": service_url,
        "--admin-url": admin_url,
        "--container": _image(container, broker),
        "--profile": profile,
        "--defect": defect,
        "--patience": patience,
    }
    arguments = [f"--system={system}", f"--results={folder}", *(f"{name}={value}" for name, value in given.items() if value is not None)]
    arguments += [*([] if html else ["--no-html"]), *(["--check"] if check else [])]
    for name, values in (("--set-system", set_system), ("--spec", spec), ("--only", only), ("--level", level)):
        arguments += [f"{name}={value}" for value in values or ()]
    _guarded(lambda: suite.run(arguments, workers))


@app.command("list")
def list_(
    spec: Annotated[list[str] | None, typer.Option(metavar="PROPOSAL", help="Only this proposal. May be repeated.")] = None,
    form: Annotated[str, typer.Option("--format", metavar="FORM", help="table, json or markdown.")] = "table",
) -> None:
    """Show the register: every requirement, and whether it is tested."""
    from . import catalogue

    _guarded(lambda: catalogue.show_list(spec or [], form))


@app.command()
def explain(
    requirement: Annotated[str, typer.Argument(metavar="ID", help="A requirement, such as KIP890-060.")],
    form: Annotated[str, typer.Option("--format", metavar="FORM", help="table or json.")] = "table",
) -> None:
    """Show a requirement, and with file and line all that stands for it.

    What it says, where that is from, and where to look when it fails; then its Rule, its scenarios and the sentences that they use,
    the branches of the reference that decide it, the defects that break it, and the releases that are known to deviate.
    """
    from . import explaining

    _guarded(lambda: explaining.show_requirement(requirement, form))


@app.command()
def sentences(
    spec: Annotated[list[str] | None, typer.Option(metavar="PROPOSAL", help="Only what this proposal speaks. May be repeated.")] = None,
    form: Annotated[str, typer.Option("--format", metavar="FORM", help="table, json or markdown.")] = "table",
) -> None:
    """Show what a scenario can say: every sentence, what it means, and how often it is used.

    In a sentence, `{writer}` stands for a value, and a part in `[...]` may be left out. As a Given an act has happened, as a When it
    is asked. A scenario has some Given, one When, and Then what is observed:

        Given a writer A

        And the system crashes right after its answer to the next commit of A

        When A commits "a1" to orders

        Then readers of orders see "a1"

    Examples:

        fencepost sentences --spec core

        fencepost sentences --format json
    """
    from . import sentences as phrases

    _guarded(lambda: phrases.show(spec or [], form))


@app.command()
def check(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH...", help="Histories, or folders with histories: JSON lines, Parquet, Jepsen EDN.")
    ],
    results: Annotated[Path, typer.Option(metavar="DIR", help="Where the verdict, the witnesses and the page go.")] = Path("results/check"),
    form: Annotated[str, typer.Option("--format", metavar="FORM", help="table or json.")] = "table",
    anomaly: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this anomaly. May be repeated.")] = None,
    most: Annotated[int, typer.Option("--max-witnesses", metavar="N", min=1, help="How many of an anomaly are kept for a run.")] = 100,
    infer_ww: Annotated[bool, typer.Option("--infer-ww", help="For cycles, infer who wrote before whom from the order of a log.")] = False,
    infer_rw: Annotated[bool, typer.Option("--infer-rw", help="For cycles, infer who read before whom wrote.")] = False,
    master: Annotated[str, typer.Option(metavar="URL", help="The Spark master: local[*], spark://HOST:PORT, k8s://...")] = "local[*]",
    memory: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Memory of the driver, such as 2g; chosen by the input unless given.")
    ] = None,
) -> None:
    """Judge histories for every anomaly that is known, whatever a scenario asked. Needs Java, and pip install 'fencepost[check]'.

    Examples:

        fencepost check results/reference

        fencepost check store/redpanda/latest/history.edn --infer-ww --format json
    """
    from fencepost.pipeline import command

    options = command.Options(tuple(paths), results, master, memory, tuple(anomaly or ()), most, form, infer_ww, infer_rw)
    _guarded(lambda: command.run(options))


@app.command()
def report(
    results: Annotated[
        list[str], typer.Argument(metavar="RESULTS", help="Results folders of runs, folders of them at any depth, or patterns.")
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the report goes.")] = Path("results/report"),
    form: Annotated[str, typer.Option("--format", metavar="FORM", help="table or json.")] = "table",
    columns: Annotated[int, typer.Option(metavar="N", min=1, help="How many systems and versions the page shows in full.")] = 24,
    master: Annotated[str, typer.Option(metavar="URL", help="The Spark master: local[*], spark://HOST:PORT, k8s://...")] = "local[*]",
    memory: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Memory of the driver, such as 2g; chosen by the input unless given.")
    ] = None,
) -> None:
    """Make one report of the results of many runs: compliance matrix, trends, badges. Needs Java, and pip install 'fencepost[check]'.

    Of each requirement the latest run that judged it counts. Written are index.html, compliance.md, report.json, badges/
    with an SVG for each system and version, and as Parquet table/ (requirement by system, version and run) and latest/.
    What cannot be read is named and left out. Exit code 0 says that the report was made, whatever stands in it.

    Examples:

        fencepost report results

        fencepost report 'nightly/*/kafka-*' --out public/compliance

        fencepost report results --format json
    """
    from fencepost.report.compliance import command

    _guarded(lambda: command.run(command.Options(tuple(results), out, form, columns, master, memory)))


@app.command()
def prove(
    spec: Annotated[list[str] | None, typer.Option(metavar="PROPOSAL", help="Only this proposal. May be repeated.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Run every scenario on every defect, not only those of its feature.")] = False,
    results: Annotated[Path, typer.Option(metavar="DIR", help="Where prove.json and prove.html go.")] = Path("results/prove"),
    workers: Annotated[int, typer.Option("-n", metavar="N", min=1, help="How many runs at a time.")] = 2,
) -> None:
    """Run the suite on broken references: show that every check can fail, and that nothing lawful does.

    Prints the kill matrix. Exit code 1 names the holes: requirements that no defect turns red for its stated reason, and
    lawful variants that are caught.
    """
    from . import kill_matrix

    _guarded(lambda: kill_matrix.show(spec or [], everything, workers, results))


@app.command()
def compare(
    left: Annotated[Path, typer.Argument(metavar="LEFT", help="The results of a run, such as of the reference with --profile kafka-4.0.")],
    right: Annotated[Path, typer.Argument(metavar="RIGHT", help="The results of another, such as of that release.")],
) -> None:
    """Compare what two systems answered, request by request: is the reference like the release that it imitates?

    Exit code 1 names the differences that nothing explains.

        fencepost run --profile kafka-4.0 --results results/ours

        fencepost run kafka --container apache/kafka:4.0.0 --results results/theirs

        fencepost compare results/ours results/theirs
    """
    from . import compare as comparison

    _guarded(lambda: comparison.show(left, right))


@app.command()
def doctor(
    system: System = "reference",
    bootstrap: Bootstrap = None,
    service_url: ServiceUrl = None,
    admin_url: AdminUrl = None,
    container: Container = None,
    broker: Broker = None,
    set_system: SetSystem = None,
    profile: Profile = None,
) -> None:
    """Ask a system what it is and what it offers, before judging it.

    Shows the APIs with their versions, the finalized features, the profile, the clock and the capabilities, and which
    scenarios will not be offered and why.
    """
    from fencepost.contract.registration import Asked

    from . import checkup
    from .options import Options, given

    own = {"bootstrap": bootstrap, "service-url": service_url, "admin-url": admin_url, "container": _image(container, broker)}

    def show() -> int:
        return checkup.show(Options(system, Asked(given(own, set_system or ()), profile)))

    _guarded(show)


@app.command()
def serve(
    system: Annotated[str, typer.Argument(metavar="PROTOCOL", help="Whose protocol the reference serves: kafka or pulsar.")],
    port: Annotated[
        int | None, typer.Option(metavar="N", min=0, max=65535, help="The port on 127.0.0.1; 0 takes a free one. [default: 9092 or 6650]")
    ] = None,
    admin_port: Annotated[
        int | None, typer.Option(metavar="N", min=0, max=65535, help="Pulsar: the port of the admin calls. [default: 8080]")
    ] = None,
    profile: Annotated[str, typer.Option(metavar="NAME", help="The release profile.")] = "seed",
    properties: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A setting by Kafka's name for it. May be repeated.")
    ] = None,
) -> None:
    """Serve the bundled reference on loopback, in real time, to any client of the protocol.

    Examples:

        fencepost serve kafka --port 9092 --profile kafka-4.3

        fencepost serve pulsar --port 6650 --admin-port 8080
    """
    from . import serving

    _guarded(lambda: serving.serve(system, {"port": port, "admin-port": admin_port}, profile, properties or []))


def main() -> None:
    """The `fencepost` command."""
    signal.signal(signal.SIGTERM, _ended)  # a polite kill gives back containers as Ctrl-C does
    app()


def _image(container: str | None, broker: str | None) -> str | None:
    if broker is None:
        return container
    if container is not None:
        _fail("--broker and --container exclude each other: both name the image to start")
    from fencepost.adapters.images import image_of

    return _guarded_value(lambda: image_of(broker))


def _guarded(act: Callable[[], int]) -> NoReturn:
    """Run a command, and turn what users can cause into a line and an exit code."""
    raise typer.Exit(_guarded_value(act))


def _guarded_value(act: Callable[[], T]) -> T:
    from fencepost.contract.datafile import DataFileError
    from fencepost.contract.errors import Malformed, SystemUnreachable, WrongUsage

    try:
        return act()
    except (WrongUsage, SystemUnreachable, Malformed) as error:
        _fail(str(error))
    except DataFileError as error:
        _fail(str(error), Exit.KIT_FAILED)


def _fail(why: str, code: Exit = Exit.USAGE) -> NoReturn:
    print(f"fencepost: {why}", file=sys.stderr)
    raise typer.Exit(code)


def _ended(*_: object) -> NoReturn:
    raise KeyboardInterrupt


if __name__ == "__main__":
    main()
