"""Kafka as a system that users can name: at an address, in a container, or as processes that fencepost starts."""

from collections.abc import Mapping, Sequence

from fencepost.adapters.common import launcher
from fencepost.adapters.common.access_token import TOKEN, TOKEN_HELP
from fencepost.adapters.common.restart_command import refuse_grants
from fencepost.adapters.common.secured import refuse_where_started
from fencepost.adapters.common.tls import TLS_OPTIONS
from fencepost.adapters.images import check_image
from fencepost.adapters.judged_by_profile import judged_by
from fencepost.contract.errors import WrongUsage
from fencepost.contract.ports import System
from fencepost.contract.registration import SpecifiedSystem

usage = "a Kafka broker is named with --bootstrap HOST:PORT"
options = {
    "bootstrap": "judge the Kafka broker that listens there, at HOST:PORT; several with commas: the first that answers",
    "client-properties": "a Java client's properties file, which says how to reach it: security.protocol, sasl.*, ssl.* as PEM",
    **TLS_OPTIONS,
    TOKEN: TOKEN_HELP,
    "container": "start this image and judge it, such as apache/kafka:4.3.1",
    "launcher": "start the broker that this file describes as processes, as docs/launchers.md says",
    "restart-command": "of a broker at an address: the command that kills it, with FENCEPOST_FAULT=crash, and starts it, with =start",
    "throwaway": "yes: the broker at the address may be left with transactions that are undecided for ever",
    "broker-configuration": "NAME=HOST:PORT, with commas: further brokers, each with a configuration of fixtures/brokers.yaml",
}


def profiles() -> Sequence[str]:
    """The profile of the proposals' text, and those of known releases."""
    from .kafka_settings import kafka_settings

    return ("seed", *(release.profile for release in kafka_settings().releases))


def protocols(asked: SpecifiedSystem) -> Sequence[str]:  # noqa: ARG001 - the same for all options
    """The protocol of Kafka."""
    return ("kafka",)


def systems(asked: SpecifiedSystem) -> Mapping[str, System]:
    """The running broker, or the one to start."""
    return {"kafka": judged_by(asked.profile, _system(asked))}


def _system(asked: SpecifiedSystem) -> System:
    from .granted import Granted
    from .kafka_container_system import KafkaContainerSystem
    from .launched_system import LaunchedKafkaSystem
    from .reach import parse_addresses
    from .security_options import SECURITY_OPTIONS, security_of
    from .system import KafkaAt

    refuse_where_started(asked.options, SECURITY_OPTIONS)
    security, servers = security_of(asked.options)
    match (asked.options.get("bootstrap", servers), asked.options.get("container"), asked.options.get("launcher")):
        case (None, None, str(file)):
            refuse_grants(asked)
            return LaunchedKafkaSystem(launcher.read(file), patience_s=asked.patience_s)
        case (str(addresses), None, None):
            return KafkaAt(addresses, asked.patience_s, Granted.of(asked.options, parse_addresses(addresses)), security)
        case (None, str(image), None):
            refuse_grants(asked)
            check_image(image, "kafka")
            return KafkaContainerSystem(image, patience_s=asked.patience_s)
        case (None, None, None):
            raise WrongUsage(
                "which Kafka? Use --bootstrap HOST:PORT for one that runs, --container IMAGE for one to start, or --launcher FILE for one "
                "to start as a process"
            )
        case _:
            named = [f"--{name}" for name in ("bootstrap", "container", "launcher") if name in asked.options]
            raise WrongUsage(f"{' and '.join(named)} exclude each other: the first judges a broker that runs, the others start one")
