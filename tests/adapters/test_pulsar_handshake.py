"""What a Pulsar broker reports about itself, and what follows from that."""

import pytest

from fencepost.adapters.common.genuine import Whose
from fencepost.adapters.pulsar.handshake import WITHOUT_SEALING, PulsarOffer, describe, identify, reported_by
from fencepost.adapters.pulsar.pulsar_settings import pulsar_settings
from fencepost.adapters.pulsar.reach import parse_addresses
from fencepost.adapters.pulsar.system import PulsarAt
from fencepost.contract.errors import WrongUsage
from fencepost.wire.pulsar import messages_pb2 as pb

RELEASES = pulsar_settings().releases


@pytest.mark.parametrize(
    ("server", "version", "profile"),
    [
        ("Pulsar Server4.0.7", "4.0.7", "pulsar-4.0"),
        ("Pulsar Server4.1.0", "4.1.0", "pulsar-4.0"),
        ("Pulsar Server5.0.0-M1", "5.0.0-M1", "pulsar-5.0"),
        ("Pulsar Server5.0.2", "5.0.2", "pulsar-5.0"),
    ],
)
def test_a_known_release_has_its_profile(server: str, version: str, profile: str) -> None:
    """By the version in the server's name for itself, which is exact."""
    identity = identify(server, RELEASES)

    assert (identity.version, identity.profile, identity.exact, identity.notes) == (version, profile, True, ())


@pytest.mark.parametrize(("server", "profile"), [("Pulsar Server3.3.1", "pulsar-4.0"), ("Pulsar Server6.0.0", "pulsar-5.0")])
def test_an_unknown_release_has_the_nearest_profile_and_a_note(server: str, profile: str) -> None:
    """The note names it, and the system is judged all the same."""
    identity = identify(server, RELEASES)

    assert identity.profile == profile
    assert "is of no known release; judged by the profile of the nearest" in identity.notes[0]


@pytest.mark.parametrize("server", ["", "somebody", "built-2024.x"])
def test_a_system_without_a_version_is_judged_by_the_text(server: str) -> None:
    """The note has the system's name for itself."""
    identity = identify(server, RELEASES)

    assert (identity.version, identity.exact, identity.profile) == ("unknown", False, "seed")
    assert repr(server) in identity.notes[0]


def test_the_handshake_reports_what_connected_reported() -> None:
    """Version, features, sizes; a milestone is judged as the version before its release, which can be compared."""
    flags = pb.FeatureFlags(supports_topic_watchers=True, supports_scalable_topics=True, supports_partial_producer=False)
    connected = pb.CommandConnected(server_version="Pulsar Server5.0.0-M1", protocol_version=21, max_message_size=5, feature_flags=flags)
    offer = PulsarOffer.of(connected)

    identity = identify(offer.server, RELEASES)
    whose = Whose(looks_like=("pulsar", reported_by(identity) or ""), deviations="no bundled deviations")
    handshake = describe(offer, identity, whose, offered=["crash"], missing=["x: no"], notes=["a note"])

    assert offer.features == ("supports_topic_watchers", "supports_scalable_topics")
    assert (handshake.version, handshake.version_is_exact, handshake.profile) == ("5.0.0-M1", True, "pulsar-5.0")
    assert (handshake.judged_as, handshake.looks_like, handshake.deviations) == (None, ("pulsar", "5.0.0b1"), "no bundled deviations")
    assert handshake.capabilities == {"crash", "reload"}
    assert handshake.not_offered == ("x: no", WITHOUT_SEALING)
    assert handshake.notes == (
        "a note",
        "protocol version: 21; largest message: 5 bytes",
        "features: supports_topic_watchers, supports_scalable_topics",
    )


def test_a_crash_gets_a_fresh_broker() -> None:
    """A need for a separate broker gets one; all others share one. Both have the ports that are asked for."""
    settings = pulsar_settings()

    assert settings.default_configuration == settings.configuration_for({"virtual-time"}) == "shared"
    assert not settings.configuration("shared").fresh
    assert settings.configuration(settings.configuration_for({"crash"})).fresh
    environment = settings.environment("fresh", 1, 2)
    assert (environment["PULSAR_PREFIX_brokerServicePort"], environment["PULSAR_PREFIX_webServicePort"]) == ("1", "2")


def test_a_session_needs_a_system_that_is_open() -> None:
    """A session before `open` is an error of the caller."""
    with pytest.raises(WrongUsage, match="requested before open"):
        PulsarAt(parse_addresses("pulsar://127.0.0.1:6650", "http://127.0.0.1:8080", {})).session("a scenario")
