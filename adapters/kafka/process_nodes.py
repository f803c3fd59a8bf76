"""The nodes of a cluster as processes that a launcher starts, each with its own ports, data folder and log."""

import secrets
from pathlib import Path

from fencepost.adapters.common.address import LOOPBACK, Address, free_port
from fencepost.adapters.common.launcher import LauncherFile
from fencepost.adapters.common.process_node import Filled, ProcessNode

from .kafka_login import Passwords
from .kafka_settings import KafkaSettings, NodeAddresses
from .launched_settings import file_of, passed_on, variables_of, words_of
from .nodes import KafkaNodes

DATA, PROPERTIES = "data", "broker.properties"


def make_nodes(
    file: LauncherFile, settings: KafkaSettings, configuration: str, passwords: Passwords, folder: Path, remove: Path
) -> KafkaNodes:
    """The nodes of a cluster with that configuration, not yet started, with their data, settings and logs in `folder`."""
    count = settings.nodes(configuration)
    cluster = secrets.token_hex(11)
    controller_port = free_port()
    places: list[NodeAddresses] = []

    def make(number: int) -> ProcessNode:
        internal_port = free_port()
        place = NodeAddresses(
            free_port(),
            LOOPBACK,
            controller_port if number == 1 else free_port(),
            internal_port,
            f"{LOOPBACK}:{internal_port}",
            f"{LOOPBACK}:{controller_port}",
        )
        places.append(place)
        own = folder / f"node-{number}"
        data = own / DATA
        data.mkdir(parents=True)
        values = {
            "port": str(place.port),
            "internal_port": str(place.internal_port),
            "controller_port": str(place.controller_port),
            "first": f"{LOOPBACK}:{places[0].port}",
            "first_internal": places[0].internal,
            "node": str(number),
            "nodes": str(count),
            "data": str(data),
            "properties": str(own / PROPERTIES),
            "configuration": configuration,
            "cluster": cluster,
            "here": str(file.path.resolve().parent),
        }
        properties = settings.properties_at(configuration, place, passwords, number)
        return ProcessNode(file, Address(LOOPBACK, place.port), _filled(file, values, properties, own), own, remove)

    return KafkaNodes(configuration, count, make)


def _filled(file: LauncherFile, values: dict[str, str], properties: dict[str, str], folder: Path) -> Filled:
    """The values for the lines of the file; writes the file with the settings, if the launcher uses one."""
    passing = file.launcher.settings
    always = {name: file.filled_in(value, values) for name, value in passing.always.items()}
    passed = passed_on(passing, properties) | always
    match passing.how:
        case "property-file":
            path = folder / PROPERTIES
            path.touch(mode=0o600)
            path.write_text(file_of(passed), encoding="utf-8")
        case "arguments":
            return Filled(values, settings=words_of(passing, passed))
        case "environment":
            return Filled(values, environment=variables_of(passing, passed))
    return Filled(values)
