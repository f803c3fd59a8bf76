"""The smoke run: the requirements that reveal most in the least time, by the protocol that a system speaks.

They are in `features/smoke.yaml`. A mistake in it is ours, and is reported with its file and line before anything runs.
"""

import functools
from collections.abc import Collection, Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from . import proposals, register
from .datafile import DataFileError, line_of, load
from .proposals import Proposals
from .register import Register


def requirements_for(protocols: Collection[str]) -> tuple[str, ...]:
    """The requirements of a smoke run for a system that speaks these protocols, each once."""
    return tuple(dict.fromkeys(one for protocol, ids in bundled().items() if protocol in protocols for one in ids))


@functools.cache
def bundled() -> Mapping[str, tuple[str, ...]]:
    """The choice that the kit includes."""
    return read(resources.files("fencepost.features") / "smoke.yaml", register.bundled(), proposals.bundled())


def read(path: Path | Traversable, rows: Register, known: Proposals) -> Mapping[str, tuple[str, ...]]:
    """The choice in a file. Raises DataFileError for an id that is unknown, untested or repeated, or does not bind the protocol."""
    chosen = load(path, dict[str, list[str]])
    for protocol, ids in chosen.items():
        for index, identifier in enumerate(ids):
            if fault := _fault(protocol, identifier, ids[:index], rows, known):
                raise DataFileError(f"{path}:{line_of(path, protocol, index)}: {protocol}.{index + 1}: {identifier} {fault}")
    return {protocol: tuple(ids) for protocol, ids in chosen.items()}


def _fault(protocol: str, identifier: str, before: Collection[str], rows: Register, known: Proposals) -> str:
    if identifier not in rows.by_id:
        return "is not the id of a requirement"
    if identifier in before:
        return "appears twice"
    if not rows[identifier].is_tested:
        return "is not tested, so it shows nothing"
    if protocol not in known.protocols_of(rows.spec_of(identifier)):
        return f"does not bind systems that speak {protocol}"
    return ""
