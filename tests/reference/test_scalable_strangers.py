"""Records in the metadata store that another program, or another version, has written: they stop no broker."""

import json
from typing import Any

import pytest
from layout_world import SEED, TOPIC, LayoutWorld

from fencepost.reference.metadata.store import StoreRecord
from fencepost.reference.scalable import layout as layouts
from fencepost.reference.scalable import paths
from fencepost.reference.scalable.layout import Layout
from fencepost.reference.scalable.layout_records import MalformedLayout, decoded, described, encoded


@pytest.fixture
def world() -> LayoutWorld:
    made = LayoutWorld()
    made.brokers[1].create(TOPIC, 2)
    return made


def read(reported: object) -> Layout:
    return decoded(StoreRecord("/topics/public/default/orders", json.dumps(reported).encode(), 0))


@pytest.mark.parametrize("key", ["x", "public/default", "public/default/", "//x", "public/default/a%2Fb", "public/default/%zz", "a/b/c/d"])
def test_a_key_that_names_no_topic_is_passed_over(world: LayoutWorld, key: str) -> None:
    """Among layouts as well as notes of changes: existing topics are listed and maintained."""
    for folder in (paths.TOPICS, paths.CHANGES):
        world.connect().put(folder + key, b"{}")
    broker = world.brokers[2]

    broker.sweep()

    assert broker.names_in("public/default") == [TOPIC]
    assert broker.controller_of(TOPIC) == 2


def test_a_name_is_found_again_by_its_key() -> None:
    """Whatever characters it has."""
    for name in ("orders", "a%2Fb", "a b", "\u00e9?&", ".."):
        topic = f"topic://public/default/{name}"
        assert paths.topic(paths.layout(topic).removeprefix(paths.TOPICS)) == topic


def test_a_sealed_segment_without_a_time_is_pruned(world: LayoutWorld) -> None:
    """An older version did not write it; how long it was kept is unknown."""
    world.brokers[1].split(TOPIC, 0)
    reported: Any = described(world.layout)
    del reported["segments"]["0"]["sealedAtMs"]
    world.connect().put(paths.layout(TOPIC), json.dumps(reported).encode())
    world.now += SEED.sealed_retention_ms

    world.brokers[1].sweep()

    assert 0 not in world.layout.segments


def test_an_active_segment_may_say_that_it_was_sealed_at_no_epoch() -> None:
    """The text writes 0 for that, and a release -1."""
    reported: Any = described(layouts.created(1, 0))
    reported["segments"]["0"]["sealedAtEpoch"] = 0

    assert read(reported) == layouts.created(1, 0)


@pytest.mark.parametrize("key", ["00", "+0", " 0", "\u0660", "1" * 5_000])
def test_a_segment_stands_under_its_number_written_in_one_way(key: str) -> None:
    """So that none is there twice."""
    reported: Any = described(layouts.created(1, 0))
    reported["segments"][key] = reported["segments"]["0"]

    with pytest.raises(MalformedLayout, match="expected numbers as the keys of segments"):
        read(reported)


def test_a_long_layout_is_read_once() -> None:
    """Each use of a segment reads its layout, and thousands of segments would take as many times thousands of reads."""
    record = StoreRecord("/topics/public/default/long", encoded(layouts.created(10_000, 0)), 7)

    assert decoded(record) is decoded(StoreRecord(record.key, bytes(bytearray(record.value)), 7))
    assert decoded(record) == decoded(StoreRecord(record.key, record.value, 8))
