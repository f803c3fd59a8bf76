"""The probe's requests: when it retries, which node it asks, and how it treats contradictory answers."""

from typing import Any

import pytest
from scripted_broker import (
    ATTEMPTS,
    BOOTSTRAP,
    SECOND,
    Answer,
    ScriptedBroker,
    coordinator_at,
    hangs_up,
    leader_at,
    says,
)

from fencepost.adapters.kafka.kafka_values import (
    AbortedTransaction,
    Appended,
    IsolationLevel,
    ProducerIdentity,
    TopicPartition,
    TransactionDescription,
)
from fencepost.adapters.kafka.offer import KafkaOffer, VersionRange
from fencepost.contract.errors import Malformed, NotOffered
from fencepost.contract.outcomes import Done, Refused, Unknown
from fencepost.wire.kafka.batches import Batch, EndTransactionMarker, MarkerType, Record, encode, marker_batch

PAIR = ProducerIdentity(7, 3)
PAYMENTS = TopicPartition("payments", 0)
NEXT = {"producer_id": 7, "producer_epoch": 4}
NONE = {"producer_id": -1, "producer_epoch": -1}


def end_txn(code: int, **fields: int) -> Answer:
    return says(error_code=code, **fields)


def appended(code: int, offset: int = -1, message: str | None = None) -> Answer:
    result: dict[str, Any] = {"index": 0, "error_code": code, "base_offset": offset, "log_append_time": None, "log_start_offset": offset}
    result |= {"record_errors": [], "error_message": message}
    return says(responses=[{"name": "payments", "partition_responses": [result]}])


def offset(value: int) -> Answer:
    result = {"partition_index": 0, "error_code": 0, "timestamp": -1, "offset": value, "leader_epoch": 0}
    return says(topics=[{"name": "payments", "partitions": [result]}])


def page(*batches: Batch, end: int, aborted: list[dict[str, int]] | None = None, records: bytes | None = None) -> Answer:
    result: dict[str, Any] = {"partition_index": 0, "error_code": 0, "high_watermark": end, "last_stable_offset": end}
    result |= {"log_start_offset": 0, "aborted_transactions": aborted, "records": records or b"".join(map(encode, batches))}
    return says(error_code=0, session_id=0, responses=[{"topic": "payments", "partitions": [result]}])


def described(state: str) -> Answer:
    fields = {"error_code": 0, "transactional_id": "t", "transaction_state": state, "transaction_timeout": 60_000}
    return says(transaction_states=[{**fields, "transaction_start_time": -1, **NEXT, "topics": []}])


def test_a_version_that_is_not_offered_is_not_sent() -> None:
    """The refusal names the API, the version, and the offered versions."""
    broker = ScriptedBroker()
    probe, _ = broker.probe(KafkaOffer({"end_txn": VersionRange(0, 4), "find_coordinator": VersionRange(0, 6)}))

    with pytest.raises(NotOffered, match="EndTxn v5: the broker offers v0 to v4"):
        probe.end_txn("t", PAIR, commit=True)
    with pytest.raises(NotOffered, match="InitProducerId v0 to v5: the broker offers no version of it"):
        probe.init_producer_id("t")

    assert broker.asked == []


@pytest.mark.parametrize("code", [14, 15, 16, 51])
def test_a_coordinator_that_is_busy_or_away_is_asked_again(code: int) -> None:
    """Loading, not there, elsewhere, or still writing markers: a conforming client retries."""
    broker = ScriptedBroker(end_txn=[end_txn(code, **NONE), end_txn(code, **NONE), end_txn(0, **NEXT)])
    probe, _ = broker.probe()

    outcome = probe.end_txn("t", PAIR, commit=True)

    assert outcome == Done(ProducerIdentity(7, 4))
    assert broker.count("end_txn") == 3


def test_when_patience_ends_the_last_refusal_is_the_outcome() -> None:
    """A refusal stays definite however often it came, and keeps the other fields of the answer."""
    broker = ScriptedBroker(end_txn=[end_txn(51, **NONE)])
    probe, _ = broker.probe()

    outcome = probe.end_txn("t", PAIR, commit=True)

    assert outcome == Refused("CONCURRENT_TRANSACTIONS", 51, None, {"producer_id": -1, "producer_epoch": -1})
    assert broker.count("end_txn") == ATTEMPTS


