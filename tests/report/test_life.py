"""The picture of one transaction's life: drawn from a real history, with every record and nothing that is not escaped."""

import gzip
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from commands import CHECKOUT

from fencepost.contract.errors import WrongUsage
from fencepost.report.life.__main__ import main
from fencepost.report.life.life_picture import drawn
from fencepost.report.life.transaction_life import Life, read

PICTURE = CHECKOUT / "docs" / "transaction-life.svg"


def history(path: Path, *events: dict[str, Any]) -> Path:
    """A file of these events, numbered."""
    common = {"client": "broker", "txn_id": "scalable (0,0)", "type": "ok", "op_id": 0, "api": "store put", "ctl": {}}
    with gzip.open(path, "wt", encoding="utf-8") as file:
        for number, event in enumerate(events):
            file.write(json.dumps({**common, "idx": number, **event}) + "\n")
    return path


def header(state: str) -> dict[str, Any]:
    return {"ctl": {"record": "/txn/id/0_0", "state": state}}


def life(tmp_path: Path, *events: dict[str, Any]) -> Life:
    return read(history(tmp_path / "h.jsonl.gz", *events))


def test_a_record_lasts_from_its_first_write_to_its_deletion(tmp_path: Path) -> None:
    """With each thing that it said, in the order of the history."""
    found = life(tmp_path, header("OPEN"), header("COMMITTED"), {"ctl": {"record": "/txn/id/0_0", "deleted": "true"}})

    record = found.records["/txn/id/0_0"]
    assert (record.said, record.deleted, found.length) == ([(0, "OPEN"), (1, "COMMITTED")], 2, 3)


def test_a_call_lasts_until_its_answer_and_one_without_an_answer_to_the_end(tmp_path: Path) -> None:
    """NEW_TXN has its transaction only in its answer."""
    client = {"client": "app", "api": "END_TXN"}
    begun = {"client": "app", "api": "NEW_TXN", "op_id": 1}
    asked, lost = {**client, "type": "invoke", "op_id": 2}, {**client, "type": "invoke", "op_id": 3}

    found = life(tmp_path, begun, header("OPEN"), asked, header("COMMITTED"), {**client, "op_id": 2}, lost)

    assert [(call.name, call.answered is None) for call in found.calls] == [("NEW_TXN", False), ("END_TXN", False), ("END_TXN", True)]
    assert found.calls[1].asked < found.records["/txn/id/0_0"].said[1][0] < (found.calls[1].answered or 0)


def test_what_another_transaction_did_is_not_shown(tmp_path: Path) -> None:
    """The first of the history is drawn, or the one that is named."""
    other = {"txn_id": "scalable (0,1)", "ctl": {"record": "/txn/id/0_1", "state": "OPEN"}}
    path = history(tmp_path / "h.jsonl.gz", header("OPEN"), other)

    assert list(read(path).records) == ["/txn/id/0_0"]
    assert list(read(path, "scalable (0,1)").records) == ["/txn/id/0_1"]


def test_nothing_of_a_history_becomes_markup(tmp_path: Path) -> None:
    """Names of topics and of calls may be any text."""
    evil = '<script>alert(1)</script>&"'

    svg = drawn(life(tmp_path, {"ctl": {"record": f"/txn/id/{evil}", "state": evil}}, {"client": "app", "api": evil, "type": "invoke"}))

    assert "<script" not in svg
    parser = ElementTree.XMLPullParser()
    parser.feed(svg)  # raises where it is not well-formed
    assert svg.count("<svg") == 1


@pytest.mark.parametrize(
    "content", [b"", b"no gzip", gzip.compress(b"{"), gzip.compress(b"")], ids=["nothing", "no gzip", "no whole line", "no line"]
)
def test_what_is_no_history_is_refused(tmp_path: Path, content: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    """With its name and what was expected, and no picture."""
    path = tmp_path / "h.jsonl.gz"
    path.write_bytes(content)

    with pytest.raises(WrongUsage, match="expected"):
        read(path)
    assert main([str(path)]) == 2
    assert capsys.readouterr().out == ""


def test_the_picture_of_the_docs_shows_a_whole_life() -> None:
    """All classes of records, and the calls of a client."""
    shown = re.sub(r"<title>.*?</title>", "", PICTURE.read_text(encoding="utf-8"))

    for expected in ("NEW_TXN", "ACK", "SEND", "END_TXN", "/txn/id/0_0", "/txn/op/0_0-", "/txn/events/", "OPEN", "COMMITTED", "deleted"):
        assert expected in shown
