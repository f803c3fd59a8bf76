"""What several commands share: the options that name a system, and how what users can cause becomes a line and an exit code."""

import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, NoReturn, TypeVar

import typer

from fencepost import stopping
from fencepost.contract.errors import Exit

from .completing import complete_profile, complete_proposal, complete_system, complete_theme

T = TypeVar("T")
SYSTEM_HELP = "What is judged: reference (bundled, the default), kafka, pulsar, or a system that an installed package registers."

System = Annotated[str, typer.Argument(metavar="SYSTEM", help=SYSTEM_HELP, autocompletion=complete_system)]
Bootstrap = Annotated[
    str | None, typer.Option(metavar="HOST:PORT", help="A Kafka broker that listens there; several with commas: the first that answers.")
]
ClientProperties = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="How to reach a Kafka broker, as a Java client's properties file: TLS with PEM files, SASL."),
]
TlsCa = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="The authorities to trust over TLS, as PEM; or 'system', those of this machine, which is Pulsar's default. A Kafka broker is "
        "reached over TLS where this is said, a Pulsar broker by pulsar+ssl:// and https://.",
    ),
]
TlsCertificate = Annotated[str | None, typer.Option(metavar="FILE", help="The client's certificate as PEM, for mutual TLS.")]
TlsKey = Annotated[str | None, typer.Option(metavar="FILE", help="The key of that certificate as PEM.")]
Token = Annotated[
    str | None,
    typer.Option(
        metavar="SOURCE",
        help="Where the token is that logs in, on Kafka by OAUTHBEARER: file:PATH, env:VARIABLE or command:CMD, a program with arguments "
        "that prints it. It is read anew for each login.",
    ),
]
ServiceUrl = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="A Pulsar broker, such as pulsar://127.0.0.1:6650, or pulsar+ssl:// over TLS; several HOST:PORT with commas: the first that "
        "answers.",
    ),
]
AdminUrl = Annotated[
    str | None,
    typer.Option(metavar="URL", help="Its admin interface, such as http://127.0.0.1:8080, or https:// over TLS; several likewise."),
]
Container = Annotated[str | None, typer.Option(metavar="IMAGE", help="Start this image for the run, such as apache/kafka:4.3.1.")]
Broker = Annotated[
    str | None, typer.Option(metavar="NAME:VERSION", help="A release, such as kafka:4.1.1 or pulsar:4.0.7; short for --container.")
]
Launcher = Annotated[
    Path | None,
    typer.Option(metavar="FILE.yaml", help="Start a Kafka broker as processes, as this file says; docs/launchers.md has its keys."),
]
RestartCommand = Annotated[
    str | None,
    typer.Option(
        metavar="CMD",
        help="How a broker at an address is killed and started: a program with arguments, no shell. It is run twice for each crash: with "
        "FENCEPOST_FAULT=crash it kills the broker and leaves it down, with FENCEPOST_FAULT=start it starts it on the same disk; "
        "FENCEPOST_BROKER is its HOST:PORT. It has 60 s, and says with exit code 0 that it is done.",
    ),
]
Throwaway = Annotated[
    bool, typer.Option("--throwaway", help="Also ask what leaves transactions undecided for ever in a Kafka broker at an address.")
]
BrokerConfiguration = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=HOST:PORT",
        help="A Kafka broker beside the one at --bootstrap with settings of its own: unverified, expiring or authorizer, as "
        "`fencepost explain your-own-system` shows them. May be repeated.",
    ),
]
SetSystem = Annotated[
    list[str] | None, typer.Option(metavar="NAME=VALUE", help="Any other option of the system, such as its address. May be repeated.")
]
Profile = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The release profile; found out from the system unless given.", autocompletion=complete_profile),
]
Proposals = Annotated[
    list[str] | None,
    typer.Option(metavar="PROPOSAL", help="Only this proposal, such as kip890. May be repeated.", autocompletion=complete_proposal),
]
Themes = Annotated[
    list[str] | None,
    typer.Option(
        metavar="THEME",
        help="Only what carries this tag, in all proposals: commits, aborts, fencing, recovery or sealing; a list, or repeated.",
        autocompletion=complete_theme,
    ),
]
KnownAs = Annotated[
    str | None,
    typer.Option(
        metavar="SYSTEM:VERSION",
        help="The release that it is a build of, such as kafka:4.3.1: the bundled deviations of that release then hold.",
    ),
]


