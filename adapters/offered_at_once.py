"""The capabilities that one broker of a protocol offers at the same time, by its configurations in `fixtures/brokers.yaml`."""

import functools
from importlib import resources

from pydantic import BaseModel

from fencepost.contract.datafile import load


class _Configuration(BaseModel):
    """The field of a configuration that this module reads."""

    offers: list[str]


class _Broker(BaseModel):
    """The field of a broker that this module reads."""

    configurations: dict[str, _Configuration]


def offered_at_once(protocol: str) -> tuple[frozenset[str], ...]:
    """A set for each configuration. A capability that is in none of them is offered by all."""
    found = _brokers().get(protocol)
    return tuple(frozenset(one.offers) for one in found.configurations.values()) if found else ()


@functools.cache
def _brokers() -> dict[str, _Broker]:
    return load(resources.files("fencepost.fixtures") / "brokers.yaml", dict[str, _Broker])
