"""An end without an answer has one outcome, whenever the system crashed; and a coordinator that loads reports it."""

import pytest
from reference_client import Client, Pair

from fencepost.reference.kafka.kafka_errors import Errors
from fencepost.wire.kafka.batches import MarkerType

OF_THE_END = ["before-decision-logged", "after-decision-logged", "after-marker-written", "before-complete-logged"]


def open_on_two_partitions(client: Client) -> Pair:
    pair = client.producer("x")
    client.write("x", pair, 0, 0)
    client.write("x", pair, 1, 0)
    return pair


@pytest.mark.parametrize("commit", [True, False])
@pytest.mark.parametrize("point", OF_THE_END)
def test_a_crash_during_the_end_leaves_one_outcome(point: str, commit: bool) -> None:
    """A retry after the restart gets success with the next epoch, and every partition has markers of that decision alone."""
    client = Client()
    pair = open_on_two_partitions(client)
    client.broker.crash_at(point)

    client.send("end_txn", 5, transactional_id="x", producer_id=pair.producer_id, producer_epoch=pair.epoch, committed=commit)
    client.broker.advance(0)  # markers are in flight until the clock or a request moves them
    assert not client.broker.is_up
    client.broker.restart()
    while (answer := client.end("x", pair, commit=commit))[0] == Errors.CONCURRENT_TRANSACTIONS:
        client.broker.advance(200)

    assert answer == (Errors.NONE, pair.plus(1))
    client.broker.advance(200)
    decision = MarkerType.COMMIT if commit else MarkerType.ABORT
    for partition in (0, 1):
        assert {(kind, of) for kind, of, _ in client.markers(partition)} == {(decision, pair.plus(1))}


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
    assert client.error_of_write("x", pair, 0, 1) == Errors.NONE, "the log knows that the transaction is open, and asks nobody"

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
