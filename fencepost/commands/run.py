"""`fencepost run`."""

from pathlib import Path
from typing import Annotated

import typer

from .common import AdminUrl, Bootstrap, Broker, Container, Profile, ServiceUrl, SetSystem, System, guarded, image_named


def run(
    system: System = "reference",
    bootstrap: Bootstrap = None,
    service_url: ServiceUrl = None,
    admin_url: AdminUrl = None,
    container: Container = None,
    broker: Broker = None,
    set_system: SetSystem = None,
    spec: Annotated[
        list[str] | None, typer.Option(metavar="PROPOSAL", help="Only this proposal, such as kip890; a list, or repeated.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Only this requirement: KIP890-060, A,B or 'KIP890-06*'. May be repeated.")
    ] = None,
    skip: Annotated[list[str] | None, typer.Option(metavar="ID", help="Not this requirement; said as with --only.")] = None,
    level: Annotated[list[str] | None, typer.Option(metavar="LEVEL", help="Only MUST, SHOULD or MAY; a list, or repeated.")] = None,
    expectations: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="Known deviations of your own, beside the bundled ones. The word 'none' leaves the bundled ones out, alone or beside a "
            "FILE; 'bundled' is the default. May be repeated.",
        ),
    ] = None,
    write_baseline: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Make a file for --expectations of all that is violated in this run, with its symptoms."),
    ] = None,
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

        fencepost run kafka --bootstrap 127.0.0.1:9092 --only 'KIP890-06*,KIP890-160' --skip KIP890-064

        fencepost run kafka --bootstrap 127.0.0.1:9092 --write-baseline known.yaml

        fencepost run kafka --bootstrap 127.0.0.1:9092 --expectations known.yaml

        fencepost run pulsar --container apachepulsar/pulsar:4.0.7

        fencepost run pulsar --service-url pulsar://127.0.0.1:6650 --admin-url http://127.0.0.1:8080

        fencepost run --defect no-epoch-bump

        fencepost run --check
    """
    from fencepost import suite
    from fencepost.adapters import registry

    system = registry.named(system)
    folder = results or Path("results") / system
    given = {
        "--bootstrap": bootstrap,
        "--service-url": service_url,
        "--admin-url": admin_url,
        "--container": image_named(container, broker),
        "--profile": profile,
        "--defect": defect,
        "--patience": patience,
        "--write-baseline": write_baseline,
    }
    arguments = [f"--system={system}", f"--results={folder}", *(f"{name}={value}" for name, value in given.items() if value is not None)]
    arguments += [*([] if html else ["--no-html"]), *(["--check"] if check else [])]
    lists = {"--set-system": set_system, "--spec": spec, "--only": only, "--skip": skip, "--level": level, "--expectations": expectations}
    arguments += [f"{name}={value}" for name, values in lists.items() for value in values or ()]
    guarded(lambda: suite.run(arguments, workers))
