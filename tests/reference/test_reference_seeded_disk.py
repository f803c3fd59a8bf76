"""A seeded disk, and what a broker at the end of the epochs does with it."""

import pytest
from reference_client import Client, Pair

from fencepost.reference.kafka import Profile, ReferenceKafka, Settings, disk_after_bumps
from fencepost.wire.kafka.batches import MarkerType

LAST = 32_766

DESCRIBING = [name for name in Profile.names() if "describe_transactions" in Profile.load(name).apis]
"""The errors about a transaction's outcome, which this test is about."""


def at_the_end(profile: str = "seed", timeout_ms: int = 60_000) -> tuple[Client, Pair]:
    """A client whose id `x` is at the last usable epoch."""
    client = Client(profile)
    disk, owner = disk_after_bumps("x", LAST - 1)
    client.broker = ReferenceKafka(Profile.load(profile), settings=Settings(clean_up_interval_ms=200), disk=disk)
    client.create("t", 3)
    error, pair = client.init("x", Pair(owner.producer_id, owner.epoch), timeout_ms=timeout_ms)
    assert (error, pair) == (0, Pair(owner.producer_id, LAST))
    return client, pair


@pytest.mark.parametrize("profile", DESCRIBING)
def test_a_disk_with_a_past_is_that_of_a_broker_that_was_asked_so_often(profile: str) -> None:
    """After a restart both answer alike, to a retry, to another client and to the owner."""
    asked = Client(profile)
    pair = asked.producer("x")
    for _ in range(5):
        _, pair = asked.init("x", pair)
    asked.broker.crash()
    asked.broker.restart()
    given = Client(profile)
    disk, owner = disk_after_bumps("x", 5)
    given.broker = ReferenceKafka(Profile.load(profile), settings=Settings(clean_up_interval_ms=200), disk=disk)

    def answers(client: Client) -> list[object]:
        return [client.state("x"), *(client.init("x", Pair(pair.producer_id, epoch)) for epoch in (4, 0, 5)), client.state("x")]

    assert Pair(owner.producer_id, owner.epoch) == pair
    assert answers(given) == answers(asked)


def test_a_timeout_at_the_last_epoch_moves_on_to_a_new_producer_id() -> None:
    """The marker has the old one; the producer that aborts afterwards gets the new one."""
    client, pair = at_the_end(timeout_ms=1000)
    client.write("x", pair, 0, 0)

    client.broker.advance(5000)

    state, following = client.state("x")
    assert (state, following.epoch) == ("CompleteAbort", 0)
    assert [marker[:2] for marker in client.markers(0)] == [(MarkerType.ABORT, pair.plus(1))]
    assert client.end("x", pair, commit=False) == (0, following)
    assert client.init("x") == (0, following.plus(1))


@pytest.mark.parametrize("level", [0, 1])
def test_below_level_2_the_owner_moves_on_to_a_new_producer_id_too(level: int) -> None:
    """The server's abort leaves the epoch of markers there, which InitProducerId answers neither to the owner nor to its retry."""
    client, pair = at_the_end(timeout_ms=1000)
    client.set_level(level)
    client.write("x", pair, 0, 0)

    client.broker.advance(5000)

    error, following = client.init("x", pair)
    assert (error, following.epoch) == (0, 0)
    assert client.init("x", pair) == (0, following)


@pytest.mark.parametrize("profile", ["kafka-4.1", "kafka-4.2"])
def test_some_releases_stay_with_the_epoch_of_the_marker(profile: str) -> None:
    """KAFKA-20090, as seen on 4.1.1: the retry of the owner gets an internal error."""
    client, pair = at_the_end(profile, timeout_ms=1000)
    client.write("x", pair, 0, 0)

    client.broker.advance(5000)

    assert client.state("x") == ("CompleteAbort", pair.plus(1))
    assert client.end("x", pair, commit=False) == (0, pair.plus(1))
    assert client.init("x", pair) == (-1, Pair(-1, -1))
    assert client.init("x")[1].epoch == 0


def test_the_first_release_leaves_the_transaction_open() -> None:
    """As seen on 4.0.0: neither a timeout nor a takeover ends it, and no client has its epoch."""
    client, pair = at_the_end("kafka-4.0", timeout_ms=1000)
    client.write("x", pair, 0, 0)

    client.broker.advance(5000)

    assert client.state("x") == ("Ongoing", pair.plus(1))
    assert client.init("x") == (-1, Pair(-1, -1))
    assert client.end("x", pair, commit=False)[0] == 90
    assert client.markers(0) == []


@pytest.mark.parametrize("profile", [name for name in DESCRIBING if name != "seed"])
def test_releases_answer_an_internal_error_to_a_retried_bump_to_the_last_epoch(profile: str) -> None:
    """As seen on 4.0.0, 4.1.1 and 4.3.1; the text has no such exception."""
    client, pair = at_the_end(profile)

    assert client.init("x", Pair(pair.producer_id, LAST - 1)) == (-1, Pair(-1, -1))
    assert client.state("x") == ("Empty", pair)


@pytest.mark.parametrize(("profile", "is_kept"), [("seed", True), ("kafka-4.3", True), ("kafka-4.2", False), ("kafka-4.0", False)])
def test_what_a_crash_leaves_of_an_overflow(profile: str, is_kept: bool) -> None:
    """KAFKA-20310: without the next producer id on disk, the transaction is completed with the old one."""
    client, pair = at_the_end(profile)
    client.write("x", pair, 0, 0)
    client.hold_markers()
    _, following = client.end("x", pair, commit=True)
    client.broker.crash()
    client.release_markers()
    client.broker.restart()

    due = following if is_kept else pair.plus(1)
    assert client.state("x") == ("CompleteCommit", due)
    assert client.end("x", pair, commit=True) == (0, due)
