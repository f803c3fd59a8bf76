"""The registry: the systems that can be named, and the engines that implement a protocol.

A bundled system is added to `BUNDLED`, with a module that has the members of `contract/registration.py`; no other module knows systems by
their names. Another installed package adds its own by an entry point, which is imported only when a user names it.
"""

import importlib
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fencepost.contract import proposals
from fencepost.contract.brokers import ScheduledScenario
from fencepost.contract.capabilities import CAPABILITIES
from fencepost.contract.errors import UnknownName, WrongUsage
from fencepost.contract.ports import Faults, Handshake, Session, System, Time
from fencepost.contract.registration import GROUP, Registration, SpecifiedSystem, demand, options_of, refuse_options

from .common.costs import costs

if TYPE_CHECKING:
    from .engines import Engine

REFERENCE = "reference"
BUNDLED = {
    REFERENCE: "fencepost.adapters.reference_registration",
    "kafka": "fencepost.adapters.kafka.kafka_registration",
    "pulsar": "fencepost.adapters.pulsar.pulsar_registration",
}
"""The bundled systems, each with the module that registers it."""

_WHY_NOT = {"defect": f"only the {REFERENCE} has defects"}


@dataclass(frozen=True)
class Foreign:
    """A system that another package registers."""

    name: str
    entry: EntryPoint

    def __str__(self) -> str:
        package = f"{self.entry.dist.name} {self.entry.dist.version}" if self.entry.dist else "a package without a name"
        return f"the system {self.name!r} of {package} ({GROUP}: {self.entry.value})"

    def load(self) -> Registration:
        """Import it. Raises WrongUsage, with the package and what is expected, if it cannot be imported or is incomplete."""
        try:
            registration: Registration = self.entry.load()
        except Exception as error:  # any error that a package's code raises
            raise WrongUsage(
                f"{self} cannot be imported: {str(error) or 'no reason is given'} ({_place_of(error)}); "
                "expected an object or a module with all members of Registration in contract/registration.py"
            ) from error
        demand(registration, Registration, str(self))
        if not isinstance(registration.options, Mapping):
            raise WrongUsage(f"{self} has options of {type(registration.options).__name__}; expected a mapping from their names to help")
        return registration


def _place_of(error: BaseException) -> str:
    """The place where the error was raised, such as `acme/system.py, line 3`."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{'/'.join(Path(last.filename).parts[-2:])}, line {last.lineno}"


def names() -> list[str]:
    """The systems that a user can name, bundled ones first."""
    return list(dict.fromkeys((*BUNDLED, *(one.name for one in foreign()))))


def named(name: str) -> str:
    """The name of a system in its own upper and lower case; an unknown name is returned unchanged."""
    return next((known for known in (name, *names()) if known.lower() == name.lower() and known in names()), name)


def foreign() -> list[Foreign]:
    """The systems that other packages register. They cannot take the name of a bundled one."""
    return [Foreign(entry.name, entry) for entry in entry_points(group=GROUP) if entry.name not in BUNDLED]


def taken() -> list[Foreign]:
    """The systems that packages register under the name of a bundled one, so that no user can name them."""
    return [Foreign(entry.name, entry) for entry in entry_points(group=GROUP) if entry.name in BUNDLED]


def find(name: str) -> Registration:
    """The system of that name. Raises WrongUsage."""
    if name in BUNDLED:
        ours: Any = importlib.import_module(BUNDLED[name])
        return ours  # type: ignore[no-any-return]  # a module; tests hold it against the port
    match [one for one in foreign() if one.name == name]:
        case []:
            raise UnknownName("system", name, names())
        case [one]:
            return one.load()
        case several:
            raise WrongUsage(f"{name!r} is registered more than once: {'; '.join(map(str, several))}; uninstall all of these but one")


def bundled_options() -> dict[str, str]:
    """The options of the bundled systems with their help: each is an option of pytest and of the command line."""
    return options_of(find(name) for name in BUNDLED)


def protocols_of(name: str, asked: SpecifiedSystem) -> tuple[str, ...]:
    """The protocols that a system speaks. Raises WrongUsage."""
    return tuple(find(name).protocols(asked))


def build(name: str, asked: SpecifiedSystem) -> Mapping[str, System]:
    """A system for each protocol that the named one speaks, not yet started. Raises WrongUsage."""
    registration = find(name)
    refuse_options(registration, asked.options, bundled_options(), _WHY_NOT)
    if asked.profile is not None and asked.profile not in registration.profiles():
        raise UnknownName("profile", asked.profile, registration.profiles())
    systems = registration.systems(asked)
    if name not in BUNDLED:
        for protocol, system in systems.items():
            _check_protocol(name, protocol)
            demand(system, System, f"what {name!r} builds for {protocol}")
    return systems


def check_opened(name: str, system: System, handshake: Handshake) -> None:
    """Raises WrongUsage if the system of another package, once it is open, implements a port only in part."""
    if name in BUNDLED:
        return
    demand(handshake, Handshake, f"what {name!r} says when it is opened")
    if unknown := sorted(set(handshake.capabilities) - set(CAPABILITIES)):
        raise WrongUsage(f"{name!r} offers {', '.join(unknown)}; expected names of contract/capabilities.py: {', '.join(CAPABILITIES)}")
    session = system.session("has it all of the port?")
    try:
        demand(session, Session, f"a session with {name!r}")
        demand(session.faults, Faults, f"what a session with {name!r} has as its faults")
        demand(session.time, Time, f"what a session with {name!r} has as its time")
    finally:
        close = getattr(session, "close", lambda: None)
        close()


def seconds_of(system: System, scenario: ScheduledScenario) -> float | None:
    """How long a scenario takes on a running system, as measured; None if nothing was measured for the system."""
    measured = costs().get(getattr(system, "costs", system.name))
    return measured.seconds(scenario) if measured else None


def engine(protocol: str) -> "Engine":
    """The reference that implements a protocol. Raises UnknownName."""
    if protocol not in engines():
        raise UnknownName("protocol", protocol, engines())
    return engines()[protocol]


def engines() -> "Mapping[str, Engine]":
    """The references, by their protocols."""
    from .engines import ENGINES

    return ENGINES


def metadata_store(named: str) -> AbstractContextManager[Callable[[], Any]]:
    """What connects a served reference to the metadata store of that name. Raises WrongUsage, SystemUnreachable."""
    from .metadata_stores import served

    return served(named)


def protocols() -> frozenset[str]:
    """The protocols that a bundled system or an engine speaks."""
    ours = (protocol for name in BUNDLED for protocol in protocols_of(name, SpecifiedSystem()))
    return frozenset((*ours, *engines()))


def check_proposals() -> None:
    """Raises WrongUsage for a bundled proposal that binds a protocol which no bundled system or engine speaks."""
    proposals.bundled().check(protocols())


def broken() -> Iterator[str]:
    """What is wrong with the systems that other packages register; a user who names another system is not affected."""
    for one in taken():
        yield f"{one} cannot be named: that name is ours"
    for one in foreign():
        try:
            find(one.name)
        except WrongUsage as error:
            yield str(error)


def _check_protocol(name: str, protocol: str) -> None:
    if protocol not in protocols():
        raise WrongUsage(f"{name!r} builds a system for the protocol {protocol!r}; expected one of {', '.join(sorted(protocols()))}")
