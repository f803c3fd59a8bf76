"""The owner of a transactional id: InitProducerId, verification, and an end that has to wait."""

import pytest
from reference_client import Client, Pair

from fencepost.reference.kafka.transaction import Decision, KafkaTransaction, KafkaTransactionState

NO_USERS = Pair(-1, -1)


@pytest.mark.parametrize(
    ("name", "pair", "timeout_ms", "error"),
    [
        ("", None, 1000, 42),
        ("x", None, 0, 50),
        ("x", None, -1, 50),
        ("x", None, 900_001, 50),
        ("x", Pair(1, -1), 1000, 42),
        ("x", Pair(-1, 1), 1000, 42),
        (None, Pair(-1, 1), 1000, 42),
    ],
)
def test_a_request_that_makes_no_sense_gets_no_pair(name: str | None, pair: Pair | None, timeout_ms: int, error: int) -> None:
    """An empty id, a timeout out of range, half a pair."""
    assert Client().init(name, pair, timeout_ms=timeout_ms) == (error, NO_USERS)


@pytest.mark.parametrize(
    ("profile", "says_who_it_is", "error", "bumps"),
    [("seed", False, 0, 2), ("seed", True, 0, 1), ("kafka-4.0", False, 0, 3), ("kafka-4.0", True, 90, None)],
)
def test_a_new_owner_aborts_the_open_transaction(profile: str, says_who_it_is: bool, error: int, bumps: int | None) -> None:
    """51 first; then the epoch is larger by two, by one for the owner itself. Kafka 4.0.0 bumps once more."""
    client = Client(profile)
    pair = client.producer("x")
    client.write("x", pair, 0, 0)
    supplied = pair if says_who_it_is else None

    assert client.init("x", supplied) == (51, NO_USERS)

    assert client.init("x", supplied) == (error, NO_USERS if bumps is None else pair.plus(bumps))
    assert client.error_of_write("x", pair, 0, 1) == 47
    assert client.end("x", pair, commit=True) == (90, NO_USERS)
    assert [marker[0].name for marker in client.markers(0)] == ["ABORT"]


def test_ownership_waits_for_the_markers() -> None:
    """While a transaction is being completed, InitProducerId gets CONCURRENT_TRANSACTIONS, from any client."""
    client = Client()
    pair = client.producer("x")
    client.write("x", pair, 0, 0)
    client.hold_markers()
    client.end("x", pair, commit=True)

    assert client.init("x") == (51, NO_USERS)
    assert client.init("x", Pair(999, 3)) == (51, NO_USERS)


@pytest.mark.parametrize(("profile", "refusal"), [("seed", 48), ("kafka-4.0", 120), ("kafka-4.3", 120)])
def test_verifying_reports_each_partition_and_changes_nothing(profile: str, refusal: int) -> None:
    """0 for a partition in the transaction, and else the profile's error; the same at a repetition."""
    client = Client(profile)
    pair = client.producer("x")
    assert client.verify("x", pair, 0) == [refusal]
    client.add("x", pair, 0)
    before = client.describe("x")

    assert client.verify("x", pair, 0, 1) == [0, refusal]
    assert client.verify("x", pair, 0, 1) == [0, refusal]

    assert client.describe("x") == before
    assert client.verify("x", pair.plus(1), 0) == [90]
    assert client.verify("x", Pair(1, 0), 0) == [49]
    client.hold_markers()
    client.end("x", pair, commit=True)
    assert client.verify("x", pair.plus(1), 0) == [51]


def test_the_state_machine_has_no_other_transitions() -> None:
    """A prepared transaction can only be completed; an idle id cannot commit."""
    empty = KafkaTransaction("x", 1, 0, 1000)
    prepared = empty.prepare(Decision.ABORT, bumps=1)

    with pytest.raises(AssertionError, match="from PrepareAbort to Ongoing is no transition"):
        prepared.add(frozenset(), 2, 0)
    with pytest.raises(AssertionError, match="from Empty to PrepareCommit is no transition"):
        empty.prepare(Decision.COMMIT, bumps=1)
    assert prepared.completed().state is KafkaTransactionState.COMPLETE_ABORT


@pytest.mark.parametrize("commit", [True, False])
def test_old_clients_are_fenced_before_they_are_notified_to_wait(commit: bool) -> None:
    """In v4 the epoch is checked first."""
    client = Client()
    pair = client.producer("x")
    client.add("x", pair, 0)
    client.hold_markers()
    client.end("x", pair, commit=True, version=4)

    assert client.end("x", pair.plus(1), commit=commit, version=4)[0] == 90
    assert client.end("x", pair, commit=commit, version=4)[0] == 51
