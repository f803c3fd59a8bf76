"""History events: exchanges as rows that a checker can judge."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from fencepost.adapters.kafka.kafka_history import events
from fencepost.adapters.kafka.kafka_session import KafkaSession
from fencepost.adapters.kafka.kafka_values import IsolationLevel, ProducerIdentity, TopicPartition
from fencepost.adapters.kafka.probe import KafkaProbe
from fencepost.adapters.reference_kafka import ReferenceSystem
from fencepost.contract.outcomes import Done, Unknown

LOG = TopicPartition("payments", 0)


@pytest.fixture
def session() -> Iterator[KafkaSession]:
    """A session with the reference, with a topic."""
    system = ReferenceSystem()
    system.open()
    session = system.session("history")
    assert session.client("A").create_topic("payments", 1) == Done(None)
    yield session
    session.close()


def initialised(session: KafkaSession, name: str = "A") -> tuple[KafkaProbe, ProducerIdentity]:
    outcome = session.client(name).init_producer_id("transfer")
    assert isinstance(outcome, Done)
    return session.client(name), outcome.value


def ends(session: KafkaSession, *kinds: str) -> list[dict[str, Any]]:
    """The completions of operations of these kinds."""
    return [event for event in session.history("run") if event["f"] in kinds and event["type"] != "invoke"]


def test_every_call_is_an_invoke_and_one_completion(session: KafkaSession) -> None:
    """They are paired by op_id, and idx counts all events in order."""
    initialised(session)

    reported = session.history("run")

    assert [event["idx"] for event in reported] == list(range(len(reported)))
    assert {event["type"] for event in reported[0::2]} == {"invoke"}
    assert "invoke" not in {event["type"] for event in reported[1::2]}
    assert [event["op_id"] for event in reported[0::2]] == [event["op_id"] for event in reported[1::2]]
    assert {event["run_id"] for event in reported} == {"run"}


def test_a_transaction_is_reported_with_its_pair_its_records_and_its_end(session: KafkaSession) -> None:
    """Producer id, epoch, partition, offset and value of each record; and producer id and epoch in the answer to the end."""
    probe, pair = initialised(session)
    probe.produce(LOG, ["a1", "a2"], producer=pair, transactional_id="transfer", sequence=0)
    probe.end_txn("transfer", pair, commit=True)

    init, send, commit = ends(session, "init_txn", "send", "commit")

    tx = {"tid": "transfer", "pid": pair.producer_id, "epoch": pair.epoch}
    assert [event["type"] for event in (init, send, commit)] == ["ok"] * 3
    assert init["tx"] == send["tx"] == commit["tx"] == tx
    assert send["txn_id"] == commit["txn_id"] == f"transfer/{pair.producer_id}/{pair.epoch}"
    assert [(mop["m"], mop["log"], mop["v"], mop["o"], mop["seq"]) for mop in send["mops"]] == [
        ("send", "payments-0", "a1", 0, 0),
        ("send", "payments-0", "a2", 1, 1),
    ]
    assert commit["ctl"] == {"producer_id": pair.producer_id, "producer_epoch": pair.epoch + 1}


def test_a_poll_has_what_a_consumer_of_its_isolation_level_gets(session: KafkaSession) -> None:
    """It has aborted records at read_uncommitted only, and control records never."""
    probe, pair = initialised(session)
    probe.produce(LOG, ["a1"], producer=pair, transactional_id="transfer", sequence=0)
    probe.end_txn("transfer", pair, commit=False)
    probe.settled("transfer")
    probe.read(LOG, IsolationLevel.READ_COMMITTED)
    probe.read(LOG, IsolationLevel.READ_UNCOMMITTED)

    polled = [(event["iso"], [(mop["o"], mop["v"]) for mop in event["mops"]]) for event in ends(session, "poll")]

    assert ("ru", [(0, "a1")]) in polled
    assert [mops for iso, mops in polled if iso == "rc"] == [[]]


def test_a_refusal_is_a_definite_failure(session: KafkaSession) -> None:
    """With the error's name and number."""
    probe, pair = initialised(session)
    probe.end_txn("transfer", pair, commit=True)

    (commit,) = ends(session, "commit")

    assert commit["type"] == "fail"
    assert commit["error"] == {"class": "INVALID_TXN_STATE", "code": 48, "msg": None, "definite": True}


def test_a_call_without_an_answer_is_unknown_for_ever(session: KafkaSession) -> None:
    """Its process never acts again: later calls of its client belong to another process."""
    probe, pair = initialised(session)
    session.faults.crash()
    assert isinstance(probe.end_txn("transfer", pair, commit=True), Unknown)
    session.faults.restart()
    initialised(session)

    reported = session.history("run")
    lost = next(event for event in reported if event["type"] == "info")

    assert (lost["error"]["class"], lost["error"]["definite"]) == ("lost", False)
    assert [event for event in reported if event["idx"] > lost["idx"] and event["process"] == lost["process"]] == []


