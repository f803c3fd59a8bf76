"""The sequence picture: every exchange is there or counted, what decided is marked, and nothing of a history becomes markup."""

import gzip
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pictured_history import History, texts

from fencepost.report.sequence import PicturedStep, Scene, calls_of, drawn, readable_events
from fencepost.report.sequence.lanes import Lanes, short
from fencepost.report.sequence.rows import (
    MOST_CALLS,
    AnsweredRow,
    AskedRow,
    CallRow,
    HelperRow,
    OmittedRow,
    StepRow,
    VerdictRow,
)

EVIL = '<script>alert(1)</script>&"\x00\u202e'


def test_an_exchange_is_one_row_where_its_answer_comes_next() -> None:
    """Where something else comes between, its request and its answer are separate rows, and nothing is lost."""
    history = History()
    history.call("end_txn v5")
    slow = history.ask("end_txn v5")
    history.call("produce v12", client="B")
    history.end(slow)

    kinds = [type(row) for row in history.rows()]

    assert kinds == [CallRow, AskedRow, CallRow, AnsweredRow]
    assert history.rows()[-1].is_late


def test_an_answer_that_waits_for_the_brokers_own_writes_is_not_late() -> None:
    """A broker that writes to its store before it answers does what it is there for."""
    history = History()
    asked = history.ask("END_TXN")
    history.call("store put", client="broker", f="commit")
    history.end(asked)

    assert [row.is_late for row in history.rows() if isinstance(row, AnsweredRow)] == [False]


def test_what_only_prepares_is_folded_into_one_row_and_what_failed_is_not() -> None:
    """A helper that fails is the point of its scenario."""
    history = History()
    history.call("metadata v12")
    history.call("find_coordinator v6")
    history.call("find_coordinator v6", "fail", error={"class": "COORDINATOR_NOT_AVAILABLE", "code": 15, "msg": None})

    folded, failed = history.rows()

    assert isinstance(folded, HelperRow)
    assert len(folded.calls) == 2
    assert isinstance(failed, CallRow)


def test_repeated_exchanges_are_counted() -> None:
    """A client that asks until an answer changes is one row for each answer."""
    history = History()
    for _ in range(3):
        history.call("describe_transactions v0")
    history.call("describe_transactions v0", ctl={"answer": {"transaction_state": "Empty"}})

    assert [row.times for row in history.rows()] == [3, 1]


def test_each_request_stands_below_the_step_that_made_it() -> None:
    """Also a step that asked nothing has its place, and one that brings the system down is a bar."""
    history = History()
    history.call("init_producer_id v5")
    history.call("end_txn v5")
    steps = (
        PicturedStep("Given A", 1),
        PicturedStep("When it crashes", 1, "crash"),
        PicturedStep("Then B", 2),
        PicturedStep("And C", 2, None, "not reached"),
    )

    rows = history.rows(*steps)
    svg = drawn(history.events, "title", Scene(steps, tuple(history.exchanges)))

    shown = [row.said.words if isinstance(row, StepRow) else row.call.api for row in rows]
    assert shown == ["Given A", "init_producer_id", "When it crashes", "Then B", "end_txn", "And C"]
    assert [said for said in texts(svg) if "crash" in said or "not reached" in said] == ["When it crashes [crash]", "And C (not reached)"]


@pytest.mark.parametrize(("what", "decided"), [("answer to EndTxn", "end_txn"), ("records of payments-0", "fetch")])
def test_the_exchange_that_decided_a_red_is_marked_with_expected_beside_seen(what: str, decided: str) -> None:
    """It is the last one that the violation names, else the last one."""
    history = History()
    for api in ("end_txn v5", "fetch v12", "metadata v12"):
        history.call(api)

    rows = history.rows(what=what, expected="epoch 1", seen="epoch 0")

    (place,) = (number for number, row in enumerate(rows) if getattr(row, "is_decisive", False))
    assert rows[place].call.api == decided
    assert rows[place + 1] == VerdictRow(what, "epoch 1", "epoch 0")


def test_the_act_of_the_when_decides_a_green() -> None:
    """And not what an observer looked at before it."""
    history = History()
    history.call("init_producer_id v5")
    history.call("list_offsets v9", client="observer")
    history.call("produce v12")

    rows = history.rows(PicturedStep("Given A", 1), PicturedStep("When A writes", 3), PicturedStep("Then it is refused", 3))

    assert [row.call.api for row in rows if getattr(row, "is_decisive", False)] == ["produce"]


def test_a_request_without_an_answer_is_dashed_and_says_why() -> None:
    """A history that ends before the answer says that it is cut off."""
    history = History()
    history.call("end_txn v5", "info", error={"class": "lost", "code": None, "msg": "connection closed", "definite": False})
    history.ask("produce v12")

    svg = drawn(history.events, "title", is_whole=False)

    assert svg.count('class="a d"') == 2
    assert [said for said in texts(svg) if "no answer" in said] == ["✕ no answer: connection closed"]
    assert any("cut off here" in said for said in texts(svg))


