"""What follows from a system's answer to ApiVersions: its release, its profile, its capabilities, and what it lacks."""

from typing import Any

import pytest
from scripted_broker import BOOTSTRAP, Answer, ScriptedBroker, hangs_up, says

from fencepost.adapters.common.genuine import Whose
from fencepost.adapters.common.releases import Identity
from fencepost.adapters.kafka.handshake import WITHOUT_SEALING, ask, describe
from fencepost.adapters.kafka.inprocess import InProcessKafkaTransport
from fencepost.adapters.kafka.kafka_settings import kafka_settings
from fencepost.adapters.kafka.offer import KafkaOffer, VersionRange
from fencepost.adapters.kafka.release import identify
from fencepost.contract.errors import Malformed
from fencepost.contract.outcomes import Done, Unknown
from fencepost.wire.kafka.entities import API_KEYS

IDENTITY = Identity("1", True, "seed")
V2 = {"produce": VersionRange(0, 12), "end_txn": VersionRange(0, 5), "txn_offset_commit": VersionRange(0, 5)}


def offers(apis: dict[str, tuple[int, int]], **features: int) -> Answer:
    keys: list[dict[str, Any]] = [{"api_key": API_KEYS[api], "min_version": low, "max_version": high} for api, (low, high) in apis.items()]
    finalized = [
        {"name": name.replace("_", "."), "min_version_level": level, "max_version_level": level} for name, level in features.items()
    ]
    supported = [{"name": "metadata.version", "min_version": 7, "max_version": 30}]
    return says(error_code=0, api_keys=keys, supported_features=supported, finalized_features_epoch=1, finalized_features=finalized)


class TransportTo(InProcessKafkaTransport):
    """A transport to the bootstrap node of a scripted broker."""

    def __init__(self, broker: ScriptedBroker) -> None:
        self.broker = broker
        super().__init__(self)

    def handle(self, request: Any) -> Any:
        return self.broker.answer(BOOTSTRAP, request)


def asked(*answers: Answer) -> tuple[Done[KafkaOffer] | Unknown, int]:
    broker = ScriptedBroker(api_versions=list(answers))
    return ask(TransportTo(broker), 1.0), broker.count("api_versions")


def test_features_are_asked_for_where_the_version_has_them() -> None:
    """Every broker understands the oldest version; a newer one has the features as well."""
    reported = offers({"api_versions": (0, 4), "end_txn": (0, 5)}, transaction_version=2)

    outcome, count = asked(reported, reported)

    assert count == 2
    assert isinstance(outcome, Done)
    assert outcome.value.apis == {"api_versions": VersionRange(0, 4), "end_txn": VersionRange(0, 5)}
    assert outcome.value.supported == {"metadata.version": VersionRange(7, 30)}
    assert outcome.value.finalized == {"transaction.version": 2}


def test_an_old_broker_is_asked_once() -> None:
    """Without version 3 there are no features to ask for."""
    outcome, count = asked(offers({"api_versions": (0, 2)}))

    assert count == 1
    assert outcome == Done(KafkaOffer({"api_versions": VersionRange(0, 2)}))


def test_apis_without_a_name_are_passed_over() -> None:
    """A newer broker has APIs that the kit does not know."""
    unheard_of = says(error_code=0, api_keys=[{"api_key": 9_999, "min_version": 0, "max_version": 1}])

    outcome, _ = asked(unheard_of)

    assert outcome == Done(KafkaOffer({}))


def test_a_broker_that_refuses_api_versions_is_malformed() -> None:
    """Every broker must understand version 0."""
    with pytest.raises(Malformed, match=r"ApiVersions v0 answered UNSUPPORTED_VERSION \(35\)"):
        asked(says(error_code=35, api_keys=[]))


@pytest.mark.parametrize("answers", [[hangs_up], [offers({"api_versions": (0, 4)}), hangs_up]], ids=["the first", "the second"])
def test_a_broker_that_hangs_up_is_unknown(answers: list[Answer]) -> None:
    """After either of the two requests."""
    outcome, _ = asked(*answers)

    assert isinstance(outcome, Unknown)
    assert outcome.lost


def test_the_second_protocol_is_offered_with_its_apis_and_its_level() -> None:
    """Clients use it if the finalized level allows it."""
    handshake = describe(KafkaOffer(V2, True, finalized={"transaction.version": 2}), IDENTITY, Whose(), offered=["crash"])

    assert handshake.capabilities == {"transactions-v2", "crash", "wire-faults"}
    assert handshake.not_offered == (WITHOUT_SEALING,)


@pytest.mark.parametrize(
    ("offer", "why"),
    [
        (KafkaOffer(V2 | {"end_txn": VersionRange(0, 4)}), "needs version 5, and the broker offers EndTxn v0 to v4"),
        (KafkaOffer({}), "needs version 12, and the broker offers Produce no version of it"),
        (KafkaOffer(V2, True), "needs the finalized transaction.version 2, and the broker has 0"),
        (KafkaOffer(V2, True, finalized={"transaction.version": 1}), "needs the finalized transaction.version 2, and the broker has 1"),
    ],
)
def test_what_the_second_protocol_lacks_is_reported(offer: KafkaOffer, why: str) -> None:
    """The reason has what is needed, and what the broker offers."""
    handshake = describe(offer, IDENTITY, Whose(), missing=["crash: not ours"])

    assert "transactions-v2" not in handshake.capabilities
    assert handshake.not_offered[0] == "crash: not ours"
    assert why in handshake.not_offered[1]


def test_a_broker_that_reports_no_features_is_taken_at_its_apis() -> None:
    """An old ApiVersions has no field for a finalized level."""
    assert "transactions-v2" in describe(KafkaOffer(V2), IDENTITY, Whose()).capabilities


@pytest.mark.parametrize(
    ("level", "release", "profile"),
    [
        (25, "4.0", "kafka-4.0"),
        (27, "4.1", "kafka-4.1"),
        (28, "4.2", "kafka-4.2"),
        (30, "4.3", "kafka-4.3"),
        (31, "4.4", "kafka-4.4"),
    ],
)
def test_a_release_is_known_by_its_metadata_version(level: int, release: str, profile: str) -> None:
    """Without a tag the release is a guess by what it supports; with one it is exact."""
    releases = kafka_settings().releases

    assert identify(VersionRange(7, level), releases) == Identity(release, False, profile)
    assert identify(VersionRange(7, level), releases, "4.9.9") == Identity("4.9.9", True, profile)


@pytest.mark.parametrize(("level", "nearest"), [(99, "kafka-4.4"), (21, "kafka-4.0"), (1, "kafka-4.0")])
def test_an_unknown_release_is_judged_by_the_nearest_and_says_so(level: int, nearest: str) -> None:
    """Users will judge releases that are newer than the kit."""
    identity = identify(VersionRange(1, level), kafka_settings().releases)

    assert (identity.version, identity.exact, identity.profile) == ("unknown", False, nearest)
    assert f"metadata.version up to {level}, and no known release does" in identity.notes[0]


def test_a_system_that_is_no_kafka_is_judged_by_the_text() -> None:
    """Without a metadata.version no release is nearest."""
    identity = identify(None, kafka_settings().releases, "1.2.3")

    assert (identity.version, identity.exact, identity.profile) == ("1.2.3", True, "seed")
    assert "reports no metadata.version" in identity.notes[0]
