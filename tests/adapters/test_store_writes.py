"""Brokers' writes to their metadata store, as history events: the decisions, and what participants left and removed."""

import json
from typing import Any

import pytest
from shapes import faults
from succeeded import value_of

from fencepost.adapters.engines import ENGINES
from fencepost.adapters.pulsar.probe import PulsarProbe
from fencepost.adapters.pulsar.pulsar_values import TransactionId, TxnAction, scalable
from fencepost.adapters.pulsar.scalable_session import ScalableSession
from fencepost.adapters.pulsar.store_writes import BROKER, StoreWrite
from fencepost.contract.events import Event
from fencepost.contract.metadata_view import TroublesStore

EVENTS = scalable("events")
SEGMENT = "segment://public/default/events/0000-ffff-0"
QUOTED = "segment%3A%2F%2Fpublic%2Fdefault%2Fevents%2F0000-ffff-0"
NUMBER = "00000000000000000001"
NAME = "scalable (0,3)"


@pytest.fixture
def session() -> ScalableSession:
    """A session with the correct reference."""
    system = ENGINES["pulsar-scalable"].system("seed", None, 2.0)
    system.open()
    session = system.session("writes", frozenset({"store-faults"}))
    assert isinstance(session, ScalableSession)
    assert value_of(session.client("c").create_scalable_topic(EVENTS, 1)) is None
    return session


def put(key: str, **said: Any) -> StoreWrite:
    return StoreWrite("put", key, json.dumps(said).encode())


def of_broker(session: ScalableSession, *kinds: str) -> list[Event]:
    """The completions of the broker's operations."""
    events = session.history("run")
    return [event for event in events if event["client"] == BROKER and event["type"] != "invoke" and event["f"] in kinds]


def begun(probe: PulsarProbe) -> TransactionId:
    txn = value_of(probe.new_transaction(scalable=True))
    assert isinstance(txn, TransactionId)
    return txn


# --- one write ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("state", "kind"), [("OPEN", "begin"), ("COMMITTED", "commit"), ("ABORTED", "abort")])
def test_a_header_is_the_beginning_or_the_end_of_its_transaction(state: str, kind: str) -> None:
    """By its state, whichever client requested it; the transaction has the name that clients' events have."""
    reported = put("/txn/id/0_3", state=state, timeout=7).as_operation()

    assert (reported["f"], reported["txn_id"], reported["tx"]) == (kind, NAME, {"tid": NAME, "pid": 0, "epoch": None})
    assert reported["ctl"] == {"record": "/txn/id/0_3", "state": state, "timeout": "7"}


def test_the_record_of_an_acknowledgement_is_an_acknowledgement() -> None:
    """Of its subscription, in its transaction: single messages of a batch, or everything up to an entry."""
    at = {"kind": "ACK", "segment": SEGMENT, "subscription": "s", "ledgerId": 5, "entryId": 6}
    single = put(f"/txn/op/0_3-{NUMBER}", **at, units=[0, 2]).as_operation()
    cumulative = put(f"/txn/op/0_3-{NUMBER}", **at, cumulative=True).as_operation()

    for reported in (single, cumulative):
        assert (reported["f"], reported["txn_id"], reported["grp"]) == ("ack", NAME, {"id": "s"})
        assert {(mop["log"], mop["pid_ledger"], mop["pid_entry"]) for mop in reported["mops"]} == {(SEGMENT, 5, 6)}
    assert [(mop["m"], mop["pid_batch"]) for mop in single["mops"]] == [("ack_ind", 0), ("ack_ind", 2)]
    assert [(mop["m"], mop["pid_batch"]) for mop in cumulative["mops"]] == [("ack_cum", None)]


@pytest.mark.parametrize(
    ("write", "names"),
    [
        (put(f"/txn/op/0_3-{NUMBER}", kind="WRITE", segment=SEGMENT), NAME),
        (put(f"/txn/events/segment/{QUOTED}-{NUMBER}", txnId="0_3", decision="COMMITTED"), NAME),
        (put(f"/txn/events/subscription/{QUOTED}:s-{NUMBER}", txnId="0_3", decision="ABORTED"), NAME),
        (put(f"/txn/segment-state/aborted/{QUOTED}:0_3", ledgerId=1, entryId=2), NAME),
        (StoreWrite("delete", "/txn/id/0_3"), NAME),
        (StoreWrite("delete", f"/txn/op/0_3-{NUMBER}"), NAME),
        (put(f"/txn/segment-state/watermark/{QUOTED}", ledgerId=1, entryId=2), None),
        (put("/txn/tc-seq/0", next=4), None),
        (put("/elsewhere", state="COMMITTED"), None),
    ],
    ids=lambda one: one.key if isinstance(one, StoreWrite) else "",
)
def test_what_no_tool_has_a_kind_for_is_a_probe(write: StoreWrite, names: str | None) -> None:
    """With its transaction, if it has one, and its key: no checker judges it, and a reader of the history sees it."""
    reported = write.as_operation()

    assert (reported["f"], reported["txn_id"], reported["mops"]) == ("probe", names, [])
    assert reported["ctl"]["record"] == write.key
    assert (reported["ctl"].get("deleted") == "true") == (write.value is None)


