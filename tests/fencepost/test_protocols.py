"""Proposals bind systems by the protocols that these speak."""

from commands import fencepost

from fencepost.contract import register
from fencepost.protocols import PROTOCOLS_OF, specs_of


def test_every_proposal_has_its_protocols() -> None:
    """A proposal that binds nobody would never be asked."""
    assert set(register.bundled().by_spec) <= set(PROTOCOLS_OF)
    assert all(PROTOCOLS_OF.values())


def test_core_is_for_every_protocol() -> None:
    """Whoever speaks a protocol is asked what every transactional log promises."""
    spoken = {protocol for protocols in PROTOCOLS_OF.values() for protocol in protocols}

    assert set(PROTOCOLS_OF["core"]) == spoken
    assert all("core" in specs_of(protocol) for protocol in spoken)


def test_a_proposal_of_another_protocol_is_refused() -> None:
    """The error says what the system speaks, and which proposals there are for it."""
    told = fencepost("run", "--profile", "pulsar-4.0", "--spec", "kip890", expect=2)

    assert "--spec kip890 is about kafka, and reference speaks pulsar" in str(told)
