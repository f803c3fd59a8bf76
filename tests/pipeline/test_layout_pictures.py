"""The picture of a layout over time: what a history tells of a topic, drawn whole, with nothing that is not escaped."""

import gzip
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from check_histories import events
from commands import CHECKOUT

from fencepost.pipeline.layouts.__main__ import main
from fencepost.pipeline.layouts.layout_picture import drawn
from fencepost.pipeline.layouts.story import Story, happenings, story
from fencepost.report.allure_layouts import pictures
from fencepost.report.allure_results import AllureWriter

PICTURE = CHECKOUT / "docs" / "layout-over-time.svg"
CHANGED = """
ctl ok create children=g0:0-ffff epoch=0
p0 ok send tx=T1 g0<a@0
ctl ok split segs=g0 children=g1:0-7fff,g2:8000-ffff epoch=1
p0 ok send tx=T1 g2<b@0/h9abc
p0 ok commit tx=T1
p1 ok poll g0>a@0
p1 ok poll g2>b@0
ctl ok merge segs=g1,g2 children=g3:0-ffff epoch=2
ctl ok prune segs=g0 epoch=3
""".lstrip()


def reported(text: str, topic: str | None = None, *meant: int) -> Story:
    found = story(happenings(events(text, "run")), topic, meant)
    assert found is not None
    return found


def parsed(svg: str) -> None:
    parser = ElementTree.XMLPullParser()
    parser.feed(svg)  # raises where it is not well-formed
    assert svg.count("<svg") == 1


def test_a_segment_lives_from_when_it_was_made_over_its_seal_to_its_pruning() -> None:
    """Each moment is the number of an event."""
    segments = reported(CHANGED).segments

    assert {name: (one.first, one.last) for name, one in segments.items()} == {
        "g0": (0, 0xFFFF),
        "g1": (0, 0x7FFF),
        "g2": (0x8000, 0xFFFF),
        "g3": (0, 0xFFFF),
    }
    parent, child, last = segments["g0"], segments["g1"], segments["g3"]
    assert parent.changing is not None
    assert parent.sealed is not None
    assert parent.gone is not None
    assert parent.born < parent.changing < parent.sealed == child.born < parent.gone
    assert child.sealed == last.born
    assert (child.gone, last.sealed) == (None, None)


def test_records_stand_in_their_segments_with_their_transactions() -> None:
    """Those that were read, and those that were written, refused ones excepted."""
    found = reported(CHANGED + "p2 fail send g3<c\np3 info send g3<d\n")

    assert [(mark.way, mark.segment, mark.value, mark.transaction, mark.is_done) for mark in found.marks] == [
        ("send", "g0", "a", "T1", True),
        ("send", "g2", "b", "T1", True),
        ("recv", "g0", "a", None, True),
        ("recv", "g2", "b", None, True),
        ("send", "g3", "d", None, False),
    ]
    assert [mark.hash for mark in found.marks][1] == 0x9ABC
    (transaction,) = found.transactions
    assert (transaction.name, transaction.action) == ("T1", "commit")
    assert transaction.begun < found.segments["g0"].born + 2 < (transaction.ended or 0)


def test_what_is_done_and_what_is_meant_is_drawn() -> None:
    """Boxes, seals, what is pruned, marks, and transactions; what is meant is larger and named."""
    svg = drawn(reported(CHANGED, None, 2))

    parsed(svg)
    assert [svg.count(f'class="{kind}"') for kind in ("segment", "sealed", "seal", "send", "recv", "transaction")] == [4, 3, 3, 2, 2, 1]
    assert svg.count('r="6"') == 1
    for said in ("0000", "8000", "ffff", "T1 committed", "g0 sealed", "g0 pruned", "red is what is meant"):
        assert said in svg
    assert "red is what is meant" not in drawn(reported(CHANGED))


def test_a_topic_is_chosen_by_its_name() -> None:
    """The first one whose layout changed where none is named; one that did not change has no story of its own."""
    other = "ctl ok create topic=x children=x0:0-ffff epoch=0\n" + CHANGED.replace("ctl ok split", "ctl ok split topic=y")

    assert set(reported(other).segments) == {"g1", "g2"}
    assert set(reported(other, "x").segments) == {"x0"}
    assert story(happenings(events("ctl ok create children=g0:0-ffff epoch=0\np0 ok send g0<a@0", "run"))) is None


def test_many_records_are_counted_and_not_drawn() -> None:
    """What is meant is drawn all the same."""
    sends = "".join(f"p0 ok send g0<v{number}@{number}\n" for number in range(400))
    created, rest = CHANGED.split("\n", 1)

    found = reported(f"{created}\n{sends}{rest}", None, 700)

    assert len(found.marks) == 301
    assert found.left_out == 103
    assert "103 more records are not drawn" in drawn(found)


def test_nothing_of_a_history_becomes_markup() -> None:
    """Names of topics and transactions, and values, are whatever somebody chose."""
    evil = '<script>alert(1)</script>&"'
    history = json.loads(json.dumps(events(CHANGED, "run")).replace('"T1"', json.dumps(evil)).replace('"b"', json.dumps(evil)))
    for event in history:
        if "children" in event["ctl"]:
            event["ctl"]["topic"] = evil

    found = story(happenings(history), None, {2, 6})
    assert found is not None
    svg = drawn(found)

    parsed(svg)
    assert "<script" not in svg
    assert "&lt;script" in svg


@pytest.mark.parametrize("children", ["g1", "g1:0", "g1:x-y", "g1:-1-3", ":0-1,", "g1:0-fffff"])
def test_children_that_are_none_are_left_out(children: str) -> None:
    """The rest is drawn."""
    parsed(drawn(reported(CHANGED.replace("g1:0-7fff", children))))


def write(path: Path, history: list[dict[str, Any]]) -> str:
    path.write_bytes(gzip.compress("".join(json.dumps(event) + "\n" for event in history).encode()))
    return str(path)


def test_a_history_is_drawn_from_its_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And the picture is all that is printed."""
    assert main([write(tmp_path / "h.jsonl.gz", events(CHANGED, "run"))]) == 0

    parsed(capsys.readouterr().out)


def test_what_is_no_history_of_layouts_is_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It says what was expected, and draws nothing."""
    bad = tmp_path / "bad.jsonl"
    bad.write_text("{", encoding="utf-8")
    plain = write(tmp_path / "plain.jsonl.gz", events("p0 ok send x<a@0", "run"))

    assert [main(arguments) for arguments in ([], [str(bad)], [str(tmp_path / "none")], [plain], [plain, "t", "u"])] == [2] * 5
    said = capsys.readouterr()
    assert said.out == ""
    assert "expected the history of a scenario of PIP-460" in said.err


def test_a_scenario_that_is_not_met_has_its_picture(tmp_path: Path) -> None:
    """Beside the page in Allure, where it changed a layout."""
    writer = AllureWriter(tmp_path)

    assert pictures(writer, events("p0 ok send x<a@0", "run")) == []
    (attached,) = pictures(writer, events(CHANGED, "run"))
    assert attached["type"] == "image/svg+xml"
    parsed((tmp_path / attached["source"]).read_text(encoding="utf-8"))


def test_the_picture_of_the_docs_shows_changes() -> None:
    """Segments that were sealed, what was written to them, and what was read."""
    shown = re.sub(r"<title>.*?</title>", "", PICTURE.read_text(encoding="utf-8"))

    for kind in ("segment", "sealed", "seal", "send", "recv"):
        assert f'class="{kind}"' in shown
