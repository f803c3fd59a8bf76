"""What the owner of a running broker allows fencepost beyond requests: to kill it, to leave traces in it, to use further brokers."""

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from fencepost.adapters.common.address import Address
from fencepost.adapters.common.restart_command import CONFIGURATION, RESTART_COMMAND, THROWAWAY, RestartCommand, named
from fencepost.contract.errors import UnknownName, WrongUsage

from .kafka_login import Passwords
from .kafka_settings import kafka_settings
from .reach import Users, parse_address
from .security import OPEN, KafkaSecurity

PASSWORD = "FENCEPOST_USERS_PASSWORD"  # noqa: S105 - the name of a variable
"""The environment variable with the password of the users of a broker that requires a login."""

_YES = "yes"
CAN_BE_NAMED = ("unverified", "expiring", "compacting", "authorizer")
"""The configurations that a running broker can have. Others are started for a scenario, or are that of the broker at the first address."""


@dataclass(frozen=True)
class Granted:
    """The grants; the default is none. `configurations` are further brokers, by the names of their configurations."""

    command: RestartCommand | None = None
    throwaway: bool = False
    configurations: Mapping[str, Address] = field(default_factory=dict)

    @classmethod
    def of(cls, options: Mapping[str, str], bootstrap: Collection[Address]) -> "Granted":
        """The grants in the options. Raises WrongUsage."""
        if options.get(THROWAWAY, _YES) != _YES:
            raise WrongUsage(f"--{THROWAWAY} {options[THROWAWAY]}: expected {_YES}, or leave it out")
        brokers: dict[str, Address] = {}
        for text in filter(None, options.get(CONFIGURATION, "").split(",")):
            name, address = _configuration(text.strip())
            if name in brokers:
                raise WrongUsage(f"--{CONFIGURATION} {text}: {name} is given twice, first at {brokers[name]}")
            if address in (*bootstrap, *brokers.values()):
                raise WrongUsage(f"--{CONFIGURATION} {text}: another broker is named at {address} already, and each has one configuration")
            brokers[name] = address
        return cls(named(options.get(RESTART_COMMAND)), THROWAWAY in options, brokers)

    def capabilities(self, configuration: str) -> frozenset[str]:
        """The capabilities of a broker with that configuration, given these grants."""
        is_commanded = self.command is not None
        needs_grant = {
            "crash": is_commanded,
            "reload": is_commanded,
            "clean-stop": False,
            "known-limits": False,
            "hold-markers": self.throwaway,
        }
        return frozenset(name for name in kafka_settings().configuration(configuration).offers if needs_grant.get(name, True))


def users_of(configuration: str, security: KafkaSecurity = OPEN) -> Users:
    """The users of a broker with that configuration. Raises WrongUsage if their password is not set."""
    names = kafka_settings().users(configuration)
    password = os.environ.get(PASSWORD, "")
    if names and not password:
        raise WrongUsage(
            f"--{CONFIGURATION} {configuration}=...: the users {', '.join(names)} log in there with SASL/{security.mechanism}; "
            f"set {PASSWORD} to the one password that they all have"
        )
    return Users(Passwords(dict.fromkeys(names, password)), security)


def _configuration(text: str) -> tuple[str, Address]:
    name, is_notified, address = text.partition("=")
    if not (name and is_notified and address):
        raise WrongUsage(f"--{CONFIGURATION} {text}: expected NAME=HOST:PORT, such as {CAN_BE_NAMED[0]}=127.0.0.1:9093")
    if name not in kafka_settings().configurations:
        raise UnknownName("broker configuration", name, CAN_BE_NAMED)
    if name not in CAN_BE_NAMED:
        raise WrongUsage(
            f"--{CONFIGURATION} {text}: {name} needs a broker that fencepost starts, by --container; known: {', '.join(CAN_BE_NAMED)}"
        )
    return name, parse_address(address)
