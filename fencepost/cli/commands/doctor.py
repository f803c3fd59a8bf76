"""`fencepost doctor`."""

from typing import Annotated

import typer

from fencepost.cli.exit_codes import (
    AdminUrl,
    Bootstrap,
    Broker,
    BrokerConfiguration,
    ClientProperties,
    Container,
    KnownAs,
    Launcher,
    Profile,
    RestartCommand,
    ServiceUrl,
    SetSystem,
    System,
    Throwaway,
    TlsCa,
    TlsCertificate,
    TlsKey,
    Token,
    granted,
    guarded,
    need_system,
    reached,
    secured,
)


def doctor(
    system: System = "reference",
    bootstrap: Bootstrap = None,
    service_url: ServiceUrl = None,
    admin_url: AdminUrl = None,
    client_properties: ClientProperties = None,
    tls_ca: TlsCa = None,
    tls_certificate: TlsCertificate = None,
    tls_key: TlsKey = None,
    token: Token = None,
    container: Container = None,
    broker: Broker = None,
    launcher: Launcher = None,
    restart_command: RestartCommand = None,
    throwaway: Throwaway = False,
    broker_configuration: BrokerConfiguration = None,
    set_system: SetSystem = None,
    profile: Profile = None,
    known_as: KnownAs = None,
    form: Annotated[str, typer.Option("--format", metavar="FORM", help="table or json.")] = "table",
) -> None:
    """Ask a system what it is and what it offers, before judging it.

    Shows the APIs with their versions, the finalized features, the profile, the clock and the capabilities, how many requirements
    of each proposal can be asked, and what would open the rest.
    """
    from fencepost.adapters import registry
    from fencepost.contract.registration import Asked
    from fencepost.doctor import checkup
    from fencepost.run.identity import Named
    from fencepost.run.options import Options, given

    need_system("doctor", system, bootstrap, service_url, admin_url, container, broker, launcher)
    own = reached(bootstrap, service_url, admin_url, container, broker, launcher)
    own |= secured(client_properties, tls_ca, tls_certificate, tls_key, token)
    own |= granted(restart_command, throwaway, broker_configuration)

    def show() -> int:
        asked = Asked(given(own, set_system or ()), profile)
        return checkup.show(Options(registry.named(system), asked, named=Named.of(known_as=known_as)), form)

    guarded(show)
