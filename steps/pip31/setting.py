"""The words that all sentences of PIP-31 share, and the transactions that a scenario begins with."""

import re

import pytest
from pytest_bdd import given, parsers

from fencepost.contract.evidence import Evidence
from fencepost.contract.ports import Session

from .world import PulsarWorld

VALUES = r'"[^"]+"(?:, "[^"]+")*'
LONG_MS = 300_000
"""Longer than a system needs to come back after a crash."""
SHORT_MS = 2_000
"""Long enough for a few requests, and over while a scenario waits."""


def values_of(text: str) -> list[str]:
    """`"a", "b"` as a list."""
    return re.findall(r'"([^"]+)"', text)


@pytest.fixture
def pulsar(fencepost_session: Session, fencepost_evidence: Evidence) -> PulsarWorld:
    """The transactions of this scenario."""
    return PulsarWorld(fencepost_session, fencepost_evidence)


@given(parsers.re(r"transactions? (?P<names>[A-Z](?:, [A-Z])*(?: and [A-Z])?)(?P<short> with a short time-out)?$"))
def transactions(pulsar: PulsarWorld, names: str, short: str | None) -> None:
    """Open transactions without participants, begun in this order, so that each is newer than the one before."""
    for name in re.findall("[A-Z]", names):
        pulsar.begin(name, SHORT_MS if short else LONG_MS)
