"""The ports that brokers get."""

import secrets
from collections.abc import Sequence

import pytest

from fencepost.adapters.common import address


def test_no_port_is_given_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """A broker whose two interfaces have one port serves on the first and never starts the second."""
    monkeypatch.setattr(address, "_given", set())
    monkeypatch.setattr(secrets, "choice", _first)

    assert len({address.free_port() for _ in range(3)}) == 3


def _first(ports: Sequence[int]) -> int:
    return next(iter(ports))
