"""`fencepost serve`."""

from typing import Annotated

import typer

from fencepost.cli.exit_codes import guarded
from fencepost.contract.errors import Exit


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
    metadata: Annotated[
        str | None,
        typer.Option(
            metavar="STORE",
            help="Pulsar: where metadata-driven transactions are kept: memory, oxia (starts one in a container) or oxia://HOST:PORT, which "
            "several may share. [default: memory]",
        ),
    ] = None,
    transaction_keys: Annotated[
        bool,
        typer.Option(
            "--transaction-keys",
            help="Pulsar: with transaction keys, by which a restarted client fences its predecessor, also where the profile's release has "
            "none. Profile seed always has them.",
        ),
    ] = False,
    crash_at: Annotated[
        str | None,
        typer.Option(
            metavar="POINT",
            help="Pulsar: the server exits with code 137, as if killed, when a metadata-driven transaction reaches this crash "
            "point. At after-header-cas, for example, the end is decided and no participant is notified. An unknown name lists all.",
        ),
    ] = None,
) -> None:
    """Serve the bundled reference on loopback, in real time, to any client of the protocol.

    Examples:

        fencepost serve kafka --port 9092 --profile kafka-4.3

        fencepost serve pulsar --port 6650 --admin-port 8080

        fencepost serve pulsar --profile pulsar-5.0 --metadata oxia

    With transaction keys, which no release has yet:

        fencepost serve pulsar --profile pulsar-4.0 --transaction-keys

    A failover, on your own Oxia: the second broker completes the transactions that the first has decided before it exits.

        fencepost serve pulsar --metadata oxia://127.0.0.1:6648 --crash-at after-header-cas

        fencepost serve pulsar --metadata oxia://127.0.0.1:6648 --port 6651 --admin-port 8081
    """
    from fencepost.cli import reference_server

    ports = {"port": port, "admin-port": admin_port}
    options = {"set": properties or None, "metadata": metadata, "crash-at": crash_at, "transaction-keys": transaction_keys or None}
    guarded(lambda: reference_server.serve(system.lower(), ports, profile, options), stopped=Exit.CONFORMS)
