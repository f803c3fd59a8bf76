"""Offsets in transactions."""

from typing import Any

import pytest
from reference_client import TOPIC, Client, Pair


def commit(client: Client, name: str, pair: Pair, **changed: Any) -> list[int]:
    """TxnOffsetCommit of offset 5 for partition 0; returns the error of each partition."""
    partitions = changed.pop("partitions", (0,))
    entry = {"committed_offset": 5, "committed_metadata": changed.pop("metadata", None)}
    fields = {"group_id": "g", "producer_id": pair.producer_id, "producer_epoch": pair.epoch, **changed}
    topics = [{"name": TOPIC, "partitions": [{"partition_index": number, **entry} for number in partitions]}]
    answer = client.ask("txn_offset_commit", 5, transactional_id=name, topics=topics, **fields)
    return [int(result.error_code) for result in answer.topics[0].partitions]


def committed(client: Client) -> tuple[int, int]:
    """OffsetFetch of a stable offset for partition 0; returns error and offset."""
    groups = [{"group_id": "g", "topics": [{"name": TOPIC, "partition_indexes": [0]}]}]
    answer = client.ask("offset_fetch", 8, groups=groups, require_stable=True)
    result = answer.groups[0].topics[0].partitions[0]
    return int(result.error_code), int(result.committed_offset)


@pytest.mark.parametrize(("profile", "error"), [("seed", 15), ("kafka-4.3", 51)])
def test_a_busy_coordinator(profile: str, error: int) -> None:
    """The text has COORDINATOR_NOT_AVAILABLE, and Kafka passes CONCURRENT_TRANSACTIONS on."""
    client = Client(profile)
    pair = client.producer("x")
    client.write("x", pair, 0, 0)
    client.hold_markers()
    _, bumped = client.end("x", pair, commit=True)

    assert commit(client, "x", bumped) == [error]


def test_what_is_wrong_with_one_partition_is_its_own() -> None:
    """An unknown partition 3, too much metadata 12; the others are stored."""
    client = Client()
    pair = client.producer("x")

    assert commit(client, "x", pair, partitions=(0, 9)) == [0, 3]
    assert commit(client, "x", pair, metadata="m" * 4097) == [12]


def test_what_is_wrong_with_the_group_is_reported_for_each_partition() -> None:
    """No name 24; a generation of a group that no member has joined 22."""
    client = Client()
    pair = client.producer("x")

    assert commit(client, "x", pair, group_id="", partitions=(0, 1)) == [24, 24]
    assert commit(client, "x", pair, generation_id=3, member_id="m") == [22]
    assert committed(client) == (0, -1)


@pytest.mark.parametrize("version", [2, 7])
def test_all_offsets_of_a_group_can_be_asked_for(version: int) -> None:
    """In versions for one group, topics left out mean all of them."""
    client = Client()
    pair = client.producer("x")
    commit(client, "x", pair, partitions=(0, 2))
    client.end("x", pair, commit=True)

    fields = {"require_stable": True} if version >= 7 else {}
    answer = client.ask("offset_fetch", version, group_id="g", topics=None, **fields)

    assert [(int(one.partition_index), int(one.committed_offset)) for one in answer.topics[0].partitions] == [(0, 5), (2, 5)]
