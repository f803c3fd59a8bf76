"""The options by which a command names a system, how it is reached, and how long it is waited for: declared once."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from .common import (
    AdminUrl,
    Bootstrap,
    Broker,
    ClientProperties,
    Container,
    Launcher,
    Profile,
    RestartCommand,
    ServiceUrl,
    SetSystem,
    System,
    TlsCa,
    TlsCertificate,
    TlsKey,
    Token,
    granted,
    need_system,
    reached,
    secured,
)
from .completing import complete_defect

if TYPE_CHECKING:
    from fencepost.options import Options


@dataclass(frozen=True)
class SystemOptions:
    """A system as a user names it; each field is an option."""

    system: System = "reference"
    bootstrap: Bootstrap = None
    service_url: ServiceUrl = None
    admin_url: AdminUrl = None
    client_properties: ClientProperties = None
    tls_ca: TlsCa = None
    tls_certificate: TlsCertificate = None
    tls_key: TlsKey = None
    token: Token = None
    container: Container = None
    broker: Broker = None
    launcher: Launcher = None
    restart_command: RestartCommand = None
    set_system: SetSystem = None
    profile: Profile = None
    patience: Annotated[float, typer.Option(metavar="S", min=0.1, max=3600, help="How long to wait for what must come.")] = 20.0
    defect: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Break the reference in this way, to see it found.", autocompletion=complete_defect),
    ] = None

    def need(self, command: str) -> None:
        """Refuse a broker whose system is not named."""
        need_system(command, self.system, self.bootstrap, self.service_url, self.admin_url, self.container, self.broker, self.launcher)

    def options(self, results: Path | None) -> "Options":
        """The same for a run with this results folder. Raises WrongUsage and UnknownName."""
        from fencepost.adapters import registry
        from fencepost.contract.registration import Asked
        from fencepost.options import Options, given

        own = reached(self.bootstrap, self.service_url, self.admin_url, self.container, self.broker, self.launcher)
        own |= secured(self.client_properties, self.tls_ca, self.tls_certificate, self.tls_key, self.token)
        own |= granted(self.restart_command, False, None) | {"defect": self.defect}
        asked = Asked(given(own, self.set_system or ()), self.profile, self.patience)
        return Options(registry.named(self.system), asked, results=results)


def other_system(name: str | None, said: Sequence[str], patience_s: float) -> "Options | None":
    """A second system, of which everything is said as NAME=VALUE, also its profile. Raises WrongUsage and UnknownName."""
    if name is None:
        return None
    from fencepost.adapters import registry
    from fencepost.contract.registration import Asked
    from fencepost.options import Options, given

    own = given({}, said)
    profile = own.pop("profile", None)
    return Options(registry.named(name), Asked(own, profile, patience_s))


def takes_a_system(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose first parameter is `SystemOptions`: typer sees each of its fields as an option, before the command's own."""
    hints = get_type_hints(SystemOptions, include_extras=True)
    of_system = [
        inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=one.default, annotation=hints[one.name])
        for one in fields(SystemOptions)
    ]
    _, *own = inspect.signature(command, eval_str=True).parameters.values()
    parameters = [*of_system, *(one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in own)]

    def called(**given: Any) -> None:
        command(SystemOptions(**{one.name: given.pop(one.name) for one in of_system}), **given)

    called.__name__, called.__doc__, called.__module__ = command.__name__, command.__doc__, command.__module__
    called.__annotations__ = {one.name: one.annotation for one in parameters}
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return called
