"""The Pulsar probe's admin calls: what is sent, what is read, and the meaning of unexpected answers."""

import json
from typing import Any

import pytest
from scripted_pulsar import ScriptedPulsar

from fencepost.adapters.pulsar.probe import PulsarProbe
from fencepost.adapters.pulsar.pulsar_values import (
    BufferStats,
    CoordinatorStats,
    EntryPosition,
    LogStats,
    PendingAckStats,
    ReportedStatus,
    SubscriptionHandle,
    TransactionId,
    TransactionInBuffer,
    TransactionMetadata,
)
from fencepost.contract.errors import Malformed
from fencepost.contract.outcomes import Done, Refused, Unknown
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.admin import AdminAnswer, AdminRequest

TOPIC = "persistent://public/default/t"
S = SubscriptionHandle(TOPIC, "s")


@pytest.fixture
def broker() -> ScriptedPulsar:
    """A broker whose admin interface gives a test's answers."""
    return ScriptedPulsar()


def reported(value: object) -> AdminAnswer:
    return AdminAnswer(200, json.dumps(value).encode())


CHANGES = [
    (lambda probe: probe.create_topic(TOPIC), "PUT /admin/v2/persistent/public/default/t", None),
    (lambda probe: probe.create_partitioned_topic(TOPIC, 3), "PUT /admin/v2/persistent/public/default/t/partitions", 3),
    (lambda probe: probe.delete_topic(TOPIC), "DELETE /admin/v2/persistent/public/default/t?force=true", None),
    (lambda probe: probe.terminate_topic(TOPIC), "POST /admin/v2/persistent/public/default/t/terminate", None),
    (lambda probe: probe.unload_topic(TOPIC), "PUT /admin/v2/persistent/public/default/t/unload", None),
    (lambda probe: probe.create_namespace("public/n"), "PUT /admin/v2/namespaces/public/n", {}),
    (lambda probe: probe.set_deduplication("public/n", True), "POST /admin/v2/namespaces/public/n/deduplication", True),
    (lambda probe: probe.set_coordinators(2), "POST /admin/v3/transactions/transactionCoordinator/replicas", 2),
    (lambda probe: probe.abort_as_administrator(TransactionId(0, 4)), "POST /admin/v3/transactions/abortTransaction/0/4", None),
]


@pytest.mark.parametrize(("act", "request_line", "body"), CHANGES, ids=[line for _, line, _ in CHANGES])
def test_a_change_is_asked_for_at_its_path(broker: ScriptedPulsar, probe: PulsarProbe, act: Any, request_line: str, body: object) -> None:
    """204 means that it is done."""
    broker.admin_answers = [AdminAnswer(204)]

    assert act(probe) == Done(None)
    assert [(str(request), request.body) for request in broker.administered] == [(request_line, body)]


