"""Records of layouts: they are read as they were written, and an unsound one is reported with its key, and changes nothing."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis.strategies import binary, dictionaries, integers, lists, none, recursive, sampled_from, text
from layout_world import TOPIC, LayoutWorld

from fencepost.reference.metadata.store import StoreRecord
from fencepost.reference.pulsar.server_errors import ServerError
from fencepost.reference.scalable import layout as layouts
from fencepost.reference.scalable import paths
from fencepost.reference.scalable.layout import Layout
from fencepost.reference.scalable.layout_flaws import flaws
from fencepost.reference.scalable.layout_records import MalformedLayout, decoded, described, encoded


def _grown() -> Layout:
    """Active: 3 (0000-3fff), 4 (4000-7fff), 2 (8000-ffff). Sealed: 0 at epoch 1, 1 at epoch 2."""
    return layouts.split(layouts.split(layouts.created(1, 1), 0, 2), 1, 3)


def _record(value: bytes) -> StoreRecord:
    return StoreRecord("/topics/public/default/orders", value, 0)


def _read(described: object) -> Layout:
    return decoded(_record(json.dumps(described).encode()))


def test_what_was_written_is_read_again() -> None:
    """Also sealed, merged and pruned segments."""
    for layout in (layouts.created(3, 1), _grown(), layouts.pruned(_grown(), 0), layouts.merge(_grown(), (3, 4), 4)):
        assert decoded(_record(encoded(layout))) == layout


def test_a_layout_is_described_as_a_release_does() -> None:
    """Epoch and time of a seal are -1 while there is none, as seen on 5.0.0-M1."""
    described_ = described(_grown())

    assert (described_["epoch"], described_["nextSegmentId"], described_["properties"]) == (2, 5, {})
    segments: Any = described_["segments"]
    assert segments["3"] == {
        "segmentId": 3,
        "hashRange": {"start": 0, "end": 0x3FFF},
        "state": "ACTIVE",
        "parentIds": [1],
        "childIds": [],
        "createdAtEpoch": 2,
        "sealedAtEpoch": -1,
        "createdAtMs": 3,
        "sealedAtMs": -1,
    }
    assert (segments["0"]["state"], segments["0"]["sealedAtEpoch"], segments["0"]["sealedAtMs"]) == ("SEALED", 1, 2)


def test_fields_that_are_unknown_are_passed_over() -> None:
    """A later release may have more; times that an earlier one did not write are none."""
    reported: Any = described(_grown())
    reported["buckets"] = {"more": 1}
    for one in reported["segments"].values():
        one["legacyTopicName"] = None
        del one["createdAtMs"], one["sealedAtMs"]
    assert [(one.created_ms, one.sealed_ms) for one in _read(reported).sealed] == [(0, None), (0, None)]


# --- flaws ----------------------------------------------------------------------------------------------------------------------


def _set(number: str, **values: object) -> Callable[[Any], None]:
    return lambda reported: reported["segments"][number].update(values)


def _all(*acts: Callable[[Any], None]) -> Callable[[Any], None]:
    def do(reported: Any) -> None:
        for act in acts:
            act(reported)

    return do


FLAWS = [
    (_set("3", hashRange={"start": 0, "end": 0x4000}), r"active segments 3 \(0000-4000\) and 4 \(4000-7fff\) overlap"),
    (_set("4", hashRange={"start": 0x4001, "end": 0x7FFF}), "no active segment has the hashes between 0000-3fff and 4001-7fff"),
    (_set("3", hashRange={"start": 1, "end": 0x3FFF}), "no active segment has the hashes below 0001"),
    (_set("2", hashRange={"start": 0x8000, "end": 0xFFFE}), "no active segment has the hashes above fffe"),
    (_set("2", hashRange={"start": 0x8000, "end": 0x10000}), "segment 2 has the hashes 8000-10000; expected first to last"),
    (_set("3", hashRange={"start": -1, "end": 0x3FFF}), "segment 3 has the hashes"),
    (_set("3", hashRange={"start": 5, "end": 4}), "segment 3 has the hashes 0005-0004"),
    (_set("3", parentIds=[9]), "segment 3 names the parent 9, which is unknown"),
    (_set("3", parentIds=[1, 2]), "segment 3 names the parent 2, which does not name it as a child"),
    (_set("3", parentIds=[1, 1]), r"segment 3 names a parent or a child twice: \[1, 1\]"),
    (_set("3", parentIds=[]), "segment 1 names the child 3, which does not name it as a parent"),
    (_set("1", childIds=[3, 4, 9]), "segment 1 names the child 9, which is unknown"),
    (_set("1", childIds=[3]), "segment 4 names the parent 1, which does not name it as a child"),
    (_set("1", childIds=[3, 4, 4]), r"segment 1 names a parent or a child twice: \[3, 4, 4\]"),
    (_set("3", childIds=[4]), r"segment 3 is ACTIVE and has the children \[4\]"),
    (_all(_set("1", childIds=[]), _set("3", parentIds=[]), _set("4", parentIds=[])), r"segment 1 is SEALED and has the children \[\]"),
    (
        _all(_set("1", hashRange={"start": 0x8000, "end": 0xFFFF}), _set("0", childIds=[1, 2])),
        r"segment 1 \(8000-ffff\) names the child 3, which has other hashes",
    ),
    (_set("3", createdAtEpoch=3), "segment 3 was created at epoch 3; the layout is at 2"),
    (_set("0", createdAtEpoch=-1), "segment 0 was created at epoch -1; the layout is at 2"),
    (_set("3", createdAtEpoch=1), "segment 3 was created at epoch 1, and its parent 1 was sealed at 2; expected the same epoch"),
    (_set("1", sealedAtEpoch=3), "segment 1 was sealed at epoch 3; expected one after 1 and up to 2"),
    (_set("0", sealedAtEpoch=0), "segment 0 was sealed at epoch 0; expected one after 0 and up to 2"),
    (_set("1", sealedAtEpoch=-1), "segment 1 is SEALED, and was sealed at epoch None"),
    (_set("3", sealedAtEpoch=2), "segment 3 is ACTIVE, and was sealed at epoch 2"),
    (lambda reported: reported.update(epoch=1), "segment 3 was created at epoch 2; the layout is at 1"),
    (lambda reported: reported.update(nextSegmentId=4), "segment 4 is not below the next number 4"),
    (_set("3", segmentId=-3), "segment -3 stands under the number 3"),
    (_set("3", segmentId=5), "segment 5 stands under the number 3"),
    (lambda reported: reported.update(segments={}), "no segment is active"),
    (lambda reported: reported["segments"].update(x=reported["segments"]["3"]), "expected numbers as the keys of segments"),
    (lambda reported: reported.update(epoch="2"), "expected a layout as JSON; epoch: "),
    (lambda reported: reported.pop("nextSegmentId"), "nextSegmentId: Field required"),
    (_set("3", state="OPEN"), "segments: 3: state: "),
]


@pytest.mark.parametrize(("spoil", "why"), FLAWS)
def test_a_record_with_a_flaw_is_refused_and_nothing_is_changed(spoil: Callable[[Any], None], why: str) -> None:
    """With the key, the segment and what was expected; a client that asks for a change gets the same, and a sweep goes on."""
    reported = described(_grown())
    spoil(reported)
    with pytest.raises(MalformedLayout, match=why) as refused:
        _read(reported)
    assert str(refused.value).count("/topics/public/default/orders") == 1
    assert refused.value.error is ServerError.UNKNOWN

    world = LayoutWorld()
    world.connect().put(paths.layout(TOPIC), json.dumps(reported).encode())
    before = world.records
    for act in (lambda: world.brokers[1].split(TOPIC, 3), lambda: world.brokers[1].register(TOPIC, "workers"), lambda: world.layout):
        with pytest.raises(MalformedLayout, match=paths.layout(TOPIC)):
            act()
    world.brokers[1].sweep()

    kept = [record for record in world.records if record.key != paths.controller(TOPIC)]
    assert kept == before
    assert (world.segments.messages, world.reported) == ({}, [])


def test_not_more_than_three_flaws_are_reported() -> None:
    """So that an error about thousands of segments can be read."""
    reported: Any = described(layouts.created(50, 0))
    for one in reported["segments"].values():
        one["parentIds"] = [99]
    with pytest.raises(MalformedLayout) as refused:
        _read(reported)
    assert str(refused.value).count("which is unknown") == 3


def test_a_flaw_hides_what_does_not_cover_because_of_it() -> None:
    """Overlaps and gaps are reported only for segments that are valid by themselves."""
    layout = layouts.created(2, 0)
    assert flaws(Layout(0, 1, layout.segments)) == ["segment 1 is not below the next number 1"]


@given(
    binary(max_size=200)
    | recursive(none() | integers() | text(), lambda more: lists(more) | dictionaries(text(), more)).map(json.dumps).map(str.encode)
)
def test_no_nonsense_is_a_layout(value: bytes) -> None:
    """Any bytes, and any JSON: refused, and nothing else happens."""
    with pytest.raises(MalformedLayout):
        decoded(_record(value))


@given(sampled_from(["epoch", "nextSegmentId", "segments"]), integers() | text() | none() | lists(integers()))
def test_no_field_may_be_nonsense(field: str, value: object) -> None:
    """Each result is a sound layout, or it is refused."""
    reported = {**described(_grown()), field: value}
    try:
        layout = _read(reported)
    except MalformedLayout:
        return
    assert flaws(layout) == []