def test_without_retry_the_first_refusal_is_the_outcome() -> None:
    """A scenario about CONCURRENT_TRANSACTIONS needs it."""
    broker = ScriptedBroker(end_txn=[end_txn(51, **NONE), end_txn(0, **NEXT)])
    probe, _ = broker.probe()

    outcome = probe.end_txn("t", PAIR, commit=True, retry=False)

    assert isinstance(outcome, Refused)
    assert broker.count("end_txn") == 1


@pytest.mark.parametrize("code", [47, 48, 49, 53, 90, 120])
def test_a_verdict_is_not_asked_again(code: int) -> None:
    """A scenario judges errors about the request itself."""
    broker = ScriptedBroker(end_txn=[end_txn(code, **NONE)])
    probe, _ = broker.probe()

    outcome = probe.end_txn("t", PAIR, commit=True)

    assert isinstance(outcome, Refused)
    assert outcome.code == code
    assert broker.count("end_txn") == 1


def test_a_write_without_an_answer_is_never_put_again() -> None:
    """Its outcome is unknown, and a second one could do it twice."""
    broker = ScriptedBroker(end_txn=[hangs_up])
    probe, _ = broker.probe()

    outcome = probe.end_txn("t", PAIR, commit=True)

    assert isinstance(outcome, Unknown)
    assert outcome.lost
    assert broker.count("end_txn") == 1


@pytest.mark.parametrize("code", [7, 20])
def test_a_write_that_the_broker_itself_is_unsure_of_is_unknown(code: int) -> None:
    """REQUEST_TIMED_OUT and NOT_ENOUGH_REPLICAS_AFTER_APPEND do not mean that nothing was written."""
    broker = ScriptedBroker(produce=[appended(code)])
    probe, _ = broker.probe()

    outcome = probe.produce(PAYMENTS, ["v"])

    assert isinstance(outcome, Unknown)
    assert "Produce v12 answered" in outcome.reason
    assert not outcome.lost
    assert broker.count("produce") == 1


def test_a_read_without_an_answer_is_put_again() -> None:
    """A read changes nothing, so a second one does no harm."""
    broker = ScriptedBroker(list_offsets=[hangs_up, offset(5)])
    probe, _ = broker.probe()

    assert probe.end_offset(PAYMENTS, IsolationLevel.READ_COMMITTED) == Done(5)


def test_a_stale_coordinator_is_looked_up_again() -> None:
    """After NOT_COORDINATOR the request goes to the node in FindCoordinator's next answer."""
    broker = ScriptedBroker(
        find_coordinator=[coordinator_at(BOOTSTRAP), coordinator_at(SECOND)], end_txn=[end_txn(16, **NONE), end_txn(0, **NEXT)]
    )
    probe, _ = broker.probe()

    outcome = probe.end_txn("t", PAIR, commit=True)

    assert isinstance(outcome, Done)
    assert broker.asked == [
        (BOOTSTRAP, "find_coordinator"),
        (BOOTSTRAP, "end_txn"),
        (BOOTSTRAP, "find_coordinator"),
        (SECOND, "end_txn"),
    ]


def test_a_coordinator_is_looked_up_once_while_it_is_right() -> None:
    """A known coordinator is not looked up again."""
    broker = ScriptedBroker(end_txn=[end_txn(0, **NEXT)])
    probe, _ = broker.probe()

    for _ in range(3):
        probe.end_txn("t", PAIR, commit=True)

    assert broker.count("find_coordinator") == 1


def test_a_coordinator_that_is_still_being_made_is_waited_for() -> None:
    """The first transactional id ever gets COORDINATOR_NOT_AVAILABLE from FindCoordinator."""
    broker = ScriptedBroker(find_coordinator=[coordinator_at(BOOTSTRAP, 15), coordinator_at(BOOTSTRAP)], end_txn=[end_txn(0, **NEXT)])
    probe, _ = broker.probe()

    assert isinstance(probe.end_txn("t", PAIR, commit=True), Done)


def test_finding_the_coordinator_is_patient_even_where_the_request_is_not() -> None:
    """The refusal of a look-up is not the refusal that a scenario needs."""
    broker = ScriptedBroker(
        find_coordinator=[coordinator_at(BOOTSTRAP, 15), hangs_up, coordinator_at(BOOTSTRAP)], end_txn=[end_txn(51, **NONE)]
    )
    probe, _ = broker.probe()

    outcome = probe.end_txn("t", PAIR, commit=True, retry=False)

    assert isinstance(outcome, Refused)
    assert outcome.error == "CONCURRENT_TRANSACTIONS"
    assert (broker.count("find_coordinator"), broker.count("end_txn")) == (3, 1)


