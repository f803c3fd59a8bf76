"""InitProducerId and AddPartitionsToTxn: the owner of a transactional id, and the partitions of its transaction."""

import pytest
from reference_client import Client, Pair

from fencepost.reference.kafka.transaction import Decision, KafkaTransaction, KafkaTransactionState

NO_USERS = Pair(-1, -1)


def test_a_new_id_gets_a_new_producer_id_whatever_is_supplied() -> None:
    """Epoch 0, and no id is given out twice."""
    client = Client()

    given = [client.init("x"), client.init("y", Pair(123, 7)), client.init(None), client.init(None)]

    assert [(error, pair.epoch) for error, pair in given] == [(0, 0)] * 4
    assert len({pair.producer_id for _, pair in given} | {123}) == 5


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


def test_asking_again_with_the_last_epoch_bumps_once() -> None:
    """A client that missed the answer gets it again; two epochs behind, ahead, or another producer id are fenced."""
    client = Client()
    pair = client.producer("x")
    first = client.init("x", pair)
    again = client.init("x", pair)
    assert first == again == (0, pair.plus(1))

    _, current = client.init("x", pair.plus(1))

    for wrong in (pair, current.plus(1), Pair(pair.producer_id + 1, current.epoch)):
        assert client.init("x", wrong) == (90, NO_USERS)
    assert client.init("x", pair, version=3) == (47, NO_USERS)
    assert client.state("x") == ("Empty", current)


def test_a_new_instance_fences_the_retry_of_the_old_one() -> None:
    """After an InitProducerId without a pair, the coordinator remembers no last epoch."""
    client = Client()
    pair = client.producer("x")

    assert client.init("x") == (0, pair.plus(1))

    assert client.init("x", pair) == (90, NO_USERS)


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


def test_an_exhausted_epoch_goes_on_with_a_new_producer_id() -> None:
    """After 32766 comes a new id at 0; the retry is answered alike, one epoch earlier is fenced."""
    client = Client()
    pair = client.producer("x")
    while pair.epoch < 32_766:
        _, pair = client.init("x", pair)

    error, rotated = client.init("x", pair)

    assert (error, rotated.epoch) == (0, 0)
    assert rotated.producer_id != pair.producer_id
    assert client.init("x", pair) == (0, rotated)
    assert client.init("x", pair.plus(-1)) == (90, NO_USERS)


def test_added_partitions_begin_a_transaction_once() -> None:
    """The first addition sets the start; the same partitions again change nothing; others join."""
    client = Client()
    pair = client.producer("x")
    assert client.describe("x").transaction_start_time == -1

    assert client.add("x", pair, 0) == [0]
    started = client.describe("x").transaction_start_time
    client.broker.advance(10)
    assert client.add("x", pair, 0) == [0]
    assert client.add("x", pair, 1) == [0]

    described = client.describe("x")
    assert (described.transaction_state, described.transaction_start_time) == ("Ongoing", started)
    assert [(topic.topic, topic.partitions) for topic in described.topics] == [("t", (0, 1))]


def test_an_unknown_partition_keeps_the_others_out() -> None:
    """3 for it, 55 for the others, and nothing is added."""
    client = Client()
    pair = client.producer("x")

    assert client.add("x", pair, 0, 7) == [55, 3]
    assert client.state("x") == ("Empty", pair)


@pytest.mark.parametrize(("version", "fenced"), [(0, 47), (1, 47), (2, 90), (3, 90)])
def test_who_may_add_partitions(version: int, fenced: int) -> None:
    """The owner at its epoch, neither older nor newer; no other client."""
    client = Client()
    _, pair = client.init("x", client.producer("x"))

    assert client.add("x", pair.plus(1), 0, version=version) == [fenced]
    assert client.add("x", pair.plus(-1), 0, version=version) == [fenced]
    assert client.add("x", Pair(pair.producer_id + 1, pair.epoch), 0, version=version) == [49]
    assert client.add("y", pair, 0, version=version) == [49]
    assert client.add("", pair, 0, version=version) == [42]


def test_adding_waits_for_the_markers() -> None:
    """While the last transaction is being completed, the next one cannot begin."""
    client = Client()
    pair = client.producer("x")
    client.add("x", pair, 0)
    client.hold_markers()
    client.end("x", pair, commit=True, version=4)

    assert client.add("x", pair, 1) == [51]


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


def test_batched_transactions_fare_independently() -> None:
    """One request of a broker for two transactions: one is added, the other fenced."""
    client = Client()
    pairs = {name: client.producer(name) for name in "xy"}
    topics = [{"name": "t", "partitions": [0]}]
    entries = [
        {"transactional_id": name, "producer_id": pair.producer_id, "producer_epoch": pair.epoch + bump, "verify_only": False}
        for (name, pair), bump in zip(pairs.items(), (0, 1), strict=True)
    ]

    answer = client.ask("add_partitions_to_txn", 4, transactions=[{**entry, "topics": topics} for entry in entries])

    results = {str(entry.transactional_id): entry.topic_results[0].results_by_partition[0] for entry in answer.results_by_transaction}
    assert {name: int(result.partition_error_code) for name, result in results.items()} == {"x": 0, "y": 90}
    assert (client.state("x")[0], client.state("y")[0]) == ("Ongoing", "Empty")
