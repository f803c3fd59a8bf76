"""Timeouts, crashes and restarts, and a coordinator that loads."""

from typing import Any

import pytest
from reference_client import COMMITTED, Client, Pair

from fencepost.reference.kafka import CRASH_POINTS
from fencepost.reference.kafka.kafka_errors import Errors
from fencepost.wire.kafka.batches import MarkerType
from fencepost.wire.kafka.entities import request


def crashed(client: Client) -> None:
    client.broker.crash()
    client.broker.restart()


@pytest.mark.parametrize(("profile", "bumps"), [("seed", 1), ("kafka-4.0", 2), ("kafka-4.1", 1)])
def test_a_transaction_that_outlives_its_timeout_is_aborted(profile: str, bumps: int) -> None:
    """Within one clean-up interval, with a marker of a bumped epoch; its producer is fenced."""
    client = Client(profile)
    pair = client.producer("x", timeout_ms=1000)
    client.write("x", pair, 0, 0)

    client.broker.advance(1000)
    assert client.state("x") == ("Ongoing", pair)
    client.broker.advance(200)

    assert client.state("x") == ("CompleteAbort", pair.plus(bumps))
    assert client.markers(0) == [(MarkerType.ABORT, pair.plus(bumps), 0)]
    assert client.error_of_write("x", pair, 0, 1) == 47
    assert client.end("x", pair, commit=True, version=4)[0] == 90
    assert client.end("x", pair, commit=True)[0] == (48 if bumps == 1 else 90)


def test_a_broker_that_is_down_answers_nothing() -> None:
    """Every connection is closed, time passes, and the restart finds the durable state."""
    client = Client()
    pair = client.producer("x")
    client.broker.crash()
    before = client.broker.now_ms

    assert client.send("api_versions", 0) is None
    client.broker.advance(1000)
    assert (client.broker.now_ms, client.broker.is_up) == (before + 1000, False)

    client.broker.restart()
    assert client.state("x") == ("Empty", pair)


def test_logs_and_identities_are_the_same_after_a_crash() -> None:
    """Batches byte by byte, aborted transactions, epochs; and no producer id is given out again."""
    client = Client()
    pair = client.producer("x")
    client.write("x", pair, 0, 0)
    client.end("x", pair, commit=False)
    client.state("x")
    seen = (client.fetch(0), client.fetch(1), client.known_producers(0), client.describe("x"))

    crashed(client)

    assert (client.fetch(0), client.fetch(1), client.known_producers(0), client.describe("x")) == seen
    assert client.producer("y").producer_id > pair.producer_id


def test_an_armed_crash_point_takes_the_answer_and_the_broker() -> None:
    """The request is not answered, the broker is down, and the point works once."""
    client = Client()
    pair = client.producer("x")
    client.broker.crash_at("after-data-appended")

    fields: dict[str, Any] = {"transactional_id": "x", "producer_id": pair.producer_id, "producer_epoch": pair.epoch}
    with pytest.raises(AssertionError, match="connection was closed"):
        client.write("x", pair, 0, 0)
    assert client.send("end_txn", 5, **fields, committed=True) is None

    client.broker.restart()
    assert client.values(0) == ["v"]
    assert client.error_of_write("x", pair, 0, 0) == 0
    assert client.end_offset(0) == 1


@pytest.mark.parametrize("point", [point for point in CRASH_POINTS if point not in ("after-data-appended", "after-partition-added")])
@pytest.mark.parametrize("commit", [True, False])
def test_an_end_that_got_no_answer_ends_alike_everywhere(point: str, commit: bool) -> None:
    """At whichever point it crashes: after a restart and a retry, all partitions have the same decision and no transaction is open."""
    client = Client()
    pair = client.producer("x")
    client.write("x", pair, 0, 0)
    client.write("x", pair, 1, 0)
    client.broker.crash_at(point)

    client.broker.handle(
        request("end_txn", 5, transactional_id="x", producer_id=pair.producer_id, producer_epoch=pair.epoch, committed=commit)
    )
    client.send("api_versions", 0)  # markers are sent before the next request is handled
    assert not client.broker.is_up
    client.broker.restart()
    client.send("api_versions", 0)

    assert client.end("x", pair, commit=commit) == (0, pair.plus(1))
    assert client.state("x")[0] == ("CompleteCommit" if commit else "CompleteAbort")
    decisions = {marker[:2] for partition in (0, 1) for marker in client.markers(partition)}
    assert decisions == {(MarkerType.COMMIT if commit else MarkerType.ABORT, pair.plus(1))}
    assert all(client.end_offset(partition, COMMITTED) == client.end_offset(partition) for partition in (0, 1))


def test_a_crash_after_the_addition_leaves_a_transaction_without_data() -> None:
    """The partition is in the transaction and empty, and the batch can be sent again."""
    client = Client()
    pair = client.producer("x")
    client.broker.crash_at("after-partition-added")
    with pytest.raises(AssertionError, match="connection was closed"):
        client.write("x", pair, 0, 0)
    client.broker.restart()

    assert (client.state("x")[0], client.end_offset(0)) == ("Ongoing", 0)
    assert client.error_of_write("x", pair, 0, 0) == 0


def test_a_crash_while_time_passes_stops_the_broker_only() -> None:
    """The timeout is due, the broker crashes in it, and time passes to where it was advanced."""
    client = Client()
    pair = client.producer("x", timeout_ms=1000)
    client.write("x", pair, 0, 0)
    client.broker.crash_at("after-decision-logged")
    end = client.broker.now_ms + 5000

    client.broker.advance(5000)

    assert (client.broker.is_up, client.broker.now_ms) == (False, end)
    client.broker.restart()
    assert client.state("x") == ("CompleteAbort", Pair(pair.producer_id, 1))


def open_on_two_partitions(client: Client) -> Pair:
    pair = client.producer("x")
    client.write("x", pair, 0, 0)
    client.write("x", pair, 1, 0)
    return pair


def test_a_coordinator_that_loads_answers_every_client_to_retry() -> None:
    """Each API has its own error for it, none of them is definite, and the same requests succeed when the log is read."""
    client = Client()
    pair = open_on_two_partitions(client)
    client.broker.crash()
    client.broker.start_again()

    assert client.init("x")[0] == Errors.COORDINATOR_LOAD_IN_PROGRESS
    assert client.add("x", pair, 2) == [Errors.COORDINATOR_LOAD_IN_PROGRESS]
    assert client.end("x", pair, commit=True)[0] == Errors.COORDINATOR_LOAD_IN_PROGRESS
    assert client.describe("x").error_code == Errors.COORDINATOR_LOAD_IN_PROGRESS
    listed = client.ask("list_transactions", 0, state_filters=[], producer_id_filters=[])
    assert (listed.error_code, listed.transaction_states) == (Errors.COORDINATOR_LOAD_IN_PROGRESS, ())
    for version in (10, 11, 12):
        assert client.error_of_write("x", pair, 2, 0, version=version) == Errors.NOT_ENOUGH_REPLICAS
    assert client.error_of_write("x", pair, 0, 1) == Errors.NONE, "the log knows that the transaction is open, and asks no coordinator"

    client.broker.advance(100)
    assert client.error_of_write("x", pair, 2, 0) == Errors.NONE
    assert client.end("x", pair, commit=True) == (Errors.NONE, pair.plus(1))


def test_a_restart_that_is_waited_for_loads_at_once() -> None:
    """Only `start_again` takes its time."""
    client = Client()
    pair = open_on_two_partitions(client)
    client.broker.crash()
    client.broker.restart()

    assert client.end("x", pair, commit=True) == (Errors.NONE, pair.plus(1))
