"""The registry: every bundled system offers a whole port, and every engine is reached by its protocol."""

import pytest

from fencepost.adapters import registry
from fencepost.adapters.judged_by_profile import judged_by
from fencepost.adapters.reference_kafka import ReferenceSystem
from fencepost.contract.ports import System
from fencepost.contract.registration import Registration, SpecifiedSystem, lacks
from fencepost.reference.serving.offer import Served


@pytest.mark.parametrize("name", registry.BUNDLED)
def test_our_own_registrations_are_whole(name: str) -> None:
    """The type checker does not compare a module with a port, since it is imported by its name."""
    assert lacks(registry.find(name), Registration) == []
    assert "seed" in registry.find(name).profiles()
    assert all(registry.find(name).options.values())


@pytest.mark.parametrize("protocol", registry.engines())
def test_every_engine_is_judged_and_served(protocol: str) -> None:
    """As the bundled reference, for each protocol that has the profile."""
    systems = registry.build(registry.REFERENCE, SpecifiedSystem())

    assert lacks(systems[protocol], System) == []
    assert lacks(registry.engine(protocol).served, Served) == []
    assert "port" in registry.engine(protocol).served.ports


def test_what_is_missing_of_a_port_is_found() -> None:
    """Missing methods, attributes that are no methods, and missing values."""

    class Half:
        prepare = 3

        def open(self) -> None: ...

    assert lacks(Half(), System) == ["prepare()", "session()", "close()", "name"]


def test_a_profile_that_the_user_names_judges_a_system() -> None:
    """The handshake notes that, and which deviations hold stays the same. Without one the system is judged by its own report."""
    system = ReferenceSystem("seed")

    handshake = judged_by("kafka-4.0", system).open()

    assert (handshake.profile, handshake.judged_as) == ("kafka-4.0", None)
    assert judged_by("seed", ReferenceSystem("kafka-4.3")).open().judged_as == ("kafka", "4.3.1")
    assert handshake.notes[0] == "judged by the profile kafka-4.0, as --profile says, instead of seed"
    assert judged_by(None, system) is system
