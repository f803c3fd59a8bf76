"""What a system offers to be judged by its name: `fencepost run NAME`.

A *protocol* is what a client speaks, a *system* is what is judged, and an *engine* is the reference that implements a protocol. A system
speaks one protocol or several, and is judged by their proposals.

Our own systems are registered in `adapters/registry.py`. A package that is installed with ours registers its own by an entry point
of the group `fencepost.systems`: its name is the system's, its value an object or a module with the members of `Registration`.
"""

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from .errors import NotOffered, WrongUsage
from .ports import System

GROUP = "fencepost.systems"
"""The group of the entry points by which packages register systems."""

_SECRET = re.compile(r"password|token|secret|key", re.IGNORECASE)


@dataclass(frozen=True)
class SpecifiedSystem:
    """What a user specified of the system that is to be judged.

    `options` has the given values of the options that the registration names. `profile` is one of its profiles, or None if the system
    is to find it out; `patience_s` is how long to wait for an expected event. `specs` are the named proposals, none if
    all that bind the system are judged.
    """

    options: Mapping[str, str] = field(default_factory=dict)
    profile: str | None = None
    patience_s: float = 20.0
    specs: frozenset[str] = frozenset()


class Registration(Protocol):
    """A system that can be named. Making what it builds is cheap: brokers are reached or started by `System.prepare` and `open`."""

    @property
    def usage(self) -> str:
        """How it is named, for a message: "a Kafka broker is named with --bootstrap HOST:PORT"."""
        ...

    @property
    def options(self) -> Mapping[str, str]:
        """The options that it understands, each with a line of help.

        `--set-system NAME=VALUE` gives one, if fencepost has no option of that name.
        """
        ...

    def profiles(self) -> Sequence[str]:
        """The values of --profile."""
        ...

    def protocols(self, asked: SpecifiedSystem) -> Sequence[str]:
        """The protocols that it speaks with these options. Raises WrongUsage."""
        ...

    def systems(self, asked: SpecifiedSystem) -> Mapping[str, System]:
        """A system for each of these protocols, not yet started. Raises WrongUsage if options are missing, or too many."""
        ...


def lacks(thing: object, port: type) -> list[str]:
    """The members of a port that a thing does not have; methods as they are called, such as `open()`."""
    wanted = {name: f"{name}()" for name, value in vars(port).items() if callable(value) and not name.startswith("_")}
    wanted |= {name: name for name, value in vars(port).items() if isinstance(value, property)}
    wanted |= {name: name for name in port.__annotations__}
    return [reported for name, reported in wanted.items() if not _has(thing, name, is_called=reported.endswith("()"))]


def _has(thing: object, name: str, is_called: bool) -> bool:
    try:
        member = getattr(thing, name)
    except AttributeError:
        return False
    except NotOffered:  # a port may raise it for what it cannot do in this session
        return True
    return callable(member) or not is_called


def demand(thing: object, port: type, whose: str) -> None:
    """Raises WrongUsage if a thing offers half of a port; `whose` names where it is from."""
    if isinstance(thing, type):
        raise WrongUsage(f"{whose} is a class; expected an object with the members of {_place(port)}")
    if missing := lacks(thing, port):
        raise WrongUsage(f"{whose} has no {', '.join(missing)}; expected all members of {_place(port)}")


def refuse_options(registration: Registration, given: Mapping[str, str], own: Container[str], why: Mapping[str, str]) -> None:
    """Raises WrongUsage for an option that a system does not understand. `why` has the reason for some, else it is how one names it.

    `own` are the names that are options of fencepost; any other was given with --set-system.
    """
    for name, value in given.items():
        if name not in registration.options:
            shown = "(not shown)" if may_be_secret(name, value) else value
            said = f"--{name} {shown}" if name in own else f"--set-system {name}={shown}"
            known = "" if name in own or not registration.options else f"; known options: {', '.join(registration.options)}"
            raise WrongUsage(f"{said}: {why.get(name) or registration.usage}{known}")


def may_be_secret(name: str, value: str) -> bool:
    """Whether an option's value is left out of messages, which a CI keeps: by its name, or as an address with a user in it."""
    return "@" in value.replace("@sha256:", "") or _SECRET.search(name) is not None


def options_of(registrations: Iterable[Registration]) -> dict[str, str]:
    """The options of several systems with their help, each once."""
    return {name: reported for registration in registrations for name, reported in registration.options.items()}


def _place(port: type) -> str:
    return f"{port.__name__} in {port.__module__.replace('.', '/').removeprefix('fencepost/')}.py"