@pytest.mark.parametrize("text", [b"{", b"\xff", b"[]", b'{"state": "PREPARED"}', b'{"state": ["OPEN"]}', b'{"state": null}'])
def test_a_header_of_another_version_decides_nothing(text: bytes) -> None:
    """The history is written all the same."""
    assert StoreWrite("put", "/txn/id/0_3", text).as_operation()["f"] == "probe"


# --- in a session ---------------------------------------------------------------------------------------------------------------


def test_the_decision_lies_within_the_call_that_asked_for_it(session: ScalableSession) -> None:
    """After its request and before its answer, so that nothing counts as decided before it is."""
    probe = session.client("c")
    value_of(probe.end(begun(probe), TxnAction.COMMIT))

    order = [(event["client"], event["type"]) for event in session.history("run") if event["f"] == "commit"]

    assert order == [("c", "invoke"), (BROKER, "invoke"), (BROKER, "ok"), ("c", "ok")]


def test_a_timeout_is_an_abort_that_no_client_requested(session: ScalableSession) -> None:
    """The history still has it."""
    probe = session.client("c")
    txn = value_of(probe.new_transaction(1_000, scalable=True))
    for _ in session.time.attempts(15.0):
        pass

    assert [event["txn_id"] for event in of_broker(session, "commit", "abort")] == [str(txn)]
    assert of_broker(session, "abort")[0]["t_ns"] >= 1_000_000_000


def test_what_a_transaction_leaves_and_takes_away_is_reported(session: ScalableSession) -> None:
    """Operation records, events for participants, and the collection: in an order in which none comes before its cause."""
    probe = session.client("c")
    txn, producer, consumer = begun(probe), value_of(probe.producer(SEGMENT)), value_of(probe.subscribe(SEGMENT, "s"))
    value_of(probe.send(producer, "a"))
    (message,) = value_of(probe.receive_until(consumer, "a"))
    value_of(probe.send(producer, "b", transaction=txn))
    value_of(probe.acknowledge(consumer, [message.id], transaction=txn))
    value_of(probe.end(txn, TxnAction.COMMIT))
    for _ in session.time.attempts(30.0):
        pass

    reported = [event["ctl"] for event in of_broker(session, "begin", "commit", "ack", "probe") if event["txn_id"] == str(txn)]

    records = [(ctl["record"].split("/")[2], "deleted" in ctl) for ctl in reported]
    assert records[:4] == [("id", False), ("op", False), ("op", False), ("id", False)]
    assert sorted(records[4:-1]) == [("events", False), ("events", False), ("op", True), ("op", True)]
    assert records[-1] == ("id", True)
    (acknowledged,) = of_broker(session, "ack")
    assert [(mop["m"], mop["o"]) for mop in acknowledged["mops"]] == [("ack_ind", 0)]


def test_what_a_transaction_sends_to_a_segment_has_its_place(session: ScalableSession) -> None:
    """A segment stores it where its receipt says."""
    probe = session.client("c")
    producer = value_of(probe.producer(SEGMENT))
    value_of(probe.send(producer, "a", transaction=begun(probe)))
    value_of(probe.send(producer, "b"))

    sent = [event["mops"][0] for event in session.history("run") if (event["f"], event["type"]) == ("send", "ok")]

    assert [(mop["v"], mop["o"]) for mop in sent] == [("a", 0), ("b", 1)]


def test_a_write_that_the_store_did_not_answer_is_info(session: ScalableSession) -> None:
    """It may have been done, and the next one belongs to another process."""
    probe = session.client("c")
    txn = begun(probe)
    assert isinstance(session.faults, TroublesStore)
    session.faults.trouble_store("write-fails-after", "headers")
    value_of(probe.end(txn, TxnAction.COMMIT))

    (unsure,) = of_broker(session, "commit")

    assert (unsure["type"], unsure["error"] and unsure["error"]["definite"]) == ("info", False)


def test_every_event_has_the_shape_of_all_histories(session: ScalableSession) -> None:
    """Also those of the store; invocations and ends are pairs, and no process does two things at once."""
    probe = session.client("c")
    for action in (TxnAction.COMMIT, TxnAction.ABORT):
        txn = begun(probe)
        value_of(probe.send(value_of(probe.producer(SEGMENT)), "a", transaction=txn))
        value_of(probe.end(txn, action))

    events = [json.loads(json.dumps(event)) for event in session.history("run")]

    assert [fault for event in events for fault in faults(event, Event)] == []
    assert all(isinstance(reported, str) for event in events if event["client"] == BROKER for reported in event["ctl"].values())
    busy: set[int] = set()
    for event in events:
        (busy.add if event["type"] == "invoke" else busy.remove)(event["process"])
    assert busy == set()


def test_where_a_broker_was_shown_what_is_not_so_there_is_no_history(session: ScalableSession) -> None:
    """The fault explains what it does then; with any other fault, a broker must still keep its promises."""
    begun(session.client("c"))
    assert isinstance(session.faults, TroublesStore)
    session.faults.trouble_store("version-conflict", "headers")
    assert session.history("run")

    session.faults.trouble_store("stale-read", "headers")

    assert session.history("run") == []
    assert session.exchanges()
