"""The options that name a system, how it is reached, and what may be done to it: declared once for all commands.

A command takes them as one value: `@takes_a_system` shows each field of it as an option.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from .completion import complete_defect, complete_profile, complete_system
from .exit_codes import fail, guarded_value

if TYPE_CHECKING:
    from fencepost.run.options import RunOptions

_SYSTEM = "What is judged: reference (bundled, the default), kafka, pulsar, or a system that an installed package registers."
Patience = Annotated[
    float,
    typer.Option(
        metavar="S",
        min=0.1,
        max=3600,
        help="Seconds to wait for an expected result; also for each answer, but at most 30 for one answer. Below 20, what does not arrive "
        "makes a scenario inconclusive instead of violated.",
    ),
]
Defect = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Judge the reference with this defect, such as no-epoch-bump, to see how the suite finds it.",
        autocompletion=complete_defect,
    ),
]


@dataclass(frozen=True)
class SystemOptions:
    """A system as a user names it; each field is an option."""

    system: Annotated[str, typer.Argument(metavar="SYSTEM", help=_SYSTEM, autocompletion=complete_system)] = "reference"
    bootstrap: Annotated[
        str | None,
        typer.Option(metavar="HOST:PORT", help="A Kafka broker that listens there; several with commas: the first that answers."),
    ] = None
    service_url: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="A Pulsar broker, such as pulsar://127.0.0.1:6650, or pulsar+ssl:// over TLS; several HOST:PORT with commas: the first "
            "that answers.",
        ),
    ] = None
    admin_url: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Its admin interface, such as http://127.0.0.1:8080, or https:// over TLS; several likewise."),
    ] = None
    client_properties: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="How to reach a Kafka broker, as a Java client's properties file: TLS with PEM files, SASL."),
    ] = None
    tls_ca: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="The CA certificates to trust, as PEM, or 'system': those of this machine, which is Pulsar's default. On Kafka this "
            "option turns TLS on; on Pulsar the URLs do, pulsar+ssl:// and https://.",
        ),
    ] = None
    tls_certificate: Annotated[str | None, typer.Option(metavar="FILE", help="The client's certificate as PEM, for mutual TLS.")] = None
    tls_key: Annotated[str | None, typer.Option(metavar="FILE", help="The key of that certificate as PEM.")] = None
    token: Annotated[
        str | None,
        typer.Option(
            metavar="SOURCE",
            help="Where to read the login token (on Kafka: OAUTHBEARER): file:PATH, env:VARIABLE, or command:CMD, a program with arguments "
            "that prints it. Each login reads it again.",
        ),
    ] = None
    container: Annotated[str | None, typer.Option(metavar="IMAGE", help="Start this image for the run, such as apache/kafka:4.3.1.")] = None
    broker: Annotated[
        str | None, typer.Option(metavar="NAME:VERSION", help="A release, such as kafka:4.1.1 or pulsar:4.0.7; short for --container.")
    ] = None
    launcher: Annotated[
        Path | None,
        typer.Option(metavar="FILE.yaml", help="Start a Kafka broker as processes, as this file says; docs/launchers.md has its keys."),
    ] = None
    restart_command: Annotated[
        str | None,
        typer.Option(
            metavar="CMD",
            help="A program, with arguments and without a shell, that kills and restarts the broker at FENCEPOST_BROKER, its HOST:PORT. "
            "FENCEPOST_FAULT=crash: kill the broker and leave it down; FENCEPOST_FAULT=start: start it on the same disk. The program has "
            "to exit with 0 within 60 s.",
        ),
    ] = None
    set_system: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="Any other option of the system, such as its address. May be repeated.")
    ] = None
    profile: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The release profile. Default: that of the system's version.", autocompletion=complete_profile),
    ] = None

    def need(self, command: str) -> None:
        """Refuse options that name a broker if no system is named."""
        options = {
            "--bootstrap": self.bootstrap,
            "--service-url": self.service_url,
            "--admin-url": self.admin_url,
            "--container": self.container,
            "--broker": self.broker,
            "--launcher": None if self.launcher is None else str(self.launcher),
        }
        option, value = next(((option, value) for option, value in options.items() if value), ("", ""))
        if option and self.system.lower() == "reference":
            meant = "pulsar" if "url" in option or "pulsar" in value else "kafka"
            fail(f"{option} {value}: whose broker is it? Name the system too: `fencepost {command} {meant} {option} {value}`")

    def values(self) -> dict[str, str | None]:
        """The settings of the system itself, by the names that its adapter knows; None for those not given."""
        return {
            "bootstrap": self.bootstrap,
            "service-url": self.service_url,
            "admin-url": self.admin_url,
            "container": self._image(),
            "launcher": None if self.launcher is None else str(self.launcher),
            "restart-command": self.restart_command,
            "client-properties": self.client_properties,
            "tls-ca": self.tls_ca,
            "tls-certificate": self.tls_certificate,
            "tls-key": self.tls_key,
            "token": self.token,
        }

    def _image(self) -> str | None:
        if self.broker is None:
            return self.container
        if self.container is not None:
            fail("--broker and --container exclude each other: both name the image to start")
        from fencepost.adapters.images import image_of

        broker = self.broker
        return guarded_value(lambda: image_of(broker))


@dataclass(frozen=True)
class PlayedOptions(SystemOptions):
    """The same for a command that plays on the system what is not a scenario."""

    patience: Patience = 20.0
    defect: Defect = None

    def options(self, results: Path | None) -> "RunOptions":
        """The options of a run on the system with this results folder. Raises WrongUsage and UnknownName."""
        from fencepost.adapters import registry
        from fencepost.contract.registration import SpecifiedSystem
        from fencepost.run.options import RunOptions, given

        asked = SpecifiedSystem(given(self.values() | {"defect": self.defect}, self.set_system or ()), self.profile, self.patience)
        return RunOptions(registry.named(self.system), asked, results=results)


@dataclass(frozen=True)
class JudgedOptions(SystemOptions):
    """The same for a command that judges the system: what else its owner allows to be done to it, and what it is known as."""

    throwaway: Annotated[
        bool,
        typer.Option("--throwaway", help="Also run scenarios that leave transactions undecided for ever in a Kafka broker at an address."),
    ] = False
    broker_configuration: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=HOST:PORT",
            help="Another Kafka broker than that at --bootstrap, with other settings: unverified, expiring, compacting or authorizer, as "
            "`fencepost explain your-own-system` shows them. May be repeated.",
        ),
    ] = None
    known_as: Annotated[
        str | None,
        typer.Option(
            metavar="SYSTEM:VERSION",
            help="The release that the system is a build of, such as kafka:4.3.1; the bundled deviations of that release then apply.",
        ),
    ] = None

    def values(self) -> dict[str, str | None]:
        """The same, with what may be done to a broker at an address."""
        return super().values() | {
            "throwaway": "yes" if self.throwaway else None,
            "broker-configuration": ",".join(self.broker_configuration) if self.broker_configuration else None,
        }


def other_system(name: str | None, said: Sequence[str], patience_s: float) -> "RunOptions | None":
    """A second system, with all settings given as NAME=VALUE, also its profile. Raises WrongUsage and UnknownName."""
    if name is None:
        return None
    from fencepost.adapters import registry
    from fencepost.contract.registration import SpecifiedSystem
    from fencepost.run.options import RunOptions, given

    own = given({}, said, "--against-set")
    profile = own.pop("profile", None)
    return RunOptions(registry.named(name), SpecifiedSystem(own, profile, patience_s))


def takes_a_system(command: Callable[..., None]) -> Callable[..., None]:
    """Decorates a command whose first parameter is a `SystemOptions`: typer sees each field as an option, before the command's own."""
    judged, *own = inspect.signature(command, eval_str=True).parameters.values()
    kind = judged.annotation
    hints = get_type_hints(kind, include_extras=True)
    of_system = [
        inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=one.default, annotation=hints[one.name]) for one in fields(kind)
    ]
    parameters = [*of_system, *(one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in own)]

    def called(**given: Any) -> None:
        command(kind(**{one.name: given.pop(one.name) for one in of_system}), **given)

    called.__name__, called.__doc__, called.__module__ = command.__name__, command.__doc__, command.__module__
    called.__annotations__ = {one.name: one.annotation for one in parameters}
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return called