def need_system(command: str, system: str, *told: str | Path | None) -> None:
    """Refuse the options that name a broker where no system is named: bootstrap, service URL, admin URL, image, release and launcher."""
    names = ("--bootstrap", "--service-url", "--admin-url", "--container", "--broker", "--launcher")
    options = {name: None if value is None else str(value) for name, value in zip(names, told, strict=True)}
    option, value = next(((option, value) for option, value in options.items() if value), ("", ""))
    if option and system.lower() == "reference":
        meant = "pulsar" if "url" in option or "pulsar" in value else "kafka"
        fail(f"{option} {value}: whose broker is it? Say the system too: `fencepost {command} {meant} {option} {value}`")


def granted(restart_command: str | None, throwaway: bool, configurations: list[str] | None) -> dict[str, str | None]:
    """What the owner of a broker at an address lets be done to it, by the names of the options."""
    return {
        "restart-command": restart_command,
        "throwaway": "yes" if throwaway else None,
        "broker-configuration": ",".join(configurations) if configurations else None,
    }


def secured(
    client_properties: str | None, ca: str | None, certificate: str | None, key: str | None, token: str | None
) -> dict[str, str | None]:
    """How a broker is reached and logged in to, by the names of the options."""
    return {"client-properties": client_properties, "tls-ca": ca, "tls-certificate": certificate, "tls-key": key, "token": token}


def reached(
    bootstrap: str | None,
    service_url: str | None,
    admin_url: str | None,
    container: str | None,
    broker: str | None,
    launcher: Path | None,
) -> dict[str, str | None]:
    """Where a broker is, or how it is started, by the names of the options."""
    return {
        "bootstrap": bootstrap,
        "service-url": service_url,
        "admin-url": admin_url,
        "container": image_named(container, broker),
        "launcher": None if launcher is None else str(launcher),
    }


def image_named(container: str | None, broker: str | None) -> str | None:
    if broker is None:
        return container
    if container is not None:
        fail("--broker and --container exclude each other: both name the image to start")
    from fencepost.adapters.images import image_of

    return guarded_value(lambda: image_of(broker))


def guarded(act: Callable[[], int], stopped: Exit = Exit.NOT_FINISHED) -> NoReturn:
    """Run a command, and turn what users can cause into a line and an exit code; `stopped` is that of a signal."""
    raise typer.Exit(guarded_value(act, stopped))


def guarded_value(act: Callable[[], T], stopped: Exit = Exit.NOT_FINISHED) -> T:
    from fencepost.contract.datafile import DataFileError
    from fencepost.contract.errors import Malformed, SystemUnreachable, WrongUsage

    try:
        with stopping.raising():
            return act()
    except (WrongUsage, SystemUnreachable, Malformed) as error:
        fail(str(error))
    except DataFileError as error:
        fail(str(error), Exit.KIT_FAILED)
    except KeyboardInterrupt as signalled:  # Spark takes SIGINT for itself, and raises it without a reason
        fail(f"stopped before it was finished ({str(signalled) or 'SIGINT'})", stopped)
    except typer.Exit:
        raise
    except BrokenPipeError:  # who read our output has gone, such as `head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # so that Python's own flush at the end says nothing
        raise typer.Exit(stopped) from None
    except Exception:  # a defect of ours must not look like a verdict, which Python's own exit code 1 would
        traceback.print_exc()
        fail("the kit itself failed, as the lines above say; this says nothing about the system. Please report it", Exit.KIT_FAILED)


def fail(why: str, code: Exit = Exit.USAGE) -> NoReturn:
    tell(why)
    raise typer.Exit(code)


def tell(why: str) -> None:
    """Every message about a command that could not do its work is printed here."""
    print(f"fencepost: {why}", file=sys.stderr)