def test_a_node_that_stopped_answering_is_looked_up_again() -> None:
    """After a lost connection the coordinator may be another node."""
    broker = ScriptedBroker(find_coordinator=[coordinator_at(BOOTSTRAP), coordinator_at(SECOND)], end_txn=[hangs_up, end_txn(0, **NEXT)])
    probe, _ = broker.probe()

    outcomes = [probe.end_txn("t", PAIR, commit=True) for _ in range(2)]

    assert isinstance(outcomes[0], Unknown)
    assert isinstance(outcomes[1], Done)
    assert broker.asked[-1] == (SECOND, "end_txn")


@pytest.mark.parametrize("stale", [leader_at(BOOTSTRAP, 3), leader_at(BOOTSTRAP, leader=-1)], ids=["unknown topic", "no leader"])
def test_a_leader_that_is_not_known_yet_is_waited_for(stale: Answer) -> None:
    """A node may not know a new topic, or the topic may have no leader yet."""
    broker = ScriptedBroker(metadata=[stale, leader_at(SECOND)], produce=[appended(0, offset=4)])
    probe, _ = broker.probe()

    outcome = probe.produce(PAYMENTS, ["v"])

    assert outcome == Done(Appended(4, 4))
    assert broker.asked[-1] == (SECOND, "produce")


def test_a_leader_that_an_answer_about_the_topic_has_named_is_not_looked_for() -> None:
    """Nor is one that such an answer names later: it is the newer one."""
    broker = ScriptedBroker(metadata=[leader_at(BOOTSTRAP), leader_at(SECOND)], produce=[appended(0, offset=4)])
    probe, _ = broker.probe()

    for node in (BOOTSTRAP, SECOND):
        probe.topic(PAYMENTS.topic)
        assert probe.produce(PAYMENTS, ["v"]) == Done(Appended(4, 4))
        assert broker.asked[-1] == (node, "produce")

    assert broker.count("metadata") == 2


def test_a_partition_that_the_topic_does_not_have_is_refused() -> None:
    """The topic is known, so its partitions are too."""
    probe, _ = ScriptedBroker().probe()

    outcome = probe.produce(TopicPartition("payments", 9), ["v"], retry=False)

    assert outcome == Refused("UNKNOWN_TOPIC_OR_PARTITION", 3, "Metadata names 2 partitions of payments")


def test_a_refused_batch_keeps_its_message_and_offsets() -> None:
    """The offsets show what refused the batch: a check before the log, or the log."""
    broker = ScriptedBroker(produce=[appended(48, message="Partition was not added to the transaction")])
    probe, _ = broker.probe()

    outcome = probe.produce(PAYMENTS, ["v"], producer=PAIR, transactional_id="t", sequence=0)

    assert outcome == Refused(
        "INVALID_TXN_STATE", 48, "Partition was not added to the transaction", {"base_offset": -1, "log_start_offset": -1}
    )


def test_an_answer_about_something_else_is_malformed() -> None:
    """A broker must answer for the partition in the request."""
    broker = ScriptedBroker(produce=[says(responses=[])])
    probe, _ = broker.probe()

    with pytest.raises(Malformed, match="Produce v12 answered 0 results for payments-0, expected one"):
        probe.produce(PAYMENTS, ["v"])


def test_settling_is_waited_for() -> None:
    """Ongoing and Prepare states are awaited; Empty and Complete states end the wait."""
    broker = ScriptedBroker(describe_transactions=[described("Ongoing"), described("PrepareCommit"), described("CompleteCommit")])
    probe, _ = broker.probe()

    assert probe.settled("t") == Done(TransactionDescription("CompleteCommit", ProducerIdentity(7, 4), 60_000, -1, frozenset()))


def test_what_does_not_settle_is_unknown_with_the_state_that_was_seen() -> None:
    """It might have settled later."""
    broker = ScriptedBroker(describe_transactions=[described("PrepareAbort")])
    probe, _ = broker.probe()

    outcome = probe.settled("t")

    assert isinstance(outcome, Unknown)
    assert "state='PrepareAbort'" in outcome.reason


