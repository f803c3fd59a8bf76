"""The logs below a sequence picture: what they hold, and what decided each record."""

import re
from typing import Any

import pytest
from pictured_history import History, texts

from fencepost.report.sequence import calls_of, drawn
from fencepost.report.sequence.logs import ABORTED, COMMITTED, MARKER, OPEN, PLAIN, DrawnLogs, LogStrip

A_IN, B_IN = {"tid": "a", "pid": 7, "epoch": 0}, {"tid": "b", "pid": 8, "epoch": 0}


def sent(value: str, offset: int | None, log: str = "orders-0") -> dict[str, Any]:
    return {"m": "send", "log": log, "v": value, "o": offset, "seq": 0}


def shown(stable: int, *markers: tuple[int, str, int], log: str = "orders-0") -> dict[str, Any]:
    """What a Fetch shows of a log in addition to its records."""
    named = [{"offset": offset, "kind": kind, "producer_id": producer} for offset, kind, producer in markers]
    return {"logs": [{"log": log, "stable": stable, "markers": named}]}


def grown(history: History) -> LogStrip:
    return DrawnLogs(calls_of(history.events)).last["orders-0"]


def strips(svg: str) -> list[str]:
    """What the drawn logs are said to hold, from top to bottom."""
    return re.findall(r"<g><title>(.*?)</title>", svg)


def test_a_log_holds_what_was_acknowledged_or_read_and_nothing_else() -> None:
    """A write that was refused or lost may be there or not; it is drawn when a reader was shown it."""
    history = History()
    history.call("produce v12", mops=[sent("a1", 0)])
    history.call("produce v12", "fail", mops=[sent("refused", None)])
    history.call("produce v12", "info", mops=[sent("lost", None)])
    before = [one.words for one in grown(history).entries]
    history.call("fetch v12", f="poll", mops=[{"m": "recv", "log": "orders-0", "v": "lost", "o": 1}])

    assert before == ["a1"]
    assert [(one.offset, one.words, one.state) for one in grown(history).entries] == [(0, "a1", PLAIN), (1, "lost", PLAIN)]


@pytest.mark.parametrize(("end", "state"), [("commit", COMMITTED), ("abort", ABORTED)])
def test_an_end_decides_the_records_of_its_transaction_and_no_others(end: str, state: str) -> None:
    """An end that was refused decides nothing."""
    history = History()
    history.call("produce v12", tx=A_IN, mops=[sent("a1", 0)])
    history.call("produce v12", tx=B_IN, mops=[sent("b1", 1)])
    history.call("end_txn v5", "fail", f=end, tx=A_IN)
    refused = [one.state for one in grown(history).entries]
    history.call("end_txn v5", f=end, tx=A_IN)

    assert refused == [OPEN, OPEN]
    assert [one.state for one in grown(history).entries] == [state, OPEN]


def test_markers_and_the_last_stable_offset_are_those_that_readers_were_shown() -> None:
    """A marker decides what its producer wrote before it, also where no client saw the end; what comes after it is open."""
    history = History()
    history.call("produce v12", tx=A_IN, mops=[sent("a1", 0)])
    history.call("fetch v12", f="poll", ctl=shown(0))
    history.call("produce v12", tx=A_IN, mops=[sent("a2", 2)])
    history.call("fetch v12", f="poll", ctl=shown(2, (1, "ABORT", 7)))

    strip = grown(history)
    assert [(one.words, one.state) for one in strip.entries] == [("a1", ABORTED), ("ABORT", MARKER), ("a2", OPEN)]
    assert strip.stable == 2
    assert strips(drawn(history.events, "title")) == [
        "orders-0: 0 a1 open",
        "orders-0: 0 a1 open; last stable offset 0",
        "orders-0: 0 a1 open, 2 a2 open; last stable offset 0",
        "orders-0: 0 a1 aborted, 1 ABORT marker, 2 a2 open; last stable offset 2",
    ]


@pytest.mark.parametrize(("isolation", "stable"), [("READ_COMMITTED", 1), ("READ_UNCOMMITTED", None)])
def test_the_end_that_list_offsets_answers_is_stable_for_readers_of_committed_data_only(isolation: str, stable: int | None) -> None:
    """For others it is the end of the log."""
    history = History()
    history.call("produce v12", tx=A_IN, mops=[sent("a1", 0)])
    where = {"name": "orders", "partitions": [{"partition_index": 0, "timestamp": -1}]}
    answer = {"topics": [{"name": "orders", "partitions": [{"partition_index": 0, "offset": 1}]}]}
    history.call("list_offsets v9", ctl={"request": {"isolation_level": isolation, "topics": [where]}, "answer": answer})

    assert grown(history).stable == stable


def test_the_logs_are_drawn_last_as_they_are_at_the_end() -> None:
    """Also where rows are left out, and where reads that look the same are one row."""
    history = History()
    for number in range(60):
        history.call("produce v12", tx=A_IN, mops=[sent(f"v{number}", number, f"orders-{number % 2}")])
    for stable in (0, 0, 58):
        history.call("fetch v12", f="poll", ctl=shown(stable))

    drawn_strips = strips(drawn(history.events, "title"))

    last = DrawnLogs(calls_of(history.events)).last
    for name, strip in last.items():
        (*_, drawn_last) = (one for one in drawn_strips if one.startswith(name))
        assert drawn_last.startswith(str(strip)[:300])
    assert any("last stable offset 58" in str(strip) for strip in last.values())


def test_logs_stay_narrow_whatever_is_in_them() -> None:
    """The newest entries of a long log are drawn, with how many come before, and the first few of many logs."""
    history = History()
    for number in range(40):
        history.call("produce v12", tx=A_IN, mops=[sent("a long value", number)])
    for number in range(6):
        history.call("produce v12", mops=[sent("x", 0, f"other-{number}")])

    svg = drawn(history.events, "title")
    short_one = drawn(history.events[:2], "title")

    assert "+34" in texts(svg)
    assert "and 4 more logs" in texts(svg)
    assert int(re.findall(r'svg .*?width="(\d+)"', svg)[0]) < 2.5 * int(re.findall(r'svg .*?width="(\d+)"', short_one)[0])