LOOKS = [
    (
        lambda probe: probe.transaction(TransactionId(0, 4)),
        "GET /admin/v3/transactions/transactionMetadata/0/4",
        {
            "txnId": "(0,4)",
            "status": "COMMITTING",
            "openTimestamp": 1,
            "timeoutAt": 60000,
            "producedPartitions": {TOPIC: {"startPosition": "5:1", "aborted": False}},
            "ackedPartitions": {TOPIC: {"s": {}}},
        },
        TransactionMetadata(TransactionId(0, 4), ReportedStatus.COMMITTING, 60000, frozenset({TOPIC}), frozenset({S})),
    ),
    (
        lambda probe: probe.coordinator_stats(1),
        "GET /admin/v3/transactions/coordinatorStats?coordinatorId=1",
        {"state": "Ready", "leastSigBits": 7, "lowWaterMark": 5, "ongoingTxnSize": 1},
        CoordinatorStats("Ready", 7, 5, 1),
    ),
    (
        lambda probe: probe.buffer_stats(TOPIC),
        "GET /admin/v3/transactions/transactionBufferStats/public/default/t",
        {"state": "Ready", "maxReadPosition": "5:-1", "ongoingTxnSize": 1, "totalAbortedTransactions": 2},
        BufferStats("Ready", EntryPosition(5, -1), 1, 2),
    ),
    (
        lambda probe: probe.transaction_in_buffer(TransactionId(0, 4), TOPIC),
        "GET /admin/v3/transactions/transactionInBufferStats/public/default/t/0/4",
        {"startPosition": "5:1", "aborted": True},
        TransactionInBuffer(EntryPosition(5, 1), True),
    ),
    (
        lambda probe: probe.pending_ack_stats(S),
        "GET /admin/v3/transactions/pendingAckStats/public/default/t/s",
        {"state": "Ready", "ongoingTxnSize": 1},
        PendingAckStats("Ready", 1),
    ),
    (
        lambda probe: probe.log_stats(TOPIC),
        "GET /admin/v2/persistent/public/default/t/internalStats",
        {"numberOfEntries": 4, "lastConfirmedEntry": "5:3", "cursors": {"s": {"markDeletePosition": "5:-1"}}},
        LogStats(4, EntryPosition(5, 3), {"s": EntryPosition(5, -1)}),
    ),
    (
        lambda probe: probe.log_stats(TOPIC),
        "GET /admin/v2/persistent/public/default/t/internalStats",
        {"numberOfEntries": 4, "lastConfirmedEntry": "5:3", "cursors": {"s": {"markDeletePosition": "5:-1", "readPosition": "5:2"}}},
        LogStats(4, EntryPosition(5, 3), {"s": EntryPosition(5, -1)}, {"s": EntryPosition(5, 2)}),
    ),
    (
        lambda probe: probe.log_stats(TOPIC),
        "GET /admin/v2/persistent/public/default/t/internalStats",
        {
            "numberOfEntries": 4,
            "lastConfirmedEntry": "5:3",
            "cursors": {"s": {"markDeletePosition": "5:-1", "readPosition": "5:0 (ackSet is null)"}},
        },
        LogStats(4, EntryPosition(5, 3), {"s": EntryPosition(5, -1)}, {"s": EntryPosition(5, 0)}),
    ),
]
LINES = [line for _, line, _, _ in LOOKS]


@pytest.mark.parametrize(("look", "request_line", "answer", "value"), LOOKS, ids=LINES)
def test_an_answer_is_read_as_a_value(
    broker: ScriptedPulsar, probe: PulsarProbe, look: Any, request_line: str, answer: object, value: object
) -> None:
    """As real brokers have answered, with the fields that they leave out."""
    broker.admin_answers = [reported(answer)]

    assert look(probe) == Done(value)
    assert [str(request) for request in broker.administered] == [request_line]


@pytest.mark.parametrize(("look", "request_line", "answer", "value"), LOOKS, ids=LINES)
def test_an_answer_that_lacks_what_is_due_is_malformed(
    broker: ScriptedPulsar,
    probe: PulsarProbe,
    look: Any,
    request_line: str,
    answer: object,  # noqa: ARG001
    value: object,  # noqa: ARG001
) -> None:
    """No JSON, JSON of another shape, or without a field: each error has the call and the answer."""
    for body, why in ((b"<html>oops</html>", "not JSON"), (b"[1]", "lacks what is due"), (b"{}", "lacks what is due"), (b"", "not JSON")):
        broker.admin_answers = [AdminAnswer(200, body)]

        with pytest.raises(Malformed, match=why) as raised:
            look(probe)

        assert request_line in str(raised.value)
        assert body.decode() in str(raised.value)


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (AdminAnswer(404, b'{"reason": "no such transaction"}'), Refused("Not Found", 404, "no such transaction")),
        (AdminAnswer(405, b"plain words"), Refused("Method Not Allowed", 405, "plain words")),
        (AdminAnswer(409, b""), Refused("Conflict", 409, None)),
        (AdminAnswer(499, b"[]"), Refused("a status that HTTP does not have", 499, "[]")),
    ],
)
def test_another_status_is_a_refusal(broker: ScriptedPulsar, probe: PulsarProbe, answer: AdminAnswer, outcome: Refused) -> None:
    """With the reason in the body, whatever the body is; refused changes and reads are treated alike, and not repeated."""
    broker.admin_answers = [answer]

    assert probe.transaction(TransactionId(0, 1)) == outcome
    assert probe.unload_topic(TOPIC) == outcome
    assert len(broker.administered) == 2