def test_reading_goes_on_until_the_log_ends() -> None:
    """Several pages are one view; an aborted transaction that two pages list is one."""
    first = Batch((Record(b"a"), Record(b"b")), base_offset=0, producer_id=7, producer_epoch=3, transactional=True)
    second = Batch((Record(b"c"),), base_offset=2)
    listed = [{"producer_id": 7, "first_offset": 0}]
    broker = ScriptedBroker(list_offsets=[offset(0)], fetch=[page(first, end=3, aborted=listed), page(second, end=3, aborted=listed)])
    probe, _ = broker.probe()

    outcome = probe.read(PAYMENTS, IsolationLevel.READ_COMMITTED)

    assert isinstance(outcome, Done)
    assert outcome.value.batches == (first, second)
    assert outcome.value.aborted == (AbortedTransaction(7, 0),)
    assert outcome.value.high_watermark == 3


def test_reading_ends_where_that_isolation_level_ends() -> None:
    """There may be no visible record below the high watermark."""
    broker = ScriptedBroker(list_offsets=[offset(0)], fetch=[page(Batch((Record(b"a"),)), end=5), page(end=5)])
    probe, _ = broker.probe()

    outcome = probe.read(PAYMENTS, IsolationLevel.READ_COMMITTED)

    assert isinstance(outcome, Done)
    assert outcome.value.values() == ["a"]
    assert broker.count("fetch") == 2


def test_a_fetch_that_never_advances_is_malformed() -> None:
    """A broker that returns the same batch for every offset must not hold the suite for ever."""
    broker = ScriptedBroker(list_offsets=[offset(0)], fetch=[page(Batch((Record(b"a"),)), end=5)])
    probe, _ = broker.probe()

    with pytest.raises(Malformed, match=r"from offset 1 answered .* which end before it"):
        probe.read(PAYMENTS, IsolationLevel.READ_UNCOMMITTED)


def test_records_that_are_no_batches_are_malformed() -> None:
    """The bytes in a Fetch answer are judged like the rest of it."""
    broker = ScriptedBroker(list_offsets=[offset(0)], fetch=[page(end=5, records=b"\0" * 20)])
    probe, _ = broker.probe()

    with pytest.raises(Malformed, match="Fetch v12 of payments-0: the records are not batches: byte 0: a batch length of 0"):
        probe.read(PAYMENTS, IsolationLevel.READ_UNCOMMITTED)


def test_all_that_was_said_is_kept_in_order_with_its_batches_shown() -> None:
    """A failed scenario is explained by its requests and answers."""
    marker = marker_batch(EndTransactionMarker(MarkerType.ABORT, coordinator_epoch=2), 7, 3, 0)
    broker = ScriptedBroker(produce=[appended(0, offset=0)], list_offsets=[offset(0)], fetch=[page(marker, end=1)], end_txn=[hangs_up])
    probe, recorder = broker.probe()

    probe.produce(PAYMENTS, ["v"], producer=PAIR, transactional_id="t", sequence=0)
    probe.read(PAYMENTS, IsolationLevel.READ_UNCOMMITTED)
    probe.end_txn("t", PAIR, commit=True)
    metadata, produce, list_offsets, fetch, find, end = recorder.exchanges()

    assert [metadata.name, list_offsets.name, find.name] == ["Metadata v12", "ListOffsets v9", "FindCoordinator v6"]
    assert produce.name == "Produce v12"
    assert produce.client == "test"
    assert produce.request["topic_data"][0]["partition_data"][0]["records"] == [
        {
            "base_offset": 0,
            "producer_id": 7,
            "producer_epoch": 3,
            "base_sequence": 0,
            "transactional": True,
            "values": ["v"],
        }
    ]
    assert fetch.answer is not None
    assert fetch.answer["responses"][0]["partitions"][0]["records"] == [
        {
            "base_offset": 0,
            "producer_id": 7,
            "producer_epoch": 3,
            "base_sequence": -1,
            "transactional": True,
            "marker": "ABORT",
            "coordinator_epoch": 2,
        }
    ]
    assert end.answer is None
    assert end.lost == "the broker closed the connection instead of answering EndTxn v5"


def test_an_old_version_cannot_carry_what_it_has_no_field_for() -> None:
    """The caller gets an error, instead of a request that silently leaves it out."""
    probe, _ = ScriptedBroker().probe()

    with pytest.raises(ValueError, match="InitProducerId v2 cannot carry"):
        probe.init_producer_id("t", current=PAIR, version=2)
    with pytest.raises(ValueError, match="WriteTxnMarkers v1 cannot carry transaction version 2"):
        probe.write_marker(PAYMENTS, PAIR, commit=True, coordinator_epoch=0, transaction_version=2)
