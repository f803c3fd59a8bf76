"""Acknowledgements whose records a broker deletes again: they count in a history only as far as an end may have found them."""

import json

import pytest
from succeeded import value_of

from fencepost.adapters.engines import ENGINES
from fencepost.adapters.pulsar.pulsar_history import events
from fencepost.adapters.pulsar.pulsar_recording import PulsarRecorder
from fencepost.adapters.pulsar.pulsar_values import TxnAction, scalable
from fencepost.adapters.pulsar.scalable_session import ScalableSession
from fencepost.adapters.pulsar.store_writes import BROKER, StoreWrite
from fencepost.contract.events import Event
from fencepost.contract.metadata_view import TroublesStore
from fencepost.contract.outcomes import Refused
from fencepost.pipeline.laws.judge import judge
from fencepost.reference.defects import DEFECTS

SEGMENT = "segment://public/default/events/0000-ffff-0"
RECORD = "/txn/op/0_3-00000000000000000001"
ACK = {"kind": "ACK", "segment": SEGMENT, "subscription": "s", "ledgerId": 5, "entryId": 6}

Written = tuple[StoreWrite, str | None]


def put(key: str, **said: object) -> StoreWrite:
    return StoreWrite("put", key, json.dumps(said).encode())


def ended(state: str, doubt: str | None = None, txn: str = "0_3") -> Written:
    return put(f"/txn/id/{txn}", state=state), doubt


def deleted(doubt: str | None = None, key: str = RECORD) -> Written:
    return StoreWrite("delete", key), doubt


def outcomes_of_an_acknowledgement(*after: Written) -> list[str]:
    """The outcomes of acknowledgements in a history that begins with one, which the store has confirmed, and goes on so."""
    recorder = PulsarRecorder(lambda: 0.0)
    for write, doubt in (ended("OPEN"), (put(RECORD, **ACK), None), *after):
        recorder.begin(BROKER, "metadata store", write, {}, one_way=True).lost = doubt
    return [event["type"] for event in events(recorder.calls, "run") if event["f"] == "ack" and event["type"] != "invoke"]


@pytest.mark.parametrize("before", [[], [ended("COMMITTED", txn="0_4")]])
@pytest.mark.parametrize("later", [[], [ended("COMMITTED")], [ended("ABORTED")]])
def test_what_is_deleted_before_an_end_was_not_acknowledged(before: list[Written], later: list[Written]) -> None:
    """A later end does not find the record, whatever it is; the end of another transaction does not matter."""
    assert outcomes_of_an_acknowledgement(*before, deleted(), *later) == ["fail"]


@pytest.mark.parametrize(
    "after",
    [
        [],
        [ended("COMMITTED"), deleted()],
        [ended("ABORTED"), deleted()],
        [ended("COMMITTED", "no answer"), ended("COMMITTED"), deleted()],
        [ended("COMMITTED"), ended("COMMITTED", "no answer"), deleted("no answer")],
        [deleted(key=RECORD[:-1] + "2")],
    ],
)
def test_what_an_end_has_found_was_acknowledged(after: list[Written]) -> None:
    """It is deleted since it was applied; the record of another acknowledgement says nothing about this one."""
    assert outcomes_of_an_acknowledgement(*after) == ["ok"]


@pytest.mark.parametrize(
    "after",
    [
        [deleted("no answer")],
        [deleted("no answer"), ended("COMMITTED")],
        [ended("COMMITTED", "no answer"), deleted()],
        [ended("ABORTED", "no answer"), deleted("no answer")],
    ],
)
def test_what_an_end_may_have_found_may_be_acknowledged(after: list[Written]) -> None:
    """The store has not confirmed the deletion, or an end that may have come before it."""
    assert outcomes_of_an_acknowledgement(*after) == ["info"]


def test_a_deletion_that_is_repeated_until_it_is_confirmed_is_one() -> None:
    """A broker that gets no answer deletes the record again; what it writes later under the key is another acknowledgement."""
    again = put(RECORD, **ACK), None

    assert outcomes_of_an_acknowledgement(deleted("no answer"), deleted(), deleted("no answer")) == ["fail"]
    assert outcomes_of_an_acknowledgement(deleted(), again, ended("COMMITTED"), deleted()) == ["fail", "ok"]


# --- in a session ---------------------------------------------------------------------------------------------------------------


def history_of_a_partly_refused_acknowledgement(failure: str, defect: str | None = None) -> list[Event]:
    """A transaction is refused the acknowledgement of "a" and "b", since the store does not answer at the second; it acknowledges "a"
    alone, and commits after the segment was reloaded. Another consumer receives what is left.
    """
    system = ENGINES["pulsar-scalable"].system("seed", DEFECTS[defect] if defect else None, 2.0)
    system.open()
    session = system.session("withdrawn", frozenset({"store-faults"}))
    assert isinstance(session, ScalableSession)
    assert isinstance(session.faults, TroublesStore)
    probe = session.client("c")
    value_of(probe.create_scalable_topic(scalable("events"), 1))
    producer, consumer = value_of(probe.producer(SEGMENT)), value_of(probe.subscribe(SEGMENT, "s"))
    for value in ("a", "b"):
        value_of(probe.send(producer, value))
    first, second = (message.id for message in value_of(probe.receive_until(consumer, "b")))
    txn = value_of(probe.new_transaction(scalable=True))

    session.faults.trouble_store(failure, "operations after one")
    assert isinstance(probe.acknowledge(consumer, [first, second], transaction=txn, retry=False), Refused)
    value_of(probe.acknowledge(consumer, [first], transaction=txn))
    value_of(probe.unload_topic(SEGMENT))
    value_of(probe.end(txn, TxnAction.COMMIT))
    value_of(probe.close_consumer(consumer))
    value_of(probe.receive_until(value_of(probe.subscribe(SEGMENT, "s")), "b"))
    return session.history("run")


@pytest.mark.parametrize("failure", ["write-fails-before", "write-fails-after"])
def test_what_a_refused_acknowledgement_has_recorded_is_no_acknowledgement(failure: str) -> None:
    """The broker takes it back before it answers: the message is delivered again after the commit, and that is no anomaly."""
    history = history_of_a_partly_refused_acknowledgement(failure)

    of_broker = [event for event in history if (event["client"], event["f"]) == (BROKER, "ack") and event["type"] != "invoke"]
    assert [(event["type"], [mop["o"] for mop in event["mops"]]) for event in of_broker] == [("fail", [0]), ("info", [1]), ("ok", [0])]
    assert judge(history) == {}


def test_a_message_whose_acknowledgement_was_confirmed_may_not_come_back() -> None:
    """Also if an earlier acknowledgement of it was taken back: a broker that loses the later one is reported for this message alone."""
    history = history_of_a_partly_refused_acknowledgement("write-fails-before", "metadata-recovered-without-positions")

    assert [(name, [one.values for one in found]) for name, found in judge(history).items()] == [("ack-resurrection", [("a",)])]
