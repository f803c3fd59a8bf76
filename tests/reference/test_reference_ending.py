"""EndTxn: the tables for new and old clients, and what a client sees of them."""

from typing import TypeAlias

import pytest
from reference_client import Client, Pair

from fencepost.reference.kafka.end_txn_rules import EndTxnEffect, RequestedTransaction, end_of_new_client, end_of_old_client
from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.transaction import Decision, KafkaTransactionState

_Verdict: TypeAlias = EndTxnEffect | Errors

COMMIT, ABORT = Decision.COMMIT, Decision.ABORT
DECIDE, AGAIN = EndTxnEffect.PREPARE, EndTxnEffect.ANSWER_AGAIN
FENCED, INVALID = Errors.PRODUCER_FENCED, Errors.INVALID_TXN_STATE

NEW_CLIENT: dict[KafkaTransactionState, tuple[_Verdict, _Verdict, _Verdict, _Verdict]] = {
    # abort at the last epoch, abort at the current one, commit at the last, commit at the current
    KafkaTransactionState.EMPTY: (FENCED, DECIDE, FENCED, INVALID),
    KafkaTransactionState.ONGOING: (FENCED, DECIDE, FENCED, DECIDE),
    KafkaTransactionState.COMPLETE_COMMIT: (INVALID, DECIDE, AGAIN, INVALID),
    KafkaTransactionState.COMPLETE_ABORT: (AGAIN, DECIDE, INVALID, INVALID),
}

OLD_CLIENT: dict[KafkaTransactionState, tuple[_Verdict, _Verdict]] = {
    # commit, abort
    KafkaTransactionState.EMPTY: (INVALID, INVALID),
    KafkaTransactionState.ONGOING: (DECIDE, DECIDE),
    KafkaTransactionState.COMPLETE_COMMIT: (AGAIN, INVALID),
    KafkaTransactionState.COMPLETE_ABORT: (INVALID, AGAIN),
}


def _new(state: KafkaTransactionState, decision: Decision, asked: RequestedTransaction) -> _Verdict:
    try:
        return end_of_new_client(state, decision, asked)
    except RequestRefused as refusal:
        return refusal.error


def _old(state: KafkaTransactionState, decision: Decision) -> _Verdict:
    try:
        return end_of_old_client(state, decision)
    except RequestRefused as refusal:
        return refusal.error


@pytest.mark.parametrize("state", NEW_CLIENT)
def test_the_table_of_new_clients(state: KafkaTransactionState) -> None:
    """EndTxn v5 by state, decision and epoch."""
    verdicts = tuple(
        _new(state, decision, asked) for decision in (ABORT, COMMIT) for asked in (RequestedTransaction.RETRY, RequestedTransaction.CURRENT)
    )

    assert verdicts == NEW_CLIENT[state]


@pytest.mark.parametrize("state", KafkaTransactionState)
@pytest.mark.parametrize("decision", Decision)
def test_any_other_epoch_is_fenced(state: KafkaTransactionState, decision: Decision) -> None:
    """Two epochs behind, or ahead: PRODUCER_FENCED in every state."""
    assert _new(state, decision, RequestedTransaction.NEITHER) is FENCED


@pytest.mark.parametrize("state", OLD_CLIENT)
def test_the_table_of_old_clients(state: KafkaTransactionState) -> None:
    """EndTxn v0 to v4 by state and decision, at the current epoch."""
    assert tuple(_old(state, decision) for decision in (COMMIT, ABORT)) == OLD_CLIENT[state]


@pytest.mark.parametrize("commit", [True, False])
def test_the_end_bumps_the_epoch_everywhere(commit: bool) -> None:
    """The answer, the coordinator and the marker have the epoch plus one."""
    client = Client()
    pair = client.producer("x")
    client.write("x", pair, 0, 0)

    assert client.end("x", pair, commit=commit) == (0, pair.plus(1))

    assert client.state("x") == ("CompleteCommit" if commit else "CompleteAbort", pair.plus(1))
    assert [marker[1] for marker in client.markers(0)] == [pair.plus(1)]