def test_a_change_that_finds_no_owner_is_unknown(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """Right after an unload no broker serves a topic: that says nothing about the request, as another 412 does."""
    broker.admin_answers = [AdminAnswer(412, text) for text in (b"Can't find owner for topic t", b"a wrong name")]

    assert [type(probe.unload_topic(TOPIC)) for _ in range(2)] == [Unknown, Refused]


def test_a_look_is_repeated_while_the_system_is_in_trouble(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """It changes nothing: after 5xx, or no answer, it is retried while the session is patient."""
    fine = reported({"state": "Ready", "leastSigBits": 7, "lowWaterMark": 5, "ongoingTxnSize": 1})
    broker.admin_answers = [AdminAnswer(500, b"{}"), None, fine]

    assert isinstance(probe.coordinator_stats(), Done)
    assert len(broker.administered) == 3


def buffer(state: str) -> AdminAnswer:
    return reported({"state": state, "maxReadPosition": "1:7", "ongoingTxnSize": 0, "totalAbortedTransactions": 0})


@pytest.mark.parametrize("state", ["None", "Initializing"])
def test_a_buffer_that_is_still_recovered_is_waited_for(broker: ScriptedPulsar, probe: PulsarProbe, state: str) -> None:
    """Its position may be from before the crash, and would hide what every reader gets a moment later."""
    broker.admin_answers = [buffer(state), buffer(state), buffer("Ready")]

    assert probe.buffer_stats(TOPIC) == Done(BufferStats("Ready", EntryPosition(1, 7), 0, 0))
    assert len(broker.administered) == 3


def test_a_buffer_that_is_never_recovered_is_not_known(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """Its position is no value to judge by."""
    broker.admin_answers = [buffer("Initializing")]

    outcome = probe.buffer_stats(TOPIC)

    assert isinstance(outcome, Unknown)
    assert "was not recovered within 120 s" in outcome.reason
    assert "Initializing" in outcome.reason


def test_a_transaction_is_reported_once_its_topics_are_loaded(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """After a restart its topics may not have been loaded, and the broker then does not know its transactions."""
    broker.on("ADD_PARTITION_TO_TXN", lambda request: [pb.CommandAddPartitionToTxnResponse(request_id=request.request_id)])
    assert probe.add_topics(TransactionId(0, 1), [TOPIC]) == Done(None)
    log = reported({"numberOfEntries": 0, "lastConfirmedEntry": "5:-1", "cursors": {}})
    found = reported({"status": "OPEN", "timeoutAt": 60_000, "producedPartitions": {}, "ackedPartitions": {}})
    broker.admin_answers = [AdminAnswer(500, b'{"reason": "java.util.concurrent.TimeoutException"}'), log, found]

    assert isinstance(probe.transaction(TransactionId(0, 1)), Done)
    assert [request.path for request in broker.administered] == [
        "/admin/v3/transactions/transactionMetadata/0/1",
        "/admin/v2/persistent/public/default/t/internalStats",
        "/admin/v3/transactions/transactionMetadata/0/1",
    ]


def test_a_look_that_is_not_patient_is_asked_once(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """Then the error itself is the outcome."""
    broker.admin_answers = [AdminAnswer(500, b'{"reason": "terminated"}')]

    assert probe.transaction(TransactionId(0, 1), retry=False) == Refused("Internal Server Error", 500, "terminated")


def test_a_change_in_trouble_is_unknown(broker: ScriptedPulsar, probe: PulsarProbe) -> None:
    """It may have been done, and it is not repeated."""
    broker.admin_answers = [AdminAnswer(500, b""), None]

    failed, lost = probe.terminate_topic(TOPIC), probe.terminate_topic(TOPIC)

    assert isinstance(failed, Unknown)
    assert "Internal Server Error (500), which leaves open" in failed.reason
    assert isinstance(lost, Unknown)
    assert lost.lost
    assert len(broker.administered) == 2


def test_a_call_is_shown_as_it_is_asked() -> None:
    """For users who want to send it themselves."""
    assert str(AdminRequest("GET", "/admin/v2/x", {"a": "1", "b": "2"})) == "GET /admin/v2/x?a=1&b=2"
