"""Pulsar as a system that users can name: at its addresses, or in a container that fencepost starts."""

from collections.abc import Mapping, Sequence

from fencepost.adapters.common.access_token import TOKEN, TOKEN_HELP
from fencepost.adapters.common.restart_command import RESTART_COMMAND, named, refuse_grants
from fencepost.adapters.common.secured import refuse_where_started
from fencepost.adapters.common.tls import TLS_OPTIONS
from fencepost.adapters.images import check_image
from fencepost.adapters.judged_by_profile import judged_by
from fencepost.contract import proposals
from fencepost.contract.errors import WrongUsage
from fencepost.contract.ports import System
from fencepost.contract.registration import SpecifiedSystem

PULSAR, SCALABLE = "pulsar", "pulsar-scalable"
usage = "a Pulsar broker is named with --service-url pulsar://HOST:PORT"
options = {
    "service-url": "judge the Pulsar broker at pulsar://HOST:PORT, or pulsar+ssl://; several HOST:PORT with commas: the first that answers",
    "admin-url": "the admin interface of that broker, at http://HOST:PORT, or https://; several likewise",
    **TLS_OPTIONS,
    TOKEN: TOKEN_HELP,
    "container": "start this image and judge it, such as apachepulsar/pulsar:4.0.7",
    "restart-command": "of a broker at an address: the command that kills it, with FENCEPOST_FAULT=crash, and starts it, with =start",
}


def profiles() -> Sequence[str]:
    """The profile of the proposals' text, and those of known releases."""
    from .pulsar_settings import pulsar_settings

    return ("seed", *(release.profile for release in pulsar_settings().releases))


def protocols(asked: SpecifiedSystem) -> Sequence[str]:
    """The protocol of Pulsar; that of scalable topics too, or alone, if a named proposal is only about these."""
    named = [proposals.bundled()[spec].protocols for spec in asked.specs]
    if not any(SCALABLE in bound and PULSAR not in bound for bound in named):
        return (PULSAR,)
    return tuple(protocol for protocol in (PULSAR, SCALABLE) if any(protocol in bound for bound in named))


def systems(asked: SpecifiedSystem) -> Mapping[str, System]:
    """The running broker, or the one to start."""
    made = {PULSAR: _classic, SCALABLE: _scalable}
    return {protocol: judged_by(asked.profile, made[protocol](asked)) for protocol in protocols(asked)}


def _scalable(asked: SpecifiedSystem) -> System:
    from .scalable_system import ScalableContainerSystem
    from .security import SECURED

    refuse_where_started(asked.options, SECURED)
    match asked.options.get("container"):
        case str(image):
            check_image(image, PULSAR)
            return ScalableContainerSystem(image, patience_s=asked.patience_s)
        case None:
            raise WrongUsage(
                "metadata-driven transactions can be tested only on brokers that fencepost starts: use --container IMAGE, "
                "such as apachepulsar/pulsar:5.0.0-M1, or select other proposals"
            )


def _classic(asked: SpecifiedSystem) -> System:
    from .pulsar_container_system import PulsarContainerSystem
    from .reach import parse_addresses
    from .security import SECURED
    from .system import PulsarAt

    refuse_where_started(asked.options, SECURED)
    match (asked.options.get("service-url"), asked.options.get("admin-url"), asked.options.get("container")):
        case (str(service), str(admin), None):
            addresses = parse_addresses(service, admin, asked.options)
            return PulsarAt(addresses, asked.patience_s, named(asked.options.get(RESTART_COMMAND)))
        case (None, None, str(image)):
            refuse_grants(asked)
            check_image(image, PULSAR)
            return PulsarContainerSystem(image, patience_s=asked.patience_s)
        case (_, _, None):
            raise WrongUsage(
                "which Pulsar? Use --service-url pulsar://HOST:PORT and --admin-url http://HOST:PORT for one that runs, "
                "or --container IMAGE for one to start"
            )
        case _:
            raise WrongUsage("--service-url and --container exclude each other: the first judges a broker that runs, the second starts one")