@pytest.mark.parametrize("version", range(5))
def test_old_versions_keep_the_epoch(version: int) -> None:
    """EndTxn v0 to v4: no pair in the answer, the epoch stays, and a repetition changes nothing."""
    client = Client()
    pair = client.producer("x")
    client.add("x", pair, 0)

    assert client.end("x", pair, commit=True, version=version) == (0, Pair(-1, -1))
    assert client.end("x", pair, commit=True, version=version) == (0, Pair(-1, -1))
    assert client.end("x", pair, commit=False, version=version) == (48, Pair(-1, -1))

    assert client.state("x") == ("CompleteCommit", pair)
    assert [marker[1] for marker in client.markers(0)] == [pair]


@pytest.mark.parametrize(("version", "error"), [(0, 47), (1, 47), (2, 90), (4, 90), (5, 90)])
@pytest.mark.parametrize("off_by", [-2, 1])
def test_a_wrong_epoch_is_fenced_in_the_words_of_the_version(version: int, error: int, off_by: int) -> None:
    """PRODUCER_FENCED from v2 on; older clients have only INVALID_PRODUCER_EPOCH."""
    client = Client()
    pair = client.producer("x")
    for _ in range(3):
        _, pair = client.init("x", pair)

    assert client.end("x", pair.plus(off_by), commit=True, version=version) == (error, Pair(-1, -1))


@pytest.mark.parametrize("commit", [True, False])
@pytest.mark.parametrize("off_by", [-1, 0])
def test_while_markers_are_in_flight_every_end_of_a_new_client_is_notified_to_wait(commit: bool, off_by: int) -> None:
    """CONCURRENT_TRANSACTIONS comes before every other check, also that of the epoch; then the retry is answered."""
    client = Client()
    pair = client.producer("x")
    client.write("x", pair, 0, 0)
    client.hold_markers()
    _, bumped = client.end("x", pair, commit=True)

    assert client.end("x", bumped.plus(off_by), commit=commit) == (51, Pair(-1, -1))
    assert client.state("x") == ("PrepareCommit", bumped)

    client.release_markers()
    assert client.end("x", pair, commit=True) == (0, bumped)


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


@pytest.mark.parametrize("version", [4, 5])
def test_who_is_not_known_cannot_end(version: int) -> None:
    """Unknown id or other producer id: 49. An empty id: 42."""
    client = Client()
    pair = client.producer("x")

    assert client.end("y", pair, commit=True, version=version)[0] == 49
    assert client.end("x", Pair(pair.producer_id + 1, pair.epoch), commit=True, version=version)[0] == 49
    assert client.end("", pair, commit=True, version=version)[0] == 42


def test_an_empty_abort_bumps_and_writes_nothing() -> None:
    """The state is CompleteAbort and no log has grown."""
    client = Client()
    pair = client.producer("x")

    assert client.end("x", pair, commit=False) == (0, pair.plus(1))

    assert client.state("x") == ("CompleteAbort", pair.plus(1))
    assert [client.end_offset(partition) for partition in range(3)] == [0, 0, 0]


@pytest.mark.parametrize("commit", [True, False])
def test_the_epoch_overflows_into_a_new_producer_id(commit: bool) -> None:
    """The answer has the next id at once; the marker has the old one with the largest epoch; a retry is answered alike."""
    client = Client()
    pair = client.producer("x")
    while pair.epoch < 32_766:
        _, pair = client.init("x", pair)
    client.write("x", pair, 0, 0)

    error, following = client.end("x", pair, commit=commit)

    assert (error, following.epoch) == (0, 0)
    assert following.producer_id != pair.producer_id
    assert client.end("x", pair, commit=commit) == (0, following)
    assert client.end("x", pair, commit=not commit)[0] == 48
    assert [marker[1] for marker in client.markers(0)] == [pair.plus(1)]
    assert client.error_of_write("x", following, 0, 0) == 0
    assert client.end("x", following, commit=True) == (0, following.plus(1))
