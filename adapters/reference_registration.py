"""The bundled reference as a system that users can name: it speaks every protocol that has an engine with the profile."""

from collections.abc import Mapping, Sequence

from fencepost.contract.errors import UnknownName, WrongUsage
from fencepost.contract.ports import System
from fencepost.contract.registration import SpecifiedSystem
from fencepost.reference.defects import Defect

from .engines import ENGINES
from .metadata_stores import backend
from .pulsar.keyed_core import KeyedLog
from .pulsar.pulsar_core import PulsarLog
from .reference_pulsar import PulsarReferenceSystem
from .reference_scalable import ScalableReferenceSystem

_PROFILE = "seed"
_LOGS = {"name": PulsarLog, "key": KeyedLog}

usage = "the reference is in this process"
options = {
    "defect": "judge the reference with a bundled defect, to see the suite find it",
    "writers": "what the core's writers have in addition to a name in the reference of Pulsar: name (nothing) or key (a transaction key)",
    "metadata": "where the reference keeps metadata-driven transactions: memory, oxia (starts one) or oxia://HOST:PORT",
}


def profiles() -> Sequence[str]:
    """The profiles of all engines."""
    return sorted({name for engine in ENGINES.values() for name in engine.profiles()})


def protocols(asked: SpecifiedSystem) -> Sequence[str]:
    """The protocols of the engines that have the profile, or that of the defect. Raises UnknownName."""
    variant, wanted = _variant(asked), asked.profile or _PROFILE
    engines = [engine for engine in ENGINES.values() if variant is None or variant.protocol == engine.protocol]
    if not any(wanted in engine.profiles() for engine in engines):
        raise UnknownName("profile", wanted, sorted({name for engine in engines for name in engine.profiles()}))
    return tuple(engine.protocol for engine in engines if wanted in engine.profiles())


def systems(asked: SpecifiedSystem) -> Mapping[str, System]:
    """A reference system for each of these protocols, or the variant of one."""
    variant, profile = _variant(asked), asked.profile or _PROFILE
    metadata, writers = asked.options.get("metadata"), asked.options.get("writers")
    made = {protocol: ENGINES[protocol].system(profile, variant, asked.patience_s) for protocol in protocols(asked)}
    if metadata is not None:
        made = {name: one.on(backend(metadata)) if isinstance(one, ScalableReferenceSystem) else one for name, one in made.items()}
    if writers is not None:
        _give_writers(made, writers, asked.profile or _PROFILE)
    return made


def _give_writers(systems: Mapping[str, System], writers: str, profile: str) -> None:
    """Make the core's writers write with a name alone, or with a key. Raises WrongUsage."""
    if writers not in _LOGS:
        raise UnknownName("kind of writers", writers, list(_LOGS))
    for system in systems.values():
        if isinstance(system, PulsarReferenceSystem):
            if writers == "key" and not system.of_keys:
                raise WrongUsage(f"--writers key: profile {profile} has no transaction keys; seed has them")
            system.log_of_writers = _LOGS[writers]


def _variant(asked: SpecifiedSystem) -> Defect | None:
    name = asked.options.get("defect")
    if name is None:
        return None
    from fencepost.reference.defects import CONFORMING, DEFECTS  # reads all defects

    known = DEFECTS | CONFORMING
    if name not in known:
        raise UnknownName("defect", name, sorted(known), shown_by="fencepost list --defects")
    return known[name]