@pytest.mark.parametrize("count", [MOST_CALLS, MOST_CALLS + 1, 2000])
def test_a_long_scenario_keeps_its_beginning_and_its_end(count: int) -> None:
    """What is left out is counted; nothing else is missing."""
    history = History()
    for number in range(count):
        history.call("produce v12", client=f"client {number}")

    rows = history.rows()

    left_out = sum(row.rows for row in rows if isinstance(row, OmittedRow))
    assert sum(isinstance(row, CallRow) for row in rows) + left_out == count
    assert (left_out > 0) is (count > MOST_CALLS)
    assert rows[-1].call.client == f"client {count - 1}"


def test_lanes_are_few_whatever_the_number_of_clients_and_logs() -> None:
    """The last ones share a lane, so that every request still has one."""
    history = History()
    for number in range(20):
        history.call("produce v12", client=f"client {number}", mops=[{"m": "send", "log": f"topic-{number}", "v": "x"}])

    lanes = Lanes.of(calls := calls_of(history.events))

    assert len(lanes.names) == 14
    assert all(0 <= lane < 14 for call in calls for lane in lanes.between(call))


def test_nothing_of_a_history_becomes_markup() -> None:
    """Names, values and errors come from a system and may be any text; a picture of them is well-formed and has no script."""
    history = History()
    history.call("produce v12", client=EVIL, mops=[{"m": "send", "log": EVIL, "v": EVIL}])
    history.call(EVIL, "fail", EVIL * 40, error={"class": EVIL, "code": None, "msg": EVIL}, mops=[{"m": "send", "log": EVIL, "v": EVIL}])

    svg = drawn(history.events, EVIL, Scene((PicturedStep(EVIL, 1, EVIL),), tuple(history.exchanges), EVIL, EVIL, EVIL))

    assert "<script" not in svg
    assert texts(svg)
    assert not re.search(r"https?:(?!//www\.w3\.org/2000/svg)", svg)


@pytest.mark.parametrize(
    ("said", "shown"),
    [("payments-0961b7-0", "payments-0"), ("persistent://public/default/orders-3f18b6", "orders"), ("segment://a/b/o-777baa/0-1", "o/0-1")],
)
def test_names_are_shown_as_the_scenario_has_them(said: str, shown: str) -> None:
    """Without the end that makes them unique, and without tenant and namespace."""
    assert short(said) == shown


def cut(events: Sequence[dict[str, Any]], path: Path, keep: float) -> Path:
    text = "".join(json.dumps(event) + "\n" for event in events).encode()
    data = gzip.compress(text)
    path.write_bytes(data[: int(len(data) * keep)])
    return path


def test_a_history_that_is_cut_off_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    """A whole one is whole; half a line, half a file and another file are not, and no error."""
    history = History()
    history.call("end_txn v5")
    torn = tmp_path / "torn.jsonl"
    torn.write_text(json.dumps(history.events[0]) + "\n" + '{"client": ', encoding="utf-8")

    assert readable_events(cut(history.events, tmp_path / "whole.jsonl.gz", 1)) == (history.events, True)
    assert readable_events(cut(history.events, tmp_path / "half.jsonl.gz", 0.5)) == ([], False)
    assert readable_events(torn) == (history.events[:1], False)
    assert "Nothing was asked." in texts(drawn([], "empty"))
    assert "Nothing was asked." not in texts(drawn([], "cut off at once", is_whole=False)), "the history does not say so"


KEYS = ("tid", "pid", "epoch", "id", "request", "answer", "m", "log", "v", "o", "seq", "topic", "name", "partitions", "index", "error_code")
KEYS += ("logs", "markers", "kind", "producer_id", "stable", "offset", "timestamp", "topics", "isolation_level", "tid", "partition_index")
KEYS += (
    "transaction_state",
    "producer_id",
    "producer_epoch",
    "last_sequence",
    "transactional_ids",
    "children",
    "segs",
    "record",
    "code",
    "msg",
)
ANYTHING = st.recursive(
    st.none() | st.integers() | st.sampled_from(["", "[1", '["a", "b"]', EVIL]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3),
    max_leaves=6,
)
MAPPING = st.none() | st.dictionaries(st.sampled_from(KEYS), ANYTHING, max_size=3)
EVENTS = st.fixed_dictionaries(
    {
        "client": st.sampled_from(["A", "broker", EVIL]),
        "node": st.just("n"),
        "op_id": st.integers(0, 3),
        "api": st.sampled_from(["produce v12", "list_offsets v9", "END_TXN", "MESSAGE", "PUT /admin/v2/x", "store put", "", EVIL]),
        "type": st.sampled_from(["invoke", "ok", "fail", "info"]),
    },
    optional={
        **dict.fromkeys(("tx", "grp", "ctl", "error"), MAPPING),
        "mops": st.lists(MAPPING.map(lambda mop: {"m": "send"} | (mop or {})), max_size=4),
        "f": ANYTHING,
    },
)


@given(events=st.lists(EVENTS, max_size=6))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_stands_in_a_history_a_picture_comes_of_it(events: list[dict[str, Any]], tmp_path: Path) -> None:
    """Of another version, or of none: it is drawn as far as it can be read."""
    path = tmp_path / "any.jsonl"
    path.write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")

    read, is_whole = readable_events(path)

    assert texts(drawn(read, "any", Scene(what="answer to EndTxn", expected="a", seen="b"), is_whole=is_whole))
    assert len(read) == len(events) or not is_whole
