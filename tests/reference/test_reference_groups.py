"""Offsets in transactions."""

from typing import Any

import pytest
from reference_client import TOPIC, Client, Pair


def commit(client: Client, name: str, pair: Pair, offset: int = 5, *, version: int = 5, **changed: Any) -> list[int]:
    """TxnOffsetCommit for partition 0; returns the error of each partition."""
    partitions = changed.pop("partitions", (0,))
    entry = {"committed_offset": offset, "committed_metadata": changed.pop("metadata", None)}
    fields = {"group_id": "g", "producer_id": pair.producer_id, "producer_epoch": pair.epoch, **changed}
    topics = [{"name": TOPIC, "partitions": [{"partition_index": number, **entry} for number in partitions]}]
    answer = client.ask("txn_offset_commit", version, transactional_id=name, topics=topics, **fields)
    return [int(result.error_code) for result in answer.topics[0].partitions]


def committed(client: Client, *, require_stable: bool = False) -> tuple[int, int]:
    """OffsetFetch for partition 0; returns error and offset."""
    groups = [{"group_id": "g", "topics": [{"name": TOPIC, "partition_indexes": [0]}]}]
    answer = client.ask("offset_fetch", 8, groups=groups, require_stable=require_stable)
    result = answer.groups[0].topics[0].partitions[0]
    return int(result.error_code), int(result.committed_offset)


def announce(client: Client, name: str, pair: Pair) -> int:
    fields = {"producer_id": pair.producer_id, "producer_epoch": pair.epoch, "group_id": "g"}
    return int(client.ask("add_offsets_to_txn", 3, transactional_id=name, **fields).error_code)


def test_offsets_count_when_the_transaction_commits() -> None:
    """Before that they are pending, and an abort leaves the earlier ones."""
    client = Client()
    pair = client.producer("x")
    assert committed(client) == (0, -1)

    assert commit(client, "x", pair, 5) == [0]
    assert (committed(client), committed(client, require_stable=True)) == ((0, -1), (88, -1))
    _, pair = client.end("x", pair, commit=True)
    assert committed(client, require_stable=True) == (0, 5)

    commit(client, "x", pair, 9)
    client.end("x", pair, commit=False)
    assert committed(client, require_stable=True) == (0, 5)


def test_offsets_survive_a_crash_pending_or_not() -> None:
    """Committed ones stay, and the transaction decides pending ones."""
    client = Client()
    pair = client.producer("x")
    commit(client, "x", pair, 5)
    _, pair = client.end("x", pair, commit=True)
    commit(client, "x", pair, 9)

    client.broker.crash()
    client.broker.restart()

    assert (committed(client), committed(client, require_stable=True)[0]) == ((0, 5), 88)
    client.end("x", pair, commit=True)
    assert committed(client) == (0, 9)


@pytest.mark.parametrize(("version", "error"), [(0, 48), (3, 48), (4, 120), (5, 0)])
def test_old_clients_announce_the_group(version: int, error: int) -> None:
    """Without AddOffsetsToTxn they are refused with the errors of the version; a new client's are added."""
    client = Client()
    pair = client.producer("x")

    assert commit(client, "x", pair, version=version) == [error]

    assert announce(client, "x", pair) == 0
    assert commit(client, "x", pair, version=version) == [0]
    (topic,) = client.describe("x").topics
    assert (topic.topic, topic.partitions) == ("__consumer_offsets", (0,))


@pytest.mark.parametrize("version", [3, 4, 5])
def test_who_may_commit_offsets(version: int) -> None:
    """49 for another producer id, 47 for another epoch."""
    client = Client()
    _, pair = client.init("x", client.producer("x"))
    announce(client, "x", pair)

    assert commit(client, "x", Pair(pair.producer_id + 1, pair.epoch), version=version) == [49]
    assert commit(client, "x", pair.plus(-1), version=version) == [47]
    assert commit(client, "x", pair.plus(1), version=version) == [47]
    assert committed(client, require_stable=True) == (0, -1)


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
    assert committed(client, require_stable=True) == (0, -1)


@pytest.mark.parametrize("version", [2, 7])
def test_all_offsets_of_a_group_can_be_asked_for(version: int) -> None:
    """In versions for one group, topics left out mean all of them."""
    client = Client()
    pair = client.producer("x")
    commit(client, "x", pair, 5, partitions=(0, 2))
    client.end("x", pair, commit=True)

    fields = {"require_stable": True} if version >= 7 else {}
    answer = client.ask("offset_fetch", version, group_id="g", topics=None, **fields)

    assert [(int(one.partition_index), int(one.committed_offset)) for one in answer.topics[0].partitions] == [(0, 5), (2, 5)]


def test_topics_are_named_by_their_ids_from_v10_on() -> None:
    """The same offsets, whether topics are named or all are requested; an unknown id gets its own error."""
    client = Client()
    pair = client.producer("x")
    commit(client, "x", pair, 5)
    client.end("x", pair, commit=True)
    topic_id = client.ask("metadata", 12, topics=None, include_topic_authorized_operations=False).topics[0].topic_id
    unknown = type(topic_id)(int=999)

    def ask(topics: object) -> list[tuple[object, int, int]]:
        answer = client.ask("offset_fetch", 10, groups=[{"group_id": "g", "topics": topics}], require_stable=False)
        return [
            (one.topic_id, int(one.partitions[0].error_code), int(one.partitions[0].committed_offset)) for one in answer.groups[0].topics
        ]

    assert ask([{"topic_id": topic_id, "partition_indexes": [0]}]) == ask(None) == [(topic_id, 0, 5)]
    assert ask([{"topic_id": unknown, "partition_indexes": [0]}]) == [(unknown, 100, -1)]
