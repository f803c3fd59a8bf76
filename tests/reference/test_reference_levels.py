"""The levels of features: what transaction.version decides."""

import pytest
from reference_client import Client

from fencepost.wire.kafka.batches import MarkerType

UNSUPPORTED_VERSION, CONCURRENT_TRANSACTIONS = 35, 51
RELEASES = ["kafka-4.0", "kafka-4.1", "kafka-4.2", "kafka-4.3", "kafka-4.4"]


@pytest.mark.parametrize("level", [0, 1])
def test_below_level_2_the_server_fences_as_it_did_before(level: int) -> None:
    """One epoch more, in the marker too, whatever the release does at level 2."""
    client = Client("kafka-4.0")
    client.set_level(level)
    pair = client.producer("x", timeout_ms=1000)
    client.add("x", pair, 0)
    client.write("x", pair, 0, 0, version=11)

    client.broker.advance(2000)

    assert client.state("x") == ("CompleteAbort", pair.plus(1))
    assert [(kind, marked) for kind, marked, _ in client.markers(0)] == [(MarkerType.ABORT, pair.plus(1))]


@pytest.mark.parametrize("profile", RELEASES)
def test_at_level_0_the_releases_refuse_the_new_protocol_and_keep_the_id_stuck(profile: str) -> None:
    """The first request is answered UNSUPPORTED_VERSION and stores nothing; later ones CONCURRENT_TRANSACTIONS."""
    client = Client(profile)
    client.set_level(0)
    pair = client.producer("x")

    assert client.error_of_write("x", pair, 0, 0) == UNSUPPORTED_VERSION

    assert client.values(0) == []
    assert client.state("x") == ("Empty", pair)
    assert client.init("x")[0] == CONCURRENT_TRANSACTIONS
    assert client.end("x", pair, commit=False, version=4)[0] == CONCURRENT_TRANSACTIONS


def test_at_level_0_the_text_serves_every_request() -> None:
    """It leaves out what an old record has no field for."""
    client = Client("seed")
    client.set_level(0)
    pair = client.producer("x")

    assert client.error_of_write("x", pair, 0, 0) == 0
    assert client.end("x", pair, commit=True) == (0, pair.plus(1))


@pytest.mark.parametrize(
    ("profile", "is_up", "state"), [("seed", True, "CompleteCommit"), ("kafka-4.2", True, "PrepareCommit"), ("kafka-4.3", False, "")]
)
def test_a_prepared_transaction_under_a_downgrade(profile: str, is_up: bool, state: str) -> None:
    """By the text it completes; by the releases it stays prepared with its markers written, or the broker ends at its start."""
    client = Client(profile)
    pair = client.producer("x")
    client.write("x", pair, 0, 0)
    client.hold_markers()
    client.end("x", pair, commit=True)
    client.set_level(0)

    client.broker.crash()
    client.release_markers()
    client.broker.restart()

    assert client.broker.is_up == is_up
    if is_up:
        client.broker.advance(200)
        assert client.state("x")[0] == state
        assert [kind for kind, _, _ in client.markers(0)] == [MarkerType.COMMIT]
