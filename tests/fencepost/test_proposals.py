"""Proposals bind systems by the protocols that these speak."""

from commands import fencepost

from fencepost.contract import proposals, register


def test_every_proposal_has_its_protocols() -> None:
    """A proposal that binds nobody would never be asked."""
    known = proposals.bundled()

    assert set(register.bundled().by_spec) == set(known.by_spec)
    assert all(known.protocols_of(spec) for spec in known.by_spec)


def test_core_is_for_every_protocol() -> None:
    """Whoever speaks a protocol is asked what every transactional log promises."""
    known = proposals.bundled()
    spoken = {protocol for spec in known.by_spec for protocol in known.protocols_of(spec)}

    assert set(known.protocols_of("core")) == spoken
    assert all("core" in known.binding(protocol) for protocol in spoken)


def test_a_proposal_of_another_protocol_is_refused() -> None:
    """The error says what the system speaks, and which proposals there are for it."""
    told = fencepost("run", "--profile", "pulsar-4.0", "--spec", "kip890", expect=2)

    assert "--spec kip890 is about kafka, and reference speaks pulsar" in str(told)