def test_offsets_in_a_transaction_are_acknowledgements(session: KafkaSession) -> None:
    """Group, partition and the next offset to read."""
    probe, pair = initialised(session)
    probe.commit_offsets("transfer", pair, "readers", {LOG: 7}, version=5)

    (ack,) = ends(session, "ack")

    assert (ack["type"], ack["grp"], ack["mops"][0]["m"], ack["mops"][0]["log"], ack["mops"][0]["o"]) == (
        "ok",
        {"id": "readers"},
        "offset",
        "payments-0",
        7,
    )


def test_what_a_group_has_committed_is_a_position(session: KafkaSession) -> None:
    """With the group, and stable only if the request requires it; -1 for no offset, and an unstable offset is refused."""
    probe, pair = initialised(session)
    probe.commit_offsets("transfer", pair, "readers", {LOG: 7}, version=5)
    probe.committed_offset("readers", LOG)
    probe.committed_offset("readers", LOG, require_stable=True, retry=False)
    probe.end_txn("transfer", pair, commit=True)
    probe.settled("transfer")
    probe.committed_offset("readers", LOG, require_stable=True)

    reported = [
        (event["type"], event["iso"], [(mop["m"], mop["log"], mop["o"]) for mop in event["mops"]]) for event in ends(session, "committed")
    ]

    assert reported == [
        ("ok", "ru", [("position", "payments-0", -1)]),
        ("fail", "rc", []),
        ("ok", "rc", [("position", "payments-0", 7)]),
    ]
    assert {event["grp"]["id"] for event in ends(session, "committed")} == {"readers"}


def test_an_answer_is_notified_of_the_partition_that_it_is_for(session: KafkaSession) -> None:
    """Brokers answer for the partitions of a request in any order."""
    probe = session.client("A")
    assert probe.create_topic("orders", 2) == Done(None)
    logs = {TopicPartition("orders", number): probe.batch_of([f"v{number}"], transactional=False) for number in (0, 1)}
    probe.produce(TopicPartition("orders", 1), ["before"])
    probe.produce_batches(logs, transactional_id=None)
    call = session._recorder.calls[-1]
    answer: Any = call.answer
    turned = tuple(replace(topic, partition_responses=topic.partition_responses[::-1]) for topic in answer.responses)

    *_, reported = events([replace(call, answer=replace(answer, responses=turned))], "run")

    assert [(mop["log"], mop["v"], mop["o"]) for mop in reported["mops"]] == [("orders-0", "v0", 0), ("orders-1", "v1", 1)]


def test_a_topic_that_is_made_again_under_its_name_is_another_log(session: KafkaSession) -> None:
    """Both begin at offset 0, and a checker must not report the second record as one that came too early."""
    probe = session.client("A")
    probe.produce(LOG, ["old"])
    assert isinstance(probe.delete_topic("payments"), Done)
    assert probe.create_topic("payments", 1) == Done(None)
    probe.produce(LOG, ["new"])

    assert [(mop["topic"], mop["log"]) for event in ends(session, "send") for mop in event["mops"]] == [
        ("payments", "payments-0"),
        ("payments", "payments, made again 1-0"),
    ]


def test_a_topic_by_its_id_is_the_log_of_its_name(session: KafkaSession) -> None:
    """What Fetch v13 returns was sent to that partition, whose name the session has learnt."""
    probe = session.client("A")
    probe.produce(LOG, ["a1"])
    probe.read(LOG, IsolationLevel.READ_COMMITTED, version=13)

    assert {mop["log"] for event in ends(session, "send", "poll") for mop in event["mops"]} == {"payments-0"}


def test_concurrent_calls_overlap(session: KafkaSession) -> None:
    """A write whose answer is read after a commit was not sent after it; and a process does one thing at a time."""
    probe, pair = initialised(session)
    batch = probe.batch_of(["a1"], producer=pair, sequence=0, transactional=True)
    wait = probe.send_produce(LOG, batch, transactional_id="transfer")
    session.client("B").end_txn("transfer", pair, commit=True)
    wait()

    reported = [event for event in session.history("run") if event["f"] in ("send", "commit")]
    assert [(event["f"], event["type"] == "invoke") for event in reported] == [
        ("send", True),
        ("commit", True),
        ("commit", False),
        ("send", False),
    ]
    assert reported[0]["op_id"] == reported[3]["op_id"] == reported[0]["idx"]
    assert len({event["process"] for event in reported}) == 2


def test_a_compacted_topic_has_no_records_in_a_history(session: KafkaSession) -> None:
    """A checker would take removed records for lost ones. Other events of the topic stay, and so do all other topics."""
    session.client("A").create_topic("ledger", 1, {"cleanup.policy": "compact"})
    for topic in ("ledger", "payments"):
        session.client("A").produce(TopicPartition(topic, 0), ["a1"])
        session.client("A").read(TopicPartition(topic, 0), IsolationLevel.READ_COMMITTED)

    reported = ends(session, "send", "poll")

    assert [(event["f"], [mop["log"] for mop in event["mops"]]) for event in reported] == [
        ("send", []),
        ("poll", []),
        ("send", ["payments-0"]),
        ("poll", ["payments-0"]),
    ]
